"""A schema that is refused for its size costs the ones after it nothing."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import formgate

tokens = [*(bytes([byte]) for byte in range(256)), None]
vocabulary = formgate.Vocabulary(tokens, stop_ids=[256])


def nested(levels, more):
    schema = {}
    for _ in range(levels):
        schema = {"type": "array", "items": schema} | more
    return schema


try:
    formgate.compile(nested(300, {"uniqueItems": True}), vocabulary)
except formgate.LimitError:
    pass
else:
    raise SystemExit("the schema should be too deep")
engine = formgate.compile(nested(60, {}), vocabulary, timeout_s=20)
assert engine.accepts("[[]]")
"""


def test_what_a_failed_compilation_left_is_not_made_up_for_by_the_next() -> None:
    # The deadline of the second is far above what it takes, and far below what the lists of the
    # first take, which nothing refers to any more.
    subprocess.run([sys.executable, "-c", SCRIPT], check=True, timeout=120)
