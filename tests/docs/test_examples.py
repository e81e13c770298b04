"""Every Python block of the documentation runs, and shows what it says it shows.

The blocks of a page are run in order in one namespace. A line ``# -> value`` after an expression is
compared with the value. A block is left out when the line before it is ``<!-- skip: reason -->``.
"""

from __future__ import annotations

import ast
import re
import sys
import types
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(
    r"(?P<skip><!-- skip: [^\n]+ -->\n+)?^```python\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL
)
SHOWN = re.compile(r"#\s*->\s*(?P<value>.+)$")


def blocks(page: Path) -> list[tuple[int, str]]:
    text = page.read_text(encoding="utf-8")
    return [
        (text.count("\n", 0, match.start("code")), match["code"])
        for match in BLOCK.finditer(text)
        if match["skip"] is None
    ]


def run(code: str, line: int, page: Path, namespace: dict[str, object]) -> None:
    lines = code.splitlines()
    tree = ast.parse("\n" * line + code, filename=str(page))
    for node in tree.body:
        shown = SHOWN.search(lines[node.end_lineno - line - 1])
        if isinstance(node, ast.Expr) and shown is not None:
            value = eval(  # noqa: S307 (our own documentation)
                compile(ast.Expression(node.value), str(page), "eval"), namespace
            )
            assert repr(value) == shown["value"].strip(), f"{page.name}:{node.lineno}"
        else:
            module = ast.Module([node], type_ignores=[])
            # Not with this module's __future__ import, which a reader does not have either.
            ready = compile(module, str(page), "exec", dont_inherit=True)
            exec(ready, namespace)  # noqa: S102 (as above)


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if blocks(page)],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_examples_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    module = types.ModuleType("example")
    monkeypatch.setitem(sys.modules, "example", module)  # where classes look for their module
    namespace = vars(module)
    try:
        for line, code in blocks(page):
            run(code, line, page, namespace)
    finally:
        # An engine made from a function and the function's globals, which hold the engine, keep
        # each other alive: an engine is not seen by the garbage collector.
        namespace.clear()
