"""The filter for exllamav3, over the base class of its wheel, and a stand-in without it.

exllamav3 needs a GPU, but the class that filters derive from is plain Python: where the wheel is in
the cache (see ``wheel_sources``), its own ``feed`` and ``rewind`` drive the filter.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import sys
import types
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_engine import Automaton, ToyEngine, ToyVocabulary

torch = pytest.importorskip("torch")

DIGITS = "0123456789"
DATE = Automaton.of_counts((DIGITS, 4, 4), ("-", 1, 1), ("01", 1, 1), (DIGITS, 1, 1))
DATE_RE = r"\d{4}-[01]\d"
TOKENS = [bytes([byte]) for byte in range(256)]
VOCABULARY = ToyVocabulary([*TOKENS, b"19", b"-0", None], [258])
STOP = 258
CACHE = Path(os.environ.get("FORMGATE_CONTRACTS", Path.home() / ".cache/formgate/contracts"))
CONTRACT = CACHE / "exllamav3-1.6.5"


class StandIn:
    """The least that exllamav3's base class does."""

    def __init__(self, tokenizer, trigger_token, prefix_str, eos_after_completed):
        assert prefix_str is None
        self.tokenizer, self.trigger_token = tokenizer, trigger_token
        self.eos_after_completed = eos_after_completed
        self.is_active = trigger_token is None


