"""``formgate check``: does a text satisfy a constraint, and if not, where does it leave it?"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from formgate.core.cli import _arguments

if TYPE_CHECKING:
    import argparse

__all__ = ["add_parser", "run"]


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Add this subcommand to the command line."""
    parser = subparsers.add_parser(
        "check",
        help="say whether a text satisfies a constraint",
        description="Say whether a text satisfies a constraint, and where it leaves it if not. "
        "The exit code is 0 for yes and 1 for no.",
    )
    _arguments.add_source(parser)
    parser.add_argument("--text", help="the text; standard input when left out")


def run(args: argparse.Namespace) -> int:
    """Print the answer."""
    from formgate.core.compiler import compile as compile_source  # noqa: PLC0415 (native core)

    source, format_name = _arguments.source(args)
    engine = compile_source(
        source, _arguments.vocabulary(args), format=format_name, **_arguments.options(args)
    )
    data = sys.stdin.buffer.read() if args.text is None else _encoded(args.text)
    if engine.accepts(data):
        print("yes")
        return 0
    # One token per byte: the number of legal tokens is the number of legal bytes.
    length = engine.validate(engine.start(), list(data))
    state = engine.advance_many(engine.start(), list(data[:length]))
    before = data[:length].decode("utf-8", errors="ignore")
    where = "the text ends too early" if length == len(data) else "the text leaves the language"
    print(f"no: {where} after {len(before)} characters ({before[-30:]!r})")
    print(engine.explain(state))
    return 1


def _encoded(text: str) -> bytes:
    """Return the bytes of an argument, those that were not UTF-8 as they were."""
    return text.encode("utf-8", errors="surrogateescape")
