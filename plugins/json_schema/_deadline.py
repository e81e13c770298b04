"""How long work may take: what runs long asks the builder that a schema is written to.

Sets of numbers and strings are computed far from any builder, so the one at work is kept in a
context variable; without a deadline, asking costs a tenth of a microsecond.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextvars import Token

    from formgate.core.grammar import GrammarBuilder

__all__ = ["Deadline", "check_time"]

_check: ContextVar[Callable[[], None] | None] = ContextVar("_check", default=None)


class Deadline:
    """A ``with`` block in which the deadline of a builder holds.

    Args:
        builder: The builder.
    """

    __slots__ = ("_before", "_builder")

    def __init__(self, builder: GrammarBuilder) -> None:
        self._builder = builder
        self._before: Token[Callable[[], None] | None] | None = None

    def __enter__(self) -> None:
        self._before = _check.set(self._builder.check_time)

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            _check.reset(self._before)


def check_time() -> None:
    """Give up if the deadline has come; called every few steps by what may take long.

    Raises:
        CompileTimeout, CompileCancelled: As ``GrammarBuilder.check_time``.
    """
    check = _check.get()
    if check is not None:
        check()
