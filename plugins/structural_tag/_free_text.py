"""Free text up to the first of some strings."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formgate.core.grammar import GrammarBuilder, Node

__all__ = ["FreeText", "ends_freely"]


class FreeText:
    """Writes free text as nodes of one grammar."""

    def __init__(self, builder: GrammarBuilder) -> None:
        self._builder = builder

    def rest(self, stops: Iterable[str]) -> Node:
        """Write every text in which none of the strings occurs."""
        found = self._one_of(stops)
        if found is None:
            return self._builder.any_text()
        b = self._builder
        return b.complement(b.seq(b.any_text(), found, b.any_text()))

    def until(self, ends: Iterable[str], stops: Iterable[str]) -> Node:
        """Write every text that ends in one of ``ends``, where the first of all strings ends.

        That is: no end and no stop is complete before the last character; and no stop is complete
        at the last character, unless it is an end too or a part of the end.
        """
        b, given = self._builder, tuple(dict.fromkeys(ends))
        all_of_them = tuple(dict.fromkeys((*given, *stops)))
        found = self._one_of(all_of_them)
        if found is None:
            return b.nothing()
        earlier = b.seq(b.any_text(), found, b.any_char(), b.any_text())
        steps = []
        for end in given:
            parts = [b.seq(b.any_text(), b.literal(end)), b.complement(earlier)]
            longer = [stop for stop in all_of_them if stop.endswith(end) and stop != end]
            if longer:
                written = self._one_of(longer)
                assert written is not None  # noqa: S101 (there are some)
                parts.append(b.complement(b.seq(b.any_text(), written)))
            steps.append(b.intersection(*parts))
        return b.choice(*steps)

    def _one_of(self, strings: Iterable[str]) -> Node | None:
        """Write one of the strings; None where there are none."""
        nodes = [self._builder.literal(text) for text in dict.fromkeys(strings)]
        if not nodes:
            return None
        return nodes[0] if len(nodes) == 1 else self._builder.choice(*nodes)


def ends_freely(value: object) -> bool:
    """Say whether a format ends in free text, which only what follows can end."""
    while isinstance(value, dict):
        kind, elements = value.get("type"), value.get("elements")
        if kind in ("any_text", "triggered_tags", "dispatch"):
            return True
        if kind == "or" and isinstance(elements, list):
            return any(ends_freely(each) for each in elements)
        open_tag = kind == "tag" and value.get("end") in ("", [""])
        if kind == "sequence" and isinstance(elements, list):
            value = elements[-1] if elements else None
        elif open_tag or kind in ("optional", "star", "plus", "repeat"):
            value = value.get("content")
        else:
            return False
    return False
