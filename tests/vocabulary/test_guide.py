"""The how-to page: its code runs, and it names what the code knows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from formgate.core.vocabulary._files import _IN_FOLDER, FORMATS

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "vocabularies.md"


@pytest.fixture(scope="module")
def page():
    if not PAGE.is_file():
        pytest.skip("needs the repository's docs folder")
    return PAGE.read_text(encoding="utf-8")


def test_the_code_runs(page, tmp_path, monkeypatch):
    pytest.importorskip("tokenizers")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(blocks) >= 3
    names = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)  # noqa: S102 (our own page)


@pytest.mark.parametrize("name", [*FORMATS, *_IN_FOLDER])
def test_every_format_is_described(page, name):
    assert f"`{name}`" in page
