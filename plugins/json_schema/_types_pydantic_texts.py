r"""Patterns (ECMA-262, whole texts) of strings that pydantic surely reads as values of its types.

JSON Schema has no format for most of them. Each is a sure subset with all that pydantic itself
writes, unless it says otherwise. They are written so that their automata stay small: alternatives
of fixed shape, no look-around.
"""

from __future__ import annotations

from functools import cache
from string import ascii_lowercase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = [
    "ASCII",
    "BASE64",
    "BASE64_URL",
    "BYTE_SIZE",
    "COMPLEX",
    "DURATION",
    "EMAIL",
    "FRACTION",
    "HEX",
    "IPV4",
    "IPV4_INTERFACE",
    "IPV6",
    "IPV6_INTERFACE",
    "NAIVE",
    "PYTHON_PATTERN",
    "base64_bytes",
    "ipv4_network",
    "ipv6_network",
    "url",
    "uuid",
    "whole",
]


def whole(*alternatives: str) -> str:
    """Return the pattern of texts that one of some expressions matches from end to end."""
    return f"^(?:{'|'.join(alternatives)})$"


ASCII = "^[\\x00-\\x7f]*$"
HEX = "[0-9a-fA-F]{2}"

# --- dates ---

# A date-time or a time of RFC 3339 that may lack its offset; the calendar is checked beside it.
_YEAR = "(?:[1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])"
_LEAP = (
    "(?:(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:0[48]|[2468][048]|[13579][26])00)-02-29)"
)
_DAY = (
    "(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
    "|02-(?:0[1-9]|1[0-9]|2[0-8]))"
)
DATE = f"(?:{_YEAR}-{_DAY}|{_LEAP})"
CLOCK = r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,6})?"
OFFSET = "(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
NAIVE = f"{DATE}[Tt]{CLOCK}"

# At most 999,999,999 days, in parts that pydantic takes each: hours and minutes below 2^32 seconds.
_SMALL_TIME = r"T(?:[0-9]{1,5}H(?:[0-9]{1,7}M)?(?:{s})?|[0-9]{1,7}M(?:{s})?|{s})".replace(
    "{s}", r"[0-9]{1,8}(?:\.[0-9]{1,6})?S"
)
_CLOCK_TIME = "T(?:{h}(?:{m})?(?:{s})?|{m}(?:{s})?|{s})"
for _name, _part in (
    ("{h}", "(?:[01]?[0-9]|2[0-3])H"),
    ("{m}", "[0-5]?[0-9]M"),
    ("{s}", r"[0-5]?[0-9](?:\.[0-9]{1,6})?S"),
):
    _CLOCK_TIME = _CLOCK_TIME.replace(_name, _part)
# Years count 365 days, so the longest is 2739726 years and 9 days; the least is whole days.
_LONG_YEARS = (
    "(?:[0-9]{1,6}|1[0-9]{6}|2[0-6][0-9]{5}|27[0-2][0-9]{4}|273[0-8][0-9]{3}|2739[0-6][0-9]{2})"
)
_DAYS = "[0-9]{1,8}D"
DURATION = whole(
    f"-?P(?:[0-9]{{1,4}}Y)?(?:[0-9]{{1,4}}M)?(?:[0-9]{{1,4}}W)?{_DAYS}(?:{_SMALL_TIME})?",
    f"-?P(?:[0-9]{{1,4}}Y(?:[0-9]{{1,4}}M)?(?:[0-9]{{1,4}}W)?|[0-9]{{1,4}}M(?:[0-9]{{1,4}}W)?"
    f"|[0-9]{{1,4}}W)(?:{_SMALL_TIME})?",
    f"-?P{_SMALL_TIME}",
    f"-?P{_LONG_YEARS}Y(?:[0-9]{{1,3}}D)?(?:{_CLOCK_TIME})?",
    f"-?P27397(?:[01][0-9]|2[0-5])Y(?:(?:[12]?[0-9]{{1,2}}|3[0-5][0-9]|36[0-4])D)?(?:{_CLOCK_TIME})?",
    f"P2739726Y(?:[0-9]D)?(?:{_CLOCK_TIME})?",
    f"-P2739726Y(?:[0-8]D)?(?:{_CLOCK_TIME})?",
    "-P2739726Y9D",
    f"P[0-9]{{9}}D(?:{_CLOCK_TIME})?",
    "-P[0-9]{9}D",
)

