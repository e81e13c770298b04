"""Random grammars, lexers, patterns and vocabularies; a failing one is made small by hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

from formgate.core.reference import Vocabulary

PIECES = ("a", "b", "ab", "aa*", "b(?:ab)*", "(?:a|b)b", "a(?:bb)?", "ba*b", "a?b")

bodies = st.lists(st.sampled_from(["s", "t", "u", "A", "B", "C"]), max_size=3).map(tuple)
grammars = st.fixed_dictionaries(
    {head: st.lists(bodies, min_size=1, max_size=2, unique=True) for head in "stu"}
)
lexers = st.lists(st.sampled_from(PIECES), min_size=3, max_size=3, unique=True).map(
    lambda chosen: dict(zip("ABC", chosen, strict=True))
)
vocabularies = (
    st.lists(st.text("ab", min_size=1, max_size=3), min_size=1, max_size=5, unique=True)
    .map(lambda texts: [text.encode() for text in texts])
    .map(Vocabulary.of)
)

# Characters of one to four bytes, so that tokens may end inside of one.
LETTERS = "abé漢😀"
_atoms = st.sampled_from([*LETTERS, ".", "[a-z]", "[^b]", "[é-漢]", "(?:ab|a)"])
_counts = st.sampled_from(["*", "+", "?", "{2}", "{1,3}", "{2,}"])
patterns = st.recursive(
    _atoms,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map("(?:{0[0]}|{0[1]})".format),
        st.tuples(inner, _counts).map("(?:{0[0]}){0[1]}".format),
    ),
    max_leaves=6,
)


@st.composite
def pieces_of_texts(draw):
    """Tokens cut anywhere from one text; some may be the same; the last has no text."""
    whole = draw(st.text(LETTERS, min_size=1, max_size=8)).encode()
    cuts = st.tuples(st.integers(0, len(whole) - 1), st.integers(1, 5))
    tokens = [whole[at : at + size] for at, size in draw(st.lists(cuts, min_size=1, max_size=8))]
    if draw(st.booleans()):
        tokens += [bytes([byte]) for byte in sorted(set(whole))]
    return [*tokens, None]
