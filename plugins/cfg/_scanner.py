"""A cursor over the text of a grammar, and errors that show the place."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from formgate.core.errors import GrammarError

if TYPE_CHECKING:
    from collections.abc import Callable, Container

__all__ = ["BYTE_ORDER_MARK", "MAX_COUNT", "Scanner", "find_lone_surrogate"]

BYTE_ORDER_MARK = "\ufeff"
MAX_COUNT = 2**31 - 1  # of a repetition

_DIGITS = frozenset("0123456789")
_MOST_DIGITS = 10
_SURROGATE = re.compile("[\ud800-\udfff]")


def find_lone_surrogate(text: str) -> int | None:
    """Return the place of the first lone surrogate of a text; None if it has none."""
    if text.isascii():
        return None
    found = _SURROGATE.search(text)
    return None if found is None else found.start()


class Scanner:
    """Reads a text from left to right.

    Args:
        source: The text.

    Raises:
        GrammarError: A byte order mark begins it, which no notation knows.
    """

    def __init__(self, source: str) -> None:
        if source.startswith(BYTE_ORDER_MARK):
            raise GrammarError(
                "a byte order mark, which cannot be seen, stands before the grammar",
                source=source,
                offset=0,
                hint="read the file with encoding='utf-8-sig', or leave the mark out",
            )
        self.source = source
        self.position = 0

    @property
    def at_end(self) -> bool:
        """Whether everything is read."""
        return self.position >= len(self.source)

    @property
    def peek(self) -> str:
        """The next character; empty at the end."""
        return self.source[self.position : self.position + 1]

    def peek_at(self, distance: int) -> str:
        """Return the character so many places on; empty beyond the end."""
        at = self.position + distance
        return self.source[at : at + 1]

    def next(self) -> str:
        """Return the next character and go past it."""
        char = self.source[self.position]
        self.position += 1
        return char

    def take(self, text: str) -> bool:
        """Go past a text if it is next."""
        if not self.source.startswith(text, self.position):
            return False
        self.position += len(text)
        return True

    def take_while(self, letters: Container[str]) -> str:
        """Return the longest text of given letters that is next, and go past it."""
        begin = self.position
        while not self.at_end and self.source[self.position] in letters:
            self.position += 1
        return self.source[begin : self.position]

    def take_number(self) -> int | None:
        """Return the decimal number that is next, if there is one, and go past it."""
        begin = self.position
        digits = self.take_while(_DIGITS)
        if len(digits) > _MOST_DIGITS:
            raise self.error("this number is too large", begin, self.position)
        return int(digits) if digits else None

    def take_ranges(
        self, begin: int, character: Callable[[], int], *, line_ends: str, hint: str
    ) -> list[tuple[int, int]]:
        """Take the rest of a class, up to its bracket: characters and ranges ``a-z``.

        Args:
            begin: Where the class begins, for errors.
            character: Takes one character and returns its code point.
            line_ends: Characters that a class cannot have as they are.
            hint: What to write in place of an empty class.

        Raises:
            GrammarError: The class is not closed or empty, or a range is in the wrong order.
        """
        ranges: list[tuple[int, int]] = []
        while not self.take("]"):
            if self.at_end or self.peek in line_ends:
                raise self.error("this class is not closed", begin)
            place = self.position
            low = high = character()
            # A line that ends here leaves the class open: that is told, and not what its end is.
            if self.peek == "-" and self.peek_at(1) not in ("]", "", *line_ends):
                self.take("-")
                high = character()
            if high < low:
                raise self.error(
                    "the ends of this range are in the wrong order", place, self.position
                )
            ranges.append((low, high))
        if not ranges:
            raise self.error("this class is empty", begin, self.position, hint=hint)
        return ranges

    def take_counts(self) -> tuple[int, int | None]:
        """Return the counts of the repetition ``{m}``, ``{m,}`` or ``{m,n}`` that is next.

        Raises:
            GrammarError: It is none of these, or a count is out of range.
        """
        begin = self.position
        self.take("{")
        self.skip_space(newlines=False)
        least = self.take_number()
        self.skip_space(newlines=False)
        most = least
        if least is not None and self.take(","):
            self.skip_space(newlines=False)
            most = self.take_number()
            self.skip_space(newlines=False)
        if least is None or not self.take("}"):
            raise self.error(
                "a count is {m}, {m,} or {m,n}",
                begin,
                self.position + 1,
                hint="write 0 where the lower bound is missing",
            )
        self.check_counts(least, most, begin)
        return least, most

    def check_counts(self, least: int, most: int | None, begin: int) -> None:
        """Refuse counts of a repetition, read since a place, that are out of order or too large.

        Raises:
            GrammarError: They are.
        """
        if most is not None and least > most:
            raise self.error(
                f"a repetition needs min <= max, not {least} and {most}", begin, self.position
            )
        if max(least, most or 0) > MAX_COUNT:
            raise self.error(
                f"this count is above the largest, {MAX_COUNT}",
                begin,
                self.position,
                hint="leave the upper bound out, or repeat a repeated group",
            )

    def take_quoted(self) -> str:
        """Return the text up to the quotation mark that is next and stands again on its line.

        There are no escapes. Both marks are gone past.

        Raises:
            GrammarError: It is not closed, or holds a lone surrogate.
        """
        begin = self.position
        quote = self.next()
        end = self.find(quote, self.position)
        if end < 0:
            raise self.error("this literal is not closed", begin)
        text = self.source[self.position : end]
        if (lone := _SURROGATE.search(text)) is not None:
            raise self.error(
                "a lone surrogate, which no well-formed text contains", begin + 1 + lone.start()
            )
        self.position = end + 1
        return text

    def take_newline(self) -> bool:
        """Go past a line break if it is next."""
        return self.take("\r\n") or self.take("\n") or self.take("\r")

    def skip_space(self, *, newlines: bool) -> None:
        """Go past blanks and ``#`` comments, and past line breaks where they mean nothing."""
        while not self.at_end:
            char = self.peek
            if char == "#":
                end = self.source.find("\n", self.position)
                self.position = len(self.source) if end < 0 else end
            elif char in " \t" or (newlines and char in "\r\n"):
                self.position += 1
            else:
                return

    def find(self, text: str, begin: int) -> int:
        """Return where a text stands on the line of a place, from there on; -1 if nowhere."""
        found = self.source.find(text, begin)
        return -1 if found < 0 or self.source.find("\n", begin, found) >= 0 else found

    def error(
        self, message: str, offset: int, end: int | None = None, *, hint: str | None = None
    ) -> GrammarError:
        """Return an error that shows a place of the text."""
        return GrammarError(message, source=self.source, offset=offset, end=end, hint=hint)
