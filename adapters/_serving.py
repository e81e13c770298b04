"""What the adapters to serving engines share: from a request's constraint to an engine.

A server gets constraints as text, from many requests at once, again and again. Each is compiled
once for a vocabulary, however many requests ask for it at the same time, and kept within stated
bounds; what stands in a request can cost no more than that.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import threading
from collections import OrderedDict
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, NamedTuple

from formgate.adapters._serving_stops import StopView
from formgate.core.compiler import compile as compile_source
from formgate.core.errors import GrammarError, PluginError
from formgate.core.members import unique_members
from formgate.core.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from formgate.core._native import Engine
    from formgate.core.protocol import MaskEngine

__all__ = [
    "KINDS",
    "Constraint",
    "EngineStore",
    "ServingOptions",
    "constraint",
    "digest",
    "grammar_format",
]

OPTIONS_VARIABLE = "FORMGATE_SERVING_OPTIONS"

KINDS = ("json", "json_object", "regex", "grammar", "choice", "structural_tag")
_FORMATS = ("json_schema", "regex", "lark", "gbnf", "ebnf", "abnf", "structural_tag")
_GRAMMARS = ("lark", "gbnf", "ebnf", "abnf")
# Of compile itself.
_RESERVED = frozenset({"format", "registry", "timeout_s", "cancel", "limits", "warm_up"})
_MAX_VOCABULARIES = 4  # with stop ids that are text otherwise
# A first line such as "# formgate: ebnf", whatever begins a comment in the notation.
_NAMED = re.compile(r"\s*(?:#|//|;|\(\*|/\*)\s*formgate:\s*([a-z]+)\s*(?:\*\)|\*/)?\s*")
_ROOT = re.compile(r"^\s*root\s*::=", re.MULTILINE)


class ServingOptions(NamedTuple):
    """What a server's owner may set; read from ``FORMGATE_SERVING_OPTIONS``, a JSON object.

    Attributes:
        timeout_s: Seconds that compiling one constraint may take; None: any time.
        max_engines: Compiled constraints kept.
        max_source_bytes: Length of their sources, all together.
        warm_up: Whether the first masks of a likely output are made while compiling.
        formats: Options of formats by their names: the members of the object that are such names.
    """

    timeout_s: float | None = 5.0
    max_engines: int = 512
    max_source_bytes: int = 64 * 2**20
    warm_up: bool = True
    formats: Mapping[str, Mapping[str, Any]] = {}

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> ServingOptions:
        """Read the options.

        Raises:
            PluginError: The variable holds no JSON object, or a member has no meaning.
        """
        text = environment.get(OPTIONS_VARIABLE, "").strip()
        if not text:
            return cls()
        try:
            given = json.loads(text, object_pairs_hook=unique_members)
        except ValueError as error:
            raise PluginError(f"{OPTIONS_VARIABLE} cannot be read: {error}") from None
        if not isinstance(given, dict):
            raise PluginError(f"{OPTIONS_VARIABLE} is a JSON object, not {text!r:.60}")
        own = {name: given.pop(name) for name in _MEMBERS if name in given}
        for name, value in own.items():
            _check_member(name, value)
        for name, value in given.items():
            _check_options(name, value)
        return cls(**own, formats=given)


_MEMBERS = ServingOptions._fields[:-1]  # beside those of formats


def _check_member(name: str, value: object) -> None:
    """Refuse what bounds nothing, or is neither true nor false."""
    if name == "warm_up":
        if not isinstance(value, bool):
            raise PluginError(f"{OPTIONS_VARIABLE}: {name} is true or false, not {value!r:.60}")
        return
    if value is None and name == "timeout_s":
        return
    kinds = (int, float) if name == "timeout_s" else (int,)
    if isinstance(value, bool) or not isinstance(value, kinds) or not value > 0:
        raise PluginError(f"{OPTIONS_VARIABLE}: {name} is positive, not {value!r:.60}")


def _check_options(name: str, value: object) -> None:
    """Refuse what are no options of a format."""
    if name not in _FORMATS:
        known = ", ".join((*_MEMBERS, *_FORMATS))
        raise PluginError(f"{OPTIONS_VARIABLE}: {name!r:.60} is none of {known}")
    if not isinstance(value, dict):
        raise PluginError(f"{OPTIONS_VARIABLE}: {name} is an object with its options")
    if reserved := _RESERVED.intersection(value):
        raise PluginError(f"{OPTIONS_VARIABLE}: {name} has no option {min(reserved)!r}")


class Constraint(NamedTuple):
    """A source, and how ``formgate.compile`` is to read it."""

    source: object
    format: str
    options: Mapping[str, Any]


def grammar_format(text: str) -> str:
    """Name the notation that a grammar is written in.

    A comment ``formgate: NAME`` in its first line says it. Otherwise a grammar without ``::=`` is
    Lark's; with it, one that defines ``root`` is GBNF, as servers expect, and any other is EBNF.

    Raises:
        GrammarError: The comment names no notation.
    """
    first, _, _ = text.partition("\n")
    named = _NAMED.fullmatch(first)
    if named is not None:
        if named[1] not in _GRAMMARS:
            raise GrammarError(f"{named[1]!r} is none of {', '.join(_GRAMMARS)}")
        return named[1]
    lines = (re.sub(r"(#|//).*$", "", line) for line in text.split("\n"))
    if not any("::=" in line for line in lines):
        return "lark"
    return "gbnf" if _ROOT.search(text) else "ebnf"


def constraint(
    kind: str, text: str, formats: Mapping[str, Mapping[str, Any]] | None = None
) -> Constraint:
    """Return what a request's constraint stands for.

    Args:
        kind: One of ``KINDS``.
        text: What the request says: of a choice, a JSON list; of a JSON object, nothing.
        formats: Options of formats by their names.

    Raises:
        GrammarError: The kind is unknown, or the text is not of this kind.
    """
    formats = formats or {}
    if kind == "json":
        return Constraint(text, "json_schema", formats.get("json_schema", {}))
    if kind == "json_object":
        return Constraint({"type": "object"}, "json_schema", formats.get("json_schema", {}))
    if kind == "regex":
        return Constraint(text, "regex", formats.get("regex", {}))
    if kind == "grammar":
        name = grammar_format(text)
        return Constraint(text, name, formats.get(name, {}))
    if kind == "choice":
        try:
            values = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise GrammarError(f"a choice is a JSON list of texts: {error}") from None
        if not isinstance(values, list):
            raise GrammarError(f"a choice is a JSON list of texts, not {text!r:.60}")
        return Constraint(values, "choice", {})
    if kind == "structural_tag":
        options = dict(formats.get("structural_tag", {}))
        options.setdefault("json_schema", formats.get("json_schema", {}))
        return Constraint(text, "structural_tag", options)
    raise GrammarError(f"{kind!r:.60} is none of {', '.join(KINDS)}")


def digest(text: str) -> bytes:
    """Return what stands for a source in caches, so that these do not keep the sources."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass")).digest()


