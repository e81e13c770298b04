"""A recorded grammar over pieces: the form in which texts are drawn from it and read by it.

The largest parts without rules become terminals, each matched by an engine of its own; a rule has
one production for each of its alternatives. Intersections, complements and scopes with look-around
are pieces as a whole; look-around outside a scope is read as nothing, and a lexer as if every way
to cut the text counted, unless its cut is known (``_testing_lexemes``), so a text drawn here is put
to the whole grammar's engine before it is used.

Cost: linear in the grammar; some microseconds for each piece that is used.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, cast

from formgate.core.errors import EmptyLanguageError
from formgate.core.grammar import Grammar, GrammarBuilder, Node
from formgate.plugins.cfg._testing_record import rebuilt

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formgate.core._native import Engine
    from formgate.core.grammar import Terminal
    from formgate.core.vocabulary import Vocabulary
    from formgate.plugins.cfg._testing_record import Recorder, Term

__all__ = ["Lexer", "Piece", "Repeat", "Symbols"]

_LONGEST_INLINE = 64
# What stands for its first part here; the others are read in that or in pieces.
_FIRST_PART = ("lexed", "members", "distinct")


@dataclass
class Piece:
    """A part of the grammar without rules: a terminal.

    Args:
        node: The recorded node.
        owner: Name of the rule it was first seen in.
        literal: Its text, where it has one text only.
        scoped: Whether its look-around is to see nothing but its own text.
    """

    node: Node
    owner: str
    literal: bytes | None = None
    scoped: bool = False
    engine: Engine | None = None
    compiled: bool = False


class Repeat(NamedTuple):
    """A repetition of a body that holds rules."""

    body: tuple[int, ...]
    least: int
    most: int | None


class Lexer(NamedTuple):
    """How a grammar's lexer cuts: its mode, and whether only what may come next competes."""

    mode: str
    contextual: bool


