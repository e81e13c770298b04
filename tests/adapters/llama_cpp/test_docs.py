"""The blocks of the page on llama.cpp run, in order and in one namespace."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[3] / "docs" / "how-to" / "llama-cpp.md"


def test_blocks(llama, smol_path):
    assert llama
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), flags=re.DOTALL | re.MULTILINE)
    assert len(blocks) > 5
    namespace = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), namespace)  # noqa: S102 (our own page)
        namespace["file"] = str(smol_path)
    namespace["llama"].close()
