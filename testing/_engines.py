"""``EngineConformance``: a test class to inherit from, and the same as a function."""

from __future__ import annotations

import contextlib
import unittest
from typing import TYPE_CHECKING, Any, ClassVar

from formgate.core.errors import EmptyLanguageError, UnsupportedConstraint
from formgate.testing._brute_force import BruteForce
from formgate.testing._offered import OFFERED
from formgate.testing._promises import PROMISES
from formgate.testing._samples import SAMPLES
from formgate.testing._trials import Trial, Violation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from formgate.core.protocol import MaskEngine
    from formgate.testing._samples import Sample

__all__ = ["EngineConformance", "engine_violations"]

_MOST_SHOWN = 5


def engine_violations(
    make_engine: Callable[[Sample], MaskEngine[Any]],
    samples: Sequence[Sample] = SAMPLES,
    *,
    promises: Sequence[str] | None = None,
) -> Iterator[Violation]:
    """Yield every broken promise of an engine.

    Args:
        make_engine: Makes the engine of a sample. It raises ``EmptyLanguageError`` where no tokens
            spell a text, and ``UnsupportedConstraint`` for samples it does not understand; these
            are passed over.
        samples: What to try it with.
        promises: Names of promises; by default all of ``PROMISES``, all of ``OFFERED`` that the
            engine has, and "empty language".

    Raises:
        KeyError: A promise has no such name.
        Exception: Whatever the engine raises where it must not raise at all.

    Cost: 10 to 600 ms a sample for an engine that answers in microseconds; the judge's enumeration
    takes most of it.
    """
    everything = [*PROMISES, *OFFERED, _EMPTY]
    names = everything if promises is None else promises
    for name in names:
        if name not in everything:
            raise KeyError(f"there is no promise {name!r}, only {', '.join(everything)}")
    for sample in samples:
        with contextlib.suppress(UnsupportedConstraint):
            yield from _of_sample(make_engine, sample, names)


def _of_sample(
    make_engine: Callable[[Sample], MaskEngine[Any]], sample: Sample, names: Sequence[str]
) -> Iterator[Violation]:
    """Yield the promises broken with one sample."""
    is_empty = BruteForce(sample).is_empty
    refused: str | None = None
    try:
        engine = make_engine(sample)
    except EmptyLanguageError as error:
        refused = str(error)
    if is_empty or refused is not None:
        if _EMPTY in names and refused is not None and not is_empty:
            detail = f"tokens spell a text, yet it was refused: {refused}"
            yield Violation(_EMPTY, sample.name, (), b"", detail)
        if _EMPTY in names and refused is None:
            detail = "no tokens spell any text, yet it was made: EmptyLanguageError is due"
            yield Violation(_EMPTY, sample.name, (), b"", detail)
        return
    trial = Trial(lambda: make_engine(sample), engine, sample)
    for name in names:
        if name in PROMISES:
            yield from PROMISES[name](trial)
        elif name != _EMPTY and hasattr(engine, name):
            yield from OFFERED[name](trial)


_EMPTY = "empty language"


