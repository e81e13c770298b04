"""Decoders of the ``tokenizers`` library, as exact bytes per token, or a reason why not.

A decoder is a chain of steps over the list of token strings. The bytes of a token are exact when
the whole chain is a concatenation: every token contributes the same bytes wherever it stands. The
chain is read with that question only:

========== =======================================================================================
step       exact when
========== =======================================================================================
ByteLevel  the tokens are still apart; a token with a character outside the alphabet is raw UTF-8
ByteFallback  the tokens are still apart; ``<0xHH>`` is a byte, other tokens are raw UTF-8
Replace    a plain string, replaced in each token by itself (before bytes are put together), or a
           single character
Metaspace  no bytes have been put together: the mark becomes a space
Strip      it strips tokens by themselves on the left, or one leading space of the whole text
Fuse       always
WordPiece, BPEDecoder, CTC, regular expressions, unknown steps, no decoder: never
========== =======================================================================================

What a decoder drops at the very start of a text (the space that SentencePiece puts there) is not
lost here: a constrained output continues a prompt, so a token ``▁Hello`` is `` Hello``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NoReturn

from formgate.core.errors import VocabularyError
from formgate.core.vocabulary._byte_level import byte_level
from formgate.core.vocabulary._table import shown

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["compile_decoder"]

# A leading plus sign is what the library's own number parser accepts.
_BYTE_TOKEN = re.compile(r"<0x([0-9A-Fa-f]{2}|\+[0-9A-Fa-f])>")
_REMEDY = (
    "pass the exact bytes yourself: Vocabulary(tokens, stop_ids=...), with what your own decoding "
    "emits for each id"
)
_HOPELESS = {
    "WordPiece": (
        "it puts a space before a word and drops a ## mark, but neither at the start of the text, "
        "so no id has bytes of its own"
    ),
    "BPEDecoder": (
        "it writes the end-of-word mark as a space except at the end of the text, so the last "
        "token's bytes depend on what follows"
    ),
    "CTC": "it merges repeated tokens, so the text is not the tokens' bytes in a row",
}


def compile_decoder(decoder: object, source: str) -> Callable[[str], bytes]:
    """Return the function from a token's string to the exact bytes it decodes to.

    Args:
        decoder: The ``decoder`` entry of a ``tokenizer.json``: an object with a ``type``.
        source: Where it was read from, for messages.

    Raises:
        VocabularyError: Some step makes a token's bytes depend on its neighbours; the message
            names the step and the reason.
    """
    chain = _Chain(source)
    if decoder is None:
        chain.refuse("no decoder", "tokens are joined with spaces that belong to no token")
    for step in _flatten(decoder, source):
        chain.add(step)
    return chain.finish()


def _flatten(decoder: object, source: str) -> list[dict[str, object]]:
    """Return the steps of a decoder in order, sequences opened."""
    steps: list[dict[str, object]] = []
    pending = [decoder]
    while pending:
        entry = pending.pop()
        if not isinstance(entry, dict) or not isinstance(entry.get("type"), str):
            raise VocabularyError(
                f"{source}: decoder: {shown(entry)} is not a decoder (an object with a type); "
                "the file is damaged, download it again"
            )
        if entry["type"] == "Sequence":
            inner = entry.get("decoders")
            if not isinstance(inner, list):
                raise VocabularyError(
                    f"{source}: decoder: Sequence without a list of decoders; the file is "
                    "damaged, download it again"
                )
            pending.extend(reversed(inner))
        else:
            steps.append(entry)
    return steps


class _Chain:
    """The steps seen so far: maps of single tokens, then how strings become bytes.

    Invariant: ``_bytes`` is None or the one step that turns strings into bytes; once it is set,
    characters may be made of several tokens, so no later step may look at characters. ``_fused``
    says that later steps see the whole text and not tokens.
    """

    def __init__(self, source: str) -> None:
        self._source = source
        self._maps: list[Callable[[str], str]] = []
        self._bytes: str | None = None
        self._fused = False

    def refuse(self, step: str, reason: str) -> NoReturn:
        raise VocabularyError(
            f"{self._source}: the bytes of its tokens cannot be known exactly: {step}: {reason}; "
            f"{_REMEDY}"
        )

    def add(self, step: dict[str, object]) -> None:
        kind = str(step["type"])
        if kind == "Fuse":
            self._fused = True
        elif kind in ("ByteLevel", "ByteFallback"):
            self._add_bytes(kind)
        elif kind == "Replace":
            self._add_replace(step)
        elif kind == "Metaspace":
            self._add_metaspace(step)
        elif kind == "Strip":
            self._add_strip(step)
        else:
            self.refuse(f"decoder step {kind}", _HOPELESS.get(kind, "this step is not known"))

    def finish(self) -> Callable[[str], bytes]:
        maps, to_bytes = tuple(self._maps), _TO_BYTES[self._bytes]
        if not maps:
            return to_bytes
        if len(maps) == 1:
            only = maps[0]
            return lambda token: to_bytes(only(token))

        def decode(token: str) -> bytes:
            for step in maps:
                token = step(token)
            return to_bytes(token)

        return decode

    def _add_bytes(self, kind: str) -> None:
        if self._bytes is not None or self._fused:
            self.refuse(f"decoder step {kind}", "it comes after tokens have been put together")
        self._bytes = kind
        self._fused = kind == "ByteLevel"  # it decodes all tokens to one string

    def _add_replace(self, step: dict[str, object]) -> None:
        pattern, content = step.get("pattern"), step.get("content")
        text = pattern.get("String") if isinstance(pattern, dict) else pattern
        if not isinstance(text, str) or not isinstance(content, str) or not text:
            self.refuse(
                f"decoder step Replace({shown(pattern)})", "only replacing a plain string is known"
            )
        if self._bytes is not None:
            self.refuse(
                f"decoder step Replace({text!r})",
                f"it comes after {self._bytes}, so it also replaces what byte tokens spell",
            )
        if self._fused and len(text) > 1:
            self.refuse(
                f"decoder step Replace({text!r})", "it matches across the borders of tokens"
            )
        self._maps.append(lambda token: token.replace(text, content))

    def _add_metaspace(self, step: dict[str, object]) -> None:
        mark = step.get("replacement", "\u2581")
        scheme = step.get("prepend_scheme")
        if scheme is None:
            scheme = "never" if step.get("add_prefix_space") is False else "always"
        if not isinstance(mark, str) or len(mark) != 1:
            self.refuse(f"decoder step Metaspace({shown(mark)})", "its mark is not one character")
        if self._bytes is not None:
            self.refuse(
                "decoder step Metaspace",
                f"it comes after {self._bytes}, so it also replaces what byte tokens spell",
            )
        # The first token loses its marks; after Fuse the whole text is the first token.
        space = "" if self._fused and scheme != "never" else " "
        self._maps.append(lambda token: token.replace(mark, space))

    def _add_strip(self, step: dict[str, object]) -> None:
        content, start, stop = step.get("content"), step.get("start"), step.get("stop")
        name = f"decoder step Strip({shown(content)}, {shown(start)}, {shown(stop)})"
        if not isinstance(content, str) or len(content) != 1:
            self.refuse(name, "its content is not one character")
        if start == 0 and stop == 0:
            return
        if not isinstance(start, int) or stop != 0:
            self.refuse(name, "it strips on the right, where a later token may follow")
        if self._fused:
            if content == " " and start == 1:
                return  # SentencePiece's leading space, at the start of the text only
            self.refuse(name, "it changes the start of the text by more than one space")
        if self._bytes is not None:
            self.refuse(name, f"it comes after {self._bytes}, where runs of bytes are one token")

        def strip(token: str) -> str:
            cut = len(token) - len(token.lstrip(content))
            return token[min(cut, start) :]

        self._maps.append(strip)


def _plain(token: str) -> bytes:
    return token.encode()


def _byte_level(token: str) -> bytes:
    mapped = byte_level(token)
    return token.encode() if mapped is None else mapped


def _byte_fallback(token: str) -> bytes:
    match = _BYTE_TOKEN.fullmatch(token)
    return token.encode() if match is None else bytes([int(match[1], 16)])


_TO_BYTES: dict[str | None, Callable[[str], bytes]] = {
    None: _plain,
    "ByteLevel": _byte_level,
    "ByteFallback": _byte_fallback,
}
