"""Stand-ins for the parts of vLLM that the adapter touches.

Written after vLLM's interfaces, with the same names and arguments; ``test_contract.py`` holds them
against vLLM's own sources. They let the adapter be driven where vLLM is not installed.
"""

from __future__ import annotations

import enum
import json
import sys
import types
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from types import SimpleNamespace


class VLLMClientError(Exception):
    pass


class VLLMValidationError(VLLMClientError):
    def __init__(self, message, *, parameter=None, value=None):
        super().__init__(message)
        self.parameter = parameter
        self.value = value


class StructuredOutputOptions(enum.Enum):
    JSON = enum.auto()
    JSON_OBJECT = enum.auto()
    REGEX = enum.auto()
    GRAMMAR = enum.auto()
    CHOICE = enum.auto()
    STRUCTURAL_TAG = enum.auto()


class StructuredOutputGrammar(ABC):
    @abstractmethod
    def accept_tokens(self, request_id, tokens): ...

    @abstractmethod
    def validate_tokens(self, tokens): ...

    @abstractmethod
    def rollback(self, num_tokens): ...

    @abstractmethod
    def fill_bitmask(self, bitmask, batch_index): ...

    @abstractmethod
    def is_terminated(self): ...

    @abstractmethod
    def reset(self): ...


@dataclass
class StructuredOutputBackend(ABC):
    vllm_config: object
    tokenizer: object
    vocab_size: int

    @abstractmethod
    def compile_grammar(self, request_type, grammar_spec, stop_token_ids=None): ...

    @abstractmethod
    def allocate_token_bitmask(self, max_num_seqs): ...

    @abstractmethod
    def destroy(self): ...


@dataclass
class StructuredOutputsParams:
    json: object = None
    regex: str | None = None
    choice: list[str] | None = None
    grammar: str | None = None
    json_object: bool | None = None
    disable_any_whitespace: bool = False
    disable_additional_properties: bool = False
    whitespace_pattern: str | None = None
    structural_tag: str | None = None


def get_structured_output_key(params):
    for option in StructuredOutputOptions:
        value = getattr(params, option.name.lower())
        if value is None:
            continue
        if option is StructuredOutputOptions.JSON_OBJECT:
            return option, ""
        return option, value if isinstance(value, str) else json.dumps(value)
    raise ValueError("no constraint")


@dataclass
class SamplingParams:
    structured_outputs: StructuredOutputsParams | None = None
    extra_args: dict | None = None
    all_stop_token_ids: set = field(default_factory=set)


class MoveDirectionality(enum.Enum):
    UNIDIRECTIONAL = enum.auto()
    SWAP = enum.auto()


@dataclass(frozen=True)
class BatchUpdate:
    batch_size: int
    removed: list
    added: list
    moved: list


class BatchLogitsProcessor(ABC):
    @classmethod
    def validate_params(cls, sampling_params):
        return None

    @abstractmethod
    def __init__(self, vllm_config, device, is_pin_memory): ...

    @abstractmethod
    def apply(self, logits): ...

    @abstractmethod
    def is_argmax_invariant(self): ...

    @abstractmethod
    def update_state(self, batch_update): ...


class SlotLogitsProcessor(ABC):
    def __init__(self, vllm_config, req_states):
        return None

    @classmethod
    def validate_params(cls, sampling_params):
        return None

    def add_request(self, req_idx, sampling_params):
        return True

    def apply_staged_writes(self):
        return None

    @abstractmethod
    def apply(self, logits, ctx): ...


def modules(tokenizer):
    """The modules by their names, fresh ones."""

    class OutlinesBackend(StructuredOutputBackend):
        pass

    class XgrammarBackend(StructuredOutputBackend):
        pass

    contents = {
        "vllm": {},
        "vllm.exceptions": {"VLLMValidationError": VLLMValidationError},
        "vllm.tokenizers": {"cached_tokenizer_from_config": lambda model_config: tokenizer},
        "vllm.v1": {},
        "vllm.v1.structured_output": {"XgrammarBackend": XgrammarBackend},
        "vllm.v1.structured_output.backend_types": {
            "StructuredOutputBackend": StructuredOutputBackend,
            "StructuredOutputGrammar": StructuredOutputGrammar,
            "StructuredOutputOptions": StructuredOutputOptions,
        },
        "vllm.v1.structured_output.request": {
            "get_structured_output_key": get_structured_output_key
        },
        "vllm.v1.structured_output.backend_outlines": {
            "OutlinesBackend": OutlinesBackend,
            "validate_structured_output_request_outlines": lambda params: None,
        },
        "vllm.v1.structured_output.backend_xgrammar": {
            "XgrammarBackend": XgrammarBackend,
            "validate_xgrammar_grammar": lambda sampling_params: None,
        },
        "vllm.v1.sample": {},
        "vllm.v1.sample.logits_processor": {"LogitsProcessor": BatchLogitsProcessor},
        "vllm.v1.worker": {},
        "vllm.v1.worker.gpu": {},
        "vllm.v1.worker.gpu.sample": {},
        "vllm.v1.worker.gpu.sample.logits_processor": {"LogitsProcessor": SlotLogitsProcessor},
    }
    made = {}
    for name, values in contents.items():
        module = types.ModuleType(name)
        module.__path__ = []  # a package: it may have modules below
        vars(module).update(values)
        made[name] = module
    return made


def config(vocab_size):
    """What the adapter reads of vLLM's configuration."""
    return SimpleNamespace(model_config=SimpleNamespace(get_vocab_size=lambda: vocab_size))


def forget_adapter():
    """Let the modules that import vLLM be imported anew."""
    package = sys.modules.get("formgate.adapters")
    for name in ("_vllm_backend", "_vllm_logits"):
        sys.modules.pop(f"formgate.adapters.{name}", None)
        if package is not None and hasattr(package, name):
            delattr(package, name)
