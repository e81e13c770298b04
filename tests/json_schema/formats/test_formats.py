"""Formats against the official suite, and against what other implementations say of samples."""

from __future__ import annotations

import datetime as dt
import ipaddress
import random
import re
import shutil
import unicodedata
import uuid

import pytest
from compiled import acceptor, compiled, random_member
from hypothesis import given, settings
from hypothesis import strategies as st
from suite import DRAFTS, cases

from formgate.plugins.json_schema._formats import (
    _ALPHABETS,
    _NEEDED,
    KNOWN,
    apart,
    format_set,
    has_format,
)
from formgate.plugins.json_schema._strings import StringSet

WRITTEN = sorted(KNOWN)

# Rightly valid, and not written (or not even known of constants): see the module of each format.
LEFT_OUT = {
    "hostname": re.compile(r"(?:^|\.)xn--"),
    "idn-hostname": re.compile(r"^xn--|\w{9}"),
    "regex": re.compile(r"\\k<"),
}
UNKNOWN = ("hostname", "idn-hostname")


@pytest.fixture(scope="module")
def engines():
    """The engine of each format."""
    return {name: compiled(StringSet.format(name)) for name in WRITTEN}


def format_cases():
    """Every case of the suite that is about a format that we know."""
    for draft in DRAFTS:
        for case in cases(draft):
            if case.file.startswith("optional/format/") and isinstance(case.instance, str):
                name = case.schema.get("format")
                if name in WRITTEN:
                    yield name, case


def test_the_official_suite(engines):
    seen = 0
    for name, case in format_cases():
        seen += 1
        text = case.instance
        accepted = engines[name].accepts(text)
        if accepted != case.valid:
            assert case.valid, f"{case.name}: {text!r} is let through"
            assert name in LEFT_OUT, f"{case.name}: {text!r} is refused"
            assert LEFT_OUT[name].search(text), f"{case.name}: {text!r} is refused"
        if StringSet.format(name).contains(text) != case.valid:
            assert name in UNKNOWN, case.name
            assert not accepted, case.name
    assert seen > 1500


def test_negated_formats_let_nothing_through():
    seen = 0
    acceptors = {name: acceptor(~StringSet.format(name)) for name in WRITTEN}
    for name, case in format_cases():
        seen += 1
        if case.valid:
            assert not acceptors[name](case.instance), case.name
            assert not (~StringSet.format(name)).contains(case.instance), case.name
    assert seen > 1500


@pytest.mark.parametrize("name", WRITTEN)
def test_what_is_written_has_the_format(engines, name):
    chance = random.Random(20)
    for _ in range(25):
        text = random_member(engines[name], chance, chance.randrange(5, 60))
        assert has_format(name, text, loose=False), text
        assert (StringSet.format(name) & StringSet.of([text])).values == {text}
        assert has_format(name, text, loose=True), text


def members(engines, name, count, length=40):
    """Return random members of a format."""
    chance = random.Random(7)
    return [random_member(engines[name], chance, chance.randrange(length)) for _ in range(count)]


def test_samples_by_ipaddress(engines):
    for text in members(engines, "ipv4", 60):
        ipaddress.IPv4Address(text)
    for text in members(engines, "ipv6", 120):
        ipaddress.IPv6Address(text)


@settings(max_examples=150, deadline=None)
@given(st.text("0123456789abF:.", max_size=24), st.ip_addresses(v=6), st.ip_addresses(v=4))
def test_addresses_as_ipaddress_reads_them(text, six, four):
    for spelling in (text, six.compressed, six.exploded, str(four), f"::{four}"):
        assert StringSet.format("ipv4").contains(spelling) == reads(ipaddress.IPv4Address, spelling)
        assert StringSet.format("ipv6").contains(spelling) == reads(ipaddress.IPv6Address, spelling)


def reads(parse, text):
    """Say whether a parser takes a text."""
    try:
        parse(text)
    except ValueError:
        return False
    return True


@settings(max_examples=300, deadline=None)
@given(st.integers(1, 9999), st.integers(0, 13), st.integers(0, 32))
def test_dates_as_datetime_has_them(year, month, day):
    text = f"{year:04}-{month:02}-{day:02}"
    valid = reads(dt.date.fromisoformat, text)
    assert StringSet.format("date").contains(text) == valid
    assert acceptor(StringSet.format("date"))(text) == valid


clock = st.tuples(st.integers(0, 24), st.integers(0, 60), st.integers(58, 61))
offsets = st.one_of(
    st.sampled_from(["Z", "z", ""]),
    st.builds(
        "{}{:02}:{:02}".format, st.sampled_from("+-"), st.integers(0, 24), st.integers(0, 60)
    ),
)


