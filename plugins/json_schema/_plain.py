"""Schemas that say what they mean, written natively; for all others, and parts of them, the rest.

Most schemas within schemas give kinds, members, items, lengths or a list of strings: their texts
can be written down as they stand. What takes Boolean algebra (``oneOf`` of what overlaps, patterns
that share names, conjunctions), sets of numbers or patterns goes through the automaton, which is
made only then, and whose own parts may be plain again. Both write the same language; tests hold one
against the other.
"""

from __future__ import annotations

from functools import cache, reduce
from importlib import import_module
from operator import or_
from typing import TYPE_CHECKING, Literal, ParamSpec

from formgate.core import _native
from formgate.core.errors import CompileTimeout, GrammarError, LimitError
from formgate.core.grammar import GrammarBuilder, Node
from formgate.plugins.json_schema._deadline import check_time
from formgate.plugins.json_schema._drafts import BY_NAME, Draft, draft_of, keywords_of
from formgate.plugins.json_schema._notes import notes_of
from formgate.plugins.json_schema._wrong import WrongSchemaError

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from formgate.plugins.json_schema._automaton import Automaton
    from formgate.plugins.json_schema._emit import Emitter
    from formgate.plugins.json_schema._notes import Notes
    from formgate.plugins.json_schema._numbers import NumberSet
    from formgate.plugins.json_schema._options import Options
    from formgate.plugins.json_schema._resolve import Where
    from formgate.plugins.json_schema._scalars import State
    from formgate.plugins.json_schema._spelled import Numerals
    from formgate.plugins.json_schema._strings import StringSet
    from formgate.plugins.json_schema._values import Json

__all__ = ["PlainWriter", "plain_writer"]

P = ParamSpec("P")


def plain_writer(schema: Json, builder: GrammarBuilder, options: Options) -> PlainWriter | None:
    """Return what writes the plain parts of a schema; None where it cannot be told what is plain.

    So it is for a draft of one's own, and where nesting has levels of white space. A builder that
    looks at what it is told is told everything.
    """
    if not isinstance(schema, dict) or options.indent is not None:
        return None
    if type(builder) is not GrammarBuilder:
        return None
    draft: Draft | None = BY_NAME[options.draft]
    if "$schema" in schema:
        draft = draft_of(schema["$schema"])
    notes = notes_of(builder)
    anything = notes.anything
    if draft is None or (anything is not None and anything[0] != _policy(options)):
        return None
    return PlainWriter(schema, draft, builder, options, notes)


