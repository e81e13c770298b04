"""Hugging Face transformers: constraints for ``generate``, ``pipeline`` and continuous batching.

``generate`` calls a processor with the token histories of all rows and their scores, and says
nothing of what happened to the rows in between. So states are found by history (``_histories``),
which is right for batches, beams, drafts of an assistant or of prompt lookup, and rows that have
ended.

Rows that have ended, and beams that beam search keeps only to fill its width, may hold histories
that no mask can continue. Their scores become minus infinity but for one token, whose score is far
below any that counts: sampling finds something to draw, and beam search can neither revive such a
row nor take it for a finished one, which could end the search early.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from transformers import LogitsProcessor

from formgate.adapters._generated import GeneratedText
from formgate.adapters._histories import Histories, Node, SkippedTokensError
from formgate.adapters._torch_masks import RowMasker
from formgate.adapters._transformers_batching import (
    ConstrainedBatching,
    continuous_batching,
    generate_batch,
)
from formgate.adapters._transformers_generate import generate
from formgate.adapters._transformers_model import TransformersModel, load_language_model
from formgate.adapters._transformers_skipping import skip_forced
from formgate.core.decoding.errors import DecodingError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from formgate.core.protocol import MaskEngine

__all__ = [
    "ConstrainedBatching",
    "FormgateLogitsProcessor",
    "GeneratedText",
    "TransformersModel",
    "continuous_batching",
    "generate",
    "generate_batch",
    "load_language_model",
    "skip_forced",
]

# Far below beam search's own marker for unusable beams (-1e9), and still finite after division by
# any temperature.
_LOWEST = -1e20
_LOWEST_HALF = -3e4


class FormgateLogitsProcessor(LogitsProcessor):  # type: ignore[misc] # transformers is untyped
    """Keeps every row of ``generate`` within its constraint.

    Works with greedy search, sampling, beam search, beam sampling, ``num_return_sequences``, left
    padding, and with drafts of ``prompt_lookup_num_tokens`` and ``assistant_model``. Give it to one
    ``generate`` call at a time; ``reset`` makes it ready for another, and it notices by itself when
    other prompts begin. Cost per call and row, beside the engine's mask: some ten microseconds, and
    with ``in_place=False`` a copy of the scores.

    Args:
        engine: The constraint of all prompts, or a list with one engine for each prompt.
        prompt_length: How many leading tokens of each row are the prompt, padding included; a list
            gives one number for each prompt. When left out, it is the length of the rows at the
            first call. Say it when the rows already begin with a part of the output.
        num_beams: What ``generate`` is given. Outputs are right without it too. With it, copies of
            a beam, which beam search makes where the constraint leaves fewer continuations than
            beams, are not continued (they could end ``early_stopping=True`` before its time), and a
            beam that other processors leave nothing to continue with is dropped; without it, that
            is an error.
        drafts: Whether ``generate`` drafts tokens, as ``assistant_model`` and
            ``prompt_lookup_num_tokens`` have it: rows then become longer and shorter again. Call
            ``reset`` before the next ``generate``.
        in_place: Overwrite the scores instead of a copy. Faster; but the ``logits`` that
            ``output_logits=True`` returns are then the masked ones, and prompt lookup, which uses
            one row of scores for several histories, cannot be used.
        max_nodes: How many engine states are remembered.

    Raises:
        ValueError: An argument is out of its range, or there is no engine.
    """

    def __init__(
        self,
        engine: MaskEngine[Any] | Sequence[MaskEngine[Any]],
        *,
        prompt_length: int | Sequence[int] | None = None,
        num_beams: int = 1,
        drafts: bool = False,
        in_place: bool = False,
        max_nodes: int = 65_536,
    ) -> None:
        engines = _engines(engine, prompt_length)
        if num_beams < 1:
            raise ValueError(f"num_beams must be positive, not {num_beams}")
        self._histories: Histories[Any] = Histories(engines, max_nodes=max_nodes)
        self._engines = engines
        self._masker = RowMasker()
        self._sizes = [each.allowed_tokens(each.start()).size for each in engines]
        self._given_starts = _starts(prompt_length, len(engines))
        self._num_beams = num_beams
        self._drafts = drafts
        self._in_place = in_place
        self.reset()

    def reset(self) -> None:
        """Forget everything seen; the next call is the first of a generation."""
        self._histories.clear()
        self._prompts: NDArray[np.int64] | None = None
        self._earlier_prompts: NDArray[np.int64] | None = None
        self._is_first_call = True
        self._starts = list(self._given_starts or [0] * len(self._sizes))

    def for_row(self, row: int, row_count: int, length: int) -> FormgateLogitsProcessor:
        """Return a processor for one row of a batch alone.

        Args:
            row: Index of the row.
            row_count: Number of rows of the batch.
            length: Tokens in each row.

        Raises:
            DecodingError: The rows cannot be shared out among the engines.
        """
        self._check_shapes(row_count, (row_count, max(self._sizes)))
        group = row * len(self._engines) // row_count
        starts = self._given_starts
        return FormgateLogitsProcessor(
            self._engines[group],
            prompt_length=length if starts is None else starts[group],
            in_place=True,
        )

    def follow(self, row: Any) -> tuple[MaskEngine[Any], Any]:
        """Return the engine of a processor for one row, and its state after the row.

        Raises:
            DecodingError: The tokens after ``prompt_length`` break the constraint, or end it.
        """
        [node] = self._find_from_given_starts(row.detach().cpu().numpy()[None])
        return node.engine, node.state

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """Return the scores with minus infinity where a token is forbidden.

        Raises:
            DecodingError: Rows, engines, scores and vocabulary do not fit together; the rows are
                neither a new generation nor the next tokens of the present one; or other processors
                forbid every token that the constraint allows.
        """
        if input_ids.dim() != 2 or scores.dim() != 2:
            raise DecodingError(
                "the processor was called without token histories, as continuous batching does: "
                "use formgate.adapters.transformers.continuous_batching"
            )
        if not scores.is_floating_point():
            raise DecodingError(f"scores are {scores.dtype}; masks need floating-point numbers")
        if len(input_ids) == 0:
            return scores
        self._check_shapes(len(input_ids), tuple(scores.shape))
        rows = input_ids.detach().cpu().numpy()
        nodes = self._histories.grow(rows)
        if nodes is None:
            nodes = self._find(rows)
        self._histories.trim(self._starts)
        if not self._in_place:
            scores = scores.clone()
        if self._num_beams > 1:
            nodes = self._without_copies(nodes)
        self._masker.mask(scores, [(n.engine, n.state) if n.is_open else None for n in nodes])
        self._settle(nodes, scores, rows)
        return scores

    def _find(self, rows: NDArray[np.int64]) -> list[Node[Any]]:
        """Return the node of each row, and see whether a new generation begins.

        Rows that go on from the last call are the present generation; rows with other prompts are a
        new one. Whatever could be either is an error: a guess could constrain the wrong tokens.
        """
        if self._given_starts is not None:
            return self._find_from_given_starts(rows)
        prompts = self._prompts
        if prompts is None or not _begin_with(rows, prompts):
            self._begin(rows)
        elif not self._drafts and rows.shape[1] > prompts.shape[1]:
            nodes = self._histories.regrow(rows)
            if nodes is None:
                raise _ambiguity("neither the rows of the last call and one token more nor new")
            return nodes
        try:
            return self._histories.walk(rows, self._starts, skipping=False)
        except SkippedTokensError:
            raise _ambiguity("the prompts of this generation and tokens never seen") from None

    def _begin(self, rows: NDArray[np.int64]) -> None:
        """Begin a generation whose prompts are these rows."""
        if self._drafts and self._prompts is not None:
            raise _ambiguity(
                "not of the present generation (an assistant with a tokenizer of its own cannot "
                "share the processor)"
            )
        earlier, self._earlier_prompts = self._earlier_prompts, self._prompts
        for prompts in (earlier, self._earlier_prompts):
            if prompts is None or prompts.shape[1] == rows.shape[1]:
                continue
            if _begin_with(rows, prompts):
                raise _ambiguity("the prompts of an earlier generation and more tokens")
        self._histories.clear()
        self._prompts = rows.copy()
        self._starts = [rows.shape[1]] * len(self._starts)

    def _find_from_given_starts(self, rows: NDArray[np.int64]) -> list[Node[Any]]:
        """Return the node of each row where the caller has said how long the prompts are."""
        if rows.shape[1] < max(self._starts):
            raise DecodingError(
                f"prompt_length is {max(self._starts)}, but the rows have {rows.shape[1]} tokens"
            )
        nodes = self._histories.walk(rows, self._starts, skipping=True)
        if self._is_first_call:
            self._is_first_call = False
            wrong = [index for index, node in enumerate(nodes) if not node.is_open]
            if wrong:
                raise DecodingError(
                    f"row {wrong[0]}: the tokens after prompt_length already break the constraint, "
                    "or end it"
                )
        return nodes

    def _without_copies(self, nodes: list[Node[Any]]) -> list[Node[Any]]:
        """Close beams equal to an earlier beam of the same prompt, which has the better score."""
        kept: list[Node[Any]] = []
        seen: set[int] = set()
        for index, node in enumerate(nodes):
            if index % self._num_beams == 0:
                seen.clear()
            is_copy = id(node) in seen
            seen.add(id(node))
            kept.append(Node(node.engine, node.state, is_open=False) if is_copy else node)
        return kept

    def _settle(self, nodes: list[Node[Any]], scores: Any, rows: NDArray[np.int64]) -> None:
        """Fill the rows that are closed, and find those that masking has left nothing of."""
        if all(node.state is None for node in nodes):
            # Sampling never leaves the language, and beam search always keeps something that has
            # not: these rows cannot have been written under this processor.
            raise _ambiguity("outside the language, every one of them")
        best = scores.amax(dim=-1).tolist()
        for index, node in enumerate(nodes):
            if node.is_open:
                if -float("inf") < best[index] < float("inf"):
                    continue
                if best[index] != -float("inf") or self._num_beams == 1:
                    self._refuse(index, best[index])
            # Any token will do: what this row says is not part of any output.
            token = int(rows[index, -1])
            half = scores.dtype == torch.float16
            scores[index].fill_(-float("inf"))
            scores[index, token] = _LOWEST_HALF if half else _LOWEST

    def _check_shapes(self, row_count: int, shape: tuple[int, ...]) -> None:
        """Refuse rows and scores that do not fit the engines."""
        if shape[0] != row_count:
            raise DecodingError(f"{row_count} token histories came with {shape[0]} rows of scores")
        if row_count % len(self._sizes):
            raise DecodingError(
                f"{row_count} rows cannot be shared out among {len(self._sizes)} engines: give one "
                "engine, or exactly one for each prompt of the batch"
            )
        if shape[1] < max(self._sizes):
            raise DecodingError(
                f"the model scores {shape[1]} token ids, the engine's vocabulary has "
                f"{max(self._sizes)}: compile for a vocabulary of this model, "
                f"Vocabulary.from_tokenizer(tokenizer, size={shape[1]})"
            )

    @staticmethod
    def _refuse(row: int, best: float) -> None:
        """Say why a row cannot be continued."""
        if best != -float("inf"):
            raise DecodingError(
                f"row {row}: the scores of allowed tokens hold NaN or infinity; in half precision, "
                "try float32 or bfloat16"
            )
        raise DecodingError(
            f"row {row}: every token that the constraint allows has a score of minus infinity: "
            "another logits processor (min_new_tokens, bad_words_ids, no_repeat_ngram_size, ...) "
            "forbids them; under beam search, num_beams= lets such a beam be dropped instead; "
            "prompt look-up needs the scores as they were, so in_place=True cannot be used with it"
        )


def _begin_with(rows: NDArray[np.int64], prompts: NDArray[np.int64]) -> bool:
    """Say whether each row begins with its prompt."""
    if len(rows) != len(prompts) or rows.shape[1] < prompts.shape[1]:
        return False
    return bool((rows[:, : prompts.shape[1]] == prompts).all())


def _ambiguity(what: str) -> DecodingError:
    """Return the error for rows that cannot be told to be of this generation or of a new one."""
    return DecodingError(
        f"the rows are {what}, so it is unclear where their output starts: call reset() before "
        "each generate call, or give prompt_length=; with assistant_model or "
        "prompt_lookup_num_tokens, give drafts=True"
    )


def _engines(
    engine: MaskEngine[Any] | Sequence[MaskEngine[Any]],
    prompt_length: int | Sequence[int] | None,
) -> list[MaskEngine[Any]]:
    """Return the engines, one for each prompt where prompts differ in engine or in length."""
    given: list[Any] = list(engine) if isinstance(engine, (list, tuple)) else [engine]
    for each in given:
        if not callable(getattr(each, "allowed_tokens", None)):
            raise TypeError(
                f"{each!r:.60} is not an engine; make one with formgate.compile(source, vocabulary)"
            )
    if isinstance(engine, (list, tuple)):
        if not engine:
            raise ValueError("the list of engines is empty: one is needed for each prompt")
        return given
    if prompt_length is None or isinstance(prompt_length, int):
        return [engine]  # type: ignore[list-item] # a sequence was ruled out above
    return [engine] * len(prompt_length)  # type: ignore[list-item] # as above


def _starts(prompt_length: int | Sequence[int] | None, engine_count: int) -> list[int] | None:
    """Return the given prompt lengths, one for each engine."""
    if prompt_length is None:
        return None
    given = [prompt_length] if isinstance(prompt_length, int) else list(prompt_length)
    if not all(isinstance(n, int) and not isinstance(n, bool) for n in given):
        raise TypeError(f"prompt_length is a number of tokens, or one for each, not {given!r:.60}")
    if isinstance(prompt_length, int):
        starts = [prompt_length] * engine_count
    else:
        starts = given
        if len(starts) != engine_count:
            raise ValueError(
                f"prompt_length has {len(starts)} entries for {engine_count} engines: give one "
                "number, or one for each engine"
            )
    if min(starts) < 0:
        raise ValueError(f"prompt_length must not be negative, not {min(starts)}")
    return starts
