"""The options of the format, checked and gathered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from formgate.core.errors import GrammarError

__all__ = ["DRAFTS", "Options", "read_options"]

DRAFTS = ("4", "6", "7", "2019-09", "2020-12")

_CHOICES: dict[str, tuple[str, ...]] = {
    "whitespace": ("flexible", "compact"),
    "property_order": ("schema", "any"),
    "escapes": ("any", "canonical"),
    "formats": ("assert", "annotate"),
    "content": ("annotate", "assert"),
    "on_unsupported": ("error", "relax", "validate"),
}
_COUNTS = {
    "max_blanks": 0,
    "max_levels": 0,
    "max_states": 1,
    "max_clauses": 1,
    "max_depth": 1,
    "max_cells": 1,
    "max_nested": 1,
}
_MAX_COUNT = 2**31 - 1
_MAX_BITS = 256  # of an integer in a message
# Each level of nesting has white space of its own, written out.
# Each list around costs time with each byte of a list within it.
_MAXIMA = {"indent": 64, "max_levels": 256, "max_nested": 64}


class Options(NamedTuple):
    """How a schema is read and how its values are written.

    Attributes:
        draft: The draft of schemas that do not name one by ``$schema``.
        whitespace: ``"flexible"``: where JSON allows it; ``"compact"``: none.
        max_blanks: Most blanks in a row, where white space is flexible.
        separators: What stands between members and after a name, as ``json.dumps`` has it.
        indent: Blanks per level, as ``json.dumps`` has it.
        max_levels: How deep arrays and objects may nest, where they are indented.
        property_order: ``"schema"``: members in the order in which the schema names them, all
            others after them; ``"any"``: every order.
        escapes: ``"any"``: every spelling of a string; ``"canonical"``: just the shortest.
        formats: ``"assert"``: ``format`` constrains; ``"annotate"``: it does not.
        content: ``"annotate"``: ``contentEncoding`` and ``contentMediaType`` do not constrain;
            ``"assert"``: they do, from draft 7 on.
        on_unsupported: ``"error"``: what cannot be enforced is refused; ``"relax"`` (or
            ``"validate"``): it is left out with a warning.
        resources: Documents that the schema refers to: a ``referencing.Registry``, or schemas by
            their addresses.
        max_states: Most distinct sets of subschemas that values are measured against.
        max_clauses: Most alternatives for the objects, or the arrays, in one place.
        max_depth: Most subschemas that apply to one value by way of each other.
        max_cells: Most combinations of the patterns for the names of one object.
        max_nested: How deep lists without repetition that may hold themselves do so.
    """

    draft: str = "2020-12"
    whitespace: str = "flexible"
    max_blanks: int = 64
    separators: tuple[str, str] | None = None
    indent: int | None = None
    max_levels: int = 16
    property_order: str = "schema"
    escapes: str = "any"
    formats: str = "assert"
    content: str = "annotate"
    on_unsupported: str = "error"
    resources: Any = None
    max_states: int = 100_000
    max_clauses: int = 1_000
    max_depth: int = 64
    max_cells: int = 64
    max_nested: int = 32

    @property
    def relax(self) -> bool:
        """Whether what cannot be enforced is left out."""
        return self.on_unsupported != "error"


_DEFAULT = Options()


def read_options(given: Mapping[str, object]) -> Options:  # noqa: C901 (one check after another)
    """Check options and gather them.

    Raises:
        GrammarError: An option is unknown, has a wrong value, or contradicts another.
    """
    if not given:
        return _DEFAULT
    values: dict[str, Any] = dict(given)
    known = Options._fields
    for name, value in values.items():
        if name not in known:
            raise GrammarError(
                f"the json_schema format has no option {name!r}",
                hint="its options are: " + ", ".join(known),
            )
        if name in _CHOICES and value not in _CHOICES[name]:
            raise GrammarError(f"{name} is {_listed(_CHOICES[name])}, not {value!r:.60}")
        if name in _COUNTS:
            _check_count(name, value, _COUNTS[name])
    _check_resources(values.get("resources"))
    if "draft" in values:
        values["draft"] = _draft(values["draft"])
    if values.get("separators") is not None:
        values["separators"] = _separators(values["separators"])
    if values.get("indent") is not None:
        _check_count("indent", values["indent"], 0)
        values["indent"] = int(values["indent"])
    fixed = [name for name in ("separators", "indent") if values.get(name) is not None]
    for name in ("whitespace", "max_blanks"):
        if fixed and name in values:
            raise GrammarError(
                f"{fixed[0]} fixes the white space, so {name} has no meaning beside it"
            )
    return Options(**values)


def _check_resources(value: object) -> None:
    """Refuse what holds no documents."""
    if not (
        value is None
        or hasattr(value, "get_or_retrieve")
        or (isinstance(value, Mapping) and all(isinstance(uri, str) for uri in value))
    ):
        raise GrammarError(
            "resources is a referencing.Registry or a dict of schemas by their addresses, not "
            f"{value!r:.60}"
        )


def _draft(value: object) -> str:
    """Return the name of a draft, given as text or number."""
    text = str(value)
    text = text.removeprefix("draft").lstrip("-0")
    text = {"2019": "2019-09", "2020": "2020-12"}.get(text, text)
    if isinstance(value, bool) or text not in DRAFTS:
        raise GrammarError(f"draft is {_listed(DRAFTS)}, not {value!r:.60}")
    return text


def _separators(value: object) -> tuple[str, str]:
    """Return two separators: a comma and a colon, each with blanks around it."""
    if isinstance(value, (tuple, list)) and len(value) == 2:
        comma, colon = value
        if isinstance(comma, str) and isinstance(colon, str):
            blanks = " \t\n\r"
            if comma.strip(blanks) == "," and colon.strip(blanks) == ":":
                return comma, colon
    raise GrammarError(
        f"separators are a comma and a colon with white space around them, not {value!r:.60}",
        hint='for example separators=(", ", ": ")',
    )


def _check_count(name: str, value: object, least: int) -> None:
    """Refuse what is no count."""
    most = _MAXIMA.get(name, _MAX_COUNT)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        named = name in _MAXIMA or (isinstance(value, int) and value > most)
        to = f" to {most}" if named else ""
        raise GrammarError(f"{name} is a whole number from {least}{to}, not {_shown(value)}")


def _shown(value: object) -> str:
    """Return a value, shortened; of an integer that Python does not write out only the size."""
    if isinstance(value, int) and value.bit_length() > _MAX_BITS:
        return f"a number of {value.bit_length()} bits"
    return f"{value!r:.60}"


def _listed(names: tuple[str, ...]) -> str:
    """Return quoted names with "or" before the last."""
    quoted = [repr(name) for name in names]
    return ", ".join(quoted[:-1]) + " or " + quoted[-1]
