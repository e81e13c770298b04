"""From a source to an engine: find the format, have it write a grammar, compile the grammar.

The deadline and the cancel token hold for the whole: a front end in Python cannot be interrupted,
so what it took is charged to the deadline as soon as it returns, and the native part gets the rest.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from functools import cache, partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from formgate.core.errors import (
    CompileCancelled,
    CompileTimeout,
    EmptyLanguageError,
    GrammarError,
)
from formgate.core.grammar import Grammar, GrammarBuilder
from formgate.core.grammar._grammar import check_arguments
from formgate.core.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from formgate.core._native import CancelToken, Engine
    from formgate.core.grammar import Limits
    from formgate.core.registry import CompileStats, Format, Registered, Registry

__all__ = ["build_grammar", "compile"]


def compile(  # noqa: A001 (the field's word, as in re.compile)
    source: object,
    vocabulary: Vocabulary,
    *,
    format: str | None = None,  # noqa: A002 (the public name of the argument)
    registry: Registry | None = None,
    timeout_s: float | None = None,
    cancel: CancelToken | None = None,
    limits: Limits | None = None,
    warm_up: bool | str | bytes | Sequence[str | bytes] = True,
    **options: object,
) -> Engine:
    """Compile a source against a vocabulary.

    Args:
        source: A pattern, a list of choices, a ``Grammar``: whatever the format takes.
        vocabulary: The tokens of the model that will write.
        format: Name of the format, or ``"distribution:name"``. When left out, the format is the
            one that claims the source; a text that none claims is a regex.
        registry: Where formats are looked up; the default holds all installed plugins.
        timeout_s: Deadline in seconds for the whole.
        cancel: Lets another thread stop the compilation.
        limits: Bounds on what compiling may use.
        warm_up: Whether masks are made ahead: none is begun after three quarters of the time that
            reading and compiling took. A mask that one output waits for holds up all that are
            computed with it, and takes longer between two passes of a model, which leave nothing
            in the caches. True: along what the format knows of texts that are likely
            (``json_schema`` does), or the shortest text, and then of other states for two
            milliseconds at most. A text, or pieces of one: along these; see ``Engine.warm_up``,
            which can be given more time. False: none.
        **options: Options of the format; those that it does not know are refused.

    Returns:
        An immutable engine, to be shared by any number of sequences and threads.

    Raises:
        TypeError: An argument is of the wrong type.
        ValueError: ``timeout_s`` is not positive, or ``warm_up`` has a lone surrogate.
        GrammarError: The source is wrong, or its format unknown or uncertain.
        UnsupportedConstraint: It asks for what cannot be enforced exactly.
        EmptyLanguageError: Nothing that this vocabulary can spell satisfies it.
        LimitError: A limit was reached; ``CompileTimeout`` when it was the deadline.
        CompileCancelled: ``cancel`` was used.
    """
    if not isinstance(vocabulary, Vocabulary):
        raise TypeError(
            f"vocabulary is a {type(vocabulary).__name__}, not a formgate.Vocabulary; "
            "make one with Vocabulary.from_tokenizer or Vocabulary.from_file"
        )
    check_arguments(timeout_s, cancel, limits)
    _check_warm_up(warm_up)
    started = time.perf_counter()
    deadline = None if timeout_s is None else started + timeout_s
    try:
        grammar, name = _grammar(source, format, registry, options, (deadline, cancel))
    except CompileTimeout:
        raise _timeout(timeout_s) from None
    grammar_s = time.perf_counter() - started
    _check_cancelled(cancel)
    if timeout_s is not None and grammar_s >= timeout_s:
        raise CompileTimeout(
            f"compiling took longer than timeout_s={timeout_s}: reading the source alone took "
            f"{grammar_s:.3f} s"
        )
    try:
        engine = grammar.compile(
            vocabulary,
            timeout_s=None if timeout_s is None else timeout_s - grammar_s,
            cancel=cancel,
            limits=limits,
        )
    except CompileTimeout:
        raise _timeout(timeout_s) from None
    except EmptyLanguageError as error:
        if error.source is None and isinstance(source, str):
            error.source = source
            error.offset = len(source) - len(source.lstrip())
            error.end = max(error.offset, len(source.rstrip()))
        raise
    engine_s = time.perf_counter() - started - grammar_s
    if warm_up is not False:
        end = time.perf_counter() + _WARM_UP_SHARE * (grammar.take_read_s() + engine_s)
        _warm_up(engine, warm_up, end if deadline is None else min(end, deadline), cancel)
        _check_cancelled(cancel)
    observe = _registry(registry).compile_observer()
    if observe is not None:
        _report(observe, grammar, engine, (name, grammar_s, engine_s))
    return engine


def _check_cancelled(cancel: CancelToken | None) -> None:
    if cancel is not None and cancel.cancelled:
        raise CompileCancelled("compiling was cancelled")


def _check_warm_up(given: object) -> None:
    """Refuse what says neither whether nor along which text masks are made ahead."""
    if given is not True and given is not False:
        _check_texts(given, "warm_up is True, False, a text or a list of texts")


def _check_texts(given: object, wanted: str) -> None:
    """Refuse what is neither a text nor some."""
    for piece in given if isinstance(given, (list, tuple)) else (given,):
        if not isinstance(piece, (str, bytes)):
            raise TypeError(f"{wanted}, not {given!r:.60}")
        if isinstance(piece, str) and not piece.isascii():
            try:
                piece.encode()
            except UnicodeEncodeError:
                raise ValueError(f"{wanted}, not one with a lone surrogate") from None


def _warm_up(
    engine: Engine,
    given: bool | str | bytes | Sequence[str | bytes],
    end: float,
    cancel: CancelToken | None,
) -> None:
    """Make masks along a text, or what the format knows of one, until some time."""
    left = end - time.perf_counter()
    if left <= 0:
        return
    if not isinstance(given, bool):
        engine.warm_up(given, left, cancel)
        return
    grammar: Grammar = engine.grammar
    if grammar.likely is None:
        engine.warm_up(None, left, cancel)
        return
    try:
        text = grammar.likely(max(int(left * _CHARACTERS_PER_S), 1))
        _check_texts(text, "it is a text or a list of texts")
    except Exception as error:  # noqa: BLE001 (nothing but time depends on it)
        from formgate.core.registry import PluginWarning  # noqa: PLC0415 (pluggy)

        warnings.warn(
            f"what format {grammar.format!r} expects (GrammarBuilder.expect) failed: "
            f"{type(error).__name__}: {error}",
            PluginWarning,
            stacklevel=3,
        )
        return
    engine.warm_up(text, end - time.perf_counter(), cancel)


def _timeout(timeout_s: float | None) -> CompileTimeout:
    """Return the error in the terms of the caller, who knows no parts of the whole."""
    return CompileTimeout(
        f"compiling did not finish within timeout_s={timeout_s}; raise it, or simplify the "
        "constraint"
    )


def build_grammar(
    source: object,
    *,
    format: str | None = None,  # noqa: A002 (as in compile)
    registry: Registry | None = None,
    **options: object,
) -> Grammar:
    """Read a source into a grammar without compiling it: what ``compile`` does first.

    Raises:
        GrammarError: The source is wrong, or its format unknown or uncertain.
        UnsupportedConstraint: It asks for what cannot be enforced exactly.
    """
    return _grammar(source, format, registry, options)[0]


def _grammar(
    source: object,
    format_name: str | None,
    registry: Registry | None,
    options: Mapping[str, object],
    bounds: tuple[float | None, CancelToken | None] = (None, None),
) -> tuple[Grammar, str | None]:
    """Return the grammar of a source and the name of its format."""
    if isinstance(source, Grammar):
        if format_name is not None or options:
            surplus = "format" if format_name is not None else next(iter(options))
            raise GrammarError(
                f"{surplus}=... was given with a ready Grammar, which has no use for it"
            )
        return source, None
    if format_name is not None and not isinstance(format_name, str):
        raise TypeError(f"format is the name of a format, not {format_name!r:.60}")
    started = time.perf_counter()
    registry = _registry(registry)
    entry = registry.guess(source) if format_name is None else registry.format(format_name)

    def embed(name: str, inner: object, to: GrammarBuilder, its: Mapping[str, object]) -> None:
        _write(registry.format(name), inner, to, its)

    deadline, cancel = bounds
    builder = GrammarBuilder(embed=embed, deadline=deadline, cancel=cancel)
    _write(entry, source, builder, options)
    spec = entry.spec
    try:
        grammar = builder.build(name=spec.name, format=spec.name, source=source)
    except Exception as error:
        _name(entry, error)
        raise
    if spec.reader is not None:
        grammar.reader = partial(spec.reader, source, dict(options))
    if spec.explain is not None:
        grammar.explain = partial(spec.explain, source, dict(options))
    grammar.set_read_s(time.perf_counter() - started)
    return grammar, spec.name


def _write(
    entry: Registered[Format],
    source: object,
    builder: GrammarBuilder,
    options: Mapping[str, object],
) -> None:
    """Have a format write a source's grammar, refusing options that it never looks at."""
    watched = _Options(options) if options else None
    try:
        entry.spec.compile(source, builder, _NO_OPTIONS if watched is None else watched)
    except Exception as error:
        _name(entry, error)
        raise
    if watched is not None and watched.unread:
        names = ", ".join(repr(name) for name in sorted(watched.unread))
        raise GrammarError(
            f"format {entry.spec.name!r} did not use the option {names}",
            hint="check the spelling, or leave it out",
        )


