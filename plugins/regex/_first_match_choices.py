"""Which earlier choices stand in the way of a later one.

Choices are added in the order of trying. One stands in the way of a later one if a text can begin
with both and it makes a difference which is taken: it makes none between parts of one width before
the same rest. They are found by their first characters, so that of hundreds of choices just those
are compared that begin alike; plain texts are sorted, so that of many thousands just those are
looked at of which one begins another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formgate.plugins.regex._syntax import Literal, Syntax
from formgate.plugins.regex._write import flatten

if TYPE_CHECKING:
    from collections.abc import Callable

    from formgate.plugins.regex._first_match_facts import Facts, Rest

__all__ = ["Choices", "nested_texts", "plain_texts"]

_FEW_CODES = 4

_STEPS_OF_COMPARISON = 4

# So few choices are all compared.
_FEW_CHOICES = 8


class Choices:
    """The choices before one place of a pattern, each with the rest that follows it.

    Args:
        facts: What is known of the parts of the pattern.
        spend: Told of the work to be done.

    Attributes:
        closed: One of them can always be taken, so a later one never is.
    """

    __slots__ = ("_all", "_by_code", "_facts", "_spend", "_wide", "closed")

    def __init__(self, facts: Facts, spend: Callable[[int], None]) -> None:
        self._facts = facts
        self._spend = spend
        self._all: list[Rest] = []
        self._by_code: dict[int, list[Rest]] = {}
        self._wide: list[Rest] = []
        self.closed = False

    def add(self, choice: Rest) -> list[Rest]:
        """Add a choice; return the earlier ones that stand in its way."""
        earlier = self._all
        near = earlier if len(earlier) <= _FEW_CHOICES else self._near(choice)
        self._spend(_STEPS_OF_COMPARISON * len(near))
        found = [one for one in near if self._hinders(one, choice)]
        earlier.append(choice)
        if len(earlier) > _FEW_CHOICES:
            for one in earlier if len(earlier) == _FEW_CHOICES + 1 else (choice,):
                self._sort_in(one)
        self.closed = self.closed or choice.total
        return found

    def _sort_in(self, choice: Rest) -> None:
        """Keep a choice under the characters it can begin with."""
        codes = _few_codes(choice)
        if codes is None:
            self._wide.append(choice)
        for code in codes or ():
            self._by_code.setdefault(code, []).append(choice)

    def _near(self, choice: Rest) -> list[Rest]:
        """Return the earlier choices that may begin with the same character, each once."""
        codes = _few_codes(choice)
        if codes is None:
            return self._all
        near = {id(one): one for code in codes for one in self._by_code.get(code, ())}
        return [*self._wide, *near.values()]

    def _hinders(self, one: Rest, choice: Rest) -> bool:
        """Say whether an earlier choice stands in the way of a later one."""
        own, other = one.fact, choice.fact
        if (
            own is not None
            and other is not None
            and own.low == own.high == other.low == other.high
            and one.after is choice.after
        ):
            return False
        return not self._facts.disjoint(one, choice)


def _few_codes(choice: Rest) -> list[int] | None:
    """Return the characters a choice can begin with, if those are few."""
    if choice.first is None:
        return None
    codes: list[int] = []
    for ranges in choice.first:
        for start, stop in ranges:
            if len(codes) + stop - start >= _FEW_CODES:
                return None
            codes += range(start, stop + 1)
    return codes


def plain_texts(branches: list[Syntax]) -> list[str] | None:
    """Return the texts that branches stand for; None if some are no plain texts."""
    texts: list[str] = []
    for branch in branches:
        items = flatten(branch)
        if len(items) != 1 or not isinstance(items[0], Literal):
            return None
        texts.append(items[0].text)
    return texts


def nested_texts(texts: list[str], spend: Callable[[int], None]) -> list[list[int]]:
    """Return for each text the indices of the earlier ones that begin it, or that it begins.

    Equal texts begin each other. Cost: a sort, and the pairs found.
    """
    found: list[list[int]] = [[] for _ in texts]
    shorter: list[int] = []
    for index in sorted(range(len(texts)), key=texts.__getitem__):
        text = texts[index]
        while shorter and not text.startswith(texts[shorter[-1]]):
            shorter.pop()
        spend(len(shorter))
        for other in shorter:
            found[max(index, other)].append(min(index, other))
        shorter.append(index)
    return [sorted(indices) for indices in found]
