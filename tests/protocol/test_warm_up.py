"""Masks that are made ahead: which, for how long, and that they are the masks of all others."""

from __future__ import annotations

import signal
import threading
import time
import types

import hypothesis
import pytest
from hypothesis import strategies as st

import formgate
from formgate.core import compiler
from formgate.core.compiler import build_grammar
from formgate.core.errors import LimitError
from formgate.core.grammar import CancelToken, GrammarBuilder, Limits
from formgate.core.registry import Format, PluginWarning, Registry, hookimpl

WORDS = ["a", "ab", "abc", "b", "bc", "c", '"', '":', ' "', '{"', '"}', "12", "1", "2", "é", " "]
OWN = 256 + len([word for word in WORDS if len(word.encode()) > 1])  # the last is each one's own


def vocabulary(extra: str) -> formgate.Vocabulary:
    """Return a vocabulary that no other test has, so that nothing is known of it yet."""
    tokens = [*(bytes([byte]) for byte in range(256)), *(word.encode() for word in WORDS[1:])]
    return formgate.Vocabulary([*dict.fromkeys([*tokens, extra.encode()]), None], stop_ids=[])


def made(engine: formgate.Engine, tokens: list[bytes]) -> int:
    """Return how much the masks take that are met along some tokens."""
    names = {engine.vocabulary.token_bytes(token): token for token in range(len(engine.vocabulary))}
    state = engine.start()
    for text in tokens:
        engine.allowed_tokens(state)
        state = engine.advance(state, names[text])
    engine.allowed_tokens(state)
    return engine.memory_usage()["masks"]


def test_masks_are_there_afterwards() -> None:
    engine = formgate.compile("(abc[0-9]{2})+é", vocabulary("there"), warm_up=False)
    cold = engine.memory_usage()["masks"]
    assert engine.warm_up("abc12abc") == 3
    warm = engine.memory_usage()["masks"]
    assert warm > cold
    assert made(engine, [b"abc", b"12", b"abc"]) == warm
    assert made(engine, [b"ab", b"c"]) > warm


def test_the_longest_token_that_goes_on_is_taken() -> None:
    engine = formgate.compile("ab(c|é)?", vocabulary("longest"))
    assert engine.warm_up("abé") == 2  # "ab", and not the first byte of "é"
    assert engine.warm_up("abc") == 1


@pytest.mark.parametrize(
    ("pieces", "tokens"),
    [
        (["ab", "12"], 2),  # "c" is between them
        (["", "c", "12é"], 3),  # "ab" before
        (["abc", "é"], 4),  # two digits
        (["abc12", ""], 3),  # to where the text may end
        (["abc", "x"], 4),  # which never comes
        (["abcx", "1"], 1),
        ([], 0),
        ([""], 0),
        (["x"], 0),
    ],
)
def test_between_pieces_stands_the_shortest_text(pieces: list[str], tokens: int) -> None:
    engine = formgate.compile("abc[0-9]{2}é", vocabulary("pieces"))
    assert engine.warm_up(pieces) == tokens
    assert engine.warm_up(tuple(piece.encode() for piece in pieces)) == tokens


@pytest.mark.parametrize(
    ("pattern", "tokens"),
    [
        ("abc[0-9]{2}é", 4),  # "abc", two digits, "é"
        ("", 0),
        ("a*", 0),
        ("(ab|abcabc){2}", 1),  # "abab" is not known as one
        ("[^a]{3}|zzzz", 3),
        ("a{200}", 64),  # as many bytes as are looked for
        (r"(?=.*1)[a-z0-9]{4}", 1),  # lengths are bounds from below
    ],
)
def test_the_shortest_text(pattern: str, tokens: int) -> None:
    words = vocabulary("shortest")
    assert formgate.compile(pattern, words).warm_up() >= tokens
    assert formgate.compile(pattern, words).warm_up(None, 0.0) == 0


