"""Token terminals of GBNF: ``<name>``, ``<[id]>`` and ``!<...>``, against a reading of tokens.

The judge follows llama.cpp: a terminal takes one whole token, a literal the bytes of text tokens,
of as many as it needs, or of a part of one. Text never matches special tokens.
"""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import formgate
from formgate.core.errors import EmptyLanguageError, GrammarError, UnsupportedConstraint

X, Y, STOP = 4, 5, 6
TOKENS = [b"a", b"b", b"ab", b"bba", None, None, None]
SPECIAL = {"<x>": X, "<|y|>": Y, "<end>": STOP}
LONGEST = 4


@pytest.fixture(scope="module")
def vocabulary():
    return formgate.Vocabulary(TOKENS, stop_ids=[STOP], special=SPECIAL)


class Judge:
    """Reads a sequence of tokens by a tree: a place is a token and a byte of it."""

    def __init__(self, tree, tokens):
        self.tokens = tokens
        self.viable = False
        self.accepted = (len(tokens), 0) in self.ends(tree, {(0, 0)})

    def ends(self, tree, places):
        kind, *parts = tree
        self.viable |= (len(self.tokens), 0) in places
        if kind == "seq":
            for part in parts:
                places = self.ends(part, places)
        elif kind == "choice":
            places = set().union(*(self.ends(part, places) for part in parts))
        elif kind == "repeat":
            part, low, high = parts
            places = self._repeated(part, places, low, high)
        elif kind == "literal":
            for byte in parts[0].encode():
                places = self._stepped(byte, places)
                self.viable |= (len(self.tokens), 0) in places
        else:
            places = {
                (at + 1, 0)
                for at, inside in places
                if at < len(self.tokens) and inside == 0 and self._takes(tree, self.tokens[at])
            }
        self.viable |= (len(self.tokens), 0) in places
        return places

    def _repeated(self, part, places, low, high):
        for _ in range(low):
            places = self.ends(part, places)
        count = low
        while high is None or count < high:
            more = places | self.ends(part, places)
            if more == places:
                break
            places = more
            count += 1
        return places

    def _stepped(self, byte, places):
        out = set()
        for at, inside in places:
            text = TOKENS[self.tokens[at]] if at < len(self.tokens) else None
            if text is not None and text[inside] == byte:
                out.add((at + 1, 0) if inside + 1 == len(text) else (at, inside + 1))
        return out

    def _takes(self, tree, token):
        kind, named = tree
        return token == named if kind == "token" else token not in (named, STOP)


def written(tree, chance):
    """Return a tree as GBNF."""
    kind, *parts = tree
    if kind in ("token", "except"):
        name = next(name for name, token in SPECIAL.items() if token == parts[0])
        text = chance.choice([name, f"<[{parts[0]}]>"])
        return text if kind == "token" else f"!{text}"
    if kind == "literal":
        return f'"{parts[0]}"'
    if kind == "repeat":
        part, low, high = parts
        short = {(0, None): "*", (1, None): "+", (0, 1): "?"}.get((low, high))
        count = f"{{{low},{'' if high is None else high}}}"
        inner = written(part, chance)
        if part[0] not in ("token", "except", "literal") or chance.random() < 0.3:
            inner = f"({inner})"
        return inner + (short if short and chance.random() < 0.8 else count)
    return "(" + (" | " if kind == "choice" else " ").join(written(p, chance) for p in parts) + ")"


def check(tree, vocabulary, chance):
    """Compare all masks up to a number of tokens with the judge's."""
    source = f"root ::= {written(tree, chance)}"
    try:
        engine = formgate.compile(source, vocabulary, format="gbnf")
    except UnsupportedConstraint as error:
        refused = error
    else:
        refused = None
    if refused is not None:
        assert source[refused.offset] == "!"
        assert refused.hint
        return False
    work = [((), engine.start())]
    while work:
        tokens, state = work.pop()
        here = Judge(tree, list(tokens))
        assert engine.is_accepting(state) == here.accepted, (source, tokens)
        expected = {t for t in range(STOP) if Judge(tree, [*tokens, t]).viable}
        allowed = set(engine.allowed_tokens(state).ids())
        assert allowed == expected | ({STOP} if here.accepted else set()), (source, tokens)
        for token in range(STOP):
            if token not in expected:
                with pytest.raises(ValueError, match="not allowed"):
                    engine.advance(state, token)
            elif len(tokens) < LONGEST:
                work.append(((*tokens, token), engine.advance(state, token)))
    return True


def seq(*parts):
    return ("seq", *parts)


