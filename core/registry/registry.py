"""The registry: what is installed, told apart from what is broken.

A broken plugin costs one warning and nothing else: whatever it half registered is undone, the
others stay, and the error is kept for whoever asks for a format that it may have owned. After a
name is resolved the core holds plain functions: no hook is called per token, state or rule.
"""

from __future__ import annotations

import os
import warnings
from types import FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, NamedTuple

import pluggy

from formgate.core.errors import GrammarError, PluginError
from formgate.core.forking import lock_across_forks
from formgate.core.registry import hookspecs
from formgate.core.registry.loader import Settings, candidates
from formgate.core.registry.specs import AdapterSpec, CompileStats, Format, ToolSpec
from formgate.core.registry.table import Origin, Registered, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pluggy import HookimplOpts

    from formgate.core._native import Engine
    from formgate.core.grammar import Grammar
    from formgate.core.vocabulary import Vocabulary

__all__ = ["PluginInfo", "PluginWarning", "Registry", "default_registry"]

# Held while any registry loads or registers plugins.
_lock = lock_across_forks()


class PluginWarning(UserWarning):
    """A plugin was left out, or one of its names is taken; formgate goes on without it."""


class PluginInfo(NamedTuple):
    """A plugin as listings show it.

    Args:
        origin: Its name, distribution and version.
        hooks: Hooks it implements.
        formats: Names of the formats it offers.
        adapters: Names of the adapters it offers.
        tools: Names of the tools it offers.
        error: Why it is not in use; None when it is.
    """

    origin: Origin
    hooks: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    adapters: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    error: BaseException | None = None


class _Manager(pluggy.PluginManager):
    """Pluggy's manager, which looks at a module's own names without asking for descriptors.

    The general way takes 0.1 ms for each of the hundred names in the built-in modules.
    """

    def parse_hookimpl_opts(self, plugin: object, name: str) -> HookimplOpts | None:
        """Return what a name of a plugin is marked with; None where it is no hook."""
        if type(plugin) is ModuleType and not isinstance(
            vars(plugin).get(name), (FunctionType, MethodType, staticmethod, classmethod)
        ):
            return None
        return super().parse_hookimpl_opts(plugin, name)


