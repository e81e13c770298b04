"""``FormatConformance``: a test class for formats that plugins offer.

The engine's exactness is not in question here, only what the format makes of its sources: which
texts it takes, token by token, and how it refuses what is wrong.
"""

from __future__ import annotations

import contextlib
import copy
import random
import types
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from formgate.core.compiler import build_grammar
from formgate.core.compiler import compile as compile_source
from formgate.core.errors import EmptyLanguageError, FormgateError, GrammarError
from formgate.core.registry import Format, Registry, default_registry, hookimpl
from formgate.core.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from formgate.core._native import Engine
    from formgate.core.grammar import GrammarBuilder

__all__ = ["FormatConformance", "FormatSample"]

_SPELLINGS = 4
_LONGEST_PIECE = 6
_MOST_PIECES = 400
_UNKNOWN_OPTION = "formgate_testing_no_such_option"
_ODD_SOURCES: tuple[Any, ...] = (
    None,
    3,
    2.5,
    b"\xff",
    object(),
    [],
    {},
    [None],
    {"a": object()},
    "\ud800",
    "\0",
    "",
)
_WRAPPER = "formgate-testing-wrapper"


@dataclass(frozen=True)
class FormatSample:
    """A source, with texts that it must take and refuse.

    Args:
        source: As given to ``formgate.compile``.
        accepted: Texts of its language.
        rejected: Texts outside of it.
        options: Options of the format.
    """

    source: Any
    accepted: Sequence[str] = ()
    rejected: Sequence[str] = ()
    options: Mapping[str, Any] = field(default_factory=dict)


