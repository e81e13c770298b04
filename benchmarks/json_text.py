"""Which bytes can begin a JSON text (RFC 8259), decided without any engine.

A pushdown automaton over UTF-8 bytes: a mode, and a stack of open brackets and member names. Every
state it reaches can be completed, so bytes are viable exactly where it has not stopped. States are
values: a step costs a look-up, and going on from one state in many ways needs no copies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

# What is open, innermost first: "{", "[" or "name", and the rest of the stack; None where nothing.
Stack = tuple[str, Any] | None
State = tuple[str, Stack]  # a mode, and what is open

START: State = ("value", None)


def read(data: bytes, state: State | None = START) -> State | None:
    """Return the state after these bytes; None where no JSON text goes on like this."""
    if state is None:
        return None
    mode, stack = state
    for byte in data:
        to = _NEXT[mode].get(byte)
        if to is None and mode in _NUMBER_ENDS:  # what follows a number also ends it
            to = _NEXT["after"].get(byte)
        if to is None:
            return None
        if to in _ACTIONS:
            state = _ACTIONS[to](stack)
            if state is None:
                return None
            mode, stack = state
        else:
            mode = to
    return mode, stack


def is_whole(state: State | None) -> bool:
    """Tell whether what was read is a JSON text."""
    return state is not None and state[1] is None and state[0] in {"after", *_NUMBER_ENDS}


def _closing(bracket: str) -> Callable[[Stack], State | None]:
    def close(stack: Stack) -> State | None:
        return ("after", stack[1]) if stack and stack[0] == bracket else None

    return close


def _comma(stack: Stack) -> State | None:
    return ("name" if stack[0] == "{" else "value", stack) if stack else None


def _quote(stack: Stack) -> State:
    return ("colon", stack[1]) if stack and stack[0] == "name" else ("after", stack)


# Steps that change the stack, or depend on it.
_ACTIONS: dict[str, Callable[[Stack], State | None]] = {
    "{": lambda stack: ("name or }", ("{", stack)),
    "[": lambda stack: ("value or ]", ("[", stack)),
    "}": _closing("{"),
    "]": _closing("["),
    ",": _comma,
    "open name": lambda stack: ("string", ("name", stack)),
    "close string": _quote,
}
_NUMBER_ENDS = {"zero", "digits", "fraction", "exponent"}


def _ways(**ways: str) -> dict[int, str]:
    """Return a table of single bytes from a mode or an action and the characters to it."""
    return {ord(char): to.replace("_", " ") for to, chars in ways.items() for char in chars}


def _span(first: int, last: int, to: str) -> dict[int, str]:
    return dict.fromkeys(range(first, last + 1), to)


def _table() -> dict[str, dict[int, str]]:
    blank, digits = " \t\n\r", "0123456789"
    value = _ways(string='"', minus="-", zero="0", digits=digits[1:], rue="t", alse="f", ull="n")
    value |= {ord("{"): "{", ord("["): "["}
    close = {ord("}"): "}", ord("]"): "]"}
    table = {
        "value": value | _ways(value=blank),
        "value or ]": value | {**dict.fromkeys(blank.encode(), "value or ]"), ord("]"): "]"},
        "name": _ways(name=blank, open_name='"'),
        "name or }": {
            **_ways(open_name='"'),
            **dict.fromkeys(blank.encode(), "name or }"),
            ord("}"): "}",
        },
        "colon": _ways(colon=blank, value=":"),
        "after": {**close, ord(","): ",", **_ways(after=blank)},
        "minus": _ways(zero="0", digits=digits[1:]),
        "zero": _ways(point=".", power="eE"),
        "digits": _ways(digits=digits, point=".", power="eE"),
        "point": _ways(fraction=digits),
        "fraction": _ways(fraction=digits, power="eE"),
        "power": _ways(sign="+-", exponent=digits),
        "sign": _ways(exponent=digits),
        "exponent": _ways(exponent=digits),
        "escape": _ways(string='"\\/bfnrt', hex_4="u"),
        # Characters of several bytes as UTF-8 has them: none too long, no surrogates.
        "1 more": _span(0x80, 0xBF, "string"),
        "2 more": _span(0x80, 0xBF, "1 more"),
        "3 more": _span(0x80, 0xBF, "2 more"),
        "E0": _span(0xA0, 0xBF, "1 more"),
        "ED": _span(0x80, 0x9F, "1 more"),
        "F0": _span(0x90, 0xBF, "2 more"),
        "F4": _span(0x80, 0x8F, "2 more"),
    }
    table["string"] = _span(0x20, 0x7F, "string") | _span(0xC2, 0xDF, "1 more")
    table["string"] |= _span(0xE1, 0xEF, "2 more") | _span(0xF1, 0xF3, "3 more")
    table["string"] |= {0xE0: "E0", 0xED: "ED", 0xF0: "F0", 0xF4: "F4"}
    table["string"] |= _ways(close_string='"', escape="\\")
    for left in range(4, 0, -1):
        to = f"hex {left - 1}" if left > 1 else "string"
        table[f"hex {left}"] = dict.fromkeys(b"0123456789abcdefABCDEF", to)
    for word in ("rue", "alse", "ull"):
        for at, char in enumerate(word):
            table.setdefault(word[at:], {})[ord(char)] = word[at + 1 :] or "after"
    return table


_NEXT = _table()
