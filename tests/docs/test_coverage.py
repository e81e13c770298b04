"""Whatever a user can meet by name stands in the documentation."""

from __future__ import annotations

from pathlib import Path

import pytest

import formgate
from formgate.core import errors
from formgate.core.cli import COMMANDS
from formgate.core.registry import Registry, hookspecs

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "docs" / "reference"
VARIABLES = ("FORMGATE_PLUGINS", "FORMGATE_DISABLE_PLUGINS", "FORMGATE_STRICT_PLUGINS")


def page(name: str) -> str:
    return (REFERENCE / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", hookspecs.HOOKS)
def test_hooks(name):
    assert f"`{name}`" in page("plugins.md")


def test_hooks_are_all_listed():
    assert set(hookspecs.HOOKS) == {
        name
        for name, value in vars(hookspecs).items()
        if callable(value) and hasattr(value, "formgate_spec")
    }


@pytest.mark.parametrize("name", errors.__all__)
def test_errors(name):
    assert f"`{name}`" in page("errors.md")


@pytest.mark.parametrize("name", VARIABLES)
def test_environment_variables(name):
    assert f"`{name}`" in page("plugins.md")


@pytest.mark.parametrize("name", COMMANDS)
def test_commands(name):
    assert f"formgate {name}" in page("command-line.md")


@pytest.mark.parametrize("name", formgate.__all__)
def test_public_names(name):
    assert name in page("python.md") or name in page("errors.md")


def test_built_in_formats():
    registry = Registry(environment={"FORMGATE_PLUGINS": "none"})
    for entry in registry.formats():
        assert f"`{entry.spec.name}`" in page("formats.md")
        assert entry.spec.description


def test_built_in_adapters():
    registry = Registry(environment={"FORMGATE_PLUGINS": "none"})
    for entry in registry.adapters():
        assert f"`{entry.spec.name}`" in page("back-ends.md")
