"""Options that the notations of rules share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formgate.core.errors import GrammarError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["check_options", "root_of", "text_of"]


def check_options(
    format_name: str, options: Mapping[str, object], known: Sequence[str], place: str = ""
) -> None:
    """Refuse options that a format does not have, or not in the place where they are given.

    Raises:
        GrammarError: There is one.
    """
    unknown = sorted(set(options) - set(known))
    if unknown:
        raise GrammarError(
            f"the {format_name} format has no option {unknown[0]!r}" + (place and f" in {place}"),
            hint=("its options are: " if not place else "those are: ") + ", ".join(known),
        )


def root_of(options: Mapping[str, object]) -> str | None:
    """Return the rule that ``root`` or ``start``, which say the same, names.

    Raises:
        GrammarError: It is no name, or they name different rules.
    """
    given = [options[name] for name in ("root", "start") if options.get(name) is not None]
    for name in given:
        if not isinstance(name, str):
            raise GrammarError(f"root is the name of a rule, not {name!r:.60}")
    if len(given) > 1 and given[0] != given[1]:
        raise GrammarError("root and start say the same, so only one of them is given")
    return str(given[0]) if given else None


def text_of(format_name: str, source: object) -> str:
    """Return a source that is a text.

    Raises:
        GrammarError: It is none.
    """
    if not isinstance(source, str):
        raise GrammarError(
            f"the {format_name} format takes a grammar as a string, not {type(source).__name__}"
        )
    return source
