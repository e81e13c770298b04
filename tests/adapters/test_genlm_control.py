"""The potential for genlm-control, with genlm-control itself: its contract and its samplers."""

from __future__ import annotations

import asyncio
import math
import re

import pytest

np = pytest.importorskip("numpy")
genlm = pytest.importorskip("genlm.control")
torch = pytest.importorskip("torch")

from genlm.backend.llm.base import MockAsyncLM  # noqa: E402
from genlm.control import AWRS, PromptedLLM, direct_token_sampler  # noqa: E402
from hypothesis import HealthCheck, given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

import formgate  # noqa: E402
from formgate import Vocabulary, VocabularyError  # noqa: E402
from formgate.adapters.genlm_control import FormgatePotential, vocabulary_of  # noqa: E402

PATTERNS = {"[0-9]{4}-[01][0-9]": r"\d{4}-[01]\d", "(red|green|été)+": "(red|green|été)+"}


@pytest.fixture(scope="module")
def llm():
    from tiny_tokenizer import make_tokenizer

    torch.manual_seed(0)
    return PromptedLLM(MockAsyncLM(make_tokenizer()), prompt_ids=[60, 61])


def tokens_of(llm, ids):
    return [llm.token_maps.decode[i] for i in ids]


def engine_for(llm, source):
    return formgate.compile(source, vocabulary_of(llm))


def walk(engine, generator, length):
    """Ids of a random prefix."""
    state, ids = engine.start(), []
    for _ in range(length):
        allowed = engine.allowed_tokens(state).to_list()
        allowed = [token for token in allowed if token not in engine.vocabulary.stop_ids]
        if not allowed:
            break
        ids.append(int(generator.choice(allowed)))
        state = engine.advance(state, ids[-1])
    return ids


@pytest.mark.parametrize("source", PATTERNS)
def test_the_contract_of_potentials(llm, source):
    """genlm-control's own test: weights of tokens, prefixes and texts fit together."""
    engine = engine_for(llm, source)
    potential = FormgatePotential(engine, llm)
    generator = np.random.default_rng(0)
    contexts = [tokens_of(llm, walk(engine, generator, length)) for length in range(6)]
    asyncio.run(potential.assert_contract(contexts))


@settings(
    deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(text=st.text("01-9redgné", max_size=8), source=st.sampled_from(sorted(PATTERNS)))
def test_weights_against_re(llm, text, source):
    """Byte by byte, against a judge of another kind."""
    potential = FormgatePotential(engine_for(llm, source), llm)
    by_bytes = {token.byte_string: token for token in llm.vocab if len(token.byte_string) == 1}
    context = [by_bytes[bytes([byte])] for byte in text.encode()]
    is_whole = re.fullmatch(PATTERNS[source], text) is not None
    assert asyncio.run(potential.complete(context)) == (0.0 if is_whole else -math.inf)
    if is_whole:
        assert asyncio.run(potential.prefix(context)) == 0.0
        assert asyncio.run(potential.logw_eos(context)) == 0.0
    if asyncio.run(potential.prefix(context)) == -math.inf:
        with pytest.raises(ValueError, match="weight zero"):
            asyncio.run(potential.logw_next(context))


def test_masks_are_those_of_the_engine(llm):
    engine = engine_for(llm, "(red|green|été)+")
    potential = FormgatePotential(engine, llm)
    generator = np.random.default_rng(1)
    for length in range(8):
        ids = walk(engine, generator, length)
        state = engine.advance_many(engine.start(), ids)
        indices, weight, end = asyncio.run(potential.sparse_logw_next(tokens_of(llm, ids)))
        allowed = set(engine.allowed_tokens(state).to_list())
        stops = set(engine.vocabulary.stop_ids)
        assert {llm.vocab[index].token_id for index in indices} == allowed - stops
        assert weight == 0.0
        assert (end == 0.0) == bool(allowed & stops)


@pytest.mark.parametrize("sampler", ["direct", "awrs"])
def test_particles(llm, sampler):
    """Sequential Monte Carlo with the model: every particle ends in the language."""
    engine = engine_for(llm, "[0-9]{4}-[01][0-9]")
    potential = FormgatePotential(engine, llm)

    async def run():
        unit = (
            direct_token_sampler(llm * potential) if sampler == "direct" else AWRS(llm, potential)
        )
        return await unit.smc(n_particles=6, ess_threshold=0.5, max_tokens=30)

    sequences = asyncio.run(run())
    assert len(sequences.contexts) == 6
    for context in sequences.contexts:
        *tokens, end = context
        assert str(end) == "EOS"
        assert re.fullmatch(r"\d{4}-[01]\d", b"".join(tokens).decode())


def test_the_product_is_the_model_restricted(llm):
    engine = engine_for(llm, ["yes", "no"])
    product = llm * FormgatePotential(engine, llm)
    alone = asyncio.run(llm.logw_next([]))
    both = asyncio.run(product.logw_next([]))
    allowed = set(engine.allowed_tokens(engine.start()).to_list())
    for token in llm.vocab:
        expected = float(alone[token]) if token.token_id in allowed else -math.inf
        assert float(both[token]) == pytest.approx(expected, abs=1e-4)


def test_over_bytes():
    vocabulary = Vocabulary([*(bytes([b]) for b in range(256)), None], stop_ids=[256])
    potential = FormgatePotential(formgate.compile("(red|été)+", vocabulary))
    text = b"rouge"
    assert asyncio.run(potential.prefix(list("été".encode()))) == 0.0
    assert asyncio.run(potential.complete(list("étéred".encode()))) == 0.0
    assert asyncio.run(potential.prefix(list(text))) == -math.inf
    contexts = [list(part.encode()) for part in ("", "r", "ét", "red", "redé")]
    asyncio.run(potential.assert_contract(contexts))
    assert asyncio.run(potential.spawn().prefix([])) == 0.0


def test_few_states_are_enough(llm):
    engine = engine_for(llm, "(red|green|été)+")
    small, large = FormgatePotential(engine, llm, max_states=1), FormgatePotential(engine, llm)
    generator = np.random.default_rng(2)
    for length in (5, 1, 7, 3, 7, 0):
        context = tokens_of(llm, walk(engine, generator, length))
        found = [asyncio.run(each.sparse_logw_next(context))[0].tolist() for each in (small, large)]
        assert found[0] == found[1]


def test_what_does_not_fit(llm):
    tokens = [b"a", b"b", None]
    other = formgate.compile("[ab]", Vocabulary(tokens, stop_ids=[2]))
    with pytest.raises(VocabularyError, match="compile for vocabulary_of"):
        FormgatePotential(other, llm)
    with pytest.raises(VocabularyError, match="token 0 is b'a' for the engine"):
        FormgatePotential(other)
    with pytest.raises(ValueError, match="max_states"):
        FormgatePotential(engine_for(llm, "a"), llm, max_states=0)
    wide = [*(bytes([b]) for b in range(256)), b"ab", None]
    with pytest.raises(VocabularyError, match="token 256 has text"):
        FormgatePotential(formgate.compile("a", Vocabulary(wide, stop_ids=[257])))
    letters = genlm.BoolFSA.from_regex("[ab]+")
    with pytest.raises(VocabularyError, match="have no ids"):
        FormgatePotential(engine_for(llm, "a"), letters)
