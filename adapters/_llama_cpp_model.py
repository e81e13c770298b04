"""Models of llama-cpp-python over llama.cpp's own interface, for decode loops.

Scores are views of the memory that llama.cpp wrote them to, so that nothing is copied: a row is
good until the model's next pass. The tokens that the context holds are remembered, and the next
prompt is read only from where it differs.
"""

from __future__ import annotations

import ctypes
import weakref
from typing import TYPE_CHECKING, Any

import llama_cpp
import numpy as np

from formgate.core.decoding.errors import DecodingError
from formgate.core.errors import VocabularyError
from formgate.core.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from formgate.core.decoding import TokenTexts

__all__ = ["LlamaCppModel", "tokenize", "vocabulary_of"]

_vocabularies: weakref.WeakKeyDictionary[Any, Vocabulary] = weakref.WeakKeyDictionary()

_TEXT = (
    llama_cpp.LLAMA_TOKEN_ATTR_NORMAL
    | llama_cpp.LLAMA_TOKEN_ATTR_USER_DEFINED
    | llama_cpp.LLAMA_TOKEN_ATTR_BYTE
)
_SPECIAL = llama_cpp.LLAMA_TOKEN_ATTR_CONTROL | llama_cpp.LLAMA_TOKEN_ATTR_UNKNOWN


class LlamaCppModel:
    """A model of llama.cpp for ``constrained_decode`` and ``jump_decode``.

    One sequence at a time; ``start`` begins the next one. While a sequence is decoded, the
    ``Llama`` object must not be used otherwise.

    Args:
        llama: What ``llama_cpp.Llama`` returns. Made with ``n_threads`` to its taste.

    Raises:
        DecodingError: It has no weights (``vocab_only=True``), or was closed.
    """

    def __init__(self, llama: llama_cpp.Llama) -> None:
        # llama.cpp itself would end the process.
        if llama.model_params.vocab_only:
            raise DecodingError(
                f"{llama.model_path} was loaded with vocab_only=True, without weights: "
                "load it without"
            )
        if llama._model.model is None:  # noqa: SLF001 (not offered above)
            raise DecodingError(f"{llama.model_path} was closed: load it again")
        self._llama = llama
        self._size = int(llama.n_vocab())
        self._room = llama.n_batch
        self._memory = llama_cpp.llama_get_memory(llama.ctx)
        self._batch = llama_cpp.llama_batch_init(self._room, 0, 1)
        self._free = weakref.finalize(self, llama_cpp.llama_batch_free, self._batch)
        self._rows: dict[int, NDArray[np.float32]] = {}
        # The tokens that the context has read.
        self._held: list[int] = []

    @property
    def llama(self) -> llama_cpp.Llama:
        """The model of llama-cpp-python."""
        return self._llama

    @property
    def vocabulary_size(self) -> int:
        """How many token ids the model scores."""
        return self._size

    @property
    def tokens(self) -> tuple[int, ...]:
        """The tokens that the model has read."""
        return tuple(self._held)

    def start(self, prompt_ids: Sequence[int]) -> NDArray[np.float32]:
        """Read a prompt, and return the scores of the first output token.

        What the prompt shares with what was read before is not read again.

        Raises:
            DecodingError: The context is full, or llama.cpp cannot read the tokens.
        """
        prompt = [int(token) for token in prompt_ids]
        if self._llama.n_tokens:  # the object was used in its own way
            self._held = []
            self._llama.reset()
        shared = 0
        for held, token in zip(self._held, prompt[:-1], strict=False):
            if held != token:
                break
            shared += 1
        if not self._keep(shared):
            shared = 0
        return self.read(prompt[shared:], 1)[0]

    def step(self, token: int) -> NDArray[np.float32]:
        """Read one more token and return the scores of the next one."""
        return self.read((token,), 1)[0]

    def extend(self, tokens: Sequence[int]) -> NDArray[np.float32]:
        """Read tokens in one pass and return the scores of the token after the last of them."""
        return self.read(tokens, 1)[0]

    def read(self, tokens: Sequence[int], rows: int) -> list[NDArray[np.float32]]:
        """Read tokens and return the scores after each of the last ``rows`` of them.

        Raises:
            DecodingError: The context is full, llama.cpp cannot read the tokens, or more rows are
                asked for than one pass gives.
        """
        if not 0 < rows <= min(len(tokens), self._room):
            raise DecodingError(
                f"{rows} rows of scores cannot come of {len(tokens)} tokens read at most "
                f"{self._room} at a time (n_batch)"
            )
        limit = self._llama.n_ctx()
        if len(self._held) + len(tokens) > limit:
            raise DecodingError(
                f"the model's context of {limit} tokens is full: make the model with a larger "
                "n_ctx, or ask for fewer tokens"
            )
        last = len(tokens) - rows
        begin = 0
        while begin < len(tokens):
            # All rows must come from one pass: it begins no later than the first of them.
            end = min(begin + self._room, len(tokens))
            if last < end < len(tokens):
                end = last
            self._pass(tokens[begin:end], last - begin)
            begin = end
        count = len(tokens) - last
        return [self._row(place - count) for place in range(count)]

    def rewind(self, count: int) -> None:
        """Forget the last ``count`` tokens.

        Raises:
            DecodingError: Fewer tokens than that have been read, or the model cannot forget: a
                recurrent one must read everything again.
        """
        if not 0 <= count <= len(self._held):
            raise DecodingError(f"cannot forget {count} tokens: {len(self._held)} have been read")
        held = self._held[: len(self._held) - count]
        if count and not self._keep(len(held)) and held:
            self.read(held, 1)

    def _keep(self, count: int) -> bool:
        """Forget all but the first tokens; return False where all had to be forgotten."""
        if llama_cpp.llama_memory_seq_rm(self._memory, 0, count, -1):
            del self._held[count:]
            return True
        llama_cpp.llama_memory_clear(self._memory, True)
        self._held = []
        return count == 0

    def _pass(self, tokens: Sequence[int], scored: int) -> None:
        """Read tokens, with scores after each from place ``scored`` on."""
        batch, start = self._batch, len(self._held)
        batch.n_tokens = len(tokens)
        for place, token in enumerate(tokens):
            batch.token[place] = token
            batch.pos[place] = start + place
            batch.n_seq_id[place] = 1
            batch.seq_id[place][0] = 0
            batch.logits[place] = place >= scored
        # Another use of the object then begins from an empty context.
        self._llama.n_tokens = 0
        code = llama_cpp.llama_decode(self._llama.ctx, batch)
        if code:
            self._keep(0)
            raise DecodingError(f"llama.cpp cannot read the tokens: llama_decode returned {code}")
        self._held += [int(token) for token in tokens]

    def _row(self, place: int) -> NDArray[np.float32]:
        """Return the scores at a place of the last pass, counted from its end."""
        pointer = llama_cpp.llama_get_logits_ith(self._llama.ctx, place)
        address = ctypes.cast(pointer, ctypes.c_void_p).value
        if address is None:
            raise DecodingError("llama.cpp gives no scores (was the model made for embeddings?)")
        row = self._rows.get(address)
        if row is None:
            # SAFETY: llama.cpp promises n_vocab floats there until the next pass; the address is
            # asked for anew after each pass, and the memory is the context's as long as it lives.
            floats = (ctypes.c_float * self._size).from_address(address)
            row = np.ctypeslib.as_array(floats)
            if len(self._rows) > self._room:
                self._rows.clear()
            self._rows[address] = row
        return row


