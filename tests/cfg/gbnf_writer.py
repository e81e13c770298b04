"""Writes random rule sets as GBNF, in the various ways that the language allows."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

ESCAPES = {"a": ["a", "\\x61", "\\u0061"], "b": ["b", "\\x62", "\\U00000062"]}


def write(rules, chance: random.Random) -> str:
    """Return a grammar with the rules; upper-case names become words, ``S`` becomes ``root``."""
    names = {name: "root" if name == "S" else f"rule-{name}" for name in rules}

    def symbol(item: str) -> str:
        if item in names:
            return chance.choice([names[item], f"({names[item]})", f"{names[item]}{{1}}"])
        return chance.choice(
            [f'"{chance.choice(ESCAPES[item])}"', f"[{chance.choice(ESCAPES[item])}]",
             f"[{item}-{item}]", f'( "{item}" )']
        )  # fmt: skip

    def body(items, *, last: bool) -> str:
        if not items:
            # With nothing after "|" or "::=", the rule would go on in the next line.
            return chance.choice(['""', '"" ""', '"a"{0}', *([] if last else [""])])
        return chance.choice([" ", "  ", "\t"]).join(symbol(item) for item in items)

    lines = []
    for name, bodies in rules.items():
        between = chance.choice([" | ", "|", " |\n    ", " | # or\n "])
        end = chance.choice(["\n", "\n\n", " # end\n", "\r\n"])
        lines.append(
            f"{names[name]} ::= {between.join(body(b, last=b is bodies[-1]) for b in bodies)}{end}"
        )
    chance.shuffle(lines)
    return "".join(lines)
