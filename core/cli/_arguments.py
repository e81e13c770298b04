"""Arguments that several subcommands share: a source in some format, and a vocabulary.

``--source`` takes the path of a file or the source itself: what names a file is one. Since a short
source may happen to name a file, or a mistyped path none, a note on standard error says which was
taken wherever that is not plain from the spelling.
"""

from __future__ import annotations

import json
import math
import os
import sys
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from formgate.core.errors import FormgateError, VocabularyError
from formgate.core.members import unique_members

if TYPE_CHECKING:
    import argparse

    from formgate.core.vocabulary import Vocabulary

__all__ = [
    "add_source",
    "add_vocabulary",
    "format_by_ending",
    "options",
    "read_source",
    "source",
    "vocabulary",
]

_FOLDERS = ("/", "./", "../")
_READ_BY_PATH = ("lark", "json_schema", "json-schema")


def add_source(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that name a source, its format and the format's options."""
    parser.add_argument("--format", help="format of the source; guessed when left out")
    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument(
        "--source", metavar="SOURCE", help="a file that holds the source, or the source itself"
    )
    group.add_argument("--source-text", metavar="TEXT", help="the source itself, whatever it is")
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


def source(args: argparse.Namespace) -> tuple[object, str | None]:
    """Return the source that the arguments name, and its format where that is known.

    Raises:
        FormgateError: ``--source-json`` is not JSON, or the file cannot be read as UTF-8.
    """
    if args.source_file is not None:
        return read_source(args.source_file, args.format, argument="--source-file ")
    if args.source_json is not None:
        try:
            found = json.loads(
                args.source_json, parse_float=_number, object_pairs_hook=unique_members
            )
        except (ValueError, ArithmeticError) as error:
            raise FormgateError(f"--source-json is not JSON: {error}") from error
        return found, args.format
    if args.source_text is not None:
        return args.source_text, args.format
    text: str = args.source
    if os.path.exists(text) and not os.path.isdir(text):  # noqa: PTH110,PTH112 (any text will do)
        if not _is_spelt_as_path(text):
            _note(f"--source {text!r} is the name of a file, which is read; --source-text takes")
        return read_source(Path(text), args.format, argument="--source ")
    if format_by_ending(text) is not None and not any(char.isspace() for char in text):
        _note(f"there is no file {text!r}; --source takes")
    return text, args.format


def _number(text: str) -> float | Decimal:
    """Return a number as a float where its shortest text says the same, so that none is rounded."""
    exact, short = Decimal(text), float(text)
    return short if math.isfinite(short) and Decimal(repr(short)) == exact else exact


def read_source(
    path: Path, format_name: str | None, *, argument: str = ""
) -> tuple[object, str | None]:
    """Return what a file holds, and its format: the one given, or else the file's ending.

    A Lark grammar is returned as its path, since it may import files that stand beside it, and so
    is a JSON Schema, since errors name the file.

    Raises:
        FormgateError: The file cannot be read as UTF-8.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormgateError(f"{path} is not UTF-8: {error}") from error
    except OSError as error:
        raise FormgateError(
            f"{argument}{path} cannot be read: {error.strerror or error}"
        ) from error
    name = format_name
    if name is None:
        name = format_by_ending(path.name)
        if name is not None and path.suffix.lower() != f".{name}":
            print(
                f"formgate: note: {path} is read as {name} by its ending; --format says otherwise",
                file=sys.stderr,
            )
    # What is no plain file, such as a pipe, can be read only once.
    return (path if name in _READ_BY_PATH and path.is_file() else text), name


def _is_spelt_as_path(text: str) -> bool:
    """Say whether a text looks like a path: by how it begins, or by the ending of a format."""
    return text.startswith(_FOLDERS) or format_by_ending(text) is not None


def format_by_ending(name: str) -> str | None:
    """Return the format whose files end as a name does."""
    from formgate.core.registry import default_registry  # noqa: PLC0415 (brings in pluggy)

    ending = Path(name).suffix.removeprefix(".").lower()
    for entry in default_registry().formats():
        if ending in (entry.spec.name, *entry.spec.endings):
            return entry.spec.name
    return None


def _note(text: str) -> None:
    """Say on standard error what becomes of a text that may be a path."""
    print(f"formgate: note: {text} it as the source itself", file=sys.stderr)


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
