"""The backend for vLLM, driven by a scheduler that plays vLLM's calls."""

from __future__ import annotations

import json
import re
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytest.importorskip("torch")
pytest.importorskip("transformers")

import fakes
from fake_scheduler import FakeScheduler, Request, row_ids

SIZE = 352
SCHEMA = {
    "type": "object",
    "properties": {"a": {"enum": ["x", "y"]}, "b": {"type": "integer", "maximum": 99}},
    "required": ["a"],
    "additionalProperties": False,
}
TAG = {
    "structures": [{"begin": "<f>", "schema": {"enum": [1, 2]}, "end": "</f>"}],
    "triggers": ["<f"],
    "at_least_one": True,
}


class Number(str):
    """A JSON number as it is written."""

    __slots__ = ()


def is_small(number):
    """Whether a JSON number is an integer, 99 at most; exponents may be beyond any type's."""
    sign, whole, part, power = re.fullmatch(r"(-?)(\d+)(?:\.(\d+))?(?:[eE](.+))?", number).groups()
    digits = (whole + (part or "")).strip("0") or "0"
    zeros = len(whole) - len((whole + (part or "")).rstrip("0")) + int(power or 0)
    if digits == "0":
        return True
    return zeros >= 0 and (sign == "-" or (zeros < 2 and int(digits) * 10**zeros <= 99))


def is_json(text):
    value = json.loads(text, parse_float=Number, parse_int=Number)
    b = value.get("b", Number(0))
    known = value["a"] in ("x", "y") and value.keys() <= {"a", "b"}
    return known and isinstance(b, Number) and is_small(b)


def is_tagged(text):
    """A tag first; then free text, in which every trigger begins another."""
    if not re.fullmatch(r"<f>[^<]*</f>(?:(?!<f).|<f>[^<]*</f>)*", text, re.DOTALL):
        return False
    return all(json.loads(each) in (1, 2) for each in re.findall(r"<f>([^<]*)</f>", text))


# Kind, text, and whether a finished output is right, said without formgate.
CASES = [
    ("regex", r"(19|20)\d\d-[01]\d", re.compile(r"(19|20)\d\d-[01]\d").fullmatch),
    ("regex", r"(abc ?)*", re.compile(r"(abc ?)*").fullmatch),
    ("json", json.dumps(SCHEMA), is_json),
    ("json_object", "", lambda text: isinstance(json.loads(text), dict)),
    ("choice", '["red", "redder", "green"]', ("red", "redder", "green").__contains__),
    (
        "grammar",
        'root ::= "a" root "b" | "c"',
        lambda t: t == "a" * (len(t) // 2) + "c" + "b" * (len(t) // 2),
    ),
    ("grammar", 'start: ("x" NUM)+\nNUM: /[0-9]+/', re.compile("(x[0-9]+)+").fullmatch),
    ("grammar", '# formgate: ebnf\nlist ::= "a" ("," "a")*', re.compile("a(,a)*").fullmatch),
    (
        "structural_tag",
        json.dumps(TAG),
        is_tagged,
    ),
]


@pytest.fixture
def backend(fake_vllm, tokenizer):
    from formgate.adapters.vllm import FormgateBackend

    return FormgateBackend(fakes.config(SIZE), tokenizer, SIZE)


def options(kind):
    return fakes.StructuredOutputOptions[kind.upper()]


def request(backend, kind, text, stops):
    grammar = backend.compile_grammar(options(kind), text, stops)
    return Request(kind, grammar, grammar._sequence.matcher.engine, stops)


@pytest.mark.parametrize("drafts", [0, 3])
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}-{case[1][:20]}")
def test_outputs_are_right(backend, tokenizer, case, drafts):
    kind, text, is_right = case
    stops = {tokenizer.eos_token_id}
    finished = 0
    for seed in range(4):
        scheduler = FakeScheduler(backend, drafts=drafts, seed=seed, size=SIZE)
        requests = [request(backend, kind, text, stops) for _ in range(2)]
        scheduler.run(requests, 60)
        for each in requests:
            if each.finished:
                finished += 1
                assert is_right(tokenizer.decode(each.output[:-1]))
    assert finished or kind in ("json_object", "structural_tag")


