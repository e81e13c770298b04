"""The loader: order, isolation of broken plugins, environment variables, conflicts."""

from __future__ import annotations

import importlib
import warnings

import pytest

from formgate.core.errors import AmbiguousPluginError, GrammarError, PluginError
from formgate.core.registry import PluginWarning, Registry

BROKEN = {
    "missing_import": ("import a_module_that_does_not_exist\n", "ModuleNotFoundError"),
    "wrong_argument": (
        """
        from formgate.core.registry import hookimpl

        @hookimpl
        def register_formats(register, colour): ...
        """,
        "does not fit the plugin interface",
    ),
    "half_way": (
        """
        from formgate.core.registry import AdapterSpec, Format, hookimpl

        @hookimpl
        def register_adapters(register):
            register(AdapterSpec("half_adapter", "some:thing"))

        @hookimpl
        def register_formats(register):
            register(Format("half_format", lambda source, builder, options: None))
            raise RuntimeError("half-way")
        """,
        "RuntimeError: half-way",
    ),
    "same_name_twice": (
        """
        from formgate.core.registry import Format, hookimpl

        @hookimpl
        def register_formats(register):
            for _ in range(2):
                register(Format("half_format", lambda source, builder, options: None))
        """,
        "registered twice",
    ),
    "newer_interface": ("FORMGATE_API = (2, 0)\n", "upgrade formgate"),
    "newer_minor": ("FORMGATE_API = (1, 99)\n", "upgrade formgate"),
    "older_interface": ("FORMGATE_API = (0, 9)\n", "upgrade the plugin"),
    "nonsense_interface": ("FORMGATE_API = '1.0'\n", "FORMGATE_API must be two numbers"),
    "no_hooks": ("def register_formats(register): ...\n", "implements no hook"),
    "misspelt_hook": (
        """
        from formgate.core.registry import hookimpl

        @hookimpl
        def register_format(register): ...
        """,
        "'register_format', which does not exist",
    ),
    "not_a_format": (
        """
        from formgate.core.registry import hookimpl

        @hookimpl
        def register_formats(register):
            register("half_format")
        """,
        "is not a Format",
    ),
    "exits": ("raise SystemExit(3)\n", "SystemExit"),
}


def load(**environment: str) -> Registry:
    """Load what is installed; formgate's own plugins only where a test asks for them."""
    return Registry(environment={"FORMGATE_DISABLE_PLUGINS": "formgate"} | environment)


def names(registry: Registry) -> list[str]:
    return [entry.spec.name for entry in registry.formats() if not entry.origin.builtin]


def test_installed_plugin_is_found(site):
    site.install_good("shout-format", "shout_plugin", "shout")
    registry = load()
    entry = registry.format("shout")
    assert entry.qualified_name == "shout-format:shout"
    assert entry.origin.version == "1.2"
    assert registry.format("Shout_Format:shout") is entry


@pytest.mark.parametrize("kind", BROKEN)
def test_broken_plugin_is_isolated(site, kind):
    code, reason = BROKEN[kind]
    site.install("a-broken-format", f"broken_{kind}", code)
    site.install_good("shout-format", "shout_plugin", "shout")
    with pytest.warns(PluginWarning, match=f"broken_{kind}") as caught:
        registry = load()
    assert len(caught) == 1
    assert names(registry) == ["shout"]
    assert not [entry for entry in registry.adapters() if entry.spec.name == "half_adapter"]
    (broken,) = [info for info in registry.plugins() if info.error is not None]
    assert reason in f"{type(broken.error).__name__}: {broken.error}"
    assert broken.origin.distribution == "a-broken-format"
    with pytest.raises(GrammarError) as failure:
        registry.format("half_format")
    message = str(failure.value)
    assert "unknown format 'half_format'" in message
    assert f"plugin 'broken_{kind}' (a-broken-format 1.2) failed to load" in message
    assert "shout" in message


