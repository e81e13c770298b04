"""Conformance tests for engines and formats that others write.

A stranger's test suite inherits from a class here, says how to make an engine (or which format it
is), and gets one test for each promise that ``docs/design/exactness.md`` makes. Everything is
judged by enumeration over small vocabularies, from the definition of exactness; nothing here shares
code with an engine. Only the standard library is needed: the classes work under pytest and
unittest, and ``import formgate`` does not load them.
"""

from __future__ import annotations

from formgate.testing._brute_force import BruteForce
from formgate.testing._engines import EngineConformance, engine_violations
from formgate.testing._formats import FormatConformance, FormatSample
from formgate.testing._offered import OFFERED
from formgate.testing._promises import PROMISES
from formgate.testing._samples import NESTED_SAMPLES, SAMPLES, Sample
from formgate.testing._trials import Trial, Violation

__all__ = [
    "NESTED_SAMPLES",
    "OFFERED",
    "PROMISES",
    "SAMPLES",
    "BruteForce",
    "EngineConformance",
    "FormatConformance",
    "FormatSample",
    "Sample",
    "Trial",
    "Violation",
    "engine_violations",
]