class FormatConformance:
    """Tests of a format, for pytest or unittest.

    Inherit from it under a name that the test runner collects:

    Example:
        >>> class TestRegex(FormatConformance):
        ...     format = "regex"
        ...     samples = (FormatSample("a+", accepted=["a", "aa"], rejected=["", "b"]),)
        ...     malformed = ("(",)
        >>> TestRegex().test_accepted_texts()

    Attributes:
        format: Name of the format.
        plugin: The object with the hooks, registered in a registry of its own; None for a format
            that is installed.
        samples: What to try it with; the more kinds of source, the better.
        malformed: Sources that must be refused with ``GrammarError``.
    """

    format: ClassVar[str]
    plugin: ClassVar[object | None] = None
    samples: ClassVar[Sequence[FormatSample]] = ()
    malformed: ClassVar[Sequence[Any]] = ()

    def registry(self) -> Registry:
        """Return the registry that knows the format."""
        if self.plugin is None:
            return default_registry()
        registry = Registry(load=False)
        registry.register(self.plugin, name="plugin under test")
        return registry

    def test_it_is_registered(self) -> None:
        """The registry has the format, with one line that says what it is."""
        entry = self.registry().format(self.format)
        _expect(bool(entry.spec.description), f"the format {self.format!r} has no description")
        _expect(bool(self.samples), "no samples: nothing would be tested")

    def test_accepted_texts(self) -> None:
        """Every accepted text is in the language, and each of its prefixes begins one."""
        for sample in self.samples:
            engine = self._compiled(sample)
            for text in sample.accepted:
                _expect(engine.accepts(text), f"{sample.source!r} does not accept {text!r}")
                data = text.encode()
                for end in range(len(data)):
                    _expect(
                        engine.is_prefix(data[:end]),
                        f"{sample.source!r} accepts {text!r}, yet {data[:end]!r} begins no text",
                    )

    def test_accepted_texts_token_by_token(self) -> None:
        """Every accepted text can be written, however it is cut into tokens."""
        for sample in self.samples:
            engine = self._compiled(sample)
            vocabulary = _vocabulary(sample)
            for text in sample.accepted:
                for tokens in _spellings(vocabulary, text.encode()):
                    state = engine.start()
                    for token in tokens:
                        _expect(
                            token in engine.allowed_tokens(state),
                            f"{sample.source!r}: token {vocabulary.token_bytes(token)!r} of "
                            f"{text!r} is not allowed",
                        )
                        state = engine.advance(state, token)
                    _expect(
                        engine.is_accepting(state)
                        and set(vocabulary.stop_ids) <= set(engine.allowed_tokens(state).to_list()),
                        f"{sample.source!r}: the output cannot end after {text!r}",
                    )

    def test_rejected_texts_token_by_token(self) -> None:
        """No rejected text can be written: a token is forbidden, or the output cannot end."""
        for sample in self.samples:
            engine = self._compiled(sample)
            for text in sample.rejected:
                _expect(not engine.accepts(text), f"{sample.source!r} accepts {text!r}")
                for tokens in _spellings(_vocabulary(sample), text.encode()):
                    state, taken = engine.start(), engine.validate(engine.start(), tokens)
                    if taken == len(tokens):
                        state = engine.advance_many(state, tokens)
                        _expect(
                            not engine.is_accepting(state),
                            f"{sample.source!r}: {text!r} can be written with {tokens}",
                        )

    def test_compiling_is_repeatable(self) -> None:
        """Two compilations agree, and neither changes the source or the options."""
        for sample in self.samples:
            before = copy.deepcopy((sample.source, dict(sample.options)))
            first, second = self._compiled(sample), self._compiled(sample)
            _expect(
                first.start().key == second.start().key,
                f"{sample.source!r} compiled twice gives two languages",
            )
            _expect(
                (sample.source, dict(sample.options)) == before,
                f"compiling changed {sample.source!r} or its options",
            )

    def test_unknown_options_are_refused(self) -> None:
        """An option that the format never looks at is refused by name."""
        for sample in self.samples:
            try:
                self._compiled(sample, more={_UNKNOWN_OPTION: 1})
            except GrammarError as error:
                named = _UNKNOWN_OPTION in str(error)
                _expect(named, f"the error does not name the option: {error}")
            else:
                raise AssertionError(
                    f"{sample.source!r} compiled with an option that does not exist: read options "
                    "by name, never all of them"
                )

    def test_malformed_sources_are_refused(self) -> None:
        """A malformed source raises ``GrammarError`` with a place inside of it."""
        for source in self.malformed:
            try:
                build_grammar(source, format=self.format, registry=self.registry())
            except GrammarError as error:
                _expect(bool(error.reason.strip()), f"{source!r}: the error gives no reason")
                _expect(
                    self.format in "".join(getattr(error, "__notes__", ())),
                    f"{source!r}: the error does not say which format raised it",
                )
                if error.source is not None and error.offset is not None:
                    end = error.offset if error.end is None else error.end
                    _expect(
                        0 <= error.offset <= end <= len(error.source) + 1,
                        f"{source!r}: the place {error.offset} to {error.end} is outside of it",
                    )
            else:
                raise AssertionError(f"the malformed {source!r} was not refused")

    def test_odd_sources_raise_errors_of_the_package(self) -> None:
        """Sources of any kind compile or raise ``FormgateError`` or ``TypeError``."""
        for source in _ODD_SOURCES:
            try:
                build_grammar(source, format=self.format, registry=self.registry())
            except (FormgateError, TypeError):
                continue
            except Exception as error:
                raise AssertionError(f"{source!r} raises {error!r}") from error

    def test_errors_leave_nothing_behind(self) -> None:
        """After sources that were refused, good ones compile as if nothing had been."""
        registry = self.registry()
        keys = [self._compiled(sample).start().key for sample in self.samples]
        for source in (*self.malformed, *_ODD_SOURCES):
            try:
                build_grammar(source, format=self.format, registry=registry)
            except (FormgateError, TypeError):
                continue
        for sample, key in zip(self.samples, keys, strict=True):
            again = self._compiled(sample, registry=registry)
            _expect(again.start().key == key, f"{sample.source!r} compiles to another language now")

    def test_a_broken_neighbour_changes_nothing(self) -> None:
        """A plugin that fails half-way through registering does not take this format along."""
        registry = self.registry() if self.plugin is not None else Registry()

        @hookimpl
        def register_formats(register: Callable[[Format], None]) -> None:
            register(Format("formgate-testing-half", _refuse, description="never usable"))
            raise RuntimeError("broken on purpose")

        with contextlib.suppress(RuntimeError):
            registry.register(types.SimpleNamespace(register_formats=register_formats))
        for sample in self.samples:
            self._compiled(sample, registry=registry)
        names = {entry.spec.name for entry in registry.formats()}
        _expect("formgate-testing-half" not in names, "half a plugin stayed registered")

    def test_guessing_never_raises(self) -> None:
        """``guess`` answers True or False about anything at all."""
        guess = self.registry().format(self.format).spec.guess
        if guess is None:
            return
        for source in (*_ODD_SOURCES, *(sample.source for sample in self.samples)):
            answer = guess(source)
            _expect(isinstance(answer, bool), f"guess({source!r}) is {answer!r}, not a bool")

    def test_embedding(self) -> None:
        """Inside another format, a source means the same."""
        registry = self.registry() if self.plugin is not None else Registry()
        registry.register(self._wrapper(), name="wrapper")
        for sample in self.samples:
            engine = compile_source(sample, _vocabulary(sample), format=_WRAPPER, registry=registry)
            for text in sample.accepted:
                wrapped = f"<{text}>"
                _expect(engine.accepts(wrapped), f"embedded {sample.source!r} refuses {text!r}")
            for text in sample.rejected:
                wrapped = f"<{text}>"
                _expect(not engine.accepts(wrapped), f"embedded {sample.source!r} takes {text!r}")

    def _wrapper(self) -> types.SimpleNamespace:
        name = self.format

        def write(sample: Any, builder: GrammarBuilder, _: Mapping[str, object]) -> None:
            inner = builder.embed(name, sample.source, **sample.options)
            builder.start(builder.seq(builder.literal("<"), inner, builder.literal(">")))

        @hookimpl
        def register_formats(register: Callable[[Format], None]) -> None:
            register(Format(_WRAPPER, write, description="another format in angle brackets"))

        return types.SimpleNamespace(register_formats=register_formats)

    def _compiled(
        self,
        sample: FormatSample,
        *,
        registry: Registry | None = None,
        more: Mapping[str, Any] | None = None,
    ) -> Engine:
        return compile_source(
            sample.source,
            _vocabulary(sample),
            format=self.format,
            registry=self.registry() if registry is None else registry,
            **{**sample.options, **(more or {})},
        )


