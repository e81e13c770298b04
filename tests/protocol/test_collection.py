"""Engines are seen by the interpreter's collector of cycles."""

import gc
import subprocess
import sys
import weakref
from typing import TYPE_CHECKING

import formgate

if TYPE_CHECKING:
    from collections.abc import Callable

VOCABULARY = formgate.Vocabulary([*(bytes([byte]) for byte in range(256)), None], stop_ids=[256])

SCRIPT = """
import formgate
vocabulary = formgate.Vocabulary([*(bytes([b]) for b in range(256)), None], stop_ids=[256])
def book(place: str, nights: int): ...
engine = formgate.compile(book, vocabulary)
"""


def cycle() -> weakref.ref[formgate.Engine]:
    """An engine that its own source refers to."""
    known: list[formgate.Engine] = []

    def source(count: int) -> list[formgate.Engine]:
        return known

    function: Callable[[int], list[formgate.Engine]] = source
    known.append(formgate.compile(function, VOCABULARY))
    return weakref.ref(known[0])


def test_an_engine_and_its_source_are_freed_together() -> None:
    engine = cycle()
    gc.collect()
    assert engine() is None


def test_a_script_with_a_function_as_source_ends_in_silence() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
