"""The stored tables are those the generator makes, and those computed without them are equal."""

from __future__ import annotations

import importlib.util
import time
import unicodedata
from pathlib import Path

import pytest

from formgate.plugins.regex import _unicode, _unicode_tables

TOOL = Path(__file__).resolve().parents[2] / "tools" / "make_unicode_tables.py"
SAME_VERSION = unicodedata.unidata_version == _unicode_tables.VERSION


@pytest.mark.skipif(not SAME_VERSION, reason="stored for another Unicode version")
def test_fresh():
    spec = importlib.util.spec_from_file_location("make_unicode_tables", TOOL)
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    assert tool.TARGET.read_text(encoding="utf-8") == tool.render()


def test_another_version_is_computed(monkeypatch):
    kept = {letter: _unicode.category(letter, False) for letter in "wds"}
    cases = _unicode.case_table()
    monkeypatch.setattr(_unicode_tables, "VERSION", "0.0.0")
    start = time.process_time()
    try:
        for cached in (_unicode.category, _unicode.case_table):
            cached.cache_clear()
        assert {letter: _unicode.category(letter, False) for letter in "wds"} == kept
        assert _unicode.case_table() == cases
    finally:
        for cached in (_unicode.category, _unicode.case_table):
            cached.cache_clear()
    assert time.process_time() - start < 5, "some 0.3 s on an idle machine"


def test_escapes_are_made_once():
    assert _unicode.category("W", False) is _unicode.category("W", False)