@dataclass
class Symbols:
    """The recorded grammar over pieces; symbols are numbers.

    Invariant: a symbol is in ``pieces``, in ``repeats`` (and then in ``productions`` too, with its
    counts left out), or in ``productions`` alone. The pieces that a lexer cuts are the keys of
    ``lexemes``, in the order of preference; ``lexer`` says how, if there is one lexer.

    Args:
        record: What the front end wrote.
        vocabulary: One token for each byte.
    """

    record: Recorder
    vocabulary: Vocabulary
    productions: dict[int, list[tuple[int, ...]]] = field(default_factory=dict)
    repeats: dict[int, Repeat] = field(default_factory=dict)
    pieces: dict[int, Piece] = field(default_factory=dict)
    lexer: Lexer | None = None
    lexemes: dict[int, Terminal] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    start: int = 0

    def __post_init__(self) -> None:
        record = self.record
        self._whole = _wholes(record)
        self._shapes: dict[Node, tuple[int, ...]] = {}
        self._ids = {name: index for index, name in enumerate(record.bodies)}
        self.names = {index: name for name, index in self._ids.items()}
        self._next = len(self._ids)
        self._owners = _owners(record)
        self._lexemes = {name: self._fresh() for name in record.terminals}
        self.names.update((symbol, name) for name, symbol in self._lexemes.items())
        lexers = [term.data for term in record.terms.values() if term.kind == "lexed"]
        if len(lexers) == 1:
            _, mode, contextual, _ = cast("tuple[object, str, bool, object]", lexers[0])
            self.lexer = Lexer(mode, contextual)
        self._skip = self._fresh()
        assert record.root is not None  # noqa: S101 (the grammar was built)
        bodies = {name: self._alternatives(body) for name, body in record.bodies.items()}
        start = self._alternatives(record.root)
        for node in self._needed([*start, *(part for body in bodies.values() for part in body)]):
            self._shapes[node] = self._shape(node)
        self._write_lexemes()
        for name, parts in bodies.items():
            self.productions[self._ids[name]] = [self._shapes[part] for part in parts]
        self.start = self._fresh()
        self.productions[self.start] = [self._shapes[part] for part in start]

    @property
    def terminals(self) -> frozenset[int]:
        """The symbols of a lexer's terminals, which are no rules."""
        return frozenset(self._lexemes.values())

    def piece_engine(self, symbol: int) -> Engine | None:
        """Return the engine of a piece, made when first asked for; None if it matches nothing."""
        piece = self.pieces[symbol]
        if not piece.compiled:
            piece.compiled = True
            try:
                piece.engine = self._grammar(piece).compile(self.vocabulary)
            except EmptyLanguageError:
                piece.engine = None
        return piece.engine

    def shown(self, piece: Piece) -> str:
        """Return a piece as the core prints it."""
        text = str(self._grammar(piece)).partition("= ")[2].strip().partition("\n")[0]
        while text.startswith("(") and text.endswith(")") and "(" not in text[1:]:
            text = text[1:-1]
        return text

    def rules_inside(self, pieces: Iterable[int]) -> list[str]:
        """Return the names of the rules that texts of some pieces use, in order of definition."""
        work = [self.pieces[symbol].node for symbol in pieces]
        seen = set(work)
        found = set()
        while work:
            term = self.record.terms[work.pop()]
            parts = term.parts
            if term.kind == "rule" and (body := self.record.bodies.get(str(term.data))) is not None:
                found.add(str(term.data))
                parts = (body,)
            work += (fresh := [part for part in parts if part not in seen])
            seen.update(fresh)
        return [name for name in self.record.bodies if name in found]

    def _grammar(self, piece: Piece) -> Grammar:
        builder = GrammarBuilder()
        node = rebuilt(self.record, piece.node, builder)
        builder.start(builder.scope(node) if piece.scoped else node)
        return builder.build()

    def _fresh(self) -> int:
        self._next += 1
        return self._next - 1

    def _alternatives(self, body: Node) -> list[Node]:
        """Return the alternatives of a rule's body, each of which becomes a production."""
        term = self.record.terms[body]
        while len(term.parts) == 1 and term.kind in ("seq", "choice"):  # brackets around the whole
            body = term.parts[0]
            term = self.record.terms[body]
        return list(term.parts) if term.kind == "choice" else [body]

    def _needed(self, roots: list[Node]) -> list[Node]:
        """Return the nodes that become symbols: those not inside a piece, parts first."""
        found: set[Node] = set()
        work = roots
        while work:
            node = work.pop()
            if node in found:
                continue
            found.add(node)
            if node not in self._whole:
                term = self.record.terms[node]
                work += term.parts[:1] if term.kind in _FIRST_PART else term.parts
        return sorted(found)

    def _shape(self, node: Node) -> tuple[int, ...]:
        """Return the symbols that a node stands for, one after the other."""
        term = self.record.terms[node]
        if node in self._whole:
            return (self._piece(node),)
        if term.kind in ("rule", "terminal"):
            return (self._named(term),)
        if term.kind in ("look_ahead", "look_behind"):
            return ()
        parts = term.parts[:1] if term.kind in _FIRST_PART else term.parts
        shapes = [self._shapes[part] for part in parts]
        if term.kind == "choice":
            return (self._rule(shapes),)
        if term.kind == "repeat":
            least, most = cast("tuple[int, int | None]", term.data)
            return self._repeated(shapes[0], least, most)
        if term.kind == "lexed":
            shapes = [(self._skip,), *shapes]
        flat = tuple(symbol for shape in shapes for symbol in shape)
        return flat if len(flat) <= _LONGEST_INLINE else (self._rule([flat]),)

    def _named(self, term: Term) -> int:
        """Return the symbol of a rule or of a lexer's terminal; one of nothing if undefined."""
        known = self._ids if term.kind == "rule" else self._lexemes
        symbol = known.get(str(term.data))
        return self._rule([]) if symbol is None else symbol

    def _piece(self, node: Node) -> int:
        symbol = self._fresh()
        term = self.record.terms[node]
        while term.kind in ("seq", "choice") and len(term.parts) == 1:
            term = self.record.terms[term.parts[0]]
        literal = term.data if term.kind == "literal" else None
        self.pieces[symbol] = Piece(
            node, self._owners.get(node, ""), literal if isinstance(literal, bytes) else None
        )
        return symbol

    def _write_lexemes(self) -> None:
        """Write the terminals of a lexer, each with the ignored ones that may follow it."""
        ignored = []
        for name, terminal in self.record.terminals.items():
            piece = self._piece(terminal.pattern)
            self.pieces[piece].scoped = True
            self.lexemes[piece] = terminal
            self.pieces[piece].owner = ""
            self.productions[self._lexemes[name]] = [(piece, self._skip)]
            ignored += [piece] if terminal.ignored else []
        self.productions[self._skip] = [(), *((self._skip, piece) for piece in ignored)]

    def _rule(self, bodies: list[tuple[int, ...]]) -> int:
        symbol = self._fresh()
        self.productions[symbol] = bodies
        return symbol

    def _repeated(self, body: tuple[int, ...], least: int, most: int | None) -> tuple[int, ...]:
        if most == 0:
            return ()
        symbol = self._fresh()
        first: tuple[int, ...] = () if least == 0 else body
        more = [] if most == 1 else [(symbol, *body)]
        if most == 1 and least == 0:
            more = [body]
        self.productions[symbol] = [first, *more]
        self.repeats[symbol] = Repeat(body, least, most)
        return (symbol,)


def _wholes(record: Recorder) -> set[Node]:
    """Return the nodes to be matched as a whole: without rules, or beyond what rules can say."""
    without_rules: set[Node] = set()
    without_looks: set[Node] = set()
    whole: set[Node] = set()
    for node in sorted(record.terms):
        term = record.terms[node]
        is_look = term.kind in ("look_ahead", "look_behind")
        if term.kind not in ("rule", "terminal", "lexed") and all(
            part in without_rules for part in term.parts
        ):
            without_rules.add(node)
        if term.kind == "lexed" or (
            not is_look and all(part in without_looks for part in term.parts)
        ):
            without_looks.add(node)
        elif term.kind in ("scope", "json_text"):
            without_looks.add(node)  # what looks around in it sees nothing else
            whole.add(node)
        if term.kind in ("intersection", "complement") or (
            node in without_rules and node in without_looks
        ):
            whole.add(node)
    return whole


def _owners(record: Recorder) -> dict[Node, str]:
    """Return, for each node, the rule in whose body it was written."""
    owners = {body: name for name, body in record.bodies.items()}
    for node in sorted(record.terms, reverse=True):
        for part in record.terms[node].parts:
            owners.setdefault(part, owners.get(node, ""))
    return owners