class PlainWriter:
    """Writes the plain parts of one schema.

    Args:
        schema: The root.
        draft: Its draft.
        builder: Where to write.
        options: The options.
        notes: The notes on the builder.

    Attributes:
        suffix: What the names of this schema's rules end in.
        automaton: The states of what is not plain; None if there is nothing such yet.
    """

    check = staticmethod(check_time)

    def __init__(
        self,
        schema: dict[str, Json],
        draft: Draft,
        builder: GrammarBuilder,
        options: Options,
        notes: Notes,
    ) -> None:
        self._schema = schema
        self._draft = draft
        self._builder = builder
        self._options = options
        self._notes = notes
        notes.schemas += 1
        self.suffix = "" if notes.schemas == 1 else f" of schema {notes.schemas}"
        self.automaton: Automaton | None = None
        self._emitter: Emitter | None = None
        comma, colon = options.separators or (",", ":")
        fixed = options.separators is not None or options.whitespace == "compact"
        self._native = _native.PlainSchemas(
            builder._core,  # noqa: SLF001 (the one other writer to it)
            schema,
            _words(draft, options.content == "assert"),
            prefix=builder._prefix,  # noqa: SLF001
            suffix=self.suffix,
            blanks=None if fixed else options.max_blanks,
            comma=comma,
            colon=colon,
            ordered=options.property_order == "schema",
            canonical=options.escapes == "canonical",
            relaxed=options.relax,
            anything=None if notes.anything is None else notes.anything[1],
        )

    def write(self) -> Node | None:
        """Return the node of the root; None if it is not plain, or has no value.

        Raises:
            As ``Emitter.write``, for parts that are not plain.
        """
        node = self._native.value(self._schema, (None, ""), self)
        if node is None:
            return None
        self.drain(Node(node))
        return Node(node)

    def drain(self, node: Node) -> None:
        """Write what was put off, here and by what writes the rest; all that a node leads to."""
        while (
            self._native.drain(self)
            or (self._emitter is not None and self._emitter.drain())
            or self._native.mend(node, self)
        ):
            pass

    def close(self) -> None:
        """Cut references that go in circles; keep what other schemas can use."""
        anything = self._native.known_anything
        if self._notes.anything is None and anything is not None:
            self._notes.anything = _policy(self._options), Node(anything)
        if self._emitter is not None:
            self._emitter.close()
        if self.automaton is not None:
            self.automaton.close()

    def rest(self) -> tuple[Automaton, Emitter]:
        """Return what writes all that is not plain."""
        if self.automaton is None or self._emitter is None:
            from formgate.plugins.json_schema._automaton import Automaton  # noqa: PLC0415
            from formgate.plugins.json_schema._emit import Emitter  # noqa: PLC0415

            self.automaton = Automaton(self._schema, self._options)
            self._emitter = Emitter(self.automaton, self._builder, self._options, plain=self)
        return self.automaton, self._emitter

    # --- for what writes the rest ---

    def of(self, state: State) -> Node | None:
        """Return the node of a state, if it is that of one plain schema of the document itself."""
        if self.automaton is None or len(state.lits) != 1 or state.lits[0] & 1:
            return None
        site = self.automaton.world.site(state.lits[0])
        if site.env is not self.automaton.world.env:
            return None
        node = self._native.value(site.schema, site.where, self)
        return None if node is None else Node(node)

    def anything(self) -> Node:
        """Return the node of any value."""
        return Node(self._native.anything(self))

    # --- for the native writer ---

    def other(self, schema: Json, where: Where, needed: bool, lenient: bool) -> Node | None:
        """Return the node of a schema that is not plain; None if surely no value is valid.

        Args:
            schema: It.
            where: Its place in the document.
            needed: Whether there must be such a value, which is worth a search.
            lenient: Whether an error is None, too: the schema may not matter.
        """
        return self._of_all([(schema, where, False)], needed, lenient=lenient)

    def both(self, schemas: list[tuple[Json, Where, bool]], needed: bool) -> Node | None:
        """Return the node of what satisfies several schemas; leniently.

        Each comes with its place and whether it must not be satisfied.
        """
        return self._of_all(schemas, needed, lenient=True)

    def fault(self, schema: Json, where: Where) -> None:
        """Tell what is no schema in one that no value reaches; other errors do not matter.

        Raises:
            WrongSchemaError: The schema, or one in it, is none.
        """
        automaton, emitter = self.rest()
        try:
            emitter.value(_state_of(automaton, schema, where), 0)
        except (CompileTimeout, WrongSchemaError):
            raise
        except (GrammarError, LimitError):
            pass

    def _of_all(
        self, schemas: list[tuple[Json, Where, bool]], needed: bool, *, lenient: bool
    ) -> Node | None:
        """Return the node of what satisfies all of some schemas; None as ``other`` has it."""
        automaton, emitter = self.rest()
        world = automaton.world
        try:
            lits = {world.lit(schema, world.env, where) ^ no for schema, where, no in schemas}
            state = world.state(tuple(sorted(lits)))
            if not state.kinds or (needed and automaton.is_empty(state)):
                return None
            return emitter.value(state, 0)
        except (GrammarError, LimitError, WrongSchemaError) as error:
            if not lenient or isinstance(error, CompileTimeout):
                raise
            return None

    def body(self, schema: Json, where: Where, lenient: bool) -> Node | Literal[False] | None:
        """Return the node of a schema that turned out not to be plain; None if it has no value.

        It becomes that of the native rule which stands for the schema already. False for an error,
        if it is lenient as ``other``.
        """
        automaton, emitter = self.rest()
        try:
            state = _state_of(automaton, schema, where)
            return emitter.body(state) if state.kinds else None
        except (GrammarError, LimitError, WrongSchemaError) as error:
            if not lenient or isinstance(error, CompileTimeout):
                raise
            return False

    def numbers(self, integer: bool) -> Node:
        """Return the node of all numbers, or of the integers."""
        node: Node = _scalars().all_numbers(
            self._builder, self._notes, integer=integer, old=self._draft.rank == 4
        )
        return node

    def bounded(self, integer: bool, *bounds: Json | None) -> Node | None:
        """Return the node of the numbers within bounds; None if that takes a closer look.

        Args:
            integer: Whether they are integers.
            *bounds: What ``minimum``, ``maximum``, ``exclusiveMinimum``, ``exclusiveMaximum`` and
                ``multipleOf`` say.
        """
        make = _scalars().numbers_within
        return self._written(make, bounds, integer=integer, old=self._draft.rank == 4)

    def some(self, integer: bool, values: list[Json]) -> Node | None:
        """Return the node of some numbers, or of the integers among them; None as above."""
        make = _scalars().numbers_among
        return self._written(make, values, integer=integer, old=self._draft.rank == 4)

    def texts(
        self, low: int, high: int | None, pattern: str | None, form: str | None
    ) -> Node | None:
        """Return the node of strings, unquoted: how long, a pattern, a format; None as above."""
        if self._options.formats != "assert":
            form = None
        return self._written(_scalars().texts_with, low, high, pattern, form)

    def keys(
        self, patterns: list[str], names: list[str], rest: bool
    ) -> tuple[list[Node], Node | None, list[int | None]] | None:
        """Return the nodes of names that patterns match; None if that takes a closer look.

        Args:
            patterns: The patterns.
            names: Names, of which the number of the pattern that matches comes with the nodes.
            rest: Whether the node of the names that none matches comes, too, if there are any.
        """
        try:
            sets = _scalars().names_matching(patterns)
            if sets is None:
                return None
            nodes = [one.node(self._builder, notes=self._notes) for one in sets]
            others = None
            if rest:
                left = ~reduce(or_, sets)
                if not left.is_empty():
                    others = left.node(self._builder, notes=self._notes)
        except CompileTimeout:
            raise
        except (GrammarError, LimitError):
            return None
        matches = [
            next((at for at, one in enumerate(sets) if one.contains(name)), None) for name in names
        ]
        return nodes, others, matches

    def _written(
        self,
        make: Callable[P, NumberSet | Numerals | StringSet | None],
        /,
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> Node | None:
        """Return the node of a set; None if it is empty or wrong, which is said in its place."""
        try:
            found = make(*args, **kwargs)
            if found is None or found.is_empty():
                return None
            return found.node(self._builder, notes=self._notes)
        except CompileTimeout:
            raise
        except (GrammarError, LimitError):
            return None

    def name(self, where: Where) -> str:
        """Return the name of a place, for people."""
        from formgate.plugins.json_schema._resolve import last_steps  # noqa: PLC0415

        return last_steps(where)


def _state_of(automaton: Automaton, schema: Json, where: Where) -> State:
    """Return the state of one schema of the document itself."""
    world = automaton.world
    return world.state((world.lit(schema, world.env, where),))


def _policy(options: Options) -> Options:
    """Return what the texts of any value depend on."""
    return options if options.resources is None else options._replace(resources=None)


@cache
def _scalars() -> ModuleType:
    """Import what makes sets of numbers and strings when it is first needed."""
    return import_module("formgate.plugins.json_schema._plain_scalars")


@cache
def _words(draft: Draft, content: bool) -> _native.SchemaWords:
    """Return what the keywords of a draft are, with those of contents if they are asserted."""
    return _native.SchemaWords(
        active=sorted(keywords_of(draft, content=content)),
        id_keyword=draft.id_keyword,
        lone_ref=draft.lone_ref,
    )