@pytest.mark.parametrize(
    ("form", "grammar", "tokens"),
    [
        ("gbnf", 'root ::= "a" root "b" | "c"', 1),
        ("gbnf", 'root ::= "a" two\ntwo ::= root two | "12" ("é" | "bbb" root)', 3),  # "a12é"
        ("gbnf", "root ::= root root | [a-c] [0-9]{3}", 3),  # "a", and "12" or "00"
        ("lark", 'start: "a" start "b" | "c"', 1),
        ("lark", 'start: NAME "12" (start "é" | "2")\nNAME: /[a-c]+/\n%ignore " "', 3),
        ("lark", "start: (A | B start)+\nA: /abc{3,9}/\nB: /x/", 3),  # "abc", "c", "c"
        ("lark", 'start: "a"*', 0),
    ],
)
def test_the_shortest_text_of_rules(form: str, grammar: str, tokens: int) -> None:
    words = vocabulary(f"rules {grammar}")
    engine = formgate.compile(grammar, words, format=form, warm_up=False)
    assert engine.warm_up() >= tokens
    assert engine.warm_up(None, 0.0) == 0


@pytest.mark.parametrize(
    ("form", "source", "text"),
    [
        ("regex", '"[a-z]{1,9}"', '"aaaaaaa'),  # the shortest text has one letter
        ("regex", "[0-9]{2}(-[0-9]{2})?", "00-00"),
        ("gbnf", 'root ::= "(" root* ")"', "((((("),
        ("gbnf", 'root ::= "abc" | "abd" root', "abdabdabd"),
        ("lark", 'start: "(" start* ")"', "((((("),
        ("lark", 'start: "x" TEXT\nTEXT: /"[a-z]{1,9}"/', 'x"aaaaa'),
    ],
)
def test_other_states_are_looked_at(
    form: str, source: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiler, "_WARM_UP_SHARE", 1e6)
    tokens = [bytes([byte]) for byte in text.encode()]
    warm = formgate.compile(source, vocabulary(f"other {source}"), format=form)
    before = warm.memory_usage()["masks"]
    made(warm, tokens[:-1])
    few = warm.memory_usage()["masks"] - before
    cold = formgate.compile(source, vocabulary(f"cold {source}"), format=form, warm_up=False)
    before = cold.memory_usage()["masks"]
    made(cold, tokens[:-1])
    many = cold.memory_usage()["masks"] - before
    assert few < many / 4


def test_seconds_are_a_number():
    engine = formgate.compile("ab", vocabulary("ab"), warm_up=False)
    with pytest.raises(ValueError, match="max_s must be a number of seconds, not nan"):
        engine.warm_up("ab", float("nan"))


def test_a_text_of_rules_is_gone_along() -> None:
    engine = formgate.compile('root ::= "a" root "b" | "c"', vocabulary("rules"), format="gbnf")
    assert engine.warm_up("aacbb") == 5


def test_rules_of_which_too_much_would_be_asked_have_no_shortest_text() -> None:
    # Rounds over all of these took a minute, whatever the deadline.
    count = 5000
    lines = ["root ::= r1"]
    for i in range(1, count):
        other = f'"a{i}" r{i % (count - 1) + 1} | r{i * 7 % count or 1} "b"'
        lines.append(f"r{i} ::= {other}" + (' | "z"' if i == count - 1 else ""))
    engine = formgate.compile(
        "\n".join(lines), vocabulary("many rules"), format="gbnf", warm_up=False
    )
    assert engine.warm_up() == 0
    assert engine.is_prefix("a1a2")


def test_no_time_no_masks() -> None:
    engine = formgate.compile("[a-f]{9}", vocabulary("no time"))
    assert engine.warm_up("abc", 0.0) == 0
    assert engine.warm_up("abc", -1.0) == 0
    token = CancelToken()
    token.cancel()
    assert engine.warm_up("abc", cancel=token) == 0


