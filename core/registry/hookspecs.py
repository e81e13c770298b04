"""The hooks a plugin may implement, and the version of this interface.

A hook ships only together with a plugin that uses it, so what a sampler or a JSON Schema string
format will need is not here yet. There is no ``guess_format`` hook: ``Format.guess`` says the same
and stands beside the format it speaks of.

The interface has a version of its own. A new hook or a new argument raises the minor number (an
implementation may take fewer arguments than the hook offers, so older plugins keep working);
removing anything raises the major one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    from collections.abc import Callable

    from formgate.core._native import Engine
    from formgate.core.grammar import Grammar
    from formgate.core.registry.specs import AdapterSpec, CompileStats, Format, ToolSpec
    from formgate.core.vocabulary import Vocabulary

__all__ = [
    "API_VERSION",
    "HOOKS",
    "grammar_compiled",
    "hookimpl",
    "hookspec",
    "read_vocabulary",
    "register_adapters",
    "register_formats",
    "register_tools",
]

API_VERSION = (1, 0)
HOOKS = (
    "register_formats",
    "register_adapters",
    "register_tools",
    "read_vocabulary",
    "grammar_compiled",
)

hookspec = pluggy.HookspecMarker("formgate")
hookimpl = pluggy.HookimplMarker("formgate")


@hookspec(historic=True)
def register_formats(register: Callable[[Format], None]) -> None:
    """Offer formats: call ``register`` once for each, before returning."""


@hookspec(historic=True)
def register_adapters(register: Callable[[AdapterSpec], None]) -> None:
    """Offer adapters to back ends: call ``register`` once for each, importing no back end."""


@hookspec(historic=True)
def register_tools(register: Callable[[ToolSpec], None]) -> None:
    """Offer what commands call: call ``register`` once for each, importing none of them."""


@hookspec(firstresult=True)
def read_vocabulary(tokenizer: object) -> Vocabulary | None:
    """Return the exact byte vocabulary of a tokenizer object, or None when it is not yours."""


@hookspec
def grammar_compiled(grammar: Grammar, engine: Engine, stats: CompileStats) -> None:
    """Observe a finished compilation. Called only when something implements it."""
