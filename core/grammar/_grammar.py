"""``Grammar``: a finished description of a language, independent of any vocabulary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formgate.core import _native
from formgate.core.errors import CompileTimeout, GrammarError, LimitError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeAlias

    from formgate.core._native import CancelToken, Engine, GrammarCore, Limits, MaskOptions
    from formgate.core.errors import FormgateError

    LikelyText: TypeAlias = Callable[[int], str | bytes | Sequence[str | bytes]]

__all__ = ["Grammar", "LikelyText", "check_arguments"]


def check_arguments(timeout_s: object, cancel: object, limits: object) -> None:
    """Refuse arguments of ``compile`` that are of the wrong type or out of range.

    Raises:
        TypeError: One is of the wrong type.
        ValueError: ``timeout_s`` is not positive.
    """
    if timeout_s is not None:
        if isinstance(timeout_s, bool) or not isinstance(timeout_s, (int, float)):
            raise TypeError(f"timeout_s is a number of seconds, not {timeout_s!r:.60}")
        if not timeout_s > 0:
            raise ValueError(f"timeout_s must be positive, not {timeout_s}")
    if cancel is not None and not isinstance(cancel, _native.CancelToken):
        raise TypeError(f"cancel is a formgate.core.grammar.CancelToken, not {cancel!r:.60}")
    if limits is not None and not isinstance(limits, _native.Limits):
        raise TypeError(f"limits is a formgate.core.grammar.Limits, not {limits!r:.60}")


class Grammar:
    """What a front end wrote: rules and terminals, ready to compile against vocabularies.

    Made by ``GrammarBuilder.build``; immutable from then on.

    Attributes:
        name: What messages call it.
        format: The format that wrote it.
        source: What it was written from.
        reader: Turns a text of the language into the value it stands for, given options; None where
            the format knows no values. ``formgate.parse`` calls it.
        likely: Returns the beginning of a likely text, given how many characters of it; see
            ``GrammarBuilder.expect``. None where nothing is known.
        explain: Says of an error that ``compile`` raises what the source has to do with it, by
            changing its message, or by raising what is wrong instead; None where the format has
            nothing to say.
    """

    def __init__(
        self,
        core: GrammarCore,
        *,
        name: str | None = None,
        format: str | None = None,  # noqa: A002
        source: object = None,
    ) -> None:
        self.reader: Callable[[str, Mapping[str, object]], object] | None = None
        self.likely: LikelyText | None = None
        self._read_s = 0.0
        self.explain: Callable[[FormgateError], None] | None = None
        self._core = core
        self.name = name
        self.format = format
        self.source = source

    def compile(
        self,
        vocabulary: _native.Vocabulary,
        *,
        timeout_s: float | None = None,
        cancel: CancelToken | None = None,
        limits: Limits | None = None,
        options: MaskOptions | None = None,
    ) -> Engine:
        """Compile against a vocabulary; releases the interpreter lock meanwhile.

        Costs some microseconds plus, for intersections, complements and look-around, the
        exploration of their derivatives. Automata are built later, as far as texts walk them.

        Raises:
            UnsupportedConstraint: Unordered parts, special tokens, Boolean operators or look-around
                on recursive rules.
            EmptyLanguageError: No text of the language can be spelled.
            LimitError: A limit was exceeded; ``CompileTimeout`` when it was the deadline.
            CompileCancelled: ``cancel`` was used.
        """
        check_arguments(timeout_s, cancel, limits)
        if options is not None and not isinstance(options, _native.MaskOptions):
            raise TypeError(f"options is a formgate.core.grammar.MaskOptions, not {options!r:.60}")
        try:
            engine = self._core.compile(
                vocabulary,
                _native.Limits() if limits is None else limits,
                timeout_s,
                cancel,
                _native.MaskOptions() if options is None else options,
            )
        except (GrammarError, LimitError) as error:
            if self.explain is not None and not isinstance(error, CompileTimeout):
                self.explain(error)
            raise
        engine.grammar = self
        engine.format = self.format
        return engine

    def set_read_s(self, seconds: float) -> None:
        """Say how long it took to write this from its source."""
        self._read_s = seconds

    def take_read_s(self) -> float:
        """Return how long it took to write this, once; then 0: that time has been answered."""
        seconds, self._read_s = self._read_s, 0.0
        return seconds

    def rules(self) -> list[str]:
        """Return the names of the rules, in order of definition."""
        return list(self._core.rule_names)

    def dependencies(self) -> dict[str, list[str]]:
        """Return, for each rule, the rules it refers to; ``""`` stands for the start."""
        return {name: list(self._core.references(name)) for name in ["", *self._core.rule_names]}

    def __copy__(self) -> Grammar:
        return self

    def __deepcopy__(self, memo: object, /) -> Grammar:
        return self

    def __str__(self) -> str:
        """Return the grammar as text, one rule a line, cut after 20,000 characters."""
        return self._core.print(20_000)

    def __repr__(self) -> str:
        name = self.name or self.format or "unnamed"
        return f"<Grammar {name}: {len(self._core)} nodes, {len(self._core.rule_names)} rules>"