@pytest.mark.parametrize("text", [1, None, True, {"a": 1}, [1], ["a", None], b"a"[0], object()])
def test_what_is_no_text_is_refused(text: object) -> None:
    engine = formgate.compile("a", vocabulary("refused"))
    if text is not None:
        with pytest.raises(TypeError, match="text"):
            engine.warm_up(text)  # type: ignore[arg-type]
    if text is not True:
        with pytest.raises(TypeError, match="warm_up is True, False, a text or a list of texts"):
            formgate.compile("a", engine.vocabulary, warm_up=text)  # type: ignore[arg-type]


def test_a_limit_ends_it_quietly() -> None:
    pattern = r"(?:(?:(?:(?:\w){0,48}.{1,30}){1,32}\S{2,50}){1,90}[^b]?){1,31}"
    engine = formgate.compile(pattern, vocabulary("limit"), limits=Limits(max_growth=60))
    assert engine.warm_up("abc12aébc") == 0
    with pytest.raises(LimitError):
        engine.allowed_tokens(engine.start())


@hypothesis.settings(max_examples=60, deadline=None)
@hypothesis.given(
    pattern=st.sampled_from(
        ["(ab|a[bc]{1,3})*c", 'a?("[^"]*":[0-9]+)+', "(?:é| |ab){3,9}", '\\{"a": ("b?"|12)\\}']
    ),
    pieces=st.lists(st.lists(st.sampled_from([*WORDS, "{"]), max_size=6), max_size=3),
)
def test_masks_are_those_of_other_engines(pattern: str, pieces: list[list[str]]) -> None:
    words = vocabulary("the same")
    warm = formgate.compile(pattern, words, warm_up=["".join(piece) for piece in pieces])
    cold = formgate.compile(pattern, vocabulary(f"{pattern}{pieces}"[:40]), warm_up=False)
    state, other = warm.start(), cold.start()
    for token in "".join(part for piece in pieces for part in piece).encode():
        found = warm.allowed_tokens(state).to_list()
        assert [one for one in found if one < OWN] == [
            one for one in cold.allowed_tokens(other).to_list() if one < OWN
        ]
        if token not in found:
            break
        state, other = warm.advance(state, token), cold.advance(other, token)


def expecting(likely: object) -> Registry:
    """Return a registry with a format that expects texts, and one that embeds it."""

    def write(source: object, builder: GrammarBuilder, options: object) -> None:
        builder.start(builder.star(builder.char_class([(ord("a"), ord("f"))])))
        builder.expect(likely)  # type: ignore[arg-type]

    def outer(size: int) -> str:
        return "<"

    def write_outer(source: object, builder: GrammarBuilder, options: object) -> None:
        assert builder.part_expects is None
        builder.expect(outer)
        inner = builder.embed("expecting", source)
        assert builder.part_expects is likely
        builder.start(builder.seq(builder.literal("<"), inner))

    class Plugin:
        @hookimpl
        def register_formats(self, register: object) -> None:
            register(Format("expecting", write))  # type: ignore[operator]
            register(Format("outer", write_outer))  # type: ignore[operator]

    registry = Registry(load=False)
    registry.register(Plugin(), name="expecting")
    return registry


def test_what_a_format_expects_is_made() -> None:
    asked: list[int] = []

    def likely(size: int) -> str:
        asked.append(size)
        time.sleep(0.001)  # nothing is left of the time
        return "abc"

    registry = expecting(likely)
    words = vocabulary("expects")
    formgate.compile("", words, format="expecting", registry=registry)
    assert len(asked) == 1
    assert asked[0] > 0
    formgate.compile("", words, format="expecting", registry=registry, warm_up=False)
    formgate.compile("", words, format="expecting", registry=registry, warm_up="abc")
    formgate.compile("", words, format="outer", registry=registry)
    assert len(asked) == 1
    grammar = build_grammar("", format="expecting", registry=registry)
    assert grammar.likely is likely
    assert grammar.take_read_s() > 0
    assert grammar.take_read_s() == 0  # answered
    assert len(asked) == 1
    assert build_grammar("a").likely is None