@given(seed=st.integers(0, 10**6), drafts=st.integers(0, 4), case=st.sampled_from(CASES))
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_random_runs(backend, tokenizer, seed, drafts, case):
    kind, text, is_right = case
    stops = {tokenizer.eos_token_id}
    scheduler = FakeScheduler(backend, drafts=drafts, seed=seed, size=SIZE)
    each = request(backend, kind, text, stops)
    scheduler.run([each], 30)
    if each.finished:
        assert is_right(tokenizer.decode(each.output[:-1]))


@pytest.mark.parametrize("others", [{340}, {340, 341}, {1, 340}])
def test_stop_ids_of_the_request(backend, tokenizer, others):
    """Ids without text end an output where it may end; the tokenizer's own then does not."""
    scheduler = FakeScheduler(backend, drafts=2, seed=1, size=SIZE)
    requests = [request(backend, "regex", "a{1,3}", others) for _ in range(4)]
    scheduler.run(requests, 20)
    assert all(each.finished and each.output[-1] in others for each in requests)
    base = request(backend, "regex", "a{1,3}", None)
    grammar = requests[0].grammar
    grammar.reset()
    a = tokenizer.convert_tokens_to_ids("a")
    for each in (grammar, base.grammar):
        assert each.accept_tokens("x", [a])
    bitmask = backend.allocate_token_bitmask(2)
    grammar.fill_bitmask(bitmask, 0)
    base.grammar.fill_bitmask(bitmask, 1)
    eos = {tokenizer.eos_token_id}
    assert row_ids(bitmask, 0, SIZE) - others == row_ids(bitmask, 1, SIZE) - eos
    assert others <= row_ids(bitmask, 0, SIZE)
    assert grammar.validate_tokens([a, min(others)]) == [a, min(others)]
    assert grammar.validate_tokens(list(eos)) == ([] if not eos & others else list(eos))


def test_a_stop_id_with_text_ends_the_output_and_is_no_text(backend, tokenizer):
    a, b = (tokenizer.convert_tokens_to_ids(letter) for letter in "ab")
    grammar = backend.compile_grammar(options("regex"), "(a|b)*", {b})
    bitmask = backend.allocate_token_bitmask(1)
    grammar.fill_bitmask(bitmask, 0)
    assert b in row_ids(bitmask, 0, SIZE)
    assert grammar.accept_tokens("x", [a, b])
    assert grammar.is_terminated()
    grammar = backend.compile_grammar(options("regex"), "ac|bc", {b})
    grammar.fill_bitmask(bitmask, 0)
    assert b not in row_ids(bitmask, 0, SIZE)  # as text it would have been right


def test_rollback_across_the_end(backend, tokenizer):
    a, stop = tokenizer.convert_tokens_to_ids("a"), tokenizer.eos_token_id
    grammar = backend.compile_grammar(options("regex"), "a*", {stop})
    bitmask = backend.allocate_token_bitmask(2)
    grammar.fill_bitmask(bitmask, 0)
    assert grammar.accept_tokens("x", [a, stop])
    assert grammar.is_terminated()
    assert grammar.accept_tokens("x", [a])  # ignored behind the end
    assert grammar.validate_tokens([a]) == []
    grammar.rollback(1)
    assert not grammar.is_terminated()
    grammar.rollback(1)
    grammar.fill_bitmask(bitmask, 1)
    assert bitmask[0].equal(bitmask[1])


def test_refused_tokens_change_nothing(backend, tokenizer, caplog):
    a, b = (tokenizer.convert_tokens_to_ids(letter) for letter in "ab")
    grammar = backend.compile_grammar(options("regex"), "aab", {tokenizer.eos_token_id})
    assert not grammar.accept_tokens("r7", [b])
    assert "request r7" in caplog.text
    assert grammar.accept_tokens("r7", [a, a, b])
    for junk in (-5, SIZE, 10**12):
        assert not grammar.accept_tokens("r7", [junk])
        assert grammar.validate_tokens([junk]) == []


