"""Terminals of a Lark grammar as nodes of a builder, and errors in them at their place."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from formgate.core.errors import GrammarError, UnsupportedConstraint
from formgate.core.grammar import GrammarBuilder
from formgate.plugins.cfg._scanner import find_lone_surrogate
from formgate.plugins.regex import compile_regex, compile_string

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from formgate.core.grammar import Node
    from formgate.plugins.cfg._lark_load import Terminal
    from formgate.plugins.cfg._lark_source import LarkSource, Part

__all__ = [
    "TerminalWriter",
    "called",
    "check_width",
    "in_part",
    "in_terminal",
    "unsupported_part",
]

_IN_PARTS = re.compile(r"in (%\w+(?: > (?:%\w+|\.\.\.))*): ")
_MOST_IN_PATH = 6


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
        if self.is_string(terminal):
            return self._literal(terminal)
        try:
            return compile_regex(terminal.regexp, self.builder, flags=self.flags)
        except GrammarError as error:
            raise self._refused(terminal, error, compile_regex) from None

    def lexeme(self, terminal: Terminal) -> Node:
        """Return the node of all texts that a terminal of a lexer matches in full.

        Raises:
            UnsupportedConstraint: It is a part in another format that is written with rules.
        """
        part = terminal.part
        if part is None:
            return self.pattern(terminal)
        before = self.builder.rules()
        node = self.pattern(terminal)
        if len(self.builder.rules()) > len(before):
            raise UnsupportedConstraint(
                f"%{part.name} makes rules of its own, and a terminal can have none",
                source=self.source.source,
                offset=part.place[0],
                end=part.place[1],
                hint="say lexing='any', or write the part as a regex: %regex /.../",
            )
        return node

    def matched(self, terminal: Terminal) -> tuple[Node, bool]:
        """Return a node of a terminal's lexemes, and whether ``re`` takes the longest of them.

        If not, look-ahead in it says which one ``re`` takes.
        """
        from formgate.plugins.regex import compile_lexeme  # noqa: PLC0415 (one way of three)

        if self.is_string(terminal):
            return self._literal(terminal), False
        try:
            return compile_lexeme(terminal.regexp, self.builder, flags=self.flags)
        except GrammarError as error:
            raise self._refused(terminal, error, compile_lexeme) from None

    def is_string(self, terminal: Terminal) -> bool:
        """Say whether a terminal is a string, in any case of its letters perhaps."""
        return terminal.literal is not None and not self.flags

    def _literal(self, terminal: Terminal) -> Node:
        """Return the node of a string.

        Raises:
            GrammarError: No text contains it.
        """
        text = terminal.literal or ""
        if find_lone_surrogate(text) is not None:
            from formgate.plugins.cfg._lark_faults import find_fault  # noqa: PLC0415 (errors only)

            found = find_fault(self.source)
            if found is not None:
                raise found
        # Strings have no other flag.
        return compile_string(text, self.builder, ignore_case="i" in terminal.flags)

    def _refused(
        self, terminal: Terminal, error: GrammarError, check: Callable[..., object]
    ) -> GrammarError:
        """Return the error for a terminal whose regex is refused when it is written."""
        spare = GrammarBuilder()
        return in_terminal(
            terminal,
            error,
            self.source,
            lambda regexp: check(regexp, spare, flags=self.flags),
        )

    def _part(self, part: Part) -> Node:
        """Return the node of a part in another format.

        Raises:
            GrammarError: It is wrong; the place is that in this grammar.
        """
        options = dict(part.options)
        if part.format == "lark":
            options = {**self._inner, "lexing": "any", **options}
        try:
            return self.builder.embed(part.format, part.source, **options)
        except GrammarError as error:
            raise in_part(part, error, self.source) from None


def called(terminal: Terminal) -> str:
    """Return what to call a terminal: its name, or what it is if lark has made up the name."""
    if not terminal.name.startswith("__"):
        return f"terminal {terminal.name}"
    if terminal.literal is not None:
        return f"the string {terminal.literal!r:.60}"
    return f"the regex /{terminal.regexp:.60}/"


def in_terminal(
    terminal: Terminal,
    error: GrammarError,
    source: LarkSource,
    check: Callable[[str], object],
) -> GrammarError:
    """Return the error for a terminal whose regex is refused.

    Args:
        terminal: The terminal.
        error: Why it is.
        source: The grammar.
        check: Raises that error for the regex, and says whether it does for a part of it.
    """
    from formgate.plugins.cfg._lark_faults import (  # noqa: PLC0415 (errors only)
        find_in_terminal,
    )

    found = find_in_terminal(terminal, source, check)
    if found is not None:
        return found
    if terminal.name.startswith("__"):
        what = "in a regex"
        shown = GrammarError("", source=error.source, offset=error.offset, end=error.end)
    else:
        what = f"in terminal {terminal.name}"
        shown = source.error_at("", terminal.name)
        if shown.source is None:  # it stands in an import
            shown = GrammarError("", source=error.source, offset=error.offset, end=error.end)
    return type(error)(
        f"{what}: {error.reason}",
        source=shown.source,
        offset=shown.offset,
        end=shown.end,
        hint=error.hint,
    )


def in_part(part: Part, error: GrammarError, source: LarkSource) -> GrammarError:
    """Return the error for a part in another format, at its place in the grammar around it."""
    begin, end = part.place
    span = error.span
    if part.inner is not None and span is not None and error.source == part.source:
        begin, end = part.inner + span[0], part.inner + span[1]
    inside = _IN_PARTS.match(error.reason) if part.format == "lark" else None
    path = [f"%{part.name}", *([] if inside is None else inside[1].split(" > "))]
    if len(path) > _MOST_IN_PATH or "..." in path:
        path[1:-1] = ["..."]
    return type(error)(
        f"in {' > '.join(path)}: {error.reason[0 if inside is None else inside.end() :]}",
        source=source.source,
        offset=begin,
        end=end,
        hint=error.hint,
    )


def check_width(terminal: Terminal, source: LarkSource) -> None:
    """Refuse a terminal that matches the empty text, as lark's lexers do.

    Raises:
        GrammarError: It does, or is no regex.
    """
    if terminal.part is not None:
        return
    if terminal.width is None:
        from formgate.plugins.cfg._lark_faults import (  # noqa: PLC0415 (errors only)
            check_with_re,
        )

        error = GrammarError("lark cannot say how long its texts are", source=terminal.regexp)
        try:
            check_with_re(terminal.regexp)
        except GrammarError as found:
            error = found
        raise in_terminal(terminal, error, source, check_with_re)
    if terminal.width[0] == 0:
        from formgate.plugins.cfg._lark_faults import place_of  # noqa: PLC0415 (errors only)

        offset, end = place_of(terminal, source)
        raise GrammarError(
            f"{called(terminal)} can match the empty text, which a lexer does not allow",
            source=terminal.regexp if offset is None else source.source,
            offset=0 if offset is None else offset,
            end=len(terminal.regexp) if offset is None else end,
            hint="have it match one character at least, and make it optional where it is used",
        )


def unsupported_part(
    part: Part,
    source: LarkSource,
    reading: str,
    hint: str = "say lexing='any', or lexing='longest' if it is to be one lexeme",
) -> UnsupportedConstraint:
    """Return the error for a part in another format where there is a lexer."""
    return UnsupportedConstraint(
        f"a part in another format, %{part.name}, cannot be read {reading}",
        source=source.source,
        offset=part.place[0],
        end=part.place[1],
        hint=hint,
    )
