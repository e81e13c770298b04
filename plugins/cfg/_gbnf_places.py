"""Places in a GBNF grammar of what the engine finds wrong, which it knows by name only.

Cost: the grammar is read once more, for errors alone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from formgate.core.errors import EmptyLanguageError, FormgateError, GrammarError
from formgate.plugins.cfg._gbnf import Parser
from formgate.plugins.cfg._gbnf_shapes import Recorder

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["explain"]

_TOKEN = re.compile(
    r'special token "(?P<special>.*?)"|"(?P<ordinary>.*?)" is an ordinary token'
    r"|token id (?P<id>[0-9]+)",
    re.DOTALL,
)


def explain(source: object, options: Mapping[str, object], error: FormgateError) -> None:
    """Add the place to an error about a token, or about a language that is empty."""
    if not isinstance(error, GrammarError) or error.source is not None:
        return
    token = _TOKEN.search(error.reason)
    empty = isinstance(error, EmptyLanguageError)
    if not isinstance(source, str) or (token is None and not empty):
        return
    root = str(options.get("root", "root"))
    shape = Recorder()
    parser = Parser(source, shape)
    start = parser.parse(root)
    place: tuple[int, int] | None = None
    if empty:
        name = _without_text(shape, start) or root
        place = parser.defined[name], parser.defined[name] + len(name)
    elif token is not None:
        named = token["special"] or token["ordinary"] or int(token["id"])
        place = next(((t.begin, t.end) for t in parser.tokens.values() if t.token == named), None)
    if place is not None:
        error.source = source
        error.offset, error.end = place


def _without_text(shape: Recorder, start: int) -> str | None:
    """Return the name of a rule that matches nothing and makes the whole match nothing.

    Where some do because others do, it is one of those in circles below them.
    """
    shape.link()
    has_text = [False] * len(shape.shapes)
    work = [node for node in range(len(shape.shapes)) if _has_text(shape, node, has_text)]
    while work:
        node = work.pop()
        if not has_text[node]:
            has_text[node] = True
            work += [
                parent
                for parent in shape.shapes[node].parents
                if not has_text[parent] and _has_text(shape, parent, has_text)
            ]
    if has_text[start]:
        return None
    name = None
    seen: set[int] = set()
    while start not in seen:
        seen.add(start)
        name = shape.shapes[start].name or name
        start = next(part for part in shape.parts(start) if not has_text[part])
    return name


def _has_text(shape: Recorder, node: int, known: list[bool]) -> bool:
    """Say whether a node matches any text, as far as its parts are known to."""
    own = shape.shapes[node]
    parts = shape.parts(node)
    if own.kind == "choice":
        return any(known[part] for part in parts)
    return own.counts[0] == 0 or all(known[part] for part in parts)
