"""What Python says of the encodings that `contentEncoding` names, and texts in them."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Any

__all__ = ["DECODERS", "ENCODERS", "JUDGES", "is_quoted_printable"]


def decodes(decode: Any, text: str) -> bool:
    try:
        decode(text)
    except ValueError:
        return False
    return True


def is_base64(text: str) -> bool:
    # Python also takes "=" behind whole groups; RFC 4648 pads what is no whole group.
    whole = len(text) % 4 == 0
    return whole and decodes(lambda coded: base64.b64decode(coded, validate=True), text)


def is_base64url(text: str) -> bool:
    return not set(text) & set("+/") and is_base64(text.replace("-", "+").replace("_", "/"))


def are_octets_in_lines(octets: bytes) -> bool:
    lines = octets.split(b"\r\n")
    return all(len(line) <= 998 and not re.search(rb"[\0\r\n]", line) for line in lines)


def is_quoted_printable(text: str) -> bool:
    lines = text.split("\r\n")
    for number, line in enumerate(lines):
        left = line
        if line.endswith("=") and number + 1 < len(lines):
            left = line[:-1]
        elif line.endswith((" ", "\t")):
            return False
        plain = re.sub("=[0-9A-F]{2}", "", left)
        if len(line) > 76 or "=" in plain or re.search(r"[^\t -~]", plain):
            return False
    return True


JUDGES = {
    "base64": is_base64,
    "base64url": is_base64url,
    "base32": lambda text: decodes(lambda coded: base64.b32decode(coded, casefold=True), text),
    "base32hex": lambda text: decodes(
        lambda coded: base64.b32hexdecode(coded, casefold=True), text
    ),
    "base16": lambda text: decodes(lambda coded: base64.b16decode(coded, casefold=True), text),
    "quoted-printable": is_quoted_printable,
    "7bit": lambda text: text.isascii() and are_octets_in_lines(text.encode()),
    "binary": lambda _: True,
}
ENCODERS = {
    "base64": lambda data: base64.b64encode(data).decode(),
    "base64url": lambda data: base64.urlsafe_b64encode(data).decode(),
    "base32": lambda data: base64.b32encode(data).decode(),
    "base32hex": lambda data: base64.b32hexencode(data).decode(),
    "base16": lambda data: base64.b16encode(data).decode(),
    "quoted-printable": lambda data: re.sub(
        "\r?\n", "\r\n", binascii.b2a_qp(data, istext=False).decode()
    ),
}
DECODERS = {
    "base64": base64.b64decode,
    "base64url": base64.urlsafe_b64decode,
    "base32": lambda text: base64.b32decode(text, casefold=True),
    "base32hex": lambda text: base64.b32hexdecode(text, casefold=True),
    "base16": bytes.fromhex,
    "quoted-printable": binascii.a2b_qp,
    "7bit": str.encode,
    "binary": str.encode,
}
