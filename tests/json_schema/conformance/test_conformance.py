"""The official suite against its ratchet, and a part of the real schemas.

All of those, with a table: `make conformance`.
"""

from __future__ import annotations

import json

import pytest
from suite import ARCHIVE, DRAFTS

from conformance import official, real
from conformance.judge import begin, judge, shortened
from conformance.pool import run_all
from conformance.texts import reordered, written

needs_suite = pytest.mark.skipif(
    not ARCHIVE.exists(), reason="shared/data/json-schema-test-suite.tar.xz is not here"
)
needs_real = pytest.mark.skipif(
    not real.DATA.exists(), reason="shared/data/json-schemas-real.jsonl.xz is not here"
)
LIMIT_S = 30.0


def run(jobs):
    return run_all(jobs, judge, processes=1, limit_s=LIMIT_S, start=begin)


@needs_suite
@pytest.mark.parametrize("order", ["any", "schema"])
@pytest.mark.parametrize("draft", DRAFTS)
def test_the_suite(draft, order):
    known = official.load_ratchet()[order]
    jobs = official.jobs(draft, order)
    found = [verdict for job, record in run(jobs) for verdict in official.verdicts(job, record)]
    assert len(found) > 900
    assert official.worse(found, known) == []


def test_nothing_invalid_is_accepted_but_what_is_known():
    for order, known in official.load_ratchet().items():
        accepted = [name for name, verdict in known.items() if verdict == "invalid accepted"]
        # Drafts that want 1.0 to be no integer.
        assert all("zeroTerminatedFloats" in name for name in accepted), order


@needs_real
def test_a_part_of_the_real_schemas():
    entries = real.load()[::40]
    jobs = real.jobs(entries, {}, tokens=False)
    assert real.worse(real.finished(job, record) for job, record in run(jobs)) == []


def test_real_schemas_that_are_known_to_be_refused(tmp_path, monkeypatch):
    def record(name, status, **wrong):
        return {"name": name, "status": status, "reason": "LimitError: x", "wrong": wrong}

    monkeypatch.setattr(real, "RATCHET", tmp_path / "ratchet.json")
    assert len(real.worse([record("a", "refused"), record("b", "ok"), record("c", "empty")])) == 1
    assert real.store([record("a", "refused"), record("b", "ok")]) == 1
    assert real.worse([record("a", "refused"), record("b", "ok")]) == []
    assert len(real.worse([record("a", "ok", error=[1]), record("b", "lost")])) == 2


# --- the parts of the runner itself ---


def test_the_slowest_are_measured_again_behind_others():
    schemas = [{"const": number} for number in range(100)]
    entries = [
        {"name": str(at), "schema": schema, "tests": [{}], "meta": {"full_size": 9}}
        for at, schema in enumerate(schemas)
    ]
    times = {"grammar_s": 0.0, "engine_s": 0.0, "status": "ok", "wrong": {}, "size": 9}
    records = [{"name": str(at), "mask_s": float(at % 50), **times} for at in range(100)]
    slow = real.slowest(records)
    assert [record["name"] for record in slow[:2]] in (["49", "99"], ["99", "49"])
    jobs = list(real.jobs_again(entries, ["99", "20"], {}, tokens=True))
    assert [job["name"] for job in jobs] == ["0", "40", "60", "80", "20", "99"]
    assert all(job["tokens"] and not job["texts"] for job in jobs)
    assert "49000.0 = 0.0 + 0.0 + 49000.0; 49000.0  49 (9 bytes)" in real.summary(records)
    for seconds in (300.0, 1.0, 2.0):
        again = [{"name": "99", "grammar_s": seconds, "engine_s": 0.5, "mask_s": 0.25}]
        real.keep_least(records, [*again, {"name": "49", "status": "lost"}])
    assert records[99]["least"] == [1.0, 0.5, 0.25]
    assert "least" not in records[49]
    real.keep_least(records, [{"name": "48", "grammar_s": 99.0, "engine_s": 0.5, "mask_s": 0.25}])
    assert records[48]["least"] == [0.0, 0.0, 48.0]
    assert real.fixed_work_s() > 0
    assert "1750.0 = 1000.0 + 500.0 + 250.0; 49000.0  99 (9 bytes)" in real.summary(records)


def test_a_ratchet_allows_what_it_holds():
    known = {"a": "refused: UnsupportedConstraint", "b": "valid refused", "g: *": "valid refused"}
    allowed = [
        ("g: 1", "valid refused"),
        ("g: 2", "right"),
        ("a", "right"),
        ("a", "refused: LimitError"),
        ("b", "valid refused"),
        ("c", "right"),
    ]
    assert official.worse(allowed, known) == []
    forbidden = [("a", "invalid accepted"), ("b", "lost: it"), ("c", "valid refused")]
    assert len(official.worse(forbidden, known)) == 3


def test_a_ratchet_gathers_groups():
    found = {"g: 1": "x", "g: 2": "x", "h: 1": "x", "h: 2": "right", "i: 1": "right", "k: 1": "x"}
    kept = official.gathered(found)
    assert kept == {"g: *": "x", "h: 1": "x", "k: 1": "x"}
    assert official.worse(found.items(), kept) == []


def test_workers_are_replaced():
    def odd(job):
        if job["name"] == "die":
            raise SystemExit(3)
        while job["name"] == "hang":
            pass
        return {"status": "ok"}

    jobs = [{"name": name} for name in ("a", "die", "b", "hang", "c")]
    records = {
        job["name"]: record["status"]
        for job, record in run_all(jobs, odd, processes=2, limit_s=0.5)
    }
    assert records == {"a": "ok", "die": "lost", "b": "ok", "hang": "lost", "c": "ok"}


def test_a_record_says_what_happened():
    job = {
        "name": "n",
        "schema": {"type": "integer", "minimum": 3},
        "options": {},
        "texts": [["3", True], ["2", False], ["true", False]],
    }
    assert [accepted for accepted, _ in judge(job)["texts"]] == [True, False, False]
    assert judge({**job, "schema": False})["status"] == "empty"
    assert judge({**job, "schema": {"type": "nothing"}})["status"] == "refused"
    assert "TypeError" in judge({**job, "schema": 3, "options": {"registry": 3}})["reason"]


def test_reasons_leave_out_names():
    assert shortened("#/a/b: format 'x' has 12 parts") == "#…: format '…' has N parts"


@pytest.mark.parametrize(
    ("schema", "value", "names"),
    [
        ({"properties": {"b": {}, "a": {}}}, {"a": 1, "c": 2, "b": 3}, "bac"),
        ({"required": ["z"], "properties": {"y": {}}}, {"z": 1, "y": 2}, "yz"),
        (
            {
                "allOf": [{"$ref": "#/definitions/d"}],
                "definitions": {"d": {"properties": {"q": {}}}},
            },
            {"p": 1, "q": 2},
            "qp",
        ),
        ({"$ref": "#"}, {"b": 1, "a": 2}, "ba"),
        (True, {"b": 1, "a": 2}, "ba"),
    ],
)
def test_members_in_the_order_of_a_schema(schema, value, names):
    assert "".join(reordered(value, schema)) == names


def test_nested_values_are_ordered_and_written():
    schema = {"items": {"properties": {"b": {}, "a": {"properties": {"y": {}, "x": {}}}}}}
    value = [{"a": {"x": 1, "y": None}, "b": [1.5, "é"]}]
    text = written(reordered(value, schema))
    assert text == '[{"b": [1.5, "é"], "a": {"y": null, "x": 1}}]'
    assert json.loads(text) == value
