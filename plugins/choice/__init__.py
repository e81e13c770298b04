"""Format ``choice``: one of a set of texts, given as a list, an Enum or a ``typing.Literal``.

The texts become one minimal acyclic automaton, built in the native core in time linear in their
total length; nothing here looks at each text but the checks of types, which run in C. A million
texts are fine.
"""

from __future__ import annotations

from enum import Enum, EnumMeta
from typing import TYPE_CHECKING, Literal, get_args, get_origin

from formgate.core.errors import EmptyLanguageError, GrammarError, ParseError
from formgate.core.registry import Format, hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from formgate.core.grammar import GrammarBuilder, Node

__all__ = ["FORMGATE_API", "compile_choice", "register_formats"]

FORMGATE_API = (1, 0)

_COLLECTIONS = (list, tuple, set, frozenset)
_SCALARS = (str, bytes, int, float, type(None))


def compile_choice(source: object, builder: GrammarBuilder) -> Node:
    """Write the language that has just the given texts.

    Duplicates are fine, and so is the empty text. Cost: that of sorting the texts, then
    linear in their total length; a few seconds for a million texts of 20 characters.

    Args:
        source: A list, tuple or set of strings, an Enum class with string values, or a
            ``typing.Literal`` of strings.
        builder: Where to write.

    Raises:
        GrammarError: The source is none of these; an item is no string or has a lone surrogate.
        EmptyLanguageError: There is no text to choose.

    Example:
        >>> from formgate.core.grammar import GrammarBuilder
        >>> builder = GrammarBuilder()
        >>> builder.start(compile_choice(["yes", "no"], builder))
    """
    items = _items(source)
    if items is None:
        raise GrammarError(
            f"the choice format cannot take {_describe(source)}",
            hint="give a list, tuple or set of strings, an Enum class with string values, or a "
            "typing.Literal of strings",
        )
    if not items:
        raise EmptyLanguageError(
            "there is nothing to choose from", hint="give at least one string, or one tool"
        )
    kinds = set(map(type, items))
    if kinds == {str}:
        texts: list[str] = items  # type: ignore[assignment]
    else:
        texts = _exact_strings(items, source)
    try:
        return builder.strings(texts)
    except (GrammarError, UnicodeError) as error:
        raise _place_of_surrogate(texts, source) or error from None


def _items(source: object) -> list[object] | None:
    """Return what there is to choose from, or None where the source is of no kind known."""
    if isinstance(source, list):
        return source
    if isinstance(source, _COLLECTIONS):
        return list(source)
    if isinstance(source, EnumMeta):
        return [member.value for member in source]  # type: ignore[var-annotated]
    if get_origin(source) is Literal:
        return list(get_args(source))
    return None


def _exact_strings(items: list[object], source: object) -> list[str]:
    """Return the items as plain strings (members of a string Enum are strings, too).

    Raises:
        GrammarError: An item is no string.
    """
    texts: list[str] = []
    for index, item in enumerate(items):
        if not isinstance(item, str):
            is_type = isinstance(source, EnumMeta) or get_origin(source) is Literal
            values = '; format="json_schema" has values of other types' if is_type else ""
            raise GrammarError(
                f"{_name_item(source, index)} is {item!r:.60}, of type {type(item).__name__}: "
                "every choice must be a string",
                hint=f"write it as text: {_as_text(item)!r:.60}{values}",
            )
        texts.append(str.__str__(item))
    return texts


def _as_text(item: object) -> str:
    """Return the text that an item of another type probably stands for."""
    return item.decode(errors="replace") if isinstance(item, bytes) else str(item)


def _place_of_surrogate(texts: list[str], source: object) -> GrammarError | None:
    """Return an error about the first text that is not well formed, if one is to blame."""
    for index, text in enumerate(texts):
        try:
            text.encode()
        except UnicodeEncodeError as error:
            return GrammarError(
                f"{_name_item(source, index)} has a lone surrogate: it is no well-formed text",
                source=text,
                offset=error.start,
                end=error.start + 1,
                hint="write the character itself, not half of its UTF-16 form",
            )
    return None


def _name_item(source: object, index: int) -> str:
    """Name an item as the user would."""
    if isinstance(source, EnumMeta):
        names = [member.name for member in source]  # type: ignore[var-annotated]
        return f"the value of {source.__name__}.{names[index]}"
    if isinstance(source, set | frozenset):
        return "an item of the set"
    return f"item {index}"


def _describe(source: object) -> str:
    """Name a source of the wrong kind."""
    return "a single string" if isinstance(source, str) else type(source).__name__


def _guess(source: object) -> bool:
    """Say whether a source given without a format is a choice: it is a collection of scalars.

    Those of other types than ``str`` are claimed as well, so that the error names the item.
    """
    items = _items(source)
    return items is not None and all(issubclass(kind, _SCALARS) for kind in set(map(type, items)))


def _compile(source: object, builder: GrammarBuilder, options: Mapping[str, object], /) -> None:
    """Write a choice given to ``formgate.compile``."""
    unknown = sorted(options)
    if unknown:
        raise GrammarError(
            f"the choice format has no option {unknown[0]!r}", hint="it has no options at all"
        )
    builder.start(compile_choice(source, builder))


def _read(
    source: object, options: Mapping[str, object], text: str, wanted: Mapping[str, object], /
) -> object:
    """Return the choice that a text is: of an Enum the member, else the text itself."""
    del options
    for name in wanted:
        raise TypeError(f"the choice format has no option {name!r} for parsing")
    if not isinstance(source, EnumMeta):
        return text
    members: list[Enum] = list(source)
    for member in members:
        if member.value == text:
            return member
    raise ParseError(f"{text!r:.60} is the value of no member of {source.__name__}")


@hookimpl
def register_formats(register: Callable[[Format], None]) -> None:
    """Offer the format."""
    register(
        Format(
            name="choice",
            compile=_compile,
            guess=_guess,
            description="one of a list of strings, an Enum's values or a typing.Literal's",
            reader=_read,
        )
    )
