"""Any JSON value: in nearly every schema, and always the same, so it is recorded once."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, cast

from formgate.plugins.json_schema._automaton import Automaton
from formgate.plugins.json_schema._emit import Emitter
from formgate.plugins.json_schema._options import Options
from formgate.plugins.json_schema._strings_record import Recorder
from formgate.plugins.json_schema._style import Style

if TYPE_CHECKING:
    from formgate.core.grammar import GrammarBuilder
    from formgate.plugins.json_schema._strings_record import Program

__all__ = ["recorded_anything"]


@lru_cache(maxsize=16)
def recorded_anything(property_order: str, escapes: str) -> Program:
    """Return the calls that write any value; given are the parts of a style, and a quote."""
    recorder = Recorder()
    builder = cast("GrammarBuilder", recorder)
    options = Options(property_order=property_order, escapes=escapes)
    automaton = Automaton(True, options)
    *style, quote = [recorder.given(place) for place in range(len(Style._fields) + 1)]
    emitter = Emitter(automaton, builder, options, (Style(*style), quote))
    node = emitter.write(automaton.root)
    emitter.close()
    automaton.close()
    return recorder.program(node)