def with_base(monkeypatch, base):
    """Import the adapter over a base class."""
    for name in ("exllamav3", "exllamav3.generator", "exllamav3.generator.filter"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    sys.modules["exllamav3.generator.filter"].Filter = base
    monkeypatch.delitem(sys.modules, "formgate.adapters.exllamav3", raising=False)
    return importlib.import_module("formgate.adapters.exllamav3")


def wheel_base(monkeypatch):
    source = CONTRACT / "exllamav3" / "generator" / "filter" / "filter.py"
    if not source.is_file():
        pytest.skip("exllamav3's source is not here: python tools/fetch_contracts.py")
    for name in ("_exl", "_exl.tokenizer", "_exl.generator", "_exl.generator.filter"):
        module = types.ModuleType(name)
        module.__path__ = []
        monkeypatch.setitem(sys.modules, name, module)
    sys.modules["_exl.tokenizer"].Tokenizer = object
    spec = importlib.util.spec_from_file_location("_exl.generator.filter.filter", source)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Filter


@pytest.fixture(params=["stand-in", "wheel"])
def adapter(request, monkeypatch):
    base = StandIn if request.param == "stand-in" else wheel_base(monkeypatch)
    yield with_base(monkeypatch, base)
    sys.modules.pop("formgate.adapters.exllamav3", None)


@pytest.fixture
def over_wheel(monkeypatch):
    yield with_base(monkeypatch, wheel_base(monkeypatch))
    sys.modules.pop("formgate.adapters.exllamav3", None)


def allowed(mask):
    """The ids of a packed mask, read as exllamav3 documents it."""
    assert mask.dtype == torch.int32
    assert mask.shape == (1, (len(VOCABULARY.tokens) + 31) // 32)
    row = mask[0].tolist()
    return [i for i in range(32 * len(row)) if row[i >> 5] >> (i & 31) & 1]


@settings(deadline=None, max_examples=30)
@given(data=st.data())
def test_masks_along_random_outputs(data):
    """Against the engine itself, with steps back in between."""
    with pytest.MonkeyPatch.context() as patch:
        made = with_base(patch, StandIn).FormgateFilter(None, engine := ToyEngine(DATE, VOCABULARY))
        states = [engine.start()]
        for _ in range(data.draw(st.integers(1, 15))):
            ids = engine.allowed_tokens(states[-1]).to_list()
            if not made.is_completed():
                assert allowed(made.get_next_logit_mask()) == ids
            if ids and data.draw(st.booleans() | st.just(True)):
                token = data.draw(st.sampled_from(ids))
                made.accept_token(token)
                states.append(engine.advance(states[-1], token))
            else:
                count = data.draw(st.integers(0, len(states) - 1))
                assert made.rollback_tokens(count)
                del states[len(states) - count :]
            assert made.is_completed() == engine.is_terminal(states[-1])
            assert made.failure is None
        assert not made.rollback_tokens(len(states))


def test_an_output(adapter):
    made = adapter.FormgateFilter(None, ToyEngine(DATE, VOCABULARY))
    assert made.use_background_worker()
    generator = torch.Generator().manual_seed(0)
    for _ in range(20):
        made.reset()
        text = b""
        while not made.is_completed():
            ids = allowed(made.get_next_logit_mask())
            token = ids[int(torch.randint(len(ids), (), generator=generator))]
            made.accept_token(token)
            text += VOCABULARY.tokens[token]
        assert re.fullmatch(DATE_RE, text.decode())


def test_a_forbidden_token_leaves_nothing_but_the_end(adapter):
    made = adapter.FormgateFilter(None, ToyEngine(DATE, VOCABULARY))
    made.accept_token(ord("1"))
    made.accept_token(ord("x"))
    made.accept_token(ord("y"))
    assert made.failure == "token 120 after 1 tokens breaks the constraint"
    assert made.is_completed()
    assert allowed(made.get_next_logit_mask()) == [STOP]
    assert made.rollback_tokens(2)
    assert made.failure is None
    assert not made.is_completed()
    made.accept_token(ord("9"))
    assert ord("5") in allowed(made.get_next_logit_mask())
    made.accept_token(ord("x"))
    made.reset()
    assert made.failure is None
    assert ord("1") in allowed(made.get_next_logit_mask())


def test_what_is_no_engine(adapter):
    with pytest.raises(TypeError, match="not an engine"):
        adapter.FormgateFilter(None, "a+")


class TestOverTheWheel:
    def test_a_job(self, over_wheel):
        made = over_wheel.FormgateFilter(None, ToyEngine(DATE, VOCABULARY))
        ended = [made.feed(byte) for byte in b"1999-01"]
        assert ended == [False] * 6 + [True]
        assert not made.is_active

    def test_after_a_trigger(self, over_wheel):
        made = over_wheel.FormgateFilter(None, ToyEngine(DATE, VOCABULARY), trigger_token=ord("!"))
        for byte in b"free text":
            assert not made.feed(byte)
            assert not made.is_active
        made.feed(ord("!"))
        assert made.is_active
        assert [made.feed(byte) for byte in b"1999-01"][-1]

    def test_what_follows_may_be_free(self, over_wheel):
        made = over_wheel.FormgateFilter(
            None, ToyEngine(DATE, VOCABULARY), eos_after_completed=False
        )
        assert not any(made.feed(byte) for byte in b"1999-01")
        assert not made.is_active

    @settings(deadline=None, max_examples=60)
    @given(data=st.data())
    def test_going_back(self, data):
        """After any feeds and rewinds, the mask is that of what is left."""
        with pytest.MonkeyPatch.context() as patch:
            module = with_base(patch, wheel_base(patch))
            engine = ToyEngine(DATE, VOCABULARY)
            trigger = data.draw(st.sampled_from([None, ord("!")]))
            made = module.FormgateFilter(
                None, engine, trigger_token=trigger, eos_after_completed=False
            )
            fed = []
            for _ in range(data.draw(st.integers(1, 25))):
                if fed and data.draw(st.integers(0, 3)) == 0:
                    count = data.draw(st.integers(1, len(fed)))
                    made.rewind(count)
                    del fed[-count:]
                else:
                    if made.is_active:
                        ids = allowed(made.get_next_logit_mask())
                        token = data.draw(st.sampled_from(ids))
                    else:
                        token = data.draw(st.sampled_from(b"ab!"))
                    made.feed(token)
                    fed.append(token)
            state, active = engine.start(), trigger is None
            for token in fed:
                if active:
                    state = engine.advance(state, token)
                    active = not engine.is_terminal(state)
                elif token == trigger:
                    state, active = engine.start(), True
            assert made.is_active == active
            if active:
                expected = engine.allowed_tokens(state).to_list()
                assert allowed(made.get_next_logit_mask()) == expected


def test_the_vocabulary_of_a_tokenizer(monkeypatch):
    tokenizers = pytest.importorskip("tokenizers")
    module = with_base(monkeypatch, StandIn)
    inner = tokenizers.Tokenizer(tokenizers.models.BPE({"a": 0, "b": 1, "<e>": 2}, []))
    inner.decoder = tokenizers.decoders.ByteLevel()
    inner.add_special_tokens(["<e>"])
    config = types.SimpleNamespace(eos_token_id_list=[2])
    outer = types.SimpleNamespace(tokenizer=inner, config=config, eos_token_id=2)
    vocabulary = module.vocabulary_of(outer, size=8)
    assert len(vocabulary) == 8
    assert vocabulary.stop_ids == (2,)
    assert vocabulary.token_bytes(1) == b"b"
    sys.modules.pop("formgate.adapters.exllamav3", None)
