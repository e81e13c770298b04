"""The registry object: direct registration, look-up, guessing, observers."""

from __future__ import annotations

import pytest

import formgate
from formgate.core.errors import (
    AmbiguousPluginError,
    GrammarError,
    MissingDependencyError,
    PluginError,
)
from formgate.core.registry import (
    AdapterSpec,
    Format,
    PluginWarning,
    Registry,
    hookimpl,
)


def nothing(source, builder, options):
    """A format's compile function that writes nothing."""


class Plugin:
    """A plugin object that registers what it was given."""

    def __init__(self, *formats: Format, adapters: tuple[AdapterSpec, ...] = ()):
        self.formats = formats
        self.adapters = adapters

    @hookimpl
    def register_formats(self, register):
        for each in self.formats:
            register(each)

    @hookimpl
    def register_adapters(self, register):
        for each in self.adapters:
            register(each)


@pytest.fixture
def registry() -> Registry:
    return Registry(load=False)


def test_empty_registry_holds_nothing(registry):
    assert registry.formats() == ()
    assert registry.adapters() == ()
    assert registry.plugins() == ()
    with pytest.raises(GrammarError, match="unknown format 'regex'; known formats: none"):
        registry.format("regex")


def test_direct_registration(registry):
    registry.register(Plugin(Format("shout", nothing, aliases=("yell",))), name="mine")
    entry = registry.format("shout")
    assert registry.format("yell") is entry
    assert registry.format("mine:yell") is entry
    assert registry.format("mine:shout") is entry
    assert entry.qualified_name == "mine:shout"
    (info,) = registry.plugins()
    assert info.hooks == ("register_adapters", "register_formats")
    assert info.formats == ("shout",)


def test_close_names_are_suggested(registry):
    registry.register(Plugin(Format("json_schema", nothing)))
    with pytest.raises(GrammarError) as failure:
        registry.format("json-schema")
    assert failure.value.hint == "did you mean 'json_schema'?"


def test_failed_registration_leaves_no_trace(registry):
    registry.register(Plugin(Format("kept", nothing)), name="kept")
    bad = Plugin(Format("half", nothing), Format("kept_too", nothing, aliases=("half",)))
    with pytest.raises(PluginError, match="'half' is registered twice"):
        registry.register(bad, name="bad")
    assert [entry.spec.name for entry in registry.formats()] == ["kept"]
    assert [info.origin.plugin for info in registry.plugins()] == ["kept"]
    bad.formats = bad.formats[:1]
    registry.register(bad, name="bad")
    assert registry.format("half").origin.plugin == "bad"


def test_the_same_plugin_twice_is_refused_and_stays_registered(registry):
    plugin = Plugin(Format("shout", nothing))
    registry.register(plugin, name="mine")
    with pytest.raises(PluginError, match="registered already"):
        registry.register(plugin, name="mine")
    with pytest.raises(PluginError, match="registered already"):
        registry.register(plugin, name="other")
    assert registry.format("shout").origin.plugin == "mine"
    assert len(registry.plugins()) == 1


def test_an_alias_can_be_ambiguous_too(registry):
    registry.register(Plugin(Format("one", nothing, aliases=("both",))), name="a")
    registry.register(Plugin(Format("two", nothing, aliases=("both",))), name="b")
    with pytest.raises(AmbiguousPluginError) as failure:
        registry.format("both")
    assert failure.value.candidates == ("a:both", "b:both")
    assert registry.format("a:both").spec.name == "one"


def test_register_after_the_hook_is_refused(registry):
    kept = []

    class Late:
        @hookimpl
        def register_formats(self, register):
            kept.append(register)

    registry.register(Late())
    with pytest.raises(PluginError, match="after the hook had returned"):
        kept[0](Format("late", nothing))
    assert registry.formats() == ()


@pytest.mark.parametrize("name", ["", "a b", "a:b", "1a", "-", None])
def test_unusable_names_are_refused(name):
    with pytest.raises(PluginError, match="not usable"):
        Format(name, nothing)
    with pytest.raises(PluginError, match="not usable"):
        AdapterSpec(name, "module:attribute")


def test_descriptions_are_checked_when_made():
    with pytest.raises(PluginError, match="compile is not callable"):
        Format("f", None)
    with pytest.raises(PluginError, match="guess is not callable"):
        Format("f", nothing, guess=True)
    with pytest.raises(PluginError, match="not 'module:attribute'"):
        AdapterSpec("a", "module.attribute")
    with pytest.raises(PluginError, match="neither 'name' nor"):
        AdapterSpec("a", "m:a", requires=("torch==2",))
    with pytest.raises(PluginError, match="tested is 'run', 'contract' or None, not 'yes'"):
        AdapterSpec("a", "m:a", tested="yes")


