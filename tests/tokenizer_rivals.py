"""First masks of other engines for a tokenizer: run by an interpreter that has them.

    python tests/tokenizer_rivals.py OUT FILE STOP REGEX...

writes to OUT, as JSON, for each engine and regex the ids that may come first. The interpreter needs
``xgrammar``, ``llguidance`` and ``transformers``; FORMGATE_RIVALS_PYTHON names it for the tests.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from pathlib import Path


def xgrammar_masks(file, stop, patterns):
    import xgrammar
    from transformers import PreTrainedTokenizerFast

    wrapped = PreTrainedTokenizerFast(tokenizer_file=file)
    size = max(wrapped.get_vocab().values()) + 1
    info = xgrammar.TokenizerInfo.from_huggingface(wrapped, vocab_size=size, stop_token_ids=[stop])
    compiler = xgrammar.GrammarCompiler(info)
    masks = {}
    for pattern in patterns:
        matcher = xgrammar.GrammarMatcher(compiler.compile_regex(pattern))
        words = xgrammar.allocate_token_bitmask(1, size)
        matcher.fill_next_token_bitmask(words)
        masks[pattern] = ids_of(words[0].tolist(), size)
    return masks


def llguidance_masks(file, stop, patterns):
    import llguidance

    tokenizer = llguidance.LLTokenizer(Path(file).read_text(encoding="utf-8"), eos_token=stop)
    masks = {}
    for pattern in patterns:
        grammar = llguidance.LLMatcher.grammar_from_regex(pattern)
        matcher = llguidance.LLMatcher(tokenizer, grammar)
        data = matcher.compute_bitmask()
        if matcher.is_error():
            raise SystemExit(matcher.get_error())
        words = [int.from_bytes(data[i : i + 4], "little") for i in range(0, len(data), 4)]
        masks[pattern] = ids_of(words, tokenizer.vocab_size)
    return masks


def ids_of(words, size):
    return [i for i in range(size) if words[i >> 5] >> (i & 31) & 1]


if __name__ == "__main__":
    out, file, stop, *patterns = sys.argv[1:]
    found = {
        "xgrammar": xgrammar_masks(file, int(stop), patterns),
        "llguidance": llguidance_masks(file, int(stop), patterns),
        "versions": {name: version(name) for name in ("xgrammar", "llguidance")},
    }
    Path(out).write_text(json.dumps(found))
