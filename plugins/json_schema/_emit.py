"""From states to nodes: the grammar of the JSON texts whose values are in a state.

A state becomes a choice of what it has of each kind. It becomes a rule, named after its place in
the schema, if it is recursive or met again; where nesting goes deep, too, so that writing needs no
deep stack: such a state is written when the others are done.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formgate.core.errors import UnsupportedConstraint
from formgate.plugins.json_schema._deadline import check_time
from formgate.plugins.json_schema._emit_arrays import ArrayWriter
from formgate.plugins.json_schema._emit_objects import ObjectWriter
from formgate.plugins.json_schema._facts import ARRAY, FALSE_VALUE, NULL, OBJECT, TRUE_VALUE
from formgate.plugins.json_schema._notes import notes_of
from formgate.plugins.json_schema._numbers import NumberSet
from formgate.plugins.json_schema._strings import StringSet
from formgate.plugins.json_schema._style import Style, style

if TYPE_CHECKING:
    from collections.abc import Mapping

    from formgate.core.grammar import GrammarBuilder, Node
    from formgate.plugins.json_schema._automaton import Automaton
    from formgate.plugins.json_schema._options import Options
    from formgate.plugins.json_schema._plain import PlainWriter
    from formgate.plugins.json_schema._scalars import State
    from formgate.plugins.json_schema._spelled import Numerals

__all__ = ["Emitter"]

_OFTEN = 15  # states after which the deadline is looked at
_DEEP = 24  # states within states that are written at once
_COMPOSITE = ARRAY | OBJECT
_WORDS = ((NULL, "null"), (FALSE_VALUE, "false"), (TRUE_VALUE, "true"))

_NO_NODES: Mapping[State, Node] = {}


class _Record:
    """What is known of a state at a level: its node, its rule, and whether it is being written."""

    __slots__ = ("busy", "named", "node")

    def __init__(self) -> None:
        self.node: Node | None = None
        self.named = False
        self.busy = False


class Emitter:
    """Writes states to a builder.

    Args:
        automaton: The states.
        builder: Where to write.
        options: The options.
        given: What stands between tokens, and a quote, where any value is recorded.
        plain: What writes the parts that are plain.
    """

    def __init__(
        self,
        automaton: Automaton,
        builder: GrammarBuilder,
        options: Options,
        given: tuple[Style, Node] | None = None,
        plain: PlainWriter | None = None,
    ) -> None:
        self.automaton = automaton
        self.world = automaton.world
        self.builder = builder
        self.options = options
        self.escapes = options.escapes == "any"
        self._levels = options.indent is not None
        self._styles: list[Style] = [] if given is None else [given[0]]
        self._recording = given is not None
        self._plain_writer = plain
        self.nest = 0  # lists without repetition around, that may hold each other to any depth
        self._records: dict[tuple[State, int, int], _Record] = {}
        # Of states with scalars only, of any value, and, at one level, of what is a rule by now.
        self._plain: dict[State, Node] = {}
        self._met: set[State] = set()  # what is written natively, and may become a rule
        self._quoted: dict[Node, Node] = {}  # JSON strings by the nodes of their texts
        self._notes = notes_of(builder)
        if plain is None:
            self._notes.schemas += 1
        number = self._notes.schemas
        self.suffix = "" if number == 1 else f" of schema {number}"
        self._waiting: list[tuple[State, int, int]] = []
        self._depth = 0
        self._quote = builder.literal('"') if given is None else given[1]
        self._arrays = ArrayWriter(self)
        self._objects = ObjectWriter(self)

    def write(self, state: State) -> Node:
        """Return the node of the texts whose values are in a state.

        Raises:
            UnsupportedConstraint: Something cannot be expressed.
            LimitError: A limit was reached.
        """
        node = self.value(state, 0)
        self.drain()
        return node

    def drain(self) -> bool:
        """Write what was put off, and say whether there was anything."""
        any_waiting = bool(self._waiting)
        while self._waiting:
            waiting, level, self.nest = self._waiting.pop()
            self.builder.define(self._name(waiting, level), self._body_of(waiting, level)[0])
        self.nest = 0
        return any_waiting

    def close(self) -> None:
        """Cut references that go in circles."""
        del self._arrays, self._objects, self._plain_writer

    def value(self, state: State, level: int) -> Node:
        """Return the node of a state, at a level of nesting."""
        if not state.kinds & _COMPOSITE:
            node = self._plain.get(state)
            if node is None:
                nodes = self.scalars(state)
                node = nodes[0] if len(nodes) == 1 else self.builder.choice(*nodes)
                self._plain[state] = node
            return node
        if not (self.nest or self._levels):
            node = self._plain.get(state)
            if node is not None:
                return node
        if not (state.lits or self._levels or self._recording):
            return self._plain.get(state) or self._anything(state)
        # What nests in lists is written for each level of them.
        if self._plain_writer is not None and not (self.nest and self._arrays.nests(state)):
            node = self._plain_writer.of(state)
            if node is not None:
                if state in self._met:
                    self._plain[state] = node
                self._met.add(state)
                return node
        return self._composite(state, level if self._levels else 0)

    def body(self, state: State) -> Node:
        """Return the node of a state anew: it defines the native rule that stood for the state."""
        self._plain.pop(state, None)
        return self.value(state, 0)

    def known(self) -> Mapping[State, Node]:
        """Return the nodes of states that ``value`` need not be asked for just now."""
        return self._plain if self.one_node() else _NO_NODES

    def one_node(self) -> bool:
        """Say whether what is written just now is written alike wherever else it stands."""
        return not (self.nest or self._levels)

    def _composite(self, state: State, level: int) -> Node:
        """Return the node of a state that has arrays or objects: a rule, if it is met again."""
        nest = self.nest
        if nest and not self._arrays.nests(state):
            nest = 0
        record = self._records.get((state, level, nest))
        if record is None:
            record = self._records[state, level, nest] = _Record()
        elif record.node is not None:
            if not record.named:
                # Met again: what was written in place the first time is a rule from now on.
                name = self._name(state, level)
                self.builder.define(name, record.node)
                record.node = self.builder.rule(name)
                record.named = True
            if not (nest or self._levels):
                self._plain[state] = record.node
            return record.node
        elif record.busy:
            record.node = self.builder.rule(self._name(state, level))
            record.named = True
            return record.node
        if self._depth >= _DEEP:
            record.node = self.builder.rule(self._name(state, level))
            record.named = True
            self._waiting.append((state, level, nest))
            return record.node
        if not len(self._records) & _OFTEN:
            check_time()
        return self._written(record, state, level)

    def _written(self, record: _Record, state: State, level: int) -> Node:
        """Return the node of a state that was not met yet: what it is, or a rule for that."""
        record.busy = True
        self._depth += 1
        try:
            node, plain = self._body_of(state, level)
        except Exception:
            record.node, record.named = None, False  # a rule without a body, if it met itself
            raise
        finally:
            self._depth -= 1
            record.busy = False
        if record.node is not None:  # it met itself
            self.builder.define(self._name(state, level), node)
            return record.node
        record.node = node
        record.named = plain  # scalars need no rule
        return node

    def _anything(self, state: State) -> Node:
        """Return the node of any value, recorded unless the builder has one in another style."""
        if self._plain_writer is not None:
            node = self._plain[state] = self._plain_writer.anything()
            return node
        policy = self.options._replace(resources=None)
        known = self._notes.anything
        if known is None:
            from formgate.plugins.json_schema._emit_any import (  # noqa: PLC0415 (in a circle)
                recorded_anything,
            )

            program = recorded_anything(policy.property_order, policy.escapes)
            node = program.write(self.builder, (*self.style(0), self._quote))
            known = self._notes.anything = policy, node
        if known[0] != policy:
            return self._composite(state, 0)
        self._plain[state] = known[1]
        return known[1]

    def style(self, level: int) -> Style:
        """Return what stands between tokens at a level."""
        styles = self._styles
        if styles and not self._levels:
            return styles[0]
        while len(styles) <= level:
            styles.append(style(self.options, self.builder, len(styles)))
            if not self._levels:
                break
        return styles[level if self._levels else 0]

    def scalars(self, state: State) -> list[Node]:
        """Return the nodes of the null, truth values, numbers and strings of a state."""
        bits, numbers, strings = self.world.scalars(state)
        found = []
        if bits:
            found = [self.builder.literal(text) for bit, text in _WORDS if bits & bit]
        if numbers is not NumberSet.NONE and not numbers.is_empty():
            found.append(self.numbers(numbers, state))
        if strings is not StringSet.NONE and not strings.is_empty():
            found.append(self.string(strings, state))
        return found

    def numbers(self, numbers: NumberSet | Numerals, state: State) -> Node:
        """Return the node of numbers of a state."""
        try:
            return numbers.node(self.builder, notes=self._notes)
        except UnsupportedConstraint as error:
            self._left_out(error, state)
            return NumberSet.ALL.node(self.builder)

    def texts(self, strings: StringSet, state: State) -> Node:
        """Return the node of strings of a state, without quotes and escapes."""
        try:
            return strings.node(self.builder, notes=self._notes)
        except UnsupportedConstraint as error:
            return self._looser(strings, state, error)

    def _looser(self, strings: StringSet, state: State, error: UnsupportedConstraint) -> Node:
        """Refuse strings that cannot be written, or write them without what cannot."""
        from formgate.plugins.json_schema._contents import (  # noqa: PLC0415 (rarely needed)
            place_of,
            unwritten,
            without_contents,
        )

        looser, contents = without_contents(strings)
        if not contents:
            self._left_out(error, state)
            return self.builder.any_text()
        for content in contents:
            one = unwritten(*content)
            self.world.unsupported(place_of(content, self.world, state), one.reason, one.hint or "")
        return self.texts(looser, state)

    def string(self, strings: StringSet, state: State) -> Node:
        """Return the node of JSON strings of a state."""
        texts = self.texts(strings, state)
        found = self._quoted.get(texts)
        if found is None:
            text = self.builder.json_text(texts, escapes=self.escapes)
            found = self._quoted[texts] = self.builder.seq(self._quote, text, self._quote)
        return found

    def _left_out(self, error: UnsupportedConstraint, state: State) -> None:
        """Refuse what cannot be written, or note that it is left out."""
        self.unsupported(state, error.reason, error.hint or "simplify the schema")

    def unsupported(self, state: State, reason: str, hint: str) -> None:
        """Refuse what cannot be enforced in a state, or note that it is left out."""
        self.world.unsupported(self.world.where(state.lits) or "#", reason, hint)

    def _body_of(self, state: State, level: int) -> tuple[Node, bool]:
        """Return what a state is, and whether it has scalars only."""
        nodes = self.scalars(state)
        arrays, objects = self.automaton.arrays(state), self.automaton.objects(state)
        if self._levels and level >= self.options.max_levels:
            if any(one.low == 0 for one in arrays):
                nodes.append(self.builder.literal("[]"))
            if any(one.hollow for one in objects):
                nodes.append(self.builder.literal("{}"))
        else:
            nodes += [self._arrays.write(one, level, state) for one in arrays]
            nodes += [self._objects.of(one, level, state) for one in objects]
        node = nodes[0] if len(nodes) == 1 else self.builder.choice(*nodes)
        return node, not (arrays or objects)

    def _name(self, state: State, level: int) -> str:
        """Return the name of a state's rule: where it stands in the schema."""
        where = self.world.name(state.lits) or "any value"
        name = f"{where} (state {state.index}{self.suffix})"
        if self.nest and self._arrays.nests(state):
            name += f" in list {self.nest}"
        return f"{name} at level {level}" if self._levels else name
