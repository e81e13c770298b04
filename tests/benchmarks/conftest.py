"""The benchmarks are no part of the installed package: make the repository root importable."""

import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parent
for path in (FOLDER.parents[1], FOLDER):
    if str(path) not in sys.path:
        sys.path.append(str(path))


@pytest.fixture
def bench(monkeypatch, tmp_path):
    """Run the command line on the tiny suite; returns the results file's content."""
    import tiny_suite

    from benchmarks import cli, results

    monkeypatch.setenv("PYTHONPATH", str(FOLDER))
    tiny_suite.install(tmp_path, monkeypatch.setitem)

    def run(engines, *more):
        out = tmp_path / "out.json"
        arguments = ["run", "--engines", engines, "--vocabularies", "tiny", "--out", str(out)]
        assert cli.main([*arguments, "--timeout", "30", *more]) == 0
        return results.load(out)

    return run
