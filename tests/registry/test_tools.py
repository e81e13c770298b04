"""Tools: what commands of the core find by name, without knowing the plugin."""

from __future__ import annotations

import json

import pytest

from formgate.core.errors import PluginError
from formgate.core.registry import Registry, ToolSpec, hookimpl


class Plugin:
    """A plugin object that offers tools."""

    def __init__(self, *tools):
        self.tools = tools

    @hookimpl
    def register_tools(self, register):
        for each in self.tools:
            register(each)


@pytest.fixture
def registry() -> Registry:
    return Registry(load=False)


def test_a_tool_is_imported_when_it_is_used(registry):
    registry.register(Plugin(ToolSpec("dump", "json:dumps")), name="mine")
    assert registry.tool("dump") is registry.tool("mine:dump")
    assert registry.tool("dump").spec.load() is json.dumps
    assert [entry.spec.name for entry in registry.tools()] == ["dump"]
    assert registry.plugins()[0].tools == ("dump",)


def test_what_is_wrong_is_said(registry):
    with pytest.raises(PluginError, match="unknown tool 'dump'; known tools: none"):
        registry.tool("dump")
    with pytest.raises(PluginError, match="tool 'x': target 'json' is not 'module:attribute'"):
        ToolSpec("x", "json")
    with pytest.raises(PluginError, match="tool 'x': module 'json' has no 'nothing'"):
        ToolSpec("x", "json:nothing").load()
    with pytest.raises(PluginError, match="is not a ToolSpec"):
        registry.register(Plugin("x"))


def test_failed_registration_leaves_no_trace(registry):
    with pytest.raises(PluginError, match="registered twice"):
        registry.register(Plugin(ToolSpec("x", "json:dumps"), ToolSpec("x", "json:loads")))
    assert registry.tools() == ()
