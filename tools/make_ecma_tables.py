r"""Make ``plugins/json_schema/_ecma_tables.py``: what ``\p{..}`` means in ECMAScript.

Node.js is asked, one property after the other, which code points a pattern matches; so the tables
hold what an implementation of ECMAScript does, for the Unicode version that it has (named in the
file). ``--check`` compares instead of writing, and fails when the file is stale; it says so and
passes where Node.js is missing or has another Unicode version.

    python tools/make_ecma_tables.py [--check]
"""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

from formgate.plugins.json_schema._ecma_properties import BINARY, CATEGORIES, SCRIPTS

TARGET = Path(__file__).resolve().parent.parent / "plugins" / "json_schema" / "_ecma_tables.py"

_HEAD = '''r"""The code points of the properties that ``\\p{{..}}`` names, of Unicode {version}.

Made by ``tools/make_ecma_tables.py``; do not edit. A table is a list of bounds: of the first code
point in the set, the first after it that is not, and so on. Stored are the differences, as numbers
of seven bits a byte (the last one below 128), deflated, in base 85. The names are as in
``_ecma_properties``; ``scx=`` stands before a script whose extensions differ from it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["TABLES", "VERSION"]

VERSION = "{version}"

# fmt: off
TABLES: Mapping[str, str] = {{
'''

_SCRIPT = r"""
const found = {};
for (const name of JSON.parse(process.argv[1])) {
  const pattern = new RegExp(`^\\p{${name}}$`, "u");
  const bounds = [];
  let inside = false;
  for (let code = 0; code < 0x110000; code++) {
    if (pattern.test(String.fromCodePoint(code)) !== inside) {
      bounds.push(code);
      inside = !inside;
    }
  }
  if (inside) bounds.push(0x110000);
  found[name] = bounds;
}
console.log(JSON.stringify({ version: process.versions.unicode, found }));
"""


def ask() -> tuple[str, dict[str, list[int]]]:
    """Return the Unicode version of Node.js and the bounds of every property."""
    names = [f"gc={name}" for name in CATEGORIES]
    names += [f"{kind}={name}" for name in SCRIPTS for kind in ("sc", "scx")]
    names += list(BINARY)
    run = subprocess.run(
        ["node", "-e", _SCRIPT, json.dumps(names)],  # noqa: S607 (whichever is on the path)
        check=True,
        capture_output=True,
        text=True,
    )
    answer = json.loads(run.stdout)
    return answer["version"], answer["found"]


def render(version: str, found: dict[str, list[int]]) -> str:
    """Return the text of the module."""
    parts = [_HEAD.format(version=version)]
    for name, bounds in found.items():
        if name.startswith("scx=") and bounds == found[f"sc={name[4:]}"]:
            continue
        parts.append(_entry(name, _packed(bounds)))
    return "".join([*parts, "}\n"])


def _packed(bounds: list[int]) -> str:
    """Return bounds as the text that the module stores."""
    data = bytearray()
    last = 0
    for bound in bounds:
        gap, last = bound - last, bound
        digits = [gap & 127]
        while gap := gap >> 7:
            digits.append(gap & 127 | 128)
        data += bytes(digits[::-1])
    return base64.b85encode(zlib.compress(bytes(data), 9)).decode()


def _entry(name: str, text: str) -> str:
    """Return one entry of the table, in lines of up to 100 columns."""
    pieces = [text[start : start + 90] for start in range(0, len(text), 90)]
    rows = "".join(f'        "{piece}"\n' for piece in pieces)
    return f'    "{name}": (\n{rows}    ),\n'


def main() -> int:
    """Write the tables, or compare them."""
    check = "--check" in sys.argv[1:]
    if shutil.which("node") is None:
        print("Node.js is not installed", file=sys.stderr)
        return 0 if check else 1
    version, found = ask()
    if check:
        stored = re.search(r'^VERSION = "(.*)"$', TARGET.read_text(), re.MULTILINE)
        if stored is None or stored.group(1) != version:
            print(f"Node.js has Unicode {version}: nothing to compare", file=sys.stderr)
            return 0
        if TARGET.read_text() != render(version, found):
            print(f"{TARGET} is stale: run python tools/make_ecma_tables.py", file=sys.stderr)
            return 1
        return 0
    TARGET.write_text(render(version, found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
