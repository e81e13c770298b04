"""SGLang's grammar backend: what its scheduler asks for, over formgate's engines.

SGLang compiles in threads of its own, keeps a prototype of each grammar and copies it for every
request. Drafts come as trees; its verification walks them depth first, with ``accept_token``,
``fill_vocab_mask`` and ``rollback(1)``. A refused token is told by ``ValueError``, which SGLang
catches to abort that one request.

SGLang does not run without a GPU, so this was compared with the sources of 0.5.23 and driven by
stand-ins, and not run.
"""

from __future__ import annotations

import dataclasses
import json
import logging
from itertools import groupby
from typing import TYPE_CHECKING, Any

import torch
from sglang.srt.constrained.base_grammar_backend import (
    BaseGrammarBackend,
    BaseGrammarObject,
    GrammarStats,
    InvalidGrammarObject,
)

from formgate.adapters._serving import EngineStore, ServingOptions
from formgate.adapters._serving_sequence import ServedSequence
from formgate.core.errors import FormgateError
from formgate.core.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from formgate.core.protocol import MaskEngine

__all__ = ["FormgateGrammarBackend", "FormgateGrammarObject", "create"]

_logger = logging.getLogger(
    "sglang.srt.formgate"
)  # below sglang's own, so that its handlers show it

_ANY_JSON = "$$ANY$$"  # how SGLang asks for JSON without a schema
_GPU = ("cuda", "xpu", "musa")


class FormgateGrammarObject(BaseGrammarObject):  # type: ignore[misc] # sglang is untyped here
    """One request's place in its constraint.

    Args:
        engine: The constraint.
        stop_ids: What the mask allows if something goes wrong.
        stats: What SGLang notes of each grammar.
    """

    def __init__(
        self, engine: MaskEngine[Any], stop_ids: Iterable[int], stats: GrammarStats
    ) -> None:
        super().__init__()
        self.grammar_stats = stats
        self._stop_ids = tuple(stop_ids)
        self._sequence = ServedSequence(engine, self._stop_ids)

    @property
    def sequence(self) -> ServedSequence:
        """What follows the tokens."""
        return self._sequence

    def accept_token(self, token: int) -> None:
        """Take a token; after the end, ignore it.

        Raises:
            ValueError: It is not allowed; nothing changes.
        """
        self.current_token = token
        if not self._sequence.ended and not self._sequence.accept([token]):
            raise ValueError(f"token {token} is not allowed by the constraint")

    def rollback(self, k: int) -> None:
        """Forget the last tokens, an end among them too."""
        self._sequence.rollback(k)

    def is_terminated(self) -> bool:
        """Say whether a stop token was accepted."""
        return self._sequence.ended

    def copy(self) -> FormgateGrammarObject:
        """Return an object for another request with the same constraint, at its beginning."""
        stats = dataclasses.replace(self.grammar_stats, is_cache_hit=True, tree_traversal_time=[])
        return FormgateGrammarObject(self._sequence.matcher.engine, self._stop_ids, stats)

    # --- masks ---

    def allocate_vocab_mask(self, vocab_size: int, batch_size: int, device: Any) -> Any:
        """Return int32 rows with everything allowed, on the host."""
        return FormgateGrammarBackend.allocate_vocab_mask(vocab_size, batch_size, device)

    def fill_vocab_mask(self, vocab_mask: Any, idx: int) -> None:
        """Write the mask into a row."""
        self._sequence.fill(vocab_mask.numpy(), idx)

    @staticmethod
    def fill_vocab_mask_batched(entries: Sequence[Any], vocab_mask: Any) -> None:
        """Write the masks of many requests: one native call for neighbours of one constraint."""
        array = vocab_mask.numpy()
        groups = groupby(
            enumerate(entries),
            lambda item: (id(_engine_of(item[1].grammar)), item[1].row - item[0]),
        )
        for _, group in groups:
            run = [entry for _, entry in group]
            engine = _engine_of(run[0].grammar)
            if len(run) == 1 or engine is None:
                for entry in run:
                    entry.grammar.fill_vocab_mask(vocab_mask, entry.row)
                continue
            states = [entry.grammar.sequence.matcher.state for entry in run]
            engine.fill_masks(states, array[run[0].row : run[0].row + len(run)])

    @staticmethod
    def reset_vocab_mask(vocab_mask: Any) -> None:
        """Allow everything."""
        vocab_mask.fill_(-1)

    @staticmethod
    def move_vocab_mask(vocab_mask: Any, device: Any) -> Any:
        """Copy the rows to a device."""
        return vocab_mask.to(device, non_blocking=True)

    @staticmethod
    def apply_vocab_mask(logits: Any, vocab_mask: Any) -> None:
        """Set the scores of forbidden tokens to minus infinity, in place."""
        FormgateGrammarBackend.apply_vocab_mask(logits, vocab_mask)

    # --- forced text ---

    def try_jump_forward(self, tokenizer: Any) -> tuple[list[int], str] | None:
        """Return the text that must come next, as far as it is whole characters."""
        del tokenizer
        engine = self._sequence.matcher.engine
        forced = getattr(engine, "forced_text", None)
        if forced is None or self._sequence.ended or self._sequence.failed:
            return None
        text = forced(self._sequence.matcher.state).decode("utf-8", "ignore")
        return ([], text) if text else None

    def jump_forward_str_state(self, helper: tuple[list[int], str]) -> tuple[str, int]:
        """Return that text; there is no state to name."""
        return helper[1], -1

    def jump_and_retokenize(
        self, old_output_ids: list[int], new_output_ids: list[int], next_state: int
    ) -> None:
        """Follow the output when it was split into other tokens.

        Raises:
            ValueError: The new tokens are not allowed.
        """
        del next_state
        pairs = zip(old_output_ids, new_output_ids, strict=False)
        same = next((i for i, (old, new) in enumerate(pairs) if old != new), None)
        kept = min(len(old_output_ids), len(new_output_ids)) if same is None else same
        self._sequence.rollback(len(old_output_ids) - kept)
        if not self._sequence.accept(new_output_ids[kept:]):
            raise ValueError("the output's new tokens are not allowed by the constraint")


