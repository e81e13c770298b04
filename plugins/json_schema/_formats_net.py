r"""Hosts, addresses and mailboxes: RFC 1123, 2673, 4291, 5321, 6531 and 4122.

``hostname`` leaves out names with a label that begins with ``xn--``: whether such a label is one
depends on what Punycode makes of it, which no automaton of reasonable size can say.
``email`` is the rule Mailbox of RFC 5321, section 4.1.2, less the general address literal, for
which no tag but IPv6 is registered; the size limits of other sections are no part of it.
``idn-email`` adds what RFC 6531, section 3.3, adds to the rules.
"""

from __future__ import annotations

from formgate.plugins.json_schema._strings import StringSet

__all__ = [
    "IPV6",
    "email",
    "hostname",
    "idn_email",
    "ipv4",
    "ipv6",
    "looser_hostname",
    "uuid",
]

_OCTET = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_IPV4 = rf"{_OCTET}(?:\.{_OCTET}){{3}}"
_GROUP = "[0-9A-Fa-f]{1,4}"
_LAST_TWO = rf"(?:{_GROUP}:{_GROUP}|{_IPV4})"

# RFC 3986, section 3.2.2: the same addresses as RFC 4291, section 2.2.
IPV6 = (
    rf"(?:(?:{_GROUP}:){{6}}{_LAST_TWO}"
    rf"|::(?:{_GROUP}:){{5}}{_LAST_TWO}"
    rf"|(?:{_GROUP})?::(?:{_GROUP}:){{4}}{_LAST_TWO}"
    rf"|(?:(?:{_GROUP}:){{0,1}}{_GROUP})?::(?:{_GROUP}:){{3}}{_LAST_TWO}"
    rf"|(?:(?:{_GROUP}:){{0,2}}{_GROUP})?::(?:{_GROUP}:){{2}}{_LAST_TWO}"
    rf"|(?:(?:{_GROUP}:){{0,3}}{_GROUP})?::{_GROUP}:{_LAST_TWO}"
    rf"|(?:(?:{_GROUP}:){{0,4}}{_GROUP})?::{_LAST_TWO}"
    rf"|(?:(?:{_GROUP}:){{0,5}}{_GROUP})?::{_GROUP}"
    rf"|(?:(?:{_GROUP}:){{0,6}}{_GROUP})?::)"
)

_ATOM = r"A-Za-z0-9!#$%&'*+\-/=?^_`{|}~"
_QUOTED = r" !#-\[\]-~"
_BEYOND_ASCII = r"\u0080-\u{10FFFF}"
# RFC 5321 writes an octet with up to three digits, and lets "::" stand for two groups at least.
_MAIL_OCTET = r"(?:25[0-5]|2[0-4]\d|[01]?\d?\d)"
_MAIL_IPV4 = rf"{_MAIL_OCTET}(?:\.{_MAIL_OCTET}){{3}}"


def ipv4() -> StringSet:
    """Return dotted quads without leading zeros (RFC 2673, section 3.2)."""
    return StringSet.pattern(f"^{_IPV4}$")


def ipv6() -> StringSet:
    """Return the text forms of RFC 4291, section 2.2, without zones or prefixes."""
    return StringSet.pattern(f"^{IPV6}$")


def looser_hostname() -> StringSet:
    """Return the names of RFC 1123, section 2.1, whatever their labels mean."""
    label = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
    names = StringSet.pattern(rf"^{label}(?:\.{label})*$")
    return names & StringSet.length(1, 253)


def hostname() -> StringSet:
    """Return the names without labels in Punycode."""

    def rest(count: int) -> str:
        """Return what may follow so many characters of a label; its end is no hyphen."""
        return f"(?:[A-Za-z0-9-]{{0,{62 - count}}}[A-Za-z0-9])"

    # x, then n, then not two hyphens.
    third = f"[A-Za-z0-9]{rest(3)}?|-[A-Za-z0-9]{rest(4)}?"
    second = f"[A-MO-Za-mo-z0-9]{rest(2)}?|-{rest(2)}|[Nn](?:{third})?"
    label = f"(?:[A-WYZa-wyz0-9]{rest(1)}?|[Xx](?:{second})?)"
    return StringSet.pattern(rf"^{label}(?:\.{label})*$") & StringSet.length(1, 253)


def _mailbox(letters: str) -> StringSet:
    """Return mailboxes with more letters than ASCII has."""
    atom = f"[{_ATOM}{letters}]+"
    quoted = rf'"(?:[{_QUOTED}{letters}]|\\[ -~])*"'
    end = f"[A-Za-z0-9{letters}]"
    label = f"{end}(?:[A-Za-z0-9{letters}-]*{end})?"
    literal = rf"\[(?:{_MAIL_IPV4}|[Ii][Pp][Vv]6:{_mail_ipv6()})\]"
    return StringSet.pattern(
        rf"^(?:{atom}(?:\.{atom})*|{quoted})@(?:{label}(?:\.{label})*|{literal})$"
    )


def _mail_ipv6() -> str:
    """Return IPv6 addresses as RFC 5321, section 4.1.3, has them."""
    parts = [f"{_GROUP}(?::{_GROUP}){{7}}", f"{_GROUP}(?::{_GROUP}){{5}}:{_MAIL_IPV4}"]
    for count in range(7):
        before = f"{_GROUP}(?::{_GROUP}){{{count - 1}}}" if count else ""
        if count < 6:
            parts.append(f"{before}::(?:{_GROUP}(?::{_GROUP}){{0,{5 - count}}})?")
        else:
            parts.append(f"{before}::")
        if count < 5:
            parts.append(f"{before}::(?:{_GROUP}:){{0,{4 - count}}}{_MAIL_IPV4}")
    return "(?:" + "|".join(parts) + ")"


def email() -> StringSet:
    """Return the mailboxes of RFC 5321."""
    return _mailbox("")


def idn_email() -> StringSet:
    """Return the mailboxes of RFC 6531."""
    return _mailbox(_BEYOND_ASCII)


def uuid() -> StringSet:
    """Return UUIDs of any version and variant (RFC 4122, section 3)."""
    digit = "[0-9A-Fa-f]"
    return StringSet.pattern(f"^{digit}{{8}}-(?:{digit}{{4}}-){{3}}{digit}{{12}}$")
