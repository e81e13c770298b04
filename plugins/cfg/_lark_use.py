"""Which rules and terminals of a Lark grammar count, and how rules are written to a builder.

lark drops the rules that no other rule uses, again and again, then the terminals that no rule is
left to use. What is left may still be out of the start's reach, and in the basic lexer its
terminals compete with the others; so the rule is followed to the letter here. Rules out of reach
are left out, since only their terminals matter, and these not to the contextual lexer.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from formgate.core.errors import GrammarError, UnsupportedConstraint
from formgate.plugins.cfg._shortest import check_shortest, saturated

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from formgate.core.grammar import GrammarBuilder, Node
    from formgate.plugins.cfg._lark_load import Loaded, Op, Terminal

__all__ = ["Used", "find_used", "write_body", "write_rules"]

# From this count on, lark makes a repetition a rule of its own.
_COUNT_WITH_RULE = 50
# A name that came with an import, as lark writes it.
_IMPORTED = re.compile(r"(?P<private>_?)(?P<file>[A-Za-z]\w*?)__(?P<name>\w+)")


class Used:
    """What lark keeps of a grammar.

    Args:
        loaded: The grammar.
        rules: The names of the rules within the start's reach, in order.
        terminals: The terminals that count, in order, the ignored ones included.
    """

    def __init__(self, loaded: Loaded, rules: Sequence[str], terminals: Sequence[Terminal]) -> None:
        self.loaded = loaded
        self.rules = tuple(rules)
        self.terminals = tuple(terminals)

    @property
    def ignored(self) -> tuple[Terminal, ...]:
        """The terminals that may stand anywhere."""
        return tuple(self.loaded.terminals[name] for name in self.loaded.ignored)


def find_used(loaded: Loaded, start: str, *, contextual: bool = False) -> Used:
    """Return what lark keeps for a start.

    Args:
        loaded: The grammar.
        start: The rule that the whole text must match.
        contextual: Whether only the terminals within the start's reach count, and the ignored
            ones: lark's contextual lexer never looks for, nor at, the others.

    Raises:
        GrammarError: There is no such rule.
        UnsupportedConstraint: What is used is left to a program by ``%declare``.
    """
    if start not in loaded.rules:
        known = ", ".join(list(loaded.rules)[:10]) or "none"
        raise GrammarError(
            f"the grammar has no rule {start!r}, which the text must match; its rules: {known}",
            hint="define it, or name another with start=...",
        )
    users: dict[str, int] = dict.fromkeys(loaded.rules, 0)
    uses = {}
    for name, body in loaded.rules.items():
        symbols, repeats_itself = _symbols(name, body)
        uses[name] = symbols
        for kind, symbol in symbols:
            if kind == "rule" and symbol in users and (symbol != name or repeats_itself):
                users[symbol] += 1
    users[start] += 1
    unused = [name for name, count in users.items() if not count]
    while unused:
        name = unused.pop()
        for kind, symbol in uses.pop(name):
            if kind == "rule" and symbol in users and symbol != name:
                users[symbol] -= 1
                if not users[symbol]:
                    unused.append(symbol)
    reached = _reached(uses, start)
    competing = (reached if contextual else uses).values()
    names = {symbol for symbols in competing for kind, symbol in symbols if kind == "terminal"}
    names.update(loaded.ignored)
    _refuse_declared(loaded, reached)
    _refuse_templates(loaded, reached)
    terminals = [terminal for name, terminal in loaded.terminals.items() if name in names]
    return Used(loaded, list(reached), terminals)


def _reached(uses: dict[str, set[tuple[str, str]]], start: str) -> dict[str, set[tuple[str, str]]]:
    """Return those rules that a text can be made of, in order, and what they use."""
    reached = {start}
    new = [start]
    while new:
        found = {symbol for kind, symbol in uses[new.pop()] if kind == "rule" and symbol in uses}
        new += found - reached
        reached |= found
    return {name: symbols for name, symbols in uses.items() if name in reached}


def _symbols(name: str, body: Sequence[Op]) -> tuple[set[tuple[str, str]], bool]:
    """Return the symbols of a body, and whether lark's rule for a repetition in it uses the rule.

    Those below a count of zero are no part of it.
    """
    begins: list[int] = []
    dead = [False] * len(body)
    repeats_itself = False
    for index, op in enumerate(body):
        if op.kind in ("terminal", "rule"):
            begins.append(index)
            continue
        count = 1 if op.kind == "repeat" else op.low
        first = begins[-count] if count else index
        del begins[len(begins) - count :]
        begins.append(first)
        if op.kind == "repeat" and op.high == 0:
            dead[first:index] = [True] * (index - first)
        elif op.kind == "repeat" and (op.high is None or op.high >= _COUNT_WITH_RULE):
            repeats_itself = repeats_itself or any(
                not dead[at] and body[at].kind == "rule" and body[at].name == name
                for at in range(first, index)
            )
    symbols = {
        (op.kind, op.name)
        for op, skipped in zip(body, dead, strict=True)
        if op.name and not skipped
    }
    return symbols, repeats_itself


def _refuse_declared(loaded: Loaded, uses: dict[str, set[tuple[str, str]]]) -> None:
    """Refuse names that the grammar leaves to a program, where a text may need them."""
    if not loaded.declared:
        return
    used = {symbol for symbols in uses.values() for _, symbol in symbols} | set(loaded.ignored)
    for name in sorted(loaded.declared & used):
        code, shown, origin = loaded.source.code, name, ""
        imported = _IMPORTED.fullmatch(name)
        found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", code)
        if found is None and imported is not None:
            # lark puts the file's name before it, behind the underscore.
            shown = imported["private"] + imported["name"]
            origin = f" in {imported['file']}"
            found = re.search(rf"%import[ \t]+[\w.]*{re.escape(imported['file'])}\b[^\n]*", code)
        hint = f"define it, {shown}: /.../, or start at a rule that does without, with start=..."
        if shown.strip("_") in {"INDENT", "DEDENT"}:
            hint += (
                "; lark's Indenter makes it from blanks, which no grammar can say for any depth: "
                'for Python there is the grammar "python" that comes with formgate'
            )
        raise UnsupportedConstraint(
            f"{shown} is only declared{origin} (%declare): nothing says which texts it has",
            source=None if found is None else loaded.source.source,
            offset=None if found is None else loaded.source.place(found.start()),
            end=None if found is None else loaded.source.place(found.end()),
            hint=hint,
        )


def _refuse_templates(loaded: Loaded, uses: dict[str, set[tuple[str, str]]]) -> None:
    """Refuse templates without arguments, which lark loads and cannot use."""
    known = loaded.rules.keys() | loaded.declared
    for name, symbols in uses.items():
        for symbol in sorted(symbol for kind, symbol in symbols if kind == "rule"):
            if symbol not in known:
                raise loaded.source.error_at(
                    f"rule {name} uses template {symbol!r} without arguments",
                    name,
                    hint=f"write {symbol}{{...}} with an argument for each parameter",
                )


def write_rules(used: Used, builder: GrammarBuilder, terminal: Callable[[str], Node]) -> None:
    """Define the rules of a grammar; ``terminal`` says what stands for a terminal in them.

    Raises:
        LimitError: A rule has no text that is short enough to be written.
    """
    bodies = {name: used.loaded.rules[name] for name in used.rules}
    check_shortest(
        {name: {op.name for op in body if op.kind == "rule"} for name, body in bodies.items()},
        lambda name, known: _shortest(bodies[name], known),
    )
    mentioned: set[str] = set()
    for name in used.rules:
        body = used.loaded.rules[name]
        mentioned.update(op.name for op in body if op.kind == "rule")
        builder.define(name, write_body(body, builder, terminal))
    for name in mentioned.difference(used.rules):  # zero times
        builder.define(name, builder.nothing())


def _shortest(body: Sequence[Op], known: Mapping[str, int]) -> int:
    """Return how many terminals the shortest text of a body has; unknown rules count as none."""
    stack: list[int] = []
    for op in body:
        if op.kind == "terminal":
            stack.append(1)
        elif op.kind == "rule":
            stack.append(known.get(op.name, 0))
        elif op.kind == "repeat":
            stack.append(saturated(stack.pop() * op.low))
        else:
            parts = stack[len(stack) - op.low :]
            del stack[len(stack) - op.low :]
            stack.append(saturated(sum(parts)) if op.kind == "seq" else min(parts, default=0))
    return stack[0]


def write_body(
    body: Sequence[Op], builder: GrammarBuilder, terminal: Callable[[str], Node]
) -> Node:
    """Return the node of a rule's body."""
    stack: list[Node] = []
    for op in body:
        if op.kind == "terminal":
            stack.append(terminal(op.name))
        elif op.kind == "rule":
            stack.append(builder.rule(op.name))
        elif op.kind == "repeat":
            stack.append(builder.repeat(stack.pop(), op.low, op.high))
        else:
            parts = stack[len(stack) - op.low :]
            del stack[len(stack) - op.low :]
            stack.append(builder.seq(*parts) if op.kind == "seq" else builder.choice(*parts))
    (node,) = stack
    return node
