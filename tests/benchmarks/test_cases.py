"""Regexes and grammars mean what their texts say, by Python's own `re`, by lark, by `json`."""

import ast
import hashlib
import json
import re
import subprocess
import sys

import pytest

pytest.importorskip("tomllib", reason="the data files are TOML")

import formgate
from benchmarks.cases import ROOT, SCHEMAS, load_cases
from benchmarks.cases.formats import CONSTRAINTS, FORMATS
from benchmarks.cases.words import word_list, word_pattern
from benchmarks.engines import ENGINES
from benchmarks.results import new_results
from benchmarks.workloads import build_workload

CASES = load_cases()
GRAMMARS = load_cases("grammar")


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


@pytest.mark.parametrize("name", ["json_lark", "sql_lark", "java_lark", "go_lark"])
def test_programs_agree_with_lark(name):
    lark = pytest.importorskip("lark")
    (case,) = load_cases("grammar", names=[name])
    parser = lark.Lark(case.source, parser="lalr", lexer="contextual")

    def accepts(text):
        try:
            parser.parse(text)
        except lark.exceptions.LarkError:
            return False
        return True

    assert len(case.matching) >= 12
    assert len(case.non_matching) >= 4
    assert [text for text in case.matching if not accepts(text)] == []
    assert [text for text in case.non_matching if accepts(text)] == []


def test_grammars_are_read_without_the_lark_package():
    """As the pages say: what they show as reading is ours."""
    code = """
import sys
from benchmarks.cases import load_cases
from formgate.core.compiler import build_grammar
for kind in ("grammar", "formats"):
    for case in load_cases(kind):
        form = case.dialect("formgate")
        if form.format == "lark":
            build_grammar(form.source, format="lark")
            assert "lark" not in sys.modules, case.name
"""
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_programs_agree_with_python():
    (case,) = load_cases("grammar", names=["python_lark"])
    assert len(case.matching) >= 12
    assert len(case.non_matching) >= 4
    for text in case.matching:
        ast.parse(text)
    for text in case.non_matching:
        with pytest.raises(SyntaxError):
            ast.parse(text)


def test_schemas_agree_with_jsonschema():
    jsonschema = pytest.importorskip("jsonschema")
    cases = load_cases("schema", names=["hand", "patterns"])
    assert {"any_order_160", "defs_3000", "pattern_mail"} < {case.name for case in cases}
    for case in cases:
        assert case.public
        validator = jsonschema.Draft202012Validator(json.loads(case.source))
        for text in case.matching:
            validator.validate(json.loads(text))
        for text in case.non_matching:
            twice = text == '{"p0": 1, "p0": 2}'  # which a parsed value does not show
            assert twice or not validator.is_valid(json.loads(text)), (case.name, text)


@pytest.mark.skipif(
    not SCHEMAS.exists(), reason="shared/data/json-schemas-real.jsonl.xz is not here"
)
def test_real_schemas_are_sampled_and_stay_where_they_are():
    cases = load_cases("schema", names=["real"])
    assert len(cases) >= 190
    results = new_results({"schema": cases}, {})
    assert {case["source"] for case in results["cases"].values()} == {""}


@pytest.mark.skipif(
    not SCHEMAS.exists(), reason="shared/data/json-schemas-real.jsonl.xz is not here"
)
def test_texts_of_real_schemas_are_made_without_an_engine_and_stay_as_they_are(monkeypatch):
    def nothing(*arguments, **options):
        raise AssertionError("no engine decides what is measured")

    monkeypatch.setattr(formgate, "compile", nothing)
    texts = [[case.name, case.matching] for case in load_cases("schema", names=["real"])]
    digest = hashlib.sha256(json.dumps(texts).encode()).hexdigest()
    # Another one makes published results those of other texts.
    assert digest == "c51a826fea6edbf0dd5da209c5b1f64a5d5e4ad1f35627b88e8f9198aa776bdb"


@pytest.mark.skipif(
    not SCHEMAS.exists(), reason="shared/data/json-schemas-real.jsonl.xz is not here"
)
def test_every_schema_has_texts_that_it_refuses():
    for case in load_cases("schema"):
        assert case.non_matching, case.name


def test_common_patterns_are_there_where_they_are_asked_for():
    assert "patterns" not in {case.group for case in load_cases("schema")}
    alone = load_cases("schema", names=["pattern_url"])
    assert [case.name for case in alone] == ["pattern_url"]


