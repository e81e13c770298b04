"""``formgate plugins``: what is installed, what it offers, and what is broken and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from formgate.core.cli._output import print_columns, print_json

if TYPE_CHECKING:
    import argparse

    from formgate.core.registry import PluginInfo

__all__ = ["add_parser", "run"]


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Add this subcommand to the command line."""
    parser = subparsers.add_parser(
        "plugins",
        help="list the plugins, broken ones included",
        description="List the installed plugins, what they offer, and which are broken and why.",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Print the plugins; the exit code is 0 even when some are broken."""
    import warnings  # noqa: PLC0415 (with the next line)

    from formgate.core.registry import default_registry  # noqa: PLC0415 (brings in pluggy)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the listing itself says what is broken
        found = default_registry().plugins()
    if args.json:
        print_json([_describe(info) for info in found])
        return 0
    rows = [
        (
            info.origin.plugin,
            f"{info.origin.distribution} {info.origin.version}",
            ", ".join((*info.formats, *info.adapters, *info.tools)) or "-",
            "ok" if info.error is None else f"broken: {_reason(info.error)}",
        )
        for info in found
    ]
    print_columns(("PLUGIN", "FROM", "OFFERS", "STATE"), rows)
    return 0


def _describe(info: PluginInfo) -> dict[str, object]:
    """Return a plugin as JSON values."""
    return {
        "name": info.origin.plugin,
        "distribution": info.origin.distribution,
        "version": info.origin.version,
        "builtin": info.origin.builtin,
        "hooks": list(info.hooks),
        "formats": list(info.formats),
        "adapters": list(info.adapters),
        "tools": list(info.tools),
        "error": None if info.error is None else _reason(info.error),
    }


def _reason(error: BaseException) -> str:
    """Return an error in one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"