@settings(max_examples=400, deadline=None)
@given(clock, st.sampled_from(["", ".5", ".000", "."]), offsets)
def test_times_by_arithmetic(engines, parts, fraction, offset):
    hour, minute, second = parts
    text = f"{hour:02}:{minute:02}:{second:02}{fraction}{offset}"
    valid = time_is_valid(hour, minute, second, offset) and fraction != "."
    assert StringSet.format("time").contains(text) == valid
    assert StringSet.format("date-time").contains(f"1990-06-30T{text}") == valid
    half = offset in ("Z", "z") or offset[-2:] in ("00", "30")
    written = valid and (second < 60 or half)
    assert engines["time"].accepts(text) == written
    assert engines["date-time"].accepts(f"1990-06-30T{text}") == written


def test_every_leap_second(engines):
    for local in range(1440):
        hour, minute = divmod(local, 60)
        for sign in "+-":
            wanted = (local - 1439 if sign == "+" else 1439 - local) % 1440
            text = f"{hour:02}:{minute:02}:60{sign}{wanted // 60:02}:{wanted % 60:02}"
            assert time_is_valid(hour, minute, 60, text[8:])
            assert engines["time"].accepts(text) == (wanted % 30 == 0), text


def time_is_valid(hour, minute, second, offset):
    """Say whether a time is one, by its parts."""
    if not offset or hour > 23 or minute > 59 or second > 60:
        return False
    ahead = 0
    if len(offset) > 1:
        hours, minutes = int(offset[1:3]), int(offset[4:])
        if hours > 23 or minutes > 59:
            return False
        ahead = (hours * 60 + minutes) * (1 if offset[0] == "+" else -1)
    return second < 60 or (hour * 60 + minute - ahead) % 1440 == 1439


def test_samples_by_uuid(engines):
    for text in members(engines, "uuid", 30):
        assert str(uuid.UUID(text)) == text.lower()


# RFC 3986, appendix B: how a reference falls apart, whatever stands in its parts.
PARTS = re.compile(r"(([^:/?#]+):)?(//([^/?#]*))?([^?#]*)(\?([^#]*))?(#(.*))?", re.DOTALL)
PCHAR = r"(?:[A-Za-z0-9\-._~!$&'()*+,;=:@]|%[0-9A-Fa-f]{2})"
URI_TEXTS = st.text("ab:/?#[]@%2fF.1-!é {}", max_size=14)


def uri_is_valid(text, *, relative):
    """Say whether a text is a URI (or a reference) by the grammar of each of its parts."""
    _, scheme, _, authority, path, _, query, _, fragment = PARTS.fullmatch(text).groups()
    if scheme is None:
        ahead = relative and (authority is not None or ":" not in path.split("/")[0])
    else:
        ahead = re.fullmatch(r"[A-Za-z][A-Za-z0-9+\-.]*", scheme)
    if authority is None:
        ahead = ahead and not path.startswith("//")
    else:
        ahead = ahead and authority_is_valid(authority)
    rest = f"(?:{PCHAR}|[/?])*"
    return bool(
        ahead
        and re.fullmatch(f"(?:{PCHAR}|/)*", path)
        and re.fullmatch(rest, query or "")
        and re.fullmatch(rest, fragment or "")
    )


def authority_is_valid(authority):
    """Say whether an authority is one."""
    user, at, rest = authority.rpartition("@")
    if at and not re.fullmatch(f"(?:(?!@){PCHAR})*", user):
        return False
    literal = re.fullmatch(r"\[([^\]]*)\](?::[0-9]*)?", rest)
    if literal is not None:
        future = re.fullmatch(r"[Vv][0-9A-Fa-f]+\.[A-Za-z0-9\-._~!$&'()*+,;=:]+", literal.group(1))
        inside = literal.group(1)
        return bool(future) or ("%" not in inside and reads(ipaddress.IPv6Address, inside))
    return re.fullmatch(f"(?:(?![:@]){PCHAR})*(?::[0-9]*)?", rest) is not None


@settings(max_examples=500, deadline=None)
@given(URI_TEXTS, st.sampled_from(["", "a:", "//", "a://", "//[::1]", "a://[v1.a]", "?", "#"]))
def test_uris_by_their_parts(engines, text, head):
    for candidate in (text, head + text):
        for name, relative in (("uri", False), ("uri-reference", True)):
            valid = uri_is_valid(candidate, relative=relative)
            assert engines[name].accepts(candidate) == valid, (name, candidate)
            assert StringSet.format(name).contains(candidate) == valid, (name, candidate)


