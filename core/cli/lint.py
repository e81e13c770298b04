"""``formgate lint``: what is wrong with a grammar, and what is worth knowing of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from formgate.core.cli import _arguments
from formgate.core.cli._streams import print_anything, read_grammar

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

__all__ = ["add_parser", "run"]


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Add this subcommand to the command line."""
    parser = subparsers.add_parser(
        "lint",
        help="check a grammar: conflicts, ambiguity, colliding terminals, useless rules",
        description="Check a grammar and report conflicts, ambiguity, colliding terminals, useless "
        "rules and more, each with an example and the way out. The exit code is 1 when there are "
        "errors.",
    )
    parser.add_argument("grammar", metavar="GRAMMAR", help="a file, or - for standard input")
    parser.add_argument(
        "--format", help="lark, gbnf, ebnf, abnf; by the file's suffix, or guessed, when left out"
    )
    parser.add_argument(
        "--option",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="an option of the format; the value is JSON, or else text",
    )
    parser.add_argument("--strict", action="store_true", help="exit with 1 for warnings, too")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--ambiguity-length",
        metavar="N",
        type=int,
        default=8,
        help="most terminals read after a conflict in search of two parses (default 8)",
    )
    parser.add_argument(
        "--ambiguity-pairs",
        metavar="N",
        type=int,
        default=400,
        help="most pairs of stacks looked at for each conflict (default 400)",
    )
    parser.add_argument(
        "--timeout",
        metavar="SECONDS",
        type=float,
        default=20.0,
        help="when the search for ambiguity gives up (default 20)",
    )
    parser.add_argument(
        "--assumptions",
        action="store_true",
        help="report, too, which assumptions of the published algorithm fail (small grammars)",
    )


def run(args: argparse.Namespace) -> int:
    """Print the report."""
    from formgate.core.registry import default_registry  # noqa: PLC0415 (brings in pluggy)

    lint: Callable[..., Any] = default_registry().tool("lint").spec.load()  # type: ignore[assignment]
    options = _arguments.options(args)
    name = args.format
    if args.grammar != "-":
        path = Path(args.grammar)
        name = name or _arguments.format_by_ending(path.name)
        if name == "lark":
            options.setdefault("base_path", str(path.parent))
    report = lint(
        read_grammar(args.grammar),
        format=name,
        options=options,
        ambiguity_length=args.ambiguity_length,
        ambiguity_pairs=args.ambiguity_pairs,
        timeout_s=args.timeout,
        assumptions=args.assumptions,
    )
    print_anything()
    print(report.to_json() if args.json else report.to_text())
    return int(report.failed(strict=args.strict))
