"""What the pages say of who is ahead, and of whose masks are right."""

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

pytest.importorskip("tomllib", reason="the plan is TOML")

from page_samples import decoded, memory, of_entry, replayed, session

from benchmarks import (
    agreement,
    grammar_report,
    other_report,
    report,
    scoreboard,
)


def test_what_misses_the_goal_of_decoding_is_named():
    content = decoded()
    slow = content["sessions"][0]["cases"]["tutor.regex"]
    again = {**slow["modes"]["lazy"], "mask_ns": [6 * 10**6] * 2}
    late = {**slow["modes"]["lazy"], "mask_ns": [40_000, 60_000]}
    modes = {**slow["modes"], "lazy": late, "derived again": again}
    content["sessions"][0]["cases"]["tutor.regex"] = {**slow, "modes": modes}
    text = other_report.prediction_table(content)
    assert (
        "Lazy, 1 of 2 outputs stay below 40 µs in the mean; above it (µs): tutor as regex 51.5."
        in text
    )
    assert (
        "1 of 2 outputs take less than the 5 ms predicted; above it (ms): tutor as regex 6." in text
    )
    assert "Precompiled, 2 of 2 outputs stay below" in text


def test_a_rival_that_is_faster_is_said_to_be():
    content = replayed()
    content["sessions"][1]["cases"]["one"] = session("llguidance-complete", 0.5)["cases"]["one"]
    text = scoreboard.scoreboard(lambda name: content if name == "regex-tekken" else None)
    assert text.count("**behind**") == 4
    assert text.count("**met**") == 1  # of equal length, the advance


def test_memory_counts_where_an_engine_came_before_it_ended():
    content = memory()
    ours, rival = content["sessions"]
    row = (
        "| memory after 1,000 schemas | tekken | resident, over set-up "
        "| 5 MiB | 85 MiB, xgrammar | 0.059 | 28.3 MiB | **met** |"
    )

    def told():
        return scoreboard.scoreboard(lambda name: content if name == "memory" else None)

    assert row in told()
    for rival["status"] in ("crash", "timeout"):
        assert row in told()
    for fault in ("refused", "wrong"):
        rival["points"][1][fault] = 1
        assert "1,000" not in told()
        rival["points"][1][fault] = 0
    ours["status"] = "crash"
    assert "1,000" not in told()
    ours["status"] = "ok"
    assert row in told()
    del rival["points"][1]
    assert "1,000" not in told()


def test_a_maximum_over_common_cases_stands_beside_that_over_all():
    content = of_entry("schema-tekken")
    two = content["sessions"][0]["cases"]["two"]["runs"][0]
    text = {}
    for worst in (3_000, 5_000, 8_000):
        two["mask_ns"][-1] = worst
        board = scoreboard.scoreboard(lambda name: content if name == "schema-tekken" else None)
        (text[worst],) = re.findall(r"first outputs \| tekken \| mask max \| (.*) \|", board)
    assert text[3_000] == "3 µs | 12 µs, llguidance | 0.25 | 0.5 | **met**"
    assert text[5_000] == "3 µs; of all 2: 5 µs | 12 µs, llguidance | 0.25 | 0.5 | **met**"
    assert text[8_000] == (
        "3 µs; of all 2: 8 µs | 12 µs, llguidance | 0.25 | 0.5 | **met** on common cases"
    )


def with_masks(**digests):
    """Return results of some engines, each with these checksums of the masks of one case."""
    content = replayed()
    content["sessions"] = [session(engine.replace("_", "-"), 1) for engine in digests]
    for entry, masks in zip(content["sessions"], digests.values(), strict=True):
        del entry["cases"]["two"]
        entry["cases"]["one"]["runs"][0]["digests"] = masks
    (((_, sessions)),) = report.replays(content).items()
    return content, sessions


