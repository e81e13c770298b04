"""Delta debugging: the smallest case that still shows the same kind of finding.

Steps are tried greedily, largest first: a part in place of the whole, parts dropped, counts made
smaller, literals cut; tokens dropped and shortened. The prefix needs no step of its own: duels walk
breadth first, so the text reported is a shortest one. (Zeller and Hildebrandt 2002, with a tree in
place of a list.)
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from oracle.strategies import TinyVocabulary
from oracle.tree import EMPTY

from fuzz.grammars import smaller_grammars

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from oracle.tree import Tree

    from fuzz.cases import Case


def minimised(case: Case, still: Callable[[Case], bool], seconds: float) -> Case:
    """Shrink a case while `still` holds of it, for so long at most."""
    deadline = time.monotonic() + seconds
    shrinking = True
    while shrinking:
        shrinking = False
        for smaller in smaller_cases(case):
            if time.monotonic() > deadline:
                return case
            if still(smaller):
                case, shrinking = smaller, True
                break
    return case


def smaller_cases(case: Case) -> Iterator[Case]:
    """Every case one step smaller."""
    for tree in smaller_trees(case.tree):
        yield replace(case, tree=tree)
    for vocabulary in smaller_vocabularies(case.vocabulary):
        yield replace(case, vocabulary=vocabulary)


def smaller_trees(tree: Tree) -> Iterator[Tree]:
    """Every tree one step smaller; each step lowers the number of symbols."""
    kind, *parts = tree
    if kind == "rules":
        yield from smaller_grammars(tree)
        return
    trees = [i for i, part in enumerate(parts) if _is_tree(part)]
    for i in trees:
        yield parts[i]
    if kind in ("seq", "choice", "and", "repeat", "any_text", "nothing"):
        yield EMPTY
    if kind in ("seq", "choice", "and") and len(parts) > 1:
        for i in trees:
            yield (kind, *parts[:i], *parts[i + 1 :])
    yield from _smaller_values(kind, parts)
    for i in trees:
        for part in smaller_trees(parts[i]):
            yield (kind, *parts[:i], part, *parts[i + 1 :])


def _smaller_values(kind: str, parts: list[Any]) -> Iterator[Tree]:
    """Smaller counts, shorter literals, fewer texts and ranges."""
    if kind == "repeat":
        body, least, most = parts
        if least:
            yield (kind, body, least - 1, most)
        if most is not None and most > max(least, 1):
            yield (kind, body, least, most - 1)
    elif kind == "lit":
        yield from ((kind, text) for text in _shorter(parts[0]))
    elif kind == "chars" and len(parts[0]) > 1:
        yield from ((kind, (some,)) for some in parts[0])
    elif kind == "strings":
        for i, text in enumerate(parts[0]):
            others = parts[0][:i] + parts[0][i + 1 :]
            yield (kind, others)
            yield from ((kind, tuple(sorted({*others, less}))) for less in _shorter(text))


def _is_tree(part: object) -> bool:
    return isinstance(part, tuple) and bool(part) and isinstance(part[0], str)


def _shorter(text: bytes) -> Iterator[bytes]:
    """A text without one of its characters, or one of its bytes where it is none."""
    try:
        decoded = text.decode()
    except UnicodeDecodeError:
        yield from (text[:i] + text[i + 1 :] for i in range(len(text)))
    else:
        yield from ((decoded[:i] + decoded[i + 1 :]).encode() for i in range(len(decoded)))


def smaller_vocabularies(tiny: TinyVocabulary) -> Iterator[TinyVocabulary]:
    """Without one id; with one token a byte shorter. One stop id stays."""
    for gone in range(len(tiny.tokens)):
        stops = [token for token in tiny.stop_ids if token != gone]
        if not stops:
            continue
        moved = [token - (token > gone) for token in stops]
        special = {n: t - (t > gone) for n, t in tiny.special.items() if t != gone}
        yield TinyVocabulary(tiny.tokens[:gone] + tiny.tokens[gone + 1 :], tuple(moved), special)
    for token, text in enumerate(tiny.tokens):
        for less in _shorter(text or b""):
            if less:
                yield replace(tiny, tokens=(*tiny.tokens[:token], less, *tiny.tokens[token + 1 :]))