class EngineConformance:
    """Tests of a mask engine, for pytest or unittest.

    Inherit from it under a name that the test runner collects, and say how to make an engine:

    Example:
        >>> from formgate.core.reference import ReferenceEngine
        >>> class TestReference(EngineConformance):
        ...     def make_engine(self, sample):
        ...         return ReferenceEngine.from_regex(sample.source, sample.vocabulary)
        >>> TestReference().test_end()

    Attributes:
        samples: What to try it with: ``SAMPLES`` by default, whose sources are patterns.
            ``NESTED_SAMPLES`` has languages for engines of grammars; or make your own.
    """

    samples: ClassVar[Sequence[Sample]] = SAMPLES

    def make_engine(self, sample: Sample) -> MaskEngine[Any]:
        """Return the engine of ``sample.source`` over ``sample.vocabulary``.

        Raises:
            UnsupportedConstraint: The engine does not understand the source: it is passed over.
            EmptyLanguageError: No sequence of tokens spells a text of the language.
        """
        raise NotImplementedError(f"{type(self).__name__} must define make_engine(self, sample)")

    def test_it_understands_some_sample(self) -> None:
        """A class whose engine understands no sample would pass all other tests."""
        understood = 0
        for sample in self.samples:
            try:
                self.make_engine(sample)
            except (UnsupportedConstraint, EmptyLanguageError):
                continue
            understood += 1
        if not understood:
            raise AssertionError(f"none of {len(self.samples)} samples could be made an engine of")

    def test_sound(self) -> None:
        """An allowed token can be completed, by tokens, to a text of the language."""
        self._check("sound")

    def test_complete(self) -> None:
        """Every token that can be completed is allowed."""
        self._check("complete")

    def test_end(self) -> None:
        """Every stop id is allowed, and the state accepting, exactly where the text is complete."""
        self._check("end")

    def test_no_dead_end(self) -> None:
        """No mask is empty before the output has ended."""
        self._check("no dead end")

    def test_ended(self) -> None:
        """After a stop id comes a state that is terminal, accepting, and allows nothing."""
        self._check("ended")

    def test_terminal(self) -> None:
        """A state is terminal exactly where nothing but the end may come."""
        self._check("terminal")

    def test_path_independence(self) -> None:
        """Two spellings of one text lead to equal keys, masks and ends."""
        self._check("path independence")

    def test_keys(self) -> None:
        """Equal keys mean equal futures."""
        self._check("keys")

    def test_refusal(self) -> None:
        """A token that is not allowed raises ``ValueError``, and the state stays good."""
        self._check("refusal")

    def test_no_history(self) -> None:
        """A mask is a function of the state: earlier queries and their order change nothing."""
        self._check("no history")

    def test_threads(self) -> None:
        """Threads that share an engine get the answers that one alone gets."""
        self._check("threads")

    def test_masks(self) -> None:
        """A mask speaks of the whole vocabulary, and all ways to read it agree."""
        self._check("masks")

    def test_rollback(self) -> None:
        """Accepting, rolling back and forking in any order leads to the same masks."""
        self._check("rollback")

    def test_empty_language(self) -> None:
        """An engine is refused exactly where no sequence of tokens spells a text."""
        self._check(_EMPTY)

    def test_is_allowed(self) -> None:
        """``is_allowed`` agrees with the mask."""
        self._check_offered("is_allowed")

    def test_validate(self) -> None:
        """``validate`` counts the leading tokens that could be accepted."""
        self._check_offered("validate")

    def test_advance_many(self) -> None:
        """``advance_many`` is one ``advance`` after the other."""
        self._check_offered("advance_many")

    def test_fill_mask(self) -> None:
        """``fill_mask`` writes the mask to one row and no other."""
        self._check_offered("fill_mask")

    def test_fill_masks(self) -> None:
        """``fill_masks`` writes one mask a row, whatever the batch is."""
        self._check_offered("fill_masks")

    def test_forced_text(self) -> None:
        """Every complete continuation begins with ``forced_text``."""
        self._check_offered("forced_text")

    def test_min_tokens(self) -> None:
        """``min_tokens`` is the least number of text tokens to a complete text."""
        self._check_offered("min_tokens")

    def test_accepts(self) -> None:
        """``accepts`` is membership in the language."""
        self._check_offered("accepts")

    def test_is_prefix(self) -> None:
        """``is_prefix`` holds for whatever tokens can complete."""
        self._check_offered("is_prefix")

    def _check(self, promise: str) -> None:
        found = list(engine_violations(self.make_engine, self.samples, promises=[promise]))
        if found:
            rest = len(found) - _MOST_SHOWN
            lines = [str(violation) for violation in found[:_MOST_SHOWN]]
            lines += [f"and {rest} more"] if rest > 0 else []
            raise AssertionError("\n".join(lines))

    def _check_offered(self, method: str) -> None:
        for sample in self.samples:
            try:
                engine = self.make_engine(sample)
            except (UnsupportedConstraint, EmptyLanguageError):
                continue
            if not hasattr(engine, method):
                raise unittest.SkipTest(f"this engine does not offer {method}")
            break
        self._check(method)
