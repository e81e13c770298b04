"""Random context-free grammars, and how they are written to a builder."""

from __future__ import annotations

from hypothesis import strategies as st

from formgate.core.grammar import Grammar, GrammarBuilder

NAMES = ("S", "A", "B", "C")


@st.composite
def rule_sets(draw, letters="ab", most_rules=4):
    """Draw rules whose start is "S"; epsilon, cycles and every kind of recursion are common."""
    names = NAMES[: draw(st.integers(1, most_rules))]
    symbols = st.sampled_from([*names, *letters])
    bodies = st.lists(symbols, max_size=4).map(tuple)
    return {name: draw(st.lists(bodies, min_size=1, max_size=4)) for name in names}


def grammar_of(rules) -> Grammar:
    """Write rules as they stand."""
    builder = GrammarBuilder()
    for name, bodies in rules.items():
        builder.define(
            name,
            builder.choice(
                *(
                    builder.seq(
                        *(builder.rule(s) if s in rules else builder.literal(s) for s in body)
                    )
                    for body in bodies
                )
            ),
        )
    builder.start(builder.rule("S"))
    return builder.build()
