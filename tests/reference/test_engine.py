"""``ReferenceEngine`` is a ``MaskEngine``: decode loop, matcher and adapters run on it."""

from __future__ import annotations

import ast
import doctest
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import formgate
from formgate.core.decoding import Greedy, constrained_decode
from formgate.core.errors import (
    EmptyLanguageError,
    GrammarError,
    StateError,
    TokenError,
    UnsupportedConstraint,
)
from formgate.core.protocol import MaskEngine
from formgate.core.reference import Grammar, ReferenceEngine, Vocabulary, automaton_of

FOLDER = Path(__file__).resolve().parents[2] / "core" / "reference"
JSON = """
value: object | array | STRING | NUMBER
object: LBRACE RBRACE | LBRACE members RBRACE
array: LBRACK RBRACK | LBRACK values RBRACK
members: member | members COMMA member
member: STRING COLON value
values: value | values COMMA value
"""
JSON_TERMINALS = {
    "LBRACE": r"\{", "RBRACE": r"\}", "LBRACK": r"\[", "RBRACK": r"\]", "COMMA": ",", "COLON": ":",
    "STRING": '"[a-c ]*"', "NUMBER": r"-?(0|[1-9][0-9]*)(\.[0-9]+)?", "WS": "[ \n]+",
}  # fmt: skip
TOKENS = [
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b'"',
    b"a",
    b"1",
    b".5",
    b" ",
    b'{"',
    b'":',
    b'"}',
    b"]]",
    b"\n",
]


@pytest.fixture(scope="module")
def json_engine():
    return ReferenceEngine.from_grammar(JSON, JSON_TERMINALS, Vocabulary.of(TOKENS), ignored=["WS"])


class Wanting:
    """A model that wants the tokens of a list, one after the other, then the end."""

    def __init__(self, wanted, size):
        self.wanted = wanted
        self.size = size
        self.at = 0

    def start(self, tokens):
        self.at = 0
        return self._scores()

    def step(self, token):
        self.at += 1
        return self._scores()

    def _scores(self):
        import numpy as np

        scores = np.zeros(self.size, dtype=np.float32)
        wanted = self.wanted[self.at] if self.at < len(self.wanted) else self.size - 1
        scores[wanted] = 9
        return scores


def test_it_is_a_mask_engine(json_engine):
    assert isinstance(json_engine, MaskEngine)


def test_the_decode_loop_runs_on_it(json_engine):
    size = len(json_engine.vocabulary)
    wanted = [TOKENS.index(t) for t in (b'{"', b"a", b'":', b"[", b"1", b".5", b"]", b"}")]
    result = constrained_decode(
        Wanting(wanted, size), json_engine, [0], max_tokens=20, sampler=Greedy()
    )
    assert result.text == '{"a":[1.5]}'
    assert result.complete
    assert result.finish_reason == "stop"
    # What is not allowed is not chosen, however much it is wanted.
    wanted[4] = TOKENS.index(b"}")
    result = constrained_decode(Wanting(wanted, size), json_engine, [0], max_tokens=40)
    assert not result.text.startswith('{"a":[}')
    assert json_engine.is_prefix(result.text)


def test_a_stop_id_ends_and_a_finished_text_is_terminal():
    engine = ReferenceEngine.from_regex("ab", Vocabulary.of([b"a", b"b"]))
    state = engine.advance(engine.advance(engine.start(), 0), 1)
    assert engine.is_terminal(state)
    assert engine.is_accepting(state)
    ended = engine.advance(state, 2)
    assert engine.is_terminal(ended)
    assert engine.is_accepting(ended)
    assert not engine.allowed_tokens(ended)
    with pytest.raises(TokenError):
        engine.advance(ended, 2)
    assert not engine.is_terminal(engine.start())


def test_the_matcher_runs_on_it(json_engine):
    matcher = formgate.Matcher(json_engine)
    assert matcher.accept(TOKENS.index(b"["))
    assert not matcher.accept(TOKENS.index(b"}"))
    assert matcher.accept(TOKENS.index(b"]"))
    assert matcher.is_accepting
    assert matcher.accept(len(TOKENS))
    assert matcher.is_terminated


def test_the_transformers_adapter_runs_on_it():
    torch = pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from formgate.adapters.transformers import FormgateLogitsProcessor

    engine = ReferenceEngine.from_regex("(ab)+", Vocabulary.of([b"a", b"b"]))
    processor = FormgateLogitsProcessor(engine)
    scores = processor(torch.zeros((1, 1), dtype=torch.long), torch.zeros((1, 3)))
    assert torch.isfinite(scores).tolist() == [[True, False, False]]


def test_equal_texts_have_equal_states_and_keys(json_engine):
    def after(*texts):
        state = json_engine.start()
        for text in texts:
            state = json_engine.advance(state, TOKENS.index(text))
        return state

    whole, parts = after(b'{"', b"a", b'":'), after(b"{", b'"', b"a", b'"', b":")
    assert whole == parts
    assert whole.key == parts.key
    assert len(whole.key) == 16
    assert whole.key != after(b"[").key


