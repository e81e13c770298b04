"""What plugins hand to the registry: plain descriptions, with nothing imported by making one."""

from __future__ import annotations

import re
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from formgate.core.errors import MissingDependencyError, PluginError
from formgate.core.record import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from formgate.core.errors import FormgateError
    from formgate.core.grammar import GrammarBuilder

__all__ = [
    "AdapterSpec",
    "CompileFunction",
    "CompileStats",
    "ExplainFunction",
    "Format",
    "ReadFunction",
    "ToolSpec",
]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_REQUIREMENT = re.compile(r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)(?:>=(?P<least>\d+(?:\.\d+)*))?")


class CompileFunction(Protocol):
    """Writes the grammar of a source to a builder."""

    def __call__(
        self, source: object, builder: GrammarBuilder, options: Mapping[str, object], /
    ) -> None:
        """Write rules and call ``builder.start``; raise ``GrammarError`` for a bad source."""


class ReadFunction(Protocol):
    """Reads a text of the language that a source describes."""

    def __call__(
        self,
        source: object,
        options: Mapping[str, object],
        text: str,
        wanted: Mapping[str, object],
        /,
    ) -> object:
        """Return the value; raise ``ParseError`` for a text that has none.

        ``options`` are those that the source was compiled with, ``wanted`` those of the call of
        ``formgate.parse``; one that is not known raises ``TypeError``.
        """


class ExplainFunction(Protocol):
    """Says of an error of the engine what the source has to do with it."""

    def __call__(
        self, source: object, options: Mapping[str, object], error: FormgateError, /
    ) -> None:
        """Change the error's message, to name a place in the source, say; the error is raised."""


class Format(Record):
    """A format that sources may be written in.

    A format turns a source into a grammar and sees neither tokens nor masks: a wrong plugin can
    make a wrong grammar, never a wrong mask.

    Args:
        name: What ``format=`` says; an identifier, which may hold dots and dashes.
        compile: Called as ``compile(source, builder, options)``. It writes rules to the builder and
            calls ``builder.start``. ``options`` are the keyword arguments of ``formgate.compile``
            that the core does not know; those the function never reads are refused.
        aliases: Other names of the same format.
        endings: Of the names of files that hold such sources, without the dot, beside the format's
            own name. The command line goes by them.
        guess: Says whether a source given without a format is surely meant for this one. Must be
            cheap and must not raise.
        description: One line for listings.
        reader: Turns texts of the language into the values they stand for, where the format knows
            values; ``formgate.parse`` calls it. Without it the value is the text.
        explain: Called with an error that the engine raised for a grammar of this format: a
            language that is empty, a special token that the vocabulary lacks, a limit that was
            reached. It may change the message, add the place, or raise another in its stead.
    """

    name: str
    compile: CompileFunction
    aliases: tuple[str, ...]
    guess: Callable[[object], bool] | None
    description: str
    reader: ReadFunction | None
    explain: ExplainFunction | None
    endings: tuple[str, ...]

    def __init__(  # noqa: PLR0917 (as its fields are)
        self,
        name: str,
        compile: CompileFunction,  # noqa: A002 (what it is called)
        aliases: tuple[str, ...] = (),
        guess: Callable[[object], bool] | None = None,
        description: str = "",
        reader: ReadFunction | None = None,
        explain: ExplainFunction | None = None,
        endings: tuple[str, ...] = (),
    ) -> None:
        self._set(
            name=name,
            compile=compile,
            aliases=aliases,
            guess=guess,
            description=description,
            reader=reader,
            explain=explain,
            endings=endings,
        )
        for each in (name, *aliases):
            _check_name("format", each)
        if not callable(compile):
            raise PluginError(f"format {name!r}: compile is not callable")
        for what, function in (("guess", guess), ("reader", reader), ("explain", explain)):
            if function is not None and not callable(function):
                raise PluginError(f"format {name!r}: {what} is not callable")