def star(part, low=0):
    return ("repeat", part, low, None)


def text(value):
    return ("literal", value)


x, y = ("token", X), ("token", Y)
not_x, not_y, not_end = ("except", X), ("except", Y), ("except", STOP)


@pytest.mark.parametrize(
    "tree",
    [
        x,
        seq(x, text("ab"), y),
        seq(text("a"), x, star(text("b"))),
        seq(x, star(not_y), y, text("a")),
        seq(x, star(not_y, 1), y),
        seq(star(not_x), x, text("b")),
        star(not_x),
        star(not_end),
        star(("choice", not_x, x)),
        star(("choice", not_x, y), 1),
        seq(x, star(not_x), star(not_y), x),
        seq(x, star(not_x, 1), star(not_y), x),
        seq(x, star(not_y), star(not_x, 1), y),
        star(seq(x, star(not_y, 1), y)),
        seq(x, ("choice", seq(star(not_y), y), seq(text("ab"), x))),
        seq(x, ("repeat", star(not_y), 0, 1), y),
        star(star(not_x)),
    ],
)
def test_exact(tree, vocabulary):
    chance = random.Random(7)
    for _ in range(3):
        assert check(tree, vocabulary, chance)


@pytest.mark.parametrize(
    ("tree", "reason"),
    [
        (not_x, "one token of any text"),
        (seq(x, not_y, y), "one token of any text"),
        (seq(not_x, star(not_x)), "one token of any text"),
        (("repeat", not_x, 2, None), "one token of any text"),
        (("repeat", not_x, 0, 1), "one token of any text"),
        (seq(text("a"), star(not_x)), "beside text"),
        (seq(star(not_x), text("a")), "beside text"),
        (seq(text("a"), ("repeat", x, 0, 1), star(not_x)), "beside text"),
        (star(("choice", star(not_x, 1), seq(x, text("a")))), "beside"),
        (seq(star(not_x, 1), star(not_y), star(not_y, 1)), "at least one of each"),
        (star(star(not_x, 1)), "at least one of each"),
    ],
)
def test_refused_where_the_cut_of_text_matters(tree, reason, vocabulary):
    source = f"root ::= {written(tree, random.Random(1))}"
    with pytest.raises(UnsupportedConstraint, match=reason) as caught:
        formgate.compile(source, vocabulary, format="gbnf")
    begin, end = caught.value.span
    assert source[begin:end].startswith("!<")
    assert source[begin:end].endswith(">")
    assert caught.value.hint


leaves = st.sampled_from(
    [x, y, text("a"), text("b"), text("ab"), star(not_x), star(not_y), star(not_x, 1)]
)
trees = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: ("seq", *parts)),
        st.lists(inner, min_size=2, max_size=2).map(lambda parts: ("choice", *parts)),
        st.tuples(inner, st.sampled_from([(0, None), (1, None), (0, 1), (2, 2)])).map(
            lambda drawn: ("repeat", drawn[0], *drawn[1])
        ),
    ),
    max_leaves=6,
)


@settings(max_examples=150, deadline=None)
@given(trees, st.randoms(use_true_random=False))
def test_random_grammars_are_exact_or_refused(vocabulary, tree, chance):
    check(tree, vocabulary, chance)


def test_rules_and_lines(vocabulary):
    source = """
        root     ::= <x> thinking <|y|> "ab"
        thinking ::= other*   # any but the end
        other    ::= ( !<|y|> )
        unused   ::= !<x>
    """
    engine = formgate.compile(source, vocabulary, format="gbnf")
    state = engine.advance(engine.start(), X)
    assert set(engine.allowed_tokens(state).ids()) == {0, 1, 2, 3, X, Y}
    state = engine.advance(engine.advance(state, 3), Y)
    assert set(engine.allowed_tokens(state).ids()) == {0, 2}


def test_any_token_has_any_bytes():
    """Even bytes that no text contains, in tokens of one and of several."""
    tokens = [bytes([byte]) for byte in range(256)] + [b"\xff\xfe", b"a\xf5", b"a\xf5b"]
    first = len(tokens)
    names = ("<x>", "<y>", "<z>", "<end>")
    special = {name: first + at for at, name in enumerate(names)}
    vocabulary = formgate.Vocabulary(
        [*tokens, None, None, None, None], stop_ids=[first + 3], special=special
    )
    engine = formgate.compile("root ::= <x> !<y>* <y> .*", vocabulary, format="gbnf")
    state = engine.advance(engine.start(), first)
    for token in [0x80, 0xFF, 0xF5, first - 1, first - 3, ord("a")]:
        assert set(engine.allowed_tokens(state).ids()) == {*range(first + 3)}
        again = engine.advance(state, token)
        assert again.key == state.key
    assert engine.min_tokens(state) == 1
    state = engine.advance(state, first + 1)
    assert not {0x80, 0xFF, first - 1, first, first + 1} & set(engine.allowed_tokens(state).ids())