def test_masks_that_others_contradict_do_not_count_as_right():
    content, sessions = with_masks(
        formgate=[1, 2, 3], llguidance_complete=[1, 2, 3], xgrammar=[1, 7, 3]
    )
    aside = agreement.set_aside(content, sessions)
    assert aside == {"formgate": {}, "llguidance-complete": {}, "xgrammar": {"one": (1, 3)}}
    assert "| xgrammar | 0 | 0 | 0 | 1 | 0 | 1 of 3 |" in report.coverage(
        content, sessions, "formgate"
    )
    assert "xgrammar" not in report.speed_of(content, sessions, "all")
    assert "| masks differ in 1 of 3 |" in report.by_case(content, sessions)
    content["cases"]["one"]["format"] = "gbnf"
    ((_, _, rows), *_) = grammar_report.grammar_tables(content, sessions)
    assert [row[2] for row in rows if row[1] == "xgrammar"] == ["masks differ in 1 of 3"]


def test_ours_are_believed_no_more_than_others():
    content, sessions = with_masks(
        formgate=[9, 2, 3], llguidance_complete=[1, 2, 3], xgrammar=[1, 2, 3]
    )
    assert agreement.set_aside(content, sessions)["formgate"] == {"one": (1, 3)}
    assert not report.slowest(content, sessions, "formgate")


def test_of_two_that_differ_neither_is_believed():
    content, sessions = with_masks(formgate=[1, 2, 3], xgrammar=[4, 5, 3])
    assert agreement.set_aside(content, sessions) == {name: {"one": (2, 3)} for name in sessions}


@pytest.mark.parametrize(
    ("digests", "lost"),
    [
        # Two wrong engines of one package do not outvote a right one.
        ({"formgate": [9], "formgate_matcher": [9], "xgrammar": [1]}, "all"),
        (
            {"formgate": [9], "formgate_matcher": [9], "xgrammar": [1], "llguidance_complete": [1]},
            ["formgate", "formgate-matcher"],
        ),
        # Where a package's engines differ, others tell which is wrong; the package says nothing.
        (
            {"formgate": [1], "formgate_matcher": [9], "llguidance_complete": [1]},
            ["formgate-matcher"],
        ),
        ({"formgate": [1], "formgate_matcher": [9]}, "all"),
        ({"formgate": [1], "formgate_matcher": [1], "xgrammar": [1]}, []),
    ],
)
def test_engines_of_one_package_are_one_voice(digests, lost):
    content, sessions = with_masks(**{name: [*masks, 2, 3] for name, masks in digests.items()})
    aside = agreement.set_aside(content, sessions)
    expected = list(sessions) if lost == "all" else lost
    assert aside == {name: {"one": (1, 3)} if name in expected else {} for name in sessions}


@given(
    st.dictionaries(
        st.sampled_from(["formgate", "formgate_matcher", "llguidance_complete", "xgrammar"]),
        st.integers(0, 2),
    )
)
def test_more_engines_of_a_package_change_nothing_for_others(voices):
    """As long as they make the same masks."""
    assume("formgate" in voices)
    alone = {name: [mask] * 3 for name, mask in voices.items() if name != "formgate_matcher"}
    content, sessions = with_masks(**alone)
    before = agreement.set_aside(content, sessions)
    content, sessions = with_masks(**alone, formgate_matcher=alone["formgate"])
    after = agreement.set_aside(content, sessions)
    assert after.pop("formgate-matcher") == before["formgate"]
    assert after == before


def test_masks_not_meant_to_be_compared_contradict_nobody():
    content, sessions = with_masks(formgate=[1, 2, 3], llguidance=[4, 5, 3], kbnf=[6, 6, 6])
    assert not any(agreement.set_aside(content, sessions).values())
    content, sessions = with_masks(formgate=[1, 2, 3], xgrammar=[4, 5, 3])
    content["cases"]["one"]["same_masks"] = False
    assert not any(agreement.set_aside(content, sessions).values())
