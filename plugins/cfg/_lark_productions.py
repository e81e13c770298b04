"""Lark grammars as productions, the way lark's LALR parser has them.

What lark's contextual lexer looks for depends on the states of its parser, and these on how lark
writes repetitions and options out (the second half of ``lark.load_grammar.Grammar.compile``), which
``_lark_ebnf`` does as lark. The slow part, the tables of the parser, is left to the engine.
Cost: 2 ms for a grammar of 500 productions.

Options multiply alternatives, so some small grammars have millions of productions. lark takes from
a second to for ever to load these; they are left alone (``MOST_SYMBOLS``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formgate.core.errors import GrammarError
from formgate.core.grammar import Production
from formgate.plugins.cfg._lark_ebnf import written_out

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from formgate.plugins.cfg._lark_load import Loaded, Op

__all__ = ["MOST_SYMBOLS", "productions_of"]

MOST_SYMBOLS = 50_000
"""Most symbols in the productions of a grammar that is written out."""

# From this count on, lark makes a repetition rules of its own, with parts of at most ten symbols.
_COUNT_WITH_RULE = 50
_LONGEST_PART = 10


def productions_of(loaded: Loaded, start: str) -> tuple[Production, ...]:
    """Return the productions within the start's reach, the start's first; () for too many.

    They are kept with the grammar.

    Raises:
        GrammarError: lark refuses them: two alternatives of a rule are the same once written out.
    """
    known = loaded.written.get(start)
    if known is None:
        known = loaded.written[start] = _find(loaded, start)
    return known


def _find(loaded: Loaded, start: str) -> tuple[Production, ...]:
    """Return what ``productions_of`` keeps."""
    if sum(_size(body) for body in loaded.rules.values()) > MOST_SYMBOLS:
        return ()
    by_head: dict[str, list[Production]] = {}
    for production in _written_out(loaded):
        by_head.setdefault(production.head, []).append(production)
    order = [start]
    reached = {start}
    for head in order:  # grows while it is read
        for production in by_head.get(head, ()):
            new = [symbol for symbol in production.body if symbol in by_head]
            order += [symbol for symbol in dict.fromkeys(new) if symbol not in reached]
            reached.update(new)
    return tuple(production for head in order for production in by_head.get(head, ()))


def _size(body: Sequence[Op]) -> int:
    """Return about how many symbols a rule's alternatives have once written out."""
    most = MOST_SYMBOLS + 1
    helpers = 0
    stack: list[tuple[int, int]] = []  # alternatives, symbols of the longest
    for op in body:
        if op.kind in ("terminal", "rule"):
            stack.append((1, 1))
        elif op.kind == "repeat":
            count, length = stack.pop()
            if op.high is None:
                helpers += 2 * count * (length + 1)
                stack.append((2 - op.low, 1))
            elif op.high < _COUNT_WITH_RULE:
                ways = sum(min(count**n, most) for n in range(op.low, op.high + 1))
                stack.append((min(ways, most), min(length * op.high, most)))
            else:
                ways = min(count**_LONGEST_PART, most)
                helpers += 2 * ways * length * _LONGEST_PART * op.high.bit_length()
                stack.append((ways, length * _LONGEST_PART))
        else:
            parts = stack[len(stack) - op.low :]
            del stack[len(stack) - op.low :]
            ways, length = (1, 0) if op.kind == "seq" else (0, 0)
            for count, own in parts:
                if op.kind == "seq":
                    ways, length = min(ways * count, most), min(length + own, most)
                else:
                    ways, length = min(ways + count, most), max(length, own)
            stack.append((ways, length))
    ((ways, length),) = stack
    return ways * (length + 1) + helpers


def _written_out(loaded: Loaded) -> Iterable[Production]:
    """Return the productions of all rules, each once."""
    found: dict[tuple[str, tuple[str, ...]], Production] = {}
    for name, body, priority in written_out(loaded.bodies):
        if body and (name, body) in found:
            raise GrammarError(
                f"lark refuses the grammar, since rule {name} has an alternative twice once "
                f"its optional parts are written out: {' '.join(body)}",
                hint="leave one out, or say lexing='longest'",
            )
        found[name, body] = Production(name, body, priority)
    return found.values()
