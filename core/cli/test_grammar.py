"""``formgate test-grammar``: does a grammar accept what it should, and nothing else?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from formgate.core.cli import _arguments
from formgate.core.cli._embedded_model import load_model
from formgate.core.cli._output import print_json
from formgate.core.cli._progress import Progress
from formgate.core.cli._streams import print_anything
from formgate.core.errors import FormgateError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from formgate.core.decoding import LoadedModel

__all__ = ["add_parser", "run"]

EXIT_FAILURES = 1
_TOOL = "test-grammar"
_EMBEDDED = "embedded"


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Add this subcommand to the command line."""
    parser = subparsers.add_parser(
        _TOOL,
        help="test a grammar with samples, random texts and an independent judge",
        description="Test a grammar: samples must be accepted or rejected, in whatever way they "
        "are cut into tokens, and an independent judge must accept what the grammar does. The exit "
        "code is 0 when nothing is wrong, and 1 otherwise.",
    )
    parser.add_argument(
        "grammar",
        metavar="GRAMMAR",
        help="a file, or the name of a grammar that comes with formgate",
    )
    parser.add_argument(
        "--format", help="format of the file; when left out, its ending says, or it is guessed"
    )
    parser.add_argument(
        "--option",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="an option of the format; the value is JSON, or else text",
    )
    for verb, what in (("accept", "texts of the language"), ("reject", "texts outside it")):
        parser.add_argument(
            f"--{verb}",
            metavar="DIR",
            type=Path,
            action="append",
            default=[],
            help=f"a folder of {what}, one in each file",
        )
    parser.add_argument(
        "--keep-final-newline",
        action="store_true",
        help="take files as they are; otherwise a line break at their very end is no part of them",
    )
    parser.add_argument(
        "--oracle",
        metavar="NAME",
        help="an independent judge: a built-in one such as json, or module:function",
    )
    parser.add_argument(
        "--exact",
        action="store_true",
        help="the judge knows just this language: what it alone accepts is a failure, too",
    )
    parser.add_argument(
        "--vocabulary",
        metavar="FILE",
        type=Path,
        help="tokenizer file; bytes and pieces of the samples, or the model's, when left out",
    )
    parser.add_argument(
        "--model",
        metavar="PATH",
        type=Path,
        help=f"have a model write under the grammar: a folder, a .gguf file, or {_EMBEDDED!r}",
    )
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="default: 0")
    parser.add_argument(
        "--count", metavar="N", type=int, default=100, help="texts to draw; default: 100"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Test the grammar and print the report."""
    from formgate.core.registry import default_registry  # noqa: PLC0415 (brings in pluggy)

    check: Callable[..., Any] = default_registry().tool(_TOOL).spec.load()  # type: ignore[assignment]
    source, format_name = _grammar(args)
    accept, reject = _samples(args, "accept"), _samples(args, "reject")
    print_anything()
    with Progress(plain=False) as progress:
        vocabulary = None if args.vocabulary is None else _arguments.vocabulary(args)
        model = _model(args.model, progress)
        progress("testing")
        report = check(
            source,
            accept=accept,
            reject=reject,
            format=format_name,
            options=_arguments.options(args),
            vocabulary=vocabulary,
            oracle=args.oracle,
            exact=args.exact,
            seed=args.seed,
            count=args.count,
            model=model,
        )
    if args.json:
        print_json(report.record())
    else:
        print(report)
    return 0 if report.ok else EXIT_FAILURES


def _grammar(args: argparse.Namespace) -> tuple[object, str | None]:
    """Return the source and its format.

    Raises:
        FormgateError: The file cannot be read as UTF-8.
    """
    path = Path(args.grammar)
    named = args.format in (None, "grammar") and path.name == args.grammar and not path.suffix
    if named and not path.exists():
        return args.grammar, "grammar"
    return _arguments.read_source(path, args.format)


def _samples(args: argparse.Namespace, verb: str) -> dict[str, bytes]:
    """Return the files of the folders that an argument names.

    Raises:
        FormgateError: A folder is none, or holds no files, or a link to nothing.
    """
    found: dict[str, bytes] = {}
    for folder in getattr(args, verb):
        if not folder.is_dir():
            raise FormgateError(f"--{verb} {folder} is no folder")
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        broken = [path for path in folder.rglob("*") if path.is_symlink() and not path.exists()]
        if broken:
            raise FormgateError(f"--{verb} {broken[0]} is a link to nothing")
        if not files:
            raise FormgateError(f"--{verb} {folder} holds no files")
        for path in files:
            data = path.read_bytes()
            found[str(path)] = data if args.keep_final_newline else data.removesuffix(b"\n")
    return found


def _model(path: Path | None, progress: Progress) -> LoadedModel | None:
    """Return the model that is to write, if one is asked for."""
    if path is None:
        return None
    given = None if str(path) == _EMBEDDED else path
    return load_model(given, device="auto", threads=None, progress=progress)
