"""How servers are told a constraint in fields of their own.

Each kind of server knows some formats; what a kind does not know is refused, never approximated.
The source is sent as it is: how the server reads it is the server's affair, and its dialect of
regexes or grammars may differ from ours.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Literal, get_args

from formgate.core.errors import UnsupportedConstraint

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["ServerKind", "constraint_fields", "kinds"]

ServerKind = Literal["openai", "vllm", "sglang", "llama_cpp"]


def kinds() -> tuple[str, ...]:
    """Return the kinds of server that are known."""
    return get_args(ServerKind)


def constraint_fields(
    kind: str, format_name: str, source: object, *, is_chat: bool
) -> dict[str, Any]:
    """Return the fields of a request that hold a constraint.

    Args:
        kind: The kind of server.
        format_name: The source's format.
        source: The source.
        is_chat: Whether the request is one for a chat.

    Raises:
        UnsupportedConstraint: This kind of server has no field for the format.
    """
    known = _FIELDS[kind]
    if format_name not in known:
        raise UnsupportedConstraint(
            f"a server of kind {kind!r} has no field for the format {format_name!r}; it takes "
            f"{', '.join(known)}",
            hint="use method='resample', or method='step' with a server of kind 'vllm'",
        )
    return known[format_name](source, is_chat)


def _schema(source: object) -> Any:
    """Return a JSON Schema as JSON has it."""
    make = getattr(source, "model_json_schema", None)
    if callable(make):
        return make()
    if isinstance(source, (str, bytes)):
        return json.loads(source)
    if isinstance(source, (dict, bool)):
        return source
    raise UnsupportedConstraint(
        f"{source!r:.60} cannot be sent to a server: give its JSON Schema",
        hint="a pydantic model, a dict or JSON text can",
    )


def _text(source: object) -> str:
    """Return a source that must be text."""
    if isinstance(source, re.Pattern):
        if source.flags & ~re.UNICODE:
            raise UnsupportedConstraint(
                f"{source!r:.60} has flags, which servers have no field for",
                hint="write them into the pattern, as (?i:...)",
            )
        source = source.pattern
    if not isinstance(source, str):
        raise UnsupportedConstraint(
            f"{source!r:.60} cannot be sent to a server: give its text", hint="read the file first"
        )
    return source


def _choices(source: object) -> list[str]:
    """Return a list of choices."""
    values = source if isinstance(source, (list, tuple, set, frozenset)) else None
    if values is None or not all(type(value) is str for value in values):
        raise UnsupportedConstraint(
            f"{source!r:.60} cannot be sent to a server as choices", hint="give a list of texts"
        )
    return sorted(values) if isinstance(source, (set, frozenset)) else list(values)


def _response_format(source: object, _is_chat: bool) -> dict[str, Any]:
    schema = {"name": "output", "schema": _schema(source), "strict": True}
    return {"response_format": {"type": "json_schema", "json_schema": schema}}


def _vllm(field: str, read: Callable[[object], Any]) -> Callable[[object, bool], dict[str, Any]]:
    def fields(source: object, _is_chat: bool) -> dict[str, Any]:
        return {"structured_outputs": {field: read(source)}}

    return fields


def _plain(field: str, read: Callable[[object], Any]) -> Callable[[object, bool], dict[str, Any]]:
    def fields(source: object, _is_chat: bool) -> dict[str, Any]:
        return {field: read(source)}

    return fields


def _sglang_schema(source: object, is_chat: bool) -> dict[str, Any]:
    if is_chat:
        return _response_format(source, is_chat)
    return {"json_schema": json.dumps(_schema(source))}


def _choice_pattern(source: object) -> str:
    return "(" + "|".join(re.escape(choice) for choice in _choices(source)) + ")"


def _choice_gbnf(source: object) -> str:
    return "root ::= " + " | ".join(_gbnf_literal(choice) for choice in _choices(source))


def _gbnf_literal(text: str) -> str:
    """Return a text as a literal of llama.cpp's grammars."""
    named = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    parts = []
    for character in text:
        if character in named:
            parts.append(named[character])
        elif character.isprintable():
            parts.append(character)
        else:
            parts.append(f"\\U{ord(character):08X}")
    return '"' + "".join(parts) + '"'


def _structural_tag(source: object) -> Any:
    return source if isinstance(source, str) else json.dumps(source)


_FIELDS: Mapping[str, Mapping[str, Callable[[object, bool], dict[str, Any]]]] = {
    "openai": {"json_schema": _response_format},
    "vllm": {
        "json_schema": _vllm("json", _schema),
        "regex": _vllm("regex", _text),
        "choice": _vllm("choice", _choices),
        "gbnf": _vllm("grammar", _text),
        "lark": _vllm("grammar", _text),
        "structural_tag": _vllm("structural_tag", _structural_tag),
    },
    "sglang": {
        "json_schema": _sglang_schema,
        "regex": _plain("regex", _text),
        "choice": _plain("regex", _choice_pattern),
        "gbnf": _plain("ebnf", _text),
    },
    "llama_cpp": {
        "json_schema": _plain("json_schema", _schema),
        "choice": _plain("grammar", _choice_gbnf),
        "gbnf": _plain("grammar", _text),
    },
}
