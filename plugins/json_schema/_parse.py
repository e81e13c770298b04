"""From a JSON text to the value it stands for: what `formgate.parse` calls for this format.

Texts are read exactly: integers of any size, other numbers as decimals until a type or the caller
says what they become; a name that occurs twice is refused. The shapes of the types that came last
are kept, as are pydantic's adapters.
"""

from __future__ import annotations

import json
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from formgate.core.errors import LimitError, ParseError
from formgate.plugins.json_schema._types_shapes import Mismatch, plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from formgate.plugins.json_schema._types_shapes import Shape

__all__ = ["load", "read_text"]

_OPTIONS = ("decimals",)
_MAX_DIGITS = 100_000  # of an integer


def read_text(
    source: object, options: Mapping[str, object], text: str, wanted: Mapping[str, object], /
) -> object:
    """Return the value of a text that was written under a source.

    Args:
        source: What was compiled: a schema, a type, a function, tools.
        options: With which it was compiled.
        text: The text.
        wanted: `decimals`, and no other: numbers with a fraction or an exponent stay decimals
            where no type says otherwise.

    Raises:
        ParseError: The text is no JSON, the type of the source refuses it, or a number that should
            become a float is beyond their range.
        LimitError: It is nested too deep for Python, or has an integer of over 100,000 digits.
        TypeError: `wanted` has another option.
    """
    for name in wanted:
        if name not in _OPTIONS:
            raise TypeError(f"the json_schema format has no option {name!r} for parsing")
    decimals = bool(wanted.get("decimals", False))
    try:
        return _read(source, options, text, decimals=decimals)
    except Mismatch as error:
        path = "".join(f"/{step}" for step in error.path) or "the value"
        raise ParseError(
            f"the output is not what its type takes, at {path}: {error.reason}",
            path=error.path,
            hint=error.hint
            or "the schema cannot say all that a type may check; ask again, or loosen the check",
        ) from error.__cause__
    except RecursionError:
        raise LimitError("the output is nested too deep for Python's recursion limit") from None


def _read(source: Any, options: Mapping[str, object], text: str, *, decimals: bool) -> object:
    from formgate.plugins.json_schema import _tools, _types  # noqa: PLC0415 (types cost imports)

    if _types.is_type(source):
        shape = _types.shape_of(source)
        whole = getattr(shape, "read_text", None)
        value = load(text)  # pydantic takes a name twice, and NaN
        # A part that pydantic describes is read by pydantic; here that is all of it.
        return whole(text) if whole else shape.read(value, decimals=decimals)
    value = load(text)
    if isinstance(source, (list, tuple)) and _tools.is_request(source):
        return _call(source, options, value, decimals=decimals)
    return value if decimals else plain(value)


def _call(
    source: Sequence[object], options: Mapping[str, object], value: object, *, decimals: bool
) -> object:
    """Return a call of one of several tools, with arguments as its function or type has them."""
    from formgate.plugins.json_schema._tools import chosen_tools  # noqa: PLC0415
    from formgate.plugins.json_schema._tools_definitions import shape_of_tool  # noqa: PLC0415

    if not isinstance(value, dict) or set(value) != {"name", "arguments"}:
        raise Mismatch("it is no object of a name and arguments")
    for tool in chosen_tools(source, options.get("tool_choice"), reads=True):
        if tool.name == value["name"]:
            shape: Shape | None = shape_of_tool(tool)
            arguments = value["arguments"]
            try:
                if shape is not None:
                    arguments = shape.read(arguments, decimals=decimals)
                elif not decimals:
                    arguments = plain(arguments)
            except Mismatch as error:
                error.path.insert(0, "arguments")
                raise
            return {"name": tool.name, "arguments": arguments}
    raise Mismatch(f"{value['name']!r:.60} is none of the tools")


def load(text: str) -> object:
    """Return the JSON value of a text, with decimals for numbers that are not written as integers.

    Raises:
        ParseError: It is no JSON, has a name twice in an object, or half of a surrogate pair.
        LimitError: It has an integer of over 100,000 digits.
    """
    try:
        value: object = json.loads(
            text,
            parse_float=_decimal,
            parse_int=_integer,
            parse_constant=_constant,
            object_pairs_hook=_members,
        )
    except json.JSONDecodeError as error:
        raise ParseError(
            f"the output is no JSON: {error.msg}", text=text, offset=error.pos
        ) from None
    if "\\u" in text:
        try:
            json.dumps(value, ensure_ascii=False, default=str).encode()
        except UnicodeEncodeError:
            raise ParseError("the output has half of a surrogate pair in it") from None
    return value


def _integer(text: str) -> int:
    # int() of a text gives up after some thousand digits, and takes quadratic time
    if len(text) > _MAX_DIGITS:
        raise LimitError(f"the output has an integer of more than {_MAX_DIGITS:,} digits")
    return int(text) if len(text) < 1000 else int(Decimal(text))


def _decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        if not text.lower().partition("e")[0].strip("-.0"):
            return Decimal("-0" if text[0] == "-" else "0")  # whatever the exponent
        raise ParseError(f"the number {text:.60} is out of the range of decimals") from None


def _constant(text: str) -> object:
    raise ParseError(f"the output is no JSON: {text} is no number of it")


def _members(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ParseError(f"the output has the name {twice!r:.60} twice in one object")
    return members
