r"""What follows a backslash in an ECMAScript pattern: characters, sets and properties.

Where the ``u`` flag would refuse an escape to which ECMA-262's Annex B gives a meaning, it has
that.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from formgate.core.errors import GrammarError, UnsupportedConstraint
from formgate.plugins.regex._ranges import Ranges, complement

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["NO_LINE_END", "WORD", "EscapeReader"]

DIGIT: Ranges = ((0x30, 0x39),)
WORD: Ranges = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
SPACE: Ranges = (
    (0x09, 0x0D), (0x20, 0x20), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A),
    (0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000), (0xFEFF, 0xFEFF),
)  # fmt: skip
NO_LINE_END = complement(((0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029)))
_SETS: Mapping[str, Ranges] = {
    "d": DIGIT,
    "D": complement(DIGIT),
    "w": WORD,
    "W": complement(WORD),
    "s": SPACE,
    "S": complement(SPACE),
}
_ESCAPABLE = r"^$\.*+?()[]{}|/"
_CONTROLS = {"f": 12, "n": 10, "r": 13, "t": 9, "v": 11}

# Letters that mean something after a backslash in other dialects, and nothing in this one.
_FOREIGN = "AEGKNQRXZaegzhHlLyY"

_ZERO = re.compile("0(?![0-9])")
_HEX4 = re.compile(r"[0-9a-fA-F]{4}")
_HEX2 = re.compile(r"[0-9a-fA-F]{2}")
_CODE_POINT = re.compile(r"\{([0-9a-fA-F]+)\}")
_LOW_HALF = re.compile(r"\\u([dD][c-fC-F][0-9a-fA-F]{2})")
_PROPERTY = re.compile(r"\{([A-Za-z0-9_]+(?:=[A-Za-z0-9_]+)?)\}")
_OCTAL = re.compile(r"[0-3][0-7]{0,2}|[4-7][0-7]?")


class EscapeReader:
    """Reads the escapes of one pattern.

    Where the ``u`` flag would refuse what is read, ``loose`` is set.
    """

    pattern: str
    loose: bool

    def fail(
        self, message: str, start: int, end: int | None = None, hint: str | None = None
    ) -> GrammarError:
        """Return an error about a span of the pattern."""
        return GrammarError(message, source=self.pattern, offset=start, end=end, hint=hint)

    def unsupported(self, message: str, start: int, end: int, hint: str) -> UnsupportedConstraint:
        """Return a refusal of what cannot be enforced."""
        return UnsupportedConstraint(message, source=self.pattern, offset=start, end=end, hint=hint)

    def escape(  # noqa: PLR0911 (one return for each kind of escape)
        self, start: int, *, in_class: bool
    ) -> tuple[int | Ranges, int]:
        """Read the escape at ``start``: a code point or a set, and where it ends."""
        pattern = self.pattern
        letter = pattern[start + 1 : start + 2]
        if not letter:
            raise self.fail("a backslash ends the pattern", start)
        if letter in _SETS:
            return _SETS[letter], start + 2
        if letter in _CONTROLS:
            return _CONTROLS[letter], start + 2
        if letter in "pP":
            return self.property(start)
        if in_class and letter == "b":
            return 8, start + 2
        if letter in "ux":
            found = self.unicode(start) if letter == "u" else self.hexadecimal(start)
            if found is not None:
                return found
        elif letter == "c":
            return self.control(start, in_class=in_class)
        elif (octal := _OCTAL.match(pattern, start + 1)) is not None:
            self.loose = self.loose or _ZERO.match(pattern, start + 1) is None
            return int(octal.group(), 8), octal.end()
        return self.identity(start, in_class=in_class)

    def identity(self, start: int, *, in_class: bool) -> tuple[int, int]:
        """Read an escaped character that stands for itself."""
        letter, end = self.pattern[start + 1], start + 2
        if letter in _FOREIGN:
            raise self.unsupported(
                f"\\{letter} means nothing in ECMAScript, and different things elsewhere",
                start,
                end,
                f"write {letter} for the letter, ^ and $ for the ends of the text",
            )
        self.loose = self.loose or letter not in (_ESCAPABLE + "-" if in_class else _ESCAPABLE)
        return ord(letter), end

    def hexadecimal(self, start: int) -> tuple[int, int] | None:
        r"""Read ``\x41``."""
        digits = _HEX2.match(self.pattern, start + 2)
        return None if digits is None else (int(digits.group(), 16), digits.end())

    def control(self, start: int, *, in_class: bool) -> tuple[int, int]:
        r"""Read ``\cA``, or the backslash alone where no letter follows."""
        letter = self.pattern[start + 2 : start + 3]
        if letter.isascii() and letter.isalpha():
            return ord(letter) % 32, start + 3
        self.loose = True
        if in_class and letter.isascii() and (letter.isdigit() or letter == "_"):
            return ord(letter) % 32, start + 3
        return ord("\\"), start + 1

    def property(self, start: int) -> tuple[Ranges, int]:
        r"""Read ``\p{..}`` or ``\P{..}``."""
        name = _PROPERTY.match(self.pattern, start + 2)
        if name is None:
            raise self.unsupported(
                r"\p is not followed by the name of a property in braces",
                start,
                start + 2,
                r"for example \p{L} or \p{Script=Greek}; p for the letter",
            )
        from formgate.plugins.json_schema._ecma_properties import property_set  # noqa: PLC0415

        found = property_set(name.group(1))
        if found is None:
            raise self.fail(
                f"{name.group(1)} is no property that ECMAScript knows",
                start,
                name.end(),
                r"names are matched exactly, as in \p{Lu} or \p{Script=Greek}",
            )
        if self.pattern[start + 1] == "P":
            found = complement(found)
        return found, name.end()

    def unicode(self, start: int) -> tuple[int, int] | None:
        r"""Read ``\u0041``, ``\u{41}``, or a pair of surrogates."""
        pattern = self.pattern
        braced = _CODE_POINT.match(pattern, start + 2)
        if braced is not None:
            digits = braced.group(1).lstrip("0")
            if len(digits) > 6 or int(digits or "0", 16) > 0x10FFFF:
                raise self.fail("no code point is that large", start, braced.end())
            return int(digits or "0", 16), braced.end()
        four = _HEX4.match(pattern, start + 2)
        if four is None:
            return None
        code, end = int(four.group(), 16), four.end()
        if 0xD800 <= code <= 0xDBFF:
            low = _LOW_HALF.match(pattern, end)
            if low is not None:
                code = 0x10000 + ((code - 0xD800) << 10) + int(low.group(1), 16) - 0xDC00
                end = low.end()
        return code, end
