"""The fuzzer is tried on duels with planted faults; then it runs for a few seconds."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest
from oracle.corpus import _case, tomllib
from oracle.machine import Machine, TooLarge
from oracle.strategies import TinyVocabulary
from oracle.tokens import TokenOracle

from fuzz.cases import Case, draw_case
from fuzz.command import fuzz
from fuzz.corpus_file import save
from fuzz.duels import DUELS
from fuzz.grammars import source_of
from fuzz.minimise import minimised, smaller_cases
from fuzz.rewrites import REWRITES, rewritten
from fuzz.worker import Outcome, Worker

ROOT = Path(__file__).resolve().parents[2]
CASE = Case(
    ("seq", ("lit", b"b"), ("choice", ("repeat", ("lit", b"ab"), 1, 3), ("empty",))),
    TinyVocabulary((b"a", b"b", b"ab", None, b"abab", None), (3, 5)),
    7,
)


@pytest.fixture
def faulty():
    worker = Worker(4.0, "fuzz.faulty_worker")
    yield worker
    worker.close()


def test_a_case_is_what_its_seed_says():
    for number in range(50):
        case = draw_case(str(number))
        assert case == draw_case(str(number))
        assert Case.load(case.dump()) == case


def test_drawn_vocabularies_can_end():
    assert all(draw_case(str(number)).vocabulary.stop_ids for number in range(200))


@pytest.mark.parametrize("rewrite", REWRITES, ids=lambda rewrite: rewrite.__name__)
def test_rewrites_keep_the_language(rewrite):
    rng = random.Random(1)
    applied = 0
    for number in range(400):
        tree = draw_case(str(number)).tree
        after = rewrite(tree, rng)
        if after is not None and equal(tree, after):
            applied += 1
        if applied == 12:
            return
    raise AssertionError("this rewrite is hardly ever tried")


def test_rewriting_keeps_the_language():
    assert sum(equal(t, rewritten(t, random.Random(2))) for t in drawn_trees(60)) >= 40


def drawn_trees(count):
    return [draw_case(str(number)).tree for number in range(count)]


def equal(one, other):
    """Both trees accept the same words of up to three letters; False where the judge gives up."""
    try:
        first, second = Machine.of(one), Machine.of(other)
        for word in WORDS:
            assert first.accepts(word) is second.accepts(word), (one, other, word)
    except TooLarge:
        return False
    return True


LETTERS = [letter.encode() for letter in "abé\n"] + [b"\xc3"]
WORDS = [b"", *LETTERS, *(x + y for x in LETTERS for y in LETTERS)]
WORDS += [x + y for x in WORDS[-25:] for y in LETTERS[:2]]


def test_a_crash_is_caught_and_the_next_case_runs(faulty):
    outcome = faulty.run("crash", CASE)
    assert (outcome.kind, "native" in outcome.detail) == ("crash", True)
    assert faulty.run("differ", CASE).kind == "differs"


def test_a_hang_is_caught_and_a_slow_judge_is_none(faulty):
    faulty.limit_s = 2.0
    assert faulty.run("hang", CASE).kind == "hang"
    assert faulty.run("slow_judge", CASE) == Outcome("abstains", "the judge takes too long")


def test_a_foreign_exception_is_a_finding(faulty):
    outcome = faulty.run("fail", CASE)
    assert outcome.kind == "error"
    assert "KeyError" in outcome.detail
    assert outcome.is_finding


def test_a_finding_is_minimised(faulty):
    small = minimised(CASE, lambda case: faulty.run("differ", case).kind == "differs", 20)
    assert small.tree == ("repeat", ("lit", b""), 0, 1)
    assert small.vocabulary.tokens in ((b"ab", None), (None, b"ab"))
    crashing = minimised(CASE, lambda case: faulty.run("crash", case).kind == "crash", 20)
    assert crashing.tree[0] == "repeat"


def test_smaller_cases_are_cases():
    for smaller in smaller_cases(CASE):
        assert smaller != CASE
        assert smaller.vocabulary.stop_ids
        assert all(smaller.vocabulary.tokens[stop] is None for stop in smaller.vocabulary.stop_ids)
        Machine.of(smaller.tree)


def test_a_finding_becomes_a_case_of_the_corpus(tmp_path):
    path = save(CASE, "rewriting", Outcome("differs", "a\nclaim", b"b"), "a command", tmp_path)
    [entry] = tomllib.loads(path.read_text(encoding="utf-8"))["case"]
    case = _case("found", entry)
    assert case.tree() == CASE.tree
    assert case.vocabulary == CASE.vocabulary
    assert case.origin == "a command"
    assert case.same_as
    oracle = TokenOracle(CASE.tree, CASE.vocabulary.tokens, CASE.vocabulary.stop_ids)
    assert [mask.after for mask in case.masks] == [b"", b"b"]
    assert case.masks[1].stop is oracle.accepts_here(oracle.machine.walk(oracle.start, b"b"))


GRAMMAR = Case(
    ("rules", ((b"a", 0, b"b"), (b"c",), (1,)), ((b"ab", 1),)),
    TinyVocabulary((b"a", b"b", b"c", b"bb", None), (4,)),
    1,
)


def test_grammars_are_minimised():
    def still(case):
        return any(b"c" in body for rule in case.tree[1:] for body in rule)

    small = minimised(GRAMMAR, still, 10)
    assert small.tree == ("rules", ((b"c",),))
    for smaller in smaller_cases(GRAMMAR):
        assert source_of(smaller.tree).rules


def test_a_grammar_becomes_a_case_of_the_corpus(tmp_path):
    path = save(GRAMMAR, "grammars", Outcome("differs", "claim", b"ac"), "a command", tmp_path)
    [entry] = tomllib.loads(path.read_text(encoding="utf-8"))["case"]
    case = _case("found", entry)
    assert case.source.accepts(b"acb")
    assert [(mask.after, mask.allowed, mask.stop) for mask in case.masks] == [
        (b"", {b"a", b"c"}, False),
        (b"ac", {b"b"}, False),
    ]


def test_a_short_run_finds_nothing(tmp_path):
    """The same cases in every run: what is new is left to `make fuzz`."""
    run = fuzz(20_260_801, 10.0, list(DUELS), folder=tmp_path)
    assert not run.findings
    assert {name for name, _ in run.outcomes} == set(DUELS)
    for name in DUELS:
        assert run.outcomes[name, "same"] > run.outcomes[name, "abstains"], run.summary()


def test_the_command_reproduces_one_case():
    command = [sys.executable, "-m", "tests.fuzz", "--seed", "1", "--case", "3", "--duel", "judge"]
    output = subprocess.check_output(command, cwd=ROOT, text=True)
    assert output.startswith("seed 1\n")
    assert "0 findings" in output
