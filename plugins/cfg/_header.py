"""What the comments at the beginning of a grammar say.

The first says what it describes; a line ``formgate: name=value ...`` holds options of the grammar's
format that it was written for, and as ``oracle`` who can judge its texts. The name of the format
may stand before them, and is read as the option ``format``; it tells adapters what the text is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

__all__ = ["header", "options_of"]

_COMMENT_SIGNS = ("//", "#", ";")
_MARK = "formgate:"


def header(lines: Iterable[str]) -> tuple[str, dict[str, str]]:
    """Return the first comment, and the options among the comments that the lines begin with."""
    description = ""
    options: dict[str, str] = {}
    for line in lines:
        sign = next((sign for sign in _COMMENT_SIGNS if line.startswith(sign)), None)
        if sign is None:
            break
        comment = line[len(sign) :].strip()
        description = description or comment
        if comment.startswith(_MARK):
            words = comment[len(_MARK) :].split()
            if words and "=" not in words[0]:
                options["format"] = words.pop(0)
            pairs = (word.partition("=") for word in words)
            options.update((name, value) for name, _, value in pairs)
    return description, options


def options_of(source: str | os.PathLike[str]) -> dict[str, str]:
    """Return the options that a grammar, or a file with one, was written for; often none.

    A file that cannot be read has none: what reads it next says why.
    """
    if isinstance(source, str):
        start = source.removeprefix("\ufeff")
        options = header(start.splitlines())[1] if start.startswith(_COMMENT_SIGNS) else {}
    else:
        try:
            with open(source, encoding="utf-8-sig") as file:  # noqa: PTH123 (pathlib takes 5 ms to import)
                options = header(file)[1]
        except (OSError, ValueError):
            return {}
    options.pop("oracle", None)
    return options
