"""Stand-ins for the parts of SGLang that the adapter touches; the contract test holds them too."""

from __future__ import annotations

import sys
import types
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, NamedTuple


@dataclass
class GrammarStats:
    compilation_time: float | None = None
    is_cache_hit: bool = False
    tree_traversal_time: list = field(default_factory=list)
    dispatch_type: str | None = None


class GrammarRow(NamedTuple):
    row: int
    grammar: Any


class BaseGrammarObject:
    def __init__(self):
        self._finished = False
        self.grammar_stats = None
        self.current_token = None

    def maybe_init_reasoning(self, reasoning):
        pass

    def accept_token(self, token):
        raise NotImplementedError

    def rollback(self, k):
        raise NotImplementedError

    def is_terminated(self):
        return False

    def allocate_vocab_mask(self, vocab_size, batch_size, device):
        raise NotImplementedError

    def fill_vocab_mask(self, vocab_mask, idx):
        raise NotImplementedError

    @staticmethod
    def fill_vocab_mask_batched(entries, vocab_mask):
        for entry in entries:
            entry.grammar.fill_vocab_mask(vocab_mask, entry.row)

    @staticmethod
    def reset_vocab_mask(vocab_mask):
        raise NotImplementedError

    @staticmethod
    def move_vocab_mask(vocab_mask, device):
        raise NotImplementedError

    @staticmethod
    def apply_vocab_mask(logits, vocab_mask):
        raise NotImplementedError

    def copy(self):
        return self

    def try_jump_forward(self, tokenizer):
        raise NotImplementedError

    def jump_forward_str_state(self, helper):
        raise NotImplementedError

    def jump_and_retokenize(self, old_output_ids, new_output_ids, next_state):
        raise NotImplementedError


class InvalidGrammarObject(BaseGrammarObject):
    def __init__(self, error_message="Unknown grammar error"):
        super().__init__()
        self.error_message = error_message


class BaseGrammarBackend:
    def __init__(self):
        self.executor = ThreadPoolExecutor(2)
        self.cache = {}

    def dispatch_json(self, key_string):
        raise NotImplementedError

    def dispatch_regex(self, key_string):
        raise NotImplementedError

    def dispatch_ebnf(self, key_string):
        raise NotImplementedError

    def dispatch_structural_tag(self, key_string):
        raise NotImplementedError

    def set_cache(self, key, value):
        self.cache[key] = value

    def reset(self):
        self.cache.clear()


class ReasonerGrammarBackend(BaseGrammarBackend):
    def __init__(self, grammar_backend, reasoning_parser, tokenizer, enable_strict_thinking=False):
        super().__init__()
        self.grammar_backend, self.reasoning_parser = grammar_backend, reasoning_parser
        self.enable_strict_thinking = enable_strict_thinking


class ReasoningParser:
    def __init__(self, model_type, stream_reasoning, tokenizer):
        self.model_type = model_type


def modules():
    """The modules by their names, fresh ones."""
    choices, registry = ["xgrammar", "none"], {}
    serving = SimpleNamespace(reasoning_parser=None, enable_strict_thinking=False)
    base = {
        "BaseGrammarBackend": BaseGrammarBackend,
        "BaseGrammarObject": BaseGrammarObject,
        "GrammarStats": GrammarStats,
        "InvalidGrammarObject": InvalidGrammarObject,
        "GRAMMAR_BACKEND_REGISTRY": registry,
        "register_grammar_backend": registry.__setitem__,
    }
    contents = {
        "sglang": {},
        "sglang.srt": {},
        "sglang.srt.arg_groups": {},
        "sglang.srt.arg_groups.choices": {
            "GRAMMAR_BACKEND_CHOICES": choices,
            "add_grammar_backend_choices": choices.extend,
        },
        "sglang.srt.constrained": {},
        "sglang.srt.constrained.base_grammar_backend": base,
        "sglang.srt.constrained.reasoner_grammar_backend": {
            "ReasonerGrammarBackend": ReasonerGrammarBackend
        },
        "sglang.srt.parser": {},
        "sglang.srt.parser.reasoning_parser": {"ReasoningParser": ReasoningParser},
        "sglang.srt.runtime_context": {"get_serving": lambda: serving},
        "sglang.srt.utils": {},
        "sglang.srt.utils.common": {"is_pin_memory_available": lambda: False},
    }
    made = {}
    for name, values in contents.items():
        module = types.ModuleType(name)
        module.__path__ = []  # a package: it may have modules below
        vars(module).update(values)
        made[name] = module
    return made


def forget_adapter():
    """Let the module that imports SGLang be imported anew."""
    package = sys.modules.get("formgate.adapters")
    sys.modules.pop("formgate.adapters._sglang_backend", None)
    if package is not None and hasattr(package, "_sglang_backend"):
        delattr(package, "_sglang_backend")
