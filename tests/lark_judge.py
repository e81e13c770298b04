"""What lark itself says of a text."""

from __future__ import annotations

import lark

__all__ = ["parses"]


def parses(parser: lark.Lark, text: str) -> bool:
    """Say whether a parser takes a text."""
    try:
        parser.parse(text)
    except lark.exceptions.UnexpectedInput:
        return False
    return True