class Registry:
    """Formats, adapters and observers offered by plugins.

    Args:
        load: Load the installed plugins now. Tests and programs that want only their own plugins
            say False and use ``register``.
        environment: Where the ``FORMGATE_...`` variables are read.

    Raises:
        PluginError: A variable is not understood; or a plugin is broken and
            ``FORMGATE_STRICT_PLUGINS=1``.
    """

    def __init__(self, *, load: bool = True, environment: Mapping[str, str] | None = None) -> None:
        self._environment = os.environ if environment is None else environment
        self._formats: Table[Format] = Table("format")
        self._adapters: Table[AdapterSpec] = Table("adapter")
        self._tools: Table[ToolSpec] = Table("tool")
        self._plugins: list[PluginInfo] = []
        self._warnings: list[str] = []
        self._loaded = False
        # The plugin that is registering now. Invariant: None outside of `register`.
        self._current: Origin | None = None
        self._manager = _Manager("formgate")
        self._manager.add_hookspecs(hookspecs)
        hook = self._manager.hook
        hook.register_formats.call_historic(kwargs={"register": self._add_format})
        hook.register_adapters.call_historic(kwargs={"register": self._add_adapter})
        hook.register_tools.call_historic(kwargs={"register": self._add_tool})
        if load:
            self.load()

    def load(self) -> None:
        """Load the installed plugins, once; a second call does nothing.

        Raises:
            PluginError: As for the constructor.
        """
        with _lock:
            self._load()
            pending, self._warnings = self._warnings, []
        for message in pending:
            warnings.warn(message, PluginWarning, stacklevel=3)

    def register(self, plugin: object, *, name: str | None = None) -> None:
        """Register a plugin object (a module, an instance) that implements hooks.

        Args:
            plugin: What carries the functions marked with ``hookimpl``.
            name: What to call it; by default its ``__name__`` or that of its class.

        Raises:
            PluginError: It offers what cannot be taken; nothing of it stays registered.
            Exception: Whatever its hooks raise; nothing of it stays registered.
        """
        given = name or getattr(plugin, "__name__", None) or type(plugin).__name__
        with _lock:
            self._register(plugin, Origin(str(given)))
            pending, self._warnings = self._warnings, []
        for message in pending:
            warnings.warn(message, PluginWarning, stacklevel=2)

    def formats(self) -> tuple[Registered[Format], ...]:
        """Return all formats, built-ins first."""
        return tuple(self._formats)

    def adapters(self) -> tuple[Registered[AdapterSpec], ...]:
        """Return all adapters, built-ins first."""
        return tuple(self._adapters)

    def tools(self) -> tuple[Registered[ToolSpec], ...]:
        """Return all tools, built-ins first."""
        return tuple(self._tools)

    def plugins(self) -> tuple[PluginInfo, ...]:
        """Return all plugins in the order of loading, broken ones included."""
        return tuple(self._plugins)

    def format(self, name: str) -> Registered[Format]:
        """Return the format of a name, bare or ``distribution:name``.

        Raises:
            GrammarError: There is none; the message lists what there is, and the plugins that
                failed to load.
            AmbiguousPluginError: Several plugins offer it.
        """
        found = self._formats.find(name)
        if found is None:
            raise GrammarError(self._unknown("format", name), hint=self._similar(name))
        return found

    def adapter(self, name: str) -> Registered[AdapterSpec]:
        """Return the adapter of a name, bare or ``distribution:name``.

        Raises:
            PluginError: There is none.
            AmbiguousPluginError: Several plugins offer it.
        """
        found = self._adapters.find(name)
        if found is None:
            raise PluginError(self._unknown("adapter", name))
        return found

    def tool(self, name: str) -> Registered[ToolSpec]:
        """Return the tool of a name, bare or ``distribution:name``.

        Raises:
            PluginError: There is none.
            AmbiguousPluginError: Several plugins offer it.
        """
        found = self._tools.find(name)
        if found is None:
            raise PluginError(self._unknown("tool", name))
        return found

    def guess(self, source: object) -> Registered[Format]:
        """Return the format a source is surely meant for.

        A format may claim a source (``Format.guess``); exactly one claim wins. A text that no
        other format claims is a regex.

        Raises:
            GrammarError: No format claims it, or several do.
        """
        # With a byte order mark, a grammar is a grammar, which its format refuses with the reason.
        meant = source.removeprefix("\ufeff") if isinstance(source, str) else source
        claims = [entry for entry in self._formats if self._claims(entry, meant)]
        if isinstance(source, str):
            claims = [entry for entry in claims if not _is_regex(entry)] or [
                entry for entry in self._formats if _is_regex(entry)
            ]
        if len(claims) == 1:
            return claims[0]
        if claims:
            names = " or ".join(f"format={entry.spec.name!r}" for entry in claims)
            raise GrammarError(
                f"the format of this source ({type(source).__name__}) is not certain",
                hint=f"say {names}",
            )
        known = self._known("format")
        raise GrammarError(
            f"no format takes a source of type {type(source).__name__} unasked; "
            f"known formats: {known}",
            hint="say which with format=...",
        )

    def read_vocabulary(self, tokenizer: object) -> Vocabulary | None:
        """Ask the plugins for the vocabulary of a tokenizer; None when it is nobody's.

        One that fails costs a warning, and the others are asked.

        Raises:
            PluginError: No plugin has it, and one that might have failed.
        """
        from formgate.core.vocabulary import Vocabulary  # noqa: PLC0415 (the native core)

        failed: PluginError | None = None
        hook = self._manager.hook.read_vocabulary
        for implementation in reversed(hook.get_hookimpls()):
            name = implementation.plugin_name
            try:
                found = implementation.function(
                    *({"tokenizer": tokenizer}[n] for n in implementation.argnames)
                )
            except Exception as error:  # noqa: BLE001 (plugins are guests)
                problem = f"its read_vocabulary failed: {_summary(error)}"
            else:
                if found is None:
                    continue
                if isinstance(found, Vocabulary):
                    return found
                problem = (
                    f"its read_vocabulary returned a {type(found).__name__}, neither a "
                    "formgate.Vocabulary nor None"
                )
            failed = PluginError(f"plugin {name}: {problem}")
            warnings.warn(str(failed), PluginWarning, stacklevel=4)
        if failed is not None:
            raise failed
        return None

    def compile_observer(self) -> Callable[[Grammar, Engine, CompileStats], None] | None:
        """Return what tells the plugins of a finished compilation; None when nobody listens."""
        hook = self._manager.hook.grammar_compiled
        if not hook.get_hookimpls():
            return None

        def observe(grammar: Grammar, engine: Engine, stats: CompileStats) -> None:
            hook(grammar=grammar, engine=engine, stats=stats)

        return observe

    def _load(self) -> None:
        """Load every candidate, isolating failures; the caller holds the lock."""
        if self._loaded:
            return
        settings = Settings.from_environment(self._environment)
        found, unknown = candidates(settings)
        self._warnings = unknown
        # What an attempt that a strict failure stopped has registered already is not done again.
        self._plugins = [info for info in self._plugins if info.error is None]
        done = {info.origin for info in self._plugins}
        found = [candidate for candidate in found if candidate.origin not in done]
        for candidate in found:
            try:
                self._register(candidate.load(), candidate.origin)
            # A plugin that calls sys.exit() while imported must not end the program either.
            except (Exception, SystemExit) as error:
                message = f"{candidate.origin} failed to load: {_summary(error)}"
                if settings.strict:
                    raise PluginError(
                        message,
                        plugin=candidate.origin.plugin,
                        distribution=candidate.origin.distribution,
                    ) from error
                self._plugins.append(PluginInfo(candidate.origin, error=error))
                self._warnings.append(
                    f"{message} (FORMGATE_STRICT_PLUGINS=1 shows where; "
                    f"FORMGATE_DISABLE_PLUGINS={candidate.origin.plugin} leaves it out)"
                )
        self._loaded = True

    def _register(self, plugin: object, origin: Origin) -> None:
        """Register an object under its origin; on any error leave no trace of it."""
        _check_api_version(plugin)
        key = f"{origin.qualifier}:{origin.plugin}"
        if self._manager.has_plugin(key) or self._manager.is_registered(plugin):
            raise PluginError(f"{origin} is registered already")
        formats, adapters = self._formats.snapshot(), self._adapters.snapshot()
        tools = self._tools.snapshot()
        pending = list(self._warnings)
        self._current = origin
        try:
            self._manager.register(plugin, name=key)
            hooks = self._hooks_of(plugin)
        except BaseException as error:
            self._formats.restore(formats)
            self._adapters.restore(adapters)
            self._tools.restore(tools)
            self._warnings = pending
            # An error inside a hook leaves pluggy with a registered plugin, one about a hook not.
            if self._manager.is_registered(plugin):
                self._manager.unregister(plugin)
            if isinstance(error, pluggy.PluginValidationError):
                raise PluginError(f"it does not fit the plugin interface: {error}") from error
            raise
        finally:
            self._current = None
        self._plugins.append(
            PluginInfo(
                origin,
                hooks,
                tuple(entry.spec.name for entry in self._formats if entry.origin == origin),
                tuple(entry.spec.name for entry in self._adapters if entry.origin == origin),
                tuple(entry.spec.name for entry in self._tools if entry.origin == origin),
            )
        )

    def _hooks_of(self, plugin: object) -> tuple[str, ...]:
        """Return the hooks a registered plugin implements.

        Raises:
            PluginError: It implements none, or one that does not exist: a misspelt name would
                otherwise never be called, and never be missed.
        """
        callers = self._manager.get_hookcallers(plugin) or []
        known = ", ".join(hookspecs.HOOKS)
        for caller in callers:
            optional = any(
                implementation.optionalhook
                for implementation in caller.get_hookimpls()
                if implementation.plugin is plugin
            )
            if not caller.has_spec() and not optional:
                raise PluginError(
                    f"it implements the hook {caller.name!r}, which does not exist; "
                    f"hooks: {known} (optionalhook=True if a later formgate has it)"
                )
        if not callers:
            raise PluginError(f"it implements no hook; mark functions with @hookimpl: {known}")
        return tuple(sorted(caller.name for caller in callers))

    def _add_format(self, spec: Format) -> None:
        """Take a format from the plugin that is registering."""
        if not isinstance(spec, Format):
            raise PluginError(f"register_formats: {spec!r} is not a Format")
        warning = self._formats.add(Registered(spec, self._registering("register_formats")))
        self._warnings += [] if warning is None else [warning]

    def _add_adapter(self, spec: AdapterSpec) -> None:
        """Take an adapter from the plugin that is registering."""
        if not isinstance(spec, AdapterSpec):
            raise PluginError(f"register_adapters: {spec!r} is not an AdapterSpec")
        warning = self._adapters.add(Registered(spec, self._registering("register_adapters")))
        self._warnings += [] if warning is None else [warning]

    def _add_tool(self, spec: ToolSpec) -> None:
        """Take a tool from the plugin that is registering."""
        if not isinstance(spec, ToolSpec):
            raise PluginError(f"register_tools: {spec!r} is not a ToolSpec")
        warning = self._tools.add(Registered(spec, self._registering("register_tools")))
        self._warnings += [] if warning is None else [warning]

    def _registering(self, hook: str) -> Origin:
        """Return the plugin that is registering now."""
        if self._current is None:
            raise PluginError(f"{hook}: register() was called after the hook had returned")
        return self._current

    def _claims(self, entry: Registered[Format], source: object) -> bool:
        """Ask a format whether a source is surely its own; one that fails does not claim it."""
        if entry.spec.guess is None:
            return False
        try:
            return bool(entry.spec.guess(source))
        except Exception as error:  # noqa: BLE001 (one plugin's guess must not stop the others)
            warnings.warn(
                f"format {entry.spec.name!r} of {entry.origin} failed to guess: {_summary(error)}",
                PluginWarning,
                stacklevel=4,
            )
            return False

    def _unknown(self, kind: str, name: str) -> str:
        """Say that a name is unknown, what is known, and which broken plugins may own it."""
        message = f"unknown {kind} {name!r}; known {kind}s: {self._known(kind)}"
        for info in self._plugins:
            if info.error is not None:
                message += f"; {info.origin} failed to load: {_summary(info.error)}"
        return message

    def _known(self, kind: str) -> str:
        """List the names of one kind."""
        names = {
            "format": [entry.spec.name for entry in self._formats],
            "adapter": [entry.spec.name for entry in self._adapters],
            "tool": [entry.spec.name for entry in self._tools],
        }
        return ", ".join(dict.fromkeys(names[kind])) or "none"

    def _similar(self, name: str) -> str | None:
        """Return a hint naming the closest known format."""
        similar = self._formats.similar(name)
        return None if similar is None else f"did you mean {similar!r}?"


