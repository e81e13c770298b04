"""``formgate convert``: a grammar of another tool as one that formgate reads."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from formgate.core.cli._streams import print_anything, read_grammar

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

__all__ = ["add_parser", "run"]


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Add this subcommand to the command line."""
    parser = subparsers.add_parser(
        "convert",
        help="convert a grammar of Nearley or ANTLR4",
        description="Convert a grammar of another tool and print it, in Lark's language or in "
        "GBNF. What cannot be carried over is listed on standard error and in a comment.",
    )
    parser.add_argument("grammar", metavar="GRAMMAR", help="a file, or - for standard input")
    parser.add_argument(
        "--from",
        dest="from_",
        metavar="TOOL",
        required=True,
        help="whose grammar it is: antlr4 or nearley",
    )
    parser.add_argument(
        "--strict", action="store_true", help="fail if something cannot be carried over"
    )


def run(args: argparse.Namespace) -> int:
    """Print the grammar."""
    from formgate.core.registry import default_registry  # noqa: PLC0415 (brings in pluggy)

    convert: Callable[..., Any] = default_registry().tool("convert").spec.load()  # type: ignore[assignment]
    conversion = convert(
        read_grammar(args.grammar),
        from_=args.from_,
        strict=args.strict,
        base_path=None if args.grammar == "-" else Path(args.grammar).parent,
    )
    for note in conversion.notes:
        kind = "not carried over" if note.lost else "remark"
        print(f"formgate: {kind}: {note}", file=sys.stderr)
    print_anything()
    sys.stdout.write(conversion.text)
    return 0
