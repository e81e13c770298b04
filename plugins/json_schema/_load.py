"""From a source to a schema: a dict or a truth value as it is, a text or a file read exactly."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from formgate.core import _native
from formgate.core.errors import GrammarError, LimitError
from formgate.plugins.json_schema._holding import HOLDERS, holding

if TYPE_CHECKING:
    from decimal import Decimal
    from pathlib import Path

    from formgate.plugins.json_schema._values import Json

__all__ = ["as_path", "load"]

_TYPES = ("object", "array", "string", "number", "integer", "boolean", "null")
_SHORTER = "write a number with fewer digits"
_MAX_DIGITS = 4000  # of an integer in a schema's text: Python itself refuses more than 4300


def as_path(source: object) -> Path | None:
    """Return a path of ``pathlib``, None for anything else."""
    if not isinstance(source, os.PathLike):
        return None
    from pathlib import Path, PurePath  # noqa: PLC0415 (5 ms that a compilation does without)

    return Path(source) if isinstance(source, PurePath) else None


def load(source: object) -> Json:
    """Return the schema that a source holds.

    Args:
        source: A dict or a truth value: the schema itself. A text: JSON. A ``pathlib.Path``: a
            file with JSON in UTF-8.

    Raises:
        GrammarError: The source is none of these, the file cannot be read, or the text is not
            JSON, names a key twice, or is nested too deeply.
    """
    if isinstance(source, (dict, bool)):
        return source
    path = as_path(source)
    if path is not None:
        try:
            text = path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise GrammarError(f"cannot read the schema file {source}: {error}") from error
        return _parse(text, is_file=True)
    if isinstance(source, str):
        return _parse(source, is_file=False)
    hint = None
    if isinstance(source, (list, tuple)):
        hint = "a list is one of tools: definitions, functions or classes, at least one"
    raise GrammarError(
        f"the json_schema format takes a schema as a dict, a truth value, a JSON text or a "
        f"pathlib.Path, not {type(source).__name__}",
        hint=hint,
    )


def _parse(text: str, *, is_file: bool) -> Json:
    """Read a JSON text with exact numbers."""
    try:
        read = _native.read_schema(text, _decimal)
    except _RefusedError as error:
        raise _placed(text, error) from None
    found = _parse_slowly(text, is_file=is_file) if read is None else read
    kind = found.get("type") if isinstance(found, dict) else "object"
    # Said before the import: nearly all schemas have a type, or nothing of requests.
    if kind not in _TYPES and (
        isinstance(kind, str) or not HOLDERS.isdisjoint(found) or holding(found) is not None
    ):
        _refuse_request(found)
    return found


def _refuse_request(found: object) -> None:
    """Refuse a tool, a list of tools, or a response format, which as a schema says nothing."""
    from formgate.plugins.json_schema._tools import is_request  # noqa: PLC0415 (rarely needed)

    if is_request(found):
        raise GrammarError(
            "this is no JSON Schema, but tools, a response format, or an object around a schema",
            hint="texts and files hold schemas alone: give json.loads(text), or the schema within",
        )


def _parse_slowly(text: str, *, is_file: bool = False) -> Json:
    """Read a JSON text by Python's reader, which says what is wrong with it."""
    import json  # noqa: PLC0415 (rarely needed)

    try:
        found = json.loads(
            text,
            parse_float=_decimal,
            parse_int=_integer,
            parse_constant=_no_constant,
            object_pairs_hook=_object,
        )
    except json.JSONDecodeError as error:
        if not text.strip():
            raise GrammarError(
                f"the {'file' if is_file else 'text'} is empty",
                hint="true is the schema that allows any value",
            ) from None
        hint = None
        if not is_file and not text.lstrip().startswith(("{", "true", "false")):
            hint = "a file is given as pathlib.Path(...)"
        raise GrammarError(
            f"the schema is not JSON: {error.msg}", source=text, offset=error.pos, hint=hint
        ) from None
    except _RefusedError as error:
        raise _placed(text, error) from None
    except RecursionError:
        raise LimitError(
            "the schema's text is nested too deeply for Python's JSON reader"
        ) from None
    if not isinstance(found, (dict, bool)):
        _refuse_request(found)
        raise GrammarError(
            f"a schema is an object or a truth value, not {_kind(found)}: {text.strip()[:40]!r}",
            hint=None if is_file else "a file is given as pathlib.Path(...)",
        )
    return found


def _kind(value: object) -> str:
    """Return what JSON calls a value that is no object and no truth value."""
    if value is None:
        return "null"
    if isinstance(value, str):
        return "a string"
    return "an array" if isinstance(value, list) else "a number"


class _RefusedError(ValueError):
    """Something in the text is refused.

    Args:
        reason: Why.
        atom: The number or word, or None for a key that an object has twice.
        hint: The way out.
        limit: Whether it would be right but for its size.
    """

    def __init__(self, reason: str, atom: str | None, hint: str, *, limit: bool = False) -> None:
        super().__init__(reason)
        self.limit = limit
        self.reason = reason
        self.atom = atom
        self.hint = hint


def _placed(text: str, error: _RefusedError) -> GrammarError | LimitError:
    """Return the error for what was refused, with its place."""
    from formgate.plugins.json_schema._load_places import (  # noqa: PLC0415 (rarely needed)
        find_atom,
        find_repeated_key,
    )

    atom = error.atom
    place = find_repeated_key(text) if atom is None else find_atom(text, atom.__eq__)
    if error.limit:
        where = "#" if place is None else place.pointer
        return LimitError(f"{where}: {error.reason}; {error.hint}")
    if place is None:
        return GrammarError(error.reason, hint=error.hint)
    return GrammarError(
        f"{place.pointer}: {error.reason}",
        source=text,
        offset=place.start,
        end=place.end,
        hint=error.hint,
    )


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object, each key just once."""
    made = dict(pairs)
    if len(made) != len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                import json  # noqa: PLC0415 (it is there already)

                raise _RefusedError(
                    f"an object has the key {json.dumps(name, ensure_ascii=False)} twice",
                    None,
                    "keep one of them: readers of JSON disagree on which one counts",
                )
            seen.add(name)
    return made


def _decimal(text: str) -> Decimal:
    """Read a number with a fraction or an exponent."""
    from decimal import Decimal, InvalidOperation  # noqa: PLC0415 (rarely needed)

    try:
        return Decimal(text)
    except InvalidOperation:
        raise _RefusedError(
            f"the number {text:.60} has an exponent that is too large", text, _SHORTER
        ) from None


def _integer(text: str) -> int:
    """Read an integer."""
    if len(text) > _MAX_DIGITS:
        reason = f"a number has more than {_MAX_DIGITS} digits"
        raise _RefusedError(reason, text, _SHORTER, limit=True)
    return int(text)


def _no_constant(text: str) -> None:
    """Refuse what Python's reader takes beyond JSON."""
    raise _RefusedError(f"{text} is not JSON", text, "write a number, a string or null")
