"""Holding a list of names and arguments against the sources of a package, not imported."""

from __future__ import annotations

import ast
import os
from functools import lru_cache
from importlib import metadata
from pathlib import Path

import pytest
import tomllib

CACHE = Path(os.environ.get("FORMGATE_CONTRACTS", Path.home() / ".cache/formgate/contracts"))


def sources(distribution: str, version: str, package: str) -> Path:
    """The folder of a package's sources, as ``tools/fetch_contracts.py`` unpacks them."""
    folder = CACHE / f"{distribution}-{version}" / package
    if folder.is_dir():
        return folder
    try:
        installed = metadata.distribution(distribution)
    except metadata.PackageNotFoundError:
        installed = None
    if installed is not None and installed.version == version:
        return Path(str(installed.locate_file(package)))
    pytest.skip(
        f"the sources of {distribution} {version} are not here: run "
        f"python tools/fetch_contracts.py {distribution}=={version}"
    )


def read_contract(path: Path) -> dict:
    return tomllib.loads(path.read_text(encoding="utf-8"))


@lru_cache(maxsize=64)
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def arguments(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    given = function.args
    return [each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)]


def classes(module: ast.Module) -> dict[str, ast.ClassDef]:
    return {node.name: node for node in ast.walk(module) if isinstance(node, ast.ClassDef)}


def methods(cls: ast.ClassDef) -> dict[str, list[str]]:
    return {
        node.name: arguments(node)
        for node in cls.body
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    }


def functions(module: ast.Module) -> dict[str, list[str]]:
    return {node.name: arguments(node) for node in module.body if isinstance(node, ast.FunctionDef)}


def fields(cls: ast.ClassDef) -> set[str]:
    names = set()
    for node in cls.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
        elif isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return names


def imports(module: ast.Module) -> set[tuple[str, str, str]]:
    """Module, name, and whether the import stands at the top or inside a function."""
    top = {id(node) for node in module.body}
    return {
        (node.module or "", alias.name, "top" if id(node) in top else "inside")
        for node in ast.walk(module)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def own_method(folder: Path, file: str, cls: str, name: str, namespace: dict) -> object:
    """One method of a package's class as a plain function, in a namespace of the test's."""
    body = classes(tree(folder / file))[cls].body
    return _executed([n for n in body if isinstance(n, ast.FunctionDef)], file, name, namespace)


def own_function(folder: Path, file: str, name: str, namespace: dict) -> object:
    """One function of a package, in a namespace of the test's."""
    body = tree(folder / file).body
    return _executed([n for n in body if isinstance(n, ast.FunctionDef)], file, name, namespace)


def _executed(nodes: list[ast.FunctionDef], file: str, name: str, namespace: dict) -> object:
    node = next(each for each in nodes if each.name == name)
    future = ast.parse("from __future__ import annotations").body
    module = ast.fix_missing_locations(ast.Module([*future, node], type_ignores=[]))
    exec(compile(module, file, "exec"), namespace)  # noqa: S102 (sources that a user installs)
    return namespace[name]


def differences(contract: dict, folder: Path) -> list[str]:
    """What the sources say otherwise; empty where all is as listed."""
    missing = sorted(file for file in _files(contract) if not (folder / file).is_file())
    found = [f"{file} is not there" for file in missing]
    for part, compare in (("classes", _methods), ("fields", _fields), ("functions", _functions)):
        for file, listed in contract.get(part, {}).items():
            if file not in missing:
                found += [f"{file}: {each}" for each in compare(tree(folder / file), listed)]
    for each in contract.get("imports", []):
        wanted = (each["module"], each["name"], each["where"])
        if each["file"] not in missing and wanted not in imports(tree(folder / each["file"])):
            found.append(f"{each['file']} does not import {each['name']} {each['where']}")
    return found


def _files(contract: dict) -> set[str]:
    parts = ("classes", "fields", "functions")
    named = {file for part in parts for file in contract.get(part, {})}
    return named | {each["file"] for each in contract.get("imports", [])}


def _methods(module: ast.Module, listed: dict) -> list[str]:
    known, found = classes(module), []
    for name, wanted in listed.items():
        has = methods(known[name]) if name in known else {}
        found += [
            f"{name}.{method}{tuple(has.get(method, ()))} is not {tuple(args)}"
            for method, args in wanted.items()
            if has.get(method) != args
        ]
    return found


def _fields(module: ast.Module, listed: dict) -> list[str]:
    known, found = classes(module), []
    for name, wanted in listed.items():
        has = fields(known[name]) if name in known else set()
        found += [f"{name} has no {field}" for field in wanted if field not in has]
    return found


def _functions(module: ast.Module, listed: dict) -> list[str]:
    has = functions(module)
    return [
        f"{name}{tuple(has.get(name, ()))} is not {tuple(args)}"
        for name, args in listed.items()
        if has.get(name) != args
    ]
