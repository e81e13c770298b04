"""What a front end wrote, kept: the tests of a grammar draw from it and read texts by it.

``Recorder`` is a ``GrammarBuilder`` that keeps every call, so any format can be recorded. A node's
parts have smaller numbers than the node, so that one pass in their order takes the place of
recursion. Cost: a dictionary entry for each call.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from formgate.core.grammar import Cell, Entry, GrammarBuilder, Node, Some

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence
    from typing import Literal

    from formgate.core.grammar import BareEntry, Production, Terminal

    _Lexer = tuple[tuple[Terminal, ...], Literal["longest", "first"], bool, tuple[Production, ...]]

__all__ = ["Recorder", "Term", "rebuilt"]


class Term(NamedTuple):
    """A recorded call: its kind, the nodes it was given, and whatever else."""

    kind: str
    parts: tuple[Node, ...] = ()
    data: object = None


class Recorder(GrammarBuilder):
    """A builder that keeps what is written to it.

    Args:
        embed: As for ``GrammarBuilder``.
    """

    def __init__(
        self, *, embed: Callable[[str, object, GrammarBuilder, dict[str, object]], None]
    ) -> None:
        super().__init__(embed=embed)
        self.terms: dict[Node, Term] = {}
        self.bodies: dict[str, Node] = {}
        self.terminals: dict[str, Terminal] = {}
        self.root: Node | None = None
        self._prefixes = [""]
        self._embeddings = 0

    def _kept(self, node: Node, kind: str, parts: Sequence[Node] = (), data: object = None) -> Node:
        self.terms[node] = Term(kind, tuple(parts), data)
        return node

    @property
    def embeds(self) -> bool:
        """Whether parts in other formats were written."""
        return self._embeddings > 0

    def is_whole(self) -> bool:
        """Say whether all parts were recorded; some formats write theirs natively."""
        parts = (part for term in self.terms.values() for part in term.parts)
        return all(part in self.terms for part in chain(self.bodies.values(), parts))

    def literal(self, text: str | bytes) -> Node:
        """Record a text."""
        data = text.encode() if isinstance(text, str) else text
        return self._kept(super().literal(text), "literal", (), data)

    def char_class(self, ranges: Iterable[tuple[int, int]], *, negated: bool = False) -> Node:
        """Record a class."""
        data = tuple(ranges)
        return self._kept(super().char_class(data, negated=negated), "class", (), (data, negated))

    def byte_class(self, ranges: Iterable[tuple[int, int]]) -> Node:
        """Record a class of bytes."""
        data = tuple(ranges)
        return self._kept(super().byte_class(data), "bytes", (), data)

    def any_char(self) -> Node:
        """Record any character."""
        return self.char_class([(0, 0x10FFFF)])

    def strings(self, values: Iterable[str | bytes]) -> Node:
        """Record a set of texts."""
        data = list(values)
        return self._kept(super().strings(data), "strings", (), data)

    def empty(self) -> Node:
        """Record the empty text."""
        return self.literal(b"")

    def nothing(self) -> Node:
        """Record what matches no text."""
        return self.choice()

    def seq(self, *parts: Node) -> Node:
        """Record a sequence."""
        return self._kept(super().seq(*parts), "seq", parts)

    def choice(self, *parts: Node) -> Node:
        """Record alternatives."""
        return self._kept(super().choice(*parts), "choice", parts)

    def repeat(self, part: Node, min: int = 0, max: int | None = None) -> Node:  # noqa: A002
        """Record a repetition."""
        return self._kept(super().repeat(part, min, max), "repeat", (part,), (min, max))

    def optional(self, part: Node) -> Node:
        """Record what may be left out."""
        return self.repeat(part, 0, 1)

    def star(self, part: Node) -> Node:
        """Record a repetition without bounds."""
        return self.repeat(part, 0, None)

    def plus(self, part: Node) -> Node:
        """Record a repetition of at least one."""
        return self.repeat(part, 1, None)

    def intersection(self, *parts: Node) -> Node:
        """Record an intersection."""
        return self._kept(super().intersection(*parts), "intersection", parts)

    def complement(self, part: Node) -> Node:
        """Record a complement."""
        return self._kept(super().complement(part), "complement", (part,))

    def look_ahead(self, rest: Node, *, negative: bool = False) -> Node:
        """Record a look-ahead."""
        node = super().look_ahead(rest, negative=negative)
        return self._kept(node, "look_ahead", (rest,), negative)

    def look_behind(self, before: Node, *, negative: bool = False) -> Node:
        """Record a look-behind."""
        node = super().look_behind(before, negative=negative)
        return self._kept(node, "look_behind", (before,), negative)

    def scope(self, part: Node) -> Node:
        """Record a scope."""
        return self._kept(super().scope(part), "scope", (part,))

    def rule(self, name: str) -> Node:
        """Record a reference to a rule."""
        return self._kept(super().rule(name), "rule", (), self._prefixes[-1] + name)

    def define(self, name: str, body: Node) -> None:
        """Record a rule."""
        super().define(name, body)
        self.bodies[self._prefixes[-1] + name] = body

    def terminal(self, name: str) -> Node:
        """Record a lexeme of a terminal."""
        return self._kept(super().terminal(name), "terminal", (), name)

    def lexed(
        self,
        start: Node,
        terminals: Iterable[Terminal],
        *,
        mode: Literal["longest", "first"] = "longest",
        contextual: bool = True,
        productions: Iterable[Production] = (),
    ) -> Node:
        """Record a lexer and the rules over its terminals."""
        given, written = tuple(terminals), tuple(productions)
        node = super().lexed(start, given, mode=mode, contextual=contextual, productions=written)
        self.terminals.update((each.name, each) for each in given)
        parts = (start, *(each.pattern for each in given))
        return self._kept(node, "lexed", parts, (given, mode, contextual, written))

    def json_text(self, part: Node, *, escapes: bool = True) -> Node:
        """Record the spellings of texts in a JSON string."""
        node = super().json_text(part, escapes=escapes)
        return self._kept(node, "json_text", (part,), escapes)

    def members(
        self,
        entries: Iterable[Entry | BareEntry],
        cells: Iterable[Cell] = (),
        *,
        colon: Node,
        comma: Node,
        **options: Any,
    ) -> Node:
        """Record members; the first part is a list in any order, keys perhaps twice."""
        given, free = [Entry(*entry) for entry in entries], list(cells)
        escapes = bool(options.get("escapes", True))
        keys = [self.json_text(self.literal(entry.key), escapes=escapes) for entry in given]
        keys += [self.json_text(cell.keys, escapes=escapes) for cell in free]
        keys += [key for entry, key in zip(given, keys, strict=False) for _ in entry.ways]
        values = [entry.value for entry in given] + [cell.value for cell in free]
        ways = [way for entry in given for way in entry.ways]
        quote = self.literal('"')
        pairs = [
            self.seq(quote, key, quote, colon, value)
            for key, value in zip(keys, [*values, *ways], strict=True)
        ]
        listed = self._listed(pairs, comma)
        node = super().members(given, free, colon=colon, comma=comma, **options)
        keys_of = [cell.keys for cell in free]
        some = [one.value for cell in free for one in cell.some]
        parts = (listed, colon, comma, *values, *keys_of, *some, *ways)
        return self._kept(node, "members", parts, (given, free, options))

    def distinct(
        self,
        entries: Iterable[Node] = (),
        *,
        strings: Iterable[Node | Some] = (),
        values: Iterable[Node | Some] = (),
        first: Iterable[Node] = (),
        comma: Node,
        needed: Collection[Node] = (),
        **options: Any,
    ) -> Node:
        """Record items; the first part is a list of them at any place, perhaps twice."""
        given = list(entries), list(strings), list(values), list(first)
        groups = [[_set(one) for one in group] for group in given]
        quote = self.literal('"')
        escapes = bool(options.get("escapes", True))
        quoted = [self.seq(quote, self.json_text(e, escapes=escapes), quote) for e in groups[1]]
        listed = self._listed([*groups[0], *quoted, *groups[2], *groups[3]], comma)
        node = super().distinct(
            given[0],
            strings=given[1],
            values=given[2],
            first=given[3],
            comma=comma,
            needed=needed,
            **options,
        )
        parts = (listed, comma, *groups[0], *groups[1], *groups[2], *groups[3])
        asked = [place for place, entry in enumerate(groups[0]) if entry in needed]
        return self._kept(node, "distinct", parts, (given, asked, options))

    def _listed(self, items: list[Node], comma: Node) -> Node:
        item = self.choice(*items)
        return self.optional(self.seq(item, self.star(self.seq(comma, item))))

    def start(self, node: Node) -> None:
        """Record the start."""
        super().start(node)
        if len(self._prefixes) == 1:
            self.root = node

    def embed(self, format: str, source: object, **options: object) -> Node:  # noqa: A002
        """Record another format, its rules under names of their own."""
        self._embeddings += 1
        self._prefixes.append(f"{format}#{self._embeddings}.")
        try:
            return super().embed(format, source, **options)
        finally:
            self._prefixes.pop()


def rebuilt(record: Recorder, root: Node, builder: GrammarBuilder) -> Node:
    """Write a node, and the rules it needs, to another builder."""
    needed: set[Node] = set()
    rules: set[str] = set()
    work = [root]
    while work:
        node = work.pop()
        if node in needed:
            continue
        needed.add(node)
        term = record.terms[node]
        work += term.parts
        if term.kind == "rule" and term.data in record.bodies and term.data not in rules:
            rules.add(str(term.data))
            work.append(record.bodies[str(term.data)])
    made: dict[Node, Node] = {}
    for node in sorted(needed):
        made[node] = _written(record.terms[node], made, builder)
    for name in rules:
        builder.define(name, made[record.bodies[name]])
    return made[root]


def _written(term: Term, made: dict[Node, Node], builder: GrammarBuilder) -> Node:
    """Repeat a recorded call on another builder."""
    parts = [made[part] for part in term.parts]
    data: object = term.data
    calls: dict[str, Callable[[], Node]] = {
        "literal": lambda: builder.literal(data),  # type: ignore[arg-type]
        "class": lambda: builder.char_class(data[0], negated=data[1]),  # type: ignore[index]
        "bytes": lambda: builder.byte_class(data),  # type: ignore[arg-type]
        "strings": lambda: builder.strings(data),  # type: ignore[arg-type]
        "seq": lambda: builder.seq(*parts),
        "choice": lambda: builder.choice(*parts),
        "repeat": lambda: builder.repeat(parts[0], *data),  # type: ignore[misc]
        "intersection": lambda: builder.intersection(*parts),
        "complement": lambda: builder.complement(parts[0]),
        "look_ahead": lambda: builder.look_ahead(parts[0], negative=bool(data)),
        "look_behind": lambda: builder.look_behind(parts[0], negative=bool(data)),
        "scope": lambda: builder.scope(parts[0]),
        "rule": lambda: builder.rule(str(data)),
        "terminal": lambda: builder.terminal(str(data)),
        "lexed": lambda: _lexed(data, parts, builder),
        "json_text": lambda: builder.json_text(parts[0], escapes=bool(data)),
        "members": lambda: _members(data, parts, builder),
        "distinct": lambda: _distinct(data, parts, builder),
    }
    return calls[term.kind]()


def _set(one: Node | Some) -> Node:
    """Return a set of values without what they meet."""
    return one.value if isinstance(one, Some) else one


def _members(data: object, parts: list[Node], builder: GrammarBuilder) -> Node:
    """Repeat recorded members on another builder."""
    given, free, options = cast("tuple[list[Entry], list[Cell], dict[str, Any]]", data)
    values = parts[3 : 3 + len(given) + len(free)]
    keys = parts[3 + len(values) :][: len(free)]
    some = iter(parts[3 + len(values) + len(keys) :])
    entries = [each._replace(value=value) for each, value in zip(given, values, strict=False)]
    cells = [
        Cell(key, value, [one._replace(value=next(some)) for one in cell.some])
        for cell, key, value in zip(free, keys, values[len(given) :], strict=True)
    ]
    entries = [each._replace(ways=[next(some) for _ in each.ways]) for each in entries]
    return builder.members(entries, cells, colon=parts[1], comma=parts[2], **options)


def _distinct(data: object, parts: list[Node], builder: GrammarBuilder) -> Node:
    """Repeat recorded items on another builder."""
    given, asked, options = cast("tuple[list[list[Node | Some]], list[int], dict[str, Any]]", data)
    items = iter(parts[2:])
    groups = [
        [one._replace(value=next(items)) if isinstance(one, Some) else next(items) for one in group]
        for group in given
    ]
    entries, first = (list(map(_set, groups[place])) for place in (0, 3))
    return builder.distinct(
        entries,
        strings=groups[1],
        values=groups[2],
        first=first,
        needed=[entries[place] for place in asked],
        comma=parts[1],
        **options,
    )


def _lexed(data: object, parts: list[Node], builder: GrammarBuilder) -> Node:
    """Repeat a recorded lexer on another builder."""
    terminals, mode, contextual, productions = cast("_Lexer", data)
    given = [
        terminal._replace(pattern=pattern)
        for terminal, pattern in zip(terminals, parts[1:], strict=True)
    ]
    return builder.lexed(parts[0], given, mode=mode, contextual=contextual, productions=productions)
