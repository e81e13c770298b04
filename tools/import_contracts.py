"""Check which part of formgate may import which (the contracts stand in pyproject.toml).

import-linter finds packages the way Python imports them, and an editable install answers with a
hook that maps files one by one; so the hook is taken out and the tree of symbolic links that
``typing_tree.py`` makes is put in its place.

Usage: python tools/import_contracts.py
"""

from __future__ import annotations

import sys
from pathlib import Path

from importlinter.cli import lint_imports

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    """Run the check and return its exit code."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if "Redirecting" not in repr(finder)]
    sys.path.insert(0, str(ROOT / "build" / "typing"))
    return lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True, no_logo=True)


if __name__ == "__main__":
    raise SystemExit(main())
