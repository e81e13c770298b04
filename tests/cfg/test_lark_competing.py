"""What competes for a text in lark's contextual lexer: the terminals of its LALR states."""

from __future__ import annotations

import itertools
import random

import pytest

pytest.importorskip("lark")

import lark_grammars
import lark_programs
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st
from lark.exceptions import UnexpectedInput
from lark.lexer import Token

import formgate
from formgate.core import _native
from formgate.core.errors import EmptyLanguageError, GrammarError, LimitError
from formgate.plugins.cfg._lark_load import load
from formgate.plugins.cfg._lark_productions import productions_of

competing_settings = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)


def compiled(source, vocabulary, **options):
    """Return an engine, None where no text is in the language."""
    try:
        return formgate.compile(source, vocabulary, format="lark", **options)
    except EmptyLanguageError:
        return None
    except LimitError as error:  # no text is known; the judge shall know none, either
        if "come to an end" not in str(error):
            raise
        return None


# --- the automaton, against lark's tables


def larks_accepts(parser, names):
    """Return the terminals of the state that lark's parser comes to, None where it fails."""
    interactive = parser.parse_interactive("")
    for name in names:
        try:
            interactive.feed_token(Token(name, ""))
        except UnexpectedInput:
            return None
    return {"" if name == "$END" else name for name in interactive.choices() if name.isupper()}


def check_tables(parser, source, chance, *, rounds, **options):
    loaded = load(source, base_path=options.get("base_path"), import_paths=())
    productions = productions_of(loaded, options.get("start", "start"))
    given = [(head, list(body), priority) for head, body, priority in productions]
    names = sorted(loaded.terminals)
    for _ in range(rounds):
        text = []
        while len(text) < 12:
            wanted = larks_accepts(parser, text)
            got = _native.lalr_accepts(names, given, text)
            assert (None if got is None else set(got)) == wanted, text
            if not wanted or wanted == {""}:
                break
            text.append(chance.choice(sorted(wanted - {""})))


@competing_settings
@given(lark_grammars.grammars(), st.randoms(use_true_random=False))
def test_random_tables(source, chance):
    parser = lark_grammars.judge(source, parser="lalr")
    assume(parser is not None)
    check_tables(parser, source, chance, rounds=5)


# lark takes a second to load each, or more.
SLOW = ("go", "java", "sql", "python-syncode", "python-outlines")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else [])
        for name in lark_programs.GRAMMARS
        if name != "storage"
    ],
)
def test_tables_of_real_grammars(request, name):
    folder = request.config.rootpath.parent / "shared/data/grammars-and-programs/grammars/lark"
    if not folder.is_dir():
        pytest.skip("shared/data/grammars-and-programs is not here")
    file, start, _ = lark_programs.GRAMMARS[name]
    path = folder / file
    parser = lark_programs.larked(path, start=start)
    if parser is None:
        pytest.skip("lark does not load it")
    chance = random.Random(3)
    check_tables(
        parser,
        path.read_text("utf-8"),
        chance,
        rounds=20,
        start=start,
        base_path=str(path.parent),
    )


# --- texts, against lark


