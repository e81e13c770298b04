"""Random languages and vocabularies; a case is what its seed says, in every run."""

from __future__ import annotations

import ast
import random
from dataclasses import dataclass

from oracle.strategies import ALPHABETS, TinyVocabulary
from oracle.tree import ANY_TEXT, EMPTY, NOTHING, Tree, negated

_COUNTS = ((0, None), (1, None), (0, 1), (2, 2), (1, 3), (2, None), (2, 4))


@dataclass(frozen=True)
class Case:
    """A language with a vocabulary, and the seed of whatever a duel draws beside them."""

    tree: Tree
    vocabulary: TinyVocabulary
    seed: int

    def dump(self) -> str:
        """The case as one line of Python."""
        tiny = self.vocabulary
        return repr((self.tree, tiny.tokens, tiny.stop_ids, tiny.special, self.seed))

    @classmethod
    def load(cls, line: str) -> Case:
        tree, tokens, stop_ids, special, seed = ast.literal_eval(line)
        return cls(tree, TinyVocabulary(tokens, stop_ids, special), seed)


def draw_case(seed: str, *, looks: bool = True) -> Case:
    """The case of a seed; with `looks`, look-around and boolean operators may occur."""
    rng = random.Random(seed)
    alphabet = rng.choice(ALPHABETS)
    tree = draw_tree(rng, alphabet, rng.randint(1, 6), looks=looks)
    return Case(tree, draw_vocabulary(rng, alphabet), rng.randrange(2**32))


def draw_tree(rng: random.Random, alphabet: str, size: int, *, looks: bool) -> Tree:
    """A tree of about `size` operators."""
    if size <= 1:
        return _leaf(rng, alphabet)
    unary = ("repeat", "repeat", *(("not", "ahead", "behind", "scope") if looks else ()))
    several = ("seq", "seq", "seq", "choice", "choice", *(("and",) if looks else ()))
    if rng.random() < 0.4:
        kind = rng.choice(unary)
        inner = draw_tree(rng, alphabet, size - 1, looks=looks)
        if kind == "repeat":
            return ("repeat", inner, *rng.choice(_COUNTS))
        if kind == "behind":
            return ("behind", ("scope", inner), rng.random() < 0.5)
        return ("ahead", inner, rng.random() < 0.5) if kind == "ahead" else (kind, inner)
    count = rng.choice((2, 2, 3))
    sizes = [1] * count
    for _ in range(size - 1 - count):
        sizes[rng.randrange(count)] += 1
    return (rng.choice(several), *(draw_tree(rng, alphabet, n, looks=looks) for n in sizes))


def _leaf(rng: random.Random, alphabet: str) -> Tree:
    def word(longest: int) -> bytes:
        return "".join(rng.choices(alphabet, k=rng.randint(0, longest))).encode()

    letter = ord(rng.choice(alphabet))
    points = sorted(map(ord, alphabet))
    return rng.choice(
        (
            ("lit", word(3)),
            ("lit", chr(letter).encode()),
            ("chars", ((letter, letter),)),
            ("chars", ((points[0], points[-1]),)),
            ("chars", negated(((letter, letter),))),
            ("strings", tuple(sorted({word(3) for _ in range(3)}))),
            rng.choice((ANY_TEXT, EMPTY, EMPTY, NOTHING)),
        )
    )


def draw_vocabulary(rng: random.Random, alphabet: str) -> TinyVocabulary:
    """Overlapping and equal pieces, some cut inside characters; gaps, special and stop ids."""
    kinds: list[bytes | int | None] = []
    for _ in range(rng.randint(1, 8)):
        word = "".join(rng.choices(alphabet, k=rng.randint(1, 3))).encode()
        begin = rng.randrange(len(word))
        kinds.append(word[begin : begin + rng.randint(1, 4)])
    if rng.random() < 0.7:
        kinds += [bytes([byte]) for byte in sorted(set(alphabet.encode()))]
    if rng.random() < 0.3:
        kinds.append(rng.choice((b"\xff", b"\xf0", b"\xc3", b"\x80", b" \xf0", b"z", b"a\n")))
    kinds += [-1] * rng.randint(1, 2) + [-2] * rng.randint(0, 1) + [None] * rng.randint(0, 2)
    rng.shuffle(kinds)
    special = [number for number, kind in enumerate(kinds) if kind == -2]
    return TinyVocabulary(
        tuple(kind if isinstance(kind, bytes) else None for kind in kinds),
        tuple(number for number, kind in enumerate(kinds) if kind == -1),
        {f"<s{index}>": number for index, number in enumerate(special)},
    )
