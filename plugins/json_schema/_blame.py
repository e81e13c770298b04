"""Where in a schema it is that the engine gives up: called when it did, to name the place.

The engine knows nodes, no schemas. Nearly all that it takes long for is whether some strings exist:
patterns combined with others, negated, or with look-around. So the sets of strings of a schema are
compiled one by one until one of them meets the limit, too, for a bounded time.
"""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from formgate.core.errors import (
    CompileTimeout,
    EmptyLanguageError,
    FormgateError,
    GrammarError,
    LimitError,
)
from formgate.core.grammar import GrammarBuilder
from formgate.plugins.json_schema._automaton import Automaton
from formgate.plugins.json_schema._deadline import Deadline
from formgate.plugins.json_schema._disjoint import byte_vocabulary
from formgate.plugins.json_schema._emit import Emitter
from formgate.plugins.json_schema._load import load
from formgate.plugins.json_schema._write import Prepared, prepared, retold

if TYPE_CHECKING:
    from collections.abc import Mapping

    from formgate.core.grammar import Node
    from formgate.plugins.json_schema._options import Options
    from formgate.plugins.json_schema._scalars import State
    from formgate.plugins.json_schema._strings import StringSet

__all__ = ["name_place"]

_PATIENCE_S = 1.0  # for all sets; for one, half of what is left
_SIMPLE = frozenset(["values", "lengths"])


class _Listening(Emitter):
    """Writes states, and keeps the sets of strings that may take long, each with a state."""

    def __init__(self, automaton: Automaton, builder: GrammarBuilder, options: Options) -> None:
        super().__init__(automaton, builder, options)
        self.sets: dict[StringSet, State] = {}

    def texts(self, strings: StringSet, state: State) -> Node:
        """Return the node of strings of a state, and keep them."""
        if strings.key[0] not in _SIMPLE:
            self.sets.setdefault(strings, state)
        return super().texts(strings, state)


def name_place(source: object, options: Mapping[str, object], error: FormgateError) -> None:
    """Let an error of the engine name the place in the schema, ``#`` where none is found.

    Args:
        source: What was compiled.
        options: The options it was compiled with.
        error: The error; its message is changed.
    """
    if not error.args or not isinstance(error, (EmptyLanguageError, LimitError)):
        return
    found = "#"
    try:
        if isinstance(error, LimitError):
            found = _limited(prepared(source, options))
    except FormgateError:
        pass  # it was read before, so there is no time to read it again
    error.args = (f"{found}: {error.args[0]}", *error.args[1:])
    if isinstance(error, GrammarError):
        error.reason = error.args[0]


def _limited(given: Prepared) -> str:
    """Return the place of strings that meet a limit by themselves, ``#`` if none do."""
    end = perf_counter() + _PATIENCE_S
    builder = GrammarBuilder(deadline=end)
    late = None
    with Deadline(builder):
        automaton = Automaton(load(given.schema), given.options)
        emitter = _Listening(automaton, builder, given.options)
        emitter.write(automaton.root)
    try:
        for strings, state in emitter.sets.items():
            left = end - perf_counter()
            if left <= 0:
                break
            one = GrammarBuilder()
            one.start(strings.node(one))
            try:
                one.build().compile(byte_vocabulary(), timeout_s=left / 2)
            except CompileTimeout:
                late = late or state
            except LimitError:
                late = state
                break
            except FormgateError:
                continue
        found = automaton.world.where(late.lits) if late is not None else ""
    finally:
        emitter.close()
        automaton.close()
    return retold(found, given.origins) if found and given.origins else found or "#"
