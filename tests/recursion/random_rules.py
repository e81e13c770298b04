"""Random context-free grammars, and how they are written to a builder."""

from __future__ import annotations

from hypothesis import strategies as st

from formgate.core.grammar import Grammar, GrammarBuilder

NAMES = ("S", "A", "B", "C")


@st.composite
def rule_sets(draw, letters="ab", most_rules=4, most=4):
    """Draw rules whose start is "S"; epsilon, cycles and every kind of recursion are common."""
    names = NAMES[: draw(st.integers(1, most_rules))]
    symbols = st.sampled_from([*names, *letters])
    bodies = st.lists(symbols, max_size=most).map(tuple)
    return {name: draw(st.lists(bodies, min_size=1, max_size=most)) for name in names}


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


def grammar_of_shared_nodes(rules, order, in_place) -> Grammar:
    """Write rules with one node for what is alike, and what is written already for its name.

    Args:
        rules: The rules.
        order: Their names, as they are written.
        in_place: Of each reference, from the first on, whether the body stands in its place where
            it is written already.
    """
    builder = GrammarBuilder()
    places = iter(in_place)
    bodies, rule_nodes, letters, sequences = {}, {}, {}, {}

    def symbol(name):
        if name not in rules:
            return letters.setdefault(name, builder.literal(name))
        if name in bodies and next(places, False):
            return bodies[name]
        return rule_nodes.setdefault(name, builder.rule(name))

    def sequence(body):
        if body not in sequences:
            parts = [symbol(one) for one in body]
            sequences[body] = parts[0] if len(parts) == 1 else builder.seq(*parts)
        return sequences[body]

    for name in order:
        written = [sequence(body) for body in rules[name]]
        bodies[name] = written[0] if len(written) == 1 else builder.choice(*written)
        builder.define(name, bodies[name])
    builder.start(symbol("S"))
    return builder.build()