_default: Registry | None = None


def default_registry() -> Registry:
    """Return the registry used where none is given, loading the installed plugins on first use.

    Raises:
        PluginError: As for ``Registry``.
    """
    global _default  # noqa: PLW0603 (the one default, made on first use)
    if _default is not None:
        return _default
    with _lock:
        if _default is not None:
            return _default
        registry = Registry(load=False)
        try:
            registry.load()
        except PluginWarning:
            # Warnings are errors here: this caller sees the first one, the next one a registry.
            _default = registry
            raise
        _default = registry
        return registry


def _is_regex(entry: Registered[Format]) -> bool:
    """Say whether this is the format of last resort for a text."""
    return entry.origin.builtin and entry.spec.name == "regex"


def _check_api_version(plugin: object) -> None:
    """Refuse a plugin written for an interface that this formgate does not have.

    A plugin that does not say is taken to be written for the first version, 1.0.
    """
    wanted = getattr(plugin, "FORMGATE_API", (1, 0))
    if not (
        isinstance(wanted, tuple)
        and len(wanted) == 2
        and all(isinstance(number, int) for number in wanted)
    ):
        raise PluginError(f"FORMGATE_API must be two numbers, like (1, 0), not {wanted!r}")
    have = hookspecs.API_VERSION
    if wanted[0] != have[0] or wanted[1] > have[1]:
        way_out = "upgrade formgate" if wanted > have else "upgrade the plugin"
        raise PluginError(
            f"it is written for plugin interface {wanted[0]}.{wanted[1]}, "
            f"this formgate has {have[0]}.{have[1]}: {way_out}"
        )


def _summary(error: BaseException) -> str:
    """Return an error's type and the first line of its message."""
    lines = str(error).splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
