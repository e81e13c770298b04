"""The rules of a grammar as data, between a notation and a builder.

Expressions are kept in a list and named by their place in it. The parts of an expression come
before it, so every walk is one loop over the list: no recursion, whatever the nesting.

A difference becomes an intersection with a complement, which the engine enforces for parts that do
not recurse; others are refused here, where the place in the source is known. One difference needs
no complement: "all but the empty text", which is what ISO's ``{ x }-`` says. Cost: linear.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from formgate.core.errors import GrammarError, UnsupportedConstraint
from formgate.plugins.cfg._shortest import check_shortest, saturated

if TYPE_CHECKING:
    from collections.abc import Mapping

    from formgate.core.grammar import GrammarBuilder, Node
    from formgate.plugins.cfg._scanner import Scanner

__all__ = [
    "Chars",
    "Choice",
    "Expression",
    "Group",
    "Minus",
    "Name",
    "Repeat",
    "Rules",
    "Seq",
    "Text",
]


class Text(NamedTuple):
    """Exactly this text, or these bytes."""

    text: str | bytes


class Chars(NamedTuple):
    """One character (or one byte) in inclusive ranges, or one in none of them."""

    ranges: tuple[tuple[int, int], ...]
    negated: bool = False
    octets: bool = False


class Name(NamedTuple):
    """What a rule matches; the place is that of the name in the source."""

    name: str
    start: int
    end: int


class Seq(NamedTuple):
    """The parts one after the other."""

    parts: tuple[int, ...]


class Choice(NamedTuple):
    """Any one of the parts."""

    parts: tuple[int, ...]


class Repeat(NamedTuple):
    """A part ``least`` to ``most`` times; None is any number."""

    part: int
    least: int
    most: int | None


class Minus(NamedTuple):
    """What the left part matches and the right one does not; the place is the minus sign's."""

    left: int
    right: int
    start: int


Expression = Text | Chars | Name | Seq | Choice | Repeat | Minus


@dataclass
class Group:
    """Alternatives that are being read: of a rule, or in brackets.

    Args:
        start: Where the group begins.
        closer: What ends it; empty for a whole rule.
    """

    start: int
    closer: str = ""
    done: list[int] = field(default_factory=list)
    items: list[int] = field(default_factory=list)

    def finish_alternative(self, rules: Rules) -> None:
        """Make one alternative of the items."""
        self.done.append(
            self.items[0] if len(self.items) == 1 else rules.add(Seq(tuple(self.items)))
        )
        self.items = []

    def finish(self, rules: Rules) -> int:
        """Return the expression of the whole group."""
        self.finish_alternative(rules)
        return self.done[0] if len(self.done) == 1 else rules.add(Choice(tuple(self.done)))


