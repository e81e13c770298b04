"""formgate.compile: formats, options, guessing, deadlines, observers, notes on errors."""

from __future__ import annotations

import time

import pytest

import formgate
from formgate.core.compiler import build_grammar
from formgate.core.registry import Format, PluginWarning, Registry, hookimpl


class Plugin:
    """Registers formats and listens to compilations."""

    def __init__(self, *formats: Format):
        self.formats = formats

    @hookimpl
    def register_formats(self, register):
        for each in self.formats:
            register(each)


def shout(source, builder, options):
    builder.start(builder.literal(source.upper() + options.get("mark", "")))


@pytest.fixture
def registry():
    made = Registry(load=False)
    made.register(Plugin(Format("shout", shout)), name="shouting")
    return made


def test_a_format_by_name(byte_vocabulary, registry):
    engine = formgate.compile("abc", byte_vocabulary, format="shout", registry=registry)
    assert engine.accepts("ABC")
    assert not engine.accepts("abc")
    assert engine.format == "shout"


def test_a_text_is_a_regex_and_a_list_a_choice(byte_vocabulary):
    assert formgate.compile("a+", byte_vocabulary).format == "regex"
    assert formgate.compile(["a+", "b"], byte_vocabulary).format == "choice"


def test_a_ready_grammar(byte_vocabulary, registry):
    grammar = build_grammar("abc", format="shout", registry=registry)
    engine = formgate.compile(grammar, byte_vocabulary)
    assert engine.accepts("ABC")
    with pytest.raises(formgate.GrammarError, match=r"format=\.\.\. was given with"):
        formgate.compile(grammar, byte_vocabulary, format="regex")
    with pytest.raises(formgate.GrammarError, match=r"mark=\.\.\. was given with"):
        formgate.compile(grammar, byte_vocabulary, mark="!")


def test_options_reach_the_format(byte_vocabulary, registry):
    engine = formgate.compile("abc", byte_vocabulary, format="shout", registry=registry, mark="!")
    assert engine.accepts("ABC!")


def test_unused_options_are_refused(byte_vocabulary, registry):
    with pytest.raises(formgate.GrammarError, match="did not use the option 'makr'"):
        formgate.compile("abc", byte_vocabulary, format="shout", registry=registry, makr="!")


def test_a_tokenizer_is_not_a_vocabulary():
    with pytest.raises(TypeError, match=r"Vocabulary\.from_tokenizer"):
        formgate.compile("a", object())


@pytest.mark.parametrize("timeout_s", [0, -1.0, float("nan")])
def test_a_deadline_must_be_positive(byte_vocabulary, timeout_s):
    with pytest.raises(ValueError, match="timeout_s must be positive"):
        formgate.compile("a", byte_vocabulary, timeout_s=timeout_s)


def test_the_deadline_counts_the_front_end(byte_vocabulary):
    def slow(source, builder, options):
        time.sleep(0.05)
        builder.start(builder.literal("a"))

    registry = Registry(load=False)
    registry.register(Plugin(Format("slow", slow)))
    with pytest.raises(formgate.CompileTimeout, match="reading the source alone"):
        formgate.compile("", byte_vocabulary, format="slow", registry=registry, timeout_s=0.01)
    assert formgate.compile(
        "", byte_vocabulary, format="slow", registry=registry, timeout_s=60
    ).accepts("a")


def test_cancelling_before_the_native_part(byte_vocabulary, registry):
    cancel = formgate.CancelToken()
    cancel.cancel()
    with pytest.raises(formgate.CompileCancelled):
        formgate.compile("a", byte_vocabulary, format="shout", registry=registry, cancel=cancel)


def test_errors_name_the_plugin_and_keep_their_type(byte_vocabulary):
    def fail(source, builder, options):
        raise ZeroDivisionError("in the plugin")

    registry = Registry(load=False)
    registry.register(Plugin(Format("fails", fail)), name="mine")
    with pytest.raises(ZeroDivisionError, match="in the plugin") as failure:
        formgate.compile("", byte_vocabulary, format="fails", registry=registry)
    (note,) = failure.value.__notes__
    assert note == "raised while format 'fails' of plugin 'mine' was compiling"


def test_a_format_that_writes_nothing_is_an_error(byte_vocabulary):
    registry = Registry(load=False)
    registry.register(Plugin(Format("lazy", lambda source, builder, options: None)))
    with pytest.raises(formgate.GrammarError) as failure:
        formgate.compile("", byte_vocabulary, format="lazy", registry=registry)
    assert "lazy" in failure.value.__notes__[0]


def test_observers_hear_of_each_compilation(byte_vocabulary, registry):
    seen = []

    class Observer:
        @hookimpl
        def grammar_compiled(self, grammar, engine, stats):
            seen.append((grammar, engine, stats))

    registry.register(Observer())
    engine = formgate.compile("abc", byte_vocabulary, format="shout", registry=registry)
    ((grammar, heard, stats),) = seen
    assert heard is engine
    assert isinstance(grammar, formgate.Grammar)
    assert stats.format == "shout"
    assert stats.grammar_s > 0
    assert stats.engine_s > 0
    assert stats.memory == engine.memory_usage()


def test_a_failing_observer_costs_a_warning(byte_vocabulary, registry):
    class Observer:
        @hookimpl
        def grammar_compiled(self):
            raise ZeroDivisionError("observer")

    registry.register(Observer())
    with pytest.warns(PluginWarning, match="grammar_compiled hook failed: ZeroDivisionError"):
        engine = formgate.compile("abc", byte_vocabulary, format="shout", registry=registry)
    assert engine.accepts("ABC")


def test_formats_embed_each_other(byte_vocabulary, registry):
    def quoted(source, builder, options):
        quote = builder.literal("'")
        inner = builder.embed("shout", source, **options)
        builder.start(builder.seq(quote, inner, builder.embed("shout", "x7"), quote))

    registry.register(Plugin(Format("quoted", quoted)), name="quoting")
    engine = formgate.compile("abc", byte_vocabulary, format="quoted", registry=registry, mark="!")
    assert engine.accepts("'ABC!X7'")
    assert engine.format == "quoted"
    with pytest.raises(formgate.GrammarError, match="did not use the option 'makr'") as failure:
        formgate.compile("abc", byte_vocabulary, format="quoted", registry=registry, makr="!")
    assert "'quoted'" in failure.value.__notes__[-1]


def test_embedding_an_unknown_format(byte_vocabulary, registry):
    def broken(source, builder, options):
        builder.start(builder.embed("no_such_format", source))

    registry.register(Plugin(Format("broken", broken)), name="breaking")
    with pytest.raises(formgate.GrammarError, match="unknown format 'no_such_format'"):
        formgate.compile("abc", byte_vocabulary, format="broken", registry=registry)
