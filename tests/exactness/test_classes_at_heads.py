"""Masks of states that begin with a class: what is told by the length of a token alone, and not.

The vocabulary is large enough that tables of classes are asked, and has tokens that are longer than
repetitions, leave a class, and lie in it in part only.
"""

from __future__ import annotations

import random

from hypothesis import example, given
from hypothesis import strategies as st
from oracle.compare import Comparison
from oracle.from_re import tree_of_pattern
from oracle.native import compile_with_switches, try_oracle
from oracle.strategies import TinyVocabulary, examples

LATIN = "abcdefghijklmnopqrstuvwxyz"
CYRILLIC = "абвгдежзик"


def vocabulary():
    draw = random.Random(7)
    letters = list(LATIN) + list(CYRILLIC) + list("AZ.-@1 ")
    texts = dict.fromkeys(letters)
    texts |= dict.fromkeys(one + other for one in LATIN for other in LATIN)
    texts |= dict.fromkeys(one + other for one in CYRILLIC for other in CYRILLIC)
    for _ in range(900):
        size = draw.choice((3, 3, 4, 5, 6, 9, 13))
        texts["".join(draw.choices(LATIN, k=size))] = None
        texts["".join(draw.choices(CYRILLIC + "а", k=draw.randint(3, 5)))] = None
        texts["".join(draw.choices(letters, k=draw.randint(2, 4)))] = None
        texts["".join(draw.choices(LATIN, k=draw.randint(1, 3))) + draw.choice(".-@1 ")] = None
    tokens = [text.encode() for text in texts]
    tokens += ["а".encode()[:1], "а".encode()[1:], "zа".encode()[:2]]
    return TinyVocabulary((None, *tokens), (0,))


VOCABULARY = vocabulary()

LATIN_CLASSES = ["[a-z]", "[b-z]", "[a-zA-Z]", "[a-yA]", "[a-z.]", "[a-z-]"]
CLASSES = st.sampled_from([*LATIN_CLASSES, "[а-и]", "[а-к]", "[а-вa-z]", "[^@]"])


@st.composite
def parts(draw):
    one, other = draw(CLASSES), draw(CLASSES)
    few = draw(st.integers(0, 5))
    many = few + draw(st.integers(0, 9))
    forms = [
        one,
        f"{one}{{{few},{many}}}",
        f"({one}{{{few + 1}}})*",
        f"({one}{{{few},{many}}}{other})?",
        f"({one}{other})+",
        f"({one}|{other}{{{few},{many}}})",
        f"(?={one})[a-zа-к]{{1,{many + 1}}}",
        draw(st.sampled_from(["@", "\\.", "-", "1", "ab", "(ab|[b-z]c)", " "])),
    ]
    return draw(st.sampled_from(forms))


@examples(120)
@given(st.lists(parts(), min_size=1, max_size=4).map("".join))
@example("([a-zA-Z]{4})*([a-zA-Z]{2}@@|[a-zA-Z]{3}@)?")
@example("[a-z]([a-z.-]{0,6}[a-z])?@[a-z]{2,4}")
@example("[a-z]{1,3}[a-z.]{2}[a-y]@")
@example("[a-zA]{2,3}([b-z]{0,2}1)?")
@example("[а-и]*(@? [а-к]{1,3}){1,2}")
def test_masks(pattern):
    oracle = try_oracle(tree_of_pattern(pattern), VOCABULARY, budget=60)
    if oracle is None or oracle.is_empty:
        return
    engine = compile_with_switches(pattern, VOCABULARY, {})
    comparison = Comparison(engine, oracle, len(VOCABULARY.tokens), repr(pattern))
    for visit in comparison.explore(limit=12, repeats=1):
        comparison.check_mask(visit)
