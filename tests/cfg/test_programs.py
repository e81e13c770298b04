"""Real programs by real grammars through the Lark format, judged by lark.

What lark's LALR parser takes must be taken, token by token. What it refuses is refused, or taken
for the reason in ``docs/reference/lark.md``: a conflict that it resolves. Then a reader with every
reading of these (``lark_reader``) has the last word; and it says
where a text cannot go on: at the end of the longest lexeme that may still be open. That relation
holds to the character, where lark itself knows lexemes only. One grammar has lexemes that may be
open and cannot lead on: in lark's own, a comment takes the line breaks before it, and nothing may
follow it where no line may end; there the place lies between the last lexeme and that end.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import pytest

pytest.importorskip("lark")
pytest.importorskip("regex")

import lark_grammars
import lark_programs
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from lark.exceptions import LarkError
from lark_reader import Reader, lark_stop

import formgate
from formgate.core.compiler import build_grammar
from formgate.core.errors import LimitError
from formgate.core.grammar import MaskOptions

SWITCHES = ("class_tables", "automaton_walk", "split_parts", "cut_subtrees", "keep_masks")
WAYS = {
    "contextual": {},
    "basic": {"lexer": "basic"},
    "longest": {"lexing": "longest"},
    "longest, basic": {"lexing": "longest", "lexer": "basic"},
}
SAMPLE = {"lark": 12}
LARGE = ("go", "python-syncode", "python-outlines")  # a second each to load, or more
# Some of their programs lark refuses where it resolves a conflict.
READ_OTHERWISE = (("go", "contextual"), ("java", "contextual"))
COUNTS = Counter()
# What may go on a Lark grammar that was broken off.
PIECES = ["\n", " ", "a", "A", ": a", "\n| a", '"', "/", ")", "]", "}", "-> a", "*/", "1"]
# Their strings, ([^\\"]|.)*?, take the judge exponential time where they do not end.
NO_PLACES = ("python-outlines",)


@dataclass
class Opened:
    """A grammar, read by lark and by us."""

    name: str
    source: object
    start: str
    way: str
    parser: object
    engine: formgate.Engine

    @cached_property
    def reader(self):
        lexer = WAYS[self.way].get("lexer", "contextual")
        longest = self.way.startswith("longest")
        return Reader(self.parser, contextual=lexer == "contextual", longest=longest)

    @cached_property
    def has_conflicts(self):
        return lark_grammars.has_conflicts(self.parser)


@pytest.fixture(scope="module")
def folder(request):
    found = request.config.rootpath.parent / "shared/data/grammars-and-programs"
    if not found.is_dir():
        pytest.skip("shared/data/grammars-and-programs is not here")
    return found


@pytest.fixture(scope="module")
def opened(folder, byte_vocabulary):
    """Return a function that opens a grammar, each one once."""
    known = {}

    def find(name, way="contextual"):
        if (name, way) not in known:
            path, start, _ = lark_programs.GRAMMARS[name]
            source = folder / "grammars/lark" / path
            lexer = WAYS[way].get("lexer", "contextual")
            parser = lark_programs.larked(source, start=start, lexer=lexer)
            engine = formgate.compile(
                source, byte_vocabulary, format="lark", start=start, **WAYS[way]
            )
            known[name, way] = Opened(name, source, start, way, parser, engine)
        return known[name, way]

    return find


@pytest.fixture(scope="module")
def spellings(tekken_vocabulary):
    """Return the token of each spelling in Tekken, and the length of the longest."""
    tokens = {}
    for token in range(len(tekken_vocabulary)):
        spelling = tekken_vocabulary.token_bytes(token)
        if spelling:
            tokens.setdefault(spelling, token)
    return tokens, max(map(len, tokens))


def spelled(spellings, text, chance=None):
    """Spell bytes, with the longest tokens or by chance."""
    tokens, longest = spellings
    spelling = []
    place = 0
    while place < len(text):
        most = min(longest, len(text) - place)
        lengths = [n for n in range(most, 0, -1) if text[place : place + n] in tokens]
        length = chance.choice(lengths) if chance else lengths[0]
        spelling.append(tokens[text[place : place + length]])
        place += length
    return spelling


def goes_on(parser, text):
    """Whether lark itself parses a beginning of a Lark grammar with a few lexemes behind it."""
    for number in range(4):
        for more in itertools.product(PIECES, repeat=number):
            try:
                parser.parse(text + "".join(more))
            except LarkError:
                continue
            return True
    return False


def check(one, text):
    """Compare one text; return whether lark parses it."""
    raw = text.encode()
    taken = one.engine.accepts(raw)
    viable = one.engine.validate(one.engine.start(), list(raw))
    stop = lark_stop(one.parser, text)
    same_cut = not one.way.startswith("longest")
    COUNTS["programs"] += 1
    COUNTS["parsed by lark"] += stop.whole
    if stop.whole and same_cut:
        assert taken
        assert viable == len(raw)
        return stop.whole
    reading = one.reader.read(text)
    assert taken == reading.whole
    names = next((names for place, names in reading.places if place >= stop.end), None)
    # What competes in vain may end a lexeme before what the rules could take would.
    in_vain = same_cut and names is not None and not stop.competing <= names
    if one.name not in NO_PLACES:
        place = len(raw[:viable].decode(errors="ignore"))
        reach = one.reader.reach(text, reading)
        if place > reach:
            # Text to come may cut what is before it in another way: " JOIN" is one lexeme, where
            # " JOI" is a space and the beginning of a name.
            reach, beyond = (
                one.reader.reach(begun, one.reader.read(begun))
                for begun in (text[:place], text[: place + 1])
            )
            assert place == len(text) or beyond <= place
        least = reading.end
        if one.name == "lark" and reading.tokens:
            # After a comment beside a rule's name only "\n" may come, which only begins another
            # comment: the first one is refused as soon as it begins.
            least = reading.tokens[-1][1]
        may_be_less = in_vain or one.name == "lark"
        assert place == reach or (may_be_less and least <= place < reach)
        if one.name == "lark" and place < reach:
            COUNTS["refused before the reach"] += 1
            assert not goes_on(one.parser, text[: place + 1])
    if same_cut:
        assert reading.tokens[: len(stop.tokens)] == stop.tokens
        if taken or reading.tokens != stop.tokens:
            COUNTS["taken further than by lark"] += 1
            assert one.has_conflicts
    return taken


def check_tokens(engine, spelling, *, whole):
    """Feed tokens one by one, each allowed by the mask and by itself."""
    state = engine.start()
    for token in spelling:
        assert token in engine.allowed_tokens(state)
        assert engine.is_allowed(state, token)
        state = engine.advance(state, token)
    assert engine.is_accepting(state) == whole
    COUNTS["tokens"] += len(spelling)
    return state


def check_spelling(one, engine, spellings, text, chance):
    """Spell a text in two ways; where it is refused, it is by the token that goes wrong."""
    raw = text.encode()
    viable = one.engine.validate(one.engine.start(), list(raw))
    for way in (None, chance):
        spelling = spelled(spellings, raw, way)
        ends = list(accumulate(len(engine.vocabulary.token_bytes(token)) for token in spelling))
        able = sum(end <= viable for end in ends)
        taken = raw[: ends[able - 1]] if able else b""
        state = check_tokens(engine, spelling[:able], whole=one.engine.accepts(taken))
        if able < len(spelling):
            assert spelling[able] not in engine.allowed_tokens(state)
            assert not engine.is_allowed(state, spelling[able])


def chosen(folder, name, count=None):
    """Return the programs of a grammar, or some of them."""
    found = lark_programs.programs(folder, lark_programs.GRAMMARS[name][2])
    assert found
    count = SAMPLE.get(name, 8) if count is None else count
    return found if len(found) <= count else random.Random(1).sample(found, count)


@pytest.mark.parametrize("name", [name for name in lark_programs.GRAMMARS if name not in LARGE])
def test_some_programs(folder, opened, name):
    one = opened(name)
    for program in chosen(folder, name):
        check(one, program.text)


@pytest.mark.parametrize(
    ("name", "way"),
    [
        pytest.param(name, way, marks=[] if (name, way) in READ_OTHERWISE else [pytest.mark.slow])
        for way in WAYS
        for name in (lark_programs.GRAMMARS if way == "contextual" else ("java", "json", "sql"))
    ],
)
def test_all_programs(folder, opened, name, way):
    COUNTS.clear()
    one = opened(name, way)
    for program in chosen(folder, name, 10_000):
        check(one, program.text)
    print(name, way, dict(COUNTS))  # noqa: T201 (shown with -s)
    assert COUNTS["parsed by lark"] or name in ("c", "json-composition")


def token_engine(one, vocabulary, **options):
    grammar = build_grammar(one.source, format="lark", start=one.start, **WAYS[one.way])
    return grammar.compile(vocabulary, **options)


def compare_spellings(opened, tekken_vocabulary, spellings, name, texts):
    one = opened(name)
    engine = token_engine(one, tekken_vocabulary)
    chance = random.Random(7)
    for text in texts:
        check_spelling(one, engine, spellings, text, chance)


@pytest.mark.parametrize("name", ["java", "json", "sql", "lark", "python-lark"])
def test_some_spellings(folder, opened, tekken_vocabulary, spellings, name):
    texts = [program.text for program in chosen(folder, name, 3)]
    compare_spellings(opened, tekken_vocabulary, spellings, name, texts)


@pytest.mark.slow
@pytest.mark.parametrize("name", lark_programs.GRAMMARS)
def test_all_spellings(folder, opened, tekken_vocabulary, spellings, name):
    COUNTS.clear()
    texts = [program.text for program in chosen(folder, name, 10_000)]
    compare_spellings(opened, tekken_vocabulary, spellings, name, texts)
    print(name, len(texts), "programs", dict(COUNTS))  # noqa: T201 (shown with -s)


def missing_tokens(engine, state):
    """Return how many tokens are missing to the end; None if that takes long to find out."""
    try:
        return engine.min_tokens(state, 2_000)
    except LimitError:
        return None


def finished(engine, text):
    """Return a text and what is missing to its end, in the fewest bytes; None if that is much."""
    raw = bytearray(text.encode())
    state = engine.advance_many(engine.start(), list(raw))
    missing = missing_tokens(engine, state)
    while missing:
        for token in engine.allowed_tokens(state).ids():
            following = engine.advance(state, int(token))
            if missing_tokens(engine, following) == missing - 1:
                break
        state, missing = following, missing - 1
        raw.append(int(token))
    return None if missing is None else raw.decode()


@pytest.mark.parametrize("name", ["java", "json", "sql"])
def test_beginnings(folder, opened, name):
    """What its source calls a beginning is one if a lexeme is open at its end, or all were taken.

    It is finished in the shortest way, and lark parses that.
    """
    one = opened(name)
    ends = 0
    for program in chosen(folder, name, 10_000):
        if not program.partial:
            continue
        reading = one.reader.read(program.text)
        wanted = one.reader.reach(program.text, reading) == len(program.text)
        assert one.engine.is_prefix(program.text) == wanted
        whole = finished(one.engine, program.text) if wanted else None
        if whole is not None:
            ends += 1
            assert check(one, whole)
    assert ends > 2


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data(), name=st.sampled_from(["java", "json", "sql", "lark", "python-lark", "c"]))
def test_damaged_programs(folder, opened, data, name):
    one = opened(name)
    text = data.draw(st.sampled_from(chosen(folder, name))).text[:300]
    first, last = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
    event(str(check(one, text[:first] + text[last:])))
    letter = data.draw(st.sampled_from(text or " "))
    check(one, text[:first] + letter + text[first:])


def compare_switches(one, vocabulary, spelling):
    """Compare the masks along a text with each optimisation left out, and with none left."""
    options = [{switch: False} for switch in SWITCHES] + [dict.fromkeys(SWITCHES, False)]
    engines = [token_engine(one, vocabulary)]
    engines += [token_engine(one, vocabulary, options=MaskOptions(**each)) for each in options]
    states = [engine.start() for engine in engines]
    for token in spelling:
        masks = [
            engine.allowed_tokens(state) for engine, state in zip(engines, states, strict=True)
        ]
        assert all(mask == masks[0] for mask in masks)
        if token not in masks[0]:
            break
        states = [
            engine.advance(state, token) for engine, state in zip(engines, states, strict=True)
        ]


def test_switches(folder, opened, tekken_vocabulary, spellings):
    (program,) = chosen(folder, "java", 1)
    spelling = spelled(spellings, program.text.encode())
    compare_switches(opened("java"), tekken_vocabulary, spelling[:8])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["java", "go", "sql", "lark"])
def test_switches_along_programs(folder, opened, tekken_vocabulary, spellings, name):
    for program in chosen(folder, name, 2):
        spelling = spelled(spellings, program.text.encode())
        compare_switches(opened(name), tekken_vocabulary, spelling[:200])
