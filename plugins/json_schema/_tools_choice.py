"""The choice of a tool, as the interfaces of model servers write it."""

from __future__ import annotations

from typing import Any

from formgate.core.errors import GrammarError, UnsupportedConstraint

__all__ = ["wanted_tools"]

_ALL = ("required", "any")
_NAMED = ("function", "tool", "custom")
_NAMING = {"name", "function", "tools", "allowed_tools"}


def wanted_tools(choice: object) -> list[str] | None:
    """Return the names that a choice allows, None for all.

    Raises:
        GrammarError: The choice is none that is known.
        UnsupportedConstraint: It allows an answer without a call.
    """
    kind = choice.get("type") if isinstance(choice, dict) else choice
    _check_call(kind)
    if choice is None or (kind in _ALL and _NAMING.isdisjoint(_keys(choice))):
        return None
    if isinstance(choice, dict) and kind == "allowed_tools":
        names = _allowed(choice)
    else:
        names = [_name(choice)]
    found = [name for name in names if name is not None]
    # No name would be the choice of all tools, or of none.
    if len(found) < len(names) or not found:
        raise GrammarError(
            f"tool_choice {choice!r:.80} is not understood",
            hint='use "required", the name of a tool, or {"type": "function", "function": '
            '{"name": ...}}',
        )
    return found


def _keys(choice: object) -> set[object]:
    return set(choice) if isinstance(choice, dict) else set()


def _check_call(kind: object) -> None:
    if kind in ("auto", "none"):
        raise UnsupportedConstraint(
            f"tool_choice {kind!r} allows an answer that is no call, which is no JSON",
            hint='use tool_choice="required", or decide before whether a tool is called',
        )


def _allowed(choice: dict[Any, Any]) -> list[str | None]:
    """Return the names in a list of allowed tools, None for each that is not understood."""
    inner = choice.get("allowed_tools", choice)
    if not isinstance(inner, dict) or not isinstance(inner.get("tools"), list):
        return []
    mode = inner.get("mode")
    _check_call(mode)
    if mode is not None and mode not in _ALL:
        return []
    return [_name(tool) for tool in inner["tools"]]


def _name(choice: object) -> str | None:
    """Return the name in a choice of one tool, None where there is none, or another beside it."""
    if isinstance(choice, str):
        return choice
    if not isinstance(choice, dict) or choice.get("type") not in _NAMED:
        return None
    inner = choice.get(choice["type"], choice)
    name = inner.get("name") if isinstance(inner, dict) else None
    return name if isinstance(name, str) and choice.get("name", name) == name else None
