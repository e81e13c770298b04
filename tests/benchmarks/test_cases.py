"""The shared regexes mean what their texts say, by Python's own `re`."""

import re

import pytest

pytest.importorskip("tomllib", reason="the data files are TOML")

from benchmarks.cases import load_cases
from benchmarks.cases.words import word_list, word_pattern
from benchmarks.engines import ENGINES

CASES = load_cases()


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_texts_agree_with_python(case):
    pattern = re.compile(case.source)
    assert len(case.matching) >= 2
    assert len(case.non_matching) >= 2
    assert [t for t in case.matching if pattern.fullmatch(t) is None] == []
    assert [t for t in case.non_matching if pattern.fullmatch(t) is not None] == []


def test_names_are_unique_and_engines_known():
    names = [case.name for case in CASES]
    assert len(set(names)) == len(names) >= 46
    packages = {spec.package for spec in ENGINES.values()}
    for case in CASES:
        assert set(case.dialects) | set(case.unsupported) <= packages
        assert not (case.unsupported and case.common)


def test_word_patterns_are_those_of_the_generator():
    by_name = {case.name: case.source for case in CASES}
    words = word_pattern()
    assert by_name["word_600"] == words
    assert by_name["word_600_list"] == f"{words}(, {words}){{0,9}}"
    assert len(set(word_list())) == 600
    assert word_list(10) == sorted(word_list(10))


def test_cases_are_chosen_by_name_or_group():
    assert [case.name for case in load_cases(names=["url", "date"])] == ["date", "url"]
    assert {case.group for case in load_cases(names=["json"])} == {"json"}
    with pytest.raises(ValueError, match="no such case or group: nonsense"):
        load_cases(names=["nonsense"])
