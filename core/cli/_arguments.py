"""Arguments that several subcommands share: a source in some format, and a vocabulary."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from formgate.core.errors import FormgateError, VocabularyError

if TYPE_CHECKING:
    import argparse

    from formgate.core.vocabulary import Vocabulary

__all__ = ["add_source", "add_vocabulary", "options", "source", "vocabulary"]


def add_source(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that name a source, its format and the format's options."""
    parser.add_argument("--format", help="format of the source; guessed when left out")
    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument("--source", metavar="TEXT", help="the source itself")
    group.add_argument("--source-file", metavar="FILE", type=Path, help="a file that holds it")
    group.add_argument(
        "--source-json", metavar="JSON", help="a source that is no text, such as a list of choices"
    )
    parser.add_argument(
        "--option",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="an option of the format; the value is JSON, or else text",
    )


def source(args: argparse.Namespace) -> object:
    """Return the source that the arguments name.

    Raises:
        FormgateError: ``--source-json`` is not JSON, or the file cannot be read as UTF-8.
    """
    if args.source_file is not None:
        try:
            return args.source_file.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise FormgateError(f"{args.source_file} is not UTF-8: {error}") from error
        except OSError as error:
            raise FormgateError(
                f"--source-file {args.source_file} cannot be read: {error.strerror or error}"
            ) from error
    if args.source_json is not None:
        try:
            return json.loads(args.source_json)
        except ValueError as error:
            raise FormgateError(f"--source-json is not JSON: {error}") from error
    return args.source


def options(args: argparse.Namespace) -> dict[str, Any]:
    """Return the format's options.

    Raises:
        FormgateError: An option is not of the form ``NAME=VALUE``.
    """
    found: dict[str, Any] = {}
    for text in args.option:
        name, equals, value = text.partition("=")
        if not equals or not name.isidentifier():
            raise FormgateError(f"--option {text!r} is not NAME=VALUE")
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found


def add_vocabulary(parser: argparse.ArgumentParser) -> None:
    """Add the argument that names a vocabulary."""
    parser.add_argument(
        "--vocabulary",
        metavar="FILE",
        type=Path,
        help="tokenizer file to read it from; one token per byte when left out",
    )


def vocabulary(args: argparse.Namespace) -> Vocabulary:
    """Return the vocabulary that the arguments name.

    Raises:
        VocabularyError: The file is missing or not understood.
    """
    from formgate.core.vocabulary import Vocabulary  # noqa: PLC0415 (loads the native core)

    if getattr(args, "vocabulary", None) is None:
        return Vocabulary([*(bytes([value]) for value in range(256)), None], stop_ids=[256])
    if not args.vocabulary.exists():
        raise VocabularyError(f"no such file: {args.vocabulary}")
    return Vocabulary.from_file(args.vocabulary)