class Rules:
    """The rules of one grammar.

    Args:
        scan: The source, for errors.
    """

    def __init__(self, scan: Scanner) -> None:
        self.expressions: list[Expression] = []
        self.bodies: dict[str, int] = {}
        self._scan = scan
        # Invariant: every name used in a body, under the rule that the body belongs to.
        self._uses: dict[str, dict[str, None]] = {}
        self._unowned: dict[str, None] = {}

    def add(self, expression: Expression) -> int:
        """Add an expression whose parts are there, and return its number."""
        if isinstance(expression, Name):
            self._unowned[expression.name] = None
        self.expressions.append(expression)
        return len(self.expressions) - 1

    def define(self, name: str, body: int) -> None:
        """Give a rule its body, or another body; what was added since the last is its own."""
        self.bodies[name] = body
        self._uses.setdefault(name, {}).update(self._unowned)
        self._unowned = {}

    def missing(self) -> list[Name]:
        """Return the uses of rules that have no body."""
        return [
            expression
            for expression in self.expressions
            if isinstance(expression, Name) and expression.name not in self.bodies
        ]

    def check_names(self) -> None:
        """Refuse rules that are used but not defined.

        Raises:
            GrammarError: There is one.
        """
        for use in self.missing():
            raise self._scan.error(
                f"rule {use.name!r} is used but not defined",
                use.start,
                use.end,
                hint="put ',' between two names" if " " in use.name else None,
            )

    def root(self, wanted: str | None, *, key: str | None = None) -> str:
        """Return the rule that the text must match: the one asked for, or else the first.

        Args:
            wanted: The name as the user gave it.
            key: The name as rules are kept, if that differs.

        Raises:
            GrammarError: There is no rule, or none of that name.
        """
        if not self.bodies:
            raise GrammarError("the grammar has no rules")
        if wanted is None:
            return next(iter(self.bodies))
        name = wanted if key is None else key
        if name not in self.bodies:
            known = ", ".join(list(self.bodies)[:10])
            raise GrammarError(
                f"the grammar has no rule {wanted!r}, which the text must match; its rules: "
                f"{known}",
                hint="define it, or name another with root=...",
            )
        return name

    def write(self, builder: GrammarBuilder, root: str) -> Node:
        """Write all rules and return the node of one.

        Raises:
            GrammarError: A rule is used but not defined.
            UnsupportedConstraint: There is a difference of rules that recurse.
            LimitError: A rule has no text that is short enough to be written.
        """
        self.check_names()
        check_shortest(self._uses, self._shortest)
        nodes: list[Node] = []
        for expression in self._enforceable():
            nodes.append(_node(expression, nodes, builder))
        for name, body in self.bodies.items():
            builder.define(name, nodes[body])
        return builder.rule(root)

    def _shortest(self, name: str, known: Mapping[str, int]) -> int:
        """Return how many pieces the shortest text of a rule has, or fewer."""
        done: dict[int, int] = {}
        stack = [self.bodies[name]]
        while stack:
            place = stack.pop()
            expression = self.expressions[place]
            parts = _parts(expression)
            if any(part not in done for part in parts):
                stack += [place, *(part for part in parts if part not in done)]
                continue
            lengths = [done[part] for part in parts]
            if isinstance(expression, Name):
                done[place] = known.get(expression.name, 0)
            elif isinstance(expression, Text):
                done[place] = 1 if expression.text else 0
            elif isinstance(expression, Seq):
                done[place] = saturated(sum(lengths))
            elif isinstance(expression, Choice):
                done[place] = min(lengths, default=0)
            elif isinstance(expression, Repeat):
                done[place] = saturated(lengths[0] * expression.least)
            else:  # a character; or a difference, whose texts are the left part's
                done[place] = lengths[0] if lengths else 1
        return done[self.bodies[name]]

    def recursive(self) -> set[str]:
        """Return the rules that recurse, or use one that does."""
        users: dict[str, list[str]] = {name: [] for name in self.bodies}
        open_uses = {name: len(self._uses[name]) for name in self.bodies}
        for name in self.bodies:
            for used in self._uses[name]:
                users[used].append(name)
        flat = [name for name, count in open_uses.items() if not count]
        found = set(self.bodies)
        while flat:
            name = flat.pop()
            found.remove(name)
            for user in users[name]:
                open_uses[user] -= 1
                if not open_uses[user]:
                    flat.append(user)
        return found

    def _enforceable(self) -> list[Expression]:
        """Return the expressions with no difference that cannot be enforced.

        Raises:
            UnsupportedConstraint: There is one.
        """
        if not any(isinstance(expression, Minus) for expression in self.expressions):
            return self.expressions
        recursive = self.recursive()
        nullable: set[int] | None = None
        found: list[Expression] = []
        # For each expression, the name of a rule in it that recurses.
        witness: list[str | None] = []
        for expression in self.expressions:
            if isinstance(expression, Name):
                inside = expression.name if expression.name in recursive else None
            else:
                inside = next((witness[p] for p in _parts(expression) if witness[p]), None)
            witness.append(inside)
            if inside is None or not isinstance(expression, Minus):
                found.append(expression)
                continue
            if nullable is None:
                nullable = self._nullable()
            instead = self._without_empty(expression, nullable)
            if instead is None:
                raise UnsupportedConstraint(
                    f"a difference cannot be enforced where a rule recurses, as {inside!r} does",
                    source=self._scan.source,
                    offset=expression.start,
                    hint="write the recursion as a repetition, or the grammar without difference",
                )
            found.append(instead)
        return found

    def _without_empty(self, minus: Minus, nullable: set[int]) -> Expression | None:
        """Return a difference with the empty text as something simpler, if it is that."""
        if self.expressions[minus.right] != Text(""):
            return None
        if minus.left not in nullable:
            return Seq((minus.left,))
        left = self.expressions[minus.left]
        if isinstance(left, Repeat) and left.part not in nullable:
            return left._replace(least=1)
        return None

    def _nullable(self) -> set[int]:
        """Return the expressions that match the empty text, or may: differences count as such."""
        users: list[list[int]] = [[] for _ in self.expressions]
        for place, expression in enumerate(self.expressions):
            parts = _parts(expression)
            if isinstance(expression, Name):
                parts = (self.bodies[expression.name],)
            for part in parts:
                users[part].append(place)
        # For how many of its parts each waits, before it is nullable too.
        waiting = [_nullable_parts_needed(expression) for expression in self.expressions]
        work = [place for place, count in enumerate(waiting) if not count]
        found: set[int] = set()
        while work:
            place = work.pop()
            if place in found:
                continue
            found.add(place)
            for user in users[place]:
                waiting[user] -= 1
                if waiting[user] <= 0:
                    work.append(user)
        return found


def _parts(expression: Expression) -> tuple[int, ...]:
    """Return the parts of an expression."""
    if isinstance(expression, (Seq, Choice)):
        return expression.parts
    if isinstance(expression, Repeat):
        return (expression.part,)
    if isinstance(expression, Minus):
        return expression.left, expression.right
    return ()


def _nullable_parts_needed(expression: Expression) -> int:
    """Return how many parts must match the empty text for the whole to match it."""
    if isinstance(expression, Seq):
        return len(expression.parts)
    if isinstance(expression, Text):
        return 1 if expression.text else 0
    if isinstance(expression, Repeat):
        return 1 if expression.least else 0
    return 0 if isinstance(expression, Minus) else 1


def _node(expression: Expression, nodes: list[Node], builder: GrammarBuilder) -> Node:
    """Write an expression whose parts are written."""
    parts = [nodes[part] for part in _parts(expression)]
    if isinstance(expression, Seq):
        return builder.seq(*parts)
    if isinstance(expression, Choice):
        return builder.choice(*parts)
    if isinstance(expression, Repeat):
        return builder.repeat(parts[0], expression.least, expression.most)
    if isinstance(expression, Minus):
        return builder.intersection(parts[0], builder.complement(parts[1]))
    return _leaf(expression, builder)


def _leaf(expression: Text | Chars | Name, builder: GrammarBuilder) -> Node:
    """Write an expression without parts."""
    if isinstance(expression, Text):
        return builder.literal(expression.text)
    if isinstance(expression, Name):
        return builder.rule(expression.name)
    if expression.octets:
        return builder.byte_class(expression.ranges)
    return builder.char_class(expression.ranges, negated=expression.negated)