class TestGuess:
    def test_one_claim_wins(self, registry):
        registry.register(
            Plugin(
                Format("never", nothing),
                Format("lists", nothing, guess=lambda source: isinstance(source, list)),
            )
        )
        assert registry.guess([1]).spec.name == "lists"

    def test_no_claim_lists_the_formats(self, registry):
        registry.register(Plugin(Format("never", nothing)))
        with pytest.raises(GrammarError, match=r"type int unasked; known formats: never"):
            registry.guess(3)

    def test_several_claims_are_refused(self, registry):
        registry.register(
            Plugin(
                Format("one", nothing, guess=lambda source: True),
                Format("two", nothing, guess=lambda source: True),
            )
        )
        with pytest.raises(GrammarError, match="not certain") as failure:
            registry.guess([])
        assert failure.value.hint == "say format='one' or format='two'"

    def test_a_failing_guess_claims_nothing(self, registry):
        registry.register(
            Plugin(
                Format("fails", nothing, guess=lambda source: 1 / 0),
                Format("claims", nothing, guess=lambda source: True),
            )
        )
        with pytest.warns(PluginWarning, match="'fails'.*ZeroDivisionError"):
            assert registry.guess("x").spec.name == "claims"

    def test_a_text_is_a_regex_unless_something_else_claims_it(self):
        registry = Registry(environment={"FORMGATE_PLUGINS": "none"})
        assert registry.guess("a+").spec.name == "regex"
        registry.register(Plugin(Format("shouting", nothing, guess=lambda source: source == "AAA")))
        assert registry.guess("AAA").spec.name == "shouting"
        assert registry.guess("aaa").spec.name == "regex"


class TestAdapters:
    def test_problems_name_what_is_missing(self):
        spec = AdapterSpec(
            "toy",
            "json:dumps",
            requires=("pluggy>=999.1", "no-such-distribution", "pluggy>=1.0.0"),
            extra="toy",
        )
        problems = spec.problems()
        assert len(problems) == 2
        assert "is older than 999.1" in problems[0]
        assert problems[1] == "no-such-distribution is not installed"
        with pytest.raises(MissingDependencyError, match=r"pip install formgate\[toy\]") as failure:
            spec.load()
        assert isinstance(failure.value, ImportError)

    def test_loading(self, registry):
        import json

        spec = AdapterSpec("toy", "json:dumps", requires=("pluggy",))
        registry.register(Plugin(adapters=(spec,)))
        assert registry.adapter("toy").spec.load() is json.dumps
        with pytest.raises(PluginError, match="unknown adapter 'toi'; known adapters: toy"):
            registry.adapter("toi")

    def test_a_missing_attribute_is_the_plugins_fault(self):
        with pytest.raises(PluginError, match="has no 'no_such_thing'"):
            AdapterSpec("toy", "json:no_such_thing").load()

    def test_installation_names_the_distributions_without_an_extra(self):
        spec = AdapterSpec("toy", "json:dumps", requires=("one", "two>=2"))
        assert spec.installation == "'one' 'two>=2'"
        assert AdapterSpec("t", "json:dumps", extra="mine[x]").installation == "mine[x]"


def test_read_vocabulary_asks_until_someone_knows(registry):
    mine = formgate.Vocabulary([b"a", None], stop_ids=[1])

    class Reader:
        @hookimpl
        def read_vocabulary(self, tokenizer):
            return mine if tokenizer == "mine" else None

    assert registry.read_vocabulary("mine") is None
    registry.register(Reader())
    assert registry.read_vocabulary("mine") is mine
    assert registry.read_vocabulary("another's") is None


def test_a_reader_that_fails_is_named_and_the_others_are_asked(registry):
    mine = formgate.Vocabulary([b"a", None], stop_ids=[1])

    class Good:
        @hookimpl
        def read_vocabulary(self, tokenizer):
            return mine if tokenizer == "mine" else None

    class Raises:
        @hookimpl
        def read_vocabulary(self, tokenizer):
            raise ZeroDivisionError("oops")

    class Wrong:
        @hookimpl
        def read_vocabulary(self):
            return "text"

    for plugin in (Good(), Raises(), Wrong()):
        registry.register(plugin)
    with pytest.warns(PluginWarning) as caught:
        assert registry.read_vocabulary("mine") is mine
    messages = [str(warning.message) for warning in caught]
    assert any("Raises" in text and "ZeroDivisionError: oops" in text for text in messages)
    assert any("Wrong" in text and "returned a str" in text for text in messages)
    with pytest.warns(PluginWarning), pytest.raises(PluginError, match="read_vocabulary"):
        registry.read_vocabulary("another's")


def test_observers_exist_only_when_someone_listens(registry):
    seen = []

    class Observer:
        @hookimpl
        def grammar_compiled(self, stats):
            seen.append(stats)

    assert registry.compile_observer() is None
    registry.register(Observer())
    registry.compile_observer()("grammar", "engine", "stats")
    assert seen == ["stats"]


def test_optional_hooks_of_a_later_interface_are_let_pass(registry):
    class Modern:
        @hookimpl(optionalhook=True)
        def register_samplers(self, register): ...

        @hookimpl
        def register_formats(self, register):
            register(Format("modern", nothing))

    registry.register(Modern())
    assert registry.format("modern")
