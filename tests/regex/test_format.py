"""The format as plugins are loaded: registration, guessing, options and sources."""

from __future__ import annotations

import re
import subprocess
import sys

import hypothesis
import pytest
from hypothesis import strategies as st
from regex_mock import MockBuilder

import formgate
from formgate.core.errors import GrammarError
from formgate.core.grammar import GrammarBuilder
from formgate.core.registry import Registry
from formgate.plugins import regex
from formgate.plugins.regex import compile_string


def compile_format(source, **options):
    formats = []
    regex.register_formats(formats.append)
    (only,) = formats
    builder = MockBuilder()
    only.compile(source, builder, options)
    return builder


def test_registered():
    registry = Registry(environment={"FORMGATE_PLUGINS": "none"})
    names = {
        name for entry in registry.formats() for name in (entry.spec.name, *entry.spec.aliases)
    }
    assert {"regex", "re"} <= names


def test_guess():
    formats = []
    regex.register_formats(formats.append)
    assert formats[0].guess(re.compile("a"))
    assert not formats[0].guess("a")
    assert not formats[0].guess(["a"])


def test_loading_is_light():
    """Whoever uses another format does not pay for the parser."""
    code = (
        "import sys; import formgate.plugins.regex as r; "
        "assert 'formgate.plugins.regex._parser' not in sys.modules; r.parse; "
        "assert 'formgate.plugins.regex._parser' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_unknown_attribute():
    with pytest.raises(AttributeError, match="no attribute 'pars'"):
        _ = regex.pars


@pytest.mark.parametrize(
    "flags", [re.IGNORECASE | re.DOTALL, int(re.IGNORECASE | re.DOTALL), "is", "si"]
)
def test_flags(flags, byte_vocabulary):
    engine = formgate.compile("a.", byte_vocabulary, format="regex", flags=flags)
    assert engine.accepts("A\n")
    assert not engine.accepts("b\n")


def test_compiled_pattern(byte_vocabulary):
    engine = formgate.compile(re.compile("a.", re.IGNORECASE), byte_vocabulary)
    assert engine.format == "regex"
    assert engine.accepts("Ab")
    assert not engine.accepts("A\n")
    compile_format(re.compile("(?a)b"))


@pytest.mark.parametrize(
    ("source", "options", "reason"),
    [
        (b"a", {}, "not a bytes pattern"),
        (re.compile(b"a"), {}, "not a bytes pattern"),
        (3, {}, "not int"),
        (re.compile("a"), {"flags": re.IGNORECASE}, "cannot process flags"),
        ("a", {"flags": "iq"}, "unknown regex flag 'q'"),
        ("a", {"flags": "L"}, "unknown regex flag 'L'"),
        ("a", {"flags": 1.5}, "must be re flags"),
        ("a", {"flags": True}, "must be re flags"),
        ("a", {"flags": -1}, "must be re flags"),
        ("a", {"flags": 1 << 20}, "no meaning"),
        ("a", {"flag": "i"}, "no option 'flag'"),
    ],
)
def test_refused(source, options, reason):
    with pytest.raises(GrammarError, match=reason) as caught:
        compile_format(source, **options)
    assert caught.value.hint


def test_unknown_option_through_compile(byte_vocabulary):
    with pytest.raises(GrammarError, match="flag"):
        formgate.compile("a", byte_vocabulary, format="regex", flag="i")


def test_tree_for_tools():
    tree = regex.parse("(?i)ab{2}").tree
    assert [type(item).__name__ for item in tree.items] == ["CharClass", "Repeat"]
    assert (tree.items[1].start, tree.items[1].end) == (5, 9)


def test_many_plain_alternatives_are_one_automaton():
    builder = compile_format("one|two|three|four|five")
    assert [node[0] for node in builder.nodes] == ["strings"]
    builder = compile_format("a|[b-d]|e|é")
    assert builder.nodes == [("class", ((97, 101), (233, 233)), False)]


def test_what_always_holds_costs_nothing():
    """Anchors at the ends, and boundaries whose sides are known, leave no look-around."""
    for pattern in (
        "^ab$", r"\A(?:ab|^c)\Z", "(^a$)", "^a$|^b$", r"\bfoo\b", r"a\b b", r"(?:ab|\w+)\b-",
        "(?m)^a$\n^b$",
    ):  # fmt: skip
        kinds = {node[0] for node in compile_format(pattern).nodes}
        assert not kinds & {"ahead", "behind", "scope"}, pattern


@hypothesis.settings(max_examples=200, deadline=None)
@hypothesis.given(
    text=st.text(st.one_of(st.sampled_from("aZkKsSiIı\u0130ßſéΣςσ.*\\ 1_ǅ\U00010400\U00010428"))),
    flags=st.sampled_from([0, re.IGNORECASE, re.ASCII, re.IGNORECASE | re.ASCII]),
    data=st.data(),
)
def test_a_string_is_its_escaped_pattern(
    byte_vocabulary: formgate.Vocabulary, text: str, flags: int, data: st.DataObject
) -> None:
    builder = GrammarBuilder()
    builder.start(
        compile_string(
            text,
            builder,
            ignore_case=bool(flags & re.IGNORECASE),
            ascii_only=bool(flags & re.ASCII),
        )
    )
    engine = builder.build().compile(byte_vocabulary)
    pattern = re.compile(re.escape(text), flags)
    others = [text, text.upper(), text.lower(), text.swapcase(), text.casefold()]
    spelled = [st.sampled_from([c, *"aKſ\u212aIıσ\U00010428"]) for c in text]
    others.append("".join(data.draw(st.tuples(*spelled))))
    for other in others:
        assert engine.accepts(other) == (pattern.fullmatch(other) is not None), (pattern, other)


def test_no_string_has_a_lone_surrogate() -> None:
    for ignore_case in (False, True):
        with pytest.raises(formgate.GrammarError, match="surrogate"):
            compile_string("a\ud800", GrammarBuilder(), ignore_case=ignore_case)


@pytest.mark.parametrize("text", [b"a", ["a"], 1, None])
@pytest.mark.parametrize("ignore_case", [False, True])
def test_only_text_is_a_string(text: object, ignore_case: bool) -> None:
    with pytest.raises(TypeError, match="text is a str, not"):
        compile_string(text, GrammarBuilder(), ignore_case=ignore_case)
