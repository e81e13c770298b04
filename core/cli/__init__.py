"""The ``formgate`` command.

Each subcommand is a module with ``add_parser(subparsers)`` and ``run(args) -> int``; it imports
what it needs in ``run``, so that ``formgate --help`` loads neither the native core nor a back end.
An error that the user can do something about is printed without a traceback, in one line, with a
caret below it where a place in the source is known.

Exit codes: 0 done; 1 the text does not satisfy the constraint; 2 an error; 130 interrupted.
"""

from __future__ import annotations

import argparse
import os
import sys
import traceback
import warnings
from importlib import import_module
from typing import TYPE_CHECKING

from formgate.core.errors import FormgateError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO

__all__ = ["COMMANDS", "build_parser", "main"]

COMMANDS = (
    "generate",
    "demo",
    "check",
    "debug",
    "convert",
    "lint",
    "test-grammar",
    "formats",
    "plugins",
    "backends",
    "version",
)

EXIT_ERROR = 2
EXIT_INTERRUPTED = 130


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="formgate",
        description="Generate text that lies exactly in a language, and look into how it is done.",
    )
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in COMMANDS:
        module = import_module(f"formgate.core.cli.{command.replace('-', '_')}")
        module.add_parser(subparsers)
        subparsers.choices[command].set_defaults(run=module.run)
    for each in (parser, *subparsers.choices.values()):
        each.add_argument(
            "--traceback",
            action="store_true",
            # Without this the subcommand's default would undo what stood before the subcommand.
            default=False if each is parser else argparse.SUPPRESS,
            help="show where an error was raised",
        )
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    if sys.stdout is None:
        print("formgate: standard output is closed; send it somewhere", file=sys.stderr)
        return EXIT_ERROR
    args = build_parser().parse_args(arguments)
    with warnings.catch_warnings():
        warnings.showwarning = _print_warning
        try:
            code: int = args.run(args)
            sys.stdout.flush()
        except KeyboardInterrupt:
            print("formgate: interrupted", file=sys.stderr)
            return EXIT_INTERRUPTED
        except BrokenPipeError:
            # The reader has left, as `head` does; Python's own flush at exit must not fail again.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return EXIT_ERROR
        except (FormgateError, OSError) as error:
            if args.traceback:
                traceback.print_exc()
            else:
                print(f"formgate: {error}", file=sys.stderr)
            return EXIT_ERROR
    return code


def _print_warning(  # noqa: PLR0917 (the signature of warnings.showwarning)
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Print a warning in one line, as the command's own errors are."""
    del filename, lineno, line
    print(f"formgate: {category.__name__}: {message}", file=file or sys.stderr)
