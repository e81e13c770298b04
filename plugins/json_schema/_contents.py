r"""``contentEncoding`` and ``contentMediaType``, where they are asserted.

An encoding is a regular language: a set of strings made of patterns, as a format is. That of RFC
4648 is meant by ``base64`` and its like: no line breaks (3.1), padding (3.2), no character that is
not of the alphabet (3.3). Bits that padding leaves over may be any (3.5 leaves it to those who
decode whether to refuse them; Python does not). Base 16 and 32 are read in either case, as sections
6 and 8 have it. The other names are those of RFC 2045, of which the identities say something of
characters and lines alone.

What is in the strings is mostly no regular language. Where it can be told of a single text, it is
an atom of sets of strings that no grammar is written for: constants are decided, and the rest is
refused when it is written.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, cast

from formgate.core.errors import LimitError, UnsupportedConstraint
from formgate.plugins.json_schema._resolve import pointer
from formgate.plugins.json_schema._strings import StringSet
from formgate.plugins.json_schema._strings_keys import ALL, conjunction

if TYPE_CHECKING:
    from formgate.plugins.json_schema._states import Schemas, State
    from formgate.plugins.json_schema._strings_keys import Content, Key

__all__ = [
    "encoding_set",
    "has_content",
    "media_set",
    "place_of",
    "unwritten",
    "without_contents",
]

_HINT = 'content="annotate" leaves contentEncoding and contentMediaType out'

_OF_64 = "[A-Za-z0-9+/]"
_OF_64_URL = "[A-Za-z0-9_-]"
_OF_32 = "[A-Za-z2-7]"
_OF_32_HEX = "[0-9A-Va-v]"
_LINE_7BIT = r"[^\0\r\n\x80-\u{10ffff}]{0,998}"
_LINE_QP = r"[^\r\n]{0,76}"
# What ends in no blank; a soft line break is a "=" behind it, blanks between them or not.
_SECTION_QP = r"(?:[ \t]*(?:[!-<>-~]|=[0-9A-F]{2}))*"


def _base64(letter: str) -> str:
    return f"(?:{letter}{{4}})*(?:{letter}{{2}}(?:==|{letter}=))?"


def _base32(letter: str) -> str:
    two = f"{letter}{{2}}"
    last = f"{two}(?:={{6}}|{two}(?:={{4}}|{letter}(?:={{3}}|{two}=)))"
    return f"(?:{letter}{{8}})*(?:{last})?"


# What strings match in full; all of some patterns.
_ENCODINGS = {
    "base64": (_base64(_OF_64),),
    "base64url": (_base64(_OF_64_URL),),
    "base32": (_base32(_OF_32),),
    "base32hex": (_base32(_OF_32_HEX),),
    "base16": ("(?:[0-9A-Fa-f]{2})*",),
    "quoted-printable": (
        rf"(?:{_SECTION_QP}(?:[ \t]*=)?\r\n)*{_SECTION_QP}",
        rf"{_LINE_QP}(?:\r\n{_LINE_QP})*",
    ),
    "7bit": (rf"{_LINE_7BIT}(?:\r\n{_LINE_7BIT})*",),
    "binary": (),
}
_ALIASES = {"hex": "base16"}
_IDENTITIES = frozenset(["7bit", "8bit", "binary"])
_MOST_OCTETS = 998  # in a line of 8bit

_WORD = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_PARAMETER = rf'[ \t]*;[ \t]*({_WORD})=({_WORD}|"[^"\\\r\n]*")'
_MEDIA_TYPE = re.compile(rf"[ \t]*({_WORD}/{_WORD})((?:{_PARAMETER})*)[ \t]*")
_PARAMETERS = re.compile(_PARAMETER)

_JSON = "application/json"
_OCTETS = "application/octet-stream"
_TEXT = "text/plain"
_CHARSETS = {"utf-8": "utf-8", "us-ascii": "ascii"}


# --- sets ---


@cache
def encoding_set(name: str) -> StringSet:
    """Return the strings that are encoded in some way.

    Raises:
        UnsupportedConstraint: The encoding is not known.
    """
    known = _encoding(name)
    if known == "8bit":
        return _atom(known, _OCTETS)
    found = StringSet.ALL
    for pattern in _ENCODINGS[known]:
        found &= StringSet.pattern(f"^(?:{pattern})$")
    return found


def media_set(name: str, encoding: str | None) -> StringSet:
    """Return the strings whose content, encoded or not, is of a media type.

    Raises:
        UnsupportedConstraint: It cannot be decided of any string.
    """
    how = "" if encoding is None else _encoding(encoding)
    if how in _IDENTITIES:
        how = ""
    media = _media(name, encoded=bool(how))
    if media == _OCTETS or (media == "utf-8" and not how):
        return StringSet.ALL  # the rest is what the encoding says
    if media == "ascii" and not how:
        return StringSet.pattern(r"^[\0-\x7f]*$")
    return _atom(how, media)


def _atom(encoding: str, media: str) -> StringSet:
    """Return a set that no grammar is written for."""
    return StringSet(("content", (encoding, media), True))


def _encoding(name: str) -> str:
    """Return a known encoding by its name in any case."""
    known = _ALIASES.get(name.lower(), name.lower())
    if known not in _ENCODINGS and known != "8bit":
        names = ", ".join(sorted([*_ENCODINGS, "8bit"]))
        raise UnsupportedConstraint(
            f"{name!r:.60} is no encoding that is known; these are: {names}", hint=_HINT
        )
    return known


def _media(name: str, *, encoded: bool) -> str:
    """Return what is asked of the content: JSON, octets, or a charset of Python's."""
    match = _MEDIA_TYPE.fullmatch(name)
    kind = match[1].lower() if match else ""
    given = {
        key.lower(): value.strip('"').lower()
        for key, value in _PARAMETERS.findall(match[2] if match else "")
    }
    if kind == _JSON and given.keys() <= {"charset"}:  # which has no effect (RFC 8259, 11)
        return _JSON
    if kind == _OCTETS and not given:
        return _OCTETS
    if kind == _TEXT and given.keys() == {"charset"} and given["charset"] in _CHARSETS:
        return _CHARSETS[given["charset"]]
    if kind == _TEXT and not given and not encoded:
        return "utf-8"  # as a string of JSON is
    why = "in which charset is not said" if kind == _TEXT and not given else "cannot be checked"
    raise UnsupportedConstraint(f"content of the type {name!r:.60} {why}", hint=_HINT)


