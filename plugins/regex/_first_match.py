r"""The match that ``re.match`` takes, as a language with look-ahead.

Of all the ways a pattern can match at a place, ``re`` takes the first one by the order of trying:
earlier branches first, more rounds of a greedy loop first, fewer of a lazy one. Which one that is
depends on the text behind the match too. The order is written out as conditions: a later choice is
taken only where no earlier one leads to a match. With K for the rest of the pattern, and T(X, K)
for the part X so written:

    T(A|B, K)  =  T(A, K)  |  (?!AK) T(B, K)
    T(AB, K)   =  T(A, BK) T(B, K)
    T(A*, K)   =  T(A, A*K)*  (?!AA*K)                greedy: stop where no further round would do
    T(A*?, K)  =  ((?!K) T(A, A*K))*                  lazy: go on where stopping would not do

A condition asks only whether there is a match, so inside of it the pattern stands as it is. At
every place one way through is left that K can follow: the first. Atomic groups need no more, for
T(A, nothing) is the first way through A whatever follows.

Conditions are left out where they say nothing, which is the usual case: a part may end at one place
however it is matched (see ``_first_match_ends``), and a guard is needed only where a text can begin
with both choices (see ``_first_match_facts``). Counts stay counts unless a condition depends on how
many rounds are left; then the rounds are written out, up to a limit.

Look-ahead sees what follows the match. What stands before it must not matter: a pattern that asks
is refused (see ``_first_match_place``).

Cost: linear in the pattern and the rounds written out. Writing the continuation in is how Medeiros,
Mascarenhas and Ierusalimschy turn regexes into parsing expression grammars ("From regexes to
parsing expression grammars", Science of Computer Programming 93, 2014), whose ordered choice is
Ford's (POPL 2004); the conditions say the same with look-ahead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from formgate.core.errors import UnsupportedConstraint
from formgate.plugins.regex._first_match_choices import Choices, nested_texts, plain_texts
from formgate.plugins.regex._first_match_ends import Ends, looks_around
from formgate.plugins.regex._first_match_facts import Facts, Rest
from formgate.plugins.regex._first_match_longest import is_longest
from formgate.plugins.regex._first_match_paths import Path, paths_of
from formgate.plugins.regex._first_match_place import check_place
from formgate.plugins.regex._first_match_plain import PlainWriter
from formgate.plugins.regex._format import flags_of
from formgate.plugins.regex._parse import parse
from formgate.plugins.regex._syntax import (
    Alternation,
    CharClass,
    Literal,
    Repeat,
    RepeatMode,
    Sequence,
    Syntax,
)
from formgate.plugins.regex._write import flatten

if TYPE_CHECKING:
    from formgate.core.grammar import GrammarBuilder, Node
    from formgate.plugins.regex._parser import Parsed

__all__ = ["compile_first_match"]

# Each round written out nests two deeper, and grammars may be nested to 500 (Limits.max_depth).
_MAX_ROUNDS = 200

# A step is some microseconds at most.
_MAX_STEPS = 1_000_000
_STEPS_OF_PART = 20
_MAX_COUNT = 2**31 - 1

# From how many branches on plain texts are sorted to find which of them begin alike.
_MANY_TEXTS = 16


def compile_first_match(pattern: str, builder: GrammarBuilder, *, flags: int | str = 0) -> Node:
    r"""Write what ``re.match`` takes of a text: the first match in the order of trying.

    The node matches w before z exactly where ``re.compile(pattern, flags).match(w + z)`` takes w.
    Its look-ahead sees z, up to the end of the enclosing ``scope``; it is in none of its own. It
    may stand anywhere in a text: what comes before it is no matter.

    Args:
        pattern: A pattern in the syntax of the running Python's ``re``.
        builder: Where to write.
        flags: ``re`` flags, or their letters, as in ``"im"``.

    Raises:
        GrammarError: ``re`` refuses the pattern too; the message and the offset are its own.
        UnsupportedConstraint: The pattern asks for what cannot be enforced exactly: a
            back-reference, a condition on the text before the match, or more rounds or parts to be
            told apart than there is room for.
        LimitError: It is nested too deeply.

    Example:
        >>> from formgate.core.grammar import GrammarBuilder
        >>> builder = GrammarBuilder()
        >>> number = compile_first_match(r"\d+(?:\.\d+)?", builder)
        >>> dots = builder.star(builder.literal("."))
        >>> builder.start(builder.scope(builder.seq(number, dots)))
    """
    parsed = parse(pattern, flags_of(flags))
    return _Writer(pattern, parsed, builder).write()


def compile_lexeme(
    pattern: str, builder: GrammarBuilder, *, flags: int | str = 0
) -> tuple[Node, bool]:
    r"""Write what ``re.match`` takes of a text, for a terminal of a lexer.

    Args:
        pattern: As for `compile_first_match`.
        builder: Where to write.
        flags: ``re`` flags, or their letters, as in ``"im"``.

    Returns:
        A node, and whether the longest of its matches is the one that ``re.match`` takes; then it
        has no look-around. Else it is what `compile_first_match` writes.

    Raises:
        GrammarError: As `compile_first_match` does, as the others.
        UnsupportedConstraint: As there.
        LimitError: As there.

    Example:
        >>> from formgate.core.grammar import GrammarBuilder
        >>> compile_lexeme(r"\d+(?:\.\d+)?", GrammarBuilder())[1]
        True
        >>> compile_lexeme(r"a|ab", GrammarBuilder())[1]
        False
    """
    parsed = parse(pattern, flags_of(flags))
    return _Writer(pattern, parsed, builder).lexeme()


class _Round(NamedTuple):
    """One choice of a loop between its ways on and its ways out.

    Args:
        on: What a further round matches; None if there is no further round.
        out: The conditions for stopping; None if it is always allowed.
        uniform: It is the same however many rounds are left.
    """

    on: Node | None
    out: Node | None
    uniform: bool


class _Writer:
    """Writes the first match of one pattern."""

    def __init__(self, pattern: str, parsed: Parsed, builder: GrammarBuilder) -> None:
        self._pattern = pattern
        self._parsed = parsed
        self._builder = builder
        self._facts = Facts()
        self._ends = Ends(self._facts, self._spend)
        self._plain = PlainWriter(pattern, parsed, builder, self._atomic)
        self._end = Rest(None, None, None)
        self._guards = 0
        self._steps = 0

    def write(self) -> Node:
        """Return the node of the whole pattern."""
        tree = self._parsed.tree
        if all(type(item) in (Literal, CharClass) for item in flatten(tree)):
            return self._plain.part(tree)
        check_place(self._pattern, tree, self._facts, self._plain.anchor)
        return self._part(tree, self._end)

    def lexeme(self) -> tuple[Node, bool]:
        """Return the node of the whole pattern, and whether its longest match is the first one."""
        tree = self._parsed.tree
        alike = self._ends.alike(tree) and not looks_around(tree)
        if alike or is_longest(tree, self._facts, self._spend):
            fact = self._facts.of(tree)
            return self._plain.part(tree), fact.low != fact.high
        return self.write(), False

    def _atomic(self, node: Syntax) -> Node:
        """Return the first match of a part, whatever follows it."""
        guards = self._guards
        written = self._part(node, self._end)
        self._guards = guards  # they do not depend on what follows
        return written

    def _spend(self, steps: int) -> None:
        """Count work done, and stop where it is too much."""
        self._steps += steps
        if self._steps > _MAX_STEPS:
            raise UnsupportedConstraint(
                f"telling the first match from others takes more than {_MAX_STEPS} steps",
                source=self._pattern,
                offset=0,
                end=len(self._pattern),
                hint="nest repeats and counts less deeply, or let branches begin differently",
            )

    # -- parts

    def _part(self, node: Syntax, rest: Rest) -> Node:
        """Return a part as it is first matched before a rest.

        Recursive; the nesting of patterns is bounded before.
        """
        fact = self._facts.of(node)
        self._spend(_STEPS_OF_PART)
        if fact.low != fact.high and not self._ends.alike(node):
            if isinstance(node, Sequence):
                return self._sequence(flatten(node), rest)
            if isinstance(node, Alternation):
                return self._alternation(node.branches, rest)
            if isinstance(node, Repeat) and node.mode is not RepeatMode.POSSESSIVE:
                return self._repeat(node, rest)
        return self._plain.part(node)  # all its matches end alike, or it is atomic

    def _sequence(self, items: list[Syntax], rest: Rest) -> Node:
        """Return items one after the other."""
        rests = [rest]
        for item in reversed(items[1:]):
            rests.append(self._facts.rest(item, rests[-1]))
        parts = [
            self._part(item, after) for item, after in zip(items, reversed(rests), strict=True)
        ]
        return self._builder.seq(*parts)

    def _alternation(self, branches: list[Syntax], rest: Rest) -> Node:
        """Return branches, each where no earlier one leads to a match."""
        free: list[Syntax] = []
        guarded: list[Node] = []
        for branch, guards in self._hindered(branches, rest):
            fact = self._facts.of(branch)
            if not guards and fact.low == fact.high:
                free.append(branch)
            else:
                guarded.append(self._guarded(guards, self._part(branch, rest)))
        if free:
            guarded.insert(0, self._plain.part(_either(free)))
        return guarded[0] if len(guarded) == 1 else self._builder.choice(*guarded)

    def _hindered(self, branches: list[Syntax], rest: Rest) -> list[tuple[Syntax, list[Rest]]]:
        """Return the branches that can be taken, each with the earlier ones in its way."""
        found: list[tuple[Syntax, list[Rest]]] = []
        texts = plain_texts(branches) if len(branches) >= _MANY_TEXTS else None
        if texts is not None:
            choices = [self._facts.rest(branch, rest) for branch in branches]
            for index, near in enumerate(nested_texts(texts, self._spend)):
                lengths = [len(texts[other]) for other in near]
                length = len(texts[index])
                if length in lengths or (rest.total and lengths and min(lengths) < length):
                    continue  # an earlier branch is taken wherever it is matched
                choice = choices[index]
                guards = [choices[other] for other in near]
                guards = [one for one in guards if not self._facts.disjoint(one, choice)]
                found.append((branches[index], guards))
            return found
        earlier = Choices(self._facts, self._spend)
        for branch in branches:
            if earlier.closed:
                break
            found.append((branch, earlier.add(self._facts.rest(branch, rest))))
        return found

    # -- conditions

    def _guarded(self, guards: list[Rest], node: Node) -> Node:
        """Return a node where none of these rests can be matched."""
        if not guards:
            return node
        self._guards += 1
        builder = self._builder
        after = guards[0].after
        if len(guards) > 1 and after is not None and all(one.after is after for one in guards):
            items = [one.item for one in guards if one.item is not None]
            guards = [self._facts.rest(_either(items), after)]
        ahead = [self._ahead(one) for one in guards]
        texts = ahead[0] if len(ahead) == 1 else builder.choice(*ahead)
        return builder.seq(builder.look_ahead(texts, negative=True), node)

    def _ahead(self, rest: Rest) -> Node:
        """Return the node of the texts that begin with a match of a rest."""
        open_rests: list[Rest] = []
        while rest.ahead is None:
            if rest.total or rest.item is None or rest.after is None:
                rest.ahead = self._plain.any_text()
                break
            open_rests.append(rest)
            rest = rest.after
        node = rest.ahead
        for one in reversed(open_rests):
            assert one.item is not None  # noqa: S101 (tells the type checker)
            node = one.ahead = self._builder.seq(self._plain.part(one.item), node)
        return node

    # -- repeats

    def _repeat(self, item: Repeat, rest: Rest) -> Node:
        """Return a repeat: the rounds it must have, then those it may have."""
        low, high = item.minimum, item.maximum
        if max(low, high or 0) > _MAX_COUNT:
            return self._plain.part(item)  # refuses it
        more = None if high is None else high - low
        parts: list[Node] = []
        if low:
            may = item._replace(minimum=0, maximum=more)
            after = rest if more == 0 else self._facts.rest(may, rest)
            parts.append(self._required(item, low, after))
        if more != 0:
            parts.append(self._optional(item, more, rest))
        return parts[0] if len(parts) == 1 else self._builder.seq(*parts)

    def _required(self, item: Repeat, count: int, rest: Rest) -> Node:
        """Return this many rounds."""
        builder = self._builder
        body = item.body
        last = self._part(body, rest)
        if count == 1:
            return last
        # What can follow a round but the last: one more at least.
        guards = self._guards
        following = self._facts.rest(item._replace(minimum=1, maximum=None), rest)
        node = self._part(body, following)
        if self._guards == guards or following.total:
            return builder.seq(builder.repeat(node, count - 1, count - 1), last)
        self._check_rounds(item, count)
        parts = [last]
        for left in range(1, count):
            rounds = item._replace(minimum=left, maximum=left)
            parts.append(self._part(body, self._facts.rest(rounds, rest)))
        return builder.seq(*reversed(parts))

    def _optional(self, item: Repeat, count: int | None, rest: Rest) -> Node:
        """Return up to this many rounds, any number if it is None."""
        builder, facts = self._builder, self._facts
        body = item.body
        if count == 1 or facts.of(body).low:
            paths = [Path(body, False)]
        else:
            paths = paths_of(self._pattern, body, facts)
        stop = Path(Sequence([], item.end, item.end), True)
        if item.mode is RepeatMode.LAZY:
            paths = [stop, *(path for path in paths if not path.empty)]
        else:
            paths.append(stop)
        if count == 1:
            on, out, _ = self._round(paths, rest, rest)
            return self._branch(on, out)
        again = facts.rest(item._replace(minimum=0, maximum=None), rest)
        on, out, uniform = self._round(paths, again, rest)
        if on is None:
            return builder.empty() if out is None else out
        if count is None or (uniform and out is None):
            return self._then(builder.repeat(on, 0, count), out)
        if uniform:
            # Stopping is free after the last round only.
            return builder.choice(
                builder.repeat(on, count, count),
                self._then(builder.repeat(on, 0, count - 1), out),
            )
        self._check_rounds(item, count)
        node = builder.empty()
        for left in range(count):
            rounds = facts.rest(item._replace(minimum=0, maximum=left), rest) if left else rest
            on, out, _ = self._round(paths, rounds, rest)
            node = self._branch(self._then(on, node) if on is not None else None, out)
        return node

    def _round(self, paths: list[Path], again: Rest, rest: Rest) -> _Round:
        """Return the choice between the ways through a round and stopping.

        Args:
            paths: The ways through, and stopping as one that is empty; in the order of trying.
            again: What follows a round that goes on.
            rest: What follows the loop.
        """
        choices = Choices(self._facts, self._spend)
        ons: list[Node] = []
        outs: list[Node] = []
        free = False
        uniform = True
        for node, empty in paths:
            if choices.closed:
                break
            after = rest if empty else again
            hindering = choices.add(self._facts.rest(node, after))
            inside = self._guards
            written = self._part(node, after)
            if not again.total:
                uniform = uniform and self._guards == inside
                uniform = uniform and all(one.after is rest for one in hindering)
            free = free or (empty and not hindering and self._facts.of(node).total)
            (outs if empty else ons).append(self._guarded(hindering, written))
        if not outs:
            outs.append(self._builder.nothing())
        return _Round(self._any_of(ons), None if free else self._any_of(outs), uniform)

    def _any_of(self, nodes: list[Node]) -> Node | None:
        """Return any one of the nodes, or None if there is none."""
        if len(nodes) > 1:
            return self._builder.choice(*nodes)
        return nodes[0] if nodes else None

    def _then(self, node: Node, following: Node | None) -> Node:
        """Return two nodes one after the other, the second of which may match nothing always."""
        return node if following is None else self._builder.seq(node, following)

    def _branch(self, on: Node | None, out: Node | None) -> Node:
        """Return a last choice between going on and stopping."""
        builder = self._builder
        stop = builder.empty() if out is None else out
        return stop if on is None else builder.choice(on, stop)

    def _check_rounds(self, item: Repeat, count: int) -> None:
        """Refuse to write out too many rounds."""
        if count > _MAX_ROUNDS:
            raise UnsupportedConstraint(
                f"which of {count} rounds is the last depends on what follows; "
                f"at most {_MAX_ROUNDS} are told apart",
                source=self._pattern,
                offset=item.start,
                end=item.end,
                hint="let what follows begin with another character than a round, or leave the "
                "bound out",
            )


def _either(parts: list[Syntax]) -> Syntax:
    """Return any one of some parts."""
    return parts[0] if len(parts) == 1 else Alternation(parts, parts[0].start, parts[-1].end)
