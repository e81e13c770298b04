"""Does a value belong to a schema's automaton? The plugin's own validator, under a short name."""

from __future__ import annotations

from typing import Any

from formgate.plugins.json_schema import Validator


class Acceptor(Validator):
    """Decides values under one schema, without grammars or engines."""

    def accepts(self, value: Any) -> bool:
        """Say whether a value is valid."""
        return self.is_valid(value)