class FormgateGrammarBackend(BaseGrammarBackend):  # type: ignore[misc] # as above
    """Compiles the constraints of one SGLang engine; SGLang makes it through its registry.

    Options come from ``FORMGATE_SERVING_OPTIONS``.

    Args:
        tokenizer: The model's.
        vocab_size: How many ids the model scores.
        eos_token_ids: The ids that end an output; None: those the tokenizer names.
        options: Bounds and options of formats.
    """

    def __init__(
        self,
        tokenizer: Any,
        vocab_size: int,
        eos_token_ids: set[int] | None = None,
        options: ServingOptions | None = None,
    ) -> None:
        super().__init__()
        self._options = options or ServingOptions.from_environment()
        stops = sorted(eos_token_ids) if eos_token_ids else None
        self._store = EngineStore(
            lambda: Vocabulary.from_tokenizer(tokenizer, size=vocab_size, stop_ids=stops),
            self._options,
        )

    def dispatch_json(self, key_string: str) -> Any:
        """Compile a JSON Schema."""
        return self._compiled("json", "true" if key_string == _ANY_JSON else key_string)

    def dispatch_regex(self, key_string: str) -> Any:
        """Compile a regex."""
        return self._compiled("regex", key_string)

    def dispatch_ebnf(self, key_string: str) -> Any:
        """Compile a grammar."""
        return self._compiled("grammar", key_string)

    def dispatch_structural_tag(self, key_string: str) -> Any:
        """Compile a structural tag; as SGLang has it, a schema that is null is the empty one."""
        try:
            text = json.dumps(_with_schemas(json.loads(key_string)))
        except (ValueError, RecursionError):
            text = key_string  # the format says what is wrong
        return self._compiled("structural_tag", text)

    def set_cache(self, key: tuple[str, str], value: Any) -> None:
        """Keep a prototype, and no more of them than engines."""
        while len(self.cache) >= self._options.max_engines:
            self.cache.pop(next(iter(self.cache)), None)
        super().set_cache(key, value)

    def reset(self) -> None:
        """Drop what was compiled."""
        super().reset()
        self._store.clear()

    @staticmethod
    def allocate_vocab_mask(vocab_size: int, batch_size: int, device: Any) -> Any:
        """Return int32 rows with everything allowed, on the host."""
        del device
        from sglang.srt.utils.common import (  # noqa: PLC0415 (heavy, and there by now)
            is_pin_memory_available,
        )

        width = (vocab_size + 31) // 32
        return torch.full(
            (batch_size, width), -1, dtype=torch.int32, pin_memory=is_pin_memory_available()
        )

    @staticmethod
    def move_vocab_mask(vocab_mask: Any, device: Any) -> Any:
        """Copy the rows to a device."""
        return vocab_mask.to(device, non_blocking=True)

    @staticmethod
    def apply_vocab_mask(logits: Any, vocab_mask: Any) -> None:
        """Set the scores of forbidden tokens to minus infinity, in place."""
        if logits.device.type in _GPU and not torch.version.hip:
            from sglang.kernels.ops.grammar.bitmask_ops import (  # noqa: PLC0415 (needs Triton)
                apply_token_bitmask_inplace_triton,
            )

            apply_token_bitmask_inplace_triton(logits, vocab_mask)
            return
        shifts = torch.arange(32, dtype=torch.int32, device=vocab_mask.device)
        bits = (vocab_mask.unsqueeze(-1) >> shifts) & 1
        forbidden = (bits == 0).view(len(vocab_mask), -1)[:, : logits.shape[-1]]
        logits.masked_fill_(forbidden, float("-inf"))

    def _compiled(self, kind: str, text: str) -> Any:
        """Return the object of a constraint, or SGLang's for one that cannot be."""
        try:
            engine = self._store.engine(kind, text)
            stops = self._store.vocabulary.stop_ids
        except FormgateError as error:
            _logger.error("formgate: the constraint cannot be used: %s", error)  # noqa: TRY400
            return InvalidGrammarObject(str(error))
        except Exception as error:
            _logger.exception("formgate: a constraint could not be read")
            return InvalidGrammarObject(f"{type(error).__name__}: {error}")
        return FormgateGrammarObject(engine, stops, GrammarStats(dispatch_type=kind))


