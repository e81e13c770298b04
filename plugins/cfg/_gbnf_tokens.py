"""Which token terminals of GBNF can be enforced by text: where ``!<t>`` may stand.

``!<t>`` is one token of any bytes but ``t``, and states know the text and the special tokens, not
how text was cut into tokens. Repeated without bound between special tokens or ends of the output,
the cut does not matter: any bytes are some tokens. Let N be such a terminal, in a repetition
``N*`` or ``N+`` a run. A run is exact where no text stands next to it, which might share a token
with it, and where no two ``N+`` meet, which one token cannot both satisfy. (Of neighbouring runs
with at most one ``N+``, any division of the bytes can be moved to the borders of tokens: those on
the left of the ``N+`` down, the others up.)

What stands next to what is computed as FIRST, LAST and adjacent pairs of symbols, the sets of the
LL(1) construction (Aho, Sethi, Ullman, Compilers, 1986, section 4.4), by worklists; linear in the
grammar, with no recursion.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formgate.core.errors import UnsupportedConstraint
from formgate.core.grammar import Node

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formgate.plugins.cfg._gbnf_shapes import Recorder, TokenTerminal

__all__ = ["check_runs"]

_TEXT, _SPECIAL, _RUN, _NONEMPTY_RUN = range(4)
# Pairs of neighbours of which a token may have bytes of both.
_SHARING = {
    (_TEXT, _RUN),
    (_TEXT, _NONEMPTY_RUN),
    (_RUN, _TEXT),
    (_NONEMPTY_RUN, _TEXT),
    (_NONEMPTY_RUN, _NONEMPTY_RUN),
}
_Ends = dict[int, int]  # kinds of symbols, and for each a node of that kind


def check_runs(
    grammar: Recorder,
    root: Node,
    tokens: dict[Node, TokenTerminal],
    source: str,
    *,
    embedded: bool,
) -> None:
    """Refuse a grammar whose ``!<t>`` depend on how text is cut into tokens.

    Args:
        grammar: Its shape.
        root: What the whole text must match.
        tokens: The token terminals.
        source: The grammar.
        embedded: Whether anything may stand around it.

    Raises:
        UnsupportedConstraint: It does; the place is the first such terminal found.
    """
    _Runs(grammar, tokens, source).check(root, embedded=embedded)


class _Runs:
    """Finds runs and what stands next to them."""

    def __init__(self, grammar: Recorder, tokens: dict[Node, TokenTerminal], source: str) -> None:
        self._grammar = grammar
        self._shapes = grammar.shapes
        self._tokens = tokens
        self._source = source
        self._runs: set[int] = set()
        count = len(grammar.shapes)
        self._nullable = [False] * count
        self._first: list[_Ends] = [{} for _ in range(count)]
        self._last: list[_Ends] = [{} for _ in range(count)]
        grammar.link()

    def check(self, root: int, *, embedded: bool) -> None:
        """Raise for a token terminal that cannot be enforced."""
        self._find_runs()
        reached = self._grammar.below(root, self._runs)
        for node in sorted(reached):
            if self._shapes[node].kind == "except":
                raise self._error(
                    "one token of any text cannot be told from several tokens with the same text",
                    "repeat it without bound, as in !<t>* or !<t>+, between special tokens",
                    node,
                )
        self._find_ends(reached)
        for run, other in self._neighbours(reached):
            raise self._error(
                f"tokens of any text beside {other}: how a token that has bytes of both is to be "
                "read depends on how the text is cut into tokens",
                "put a special token between them; or write . or a class of characters in place of "
                "!<t>, since text never matches a special token",
                self._token_of(run),
            )
        ends = self._first[root] | self._last[root]
        for kind in (_RUN, _NONEMPTY_RUN):
            if embedded and kind in ends:
                raise self._error(
                    "tokens of any text at the border of a part of another format, where text may "
                    "share a token with them",
                    "begin and end the part with a special token",
                    self._token_of(ends[kind]),
                )

    def _find_runs(self) -> None:
        """Find repetitions of one token each time, which may be any but some.

        Where every word of a node is one token is a greatest fixed point, where an ``except`` is
        below it a least one.
        """
        single = [self._is_single(node, None) for node in range(len(self._shapes))]
        work = [node for node, value in enumerate(single) if not value]
        while work:
            for parent in self._shapes[work.pop()].parents:
                if single[parent] and not self._is_single(parent, single):
                    single[parent] = False
                    work.append(parent)
        within = [shape.kind == "except" for shape in self._shapes]
        work = [node for node, value in enumerate(within) if value]
        while work:
            for parent in self._shapes[work.pop()].parents:
                if not within[parent]:
                    within[parent] = True
                    work.append(parent)
        for node, shape in enumerate(self._shapes):
            if shape.kind == "repeat" and shape.counts in ((0, None), (1, None)):
                (part,) = shape.parts
                if single[part] and within[part]:
                    self._runs.add(node)

    def _is_single(self, node: int, known: list[bool] | None) -> bool:
        """Say whether all words of a node may be one token each, as far as its parts are known."""
        shape = self._shapes[node]
        if shape.kind in ("token", "except"):
            return True
        if shape.kind == "text" or (shape.kind == "repeat" and shape.counts != (1, 1)):
            return False
        if shape.kind == "seq" and len(shape.parts) != 1:
            return False
        return known is None or all(known[part] for part in self._grammar.parts(node))

    def _find_ends(self, reached: set[int]) -> None:
        """Find what each node may begin and end with, and whether it may be empty."""
        work = sorted(reached, reverse=True)
        waiting = set(work)
        while work:
            node = work.pop()
            waiting.discard(node)
            nullable, first, last = self._ends_of(node)
            grown = nullable != self._nullable[node] or (
                len(first) > len(self._first[node]) or len(last) > len(self._last[node])
            )
            if not grown:
                continue
            self._nullable[node], self._first[node], self._last[node] = nullable, first, last
            for parent in self._shapes[node].parents:
                if parent in reached and parent not in self._runs and parent not in waiting:
                    waiting.add(parent)
                    work.append(parent)

    def _ends_of(self, node: int) -> tuple[bool, _Ends, _Ends]:
        shape = self._shapes[node]
        if node in self._runs:
            kind = _RUN if shape.counts[0] == 0 else _NONEMPTY_RUN
            return kind == _RUN, {kind: node}, {kind: node}
        if shape.kind in ("text", "token"):
            kind = _TEXT if shape.kind == "text" else _SPECIAL
            return False, {kind: node}, {kind: node}
        parts = self._grammar.parts(node)
        if shape.kind == "seq":
            return (
                all(self._nullable[part] for part in parts),
                self._outer(parts, self._first),
                self._outer(parts[::-1], self._last),
            )
        first: _Ends = {}
        last: _Ends = {}
        if shape.counts[1] != 0:
            for part in parts:
                first |= self._first[part]
                last |= self._last[part]
        nullable = any(self._nullable[part] for part in parts)
        return nullable or shape.counts[0] == 0, first, last

    def _outer(self, parts: tuple[int, ...], ends: list[_Ends]) -> _Ends:
        """Return what a sequence begins with; ends with, for its parts in reverse."""
        out: _Ends = {}
        for part in parts:
            out |= ends[part]
            if not self._nullable[part]:
                break
        return out

    def _neighbours(self, reached: set[int]) -> Iterator[tuple[int, str]]:
        """Yield the runs that a token may share with a neighbour, and what that is."""
        for node in sorted(reached):
            shape = self._shapes[node]
            if node in self._runs:
                continue
            if shape.kind == "repeat" and shape.counts[1] not in (0, 1):
                (part,) = shape.parts
                yield from _sharing(self._last[part], self._first[part])
            before: _Ends = {}
            for part in shape.parts if shape.kind == "seq" else ():
                yield from _sharing(before, self._first[part])
                if not self._nullable[part]:
                    before = {}
                before = before | self._last[part]

    def _error(self, reason: str, hint: str, node: int) -> UnsupportedConstraint:
        at = self._tokens[Node(node)]
        return UnsupportedConstraint(
            reason, source=self._source, offset=at.begin, end=at.end, hint=hint
        )

    def _token_of(self, run: int) -> int:
        """Return the first negated token below a run."""
        return min(node for node in self._grammar.below(run) if self._shapes[node].kind == "except")


def _sharing(before: _Ends, after: _Ends) -> Iterator[tuple[int, str]]:
    for left, right in _SHARING:
        if left in before and right in after:
            run = before[left] if right == _TEXT else after[right]
            yield run, "text" if _TEXT in (left, right) else "others, at least one of each"
