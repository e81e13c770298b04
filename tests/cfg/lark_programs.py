"""Programs of real languages, and the Lark grammars that lark reads them with.

Grammars and programs are of syncode, outlines, lark and MBXP (see the manifest beside them); none
is copied here.
"""

from __future__ import annotations

import ast
import json
from dataclasses import dataclass
from pathlib import Path

import lark
from lark.exceptions import LarkError

# File of the grammar, its start, and whose programs it is tried on.
GRAMMARS = {
    "java": ("syncode/java.lark", "start", "java"),
    "go": ("syncode/go.lark", "start", "go"),
    "sql": ("syncode/sql.lark", "start", "sql"),
    "c": ("syncode/c.lark", "start", "cpp"),
    "json": ("syncode/json.lark", "start", "json"),
    "json-outlines": ("outlines/json.lark", "start", "json"),
    "json-standalone": ("lark/examples/standalone/json.lark", "start", "json"),
    "json-composition": ("lark/examples/composition/json.lark", "start", "json"),
    "storage": ("lark/examples/composition/storage.lark", "start", "storage"),
    "calc": ("syncode/calc.lark", "start", "arithmetic"),
    "arithmetic": ("outlines/arithmetic.lark", "start", "arithmetic"),
    "lark": ("lark/lark/grammars/lark.lark", "start", "lark"),
    "python-syncode": ("syncode/python.lark", "eval_input", "python"),
    "python-lark": ("lark/lark/grammars/python.lark", "eval_input", "python"),
    "python-outlines": ("outlines/partial_python.lark", "eval_input", "python"),
}


@dataclass(frozen=True)
class Program:
    """A text, and whether its source calls it a beginning only; None where it does not say."""

    name: str
    text: str
    partial: bool | None = None


def programs(folder: Path, language: str) -> list[Program]:
    """Return the programs of a language, in the order of their files."""
    samples = folder / "samples"
    if language == "lark":
        return [_file(path) for path in sorted((folder / "grammars" / "lark").rglob("*.lark"))]
    if language == "storage":
        return [_file(path) for path in sorted((samples / "lark").iterdir())]
    if language == "python":
        return _expressions(json.loads((samples / "programs" / "python.json").read_text("utf-8")))
    found = []
    for path in (samples / kind / f"{language}.json" for kind in ("programs", "syncode_tests")):
        for each in json.loads(path.read_text("utf-8")) if path.exists() else ():
            name = each.get("id") or each["test"]
            found.append(Program(name, each["text"], each.get("partial")))
    tests = samples / "outlines_cfg_samples" / language
    paths = sorted(tests.iterdir()) if tests.is_dir() else ()
    return found + [Program(path.name, path.read_text("utf-8").rstrip("\n")) for path in paths]


def _file(path: Path) -> Program:
    return Program(path.name, path.read_text("utf-8"))


def _expressions(samples: list[dict[str, str]]) -> list[Program]:
    """Return the expressions of Python programs, which need no indentation."""
    found = {}
    for each in samples:
        try:
            tree = ast.parse(each["text"])
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            value = getattr(node, "value", None)
            if isinstance(node, ast.Assign | ast.Return | ast.Expr) and value is not None:
                text = ast.get_source_segment(each["text"], value)
                found.setdefault(text, Program(f"{each['id']}:{node.lineno}", text))
    return list(found.values())


def larked(source: str | Path, **options: str) -> lark.Lark | None:
    """Return lark's LALR parser for a grammar; None if it cannot be used alone."""
    if isinstance(source, Path):
        options["source_path"] = str(source)
        source = source.read_text("utf-8")
    try:
        return lark.Lark(source, parser="lalr", **options)
    except (LarkError, OSError):
        return None
