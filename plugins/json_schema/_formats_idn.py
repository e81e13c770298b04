r"""``idn-hostname``: names of RFC 5890 to 5893, as far as they are written.

Whether a label is one depends on its spelling in Punycode, on Unicode normalisation and, in names
with letters that run from right to left, on all other labels. What is written are names that surely
conform:

- labels of ASCII letters and digits with single hyphens between;
- other labels of up to eight characters, whose Punycode cannot be longer than 63: of a delta below
  2**24 it has seven digits at most;
- of the characters that RFC 5892 permits, those that are no marks (so that every sequence of them
  is normalised), and viramas between two of them;
- middle dots, keraias, gereshes and joiners in the places that appendix A of RFC 5892 lists;
- letters from right to left (Hebrew and Arabic ones) in labels of their own, by the rules of
  RFC 5893, beside labels that begin with a letter of ASCII.

The categories are those of Unicode in the version of ``_ecma_tables``.
"""

from __future__ import annotations

from functools import cache

from formgate.plugins.json_schema._ecma_properties import property_set
from formgate.plugins.json_schema._strings import StringSet
from formgate.plugins.regex._ranges import ANY, Ranges, complement, normalise

__all__ = ["any_text", "idn_hostname"]

# RFC 5892, section 2.6, and blocks and scripts of other sections.
_VALID_BY_EXCEPTION = ((0xDF, 0xDF), (0x3C2, 0x3C2), (0xF0B, 0xF0B), (0x3007, 0x3007))
_DISALLOWED = (
    (0x640, 0x640), (0x7FA, 0x7FA), (0x302E, 0x302F), (0x3031, 0x3035), (0x303B, 0x303B),
    (0xB7, 0xB7), (0x375, 0x375), (0x5F3, 0x5F4), (0x660, 0x669), (0x6F0, 0x6F9), (0x30FB, 0x30FB),
    (0x1100, 0x11FF), (0xA960, 0xA97C), (0xD7B0, 0xD7FB), (0x20D0, 0x20FF), (0x1D100, 0x1D24F),
)  # fmt: skip
# Where characters that run from right to left, and Arabic numbers, are or will be.
_RIGHT_TO_LEFT = (
    (0x590, 0x8FF), (0xFB1D, 0xFDFF), (0xFE70, 0xFEFF), (0x10800, 0x10FFF), (0x1E800, 0x1EFFF),
)  # fmt: skip
_VIRAMAS = r"[\u094D\u09CD\u0A4D\u0ACD\u0B4D\u0BCD\u0C4D\u0CCD\u0D4D\u0DCA]"
# Arabic letters that join on both sides, and those that join to what comes before them.
_DUAL = r"[\u0626\u0628\u062A-\u062E\u0633-\u063F\u0641-\u0647\u0649\u064A]"
_JOINING = r"[\u0622-\u063F\u0641-\u064A]"

_DOT = r"[.\u3002\uFF0E\uFF61]"
_ASCII = "[A-Za-z0-9]{1,62}|[A-Za-z0-9](?:-?[A-Za-z0-9]){0,30}"


def _property(name: str) -> Ranges:
    """Return the code points of a property that there is."""
    return property_set(name) or ()


def _without(ranges: Ranges, *others: Ranges) -> Ranges:
    """Return what is in none of the others."""
    gone = normalise([span for other in (complement(ranges), *others) for span in other])
    return complement(gone)


@cache
def _permitted() -> Ranges:
    """Return what may stand anywhere in a label, marks aside (RFC 5892, section 3)."""
    letters = [_property(name) for name in ("Ll", "Lo", "Lm", "Nd")]
    stable = _without(
        normalise([span for ranges in letters for span in ranges]),
        _property("Changes_When_NFKC_Casefolded"),
        _property("Default_Ignorable_Code_Point"),
        _DISALLOWED,
    )
    return normalise([*stable, *_VALID_BY_EXCEPTION])


def _class(ranges: Ranges) -> str:
    """Return a class as it is written in a pattern."""
    return "[" + "".join(f"\\u{{{first:X}}}-\\u{{{last:X}}}" for first, last in ranges) + "]"


def _common(left: Ranges, right: Ranges) -> Ranges:
    """Return what is in both."""
    return _without(left, complement(right)) if right != ANY else left


def idn_hostname() -> StringSet:
    """Return names that surely conform."""
    permitted = _permitted()
    return StringSet.pattern(f"^(?:{_left_to_right(permitted)}|{_both_ways(permitted)})$")


def _left_to_right(permitted: Ranges) -> str:
    """Return names without characters from right to left."""
    plain = _without(permitted, _RIGHT_TO_LEFT)
    one = _class(plain)
    # Extended Arabic digits are numbers as European ones are; they meet no other Arabic ones.
    digits = f"(?:{one[:-1]}\\u06F0-\\u06F9])"
    east_asian = normalise(
        [span for name in ("Hira", "Kana", "Hani") for span in _property(f"sc={name}")]
    )
    kana = _class(_common(plain, east_asian))
    katakana_dot = f"{one[:-1]}\\u30FB]"
    greek = _class(_common(plain, _property("sc=Grek")))
    special = "|".join(
        [
            r"l\u00B7l(?:\u00B7l)?",
            rf"\u0375{greek}",
            rf"{one}{_VIRAMAS}[\u200C\u200D]?{one}",
        ]
    )
    label = "|".join(
        [
            _ASCII,
            f"{digits}{{1,8}}",
            f"{one}{{1,3}}-{one}{{1,4}}",
            f"{one}{{0,1}}(?:{special}){one}{{0,2}}",
            f"{katakana_dot}{{0,3}}{kana}{katakana_dot}{{0,4}}",
        ]
    )
    return f"(?:{label})(?:{_DOT}(?:{label})){{0,3}}|[A-Za-z0-9]{{63}}"


def _both_ways(permitted: Ranges) -> str:
    """Return names with labels of Hebrew and Arabic letters."""
    letters = normalise([*_property("sc=Hebr"), *_property("sc=Arab")])
    right = normalise([*_common(_common(permitted, letters), _RIGHT_TO_LEFT), (0x6FD, 0x6FE)])
    right = _without(right, _property("Nd"))
    one = _class(right)
    hebrew = _class(_common(right, _property("sc=Hebr")))
    rest = "|".join(
        [
            f"(?:{one[:-1]}\\u0660-\\u0669]){{0,7}}",
            f"(?:{one[:-1]}0-9]|[\\u06F0-\\u06F9]){{0,7}}",
        ]
    )
    label = "|".join(
        [
            f"{one}(?:{rest})",
            rf"{one}{{0,3}}{hebrew}[\u05F3\u05F4]{one}{{0,3}}",
            rf"{one}{{0,3}}{_DUAL}\u200C{_JOINING}{one}{{0,2}}",
        ]
    )
    ascii_label = "[A-Za-z](?:-?[A-Za-z0-9]){0,30}"
    any_label = f"(?:{label}|{ascii_label})"
    return f"{any_label}(?:{_DOT}{any_label}){{0,3}}"


def any_text() -> StringSet:
    """Return all that may conform."""
    return StringSet.ALL
