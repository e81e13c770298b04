"""The judge by brute force: list every text that tokens spell, up to a length.

It proves that a prefix can be completed; that it cannot, it proves only as far as it has looked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

Membership = Callable[[bytes], bool]


def membership_by_re(pattern: str, flags: int = 0) -> Membership:
    """The texts that `re.fullmatch` accepts; byte strings that are no text are not among them."""
    compiled = re.compile(pattern, flags)

    def member(text: bytes) -> bool:
        try:
            return compiled.fullmatch(text.decode()) is not None
        except UnicodeDecodeError:
            return False

    return member


def spelled(tokens: Iterable[bytes], longest: int) -> set[bytes]:
    """Every concatenation of `tokens` of at most `longest` bytes."""
    pieces = {token for token in tokens if token}
    found, queue = {b""}, [b""]
    for text in queue:
        for piece in pieces:
            longer = text + piece
            if len(longer) <= longest and longer not in found:
                found.add(longer)
                queue.append(longer)
    return found


def completable(member: Membership, tokens: Iterable[bytes], longest: int) -> dict[bytes, int]:
    """The texts some tokens complete within `longest` bytes, with the bytes still needed."""
    pieces = {token for token in tokens if token}
    needed: dict[bytes, int] = {}
    for text in sorted(spelled(pieces, longest), key=len, reverse=True):
        options = [0] if member(text) else []
        options += [len(piece) + needed[text + piece] for piece in pieces if text + piece in needed]
        if options:
            needed[text] = min(options)
    return needed
