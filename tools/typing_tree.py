"""Make ``build/typing/formgate``: the package as checkers see it, without an install.

The folders ``core``, ``plugins``, ``adapters`` and ``testing`` become ``formgate.core`` and so on
only in a wheel. An editable install maps them with an import hook, which mypy, pyright and
import-linter cannot follow; this tree of symbolic links shows them the same package. Cost: a few
system calls.

Usage: python tools/typing_tree.py
"""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def links() -> dict[str, Path]:
    """Return the entries of the package folder and what each one stands for."""
    folders = {name: ROOT / name for name in ("core", "plugins", "adapters", "testing")}
    files = {path.name: path for path in sorted((ROOT / "core" / "_root").glob("*.py*"))}
    return folders | {name: path for name, path in files.items() if path.is_file()}


def main() -> None:
    """Create the tree, or bring it up to date."""
    package = ROOT / "build" / "typing" / "formgate"
    package.mkdir(parents=True, exist_ok=True)
    wanted = links()
    for stale in package.iterdir():
        if stale.name not in wanted:
            stale.unlink()
    for name, target in wanted.items():
        link = package / name
        if link.is_symlink() and link.readlink() == target:
            continue
        link.unlink(missing_ok=True)
        link.symlink_to(target)


if __name__ == "__main__":
    main()
