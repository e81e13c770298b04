"""Adapter of llama.cpp's own grammars, through the C functions of its sampler.

`llama_sampler_init_grammar` is given the vocabulary of a model file, so only the vocabulary of that
file can be measured. Its apply sets the logit of every forbidden token to minus infinity in an
array of ids and logits; `fill` resets that array, applies and writes the packed row. Resetting and
writing take some 0.1 ms together, which `overhead_us` tells. Schemas are turned into a grammar by
the converter of llama-cpp-python.
"""

from __future__ import annotations

import ctypes
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import llama_cpp  # type: ignore[import-not-found,unused-ignore]
import numpy as np
from llama_cpp.llama_grammar import (  # type: ignore[import-not-found,unused-ignore]
    json_schema_to_gbnf,
)

from benchmarks.engines.base import Adapter, RefusedError, Session

if TYPE_CHECKING:
    from benchmarks.vocabularies import VocabularyData

_DATA = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])


class LlamaCpp(Adapter):
    """The grammar sampler over the vocabulary of a model file, whose weights are not loaded."""

    packages = ("llama-cpp-python",)
    reads_apart = True

    def __init__(self, vocabulary: VocabularyData, row: np.ndarray[Any, Any]) -> None:
        if vocabulary.model_file is None:
            raise RefusedError(f"{vocabulary.name} is not the vocabulary of a model file")
        self._row = row
        self._log = llama_cpp.llama_log_callback(lambda *_: None)
        llama_cpp.llama_log_set(self._log, ctypes.c_void_p(0))
        options = llama_cpp.llama_model_default_params()
        options.vocab_only = True
        path = str(Path(vocabulary.model_file)).encode()
        self._model = llama_cpp.llama_model_load_from_file(path, options)
        self._vocabulary = llama_cpp.llama_model_get_vocab(self._model)
        size = llama_cpp.llama_vocab_n_tokens(self._vocabulary)
        if size != len(vocabulary.tokens):
            raise ValueError(f"the model file has {size} tokens, not {len(vocabulary.tokens)}")
        self._data = np.zeros(size, _DATA)
        self._fresh = self._data.copy()
        self._fresh["id"] = np.arange(size)
        self._bits = np.zeros(row.size * 32, np.bool_)
        self._array = llama_cpp.llama_token_data_array(
            ctypes.cast(self._data.ctypes.data, ctypes.POINTER(llama_cpp.llama_token_data)),
            size,
            -1,
            False,
        )

    def read(self, source: str, form: str) -> Any:
        """Turn a schema into a grammar; a grammar is read by `compile`."""
        if form == "gbnf":
            return source
        try:
            return json_schema_to_gbnf(json.dumps(json.loads(source)))
        except Exception as error:
            raise RefusedError(f"{type(error).__name__}: {error}") from error

    def compile(self, source: str, form: str) -> Any:
        """Build the sampler."""
        del form
        sampler = llama_cpp.llama_sampler_init_grammar(self._vocabulary, source.encode(), b"root")
        if not sampler:
            raise RefusedError("the grammar could not be read")
        return sampler

    def start(self, compiled: Any) -> Session:
        """Reset the sampler."""
        llama_cpp.llama_sampler_reset(compiled)
        apply, accept = llama_cpp.llama_sampler_apply, llama_cpp.llama_sampler_accept
        data, fresh, bits, row = self._data, self._fresh, self._bits, self._row
        array, size = ctypes.byref(self._array), len(self._data)
        logits, packed = data["logit"], row.view(np.uint8)

        def fill() -> None:
            data[:] = fresh
            apply(compiled, array)
            np.isfinite(logits, out=bits[:size])
            packed[:] = np.packbits(bits, bitorder="little")

        def advance(token: int) -> bool:
            accept(compiled, token)
            return True

        return Session(fill, advance)
