"""The conformance tests of formats: on the built-in ones, a stranger's, and ones with faults."""

from __future__ import annotations

import types

import pytest

import formgate
from formgate.core.registry import Format, hookimpl
from formgate.testing import FormatConformance, FormatSample


class TestRegex(FormatConformance):
    format = "regex"
    samples = (
        FormatSample("(ab)+", accepted=["ab", "abab"], rejected=["", "a", "aba"]),
        FormatSample("[é-ü]{2}", accepted=["éü", "öö"], rejected=["é", "ee", "ééé"]),
        FormatSample(r"(?i)k\d??", accepted=["k", "K7", "\u212a"], rejected=["kk", "k77"]),
        FormatSample(r"(?=.*1)[a1]{3}", accepted=["aa1", "111"], rejected=["aaa", "1"]),
        FormatSample("", accepted=[""], rejected=["a"]),
    )
    malformed = ("(", "a{3,1}", "[b-a]", "*a", "(?P<n>a)(?P<n>b)", r"\N{NO SUCH NAME}")


class TestChoice(FormatConformance):
    format = "choice"
    samples = (
        FormatSample(["new", "new york", ""], accepted=["new", "new york", ""], rejected=["new "]),
        FormatSample(("é", "è"), accepted=["é", "è"], rejected=["e", "éè"]),
    )
    malformed = ([],)


def plugin_of(compile_function, guess=None, description="for a test"):
    @hookimpl
    def register_formats(register):
        register(Format("rows", compile_function, guess=guess, description=description))

    return types.SimpleNamespace(register_formats=register_formats)


def compile_row(source, builder, options):
    if not isinstance(source, str):
        raise formgate.GrammarError(f"names are a text, not {type(source).__name__}")
    separator = options.get("separator", ",")
    names = source.split(separator)
    offset = 0
    for name in names:
        if not name.isidentifier():
            raise formgate.GrammarError(
                f"{name!r} is no name", source=source, offset=offset, end=offset + len(name)
            )
        offset += len(name) + len(separator)
    number = builder.plus(builder.char_class([(48, 57)]))
    parts = [builder.seq(builder.literal(f"{name}="), number) for name in names]
    builder.start(builder.seq(*parts))


class Rows(FormatConformance):
    format = "rows"
    plugin = plugin_of(compile_row, guess=lambda source: isinstance(source, str) and "," in source)
    samples = (
        FormatSample("a,b", accepted=["a=1b=22"], rejected=["a=1", "a=b=", ""]),
        FormatSample("ä;b", accepted=["ä=0b=0"], rejected=["ä"], options={"separator": ";"}),
    )
    malformed = ("a,,b", "1", "")


class TestRows(Rows):
    """A stranger's format."""


def broken(function, **more):
    """The stranger's format with another function."""
    return type("Broken", (Rows,), {"plugin": plugin_of(function, **more)})()


def reads_all_options(source, builder, options):
    compile_row(source, builder, dict(options))


def crashes(source, builder, options):
    compile_row(source.strip(), builder, options)


def ignores_the_separator(source, builder, options):
    options.get("separator")
    compile_row(source, builder, {"separator": ","} if ";" not in source else {"separator": ";b"})


def forgets_names(source, builder, options):
    compile_row(source.split(",")[0] if isinstance(source, str) else source, builder, options)


calls: list[str] = []


def remembers_failures(source, builder, options):
    if source == "1":
        calls.append(source)
    if "1" in calls and source == "a,b":
        source = "b"
    compile_row(source, builder, options)


def takes_anything(source, builder, options):
    options.get("separator")
    compile_row(source, builder, options) if source in ("a,b", "ä;b") else builder.start(
        builder.empty()
    )


def places_it_outside(source, builder, options):
    try:
        compile_row(source, builder, options)
    except formgate.GrammarError as error:
        raise formgate.GrammarError("no", source=str(source), offset=100, end=101) from error


@pytest.mark.parametrize(
    ("function", "test", "claim"),
    [
        (reads_all_options, "unknown_options_are_refused", "does not exist"),
        (crashes, "odd_sources_raise_errors_of_the_package", "AttributeError"),
        (forgets_names, "accepted_texts", "does not accept"),
        (forgets_names, "rejected_texts_token_by_token", "accepts"),
        (ignores_the_separator, "accepted_texts_token_by_token", "not allowed|cannot end|no name"),
        (takes_anything, "malformed_sources_are_refused", "was not refused"),
        (places_it_outside, "malformed_sources_are_refused", "outside of it"),
        (remembers_failures, "errors_leave_nothing_behind", "another language"),
        (forgets_names, "embedding", "refuses"),
    ],
)
def test_a_planted_fault_is_found(function, test, claim):
    calls.clear()
    with pytest.raises((AssertionError, formgate.FormgateError), match=claim):
        getattr(broken(function), f"test_{test}")()


def test_a_guess_that_raises_is_found():
    suite = broken(compile_row, guess=lambda source: "," in source)
    with pytest.raises(TypeError):
        suite.test_guessing_never_raises()


def test_a_guess_that_is_no_bool_is_found():
    suite = broken(compile_row, guess=lambda source: source)
    with pytest.raises(AssertionError, match="not a bool"):
        suite.test_guessing_never_raises()


def test_a_format_without_description_is_found():
    suite = broken(compile_row, description="")
    with pytest.raises(AssertionError, match="no description"):
        suite.test_it_is_registered()


def test_a_format_without_samples_is_found():
    with pytest.raises(AssertionError, match="no samples"):
        type("Bare", (FormatConformance,), {"format": "regex"})().test_it_is_registered()


def test_a_source_that_compiling_changes_is_found():
    def compile_list(source, builder, options):
        builder.start(builder.literal(source.pop()))

    suite = type(
        "Consuming",
        (FormatConformance,),
        {
            "format": "rows",
            "plugin": plugin_of(compile_list),
            "samples": (FormatSample(["a", "b"], accepted=["b"]),),
        },
    )()
    with pytest.raises(AssertionError, match=r"two languages|changed"):
        suite.test_compiling_is_repeatable()
