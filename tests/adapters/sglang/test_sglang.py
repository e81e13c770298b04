"""The backend for SGLang: against its sources, and driven by stand-ins in its documented order.

SGLang does not run without a GPU, so nothing here runs SGLang itself, but for its own function that
walks draft trees, taken out of its sources.
"""

from __future__ import annotations

import ast
import inspect
import json
import random
import threading
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import sglang_fakes
from contracts import (
    arguments,
    classes,
    differences,
    fields,
    own_function,
    read_contract,
    sources,
    tree,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import formgate
from formgate import Matcher
from formgate.adapters._draft_tree import fill_draft_tree, parents_of

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

CONTRACT = read_contract(Path(__file__).with_name("contract.toml"))
[VERSION] = CONTRACT["versions"]
SIZE = 352
PATTERNS = ("(abc ?)*", "[0-9]{1,3}", "a|ab|abc")


def bits(row):
    found = np.unpackbits(row.numpy().view(np.uint8), bitorder="little")[:SIZE]
    return set(np.nonzero(found)[0].tolist())


@pytest.fixture
def backend(fake_sglang, tokenizer):
    from formgate.adapters.sglang import register

    register()
    base = fake_sglang["sglang.srt.constrained.base_grammar_backend"]
    made = base.GRAMMAR_BACKEND_REGISTRY["formgate"](None, tokenizer, SIZE, {1})
    yield made
    made.executor.shutdown()


# --- the contract ---


def test_the_sources_of_sglang():
    assert differences(CONTRACT, sources("sglang", VERSION, "sglang")) == []


def test_our_stand_ins_are_alike():
    known = classes(tree(Path(sglang_fakes.__file__)))
    for listed in CONTRACT["classes"].values():
        for name, wanted in listed.items():
            has = {
                node.name: arguments(node)
                for node in known[name].body
                if isinstance(node, ast.FunctionDef)
            }
            assert {method: has.get(method) for method in wanted} == wanted
    for listed in CONTRACT["fields"].values():
        for name, wanted in listed.items():
            assert set(wanted) <= fields(known[name])


def test_our_classes_take_what_sglang_gives(backend):
    from formgate.adapters.sglang import FormgateGrammarBackend, FormgateGrammarObject

    base = CONTRACT["classes"]["srt/constrained/base_grammar_backend.py"]
    for cls, name in (
        (FormgateGrammarObject, "BaseGrammarObject"),
        (FormgateGrammarBackend, "BaseGrammarBackend"),
    ):
        for method, wanted in base[name].items():
            if method == "__init__":
                continue
            assert list(inspect.signature(getattr(cls, method)).parameters) == wanted
            assert (method in vars(cls)) == (method != "maybe_init_reasoning")


# --- registering ---


def test_registering_again_changes_nothing(backend, fake_sglang):
    from formgate.adapters._sglang_plugin import register

    register()
    choices = fake_sglang["sglang.srt.arg_groups.choices"].GRAMMAR_BACKEND_CHOICES
    assert choices.count("formgate") == 1


def test_a_reasoning_parser_puts_the_constraint_behind_the_reasoning(fake_sglang, tokenizer):
    from formgate.adapters._sglang_backend import FormgateGrammarBackend, create

    serving = fake_sglang["sglang.srt.runtime_context"].get_serving()
    serving.reasoning_parser = "deepseek-r1"
    made = create(None, tokenizer, SIZE, {1})
    assert isinstance(made, sglang_fakes.ReasonerGrammarBackend)
    assert isinstance(made.grammar_backend, FormgateGrammarBackend)
    assert made.reasoning_parser.model_type == "deepseek-r1"


# --- requests ---

TAG = {"structures": [{"begin": "<f>", "schema": None, "end": "</f>"}], "triggers": ["<f"]}
NEWER = {
    "type": "structural_tag",
    "format": {
        "type": "tag",
        "begin": "<f>",
        "content": {"type": "json_schema", "json_schema": None},
        "end": "</f>",
    },
}


@pytest.mark.parametrize(
    "case",
    [
        ("json", '{"enum": ["red", 7]}', '"red"', '"green"'),
        ("json", "$$ANY$$", "[1, null]", "x"),
        ("regex", "a+", "aaa", "b"),
        ("ebnf", 'root ::= "a" root | "b"', "aab", "ac"),
        ("ebnf", 'start: "a"+', "aa", "b"),
        ("structural_tag", json.dumps(TAG), "<f>[1]</f>", "<f>x"),
        ("structural_tag", json.dumps(NEWER), "<f>{}</f>", "{}"),
    ],
)
def test_requests(backend, tokenizer, case):
    kind, text, inside, outside = case
    grammar = getattr(backend, f"dispatch_{kind}")(text)
    for token in tokenizer.encode(inside):
        grammar.accept_token(token)
    grammar.accept_token(tokenizer.eos_token_id)
    assert grammar.is_terminated()
    grammar.accept_token(0)  # ignored behind the end
    grammar.rollback(1)
    assert not grammar.is_terminated()
    other, ids = grammar.copy(), tokenizer.encode(outside)
    taken = other.sequence.validate(ids)
    for token in ids[:taken]:
        other.accept_token(token)
    with pytest.raises(ValueError, match="not allowed"):
        other.accept_token(ids[taken])
    assert not other.is_terminated()


@pytest.mark.parametrize(
    ("kind", "text", "said"),
    [
        ("json", '{"type": "strin"}', "#/type"),
        ("json", "{", "not JSON"),
        ("regex", "(a", "unterminated"),
        ("ebnf", "root ::= x", "'x' is used but not defined"),
        ("structural_tag", "{", "cannot be read"),
        ("structural_tag", '{"format": {"type": "any_tokens"}}', "/format/type"),
    ],
)
def test_bad_requests_are_told(backend, kind, text, said):
    grammar = getattr(backend, f"dispatch_{kind}")(text)
    assert isinstance(grammar, sglang_fakes.InvalidGrammarObject)
    assert said in grammar.error_message


def test_the_cache_of_prototypes_is_bounded(fake_sglang, tokenizer):
    from formgate.adapters._serving import ServingOptions
    from formgate.adapters.sglang import FormgateGrammarBackend

    backend = FormgateGrammarBackend(tokenizer, SIZE, {1}, ServingOptions(max_engines=3))
    for count in range(1, 9):
        key = ("regex", f"a{{{count}}}")
        backend.set_cache(key, backend.dispatch_regex(key[1]).copy())
    assert len(backend.cache) == 3
    assert backend.cache["regex", "a{8}"].grammar_stats.is_cache_hit
    backend.reset()
    assert not backend.cache
    backend.executor.shutdown()


def test_many_threads_compile(backend):
    """As SGLang's pool does; every request gets an object of its own."""
    threads, found = [], []
    for _ in range(8):
        compile_one = lambda: found.append(backend.dispatch_regex("(ab)+"))  # noqa: E731
        threads.append(threading.Thread(target=compile_one))
        threads[-1].start()
    for thread in threads:
        thread.join()
    assert len({id(each) for each in found}) == 8
    assert len({id(each.sequence.matcher.engine) for each in found}) == 1


# --- masks ---


def test_masks_of_a_batch(backend, tokenizer):
    """Neighbours of one constraint, others between them, an object that failed, rows left out."""
    one, other = backend.dispatch_regex("a+b"), backend.dispatch_regex("[0-9]+")
    grammars = [one.copy(), one.copy(), other.copy(), one.copy(), other.copy()]
    grammars[1].accept_token(tokenizer.convert_tokens_to_ids("a"))
    grammars[4].sequence.rollback(5)  # nothing was accepted: it fails
    rows = [0, 1, 2, 4, 6]
    entries = [sglang_fakes.GrammarRow(*each) for each in zip(rows, grammars, strict=True)]
    mask = one.allocate_vocab_mask(SIZE, 8, "cpu")
    one.fill_vocab_mask_batched(entries, mask)
    for row, grammar in zip(rows, grammars, strict=True):
        alone = one.allocate_vocab_mask(SIZE, 1, "cpu")
        grammar.fill_vocab_mask(alone, 0)
        assert mask[row].equal(alone[0])
    assert bits(mask[6]) == {1}
    assert (mask[[3, 5, 7]] == -1).all()
    logits = torch.zeros(8, SIZE)
    one.apply_vocab_mask(logits, one.move_vocab_mask(mask, "cpu"))
    for row in range(8):
        assert set(torch.nonzero(torch.isfinite(logits[row])).flatten().tolist()) == bits(mask[row])
    one.reset_vocab_mask(mask)
    assert (mask == -1).all()


def random_children(rng, count):
    """A tree by first children and next siblings, as SGLang has it; node 0 is the root."""
    children, siblings, last = [-1] * count, [-1] * count, [-1] * count
    for node in range(1, count):
        parent = rng.randrange(node)
        if last[parent] == -1:
            children[parent] = node
        else:
            siblings[last[parent]] = node
        last[parent] = node
    return children, siblings


@given(seed=st.integers(0, 10**6), pattern=st.sampled_from(PATTERNS))
@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_sglangs_own_walk_of_a_tree(backend, seed, pattern):
    """Depth first with rollback over our objects finds what one call for the whole tree finds."""
    folder = sources("sglang", VERSION, "sglang")
    traverse = own_function(folder, "srt/speculative/spec_utils.py", "traverse_tree", {})
    rng, count = random.Random(seed), 9
    grammar = backend.dispatch_regex(pattern)
    engine, state = grammar.sequence.matcher.engine, grammar.sequence.matcher.state
    children, siblings = random_children(rng, count)
    parents = parents_of(children, siblings)
    tokens, states = [0], [state]
    for node in range(1, count):
        before = states[parents[node]]
        allowed = engine.allowed_tokens(before).to_list() if before is not None else []
        tokens.append(rng.choice(allowed) if allowed and rng.random() < 0.8 else rng.randrange(400))
        is_right = tokens[-1] in allowed
        states.append(engine.advance(before, tokens[-1]) if is_right else None)
    mask = grammar.allocate_vocab_mask(SIZE, count, "cpu")
    traverse(
        torch.tensor(children), torch.tensor(siblings), torch.tensor(tokens), grammar, mask, SIZE
    )
    assert grammar.sequence.length == 0
    out = np.empty((count, mask.shape[1]), dtype=np.int32)
    allowed = fill_draft_tree(
        engine, state, tokens[1:], [parent - 1 for parent in parents[1:]], out
    )
    for node in range(count):
        reached = node == 0 or allowed[node - 1]
        if reached:  # rows that are not reached are free for SGLang, copies for us
            assert mask[node].equal(torch.from_numpy(out[node]))
        else:
            assert (mask[node] == -1).all()


# --- forced text ---


def test_jumping_forward(backend, tokenizer):
    grammar = backend.dispatch_regex("(red|reddish) [0-9]é")
    helper = grammar.try_jump_forward(tokenizer)
    assert grammar.jump_forward_str_state(helper) == ("red", -1)
    old = [tokenizer.convert_tokens_to_ids(letter) for letter in "red"]
    new = tokenizer.encode("red")
    assert old != new
    for token in old:
        grammar.accept_token(token)
    grammar.jump_and_retokenize(old, new, -1)
    replayed = Matcher(grammar.sequence.matcher.engine)
    assert all(replayed.accept(token) for token in new)
    assert grammar.sequence.matcher.state.key == replayed.state.key
    with pytest.raises(ValueError, match="not allowed"):
        grammar.jump_and_retokenize(new, [0], -1)
    grammar = backend.dispatch_regex("a*")
    assert grammar.try_jump_forward(tokenizer) is None


def test_a_vocabulary_that_cannot_be_read_is_told(fake_sglang):
    from formgate.adapters.sglang import FormgateGrammarBackend

    backend = FormgateGrammarBackend(SimpleNamespace(name="no tokenizer"), SIZE)
    grammar = backend.dispatch_regex("a")
    assert isinstance(grammar, sglang_fakes.InvalidGrammarObject)
    assert "SimpleNamespace" in grammar.error_message
    backend.executor.shutdown()


def test_the_vocabulary_is_exact(backend, tokenizer):
    expected = formgate.Vocabulary.from_tokenizer(tokenizer, size=SIZE)
    assert backend._store.vocabulary == expected
