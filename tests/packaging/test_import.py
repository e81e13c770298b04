"""What importing formgate costs and brings in, in processes of their own."""

from __future__ import annotations

import subprocess
import sys

import pytest

import formgate
from formgate.core import errors

HEAVY = ("torch", "transformers", "lark", "numpy", "pluggy", "tokenizers", "formgate.core._native")


def modules_after(code: str) -> set[str]:
    script = f"{code}\nimport sys\nprint(*sys.modules)"
    output = subprocess.check_output([sys.executable, "-c", script], text=True)
    return set(output.splitlines()[-1].split())


def test_import_is_light():
    assert not modules_after("import formgate").intersection(HEAVY)


def test_compiling_a_regex_is_light():
    code = """
import formgate
vocabulary = formgate.Vocabulary([b"a", b"b", None], stop_ids=[2])
engine = formgate.compile("a*b", vocabulary)
engine.allowed_tokens(engine.start())
"""
    loaded = modules_after(code)
    assert "formgate.core._native" in loaded
    assert not loaded.intersection({"torch", "transformers", "lark", "tokenizers"})


def test_help_of_the_command_line_is_light():
    code = """
from formgate.core.cli import build_parser
build_parser().format_help()
"""
    assert not modules_after(code).intersection(HEAVY)


@pytest.mark.parametrize("name", formgate.__all__)
def test_every_public_name_exists(name):
    assert getattr(formgate, name) is not None
    assert name in dir(formgate)


def test_every_error_is_public():
    assert set(errors.__all__) <= set(formgate.__all__)


def test_unknown_names_are_refused_as_usual():
    with pytest.raises(AttributeError, match="has no attribute 'compiel'"):
        _ = formgate.compiel


def test_version_is_that_of_the_distribution():
    from importlib.metadata import version

    assert formgate.__version__ == version("formgate")
