"""Check what went into the wheel and the sdist: everything needed, nothing stray.

Usage: python tools/check_archives.py FOLDER

The wheel is made of this checkout. What builds here builds from the sdist, too, since that must
hold all files that the package is made of.
"""

from __future__ import annotations

import sys
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

WHEEL_MAX_BYTES = 5_000_000
WHEEL_NEEDS = (
    "formgate/__init__.py",
    "formgate/__main__.py",
    "formgate/py.typed",
    "formgate/core/errors.py",
    "formgate/core/_native.pyi",
    "formgate/core/_native.abi3.so",
    "formgate/plugins/regex/__init__.py",
    "formgate/plugins/choice/__init__.py",
    "formgate/plugins/cfg/grammars/json.gbnf",
    "formgate/adapters/__init__.py",
    "formgate/testing/__init__.py",
)
WHEEL_SUFFIXES = {".py", ".pyi", ".so", ".typed", ".gbnf", ".lark"}
SDIST_NEEDS = (
    "pyproject.toml",
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
    "core/_root/__init__.py",
    "core/native/CMakeLists.txt",
)
MADE_OF = ("core", "plugins", "adapters", "testing")
SDIST_NEVER = (".ci", ".git", ".venv", "build", "dist", ".mypy_cache", ".pytest_cache")
NEVER_SUFFIXES = {".so", ".o", ".a", ".pyc", ".coverage", ".whl", ".gz"}


def wheel_faults(path: Path) -> list[str]:
    """Return what is wrong with a wheel."""
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
    faults = [f"{name} is missing" for name in WHEEL_NEEDS if name not in names]
    for name in names:
        top = PurePosixPath(name).parts[0]
        if top != "formgate" and not top.endswith(".dist-info"):
            faults.append(f"{name} is outside the package")
        elif top == "formgate" and PurePosixPath(name).suffix not in WHEEL_SUFFIXES:
            faults.append(f"{name} has no place in a wheel")
    if not path.name.endswith(".whl") or "-cp310-abi3-" not in path.name:
        faults.append(f"{path.name} is not tagged cp310-abi3")
    if path.stat().st_size > WHEEL_MAX_BYTES:
        faults.append(f"{path.name} has {path.stat().st_size} bytes")
    return faults


def sources() -> list[str]:
    """Return the files here that the package is made of; raises where there are none."""
    found = [
        path.as_posix()
        for folder in MADE_OF
        for path in sorted(Path(folder).rglob("*"))
        if path.is_file() and path.suffix not in NEVER_SUFFIXES
    ]
    if not found:
        raise FileNotFoundError(
            f"run this at the root of the project: no {', '.join(MADE_OF)} here"
        )
    return found


def sdist_faults(path: Path) -> list[str]:
    """Return what is wrong with an sdist."""
    with tarfile.open(path) as archive:
        names = [member.name.partition("/")[2] for member in archive.getmembers()]
    needed = dict.fromkeys((*SDIST_NEEDS, *sources()))
    faults = [f"{name} is missing" for name in needed if name not in names]
    for name in names:
        parts = PurePosixPath(name).parts
        if parts and (parts[0] in SDIST_NEVER or PurePosixPath(name).suffix in NEVER_SUFFIXES):
            faults.append(f"{name} has no place in an sdist")
    return faults


def main() -> int:
    """Print the faults of the archives in a folder; return 1 when there are any."""
    folder = Path(sys.argv[1])
    wheels, sdists = sorted(folder.glob("*.whl")), sorted(folder.glob("*.tar.gz"))
    faults = [] if wheels and sdists else [f"{folder} holds no wheel or no sdist"]
    for wheel in wheels:
        faults += [f"{wheel.name}: {fault}" for fault in wheel_faults(wheel)]
    for sdist in sdists:
        faults += [f"{sdist.name}: {fault}" for fault in sdist_faults(sdist)]
    for fault in faults:
        print(fault, file=sys.stderr)
    return bool(faults)


if __name__ == "__main__":
    raise SystemExit(main())