class EngineStore:
    """Compiles constraints for one model, each once, and keeps them.

    Any number of threads may call. An error is given to all that were waiting and is not kept.

    Args:
        read_vocabulary: Returns the model's vocabulary; called once, when first needed (some 0.3 s
            for 130,000 tokens).
        options: Bounds and options.
    """

    def __init__(
        self, read_vocabulary: Callable[[], Vocabulary], options: ServingOptions | None = None
    ) -> None:
        self._options = options or ServingOptions()
        self._lock = threading.Lock()
        self._read_vocabulary = read_vocabulary
        self._base: Future[Vocabulary] | None = None
        self._vocabularies: OrderedDict[frozenset[int], Vocabulary] = OrderedDict()
        # Finished engines and how many bytes their sources have, least recently used first.
        self._engines: OrderedDict[tuple[Any, ...], tuple[Engine, int]] = OrderedDict()
        self._pending: dict[tuple[Any, ...], Future[Engine]] = {}
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._engines)

    @property
    def vocabulary(self) -> Vocabulary:
        """The model's vocabulary.

        Raises:
            VocabularyError: The tokenizer's exact bytes are not known.
        """
        with self._lock:
            mine = self._base is None
            if self._base is None:
                self._base = Future()
            future = self._base
        if mine:
            try:
                future.set_result(self._read_vocabulary())
            except BaseException as error:  # noqa: BLE001 (all that wait get it)
                with self._lock:
                    self._base = None
                future.set_exception(error)
        return future.result()

    def engine(
        self, kind: str, text: str, stop_ids: Collection[int] | None = None
    ) -> MaskEngine[Any]:
        """Return the engine of a request's constraint.

        Args:
            kind: As for ``constraint``.
            text: As for ``constraint``.
            stop_ids: The ids that end this request's output; None or none: the vocabulary's.

        Raises:
            FormgateError: It cannot be compiled; see ``formgate.compile``.
        """
        vocabulary = self.vocabulary
        wanted = frozenset(i for i in stop_ids or () if 0 <= i < len(vocabulary))
        own = frozenset(vocabulary.stop_ids)
        if not wanted or wanted == own:
            return self._engine(kind, text, vocabulary)
        if any(vocabulary.token_bytes(i) is not None for i in wanted - own):
            # What ends the output is lost as text, which may leave other tokens nothing to do.
            return self._engine(kind, text, self._with_stops(vocabulary, wanted))
        return StopView(self._engine(kind, text, vocabulary), own, wanted)

    def clear(self) -> None:
        """Forget all engines."""
        with self._lock:
            self._engines.clear()
            self._vocabularies.clear()
            self._bytes = 0

    def _engine(self, kind: str, text: str, vocabulary: Vocabulary) -> Engine:
        """Return the engine of a constraint for a vocabulary, compiling it if need be."""
        key = (kind, digest(text), vocabulary.fingerprint)
        with self._lock:
            known = self._engines.get(key)
            if known is not None:
                self._engines.move_to_end(key)
                return known[0]
            future = self._pending.get(key)
            mine = future is None
            if future is None:
                future = self._pending[key] = Future()
        if mine:
            try:
                engine = self._compile(kind, text, vocabulary)
            except BaseException as error:
                with self._lock:
                    del self._pending[key]
                future.set_exception(error)
                raise
            with self._lock:
                del self._pending[key]
                self._keep(key, engine, len(text))
            future.set_result(engine)
        return future.result()

    def _compile(self, kind: str, text: str, vocabulary: Vocabulary) -> Engine:
        """Compile a constraint."""
        source, name, options = constraint(kind, text, self._options.formats)
        return compile_source(
            source,
            vocabulary,
            format=name,
            timeout_s=self._options.timeout_s,
            warm_up=self._options.warm_up,
            **options,
        )

    def _keep(self, key: tuple[Any, ...], engine: Engine, size: int) -> None:
        """Keep an engine, dropping those unused for longest; the lock is held."""
        self._engines[key] = engine, size
        self._bytes += size
        while len(self._engines) > 1 and (
            len(self._engines) > self._options.max_engines
            or self._bytes > self._options.max_source_bytes
        ):
            _, (_, dropped) = self._engines.popitem(last=False)
            self._bytes -= dropped

    def _drop_engines(self, vocabulary: Vocabulary) -> None:
        """Drop the engines of a vocabulary, which would keep it; the lock is held."""
        for key in [key for key in self._engines if key[2] == vocabulary.fingerprint]:
            self._bytes -= self._engines.pop(key)[1]

    def _with_stops(self, vocabulary: Vocabulary, stop_ids: frozenset[int]) -> Vocabulary:
        """Return the vocabulary with other stop ids, which lose their text."""
        with self._lock:
            known = self._vocabularies.get(stop_ids)
            if known is not None:
                self._vocabularies.move_to_end(stop_ids)
                return known
        tokens = [vocabulary.token_bytes(i) for i in range(len(vocabulary))]
        made = Vocabulary(tokens, stop_ids=stop_ids, special=vocabulary.special)
        with self._lock:
            self._vocabularies[stop_ids] = made
            while len(self._vocabularies) > _MAX_VOCABULARIES:
                _, dropped = self._vocabularies.popitem(last=False)
                self._drop_engines(dropped)
        return made
