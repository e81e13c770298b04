"""Every decoder of the tokenizers library: exact where we say so, refused otherwise.

The judge is the library itself: a chain that we accept is run by it on made-up token sequences, in
the middle of a text, and must emit the bytes we claim.
"""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formgate.core.errors import VocabularyError
from formgate.core.vocabulary._decoder import compile_decoder

tokenizers = pytest.importorskip("tokenizers")

MARK = "\u2581"
REPLACE = {"type": "Replace", "pattern": {"String": MARK}, "content": " "}
BYTES = {"type": "ByteFallback"}
FUSE = {"type": "Fuse"}
STRIP = {"type": "Strip", "content": " ", "start": 1, "stop": 0}
META = {"type": "Metaspace", "replacement": MARK, "prepend_scheme": "always", "split": True}
NEVER = META | {"prepend_scheme": "never"}
BYTE_LEVEL = {
    "type": "ByteLevel",
    "add_prefix_space": True,
    "trim_offsets": True,
    "use_regex": True,
}


def sequence(*steps):
    return {"type": "Sequence", "decoders": list(steps)}


ACCEPTED = {
    "byte level": BYTE_LEVEL,
    "llama": sequence(REPLACE, BYTES, FUSE, STRIP),
    "gemma": sequence(REPLACE, BYTES, FUSE),
    "metaspace": META,
    "metaspace never": NEVER,
    "metaspace, then bytes": sequence(META, BYTES, FUSE),
    "fused metaspace that never prepends": sequence(FUSE, NEVER),
    "fused metaspace, which drops all marks": sequence(FUSE, META),
    "fuse": FUSE,
    "empty sequence": sequence(),
    "nested": sequence(sequence(REPLACE), sequence(BYTES, sequence(FUSE))),
    "bytes alone": BYTES,
    "long pattern in each token": sequence(
        {"type": "Replace", "pattern": {"String": "ab"}, "content": "x"}, FUSE
    ),
    "one character of the whole text": sequence(FUSE, REPLACE),
    "strip in each token": {"type": "Strip", "content": "a", "start": 2, "stop": 0},
    "strip nothing": {"type": "Strip", "content": "a", "start": 0, "stop": 0},
    "replace before byte level": sequence(REPLACE, BYTE_LEVEL, FUSE),
}

WORDPIECE = {"type": "WordPiece", "prefix": "##", "cleanup": False}
CTC = {"type": "CTC", "pad_token": "<pad>", "word_delimiter_token": "|", "cleanup": False}

REFUSED = {
    "no decoder": (None, "joined with spaces"),
    "WordPiece": (WORDPIECE, "neither at the start of the text"),
    "CTC": (CTC, "merges repeated tokens"),
    "BPEDecoder": ({"type": "BPEDecoder", "suffix": "</w>"}, "end-of-word mark"),
    "hidden in a sequence": (sequence(REPLACE, sequence(CTC)), "merges repeated tokens"),
    "unknown": ({"type": "Reverse"}, "decoder step Reverse: this step is not known"),
    "regular expression": (
        {"type": "Replace", "pattern": {"Regex": "a+"}, "content": ""},
        "only replacing a plain string",
    ),
    "empty pattern": (
        {"type": "Replace", "pattern": {"String": ""}, "content": "x"},
        "only replacing a plain string",
    ),
    "replace after bytes": (sequence(BYTES, REPLACE), "comes after ByteFallback"),
    "replace across tokens": (
        sequence(FUSE, {"type": "Replace", "pattern": {"String": "ab"}, "content": "x"}),
        "across the borders of tokens",
    ),
    "replace after byte level": (sequence(BYTE_LEVEL, REPLACE), "comes after ByteLevel"),
    "metaspace after bytes": (sequence(BYTES, META), "comes after ByteFallback"),
    "bytes after fuse": (sequence(FUSE, BYTES), "after tokens have been put together"),
    "byte level after fuse": (sequence(FUSE, BYTE_LEVEL), "after tokens have been put together"),
    "byte level twice": (sequence(BYTE_LEVEL, BYTE_LEVEL), "after tokens have been put together"),
    "byte level after bytes": (sequence(BYTES, BYTE_LEVEL), "after tokens have been put together"),
    "strip on the right": (STRIP | {"stop": 1}, "a later token may follow"),
    "fused strip of letters": (sequence(FUSE, STRIP | {"content": "a"}), "start of the text"),
    "fused strip of two": (sequence(FUSE, STRIP | {"start": 2}), "start of the text"),
    "strip after bytes": (sequence(BYTES, STRIP), "runs of bytes are one token"),
}