@st.composite
def merged_grammars(draw):
    """Draw a grammar in which one rule stands in several contexts, before terminals that collide.

    So LALR merges states, and looks for what only another context allows.
    """
    terminals = draw(
        st.lists(
            st.sampled_from(
                [*lark_grammars.STRINGS[:5], "/[ab]/", "/a+/", "/[ab]+/", "/ab?/", "/b+a/"]
            ),
            min_size=2,
            max_size=4,
            unique=True,
        )
    )
    names = "ABCD"[: len(terminals)]
    tail = st.lists(st.sampled_from([*names, "m", '"."']), max_size=2).map(" ".join)
    contexts = [
        f'"{mark}" {draw(st.sampled_from(["m", "m", "m n", "n"]))} {draw(tail)}'
        for mark in ("x", "y", "z")[: draw(st.integers(2, 3))]
    ]
    middle = st.sampled_from([*names, '"c"', "m", "n", ""])
    rules = {
        rule: " | ".join(
            f"({' '.join(draw(st.lists(middle, max_size=2)))})"
            for _ in range(draw(st.integers(1, 2)))
        )
        for rule in ("m", "n")
    }
    lines = [f"start: {' | '.join(contexts)}", *(f"{name}: {body}" for name, body in rules.items())]
    lines += [
        f"{name}{draw(st.sampled_from(['', '', '.1']))}: {pattern}"
        for name, pattern in zip(names, terminals, strict=True)
    ]
    if draw(st.booleans()):
        lines.append('%ignore " "')
    if draw(st.booleans()):  # a rule without any sentence
        lines.append(f"lost: {draw(st.sampled_from(names))} lost")
        lines[0] += f' | "x" m {draw(st.sampled_from(names))} lost'
    return "\n".join(lines)


TEXTS = [
    mark + "".join(rest)
    for mark in "xyz"
    for n in range(5)
    for rest in itertools.product("abc. "[: 5 if n < 4 else 3], repeat=n)
]


@settings(
    max_examples=50,
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)
@given(merged_grammars())
def test_merged_states(byte_vocabulary, source):
    parser = lark_grammars.judge(source, parser="lalr")
    assume(parser is not None)
    engine = compiled(source, byte_vocabulary)
    exact = not lark_grammars.has_conflicts(parser)
    event("without conflicts" if exact else "with conflicts")
    for text in TEXTS:
        wanted = lark_grammars.accepts(parser, text)
        got = engine is not None and engine.accepts(text)
        assert got == wanted or (got and not exact), (source, text, got)
        if got:
            assert engine.validate(engine.start(), list(text.encode())) == len(text)


def both(parser, source, vocabulary, texts):
    """Return the texts that we take, and those that lark takes."""
    engine = formgate.compile(source, vocabulary, format="lark")
    return [text for text in texts if engine.accepts(text)], [
        text for text in texts if lark_grammars.accepts(parser, text)
    ]


@pytest.mark.parametrize(
    ("source", "texts"),
    [
        # "class" cannot come after a modifier of a member, but stands in a state that is merged.
        (
            """
            start: "class" NAME "{" (mods member)* "}" | mods "class" NAME
            mods: "public"?
            member: NAME NAME ";"
            NAME: /[a-z]+/
            %ignore " "
            """,
            ["class a {}", "class a {public a b;}", "class a {public classa b;}", "public class a"],
        ),
        # A rule without sentences lets its terminals compete.
        (
            'start: "a" NAME | "a" lost\nlost: "bb" lost\nNAME: /b+/',
            ["ab", "abb", "abbb"],
        ),
        # lark shifts "else", so what follows is read in the inner statement's context.
        (
            """
            start: s "end"
            s: "if" s | "if" s "else" s | "x" | "y" W
            W: /e[a-z]*/
            %ignore " "
            """,
            ["if x end", "if if x else x end", "if y else else x end", "if y e else x end", "xend"],
        ),
        # The parser never gets what is ignored, but what stands before it competes.
        (
            'start: OPEN WORD | "b"\nWORD: /ab?/\nOPEN.1: "a" | "ab"\n%ignore WORD',
            ["b", "a", "ab", "abb", "aab", "ba"],
        ),
        (
            'start: x WORD y | x "b"\nx: "c"\ny: "ab"\nWORD: /a+/\n%ignore WORD',
            ["cb", "cab", "caab", "cabb", "cabab", "acb"],
        ),
    ],
)
def test_some_texts(byte_vocabulary, source, texts):
    parser = lark_grammars.judge(source, parser="lalr")
    ours, larks = both(parser, source, byte_vocabulary, texts)
    assert ours == larks
    assert larks