@pytest.mark.parametrize("kind", BROKEN)
def test_strict_turns_broken_plugins_into_errors(site, kind):
    code, reason = BROKEN[kind]
    site.install("a-broken-format", f"broken_{kind}", code)
    with pytest.raises(PluginError, match=r"a-broken-format 1\.2") as failure:
        load(FORMGATE_STRICT_PLUGINS="1")
    cause = failure.value.__cause__
    assert reason in f"{type(cause).__name__}: {cause}"
    assert failure.value.plugin == f"broken_{kind}"


def test_registering_a_broken_module_by_hand_raises_its_own_error(site):
    site.install("a-broken-format", "broken_by_hand", BROKEN["half_way"][0])
    with pytest.warns(PluginWarning):
        registry = load()
    with pytest.raises(RuntimeError, match="half-way"):
        registry.register(importlib.import_module("broken_by_hand"))
    assert names(registry) == []


def test_order_is_built_ins_then_distribution_then_name(site):
    for distribution, module in (("zeta", "a_one"), ("alpha", "z_two"), ("Mid-dle", "m_three")):
        site.install_good(distribution, module, module)
    origins = [info.origin for info in load(FORMGATE_DISABLE_PLUGINS="").plugins()]
    builtin = [origin.builtin for origin in origins]
    assert builtin == sorted(builtin, reverse=True)
    strangers = [origin.qualifier for origin in origins if not origin.builtin]
    assert strangers == ["alpha", "mid-dle", "zeta"]


@pytest.mark.parametrize("name", ["shout_plugin", "shout-format", "shout-format:shout_plugin"])
def test_disable_by_plugin_or_distribution(site, name):
    site.install_good("shout-format", "shout_plugin", "shout")
    site.install_good("other-format", "other_plugin", "other")
    assert names(load(FORMGATE_DISABLE_PLUGINS=f" {name} , formgate")) == ["other"]


def test_disabling_what_does_not_exist_is_said(site):
    site.install_good("shout-format", "shout_plugin", "shout")
    with pytest.warns(PluginWarning, match="'shuot', which no installed plugin"):
        load(FORMGATE_DISABLE_PLUGINS="formgate,shuot")


def test_none_loads_built_ins_only(site):
    site.install("a-broken-format", "broken", "import nothing_of_this_name\n")
    registry = load(FORMGATE_PLUGINS="none", FORMGATE_DISABLE_PLUGINS="")
    assert registry.plugins()
    assert all(info.origin.builtin for info in registry.plugins())


@pytest.mark.parametrize("variable", ["FORMGATE_PLUGINS", "FORMGATE_STRICT_PLUGINS"])
def test_values_without_meaning_are_refused(variable):
    with pytest.raises(PluginError, match=f"{variable}='maybe' is not understood"):
        load(**{variable: "maybe"})


def test_built_in_wins_with_a_warning(site):
    site.install_good("other-regex", "other_regex", "regex")
    with pytest.warns(PluginWarning, match="ask for 'other-regex:regex'"):
        registry = load(FORMGATE_DISABLE_PLUGINS="")
    assert registry.format("regex").origin.builtin
    assert not registry.format("other-regex:regex").origin.builtin


def test_two_strangers_with_one_name_are_both_kept(site):
    site.install_good("alpha", "alpha_plugin", "shout")
    site.install_good("beta", "beta_plugin", "shout")
    registry = load()
    with pytest.raises(AmbiguousPluginError, match="format='alpha:shout' or format='beta:shout'"):
        registry.format("shout")
    assert registry.format("beta:shout").origin.distribution == "beta"
    assert registry.format("alpha:shout").origin.distribution == "alpha"


def test_warning_as_error_does_not_lose_the_registry(site, monkeypatch):
    from formgate.core.registry import registry as module

    monkeypatch.setattr(module, "_default", None)
    monkeypatch.setenv("FORMGATE_DISABLE_PLUGINS", "formgate")
    site.install("a-broken-format", "broken", "import nothing_of_this_name\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(PluginWarning):
            module.default_registry()
        assert module.default_registry().plugins()
