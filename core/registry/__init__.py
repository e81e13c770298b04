"""Plugins: what they may implement, what they hand over, and the registry that holds it."""

from __future__ import annotations

from formgate.core.registry.hookspecs import API_VERSION, hookimpl, hookspec
from formgate.core.registry.registry import (
    PluginInfo,
    PluginWarning,
    Registry,
    default_registry,
)
from formgate.core.registry.specs import (
    AdapterSpec,
    CompileFunction,
    CompileStats,
    ExplainFunction,
    Format,
    ReadFunction,
    ToolSpec,
)
from formgate.core.registry.table import Origin, Registered

__all__ = [
    "API_VERSION",
    "AdapterSpec",
    "CompileFunction",
    "CompileStats",
    "ExplainFunction",
    "Format",
    "Origin",
    "PluginInfo",
    "PluginWarning",
    "ReadFunction",
    "Registered",
    "Registry",
    "ToolSpec",
    "default_registry",
    "hookimpl",
    "hookspec",
]