# --- numbers in strings ---

_REAL = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?"
_REALS = f"(?:{_REAL}|inf|NaN)"
COMPLEX = whole(f"[+-]?{_REALS}", f"[+-]?(?:{_REALS})?j", f"[+-]?{_REALS}[+-](?:{_REALS})?j")
FRACTION = whole(r"[+-]?[0-9]+(?:/0*[1-9][0-9]*)?", r"[+-]?[0-9]+\.[0-9]+")
BYTE_SIZE = r"(?:[0-9]{0,15}\.)?[0-9]{1,15}"

# --- bytes ---

_CLASSIC, _SAFE = "A-Za-z0-9+/", "A-Za-z0-9_-"
_ONE, _TWO = "[AQgw]", "[AEIMQUYcgkosw048]"  # the last digit of one byte, and of two


def base64_bytes(least: int = 0, most: int | None = None, *, classic: bool = True) -> list[str]:
    """Return the alternatives of the base64 of at least and at most so many bytes, padded."""
    digit = f"[{_CLASSIC if classic else _SAFE}]"
    found = []
    for left, rest in enumerate(("", f"{digit}{_ONE}==", f"{digit}{{2}}{_TWO}=")):
        low = max(0, -((left - least) // 3))
        high = None if most is None else (most - left) // 3
        if high is None or high >= low:
            found.append(f"(?:{digit}{{4}}){{{low},{'' if high is None else high}}}{rest}")
    return found


_DIGITS_64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


def _ascii_in_base64(last: str) -> str:
    """Return the pattern of base64 of bytes below 128; `last` holds the digits 62 and 63."""

    def without(bits: int) -> str:
        """Return the class of the digits that have none of some bits."""
        kept = [digit for at, digit in enumerate(_DIGITS_64 + last) if not at & bits]
        return f"[{''.join(sorted(kept))}]".replace("-", "\\-")

    # the first bit of each byte is one of the first, second and third digit
    group = f"{without(32)}{without(8)}{without(2)}{without(0)}"
    one = f"{without(32)}{without(15)}=="
    two = f"{without(32)}{without(8)}{without(3)}="
    return whole(f"(?:{group})*(?:{one}|{two})?")


BASE64 = _ascii_in_base64("+/")
BASE64_URL = _ascii_in_base64("-_")

# --- addresses ---

_OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
IPV4 = f"{_OCTET}(?:\\.{_OCTET}){{3}}"
_GROUP = "[0-9A-Fa-f]{1,4}"
IPV6 = (
    "(?:"
    + "|".join(
        [
            f"(?:{_GROUP}:){{7}}{_GROUP}",
            f"(?:{_GROUP}:){{1,7}}:",
            *(f"(?:{_GROUP}:){{1,{7 - n}}}(?::{_GROUP}){{1,{n}}}" for n in range(1, 7)),
            f":(?::{_GROUP}){{1,7}}",
            "::",
        ]
    )
    + ")"
)
IPV4_INTERFACE = f"{IPV4}(?:/(?:[12]?[0-9]|3[0-2]))?"
IPV6_INTERFACE = f"{IPV6}(?:/(?:[1-9]?[0-9]|1[01][0-9]|12[0-8]))?"


@cache
def ipv4_network() -> str:
    """Return the expression of networks whose bits beyond the prefix are zero, all there are."""
    ways = [f"{IPV4}(?:/32)?"]
    for size in range(32):
        octets, bits = divmod(size, 8)
        step = 1 << (8 - bits)
        values = "|".join(str(value) for value in range(0, 256, step))
        ways.append(f"(?:{_OCTET}[.]){{{octets}}}(?:{values}){'[.]0' * (3 - octets)}/{size}")
    return f"(?:{'|'.join(ways)})"


@cache
def ipv6_network() -> str:
    """Return the expression of networks that end in `::`, cut at whole digits, or of one address.

    Others are left out: what is written depends on where the zeros are.
    """
    ways = [f"{IPV6}(?:/128)?"]
    for size in range(0, 128, 4):
        groups, digits = divmod(size // 4, 4)
        heads = [":"]
        if groups:
            heads.append(f"(?:{_GROUP}:){{1,{groups}}}")
        if digits and groups < 7:
            cut = f"[0-9A-Fa-f]{{1,{digits}}}{'0' * (4 - digits)}:"
            heads.append(f"(?:{_GROUP}:){{{groups}}}{cut}")
        sizes = "|".join(str(size + more) for more in range(4))
        if groups > 5:  # a zero by itself is written out
            cut = f"(?:[0-9A-Fa-f]{{1,{digits}}}{'0' * (4 - digits)}|0)" if digits else "0"
            ways.append(f"(?:{_GROUP}:){{{groups}}}{cut}{':0' * (7 - groups)}/(?:{sizes})")
        ways.append(f"(?:{'|'.join(heads)}):/(?:{sizes})")
    return f"(?:{'|'.join(ways)})"


def uuid(version: int) -> str:
    """Return the pattern of UUIDs of a version, of the variant of RFC 9562."""
    digit = "[0-9A-Fa-f]"
    return whole(
        f"{digit}{{8}}-{digit}{{4}}-{version}{digit}{{3}}-[89ABab]{digit}{{3}}-{digit}{{12}}"
    )


# --- URLs ---

# No label is punycode, which may be wrong, and the last is no number. Said without look-ahead, as
# that would be costly beside lengths.
_ANY = "[A-Za-z0-9_-]*"


def _label(first: str) -> str:
    """Return the expression of labels that begin with one of some characters, or with an x."""
    last = f"(?:[A-Za-z0-9_]{_ANY}|-(?:[A-Za-z0-9_]{_ANY})?)?"
    return f"(?:[{first}]{_ANY}|[Xx](?:[A-MO-Za-mo-z0-9_-]{_ANY}|[Nn]{last})?)"


_LABEL = _label("A-WYZa-wyz0-9_-")
_LAST = _label("A-WYZa-wyz_")
_NAME = f"(?:{_LABEL}[.])*{_LAST}"
_HOST = f"(?:{_NAME}|{IPV4}|\\[{IPV6}\\])"
_PORT = "(?::(?:[0-9]{1,4}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?"
_PERCENT = "%[0-9A-Fa-f]{2}"
_PLAIN = "A-Za-z0-9._~!$&'()*+,;=\\-"
_USER = f"(?:(?:[{_PLAIN}:]|{_PERCENT})+@)?"
_WORD = f"(?:[{_PLAIN.replace(',', '')}]|{_PERCENT})"
_ONE_USER = f"(?:{_WORD}+(?::{_WORD}*)?@)?"  # beside hosts with commas between them
_PATH = f"(?:/(?:[{_PLAIN}:@/]|{_PERCENT})*)?"
_TAIL = f"(?:\\?(?:[{_PLAIN}:@/?]|{_PERCENT})*)?(?:#(?:[{_PLAIN}:@/?]|{_PERCENT})*)?"
_OPAQUE = f"(?:[{_PLAIN}:@]|{_PERCENT})(?:[{_PLAIN}:@/]|{_PERCENT})*"
_WITH_HOST = ("http", "https", "ws", "wss", "ftp")


def _not_among(names: Collection[str], end: str) -> str:
    """Return the expression of words that begin with a letter and are none of some.

    Args:
        names: The words left out, in any case of letters; in lower case here.
        end: The class of what may stand after the first letter, with all letters.
    """
    heads = sorted({name[0] for name in names})
    ways = [
        f"{_both(head)}{_unlike([name[1:] for name in names if name[0] == head], end)}"
        for head in heads
    ]
    return f"(?:{_but(heads, '')}[{end}]*|{'|'.join(ways)})"


def _unlike(ends: Collection[str], end: str) -> str:
    """Return the expression of what may follow a head so that none of some words is made."""
    heads = sorted({one[0] for one in ends if one})
    others = end.replace("A-Za-z", "")
    ways = [f"{_but(heads, others)}[{end}]*"]
    ways += [
        f"{_both(head)}{_unlike([one[1:] for one in ends if one[:1] == head], end)}"
        for head in heads
    ]
    return f"(?:{'|'.join(ways)}){'' if '' in ends else '?'}"


def _both(letter: str) -> str:
    return f"[{letter.upper()}{letter}]"


def _but(letters: Collection[str], others: str) -> str:
    """Return the class of all letters but some, and of others."""
    left = "".join(letter for letter in ascii_lowercase if letter not in letters)
    return f"[{left}{left.upper()}{others}]"


_OTHER_SCHEME = _not_among((*_WITH_HOST, "file"), "A-Za-z0-9+.-")


def url(schemes: Collection[str] | None, *, host: bool = False, several: bool = False) -> str:
    """Return the pattern of URLs that pydantic surely takes.

    Args:
        schemes: Those allowed; None for any.
        host: Whether there must be one.
        several: Whether there may be more than one, with commas between them.
    """
    names = (*_WITH_HOST, "file") if schemes is None else tuple(schemes)
    ways = []
    ordinary = [name for name in names if name in _WITH_HOST]
    others = [_escaped(name) for name in names if name not in (*_WITH_HOST, "file")]
    one = f"{_ONE_USER}{_HOST}{_PORT}" if several else f"{_USER}{_HOST}{_PORT}"
    hosts = f"{one}(?:,{one})*" if several else one
    if several:
        ordinary, others = [], [*map(_escaped, ordinary), *others]
    if ordinary:
        ways.append(f"(?:{'|'.join(ordinary)})://{hosts}{_PATH}{_TAIL}")
    if "file" in names:
        place = _NAME if host else f"(?:{_NAME})?"
        ways.append(f"file://{place}/(?:[{_PLAIN}:@/]|{_PERCENT})*{_TAIL}")
    scheme = _OTHER_SCHEME if schemes is None else f"(?:{'|'.join(others)})"
    if schemes is None or others:
        ways.append(f"{scheme}://{hosts}{_PATH}{_TAIL}")
        if not host and not several:
            ways.append(f"{scheme}:(?:{_OPAQUE})?{_TAIL}")
            ways.append(f"{scheme}:/(?:{_OPAQUE})?{_TAIL}")
    return whole(*ways)


# --- mail ---

# As email-validator has it: a name of 64 characters, and a domain whose last label is none of those
# that are reserved.
_ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]"
_DOMAIN_LABEL = "[A-Za-z0-9](?:-?[A-Za-z0-9]){0,31}"
_RESERVED = ("arpa", "invalid", "local", "localhost", "onion", "test")
EMAIL = (
    f"^(?:{_ATOM}{{1,64}}|{_ATOM}{{1,32}}[.]{_ATOM}{{1,31}}|{_ATOM}{{1,16}}(?:[.]{_ATOM}{{1,15}}){{2,3}})"
    f"@(?:{_DOMAIN_LABEL}[.]){{1,3}}{_not_among(_RESERVED, 'A-Za-z')}$"
)


def _escaped(text: str) -> str:
    """Return a scheme as an expression."""
    return text.replace("+", "[+]").replace(".", "[.]")


# Python's `re` refuses what ECMA-262 has of its own: named groups, properties, and references,
# which are left out with all other escapes of letters, and empty classes.
_ESCAPE = r"\\[^A-Za-z0-9]|\\[dDwWsStnrfv]"
PYTHON_PATTERN = (
    rf"^(?:[^\\(\[{{]|{_ESCAPE}|\\[bB]|\((?!\?)|\(\?[:=!]|\{{[0-9]{{1,4}}(?:,[0-9]{{0,4}})?\}}"
    rf"|\[\^?(?:[^\\\[\]^-]|\\[^A-Za-z0-9])(?:[^\\\[\]]|\\[^A-Za-z0-9])*\]"
    rf"|\[\^?(?:[^\\\[\]^-]|{_ESCAPE})(?:[^\\\[\]-]|{_ESCAPE})*\])*$"
)
