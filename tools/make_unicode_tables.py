r"""Make ``plugins/regex/_unicode_tables.py`` from the running Python's character database.

The stored tables are for one Unicode version, named in the file; run this under a Python that has
it. ``--check`` compares instead of writing, and fails when the file is stale.

    python tools/make_unicode_tables.py [--check]
"""

from __future__ import annotations

import sys
import unicodedata
from pathlib import Path

from formgate.plugins.regex._unicode import compute_cases, compute_category

TARGET = Path(__file__).resolve().parent.parent / "plugins" / "regex" / "_unicode_tables.py"

_HEAD = '''r"""Code points of ``\\w``, ``\\d``, ``\\s`` and case relations of Unicode {version}.

Made by ``tools/make_unicode_tables.py``; do not edit. WORD, DIGIT and SPACE are flat: first, last
(inclusive), first, last, ... LOWER is flat too: first, last, step, delta: each code point
``first, first + step, ... last`` has the lower-case form ``code + delta``. SHARED_UPPER holds sets
of lower-case forms with one upper-case form.
"""

from __future__ import annotations

__all__ = ["DIGIT", "LOWER", "SHARED_UPPER", "SPACE", "VERSION", "WORD"]

VERSION = "{version}"
'''


def render() -> str:
    """Return the text of the module for the running Python."""
    lower, shared = compute_cases()
    parts = [_HEAD.format(version=unicodedata.unidata_version)]
    for name, letter in (("WORD", "w"), ("DIGIT", "d"), ("SPACE", "s")):
        flat = [code for span in compute_category(letter) for code in span]
        parts.append(_flat(name, flat))
    parts.append(_flat("LOWER", _runs(lower)))
    rows = "".join(f"    ({', '.join(map(str, codes))}),\n" for codes in shared)
    parts.append(f"SHARED_UPPER: tuple[tuple[int, ...], ...] = (\n{rows})\n")
    return "\n".join(parts)


def _runs(lower: dict[int, int]) -> list[int]:
    """Pack a mapping as runs of equal step (1 or 2) and equal difference."""
    runs: list[list[int]] = []
    for code, mapped in sorted(lower.items()):
        delta = mapped - code
        if runs:
            run = runs[-1]
            first, last, step, run_delta = run
            gap = code - last
            if delta == run_delta and (gap == step or (first == last and gap == 2)):
                run[1:3] = [code, gap]
                continue
        runs.append([code, code, 1, delta])
    return [number for run in runs for number in run]


def _flat(name: str, numbers: list[int]) -> str:
    """Return the assignment of a flat tuple, wrapped to the line length."""
    lines: list[str] = []
    line = "   "
    for number in numbers:
        piece = f" {number},"
        if len(line) + len(piece) > 100:
            lines.append(line)
            line = "   "
        line += piece
    lines.append(line)
    body = "\n".join(lines)
    return f"# fmt: off\n{name}: tuple[int, ...] = (\n{body}\n)\n# fmt: on\n"


def main(arguments: list[str]) -> int:
    """Write or check the file; return the exit status."""
    text = render()
    if "--check" not in arguments:
        TARGET.write_text(text, encoding="utf-8")
        print(f"wrote {TARGET} for Unicode {unicodedata.unidata_version}")
        return 0
    if TARGET.read_text(encoding="utf-8") == text:
        return 0
    print(f"{TARGET} is stale: run python tools/make_unicode_tables.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
