"""Virtual environments of the rivals, made on demand with pinned versions.

They lie under `benchmarks/.envs`, or in the folder that `FORMGATE_BENCHMARKS_CACHE` names. pip is
run as the user configured it: `PIP_FIND_LINKS` can name a folder of ready wheels, which saves
building llama.cpp (some minutes; see `docs/benchmarks/index.md`).
"""

from __future__ import annotations

import compileall
import fcntl
import os
import subprocess
import sys
import venv
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.cases import ROOT
from benchmarks.engines import ENGINES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from benchmarks.engines import EngineSpec

ENVIRONMENTS = Path(os.environ.get("FORMGATE_BENCHMARKS_CACHE") or Path(__file__).parent / ".envs")

_PACKAGE = ("core", "plugins", "adapters")


def interpreter(spec: EngineSpec) -> Path:
    """Return the Python that runs an engine; it may not exist yet."""
    if spec.environment is None:
        return Path(sys.executable)
    return ENVIRONMENTS / spec.environment / "bin" / "python"


def is_ready(spec: EngineSpec) -> bool:
    """Tell whether the engine's environment was completely installed, with these requirements."""
    if spec.environment is None:
        return True
    marker = _marker(spec)
    if not marker.exists() or not interpreter(spec).exists():
        return False
    return marker.read_text(encoding="utf-8") == repr(spec.install)


def set_up(names: Iterable[str]) -> dict[str, str]:
    """Make the environments of the named engines that are missing or outdated.

    Returns why, for each engine whose environment cannot be made; the next call tries it again.

    Modules of a checkout are compiled, as pip compiles those that it installs: else a process that
    may write none (`PYTHONDONTWRITEBYTECODE`) would compile each at its first use.
    Another process that does the same is waited for.
    """
    failed: dict[str, str] = {}
    for name in names:
        spec = ENGINES[name]
        if spec.environment is None:
            for folder in _PACKAGE:
                compileall.compile_dir(ROOT / folder, quiet=2)
        if is_ready(spec):
            continue
        try:
            ENVIRONMENTS.mkdir(parents=True, exist_ok=True)
            with (ENVIRONMENTS / f"{spec.environment}.lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                if not is_ready(spec):
                    _make(spec)
        except subprocess.CalledProcessError as error:
            failed[name] = f"{name} has no environment: {_told(error)}"
        except OSError as error:
            failed[name] = f"{name} has no environment: {error}"
    return failed


def _make(spec: EngineSpec) -> None:
    folder = ENVIRONMENTS / str(spec.environment)
    print(f"{spec.name}: making {folder}", file=sys.stderr)
    venv.create(folder, with_pip=True, clear=True)
    for requirements in spec.install:
        print(f"{spec.name}: pip install {' '.join(requirements)}", file=sys.stderr)
        command = [str(interpreter(spec)), "-m", "pip", "install", "--quiet", *requirements]
        subprocess.run(command, check=True, stderr=subprocess.PIPE, text=True)
    _marker(spec).write_text(repr(spec.install), encoding="utf-8")


def _told(error: subprocess.CalledProcessError) -> str:
    """Return what a program did, and the last that it said."""
    words = " ".join(str(part) for part in error.cmd[1:]).removeprefix("-m ")
    said = error.stderr or error.stdout or ""
    lines = (said if isinstance(said, str) else said.decode(errors="replace")).split("\n")
    last = next((line.strip() for line in reversed(lines) if line.strip()), "it said nothing")
    return f"{words} ended with exit status {error.returncode}: {last[:_MOST_SAID]}"


_MOST_SAID = 300


def _marker(spec: EngineSpec) -> Path:
    return ENVIRONMENTS / str(spec.environment) / "installed.txt"
