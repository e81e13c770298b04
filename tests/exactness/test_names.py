"""Names that begin otherwise than they go on, over many scripts: against single bytes and lark."""

from __future__ import annotations

import functools
import itertools
import random
from typing import TYPE_CHECKING

import hypothesis
import lark
from bytewise import Pair, vocabularies
from hypothesis import strategies as st
from lark_judge import parses

from formgate.core.compiler import build_grammar
from formgate.core.errors import EmptyLanguageError
from formgate.core.grammar import MaskOptions

if TYPE_CHECKING:
    import formgate

# Digits, letters and signs whose first bytes others share.
_CHARS = ["a", "b", "x", "1", "_", "é", "×", "²", "ж", "٣", "ا", "क", "।", "中", "、", "𝒳", "😀"]
_ENDS = ["", " ", ",", "(", "\n", " =", "#a", "é", "×", "1"]


@functools.cache
def tokens() -> list[bytes]:
    chance = random.Random(11)
    texts = {"".join(word): None for word in itertools.product(_CHARS, repeat=2)}
    texts |= {f"{a}{end}": None for a in _CHARS for end in _ENDS}
    texts |= {f" {a}": None for a in _CHARS}
    while len(texts) < 3000:
        word = "".join(chance.choice([*_CHARS, "a", "b", "1"]) for _ in range(chance.randint(1, 7)))
        texts[f"{chance.choice(['', '', ' ', ','])}{word}{chance.choice(_ENDS)}"] = None
    whole = [text.encode() for text in texts]
    cut = [text[:-1] for text in whole[::7] if text[-1] >= 0x80]
    middle = [text[1:] for text in whole[::9] if text[0] >= 0x80]
    return [text for text in dict.fromkeys([*whole, *cut, *middle]) if len(text) > 1]


@functools.cache
def both() -> tuple[formgate.Vocabulary, formgate.Vocabulary]:
    return vocabularies(tokens())


NAMES = [
    r"\w+",
    r"[^\W\d]\w*",
    r"[a-zA-Z_]\w*",
    r"[a-z_A-Zа-яé]+",
    r"[^\d\s,(=#]+",
    r"[a-zA-Z0-9_×ж]\w{0,5}",
    r"[^\W\d_](?:\w|-)*",
    r"[a-z][a-z0-9_²]*",
    r"[^ ,(=\n#×][^,(=\n#]*",
    r"(?:[^\W\d]|😀)[\w😀]*",
    r"\w{2,}",
]
SHAPES = [
    'start: NAME ("," NAME)*',
    'start: (NAME "=" NAME "\\n")+',
    'start: NAME | NAME "(" start ")"',
    'start: ("a" NAME | "(" NAME)* "," NAME',
    "start: (NAME | NUMBER)+\nNUMBER: /[0-9]+/",
]
IGNORED = ["", "%ignore /\\s+/", '%ignore " "', "%ignore /\\s+/\n%ignore /#[^\\n]*/"]


@hypothesis.settings(
    max_examples=120, deadline=None, suppress_health_check=list(hypothesis.HealthCheck)
)
@hypothesis.given(
    name=st.sampled_from(NAMES),
    shape=st.sampled_from(SHAPES),
    ignored=st.sampled_from(IGNORED),
    walked=st.sampled_from([0, 1, 40, 2048]),
    seed=st.integers(0, 1 << 20),
)
def test_masks_of_names(name: str, shape: str, ignored: str, walked: int, seed: int) -> None:
    source = f"{shape}\nNAME: /{name}/\n{ignored}\n"
    grammar = build_grammar(source, format="lark")
    options = MaskOptions(walked_tokens=walked)
    try:
        engines = [grammar.compile(one, options=options) for one in both()]
    except EmptyLanguageError:  # what is ignored takes line breaks, or a name all that follows
        hypothesis.assume(False)
    pair = Pair(engines[0], engines[1], tokens())
    parser = lark.Lark(source, parser="lalr")
    chance = random.Random(seed)
    for _ in range(6):
        singles, longer = pair.check()
        try:
            text = pair.before.decode()
            assert engines[0].is_accepting(pair.state) == parses(parser, text), (source, text)
        except UnicodeDecodeError:
            pass
        choices = longer if longer and chance.random() < 0.8 else singles
        if not choices:
            return
        pair.advance(chance.choice(choices))
