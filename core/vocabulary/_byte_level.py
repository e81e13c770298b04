"""The byte-level alphabet: how GPT-2 style vocabularies write arbitrary bytes as characters.

Printable Latin-1 characters stand for themselves; the other 68 bytes are written, in order, as
U+0100 and up. Tokenizers, GGUF files of the ``gpt2`` kind and many others share this table.
Decoding is one C-level pass a token (about 0.3 microseconds).
"""

from __future__ import annotations

__all__ = ["ALPHABET", "byte_level"]


def _alphabet() -> list[str]:
    """Return the character that stands for each byte."""
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    rest = iter(range(0x100, 0x200))
    return [chr(byte) if byte in printable else chr(next(rest)) for byte in range(256)]


ALPHABET = _alphabet()

# Characters of the alphabet become Latin-1; Latin-1 characters outside of it become something that
# is not Latin-1, so that encoding fails on every unmapped character.
_TO_LATIN_1 = {
    **dict.fromkeys(range(256), "\uffff"),
    **{ord(character): chr(byte) for byte, character in enumerate(ALPHABET)},
}


def byte_level(text: str) -> bytes | None:
    """Return the bytes a token of the alphabet stands for; None if a character is not in it."""
    try:
        return text.translate(_TO_LATIN_1).encode("latin-1")
    except UnicodeEncodeError:
        return None