def test_every_uri_is_an_iri(engines):
    for name in ("uri", "uri-reference"):
        for text in members(engines, name, 40):
            assert engines[name.replace("uri", "iri")].accepts(text), text


def test_samples_by_their_grammars(engines):
    for text in members(engines, "hostname", 60):
        labels = text.split(".")
        assert len(text) <= 253
        assert all(re.fullmatch(r"(?!-)[A-Za-z0-9-]{1,63}(?<!-)", label) for label in labels)
    for text in members(engines, "json-pointer", 40):
        assert not text or text[0] == "/"
        assert not re.search("~(?![01])", text)
    for text in members(engines, "email", 40, length=30):
        assert reads(lambda one: one.rindex("@"), text)
        assert text.isascii()


@pytest.mark.parametrize("labels", [(63, 63, 63, 61), (1,) * 127, (10,) * 23, (62,) * 4])
def test_long_hostnames(engines, labels):
    text = ".".join("a" * label for label in labels)
    assert len(text) <= 253
    for longer in (text, text + "a" * (254 - len(text)), "a" * 64, f"{text}.{text}"):
        valid = len(longer) <= 253 and all(len(label) < 64 for label in longer.split("."))
        assert engines["hostname"].accepts(longer) == valid
        assert StringSet.format("hostname").contains(longer) == valid


def test_constants_among_formats():
    hostnames = StringSet.format("hostname")
    assert hostnames.contains(".".join(["a" * 63] * 3 + ["a" * 61]))
    assert not hostnames.contains(".".join(["a" * 63] * 3 + ["a" * 62]))
    assert (StringSet.of(["a.b", "a..b"]) & hostnames).values == {"a.b"}


def test_samples_by_idna(engines):
    """The Unicode version of the running Python says what of the newest letters is known."""
    idna = pytest.importorskip("idna")
    for text in members(engines, "idn-hostname", 300):
        try:
            idna.encode(text)
        except idna.IDNAError as error:
            if "Unknown directionality" not in str(error):
                raise
            assert any(unicodedata.category(letter) == "Cn" for letter in text)


def test_samples_of_patterns_by_node(engines):
    if shutil.which("node") is None:
        pytest.skip("Node.js, the judge of ECMAScript patterns, is not installed")
    from node_oracle import NodeOracle

    oracle = NodeOracle()
    try:
        for text in members(engines, "regex", 150, length=30):
            assert oracle.ask(text, []).strict is not None, text
    finally:
        oracle.close()


@pytest.mark.parametrize(("name", "needed"), sorted(_NEEDED.items()))
def test_characters_that_formats_need(name, needed):
    assert compiled(format_set(name, loose=True) & ~StringSet.pattern(re.escape(needed))) is None


@pytest.mark.parametrize(("name", "alphabet"), sorted(_ALPHABETS.items()))
def test_characters_that_formats_have(name, alphabet):
    others = f"[^{re.escape(''.join(sorted(alphabet)))}]"
    assert compiled(format_set(name, loose=True) & StringSet.pattern(others)) is None


def test_formats_that_exclude_each_other():
    def having(name):
        return StringSet.format(name)

    assert (having("uri") & having("hostname")).is_empty()
    assert having("uri") & ~having("hostname") == having("uri")
    assert having("date") & ~having("uri") == having("date")
    assert not (having("uri") & having("iri")).is_empty()
    assert not apart("hostname", "ipv4")
    assert having("hostname") & ~having("ipv4") != having("hostname")


@pytest.mark.parametrize("name", ["uri-reference", "iri-reference"])
def test_references_are_identifiers_and_relative_references(name):
    whole = format_set(name.removesuffix("-reference"))
    colon_first = StringSet.pattern(r"^[^/?#]*:")
    references = format_set(name)
    # With a colon in the first segment it is an identifier, and all of these are references.
    assert compiled(references & colon_first & ~whole) is None
    assert compiled(whole & ~references) is None
    # Without one, it is what may follow a scheme.
    accepts, follows = acceptor(references), acceptor(whole)
    for text in (
        "",
        "a",
        "//",
        "//a:1/b:c",
        "/a:b",
        "a/b:c",
        "?a:b",
        "#",
        "//[::1]?",
        "///",
        "%41",
    ):
        assert accepts(text)
        assert follows("x:" + text)
    for text in ("//a:b", "[", "a#b#", "/%4", "1:", ":", "a b"):
        assert not accepts(text)


def test_unknown_formats_are_remarks():
    assert StringSet.format("phone-number") == StringSet.ALL
    assert not StringSet.knows_format("phone-number")
    assert StringSet.knows_format("date-time")