def create(
    server_args: Any, tokenizer: Any, vocab_size: int, eos_token_ids: set[int] | None = None
) -> Any:
    """Return the backend as SGLang's registry wants it.

    SGLang leaves a registered backend without what it puts around its own ones where the server has
    a reasoning parser: constraints that begin when the reasoning has ended. So that is done here.
    """
    del server_args
    backend = FormgateGrammarBackend(tokenizer, vocab_size, eos_token_ids)
    from sglang.srt.runtime_context import get_serving  # noqa: PLC0415 (set when SGLang calls)

    serving = get_serving()
    if not serving.reasoning_parser:
        return backend
    from sglang.srt.constrained.reasoner_grammar_backend import (  # noqa: PLC0415 (as above)
        ReasonerGrammarBackend,
    )
    from sglang.srt.parser.reasoning_parser import ReasoningParser  # noqa: PLC0415 (as above)

    parser = ReasoningParser(
        model_type=serving.reasoning_parser, stream_reasoning=False, tokenizer=tokenizer
    )
    return ReasonerGrammarBackend(
        backend, parser, tokenizer, enable_strict_thinking=serving.enable_strict_thinking
    )


def _engine_of(grammar: Any) -> Any:
    """Return the native engine of an object that nothing is wrong with; None for any other."""
    if not isinstance(grammar, FormgateGrammarObject) or grammar.sequence.failed:
        return None
    engine = grammar.sequence.matcher.engine
    return engine if hasattr(engine, "fill_masks") else None


def _with_schemas(value: Any) -> Any:
    """Return a structural tag in which no schema is null."""
    if isinstance(value, list):
        return [_with_schemas(each) for each in value]
    if not isinstance(value, dict):
        return value
    if "structures" in value and isinstance(value["structures"], list):
        structures = [
            {**each, "schema": {}}
            if isinstance(each, dict) and each.get("schema") is None
            else each
            for each in value["structures"]
        ]
        return {**value, "structures": structures}
    made = {
        key: each if key == "json_schema" else _with_schemas(each) for key, each in value.items()
    }
    if made.get("type") == "json_schema" and made.get("json_schema") is None:
        made["json_schema"] = {}
    return made
