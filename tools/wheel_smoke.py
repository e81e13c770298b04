"""Try an installed wheel: does it do its job, and does importing it stay light?

Run with the interpreter of an environment that holds the wheel and its dependencies and nothing
else: ``python -I tools/wheel_smoke.py``.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

IMPORT_BUDGET_S = 0.050
HEAVY = ("numpy", "torch", "transformers", "lark", "pluggy", "formgate.core._native")
COUNT_IMPORT = """
import sys, time
before = time.perf_counter()
import formgate
took = time.perf_counter() - before
print(took, *(name for name in sys.argv[1:] if name in sys.modules))
"""


def import_time() -> float:
    """Return the best of several times to import formgate, checking what came along."""
    best = float("inf")
    for _ in range(7):
        command = [sys.executable, "-I", "-c", COUNT_IMPORT, *HEAVY]
        took, *heavy = subprocess.check_output(command, text=True).split()
        assert not heavy, f"import formgate brings in {', '.join(heavy)}"
        best = min(best, float(took))
    assert best < IMPORT_BUDGET_S, f"import formgate takes {best * 1e3:.0f} ms"
    return best


def run_command(*arguments: str) -> str:
    """Run the installed ``formgate`` command and return what it prints."""
    command = Path(sys.executable).parent / "formgate"
    return subprocess.check_output([command, *arguments], text=True)


def main() -> None:
    """Compile, mask, advance; list plugins; use the command line."""
    imported_s = import_time()

    import formgate  # noqa: PLC0415 (timed above in processes of their own)

    assert "site-packages" in formgate.__file__, f"not the installed package: {formgate.__file__}"
    for name in formgate.__all__:
        getattr(formgate, name)

    tokens = [*(bytes([byte]) for byte in range(256)), b"ab", b"12", None]
    vocabulary = formgate.Vocabulary(tokens, stop_ids=[258])
    started = time.perf_counter()
    engine = formgate.compile(r"[a-c]{2}[0-9]+", vocabulary)
    mask = engine.allowed_tokens(engine.start())
    compiled_s = time.perf_counter() - started
    assert mask.to_list() == [97, 98, 99, 256], mask.to_list()
    state = engine.advance(engine.advance(engine.start(), 256), 257)
    assert engine.allowed_tokens(state).to_list() == [*range(48, 58), 257, 258]
    assert engine.accepts("ca7")
    assert not engine.accepts("ca")
    choice = formgate.compile(["yes", "no"], vocabulary)
    assert choice.accepts("yes")

    plugins = json.loads(run_command("plugins", "--json"))
    assert {"regex", "choice"} <= {name for plugin in plugins for name in plugin["formats"]}
    assert all(plugin["error"] is None for plugin in plugins), plugins
    assert run_command("check", "--source", "a+", "--text", "aaa").strip() == "yes"
    module = [sys.executable, "-I", "-m", "formgate", "version"]
    assert subprocess.check_output(module, text=True).startswith("formgate ")
    print(
        f"wheel: import {imported_s * 1e3:.1f} ms, first compile with its mask "
        f"{compiled_s * 1e3:.1f} ms (plugins loaded on the way)"
    )


if __name__ == "__main__":
    main()
