"""A lower bound on the length of a rule's shortest text, to refuse rules that no text can match.

Rules that double each other, ``a: b b``, ``b: c c``, ..., describe texts of astronomic length in a
few lines. Such a grammar would be written out up to a limit of the native core, which knows no
rules; here the rule is named, before. Rules that recurse count as nothing, so the bound is one.
Cost: linear.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formgate.core.errors import LimitError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

__all__ = ["check_shortest", "saturated"]

_MOST = 1 << 40


def check_shortest(
    uses: Mapping[str, Collection[str]], length: Callable[[str, Mapping[str, int]], int]
) -> None:
    """Refuse rules whose shortest text has more terminals than any text.

    Args:
        uses: The rules that each rule uses.
        length: The number of terminals in a rule's shortest text, by that of the rules it uses.

    Raises:
        LimitError: There is one.
    """
    users: dict[str, list[str]] = {name: [] for name in uses}
    missing = {}
    for name, used in uses.items():
        known = [each for each in used if each in users]
        missing[name] = len(known)
        for each in known:
            users[each].append(name)
    ready = [name for name, count in missing.items() if not count]
    lengths: dict[str, int] = {}
    while ready:
        name = ready.pop()
        lengths[name] = length(name, lengths)
        if lengths[name] > _MOST:
            raise LimitError(
                f"rule {str(name)!r} has no text of less than {_MOST:,} terminals, so none could "
                "ever be finished; see which rules use each other more than once"
            )
        for user in users[name]:
            missing[user] -= 1
            if not missing[user]:
                ready.append(user)


def saturated(length: int) -> int:
    """Return a length, or one that is too large anyhow."""
    return min(length, 2 * _MOST)