def _refuse(*_: object) -> None:
    raise EmptyLanguageError("there is nothing here")


def _expect(holds: bool, message: str) -> None:
    if not holds:
        raise AssertionError(message)


def _vocabulary(sample: FormatSample) -> Vocabulary:
    """Return all bytes, and pieces of the sample's texts, some cut inside of characters."""
    rng = random.Random(0)
    pieces: dict[bytes, None] = {bytes([byte]): None for byte in range(256)}
    texts = [text.encode() for text in (*sample.accepted, *sample.rejected)]
    for data in [f"<{text.decode()}>".encode() for text in texts] + texts:
        for _ in range(min(_MOST_PIECES, 2 * len(data))):
            begin = rng.randrange(len(data))
            pieces[data[begin : begin + rng.randint(2, _LONGEST_PIECE)]] = None
    pieces.pop(b"", None)
    return Vocabulary([*pieces, None], stop_ids=[len(pieces)])


def _spellings(vocabulary: Vocabulary, text: bytes) -> Iterator[list[int]]:
    """Yield some ways to write a text: its bytes, its longest tokens, and random ones."""
    tokens = [(token, vocabulary.token_bytes(token)) for token in range(len(vocabulary))]
    by_text = {data: token for token, data in tokens if data}
    rng = random.Random(text)
    for number in range(_SPELLINGS):
        found: list[int] = []
        at = 0
        while at < len(text):
            lengths = [
                length
                for length in range(1, _LONGEST_PIECE + 1)
                if at + length <= len(text) and text[at : at + length] in by_text
            ]
            length = {0: lengths[0], 1: lengths[-1]}.get(number, rng.choice(lengths))
            found.append(by_text[text[at : at + length]])
            at += length
        yield found