class AdapterSpec(Record):
    """An adapter to a back end, described without importing either.

    Args:
        name: What users call the back end.
        target: ``"module:attribute"``, imported when the adapter is first used.
        requires: Distributions the target imports, each ``"name"`` or ``"name>=1.2"``; or several
            of these with ``|`` between them, one of which is enough.
        extra: The extra that installs them, as in ``formgate[extra]``; for a stranger's plugin the
            distribution is named too: ``"distribution[extra]"``.
        description: One line for listings.
        tested: How the adapter's own tests see the back end: ``"run"`` where they run the back end
            itself, ``"contract"`` where they can only hold the adapter against the back end's
            source and play its calls; None where its author does not say.
    """

    name: str
    target: str
    requires: tuple[str, ...]
    extra: str | None
    description: str
    tested: Literal["run", "contract"] | None

    def __init__(  # noqa: PLR0917 (as its fields are)
        self,
        name: str,
        target: str,
        requires: tuple[str, ...] = (),
        extra: str | None = None,
        description: str = "",
        tested: Literal["run", "contract"] | None = None,
    ) -> None:
        self._set(
            name=name,
            target=target,
            requires=requires,
            extra=extra,
            description=description,
            tested=tested,
        )
        _check_name("adapter", name)
        _check_target("adapter", name, target)
        if tested not in ("run", "contract", None):
            raise PluginError(
                f"adapter {name!r}: tested is 'run', 'contract' or None, not {tested!r}"
            )
        for requirement in requires:
            if not all(map(_REQUIREMENT.fullmatch, requirement.split("|"))):
                raise PluginError(
                    f"adapter {name!r}: requirement {requirement!r} is neither 'name' nor "
                    "'name>=1.2'"
                )

    @property
    def installation(self) -> str:
        """What to give to ``pip install`` for everything the adapter needs."""
        if self.extra is None:
            return " ".join(f"'{requirement}'" for requirement in self.requires)
        return self.extra if "[" in self.extra else f"formgate[{self.extra}]"

    def problems(self) -> tuple[str, ...]:
        """Say what is missing, one sentence each; empty when all is installed. Imports nothing."""
        return tuple(
            problem for requirement in self.requires if (problem := _unmet(requirement)) is not None
        )

    def load(self) -> object:
        """Import and return the adapter.

        Raises:
            MissingDependencyError: A required distribution is absent or too old.
            PluginError: The target does not exist.
        """
        problems = self.problems()
        if problems:
            raise MissingDependencyError(
                f"the {self.name} adapter cannot be used: {'; '.join(problems)}. "
                f"Run: pip install {self.installation}"
            )
        return _imported("adapter", self.name, self.target)


class ToolSpec(Record):
    """What a command of the command line calls, described without importing it.

    The core knows no plugin, so a command that works on grammars finds its work here, by name.

    Args:
        name: What the command asks for.
        target: ``"module:attribute"``, imported when the tool is first used.
        description: One line for listings.
    """

    name: str
    target: str
    description: str

    def __init__(self, name: str, target: str, description: str = "") -> None:
        self._set(name=name, target=target, description=description)
        _check_name("tool", name)
        _check_target("tool", name, target)

    def load(self) -> object:
        """Import and return the tool.

        Raises:
            PluginError: The target does not exist.
        """
        return _imported("tool", self.name, self.target)


class CompileStats(NamedTuple):
    """What compiling one source took.

    Args:
        format: Name of the format, or None for a ready ``Grammar``.
        grammar_s: Seconds from the source to the grammar, spent in the format's plugin.
        engine_s: Seconds from the grammar to the engine, spent in the core.
        memory: What ``engine.memory_usage()`` says, in bytes.
    """

    format: str | None
    grammar_s: float
    engine_s: float
    memory: Mapping[str, int] = MappingProxyType({})


def _check_name(kind: str, name: object) -> None:
    """Refuse names that ``distribution:name`` or a command line could not say."""
    if not isinstance(name, str) or _NAME.fullmatch(name) is None:
        raise PluginError(
            f"{kind} name {name!r} is not usable: letters, digits, '_', '.' and '-', "
            "starting with a letter or '_'"
        )


def _check_target(kind: str, name: str, target: str) -> None:
    """Refuse targets that do not say where to look."""
    module, colon, attribute = target.partition(":")
    if not (module and colon and attribute):
        raise PluginError(f"{kind} {name!r}: target {target!r} is not 'module:attribute'")


def _imported(kind: str, name: str, target: str) -> object:
    """Import what a target names."""
    module, _, attribute = target.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except AttributeError as error:
        raise PluginError(f"{kind} {name!r}: module {module!r} has no {attribute!r}") from error


def _unmet(requirement: str) -> str | None:
    """Say why a requirement does not hold, or None when it does."""
    problems = [_unmet_one(each) for each in requirement.split("|")]
    return None if None in problems else problems[0]


def _unmet_one(requirement: str) -> str | None:
    """Say why one distribution does not do, or None when it does."""
    match = _REQUIREMENT.fullmatch(requirement)
    assert match is not None, requirement  # noqa: S101 (AdapterSpec has checked it)
    name, least = match["name"], match["least"]
    from importlib import metadata  # noqa: PLC0415 (30 ms that a compilation does without)

    try:
        found = metadata.version(name)
    except metadata.PackageNotFoundError:
        return f"{name} is not installed"
    if least is not None and _release(found) < _release(least):
        return f"{name} {found} is older than {least}"
    return None


def _release(version: str) -> tuple[int, ...]:
    """Return the release numbers of a version, without trailing zeros (2.0 is 2)."""
    match = re.match(r"\d+(?:\.\d+)*", version)
    numbers = [int(part) for part in match[0].split(".")] if match else []
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)
