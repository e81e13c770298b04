"""Whether a value is valid under a schema."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formgate.plugins.json_schema._automaton import Automaton
from formgate.plugins.json_schema._decide import Decider
from formgate.plugins.json_schema._load import load
from formgate.plugins.json_schema._options import read_options
from formgate.plugins.json_schema._wrong import WrongSchemaError

if TYPE_CHECKING:
    from formgate.core.errors import GrammarError
    from formgate.plugins.json_schema._values import Json

__all__ = ["Validator"]


class Validator:
    """Decides values under one schema.

    Args:
        source: The schema: a dict or a truth value, a JSON text, or a ``pathlib.Path``.
        **options: As for the format; those of the text policy make no difference.

    Raises:
        GrammarError: The source is no schema; where a part of it is wrong, perhaps only when a
            value reaches it.
        UnsupportedConstraint: A pattern or a format cannot be decided.
        LimitError: A limit was reached, or a value is nested too deeply.

    Example:
        >>> Validator({"type": "array", "uniqueItems": True}).is_valid([{"a": 1}, {"a": 1.0}])
        False
    """

    def __init__(self, source: object, **options: object) -> None:
        try:
            self.automaton = Automaton(load(source), read_options(options))
            self.root = self.automaton.root
            self._decider = Decider(self.automaton)
        except WrongSchemaError as error:
            raise _explained(error) from None

    def is_valid(self, value: Json) -> bool:
        """Say whether a value is valid."""
        return self.ordered(value) is not None

    def ordered(self, value: Json) -> tuple[Json] | None:
        """Return a value with its members in the order of ``property_order="schema"``.

        Returns:
            The value in a tuple, or None if it is not valid.
        """
        try:
            return self._decider.ordered(self.root, value)
        except WrongSchemaError as error:
            raise _explained(error) from None


def _explained(error: WrongSchemaError) -> GrammarError:
    """Return the error for the user."""
    from formgate.plugins.json_schema._wrong import explain  # noqa: PLC0415 (rarely needed)

    return explain(error)