def test_keys_are_the_same_in_every_process():
    script = (
        "from formgate.core.reference import ReferenceEngine, Vocabulary;"
        "e = ReferenceEngine.from_grammar('s: A s B | A B', {'A': 'a', 'B': 'ba?'},"
        "Vocabulary.of([b'a', b'b', b'ab']));"
        "print(e.advance(e.advance(e.start(), 0), 2).key.hex())"
    )
    keys = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(keys) == 1


def test_a_refused_token_leaves_the_state_as_good_as_before(json_engine):
    state = json_engine.start()
    before = json_engine.allowed_tokens(state)
    for token in (TOKENS.index(b"}"), -1, 1_000):
        with pytest.raises(TokenError, match=f"token {token} is not allowed"):
            json_engine.advance(state, token)
    assert json_engine.allowed_tokens(state) == before
    with pytest.raises(StateError, match="begin with start"):
        json_engine.allowed_tokens(b"no state")


def test_accepts_and_is_prefix_speak_of_the_language_alone():
    engine = ReferenceEngine.from_regex("a(bb)*", Vocabulary.of([b"a", b"bbbb"]))
    assert engine.accepts("abb")
    assert engine.is_prefix(b"ab")
    assert not engine.accepts("ab")
    assert not engine.is_prefix("b")


def test_a_vocabulary_of_another_kind_is_copied():
    vocabulary = formgate.Vocabulary([b"a", None, b"a", b"b"], stop_ids=[1])
    engine = ReferenceEngine.from_regex("a*", vocabulary)
    assert engine.allowed_tokens(engine.start()).to_list() == [0, 1, 2]


def test_the_empty_text_alone_is_a_language():
    engine = ReferenceEngine.from_regex("", Vocabulary.of([b"a"]))
    assert engine.allowed_tokens(engine.start()).to_list() == [1]
    assert engine.is_terminal(engine.start())
    engine = ReferenceEngine.from_grammar("s: A", {"A": "()"}, Vocabulary.of([b"a"]), lexing="any")
    assert engine.is_terminal(engine.start())


def test_terminals_that_match_the_empty_text():
    terminals = {"A": "a*", "B": "b"}
    vocabulary = Vocabulary.of([b"a", b"b"])
    engine = ReferenceEngine.from_grammar("s: A B A", terminals, vocabulary, lexing="any")
    assert all(engine.accepts(text) for text in ("b", "ab", "ba", "aabaa"))
    with pytest.raises(GrammarError, match="'A' matches the empty text"):
        ReferenceEngine.from_grammar("s: A B A", terminals, vocabulary)


def test_an_automaton_for_a_pattern():
    words, keyword = automaton_of("[a-b]+"), automaton_of("ab")
    names = words.product(keyword, lambda word, excluded: word and not excluded)
    engine = ReferenceEngine.from_regex(names, Vocabulary.of([b"a", b"b"]))
    state = engine.advance(engine.advance(engine.start(), 0), 1)
    assert not engine.is_accepting(state)
    assert engine.is_accepting(engine.advance(state, 1))


@pytest.mark.parametrize(
    ("arguments", "options", "error", "reason"),
    [
        (("s: A", {}), {}, GrammarError, "'A', which has neither rules nor a pattern"),
        (("s: A", {"A": "a"}), {"ignored": ["B"]}, GrammarError, "'B' is to be ignored"),
        (("s: A", {"A": "a"}), {"ignored": ["A"]}, GrammarError, "ignored and yet"),
        (("s: A", {"A": "("}), {}, GrammarError, "never closed"),
        (("s: A", {"A": "c"}), {}, EmptyLanguageError, "no sequence of tokens"),
        (("s: s A", {"A": "a"}), {}, EmptyLanguageError, "derives no sentence"),
        (("s: A", {"A": r"\w"}), {}, UnsupportedConstraint, "outside of the syntax"),
    ],
)
def test_bad_sources_are_refused(arguments, options, error, reason):
    with pytest.raises(error, match=reason):
        ReferenceEngine.from_grammar(*arguments, Vocabulary.of([b"a", b"b"]), **options)


def test_no_text_at_all():
    nothing = automaton_of("a").product(automaton_of("b"), lambda x, y: x and y)
    with pytest.raises(EmptyLanguageError, match="no text matches"):
        ReferenceEngine.from_regex(nothing, Vocabulary.of([b"a"]))


def test_a_grammar_object_and_its_text_are_the_same():
    text = ReferenceEngine.from_grammar("s: A s |", {"A": "a"}, Vocabulary.of([b"a"]))
    grammar = Grammar("s", {"s": [["A", "s"], []]})
    rules = ReferenceEngine.from_grammar(grammar, {"A": "a"}, Vocabulary.of([b"a"]))
    assert text.start() == rules.start()


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_examples_of_docstrings(path):
    name = "" if path.stem == "__init__" else f".{path.stem}"
    module = importlib.import_module(f"formgate.core.reference{name}")
    assert doctest.testmod(module).failed == 0


def test_nothing_here_computes_with_native_code():
    """import-linter does not see extension modules, so their name is looked for in the sources."""
    for path in FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or "", *(alias.name for alias in node.names)]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            assert not any("_native" in name for name in names), path
            if "formgate.core.protocol" in names:
                assert path.name == "engine.py", path
