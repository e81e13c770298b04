"""Changes of a tree that keep its language: identities of Kleene algebra and of boolean algebra.

Look-around sees the whole scope around it, so parts that look are never moved into a scope of their
own (an intersection, a complement) and never copied into another count: those rewrites apply to
parts without look-around only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oracle.tree import ANY_TEXT, EMPTY, NOTHING, Tree, uses

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

_BYTES = ("bytes",)
_LOOKS = ("ahead", "behind")


def _parts(tree: Tree) -> list[int]:
    return [i for i, part in enumerate(tree[1:], 1) if _is_tree(part)]


def _is_tree(part: object) -> bool:
    return isinstance(part, tuple) and bool(part) and isinstance(part[0], str)


def _closed(tree: Tree) -> bool:
    """Whether a part may be put into another scope: it looks nowhere, and is text as a whole."""
    return not uses(tree, (*_LOOKS, *_BYTES))


def swap_choices(tree: Tree, rng: random.Random) -> Tree | None:
    if tree[0] not in ("choice", "and") or len(tree) < 3:
        return None
    parts = list(tree[1:])
    rng.shuffle(parts)
    return (tree[0], *parts)


def double_choice(tree: Tree, rng: random.Random) -> Tree | None:
    return ("choice", tree, tree)


def add_nothing(tree: Tree, rng: random.Random) -> Tree | None:
    never = ("seq", tree, NOTHING) if _closed(tree) else NOTHING
    return rng.choice((("choice", tree, never), ("choice", never, tree)))


def add_empty(tree: Tree, rng: random.Random) -> Tree | None:
    return rng.choice((("seq", tree, EMPTY), ("seq", EMPTY, tree), ("repeat", tree, 1, 1)))


def unroll(tree: Tree, rng: random.Random) -> Tree | None:
    """x{m,n} is x followed by x{m-1,n-1}; x{0,n} is nothing or x{1,n}."""
    if tree[0] != "repeat":
        return None
    _, body, least, most = tree
    if most == 0:
        return EMPTY
    if least == 0:
        return ("choice", EMPTY, ("repeat", body, 1, most)) if _closed(body) else None
    rest = ("repeat", body, least - 1, None if most is None else most - 1)
    return rng.choice((("seq", body, rest), ("seq", rest, body)))


def split_count(tree: Tree, rng: random.Random) -> Tree | None:
    """x{m,n} is x{m} x{0,n-m}, and x* is (x{2})* x?."""
    if tree[0] != "repeat" or not _closed(tree):
        return None
    _, body, least, most = tree
    if (least, most) == (0, None):
        return ("seq", ("repeat", ("repeat", body, 2, 2), 0, None), ("repeat", body, 0, 1))
    more = None if most is None else most - least
    return ("seq", ("repeat", body, least, least), ("repeat", body, 0, more))


def distribute(tree: Tree, rng: random.Random) -> Tree | None:
    """x(y|z) is xy|xz, on either side."""
    if tree[0] != "seq" or len(tree) < 3:
        return None
    places = [i for i in _parts(tree) if tree[i][0] == "choice" and len(tree[i]) > 1]
    if not places:
        return None
    at = rng.choice(places)
    return ("choice", *((*tree[:at], part, *tree[at + 1 :]) for part in tree[at][1:]))


def regroup(tree: Tree, rng: random.Random) -> Tree | None:
    if tree[0] not in ("seq", "choice") or len(tree) < 4:
        return None
    at = rng.randrange(2, len(tree) - 1)
    return (tree[0], (tree[0], *tree[1 : at + 1]), *tree[at + 1 :])


def complement_twice(tree: Tree, rng: random.Random) -> Tree | None:
    return ("not", ("not", tree)) if _closed(tree) else None


def with_everything(tree: Tree, rng: random.Random) -> Tree | None:
    if not _closed(tree):
        return None
    return rng.choice((("and", tree, ANY_TEXT), ("and", ANY_TEXT, tree), ("and", tree, tree)))


def de_morgan(tree: Tree, rng: random.Random) -> Tree | None:
    if tree[0] not in ("choice", "and") or len(tree) < 3 or not _closed(tree):
        return None
    other = "and" if tree[0] == "choice" else "choice"
    return ("not", (other, *(("not", part) for part in tree[1:])))


def look_at_everything(tree: Tree, rng: random.Random) -> Tree | None:
    """What follows is some text, always: only true where all of the scope is text."""
    if not _closed(tree):
        return None
    inner = ("seq", ("ahead", ANY_TEXT, False), tree)
    return ("scope", rng.choice((inner, ("seq", tree, ("ahead", ANY_TEXT, False)))))


def in_a_scope(tree: Tree, rng: random.Random) -> Tree | None:
    return ("scope", tree) if _closed(tree) else None


def letter_by_letter(tree: Tree, rng: random.Random) -> Tree | None:
    """A literal as a sequence; a set of texts as alternatives."""
    if tree[0] == "strings":
        return ("choice", *(("lit", text) for text in tree[1]))
    if tree[0] == "lit" and tree[1].isascii() and len(tree[1]) > 1:
        return ("seq", *(("lit", bytes([byte])) for byte in tree[1]))
    if tree[0] == "chars" and len(tree[1]) > 1:
        return ("choice", *(("chars", (some,)) for some in tree[1]))
    return None


REWRITES: tuple[Callable[[Tree, random.Random], Tree | None], ...] = (
    swap_choices,
    double_choice,
    add_nothing,
    add_empty,
    unroll,
    split_count,
    distribute,
    regroup,
    complement_twice,
    with_everything,
    de_morgan,
    look_at_everything,
    in_a_scope,
    letter_by_letter,
)


def rewritten(tree: Tree, rng: random.Random, steps: int = 3) -> Tree:
    """The tree after some rewrites in places of it."""
    for _ in range(steps):
        tree = _somewhere(tree, rng)
    return tree


def _somewhere(tree: Tree, rng: random.Random) -> Tree:
    places = _parts(tree)
    if places and rng.random() < 0.6:
        at = rng.choice(places)
        return (*tree[:at], _somewhere(tree[at], rng), *tree[at + 1 :])
    rules = list(REWRITES)
    rng.shuffle(rules)
    for rule in rules:
        after = rule(tree, rng)
        if after is not None:
            return after
    return tree
