"""Which bytes begin JSON, held against Python's `json`; and masks judged by that."""

import itertools
import json
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import agreement, compare, merge
from benchmarks.cases.schemas import broken
from benchmarks.json_oracle import STATES, JsonOracle, positions
from benchmarks.json_text import START, is_whole, read
from benchmarks.measure import Replayer, Row, measure_case

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip
SPELLINGS = st.fixed_dictionaries(
    {
        "ensure_ascii": st.booleans(),
        "indent": st.none() | st.integers(0, 2),
        "separators": st.sampled_from([(",", ":"), (", ", ": "), (" ,\t", "\r\n: ")]),
    }
)
# What closes each mode that is no end, on the way to one.
CLOSING = {
    "value": b"0", "value or ]": b"]", "name": b'"":0', "name or }": b"}", "colon": b":0",
    "minus": b"0", "point": b"0", "power": b"0", "sign": b"0", "string": b'"', "escape": b'n"',
    "1 more": b'\x80"', "2 more": b'\x80\x80"', "3 more": b'\x80\x80\x80"', "E0": b'\xa0\x80"',
    "ED": b'\x80\x80"', "F0": b'\x90\x80\x80"', "F4": b'\x80\x80\x80"',
    **{f"hex {left}": b"0" * left + b'"' for left in range(1, 5)},
    **{word[at:]: word[at:].encode() for word in ("rue", "alse", "ull") for at in range(len(word))},
}  # fmt: skip


def refuse_constant(name):
    raise ValueError(name)


def is_json(data):
    try:
        json.loads(data.decode(), parse_constant=refuse_constant)
    except (ValueError, UnicodeError):
        return False
    return True


def completed(data):
    """Return a text that begins with viable bytes, by the state after them."""
    while not is_whole(read(data)):
        mode, stack = read(data)
        if mode in CLOSING:
            data += CLOSING[mode]
            if stack is not None and stack[0] == "name":
                data += b":0"
        else:
            data += {"{": b"}", "[": b"]"}[stack[0]]
    return data


@given(VALUES, SPELLINGS)
def test_every_beginning_of_json_is_viable_and_only_the_whole_is_whole(value, spelling):
    text = json.dumps(value, **spelling).encode()
    state = START
    for at in range(len(text)):
        state = read(text[at : at + 1], state)
        assert state is not None
        assert is_whole(state) == is_json(text[: at + 1])
    assert is_whole(state)
    assert state == read(text)


@given(VALUES, SPELLINGS, st.data())
def test_json_with_a_few_bytes_changed_is_judged_as_json_does(value, spelling, data):
    text = bytearray(json.dumps(value, **spelling).encode())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        text[at : at + data.draw(st.integers(0, 2))] = data.draw(
            st.binary(max_size=2) | st.sampled_from([b'"', b",", b"}", b"\\", b"\\u0", b"-", b"e"])
        )
    assert is_whole(read(bytes(text))) == is_json(bytes(text))
    if read(bytes(text)) is not None:
        assert is_json(completed(bytes(text)))


@pytest.mark.parametrize("alphabet", [b'{}[],:"1 ', b'-01.eE+"', b'"\\u0aF/n\x1f', b"[truefalsn,]"])
def test_short_texts_are_viable_exactly_where_they_can_be_completed(alphabet):
    longest = 5 if len(alphabet) < 10 else 4
    letters = [bytes([byte]) for byte in sorted(set(alphabet))]
    for length in range(1, longest + 1):
        for pieces in itertools.product(letters, repeat=length):
            text = b"".join(pieces)
            state = read(text)
            assert is_whole(state) == is_json(text), text
            if state is not None:
                assert is_json(completed(text)), text
            elif length < longest:  # what is not viable stays so: nothing after it is JSON
                assert not any(is_json(text + more) for more in (b'"', b"}", b"]", b'":1}', b"1"))


@given(st.binary(min_size=1, max_size=4))
def test_characters_of_strings_are_those_of_utf_8(data):
    text = b'"' + data + b'"'
    assert is_whole(read(text)) == is_json(text)
    if b'"' not in data and b"\\" not in data and read(b'"' + data) is not None:
        assert is_json(completed(b'"' + data))


@given(VALUES, SPELLINGS)
def test_broken_texts_are_no_json(value, spelling):
    text = json.dumps(value, **spelling)
    wrong = broken(text)
    assert len(wrong) >= 2
    assert not any(is_json(one.encode()) for one in wrong)
    assert f"{text}}}" in wrong


