"""``formgate version``: versions of formgate, of its plugin interface and of Python."""

from __future__ import annotations

import platform
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

__all__ = ["add_parser", "run"]


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Add this subcommand to the command line."""
    subparsers.add_parser("version", help="print versions", description="Print versions.")


def run(args: argparse.Namespace) -> int:
    """Print the versions."""
    from formgate.core.registry import API_VERSION  # noqa: PLC0415 (brings in pluggy)

    del args
    print(f"formgate {version('formgate')}")
    print(f"plugin interface {API_VERSION[0]}.{API_VERSION[1]}")
    print(f"python {platform.python_version()} on {platform.platform(terse=True)}")
    return 0