def _name(entry: Registered[Format], error: Exception) -> None:
    """Add the plugin and its version to an error, its type unchanged."""
    note = f"raised while format {entry.spec.name!r} of {entry.origin} was compiling"
    # What add_note of Python 3.11 does, for 3.10 too.
    notes: list[str] = getattr(error, "__notes__", [])
    error.__notes__ = [*notes, note]


def _registry(registry: Registry | None) -> Registry:
    """Return the registry to use; the default one is imported and loaded on first use."""
    kind, default = _registries()
    if registry is None:
        return default()
    if not isinstance(registry, kind):
        raise TypeError(f"registry is a formgate.core.registry.Registry, not {registry!r:.60}")
    return registry


@cache
def _registries() -> tuple[type[Registry], Callable[[], Registry]]:
    """Import what knows the plugins when it is first needed."""
    from formgate.core.registry import (  # noqa: PLC0415 (brings in pluggy)
        Registry,
        default_registry,
    )

    return Registry, default_registry


_WARM_UP_SHARE = 0.75  # of the time that reading and compiling took
_CHARACTERS_PER_S = 1e6  # of a text that masks are made along: more than there are

_NO_OPTIONS: Mapping[str, object] = MappingProxyType({})


class _Options(Mapping[str, object]):
    """Options that remember which of them were looked at."""

    def __init__(self, options: Mapping[str, object]) -> None:
        self._options = dict(options)
        self.unread = set(options)

    def __getitem__(self, key: str) -> object:
        self.unread.discard(key)
        return self._options[key]

    def __contains__(self, key: object) -> bool:
        return key in self._options

    def __iter__(self) -> Iterator[str]:
        return iter(self._options)

    def __len__(self) -> int:
        return len(self._options)


def _report(
    observe: Callable[[Grammar, Engine, CompileStats], None],
    grammar: Grammar,
    engine: Engine,
    figures: tuple[str | None, float, float],
) -> None:
    """Tell the plugins that listen; one that fails costs a warning, not the engine."""
    from formgate.core.registry import CompileStats, PluginWarning  # noqa: PLC0415 (pluggy)

    stats = CompileStats(*figures, engine.memory_usage())
    try:
        observe(grammar, engine, stats)
    except Exception as error:  # noqa: BLE001 (observers are guests)
        warnings.warn(
            f"a grammar_compiled hook failed: {type(error).__name__}: {error}",
            PluginWarning,
            stacklevel=3,
        )
