"""Every exception formgate raises, and nothing else.

One root, ``FormgateError``; below it one class per thing a caller can do something about. Each
also derives from the built-in that a caller would expect (``ValueError`` for a bad source,
``TimeoutError`` for a deadline), so code that knows nothing of formgate still catches it. Each can
be made from a message alone, which is how the native core raises them.

A message names what is wrong, where, and the way out; the same facts stand in attributes, so that
an editor or a server need not parse text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "AmbiguousPluginError",
    "CompileCancelled",
    "CompileTimeout",
    "EmptyLanguageError",
    "FormgateError",
    "GrammarError",
    "LimitError",
    "MissingDependencyError",
    "ParseError",
    "PluginError",
    "StateError",
    "TokenError",
    "UnsupportedConstraint",
    "VocabularyError",
]

_EXCERPT_COLUMNS = 70


class FormgateError(Exception):
    """Root of all errors raised by formgate: catch this to catch them all."""


class GrammarError(FormgateError, ValueError):
    """A source (a pattern, a grammar, a schema) is wrong.

    ``str(error)`` is the reason; then, when the place is known, its line and column, and the line
    of the source with a caret under the span; then the hint.

    Args:
        message: What is wrong, in one sentence.
        source: The text the error is about.
        offset: Index of the first offending character of ``source``.
        end: Index one past the last offending character; one character when left out.
        hint: What to do instead.
    """

    reason: str
    source: str | None
    offset: int | None
    end: int | None
    hint: str | None

    def __init__(
        self,
        message: str,
        *,
        source: str | None = None,
        offset: int | None = None,
        end: int | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message)
        self.reason = message
        self.source = source
        self.offset = offset
        self.end = end
        self.hint = hint

    @property
    def span(self) -> tuple[int, int] | None:
        """Half-open range of offending characters in ``source``, or None when not known."""
        if self.offset is None:
            return None
        return self.offset, self.offset + 1 if self.end is None else self.end

    def __str__(self) -> str:
        """Return the reason, the marked excerpt and the hint, each on lines of its own."""
        lines = [self.reason]
        span = self.span
        if self.source is not None and span is not None:
            lines += _marked_excerpt(self.source, *span)
        if self.hint is not None:
            lines.append(f"hint: {self.hint}")
        return "\n".join(lines)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle with the keyword-only fields, so that worker processes can send it back."""
        return _rebuild, (type(self), self.args, dict(self.__dict__))


class UnsupportedConstraint(GrammarError):  # noqa: N818 (a public name fixed by the design)
    """A source asks for what cannot be enforced exactly; nothing is loosened in silence."""


class EmptyLanguageError(GrammarError):
    """No text satisfies the constraint, or none that this vocabulary can spell."""


class VocabularyError(FormgateError, ValueError):
    """The exact bytes of a vocabulary's tokens are unknown or inconsistent."""


class TokenError(FormgateError, ValueError):
    """A token was fed that the constraint forbids; the state it was fed to remains good."""


class ParseError(FormgateError, ValueError):
    """An output is incomplete, not in the language, or refused by the type it stands for.

    Args:
        message: What is wrong, in one sentence.
        text: The output.
        offset: Index of the first wrong character of ``text``; its length where it goes on.
        path: Names and indices that lead to the wrong part of the value, where that is known.
        hint: What to do instead.
    """

    def __init__(
        self,
        message: str,
        *,
        text: str | None = None,
        offset: int | None = None,
        path: Sequence[str | int] = (),
        hint: str | None = None,
    ) -> None:
        super().__init__(message)
        self.reason = message
        self.text = text
        self.offset = offset
        self.path = tuple(path)
        self.hint = hint

    def __str__(self) -> str:
        """Return the reason, the marked excerpt and the hint, each on lines of its own."""
        lines = [self.reason]
        if self.text is not None and self.offset is not None:
            lines += _marked_excerpt(self.text, self.offset, self.offset + 1)
        if self.hint is not None:
            lines.append(f"hint: {self.hint}")
        return "\n".join(lines)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle with the keyword-only fields, so that worker processes can send it back."""
        return _rebuild, (type(self), self.args, dict(self.__dict__))


class StateError(FormgateError, ValueError):
    """A state was used with an engine that did not make it."""


class LimitError(FormgateError):
    """A stated limit was reached; the message names the limit and how to raise it."""


class CompileTimeout(LimitError, TimeoutError):  # noqa: N818 (named after the event, like TimeoutError)
    """Compiling did not finish before its deadline."""


class CompileCancelled(FormgateError):  # noqa: N818 (cancelling was asked for: not a fault)
    """Compiling was cancelled by its caller."""


class MissingDependencyError(FormgateError, ImportError):
    """An optional package is not installed; the message says which extra brings it."""


class PluginError(FormgateError):
    """A plugin could not be loaded, or offered something the registry cannot take.

    Args:
        message: What is wrong, in one sentence.
        plugin: The plugin's entry-point name.
        distribution: Name and version of the distribution it came in.
    """

    def __init__(
        self, message: str, *, plugin: str | None = None, distribution: str | None = None
    ) -> None:
        super().__init__(message)
        self.plugin = plugin
        self.distribution = distribution


class AmbiguousPluginError(PluginError, LookupError):
    """Two distributions offer one name; ask for ``distribution:name``.

    Args:
        message: What is ambiguous, in one sentence.
        candidates: The qualified names to choose from.
    """

    def __init__(self, message: str, *, candidates: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.candidates = tuple(candidates)


def _rebuild(
    cls: type[FormgateError], args: tuple[object, ...], fields: dict[str, object]
) -> FormgateError:
    """Make an unpickled error without running a subclass's constructor."""
    error = cls.__new__(cls, *args)
    error.__dict__.update(fields)
    return error


def _marked_excerpt(source: str, start: int, end: int) -> list[str]:
    """Return the line that holds ``start`` with its number, and a caret line under ``start:end``.

    Long lines are cut to the columns around the span. Characters that would break the alignment
    (tabs, control characters, separators) are shown as a middle dot of the same width.
    """
    start = min(max(start, 0), len(source))
    line_start = source.rfind("\n", 0, start) + 1
    line_end = source.find("\n", start)
    line_end = len(source) if line_end < 0 else line_end
    end = min(max(end, start + 1), max(line_end, start + 1))

    first = max(line_start, start - _EXCERPT_COLUMNS // 2)
    last = min(line_end, first + _EXCERPT_COLUMNS)
    first = max(line_start, min(first, last - _EXCERPT_COLUMNS))
    head = "..." if first > line_start else ""
    tail = "..." if last < line_end else ""
    shown = "".join(_printable(character) for character in source[first:last])

    before = len(head) + sum(_width(character) for character in shown[: start - first])
    marked = sum(_width(character) for character in shown[start - first : end - first])
    line = source.count("\n", 0, start) + 1
    place = f"line {line}, column {start - line_start + 1}: "
    indent = "  "
    return [
        f"{indent}{place}{head}{shown}{tail}",
        f"{indent}{' ' * (len(place) + before)}{'^' * max(marked, 1)}",
    ]


def _printable(character: str) -> str:
    """Return the character, or a middle dot where printing it would move what follows."""
    return character if character.isprintable() else "\u00b7"


def _width(character: str) -> int:
    """Return the terminal columns a printable character takes (0 for combining marks)."""
    import unicodedata  # noqa: PLC0415 (a shared library that only a failing compile needs)

    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
