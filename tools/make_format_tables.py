"""Make ``plugins/json_schema/_formats_tables.py``: the formats, as ``_formats_stored`` keeps them.

``--check`` compares what the file holds with what the definitions of the formats come to, and fails
when it is stale.

    python tools/make_format_tables.py [--check]
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, cast

from formgate.plugins.json_schema._formats import KNOWN, defined_extent, defined_format
from formgate.plugins.json_schema._formats_stored import contents, pack

if TYPE_CHECKING:
    from formgate.plugins.json_schema._strings_record import Call

TARGET = Path(__file__).resolve().parent.parent / "plugins" / "json_schema" / "_formats_tables.py"

_HEAD = '''"""The calls that write each format, and how long its texts are; see ``_formats_stored``.

Made by ``tools/make_format_tables.py``; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["TABLES"]

# fmt: off
TABLES: Mapping[str, str] = {
'''


def tables() -> dict[str, str]:
    """Return each format as a text."""
    found = {}
    for name in sorted(KNOWN):
        recorder, node = defined_format(name, loose=False)
        calls, wanted = recorder.shortened(node)
        found[name] = pack(defined_extent(name), [_in_order(call) for call in calls], wanted)
    return found


def _in_order(call: Call) -> Call:
    """Return a call with texts in order, which had that of a set."""
    method, parts, values = call
    if method != "strings":
        return call
    (texts,) = values
    return method, parts, (tuple(sorted(cast("tuple[str, ...]", texts))),)


def _entry(name: str, text: str) -> str:
    """Return one entry of the table, in lines of up to 100 columns."""
    pieces = [text[start : start + 90] for start in range(0, len(text), 90)]
    rows = "".join(f'        "{piece}"\n' for piece in pieces)
    return f'    "{name}": (\n{rows}    ),\n'


def main() -> int:
    """Write the tables, or compare them."""
    made = tables()
    if "--check" not in sys.argv[1:]:
        entries = [_entry(name, text) for name, text in made.items()]
        TARGET.write_text("".join([_HEAD, *entries, "}\n"]), encoding="utf-8")
        return 0
    # As texts they differ where another zlib deflates; so they are looked into.
    stored = import_module("formgate.plugins.json_schema._formats_tables").TABLES
    stale = [
        name
        for name in sorted({*stored, *made})
        if name not in stored or name not in made or contents(stored[name]) != contents(made[name])
    ]
    if stale:
        print(f"stale: {', '.join(stale)}; run python tools/make_format_tables.py", file=sys.stderr)
    return int(bool(stale))


if __name__ == "__main__":
    sys.exit(main())
