"""``formgate formats``: the formats that sources may be written in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from formgate.core.cli._output import print_columns, print_json

if TYPE_CHECKING:
    import argparse

__all__ = ["add_parser", "run"]


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Add this subcommand to the command line."""
    parser = subparsers.add_parser(
        "formats",
        help="list the formats that sources may be written in",
        description="List the formats that sources may be written in.",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Print the formats."""
    from formgate.core.registry import default_registry  # noqa: PLC0415 (brings in pluggy)

    entries = default_registry().formats()
    if args.json:
        print_json(
            [
                {
                    "name": entry.spec.name,
                    "qualified_name": entry.qualified_name,
                    "aliases": list(entry.spec.aliases),
                    "description": entry.spec.description,
                    "plugin": entry.origin.plugin,
                    "distribution": entry.origin.distribution,
                    "version": entry.origin.version,
                }
                for entry in entries
            ]
        )
        return 0
    print_columns(
        ("FORMAT", "ALIASES", "FROM", "DESCRIPTION"),
        [
            (
                entry.spec.name,
                ", ".join(entry.spec.aliases) or "-",
                entry.origin.qualifier,
                entry.spec.description,
            )
            for entry in entries
        ],
    )
    return 0
