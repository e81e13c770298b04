r"""URIs, IRIs, URI templates and JSON Pointers: RFC 3986, 3987, 6570 and 6901.

The rules of the standards, brought together where that leaves the language as it is: after an
authority comes nothing or a slash and anything a path has; a relative reference begins with a
slash, or with a segment without a colon.
"""

from __future__ import annotations

from typing import NamedTuple

from formgate.plugins.json_schema._formats_net import IPV6
from formgate.plugins.json_schema._strings import StringSet

__all__ = [
    "iri",
    "iri_reference",
    "json_pointer",
    "relative_json_pointer",
    "uri",
    "uri_reference",
    "uri_template",
]

_PERCENT = "%[0-9A-Fa-f]{2}"
_PLAIN = r"A-Za-z0-9\-._~!$&'()*+,;="  # unreserved and sub-delims
_UCS = (
    r"\u00A0-\uD7FF\uF900-\uFDCF\uFDF0-\uFFEF"
    + "".join(rf"\u{{{plane:X}0000}}-\u{{{plane:X}FFFD}}" for plane in range(1, 14))
    + r"\u{E1000}-\u{EFFFD}"
)
_PRIVATE = r"\uE000-\uF8FF\u{F0000}-\u{FFFFD}\u{100000}-\u{10FFFD}"


class _Parts(NamedTuple):
    """What may follow a scheme or stand without one; only follow; only stand without; or end it."""

    both: str
    after_scheme: str
    relative: str
    tail: str


_SCHEME = r"[A-Za-z][A-Za-z0-9+\-.]*:"


def _parts(letters: str, private: str) -> _Parts:
    """Return the parts with more letters than ASCII has, and with more in a query."""
    plain = f"[{_PLAIN}{letters}]"
    segment = f"(?:[{_PLAIN}{letters}:@]|{_PERCENT})"
    path = f"(?:[{_PLAIN}{letters}:@/]|{_PERCENT})*"
    query = f"(?:[{_PLAIN}{letters}{private}:@/?]|{_PERCENT})*"
    fragment = f"(?:[{_PLAIN}{letters}:@/?]|{_PERCENT})*"
    user = f"(?:[{_PLAIN}{letters}:]|{_PERCENT})*@"
    future = rf"[Vv][0-9A-Fa-f]+\.[{_PLAIN}:]+"
    host = rf"(?:\[(?:{IPV6}|{future})\]|(?:{plain}|{_PERCENT})*)"
    authority = rf"//(?:{user})?{host}(?::\d*)?(?:/{path})?"
    absolute = f"/(?:{segment}{path})?"
    no_colon = f"(?:[{_PLAIN}{letters}@]|{_PERCENT})+(?:/{path})?"
    tail = rf"(?:\?{query})?(?:#{fragment})?"
    return _Parts(f"{authority}|{absolute}|", f"{segment}{path}", no_colon, tail)


def _identifier(letters: str, private: str) -> StringSet:
    """Return identifiers with a scheme."""
    parts = _parts(letters, private)
    return StringSet.pattern(f"^{_SCHEME}(?:{parts.both}|{parts.after_scheme}){parts.tail}$")


def _reference(letters: str, private: str) -> StringSet:
    """Return identifiers and relative references; the long parts of both stand there once."""
    parts = _parts(letters, private)
    after = f"{_SCHEME}{parts.after_scheme}"
    return StringSet.pattern(
        f"^(?:(?:{_SCHEME})?(?:{parts.both})|{after}|{parts.relative}){parts.tail}$"
    )


def uri() -> StringSet:
    """Return ``URI`` of RFC 3986."""
    return _identifier("", "")


def uri_reference() -> StringSet:
    """Return ``URI-reference`` of RFC 3986."""
    return _reference("", "")


def iri() -> StringSet:
    """Return ``IRI`` of RFC 3987."""
    return _identifier(_UCS, _PRIVATE)


def iri_reference() -> StringSet:
    """Return ``IRI-reference`` of RFC 3987."""
    return _reference(_UCS, _PRIVATE)


def uri_template() -> StringSet:
    """Return ``URI-Template`` of RFC 6570, with the apostrophe that its erratum 6937 adds."""
    literal = rf"[!#$&'(-;=?-\[\]_a-z~{_UCS}{_PRIVATE}]"
    letter = f"(?:[A-Za-z0-9_]|{_PERCENT})"
    name = rf"{letter}(?:\.?{letter})*"
    variable = rf"{name}(?:\*|:[1-9]\d{{0,3}})?"
    expression = rf"\{{[+#./;?&=,!@|]?{variable}(?:,{variable})*\}}"
    return StringSet.pattern(f"^(?:{literal}|{_PERCENT}|{expression})*$")


_POINTER = "(?:/(?:[^~]|~[01])*)?"


def json_pointer() -> StringSet:
    """Return JSON Pointers (RFC 6901, section 3)."""
    return StringSet.pattern(f"^{_POINTER}$")


def relative_json_pointer() -> StringSet:
    """Return relative JSON Pointers (draft-handrews-relative-json-pointer-01)."""
    return StringSet.pattern(rf"^(?:0|[1-9]\d*)(?:#|{_POINTER})$")