PIECES = st.one_of(
    st.text(
        alphabet=["a", "b", MARK, " ", "Ġ", "é", "→", "<", "0", "x", "4", "1", ">"], max_size=6
    ),
    st.sampled_from(["<0x41>", "<0xc3>", "<0xA9>", "<0x+f>", "<0xzz>", "<0x4>", "<0xE2>", "ab"]),
)


def library_decode(decoder, pieces):
    """Decode as the library does in the middle of a text: after a token that is the letter q."""
    empty = {"type": "BPE", "vocab": {"q": 0}, "merges": []}
    base = {"version": "1.0", "added_tokens": [], "decoder": decoder, "model": empty}
    loaded = tokenizers.Tokenizer.from_str(json.dumps(base)).decoder
    text = loaded.decode(["q", *pieces])
    assert text.startswith("q")
    return text[1:]


def claimed(decoder, pieces):
    """Join the bytes we claim, shown as the library shows bytes that are not text."""
    decode = compile_decoder(decoder, "x")
    parts = [decode(piece) for piece in pieces]
    if "ByteFallback" not in json.dumps(decoder):
        return b"".join(parts).decode(errors="replace")
    # Each run of byte tokens is text as a whole, or as many replacement characters.
    shown, run = [], b""
    for piece, part in zip([*pieces, ""], [*parts, b""], strict=True):
        if re.fullmatch("<0x..>", piece) and len(part) == 1:
            run += part
            continue
        try:
            shown.append(run.decode())
        except UnicodeDecodeError:
            shown.append("\ufffd" * len(run))
        run = b""
        shown.append(part.decode())
    return "".join(shown)


@pytest.mark.parametrize("name", ACCEPTED)
def test_accepted_decoders_emit_the_claimed_bytes(name):
    decoder = ACCEPTED[name]

    @settings(max_examples=150, deadline=None)
    @given(st.lists(PIECES, max_size=6))
    def check(pieces):
        assert claimed(decoder, pieces) == library_decode(decoder, pieces)

    check()


@pytest.mark.parametrize("name", REFUSED)
def test_refused_decoders_say_why_and_what_to_do(name):
    decoder, reason = REFUSED[name]
    with pytest.raises(VocabularyError) as caught:
        compile_decoder(decoder, "my.json")
    message = str(caught.value)
    assert message.startswith("my.json: the bytes of its tokens cannot be known exactly")
    assert reason in message
    assert "pass the exact bytes yourself" in message


@pytest.mark.parametrize(
    ("decoder", "why"),
    [
        (CTC, ["a", "a"]),
        ({"type": "BPEDecoder", "suffix": "</w>"}, ["a</w>", "a</w>"]),
        (
            sequence(FUSE, {"type": "Replace", "pattern": {"String": "ab"}, "content": "x"}),
            ["a", "b"],
        ),
        (sequence(BYTES, REPLACE, FUSE), ["<0xE2>", "<0x96>", "<0x81>"]),
    ],
)
def test_refusals_are_deserved(decoder, why):
    """The library itself does not emit a concatenation for these."""
    separate = [library_decode(decoder, [piece]) for piece in why]
    assert library_decode(decoder, why) != "".join(separate)


def test_a_wordpiece_token_has_other_bytes_at_the_start_of_a_text():
    loaded = tokenizers.decoders.WordPiece(prefix="##", cleanup=False)
    assert loaded.decode(["##a"]) == "##a"
    assert loaded.decode(["q", "##a"]) == "qa"


@pytest.mark.parametrize("broken", [7, "ByteLevel", {}, {"type": 3}, sequence(None)])
def test_decoders_that_are_none(broken):
    with pytest.raises(VocabularyError, match="is not a decoder"):
        compile_decoder(broken, "my.json")
    with pytest.raises(VocabularyError, match="without a list"):
        compile_decoder({"type": "Sequence"}, "my.json")


def test_old_metaspace_settings():
    old = {"type": "Metaspace", "replacement": MARK, "add_prefix_space": False}
    assert compile_decoder(sequence(FUSE, old), "x")(f"{MARK}a") == b" a"
    assert (
        compile_decoder(sequence(FUSE, old | {"add_prefix_space": True}), "x")(f"{MARK}a") == b"a"
    )


def test_every_decoder_of_the_library_was_thought_of():
    kinds = {
        name
        for name in dir(tokenizers.decoders)
        if isinstance(getattr(tokenizers.decoders, name), type)
    } - {"Decoder", "DecodeStream"}
    text = json.dumps([ACCEPTED, REFUSED])
    assert {kind for kind in kinds if f'"{kind}"' not in text} == set()
