"""What is said of subschemas: their places, what is left out, and errors that name them."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from formgate.core.errors import CompileTimeout, GrammarError, LimitError, UnsupportedConstraint
from formgate.plugins.json_schema._resolve import last_steps, pointer
from formgate.plugins.json_schema._scalars import ScalarSets
from formgate.plugins.json_schema._sites import Site

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from formgate.plugins.json_schema._options import Options
    from formgate.plugins.json_schema._resolve import Where
    from formgate.plugins.json_schema._shapes import Lits

__all__ = ["Telling"]

_NAMED = 4  # literals that the name of a rule, or a message, shows


class Telling(ScalarSets):
    """Subschemas with their places.

    Args:
        options: The options.
    """

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._sites: list[Site] = [Site(0, True, None, (None, ""))]

    def where(self, lits: Iterable[int]) -> str:
        """Return the places of the schemas of literals, for people, negated or not."""
        return self._places((lit & ~1 for lit in lits), pointer)

    def written_alike(self, lit: int) -> list[Where]:
        """Return the places of the schemas with the words of a literal's, its own first."""
        own = self._sites[lit >> 1]
        if own.schema is None:
            return []
        alike = (site for site in self._sites if site is not own and site.schema == own.schema)
        return [site.where for site in (own, *alike)]

    def name(self, lits: Iterable[int]) -> str:
        """Return the places of the schemas of a few literals, shortened, for names of rules."""
        return self._places(islice(lits, _NAMED), last_steps)

    def _places(self, lits: Iterable[int], text: Callable[[Where], str]) -> str:
        """Return the places of the schemas of literals."""
        found = []
        for lit in lits:
            site = self._sites[lit >> 1]
            if site.schema is not None:
                found.append(("not " if lit & 1 else "") + text(site.where))
        return " and ".join(dict.fromkeys(found))

    def left_out(self, error: UnsupportedConstraint, where: Where) -> None:
        """Refuse what cannot be enforced, or note that it is left out.

        Raises:
            UnsupportedConstraint: ``on_unsupported`` is ``"error"``.
        """
        if not self.options.relax:
            raise self.placed(error, where)
        self.relaxed.setdefault(pointer(where), error.reason)

    def unsupported(self, where: str, reason: str, hint: str) -> None:
        """Refuse what cannot be enforced at a place, or note that it is left out.

        Raises:
            UnsupportedConstraint: ``on_unsupported`` is ``"error"``.
        """
        if not self.options.relax:
            raise UnsupportedConstraint(f"{where}: {reason}", hint=hint)
        self.relaxed.setdefault(where, reason)

    def limited(self, error: LimitError, lits: Lits, keyword: str | None = None) -> LimitError:
        """Return an error that names the place in the schema, if it has one and does not yet.

        Args:
            error: The error.
            lits: The literals that it is about.
            keyword: The keyword of the only one of them, where schemas that nobody wrote, and
                those without the keyword, are left to what refers to them.
        """
        words = str(error)
        if isinstance(error, CompileTimeout) or "#" in words.partition(": ")[0]:
            return error
        if keyword is None:
            return LimitError(f"{self.where(islice(lits, _NAMED)) or '#'}: {words}")
        schema = self._sites[lits[0] >> 1].schema
        if schema is None:
            return error
        if keyword not in schema and keyword.startswith("dependent"):
            keyword = "dependencies"
        if keyword not in schema:
            return error
        return LimitError(f"{self.where((lits[0] & ~1,))}/{keyword}: {words}")

    def placed(self, error: GrammarError, where: Where) -> GrammarError:
        """Return an error that names the place in the schema."""
        place = pointer(where)
        if place not in error.reason:
            error.reason = f"{place}: {error.reason}"
            error.args = (error.reason,)
        return error
