r"""Unicode properties, as the `regex` crate inside pydantic has them.

The crate's Unicode is not always that of `_ecma_tables`, so a set of the tables is what may be
meant, and pydantic is asked what is: all code points of the set as one text, and, if that does not
match, each range, and each code point of those that do not. Some tenths of a second, once.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from formgate.plugins.json_schema._ecma_properties import property_set
from formgate.plugins.regex._ranges import complement, normalise

if TYPE_CHECKING:
    from formgate.plugins.regex._ranges import Ranges

__all__ = ["known_name", "property_class"]


def known_name(name: str) -> str | None:
    r"""Return what ECMA-262 calls a property; None if it does not, or not by nearly that name.

    The crate takes a script for a property: `\p{Greek}`.
    """
    return next((each for each in (name, f"Script={name}") if property_set(each)), None)


@cache
def property_class(name: str, *, negated: bool, wide: bool) -> str:
    """Return what stands in a class for a property, or for its complement.

    Args:
        name: As both the crate and `known_name` have it.
        negated: Whether the complement is meant.
        wide: Whether no less than the crate's set is wanted, rather than no more.
    """
    known = known_name(name) or name
    table = _table(name, negated=negated)
    sure = _sure(name, negated=negated ^ wide)
    found = complement(sure) if wide else sure
    if found == table:
        return f"\\{'P' if negated else 'p'}{{{known}}}"
    return "".join(f"\\u{{{low:x}}}-\\u{{{high:x}}}" for low, high in found)


def _table(name: str, *, negated: bool) -> Ranges:
    found = normalise(property_set(known_name(name) or name) or ())
    return complement(found) if negated else found


@cache
def _sure(name: str, *, negated: bool) -> Ranges:
    """Return the code points of a table, or of its complement, that the crate has, too."""
    from pydantic_core import (  # noqa: PLC0415 (pydantic need not be there)
        SchemaValidator,
        core_schema,
    )

    pattern = f"^\\{'P' if negated else 'p'}{{{name}}}*$"
    takes = SchemaValidator(core_schema.str_schema(pattern=pattern)).isinstance_python
    table = _table(name, negated=negated)
    texts = ["".join(map(chr, range(low, high + 1))) for low, high in table]
    if takes("".join(texts)):
        return table
    found: list[tuple[int, int]] = []
    for span, text in zip(table, texts, strict=True):
        if takes(text):
            found.append(span)
        else:
            found += ((ord(char), ord(char)) for char in text if takes(char))
    return normalise(found)