def test_nothing_can_be_expected_of_a_grammar_that_is_built() -> None:
    builder = GrammarBuilder()
    builder.start(builder.literal("a"))
    builder.build()
    with pytest.raises(formgate.GrammarError, match="built already"):
        builder.expect(lambda size: "a" * size)


def test_long_texts_are_left_where_the_time_is_over() -> None:
    text = "a" * 3_000_000  # takes seconds
    words = vocabulary("deadline")
    engine = formgate.compile("a*", words, warm_up=text)
    assert engine.warm_up(text, 0.01) < len(text)
    formgate.compile("a*", words, timeout_s=5.0, warm_up=text)


def test_other_threads_go_on_meanwhile() -> None:
    engine = formgate.compile("[ab]*", vocabulary("threads"))
    stop = CancelToken()
    worker = threading.Thread(target=engine.warm_up, args=("ab" * 3_000_000, 20.0, stop))
    worker.start()
    ticks = [engine.accepts("ab") for _ in range(20)]
    stop.cancel()
    worker.join()
    assert all(ticks)


@pytest.fixture
def in_any_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let masks be made ahead however little time compiling took."""
    monkeypatch.setattr(compiler, "_WARM_UP_SHARE", 1e6)


@pytest.mark.usefixtures("in_any_time")
@pytest.mark.parametrize("wrong", [1, None, True, {"a": 1}, bytearray(b"a"), [1], "\ud800"])
def test_what_is_expected_wrongly_is_a_warning(wrong: object) -> None:
    registry = expecting(lambda size: wrong)
    with pytest.warns(PluginWarning, match="what format 'expecting' expects"):
        engine = formgate.compile("", vocabulary("wrong"), format="expecting", registry=registry)
    assert engine.accepts("abc")


@pytest.mark.usefixtures("in_any_time")
def test_what_fails_to_say_what_it_expects_is_a_warning() -> None:
    def fail(size: int) -> str:
        raise LookupError(size)

    with pytest.warns(PluginWarning, match="LookupError"):
        formgate.compile("", vocabulary("fails"), format="expecting", registry=expecting(fail))


def test_only_what_can_be_called_is_expected() -> None:
    with pytest.raises(TypeError, match="expect takes a function"):
        GrammarBuilder().expect("abc")  # type: ignore[arg-type]


def test_nothing_is_asked_after_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def likely(size: int) -> str:
        asked.append(size)
        return "abc"

    times = iter([0.0, 0.0, 0.1, 0.2])  # of the start, twice, and of the grammar

    def clock() -> float:
        return next(times, 5.0)

    registry = expecting(likely)
    words = vocabulary("after")
    monkeypatch.setattr(compiler, "time", types.SimpleNamespace(perf_counter=clock))
    engine = formgate.compile("", words, format="expecting", registry=registry, timeout_s=1.0)
    assert engine.accepts("abc")
    assert not asked


def test_a_signal_ends_it() -> None:
    class SignalError(Exception):
        pass

    def handle(*_: object) -> None:
        raise SignalError

    engine = formgate.compile("[ab]*", vocabulary("signal"))
    before = signal.signal(signal.SIGALRM, handle)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(SignalError):
            engine.warm_up("ab" * 20_000_000)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert engine.warm_up("abab") > 0


def test_a_cancelled_compilation_is_cancelled_while_masks_are_made() -> None:
    token = CancelToken()

    def likely(size: int) -> str:
        token.cancel()
        return "abc"

    with pytest.raises(formgate.CompileCancelled):
        formgate.compile(
            "",
            vocabulary("cancelled"),
            format="expecting",
            registry=expecting(likely),
            cancel=token,
        )


def test_a_lone_surrogate_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="lone surrogate"):
        formgate.compile("(", vocabulary("lone"), warm_up=["a", "\ud800"])