# --- single texts ---


def has_content(encoding: str, media: str, text: str) -> bool:
    """Say whether a text is encoded in some way, and what is encoded of a media type.

    Args:
        encoding: A name of an encoding; none for the text itself.
        media: What ``_media`` returns.
        text: The text.

    Raises:
        LimitError: It is JSON that is nested too deeply.
    """
    octets = _decoded(text, encoding)
    if octets is None or media == _OCTETS:
        return octets is not None
    try:
        content = octets.decode("utf-8" if media == _JSON else media)
    except UnicodeDecodeError:
        return False
    return media != _JSON or _is_json(content)


def _decoded(text: str, encoding: str) -> bytes | None:
    """Return the octets that a text stands for, None if it is not encoded so."""
    try:
        octets = text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        return None
    if encoding == "8bit":
        return octets if _are_lines(octets) else None
    if not encoding:
        return octets
    if not encoding_set(encoding).contains(text):
        return None
    import base64  # noqa: PLC0415 (rarely needed)
    from binascii import a2b_qp  # noqa: PLC0415

    decoders = {
        "base64": base64.b64decode,
        "base64url": base64.urlsafe_b64decode,
        "base32": lambda coded: base64.b32decode(coded, casefold=True),
        "base32hex": lambda coded: base64.b32hexdecode(coded, casefold=True),
        "base16": bytes.fromhex,
        "quoted-printable": a2b_qp,
    }
    return decoders[encoding](text)


def _are_lines(octets: bytes) -> bool:
    """Say whether octets are 8bit data (RFC 2045, 2.8)."""
    lines = octets.split(b"\r\n")
    return not any(len(line) > _MOST_OCTETS or set(line) & set(b"\0\r\n") for line in lines)


def _is_json(text: str) -> bool:
    """Say whether a text is JSON, as RFC 8259 has it."""
    import json  # noqa: PLC0415 (rarely needed)

    try:
        # Numbers stay texts: Python refuses integers of many digits.
        json.loads(text, parse_int=str, parse_float=str, parse_constant=_no_constant)
    except ValueError:
        return False
    except RecursionError:
        raise LimitError("JSON inside a string is nested too deeply to be checked") from None
    return True


def _no_constant(name: str) -> None:
    """Refuse NaN and the infinities, which Python takes for JSON."""
    raise ValueError(name)


# --- what is not written ---


def unwritten(encoding: str, media: str) -> UnsupportedConstraint:
    """Return the error for a set that no grammar is written for."""
    if encoding == "8bit":
        reason = "the encoding 8bit has lines of at most 998 octets, which no pattern counts"
    elif media == _JSON:
        coded = f" in {encoding}" if encoding else ""
        reason = f"content of the type {_JSON}: JSON{coded} inside a string is no regular language"
    else:
        charset = next(name for name, known in _CHARSETS.items() if known == media)
        reason = (
            f"content of the type {_TEXT}: no pattern says that {encoding} decodes to {charset}"
        )
    return UnsupportedConstraint(reason, hint=_HINT)


def place_of(content: Content, world: Schemas, state: State) -> str:
    """Return the place of such a part in a state: of the keyword, if just one there says it."""
    around = [f"{world.where([lit])}/" for lit in state.lits]
    places = {pointer(where) for said, where in world.contents if said == content}
    within = [place for place in places if place.startswith(tuple(around))]
    return within[0] if len(within) == 1 else world.where(state.lits) or "#"


def without_contents(strings: StringSet) -> tuple[StringSet, list[Content]]:
    """Return a set without such parts, which is no smaller, and these; negation stands at parts."""
    found: dict[Content, None] = {}
    key = _loosened(strings.key, found)
    return StringSet(key), sorted(found)


def _loosened(key: Key, found: dict[Content, None]) -> Key:
    """Return an expression in which such parts, which are noted, are all texts."""
    if key[0] == "content":
        found[cast("Content", key[1])] = None
        return ALL
    if key[0] not in ("and", "or"):
        return key
    parts = [_loosened(part, found) for part in cast("frozenset[Key]", key[1])]
    if key[0] == "and":
        return conjunction(parts)
    return ALL if ALL in parts else ("or", frozenset(parts))
