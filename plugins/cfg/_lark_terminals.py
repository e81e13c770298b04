"""Terminals of a Lark grammar as nodes of a builder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formgate.core.errors import GrammarError, UnsupportedConstraint
from formgate.plugins.regex import compile_regex

if TYPE_CHECKING:
    from collections.abc import Mapping

    from formgate.core.grammar import GrammarBuilder, Node
    from formgate.plugins.cfg._lark_load import Terminal
    from formgate.plugins.cfg._lark_source import LarkSource, Part

__all__ = ["TerminalWriter", "check_width", "in_terminal", "unsupported_part"]


class TerminalWriter:
    """Writes the terminals of one grammar.

    Args:
        builder: Where to write.
        source: The grammar.
        flags: ``re`` flags that hold for all terminals.
        inner: Options for grammars inside this one.
    """

    def __init__(
        self,
        builder: GrammarBuilder,
        source: LarkSource,
        flags: int,
        inner: Mapping[str, object],
    ) -> None:
        self.builder = builder
        self.source = source
        self.flags = flags
        self._inner = inner

    def pattern(self, terminal: Terminal) -> Node:
        """Return the node of all texts that a terminal matches in full."""
        if terminal.part is not None:
            return self._part(terminal.part)
        if self.is_plain(terminal):
            return self.builder.literal(terminal.literal or "")
        try:
            return compile_regex(terminal.regexp, self.builder, flags=self.flags)
        except GrammarError as error:
            raise in_terminal(terminal, error) from None

    def first_match(self, terminal: Terminal) -> Node:
        """Return the node of the texts that ``re`` takes for a terminal, by what follows them."""
        from formgate.plugins.regex import compile_first_match  # noqa: PLC0415 (one way of three)

        if self.is_plain(terminal):
            return self.builder.literal(terminal.literal or "")
        try:
            return compile_first_match(terminal.regexp, self.builder, flags=self.flags)
        except GrammarError as error:
            raise in_terminal(terminal, error) from None

    def is_plain(self, terminal: Terminal) -> bool:
        """Say whether a terminal is a string that no flag changes."""
        return terminal.literal is not None and not terminal.flags and not self.flags

    def _part(self, part: Part) -> Node:
        """Return the node of a part in another format."""
        options = dict(part.options)
        if part.format == "lark":
            options = {**self._inner, "lexing": "any", **options}
        return self.builder.embed(part.format, part.source, **options)


def in_terminal(terminal: Terminal, error: GrammarError) -> GrammarError:
    """Return the error for a terminal whose regex is refused."""
    name = terminal.name
    what = "a regex" if name.startswith("__") else f"terminal {name}"
    return type(error)(
        f"in {what}: {error.reason}",
        source=error.source,
        offset=error.offset,
        end=error.end,
        hint=error.hint,
    )


def check_width(terminal: Terminal) -> None:
    """Refuse a terminal that matches the empty text, as lark's lexers do.

    Raises:
        GrammarError: It does, or is no regex.
    """
    if terminal.part is not None:
        return
    if terminal.width is None:
        raise GrammarError(
            f"terminal {terminal.name} is no regex that re takes", source=terminal.regexp
        )
    if terminal.width[0] == 0:
        raise GrammarError(
            f"terminal {terminal.name} can match the empty text, which a lexer does not allow: "
            f"{terminal.regexp:.80}",
            hint="have it match one character at least, and make it optional where it is used",
        )


def unsupported_part(part: Part, source: LarkSource, reading: str) -> UnsupportedConstraint:
    """Return the error for a part in another format where there is a lexer."""
    return UnsupportedConstraint(
        f"a part in another format, %{part.format}, cannot be read {reading}",
        source=source.source,
        offset=part.place[0],
        end=part.place[1],
        hint="say lexing='any'",
    )
