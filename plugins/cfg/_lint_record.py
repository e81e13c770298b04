"""What a front end writes to a builder, recorded as productions over characters.

Formats without a lexer (gbnf, ebnf, abnf) have no terminals of their own: every character is one.
Characters that no literal or class of the grammar tells apart are one terminal, named after the
first of them, so the alphabet stays small. Bodies are kept as trees on a list and turned into
productions from the leaves up, without recursion.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Literal

from formgate.core.grammar import GrammarBuilder, Node
from formgate.plugins.cfg._lint_grammar import LexicalTerminal, Place, Production, SymbolGrammar

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formgate.core import grammar
    from formgate.core.grammar import Terminal

__all__ = ["MAX_COPIES", "Recorder"]

MAX_COPIES = 16
"""Repetition counts above this are not written out; ambiguity is then not looked for."""

MAX_LETTERS = 300
"""Most terminals; grammars that tell more characters apart are not searched for ambiguity."""

_BYTES = 0x110000  # where bytes that are no characters are numbered from
_MAX_BODY = 200
_Ranges = tuple[tuple[int, int], ...]
_Shape = tuple[str, object]


class Recorder(GrammarBuilder):
    """A builder that compiles nothing and remembers everything."""

    def __init__(self) -> None:
        super().__init__()
        self._shapes: list[_Shape] = []
        self._defined: dict[str, int] = {}
        self._root: int | None = None
        self._inside: dict[int, tuple[Node, ...]] = {}
        self._notes: dict[str, None] = {}

    # --- what front ends call ---

    def literal(self, text: str | bytes) -> Node:
        """Record a text."""
        data = text.decode("utf-8", errors="surrogateescape") if isinstance(text, bytes) else text
        return self._new("literal", data)

    def char_class(self, ranges: Iterable[tuple[int, int]], *, negated: bool = False) -> Node:
        """Record a class of characters."""
        return self._new("class", _complement(ranges) if negated else _sorted(ranges))

    def byte_class(self, ranges: Iterable[tuple[int, int]]) -> Node:
        """Record a class of bytes; those that are no ASCII characters stand apart."""
        moved: list[tuple[int, int]] = []
        for low, high in ranges:
            if low < 0x80:
                moved.append((low, min(high, 0x7F)))
            if high >= 0x80:
                moved.append((_BYTES + max(low, 0x80), _BYTES + high))
        return self._new("class", _sorted(moved))

    def any_char(self) -> Node:
        """Record any character."""
        return self._new("class", ((0, 0x10FFFF),))

    def strings(self, values: Iterable[str | bytes]) -> Node:
        """Record a choice of texts."""
        return self.choice(*(self.literal(value) for value in values))

    def empty(self) -> Node:
        """Record the empty text."""
        return self._new("literal", "")

    def nothing(self) -> Node:
        """Record that nothing matches."""
        return self._new("choice", ())

    def seq(self, *parts: Node) -> Node:
        """Record a sequence."""
        return self._new("seq", parts)

    def choice(self, *parts: Node) -> Node:
        """Record alternatives."""
        return self._new("choice", parts)

    def repeat(self, part: Node, min: int = 0, max: int | None = None) -> Node:  # noqa: A002
        """Record a repetition."""
        return self._new("repeat", (part, min, max))

    def optional(self, part: Node) -> Node:
        """Record an option."""
        return self.repeat(part, 0, 1)

    def star(self, part: Node) -> Node:
        """Record a repetition."""
        return self.repeat(part)

    def plus(self, part: Node) -> Node:
        """Record a repetition."""
        return self.repeat(part, 1)

    def intersection(self, *parts: Node) -> Node:
        """Record that something is there which productions cannot say."""
        return self._opaque("an intersection or a difference", *parts)

    def complement(self, part: Node) -> Node:
        """Record that something is there which productions cannot say."""
        return self._opaque("a complement", part)

    def look_ahead(self, rest: Node, *, negative: bool = False) -> Node:  # noqa: ARG002
        """Record that something is there which productions cannot say."""
        return self._opaque("look-around", rest)

    def look_behind(self, before: Node, *, negative: bool = False) -> Node:  # noqa: ARG002
        """Record that something is there which productions cannot say."""
        return self._opaque("look-around", before)

    def scope(self, part: Node) -> Node:
        """Record a part."""
        return part

    def embed(self, format: str, source: object, **options: object) -> Node:  # noqa: A002, ARG002
        """Record that something is there which productions cannot say."""
        return self._opaque(f"a part in the format {format}")

    def terminal(self, name: str) -> Node:
        """Record that something is there which productions over characters cannot say."""
        return self._opaque(f"the terminal {name}")

    def lexed(
        self,
        start: Node,
        terminals: Iterable[Terminal],  # noqa: ARG002
        *,
        mode: Literal["longest", "first"] = "longest",  # noqa: ARG002
        contextual: bool = True,  # noqa: ARG002
        productions: Iterable[grammar.Production] = (),  # noqa: ARG002
    ) -> Node:
        """Record the rules."""
        return start

    def unordered(self, *parts: Node) -> Node:
        """Record that something is there which productions cannot say."""
        return self._opaque("unordered parts", *parts)

    def special_token(self, token: str | int) -> Node:
        """Record that something is there which productions cannot say."""
        return self._opaque(f"the token {token}")

    def except_token(self, token: str | int) -> Node:
        """Record that something is there which productions cannot say."""
        return self._opaque(f"any token but {token}")

    def rule(self, name: str) -> Node:
        """Record a use of a rule."""
        return self._new("rule", name)

    def define(self, name: str, body: Node) -> None:
        """Record a rule."""
        self._defined[name] = body

    def start(self, node: Node) -> None:
        """Record what the whole text must match."""
        self._root = node

    def _new(self, kind: str, content: object) -> Node:
        self._shapes.append((kind, content))
        return Node(len(self._shapes) - 1)

    def _opaque(self, what: str, *parts: Node) -> Node:
        self._notes[f"{what} is taken for one terminal"] = None
        node = self._new("opaque", f"<{what}>")
        self._inside[node] = parts
        return node

    # --- what is made of it ---

    @property
    def has_rules(self) -> bool:
        """Whether any rule was defined."""
        return bool(self._defined)

    def grammar(self, source: str) -> SymbolGrammar:
        """Return what was recorded.

        Args:
            source: The text that the front end read, for the places of rules.
        """
        if self._root is None:
            raise ValueError("the front end set no start")
        letters = self._letters()
        if len(letters) > MAX_LETTERS:
            self._notes[f"it tells over {MAX_LETTERS} sets of characters apart"] = None
            letters = [0]
        writer = _Writer(self._shapes, letters, self._notes)
        kind, content = self._shapes[self._root]
        start = content if kind == "rule" and content in self._defined else None
        for name, body in self._defined.items():
            writer.write(name, body)
        if not isinstance(start, str):
            start = "(the whole text)"
            writer.write(start, self._root)
        return SymbolGrammar(
            (start,),
            tuple(writer.productions),
            writer.terminals,
            places=_places(source, self._defined),
            owners=writer.owners,
            has_lexer=False,
            inside=self._hidden({start: self._root, **self._defined}),
            not_analysed=tuple(self._notes),
        )

    def _hidden(self, roots: dict[str, int]) -> dict[str, frozenset[str]]:
        """Return the rules that stand in parts taken for one terminal, by the rule they are in."""
        found: dict[str, frozenset[str]] = {}
        if not any(self._inside.values()):
            return found
        for name, root in roots.items():
            nodes = {(root, False): None}
            stack = list(nodes)
            while stack:
                node, is_inside = stack.pop()
                children = _children(self._shapes[node])
                inner = (
                    *((part, True) for part in self._inside.get(node, ())),
                    *((part, is_inside) for part in children),
                )
                fresh = [each for each in inner if each not in nodes]
                nodes.update(dict.fromkeys(fresh))
                stack += fresh
            found[name] = frozenset(
                str(self._shapes[node][1])
                for node, is_inside in nodes
                if is_inside and self._shapes[node][0] == "rule"
            )
        return found

    def _letters(self) -> list[int]:
        """Return the first of each set of characters that are told apart."""
        cuts = {0}
        for kind, content in self._shapes:
            if kind == "literal":
                for char in set(str(content)):
                    cuts |= {ord(char), ord(char) + 1}
            elif kind == "class":
                for low, high in content:  # type: ignore[attr-defined]
                    cuts |= {low, high + 1}
        return sorted(cuts)


class _Writer:
    """Turns trees into productions."""

    def __init__(self, shapes: list[_Shape], letters: list[int], notes: dict[str, None]) -> None:
        self._shapes = shapes
        self._letters = letters
        self._notes = notes
        self._classes: dict[tuple[str, ...], str] = {}
        self._number = 0
        self.productions: list[Production] = []
        self.terminals: dict[str, LexicalTerminal] = {}
        self.owners: dict[str, str] = {}

    def write(self, name: str, root: int) -> None:
        """Write the body of a rule: its nodes, the leaves first."""
        order: list[int] = []
        seen: set[int] = set()
        stack = [root]
        while stack:
            node = stack.pop()
            if node >= 0:
                if node not in seen:
                    seen.add(node)
                    stack += [~node, *_children(self._shapes[node])]
            else:
                order.append(~node)
        bodies: dict[int, list[tuple[str, ...]]] = {}
        for node in order:
            if node not in bodies:
                bodies[node] = self._bodies(name, node, bodies)
        self.productions += [Production(name, body) for body in dict.fromkeys(bodies[root])]

    def _bodies(
        self, owner: str, node: int, known: dict[int, list[tuple[str, ...]]]
    ) -> list[tuple[str, ...]]:
        """Return the alternatives that a node stands for."""
        kind, content = self._shapes[node]
        parts = _children(self._shapes[node])
        if kind == "choice":
            bodies = list(dict.fromkeys(body for part in parts for body in known[part]))
            return bodies if len(bodies) <= _MAX_BODY else [(self._helper(owner, bodies),)]
        if kind == "repeat":
            low, high = content[1], content[2]  # type: ignore[index]
            return [self._repeated(owner, self._symbol(owner, known[parts[0]]), low, high)]
        if kind != "seq":
            return [self._leaf(owner, kind, content)]
        body: tuple[str, ...] = ()
        for part in parts:
            alternatives = known[part]
            if len(alternatives) == 1 and len(alternatives[0]) <= _MAX_BODY:
                body += alternatives[0]
            else:
                body += (self._symbol(owner, alternatives),)
        return [body]

    def _leaf(self, owner: str, kind: str, content: object) -> tuple[str, ...]:
        """Return what a node without parts stands for."""
        if kind == "literal":
            return tuple(self._letter(ord(char)) for char in str(content))
        if kind == "class":
            return (self._class(owner, content),)  # type: ignore[arg-type]
        name = str(content)
        if kind == "opaque":
            self.terminals.setdefault(name, LexicalTerminal(name, None))
        return (name,)

    def _symbol(self, owner: str, bodies: list[tuple[str, ...]]) -> str:
        """Return a symbol for alternatives: a helper, where it takes one."""
        if len(bodies) == 1 and len(bodies[0]) == 1:
            return bodies[0][0]
        return self._helper(owner, bodies)

    def _helper(self, owner: str, bodies: Iterable[tuple[str, ...]]) -> str:
        self._number += 1
        name = f"#{self._number}"
        self.owners[name] = owner
        self.productions += [Production(name, body) for body in dict.fromkeys(bodies)]
        return name

    def _repeated(self, owner: str, symbol: str, low: int, high: int | None) -> tuple[str, ...]:
        """Return a body that repeats a symbol, written out while the counts are small."""
        if low > MAX_COPIES or (high or 0) > MAX_COPIES:
            self._notes[f"counts above {MAX_COPIES} are not written out"] = None
            low, high = min(low, 1), None
        first = (symbol,) * low
        if high is None:
            loop = self._helper(owner, [()])
            self.productions.append(Production(loop, (loop, symbol)))
            return (*first, loop)
        rest: tuple[str, ...] = ()
        for _ in range(high - low):
            rest = (self._helper(owner, [(), (symbol, *rest)]),)
        return (*first, *rest)

    def _letter(self, code: int) -> str:
        """Return the terminal of a character."""
        at = self._letters[bisect_right(self._letters, code) - 1]
        text = chr(at) if at < _BYTES else f"\\x{at - _BYTES:02x}"
        name = repr(text)
        self.terminals.setdefault(name, LexicalTerminal(name, re.escape(text), text, is_text=True))
        return name

    def _class(self, owner: str, ranges: _Ranges) -> str:
        """Return a symbol for a class of characters."""
        letters: list[str] = []
        for low, high in ranges:
            begin = bisect_right(self._letters, low) - 1
            end = max(bisect_left(self._letters, high + 1), begin + 1)
            letters += map(self._letter, self._letters[begin:end])
        key = tuple(dict.fromkeys(letters))
        if len(key) == 1:
            return key[0]
        if key not in self._classes:
            self._classes[key] = self._helper(owner, [(letter,) for letter in key])
        return self._classes[key]


def _children(shape: _Shape) -> tuple[int, ...]:
    """Return the parts of a node."""
    kind, content = shape
    if kind in ("seq", "choice"):
        return content  # type: ignore[return-value]
    return (content[0],) if kind == "repeat" else ()  # type: ignore[index]


def _sorted(ranges: Iterable[tuple[int, int]]) -> _Ranges:
    return tuple(sorted((low, high) for low, high in ranges if low <= high))


def _complement(ranges: Iterable[tuple[int, int]]) -> _Ranges:
    found = []
    begin = 0
    for low, high in _sorted(ranges):
        if begin < low:
            found.append((begin, low - 1))
        begin = max(begin, high + 1)
    if begin <= 0x10FFFF:
        found.append((begin, 0x10FFFF))
    return tuple(found)


def _places(source: str, names: Iterable[str]) -> dict[str, Place]:
    """Return where rules are defined: at the beginning of a line, before a sign of definition."""
    places = {}
    known = set(names)
    by_fold = {name.casefold(): name for name in known}
    for match in _DEFINITION.finditer(source):
        name = match["name"] if match["name"] in known else by_fold.get(match["name"].casefold())
        if name is not None and name not in places:
            offset = match.start("name")
            line = source.count("\n", 0, offset) + 1
            places[name] = Place(line, offset - source.rfind("\n", 0, offset))
    return places


_DEFINITION = re.compile(
    r"^[ \t]*(?:\[\d+\w?\][ \t]*)?<?(?P<name>[^\W\d][\w. -]*?)>?[ \t\r\n]*(?:::=|=/?|:)",
    re.MULTILINE,
)
