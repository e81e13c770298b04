"""The entry point: harmless unless asked, the same in every process, clear when it cannot."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import metadata

import pytest

from formgate.core.errors import PluginError

QUIET = """
import sys
from formgate.adapters._vllm_plugin import register
register(); register()
heavy = {"vllm", "torch", "numpy", "transformers", "formgate.core._native", "pluggy"}
print(sorted(heavy & set(sys.modules)))
"""


def test_without_the_variable_nothing_is_imported():
    environment = {k: v for k, v in os.environ.items() if not k.startswith("FORMGATE_")}
    done = subprocess.run(
        [sys.executable, "-c", QUIET], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("group", "target"),
    [
        ("vllm.general_plugins", "formgate.adapters._vllm_plugin:register"),
        ("sglang.srt.plugins", "formgate.adapters._sglang_plugin:register"),
    ],
)
def test_entry_points(group, target):
    found = [each for each in metadata.entry_points(group=group) if each.name == "formgate"]
    if not found:
        pytest.skip("the installed metadata are older than pyproject.toml: run make setup")
    assert {each.value for each in found} == {target}
    assert callable(found[0].load())
    # A class of the wrong interface there would stop every start of vLLM.
    processors = metadata.entry_points(group="vllm.logits_processors")
    assert not [each for each in processors if "formgate" in each.value]


@pytest.mark.parametrize("slot", ["outlines", "xgrammar"])
def test_the_slot_is_taken(fake_vllm, monkeypatch, slot):
    from formgate.adapters.vllm import FormgateBackend, register

    places = {
        "outlines": ("backend_outlines", "OutlinesBackend"),
        "xgrammar": ("backend_xgrammar", "XgrammarBackend"),
    }
    package = "vllm.v1.structured_output"
    before = {
        slot: getattr(fake_vllm[f"{package}.{module}"], name)
        for slot, (module, name) in places.items()
    }
    register()
    for each, (module, name) in places.items():
        assert getattr(fake_vllm[f"{package}.{module}"], name) is before[each]
    monkeypatch.setenv("FORMGATE_VLLM_BACKEND", slot)
    for _ in range(2):
        register()
        for each, (module, name) in places.items():
            wanted = FormgateBackend if each == slot else before[each]
            assert getattr(fake_vllm[f"{package}.{module}"], name) is wanted
        manager = fake_vllm[package].XgrammarBackend
        assert (manager is FormgateBackend) == (slot == "xgrammar")


def test_wrong_settings_stop_the_start(fake_vllm, monkeypatch):
    from formgate.adapters.vllm import register

    monkeypatch.setenv("FORMGATE_VLLM_BACKEND", "guidance")
    with pytest.raises(PluginError, match="outlines or xgrammar"):
        register()
    monkeypatch.setenv("FORMGATE_VLLM_BACKEND", "outlines")
    monkeypatch.setenv("FORMGATE_SERVING_OPTIONS", '{"max_engine": 3}')
    with pytest.raises(PluginError, match="'max_engine' is none of"):
        register()


def test_a_version_with_other_names_is_refused_and_not_changed(fake_vllm, monkeypatch):
    from formgate.adapters.vllm import register

    module = fake_vllm["vllm.v1.structured_output.backend_outlines"]
    before = module.OutlinesBackend
    del module.validate_structured_output_request_outlines
    monkeypatch.setenv("FORMGATE_VLLM_BACKEND", "outlines")
    with pytest.raises(PluginError, match=r"has no validate_structured_output_request_outlines"):
        register()
    assert module.OutlinesBackend is before