@given(st.integers(0, 300), st.integers(0, 10**6))
def test_states_are_spread_over_an_output(length, seed):
    found = positions(length, random.Random(seed))
    assert found == sorted(set(found)) == positions(length, random.Random(seed))
    assert len(found) == min(STATES, length + 1)
    assert found[0] == 0
    assert found[-1] == length
    assert max((b - a for a, b in itertools.pairwise(found)), default=1) <= 2 * (length / 6 + 1)


TOKENS = [*(bytes([byte]) for byte in range(256)), b'": "', b'"}', b"hello", b"}}", None, None]
STOP = 260


class Truthful:
    """Allows everything that goes on as JSON, and what the test adds."""

    def __init__(self, row, extra):
        self._row, self._extra = row, extra

    def read(self, source, form):
        return source

    reads_apart = False

    def compile(self, source, form):
        return source

    def start(self, compiled):
        state = START

        def fill():
            allowed = [t is not None and read(t, state) is not None for t in TOKENS]
            allowed[STOP] = is_whole(state)
            allowed = np.array(allowed) | self._extra(allowed)
            bits = np.packbits(allowed, bitorder="little")
            self._row.view(np.uint8)[:] = 0
            self._row.view(np.uint8)[: len(bits)] = bits

        def advance(token):
            nonlocal state
            state = read(TOKENS[token], state)
            return True

        return fill, advance


def record(extra, text=b'{"a": ["b", 1.5e3, null]}', **more):
    row = Row(len(TOKENS))
    replayer = Replayer(Truthful(row.array, extra), row, [STOP], flush=False)
    run = {"text": 0, "tokenisation": "bpe", "pair": True, "tokens": list(text)}
    case = {"name": "c", "compared": False, "runs": [run], "rejects": [], **more}
    return measure_case(replayer, case, "", "json_schema", oracle=JsonOracle(TOKENS, [STOP]))


def only(*tokens):
    return lambda allowed: np.isin(np.arange(len(TOKENS)), tokens)


@pytest.mark.parametrize(
    ("extra", "all_seen"),
    [
        (only(), None),
        (only(256, 258), True),  # long tokens wherever
        (only(STOP), True),  # an end before the end
        (only(261), True),  # what has no text, and is no end
        (lambda allowed: np.ones(len(TOKENS), bool), True),
    ],
)
def test_masks_that_allow_what_is_no_json_are_contradicted(extra, all_seen):
    found = record(extra)
    assert found["status"] == "ok"  # no text shows it
    ((contradicted, seen),) = [run["judged"] for run in found["runs"]]
    assert seen == STATES
    assert (contradicted >= 1) == bool(all_seen)
    assert found["runs"][0]["judged"] == record(extra)["runs"][0]["judged"]


def session(engine, judged):
    case = record(only())
    case["runs"][0]["judged"] = judged
    names = {"workload": "replay", "vocabulary": "v", "kind": "schema", "mode": "shared"}
    return {**names, "engine": engine, "cases": {"c": case}}


CONTENT = {"cases": {"c": {"common": True, "same_masks": False}}}


def test_a_contradicted_mask_sets_the_case_aside():
    sessions = {name: session(name, (0, 8)) for name in ("formgate", "xgrammar")}
    assert agreement.set_aside(CONTENT, sessions) == {"formgate": {}, "xgrammar": {}}
    assert agreement.agreed(CONTENT, *sessions.values(), "c")
    sessions["xgrammar"] = session("xgrammar", (1, 8))
    aside = agreement.set_aside(CONTENT, sessions)
    assert aside == {"formgate": {}, "xgrammar": {"c": (1, 8)}}
    assert not agreement.agreed(CONTENT, *sessions.values(), "c")
    assert agreement.right(sessions["xgrammar"], aside) == {}
    words = agreement.contradiction(sessions["xgrammar"]["cases"]["c"], (1, 8))
    assert words == "masks allow what is no JSON in 1 of 8"


def test_contradictions_survive_repeats_and_are_compared():
    base, new = session("xgrammar", [0, 8]), session("xgrammar", [2, 8])
    whole = {"setup": {}, "restarts": 0}
    merged = merge.merge_repeats([{**new, **whole}, {**base, **whole}])
    assert merged["cases"]["c"]["runs"][0]["judged"] == [2, 8]
    base = session("xgrammar", [0, 8])
    changes = compare.compare(
        {"sessions": [base]}, {"sessions": [new]}, threshold=1e9, case_threshold=1e9
    )
    assert [c.metric for c in changes if c.flagged] == ["masks allow what is no JSON"]