def test_nothing_throws_inside_the_engine(backend, tokenizer, caplog):
    """Whatever goes wrong, the request ends: no token but the stop ids, and a line in the log."""
    stop = tokenizer.eos_token_id
    bitmask = backend.allocate_token_bitmask(1)
    for call in (
        lambda g: g.rollback(99),
        lambda g: g.accept_tokens("x", [None]),
        lambda g: g.validate_tokens(["?"]),
        lambda g: g.accept_tokens("x", 5),
    ):
        grammar = backend.compile_grammar(options("regex"), "a+", {stop})
        caplog.clear()
        call(grammar)
        assert "the request's output ends here" in caplog.text
        grammar.fill_bitmask(bitmask, 0)
        assert row_ids(bitmask, 0, SIZE) == {stop}
        assert not grammar.accept_tokens("x", [1])
        assert not grammar.is_terminated()
        grammar.reset()
        assert grammar.accept_tokens("x", [tokenizer.convert_tokens_to_ids("a")])


def test_a_constraint_is_compiled_once(backend, monkeypatch):
    from formgate.adapters import _serving

    calls, gate = [], threading.Event()
    compile_source = _serving.compile_source

    def slow(*args, **kwargs):
        calls.append(args[0])
        gate.wait(10)
        return compile_source(*args, **kwargs)

    monkeypatch.setattr(_serving, "compile_source", slow)
    with ThreadPoolExecutor(8) as pool:
        grammars = [
            pool.submit(backend.compile_grammar, options("regex"), "a+b", None) for _ in range(8)
        ]
        gate.set()
        engines = {id(each.result()._sequence.matcher.engine) for each in grammars}
    assert len(engines) == len(calls) == 1
    backend.compile_grammar(options("regex"), "a+b", {1})
    backend.compile_grammar(options("choice"), '["a+b"]', None)
    assert calls == ["a+b", ["a+b"]]
    backend.destroy()
    backend.compile_grammar(options("regex"), "a+b", None)
    assert len(calls) == 3


def test_errors_reach_all_that_wait_and_are_not_kept(backend):
    from formgate.core.errors import GrammarError

    for _ in range(2):
        with pytest.raises(GrammarError, match="missing"):
            backend.compile_grammar(options("regex"), "(a", None)
    assert len(backend._store) == 0


def test_bounds_of_the_store(fake_vllm, tokenizer, monkeypatch):
    from formgate.adapters.vllm import FormgateBackend

    monkeypatch.setenv("FORMGATE_SERVING_OPTIONS", '{"max_engines": 3, "max_source_bytes": 1000}')
    backend = FormgateBackend(fakes.config(SIZE), tokenizer, SIZE)
    for count in range(1, 20):
        backend.compile_grammar(options("regex"), f"a{{{count}}}", None)
    assert len(backend._store) == 3
    for letter in "abc":
        backend.compile_grammar(options("regex"), letter * 600, None)
    assert len(backend._store) == 1


def test_vocabularies_of_requests_do_not_pile_up(backend, tokenizer):
    """Stop ids with text make a vocabulary each: few are kept, and no engine keeps one alive."""
    backend.compile_grammar(options("regex"), "a+", None)
    for stop in range(10, 30):
        backend.compile_grammar(options("regex"), "a+", {stop})
        backend.compile_grammar(options("regex"), "b+", {stop})
    assert len(backend._store._vocabularies) == 4
    assert len(backend._store) == 1 + 2 * 4
    assert backend._store._bytes == 2 * len(backend._store)


def test_options_of_formats(fake_vllm, tokenizer, monkeypatch):
    from formgate.adapters.vllm import FormgateBackend

    compact = '{"json_schema": {"whitespace": "compact"}}'
    monkeypatch.setenv("FORMGATE_SERVING_OPTIONS", compact)
    backend = FormgateBackend(fakes.config(SIZE), tokenizer, SIZE)
    for kind, text in (("json_object", ""), ("json", '{"type": "object"}')):
        grammar = backend.compile_grammar(options(kind), text, None)
        ids = tokenizer.encode("{ ")
        assert len(grammar.validate_tokens(ids)) == 1


def test_rows_filled_by_threads(backend, tokenizer):
    """As vLLM fills them for many requests: each row as it is when filled alone."""
    cases = [(kind, text) for kind, text, _ in CASES]
    grammars = [
        backend.compile_grammar(options(kind), text, {tokenizer.eos_token_id})
        for kind, text in cases * 8
    ]
    alone = backend.allocate_token_bitmask(len(grammars))
    together = backend.allocate_token_bitmask(len(grammars))
    for row, grammar in enumerate(grammars):
        grammar.fill_bitmask(alone, row)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda row: grammars[row].fill_bitmask(together, row), range(len(grammars))))
    assert alone.equal(together)
