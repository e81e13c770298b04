"""Rules of the source tree that no linter checks."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    tomllib = pytest.importorskip("tomllib", reason="reading TOML needs Python 3.11")

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("core", "plugins", "adapters", "testing")
SOURCES = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))


def identity(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", SOURCES, ids=identity)
def test_modules_declare_what_is_public(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert ast.get_docstring(tree), "a module opens by saying what it is"
    targets = [
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    ]
    if path.name != "__main__.py":
        assert "__all__" in targets


@pytest.mark.parametrize("path", SOURCES, ids=identity)
def test_nothing_below_imports_the_root(path):
    """The root loads its names from below; the other direction would be a cycle."""
    if path.parent.name == "_root":
        return
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            assert "formgate" not in {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            assert node.module != "formgate"


def test_the_root_holds_every_file_that_the_wheel_maps():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    mapped = settings["tool"]["scikit-build"]["wheel"]["force-include"]
    present = {f"core/_root/{path.name}" for path in (ROOT / "core" / "_root").glob("*.*")}
    assert present == set(mapped)


def test_entry_points_exist():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    for module in settings["project"]["entry-points"]["formgate"].values():
        relative = Path(*module.split(".")[1:])
        assert (ROOT / relative.with_suffix(".py")).exists() or (
            ROOT / relative / "__init__.py"
        ).exists()


TESTS = sorted((ROOT / "tests").rglob("*.py"))


def imported(path: Path) -> set[str]:
    """The modules that a file imports, by the first part of their names."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            found.add(node.module.partition(".")[0])
    return found


def test_helpers_of_tests_are_told_apart():
    """Folders are on ``sys.path`` together, whichever are named on one command line."""
    paths: dict[str, list[Path]] = {}
    for path in TESTS:
        paths.setdefault(path.stem, []).append(path.relative_to(ROOT))
    used = {name: path for path in TESTS for name in imported(path) if name in paths}
    assert not [name for name in used if name.startswith("test_")], "tests are no helpers"
    assert not {name: paths[name] for name in used if len(paths[name]) > 1}
