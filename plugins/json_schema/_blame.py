"""Where in a schema it is that the engine gives up: called when it did, to name the place.

Or where it is that no value is valid, which either may find.

The engine knows nodes, no schemas. Nearly all that it takes long for is whether some strings exist:
patterns combined with others, negated, or with look-around. So the sets of strings of a schema are
compiled one by one until one of them meets the limit, too, for a bounded time.
"""

from __future__ import annotations

import json
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
from formgate.core.vocabulary import byte_vocabulary
from formgate.plugins.json_schema._automaton import Automaton
from formgate.plugins.json_schema._deadline import Deadline
from formgate.plugins.json_schema._emit import Emitter
from formgate.plugins.json_schema._formats import known_in_part
from formgate.plugins.json_schema._load import load
from formgate.plugins.json_schema._unsatisfiable import contradiction, value_at, without_value
from formgate.plugins.json_schema._write import (
    Prepared,
    name_file,
    prepared,
    retold,
    write_whole,
    written,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from formgate.core.grammar import Node
    from formgate.plugins.json_schema._options import Options
    from formgate.plugins.json_schema._scalars import State
    from formgate.plugins.json_schema._strings import StringSet
    from formgate.plugins.json_schema._unsatisfiable import Contradiction
    from formgate.plugins.json_schema._values import Json

__all__ = ["name_place", "tell_why"]

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

    Raises:
        GrammarError: What is wrong in the schema, where the engine only misses a rule for it.
        LimitError: Likewise.
    """
    if not error.args or not (
        type(error) is GrammarError or isinstance(error, (EmptyLanguageError, LimitError))
    ):
        return
    try:
        given = prepared(source, options)
    except FormgateError:
        return  # it was read before, so there is no time to read it again
    if isinstance(error, EmptyLanguageError):
        tell_why(error, given, engine=True)
    elif isinstance(error, LimitError):
        try:
            found = _limited(given)
        except FormgateError:
            found = "#"
        error.args = (f"{found}: {error.args[0]}", *error.args[1:])
    else:  # a rule is missing: what is wrong was passed over where it did not seem to matter
        write_whole(given)
    name_file(error, given.schema)


def tell_why(error: EmptyLanguageError, given: Prepared, *, engine: bool) -> None:
    """Let an error say where in the schema it is that no value is valid, and why.

    Args:
        error: The error; its message is changed.
        given: The schema and the options.
        engine: Whether it was the engine that found it.
    """

    def write(schema: Json, builder: GrammarBuilder) -> Node:
        with Deadline(builder):
            return written(schema, given.options, builder, plain=True)[1]

    found = contradiction(load(given.schema), write, engine=engine)
    if found is None:
        reason = f"#: {error.reason}"
    else:
        reason = f"{found.place}: {_said(found, given)}"
        where = ""
        if found.asked is not None and _is_written(found.asked, given):
            where = f", or do not ask for a value there as {found.asked} does"
        error.hint = f"change what is said there{where}"
        if _has_half_of_pair(load(given.schema), found.place):
            error.hint = "half of a surrogate pair is in no text; write whole characters there"
    names = known_in_part(load(given.schema)) if given.options.formats == "assert" else []
    if names and {"format", "not"} & set(reason.split()):
        known = "only texts count that surely conform, or surely do not"
        change = error.hint or "change the schema"
        error.hint = f'{change}; of {", ".join(names)} {known}: formats="annotate" leaves them out'
    if given.origins:
        reason = retold(reason, given.origins)
        error.hint = error.hint and retold(error.hint, given.origins)
    error.reason = reason
    error.args = (reason, *error.args[1:])


def _is_written(place: str, given: Prepared) -> bool:
    """Say whether a place is in what the user wrote, not in what a call of a tool is made of."""
    return not given.origins or retold(place, given.origins) != place


def _said(found: Contradiction, given: Prepared) -> str:
    """Return the reason; where arguments are no object, without the words that we added."""
    own = "allOf/0"  # where the schema of a tool stands that does not ask for an object itself
    if f"{found.place}/{own}" not in given.origins or not found.names:
        return found.reason
    names = [name.removeprefix(f"{own}/") for name in found.names if name != "type"]
    tool = given.origins[f"{found.place}/{own}"].startswith("tool ")
    said = "the arguments of a tool are an object" if tool else "a json_object is an object"
    return f"{said}, and {without_value('object', names)}"


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


def _has_half_of_pair(schema: Json, place: str) -> bool:
    """Say whether what stands at a place, a pointer into the schema, has lone surrogates in it."""
    steps = place.split("/")[1:]
    part = value_at(schema, tuple(step.replace("~1", "/").replace("~0", "~") for step in steps))
    try:
        json.dumps(part, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError:
        return True
    except (RecursionError, ValueError):  # too deep, or an integer of too many digits
        return False
    return False
