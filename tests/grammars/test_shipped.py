"""The grammars that come with formgate: samples, and independent judges of whatever they allow."""

from __future__ import annotations

import datetime as dt
import itertools
import json
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from shipped_judges import JUDGES

import formgate
from formgate.core.errors import GrammarError
from formgate.plugins.cfg import check_grammar, shipped, shipped_path
from formgate.plugins.cfg._shipped import shipped_grammar
from formgate.plugins.cfg._testing_oracles import find_oracle

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SHARED = ROOT.parent / "shared/data/grammars-and-programs/samples"
_COUNT = 24  # the slow tests draw more
# Whose judge knows just the language of the grammar.
EXACT = {"iso-date", "json", "json-lines"}


def samples(name: str, verb: str) -> dict[str, bytes]:
    files = sorted((HERE / name / verb).iterdir())
    ending = b"" if name == "python" else b"\n"
    return {str(path): path.read_bytes().removesuffix(ending) for path in files}


def needed(name: str) -> None:
    if shipped_path(name).suffix == ".lark":
        pytest.importorskip("lark")
    if name == "markdown-table":
        pytest.importorskip("markdown_it")


@pytest.mark.parametrize("name", shipped())
def test_samples_and_judge(name):
    needed(name)
    report = check_grammar(
        name,
        format="grammar",
        accept=samples(name, "accept"),
        reject=samples(name, "reject"),
        oracle=JUDGES.get(name),
        exact=name in EXACT,
        seed=1,
        count=_COUNT,
    )
    assert report.ok, str(report)
    assert report.oracle is not None
    assert report.counts["drawn from rules"] == _COUNT
    assert report.coverage["the samples"]["rules_used"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", shipped())
def test_many_texts(name, seed):
    needed(name)
    report = check_grammar(
        name,
        format="grammar",
        accept=samples(name, "accept"),
        reject={},
        oracle=JUDGES.get(name),
        exact=name in EXACT,
        seed=seed,
        count=300,
    )
    assert report.ok, str(report)


def mutant(text: str, random: Random, letters: list[str]) -> str:
    """Return a text with some characters left out, doubled, put in, exchanged or moved."""
    out = list(text)
    for _ in range(random.choice([1, 1, 2, 3])):
        begin = random.randrange(len(out) + 1)
        end = min(len(out), begin + random.choice([1, 1, 1, 2, 5]))
        part = out[begin:end]
        how = random.randrange(5)
        if how == 0:
            out[begin:end] = []
        elif how == 1:
            out[begin:begin] = part
        elif how == 2:
            out[begin:begin] = random.choice(letters)
        elif how == 3:
            out[begin:end] = random.choice(letters)
        else:
            del out[begin:end]
            place = random.randrange(len(out) + 1)
            out[place:place] = part
    return "".join(out)


@pytest.mark.parametrize("name", shipped())
def test_mutants_of_samples(byte_vocabulary, name):
    """What is nearly a sample is taken only where the judge takes it."""
    needed(name)
    engine = formgate.compile(name, byte_vocabulary, format="grammar")
    judge = find_oracle(JUDGES.get(name) or shipped_grammar(name).oracle or name)
    random = Random(7)
    texts = [
        text.decode()
        for verb in ("accept", "reject")
        for text in samples(name, verb).values()
        if len(text) < 1000
    ]
    letters = sorted({*"".join(texts), *"()[]{}<>|&;:'\"\\#%@=+-*/.,?!~^$ \t\n09azAZ\u00e9"})
    taken = 0
    for _ in range(4000):
        text = mutant(random.choice(texts), random, letters)
        if taken < 150 and engine.accepts(text):
            taken += 1
            right, reason = judge.verdict(text.encode())[:2]
            assert right, (text, reason)
        elif name in EXACT:
            assert engine.accepts(text) == judge.verdict(text.encode())[0], text
    assert taken > 0


@pytest.mark.parametrize("name", ["json", "csv", "xml"])
def test_samples_under_a_real_vocabulary(name, tekken_vocabulary):
    report = check_grammar(
        name,
        format="grammar",
        accept=samples(name, "accept"),
        reject={},
        vocabulary=tekken_vocabulary,
        count=6,
    )
    assert report.ok, str(report)


@pytest.mark.parametrize("name", shipped())
def test_headers(name):
    found = shipped_grammar(name)
    assert found.description
    header = found.source.split("\n\n", maxsplit=1)[0]
    assert "SPDX-License-Identifier: Apache-2.0" in header
    assert all(line.startswith(("#", "//")) for line in header.splitlines())
    assert f"`{name}`" in (ROOT / "docs" / "reference" / "grammars.md").read_text(encoding="utf-8")


def test_every_grammar_has_samples():
    folders = {path.name for path in HERE.iterdir() if (path / "accept").is_dir()}
    assert folders == set(shipped())


def test_dates_are_exact(byte_vocabulary):
    engine = formgate.compile("iso-date", byte_vocabulary, format="grammar")
    days = {
        (dt.date(year, 1, 1) + dt.timedelta(offset)).isoformat()
        for year in (1, 1899, 1900, 2000, 2023, 2024, 9999)
        for offset in range(366 if (year % 4 == 0 and year % 100) or year % 400 == 0 else 365)
    }
    for year, month, day in itertools.product(
        ("0000", "0001", "1899", "1900", "2000", "2023", "2024", "9999"), range(14), range(33)
    ):
        text = f"{year}-{month:02}-{day:02}"
        assert engine.accepts(text) == (text in days), text
    for year in range(10_000):
        leap = year > 0 and ((year % 4 == 0 and year % 100 != 0) or year % 400 == 0)
        assert engine.accepts(f"{year:04}-02-29") == leap
        assert engine.accepts(f"{year:04}-02-28") == (year > 0)


def test_moments(byte_vocabulary):
    engine = formgate.compile("iso-date", byte_vocabulary, format="grammar", root="timestamp")
    for text in ("2024-02-29T23:59:59Z", "0001-01-01T00:00:00.123456-00:30"):
        assert engine.accepts(text)
    for text in ("2024-02-30T00:00:00Z", "2024-02-29T24:00:00Z", "2024-02-29", "2024-02-29T1:00Z"):
        assert not engine.accepts(text)


def test_the_file_of_smiles_is_printed_by_its_tool():
    printed = subprocess.check_output([sys.executable, ROOT / "tools" / "smiles_grammar.py"])
    assert printed == shipped_path("smiles").read_bytes()


def test_unknown_names_and_options(byte_vocabulary):
    with pytest.raises(GrammarError, match="no grammar 'jso' comes with formgate; there are: arit"):
        formgate.compile("jso", byte_vocabulary, format="grammar")
    with pytest.raises(GrammarError, match=r"no grammar '\.\./__init__' comes with formgate"):
        shipped_path("../__init__")
    with pytest.raises(GrammarError, match="takes the name of a grammar, not list"):
        formgate.compile(["json"], byte_vocabulary, format="grammar")
    with pytest.raises(GrammarError, match="the gbnf format has no option 'nothing'"):
        formgate.compile("json", byte_vocabulary, format="grammar", nothing=1)


@pytest.mark.parametrize(
    "name", [name for name in shipped() if shipped_path(name).suffix == ".lark"]
)
def test_files_mean_what_their_names_do(byte_vocabulary, name):
    needed(name)
    by_name = formgate.compile(name, byte_vocabulary, format="grammar")
    path = shipped_path(name)
    for source in (path, path.read_text(encoding="utf-8")):
        engine = formgate.compile(source, byte_vocabulary, format="lark")
        assert engine.start().key == by_name.start().key


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared samples are not here")
def test_shared_programs(byte_vocabulary):
    """JSON and arithmetic of outlines and syncode (see the manifest for their licences)."""
    for folder, name in (("json", "json"), ("arithmetic", "arithmetic")):
        engine = formgate.compile(name, byte_vocabulary, format="grammar")
        files = sorted((SHARED / "outlines_cfg_samples" / folder).iterdir())
        assert files
        for path in files:
            text = path.read_text(encoding="utf-8")
            assert engine.accepts(text if name == "json" else text.strip()), path
    engine = formgate.compile("json", byte_vocabulary, format="grammar")
    cases = json.loads((SHARED / "syncode_tests" / "json.json").read_text(encoding="utf-8"))
    texts = [text for text in _texts(cases) if len(text) < 20_000]
    assert texts
    for text in texts:
        try:
            json.loads(text, parse_constant=lambda constant: 1 / 0)
            valid = True
        except (ValueError, ZeroDivisionError):
            valid = False
        assert engine.accepts(text) == valid, text


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared samples are not here")
@pytest.mark.parametrize("name", ["python", "sql"])
def test_shared_programs_of_subsets(byte_vocabulary, name):
    """Programs of syncode (MIT): the grammar takes some, and none that its judge refuses."""
    pytest.importorskip("lark")
    engine = formgate.compile(name, byte_vocabulary, format="grammar")
    judge = find_oracle(name)
    cases = json.loads((SHARED / "syncode_tests" / f"{name}.json").read_text(encoding="utf-8"))
    taken = [text for text in _texts(cases) if engine.accepts(text)]
    assert taken
    assert [text for text in taken if not judge.verdict(text.encode())[0]] == []


def _texts(value: object) -> list[str]:
    """Return all texts in a JSON value."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for each in inner for text in _texts(each)]
