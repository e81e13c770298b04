"""Text that comes in and goes out, whatever the locale."""

from __future__ import annotations

import io
import sys
from pathlib import Path

from formgate.core.errors import FormgateError

__all__ = ["print_anything", "read_grammar", "read_prompt"]


def print_anything() -> None:
    """Have characters that standard output cannot encode shown as escapes, not raise."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def read_grammar(argument: str) -> str:
    """Return the text of a file, or of standard input where the argument is ``-``.

    Raises:
        FormgateError: It is not UTF-8, cannot be read, or there is no standard input.
    """
    if argument == "-" and sys.stdin is None:
        raise FormgateError("there is no grammar: standard input is closed; name a file")
    name = "standard input" if argument == "-" else argument
    try:
        if argument != "-":
            return Path(argument).read_text(encoding="utf-8-sig")
        if isinstance(sys.stdin, io.TextIOWrapper):
            # Some locales decode another encoding, or turn what is not UTF-8 into surrogates.
            sys.stdin.reconfigure(encoding="utf-8", errors="strict")
        return sys.stdin.read()
    except UnicodeDecodeError as error:
        raise FormgateError(f"{name} is not UTF-8: {error}") from error
    except OSError as error:
        raise FormgateError(f"{name} cannot be read: {error.strerror or error}") from error


def read_prompt(argument: str | None) -> str:
    """Return the prompt: the argument, or standard input when there is none.

    Raises:
        FormgateError: It is not UTF-8, or there is no standard input.
    """
    if argument is None and sys.stdin is None:
        raise FormgateError("there is no prompt: standard input is closed; give --prompt TEXT")
    try:
        text = sys.stdin.read() if argument is None else argument
        text.encode("utf-8")  # bytes of an argument that were not UTF-8 have become surrogates
    except UnicodeError as error:
        raise FormgateError("the prompt is not UTF-8") from error
    return text