def test_ids_and_names_that_no_special_token_has(vocabulary):
    for item, kind, reason in [
        ("<z>", GrammarError, 'no special token "<z>"; it has <end>, <x>, <|y|>'),
        ("<[7]>", GrammarError, "no token id 7; it has 7 ids"),
        ("<[2147483647]>", GrammarError, "no token id 2147483647"),
        ("<[0]>", UnsupportedConstraint, "token id 0 is an ordinary token"),
        ("<end>", GrammarError, "ends the output"),
        ("<[6]>", GrammarError, "ends the output"),
    ]:
        for sign in ("", "!"):
            source = f'root ::= "a" |\n  {sign}{item}{"+" if sign else ""} # what?'
            if sign and "ends" in reason:
                formgate.compile(source, vocabulary, format="gbnf")
                continue
            with pytest.raises(kind, match=reason.replace("|", r"\|")) as caught:
                formgate.compile(source, vocabulary, format="gbnf")
            begin, end = caught.value.span
            assert source[begin:end] == sign + item


def test_ordinary_tokens_and_gaps():
    vocabulary = formgate.Vocabulary([b"<", b"t", b">", b"<t>", None, None], stop_ids=[5])
    with pytest.raises(
        UnsupportedConstraint, match=r'"<t>" is an ordinary token \(id 3\)'
    ) as caught:
        formgate.compile("root ::= <t>", vocabulary, format="gbnf")
    assert caught.value.span == (9, 12)
    with pytest.raises(GrammarError, match="token id 4 stands for nothing") as caught:
        formgate.compile("root ::= <[4]>", vocabulary, format="gbnf")
    assert caught.value.span == (9, 14)


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        ("!", "'!' stands before a token"),
        ('!"a"', "'!' stands before a token"),
        ("<x", "not closed"),
        ("<x\n>", "not closed"),
        ("<[]>", "decimal digits"),
        ("<[x]>", "decimal digits"),
        ("<[1>", "decimal digits"),
        ("<[-1]>", "decimal digits"),
        ("<[2147483648]>", "above the largest"),
        ("<[99999999999]>", "too large"),
    ],
)
def test_faults(item, reason, vocabulary):
    source = f"root ::= {item}"
    with pytest.raises(GrammarError, match=reason) as caught:
        formgate.compile(source, vocabulary, format="gbnf")
    assert caught.value.offset >= 9


def test_chains_of_rules_and_deep_groups(vocabulary):
    count = 5_000
    chain = "".join(f"r{i} ::= r{i + 1}\n" for i in range(count))
    for source in (
        f"root ::= <x> r0* <|y|>\n{chain}r{count} ::= !<|y|>",
        "root ::= <x> " + "(" * count + "!<|y|>" + ")" * count + "* <|y|>",
    ):
        engine = formgate.compile(source, vocabulary, format="gbnf")
        state = engine.advance(engine.start(), X)
        assert set(engine.allowed_tokens(state).ids()) == {0, 1, 2, 3, X, Y}


def test_parts_of_other_formats(vocabulary):
    lark = 'start: "a" part "b"\npart: %gbnf """GRAMMAR"""'
    inside = formgate.compile(
        lark.replace("GRAMMAR", "root ::= <x> !<x>* <x>"), vocabulary, format="lark", lexing="any"
    )
    assert set(inside.allowed_tokens(inside.advance(inside.start(), 0)).ids()) == {X}
    with pytest.raises(UnsupportedConstraint, match="at the border"):
        formgate.compile(
            lark.replace("GRAMMAR", "root ::= <x> !<x>*"), vocabulary, format="lark", lexing="any"
        )


def test_nothing_matches(vocabulary):
    source = 'root ::= a | b\na ::= "b" a\nb ::= a <x>'
    with pytest.raises(EmptyLanguageError) as caught:
        formgate.compile(source, vocabulary, format="gbnf")
    assert caught.value.span == (15, 16)
    source = 'x ::= "c" root\nroot ::= x | "é"'
    with pytest.raises(EmptyLanguageError) as caught:
        formgate.compile(source, vocabulary, format="gbnf")
    assert caught.value.span == (15, 19)