@pytest.mark.parametrize(
    "rules",
    [
        # What is ignored takes the beginning of the keyword.
        'start: "1" A (NAME | "select") | "2" A "select"\nM: /s[a-d]*/\n%ignore M',
        # So does what the merged states of the parser look for in vain.
        """
        start: "1" A (NAME | "is") | "2" A s "," | "3" A m "." | "4" A s "." | "5" A m ","
        s: "is"
        m: M
        M: /i[a-d]*/
        """,
        # Another regex that takes the keyword goes on where the first does not.
        'start: "1" A (NAME | "is") "-" | "2" A OTHER | "2" A "is" "-" ","\nOTHER: /[a-z-]+/',
        # A longer string begins as the keyword does.
        'start: "1" A (NAME | "is") "-" "a" | "2" A "is" "-" "a" | "2" A "is-a" ","',
    ],
)
def test_keywords_where_their_regex_does_not_compete(byte_vocabulary, rules):
    """Where it does it takes the keyword as a whole; elsewhere other terminals may take a part."""
    source = f'{rules}\nA: "!"\nNAME: /[a-zA-Z_]+/'
    parser = lark_grammars.judge(source, parser="lalr")
    begins = [f"{digit}!" for digit in "12345"]
    pieces = [*".,-axis", "select", "is-a"]
    ends = ["".join(parts) for n in range(5) for parts in itertools.product(pieces, repeat=n)]
    texts = [begin + end for begin in begins for end in ends]
    ours, larks = both(parser, source, byte_vocabulary, texts)
    assert ours == larks
    prefixes = {text[:length] for text in larks for length in range(len(text) + 1)}
    engine = compiled(source, byte_vocabulary)
    # All short texts that go on do so with two pieces more.
    short = [begin + end for begin in begins for end in ends if len(end) < 4]
    assert [text for text in short if engine.is_prefix(text.encode())] == [
        text for text in short if text in prefixes
    ]
    state = engine.start()
    allowed = {chr(byte) for byte in engine.allowed_tokens(state).to_list()}
    assert allowed & set("12345") == prefixes & set("12345")


def test_a_name_after_a_modifier_in_java(request, byte_vocabulary):
    folder = request.config.rootpath.parent / "shared/data/grammars-and-programs/grammars/lark"
    if not folder.is_dir():
        pytest.skip("shared/data/grammars-and-programs is not here")
    path = folder / "syncode/java.lark"
    parser = lark_programs.larked(path)
    texts = ["public classa b;", "class a { public classa b; }", "class a { public intx b; }"]
    texts += ["public class a {}", "class a { int classa; }", "class a { classa b; }"]
    ours, larks = both(parser, path, byte_vocabulary, texts)
    assert ours == larks
    assert 0 < len(larks) < len(texts)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ('start: a | b\na: "x"\nb: "x"', "reduce/reduce"),
        ('start: [A] [A]\nA: "x"', "alternative twice"),
        ('start: a | b | "y"\na: "x" A\nb: "x" A\nA: "a"\n%ignore A', "reduce/reduce"),
    ],
)
def test_what_lark_refuses(byte_vocabulary, source, message):
    assert lark_grammars.judge(source, parser="lalr") is None
    with pytest.raises(GrammarError, match=message):
        formgate.compile(source, byte_vocabulary, format="lark")


def test_priorities_of_rules_decide(byte_vocabulary):
    source = 'start: a "." | b "," \na.2: "x"\nb: "x" | "y"\nstart2: a | b'
    parser = lark_grammars.judge(source, parser="lalr")
    ours, larks = both(parser, source, byte_vocabulary, ["x.", "x,", "y,", "y."])
    assert set(larks) <= set(ours)


def test_what_lark_never_ends_to_load(byte_vocabulary):
    """Twenty optional items are a million productions; they are read without."""
    items = " ".join(f'["{chr(ord("a") + i)}"]' for i in range(20))
    engine = formgate.compile(f"start: {items}", byte_vocabulary, format="lark")
    assert engine.accepts("act")
    assert not engine.accepts("ca")