def test_the_second_text_of_a_schema_is_the_first_without_white_space():
    cases = load_cases("schema", names=["hand"])
    assert any(case.rewritten for case in cases)
    for case in cases:
        if case.rewritten:
            first, second = case.matching[:2]
            values = json.loads(first)
            assert second == json.dumps(values, ensure_ascii=False, separators=(",", ":"))
            assert second != first


def test_both_spellings_of_a_pair_are_replayed_first():
    (case,) = load_cases("schema", names=["max_length_200"])

    class Letters:
        def encode(self, text, how):
            return [how, *text]

    (entry,) = build_workload([case], Letters())
    runs = [(run["text"], run["tokenisation"], run["pair"]) for run in entry["runs"]]
    assert runs[:3] == [(0, "bpe", True), (1, "bpe", True), (0, "greedy", False)]
    assert len(set(runs)) == 2 * len(case.matching)
    assert sum(pair for *_, pair in runs) == 2


def test_json_texts_agree_with_python():
    (case,) = load_cases("grammar", names=["json_gbnf"])
    for text in case.matching:
        json.loads(text)
    for text in case.non_matching:
        with pytest.raises(json.JSONDecodeError):
            json.loads(text)


def test_grammars_have_a_form_for_the_engines_compared():
    names = [case.name for case in GRAMMARS]
    assert len(set(names)) == len(names) >= 9
    packages = {spec.package: spec for spec in ENGINES.values()}
    for case in GRAMMARS:
        assert set(case.dialects) <= set(packages)
        assert case.dialect("formgate").source == case.source
        for package in ("formgate", "llguidance", "xgrammar"):
            dialect = case.dialect(package)
            taken = dialect.format in packages[package].formats
            assert taken or (package, case.format) == ("xgrammar", "lark")
        if case.group == "scaling":
            assert case.tokenisations == ("bytes",)
            assert all(len(text) >= 500 for text in case.matching)


def by_format(constraint):
    return {case.format: case for case in load_cases("formats", names=[constraint])}


@pytest.mark.parametrize("constraint", list(CONSTRAINTS))
def test_formats_say_the_same_by_judges_of_their_own(constraint):
    found = by_format(constraint)
    assert set(found) == set(FORMATS) - ({"regex"} if constraint == "brackets" else set())
    for form, case in found.items():
        accepts = JUDGES[form](case.source)
        assert case.matching
        assert case.non_matching
        assert [text for text in case.matching if not accepts(text)] == []
        assert [text for text in case.non_matching if accepts(text)] == []


def judge_regex(source):
    return lambda text: re.fullmatch(source, text) is not None


def judge_lark(source):
    lark = pytest.importorskip("lark")
    parser = lark.Lark(source, parser="earley")

    def accepts(text):
        try:
            parser.parse(text)
        except lark.exceptions.LarkError:
            return False
        return True

    return accepts


def judge_schema(source):
    jsonschema = pytest.importorskip("jsonschema")
    validator = jsonschema.Draft202012Validator(json.loads(source))

    def accepts(text):
        try:
            return validator.is_valid(json.loads(text))
        except json.JSONDecodeError:
            return False

    return accepts


def judge_gbnf(source):
    # No other reader of GBNF is at hand: what is tested here is the translation, not the engine.
    engine = formgate.compile(source, BYTES, format="gbnf")
    return engine.accepts


BYTES = formgate.Vocabulary([bytes([byte]) for byte in range(256)] + [None], stop_ids=[256])
JUDGES = {
    "regex": judge_regex,
    "lark": judge_lark,
    "gbnf": judge_gbnf,
    "json_schema_compact": judge_schema,
}


@pytest.mark.parametrize("constraint", list(CONSTRAINTS))
def test_formats_have_the_same_masks_where_their_texts_are_the_same(constraint):
    found = by_format(constraint)
    alike = set(FORMATS) if constraint == "tutor" else set(FORMATS) - {"json_schema_compact"}
    engines = []
    for form in alike & set(found):
        options = {"format": form.removesuffix("_compact")}
        if form == "json_schema_compact":
            options |= {"whitespace": "compact", "escapes": "canonical"}
        engines.append(formgate.compile(found[form].source, BYTES, **options))
    for text in found["gbnf"].matching:
        states = [engine.start() for engine in engines]
        for byte in text.encode():
            pairs = zip(engines, states, strict=True)
            masks = [engine.allowed_tokens(state) for engine, state in pairs]
            assert len(set(masks)) == 1
            pairs = zip(engines, states, strict=True)
            states = [engine.advance(state, byte) for engine, state in pairs]
        pairs = zip(engines, states, strict=True)
        assert all(engine.is_accepting(state) for engine, state in pairs)
