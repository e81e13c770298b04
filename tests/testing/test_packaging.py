"""`import formgate` does not load the conformance tests, nor do these load a test framework."""

from __future__ import annotations

import subprocess
import sys


def modules_after(code: str) -> set[str]:
    script = f"{code}\nimport sys\nprint(*sys.modules)"
    return set(subprocess.check_output([sys.executable, "-I", "-c", script], text=True).split())


def test_formgate_does_not_load_them():
    code = "import formgate\nformgate.compile('a', formgate.Vocabulary([b'a', None], stop_ids=[1]))"
    assert "formgate.testing" not in modules_after(code)


def test_they_load_no_test_framework():
    assert not modules_after("import formgate.testing").intersection({"pytest", "hypothesis"})