def vocabulary_of(llama: llama_cpp.Llama) -> Vocabulary:
    """Return the vocabulary of a loaded model as llama.cpp itself decodes it.

    Its stop ids are all tokens at which llama.cpp ends a generation, which may be more than the
    file names. Remembered while the model lives; some 0.2 s for 49,152 tokens.

    Raises:
        VocabularyError: The model has no end token.
    """
    known = _vocabularies.get(llama)
    if known is not None:
        return known
    handle = llama._model.vocab  # noqa: SLF001 (there is no other way to llama.cpp's vocabulary)
    tokens: list[bytes | None] = []
    special: dict[str, int] = {}
    stops = []
    buffer = ctypes.create_string_buffer(256)
    for token in range(llama.n_vocab()):
        kind = llama_cpp.llama_vocab_get_attr(handle, token)
        is_stop = llama_cpp.llama_vocab_is_eog(handle, token)
        if is_stop:
            stops.append(token)
        if is_stop or kind & _SPECIAL:
            name = llama_cpp.llama_vocab_get_text(handle, token).decode(errors="replace")
            special.setdefault(name, token)
        piece = None
        if kind & _TEXT and not is_stop:
            length = _piece(handle, token, buffer)
            if length < 0:
                buffer = ctypes.create_string_buffer(-length)
                length = _piece(handle, token, buffer)
            piece = buffer.raw[:length] or None
        tokens.append(piece)
    if not stops:
        raise VocabularyError(
            f"{llama.model_path}: llama.cpp knows no token that ends an output; make the "
            "vocabulary with Vocabulary.from_file(path, stop_ids=[...]) and pass it"
        )
    _vocabularies[llama] = vocabulary = Vocabulary(tokens, stop_ids=stops, special=special)
    return vocabulary


def _piece(handle: Any, token: int, buffer: ctypes.Array[ctypes.c_char]) -> int:
    """Write a token's text into a buffer; return its length, negative where it does not fit."""
    # No leading space is stripped, no special token is shown.
    return int(llama_cpp.llama_token_to_piece(handle, token, buffer, len(buffer), 0, False))


def tokenize(llama: llama_cpp.Llama, vocabulary: TokenTexts, text: bytes) -> list[int]:
    """Return the tokens of a text that stands within others; none where they are not exact.

    Args:
        llama: The model.
        vocabulary: Its tokens.
        text: The text; special tokens in it are text.
    """
    tokens: list[int] = llama.tokenize(text, add_bos=False, special=False)
    data = b"".join(vocabulary.token_bytes(token) or b"" for token in tokens)
    if data == text:
        return tokens
    if data == b" " + text and tokens and vocabulary.token_bytes(tokens[0]) == b" ":
        return tokens[1:]  # SentencePiece puts a space before every text
    return []
