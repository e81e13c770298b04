"""The way into the parser, and the wording of refusals.

When a pattern is refused, and only then, ``re.compile`` is asked too: if it refuses as well, its
message and position are reported, as Python users know them.
"""

from __future__ import annotations

import re
import warnings

from formgate.core.errors import GrammarError, UnsupportedConstraint
from formgate.plugins.regex._parser import Parsed, Parser
from formgate.plugins.regex._reader import Restart

__all__ = ["parse"]


def parse(pattern: str, flags: int = 0) -> Parsed:
    r"""Return the syntax tree of a pattern.

    Args:
        pattern: A pattern as for ``re.compile``.
        flags: ``re`` flags as an integer.

    Raises:
        GrammarError: ``re`` refuses the pattern; message and offset are its own.
        UnsupportedConstraint: It asks for what cannot be a regular language.
    """
    try:
        while True:
            parser = Parser(pattern, flags)
            try:
                return parser.parse()
            except Restart as again:
                flags = again.args[0]
    except GrammarError as error:
        refusal = _refusal_of_re(pattern, flags, error)
        raise refusal from None


def _refusal_of_re(pattern: str, flags: int, ours: GrammarError) -> GrammarError:
    """Return the error to raise: that of ``re`` if it refuses too, else ours."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(pattern, flags & ~int(re.DEBUG))
    except re.error as error:
        place = error.pos
        if place is None:
            return GrammarError(
                error.msg, source=pattern, offset=ours.offset, end=ours.end, hint=ours.hint
            )
        same = place == ours.offset
        return GrammarError(
            error.msg,
            source=pattern,
            offset=place,
            end=ours.end if same else None,
            hint=None if isinstance(ours, UnsupportedConstraint) else ours.hint,
        )
    except (ValueError, OverflowError) as error:
        return GrammarError(str(error), source=pattern, offset=ours.offset, end=ours.end)
    except Exception:  # noqa: BLE001 (RecursionError on deep nesting; 3.10 leaks a private type)
        return ours
    return ours
