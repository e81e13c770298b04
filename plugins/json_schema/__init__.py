"""Format ``json_schema``: the JSON texts whose value is valid under a JSON Schema.

Drafts 4, 6, 7, 2019-09 and 2020-12, every keyword of theirs. See ``docs/reference/json-schema.md``
for the options, what is guaranteed, and what is refused.

The module is imported whenever plugins are loaded, so it holds the registration only; what reads
schemas is imported when the first one is compiled.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from formgate.core.registry import Format, hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from formgate.core.errors import FormgateError
    from formgate.core.grammar import GrammarBuilder
    from formgate.plugins.json_schema._types import schema_of
    from formgate.plugins.json_schema._validate import Validator
    from formgate.plugins.json_schema._write import (
        Report,
        UnenforcedWarning,
        compile_json_schema,
        inspect,
    )

__all__ = [
    "FORMGATE_API",
    "Report",
    "UnenforcedWarning",
    "Validator",
    "compile_json_schema",
    "inspect",
    "register_formats",
    "schema_of",
]

FORMGATE_API = (1, 0)

# Where a name is imported from when it is first asked for.
_MODULES = {
    "Report": "_write",
    "UnenforcedWarning": "_write",
    "Validator": "_validate",
    "compile_json_schema": "_write",
    "inspect": "_write",
    "schema_of": "_types",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first asked for."""
    if name in _MODULES:
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _write_schema(
    source: object, builder: GrammarBuilder, options: Mapping[str, object], /
) -> None:
    """Import the front end and let it write the schema."""
    from formgate.plugins.json_schema._write import compile_format  # noqa: PLC0415

    compile_format(source, builder, options)


def _read_text(
    source: object, options: Mapping[str, object], text: str, wanted: Mapping[str, object], /
) -> object:
    """Import the reader and let it read the text."""
    from formgate.plugins.json_schema._parse import read_text  # noqa: PLC0415

    return read_text(source, options, text, wanted)


def _name_place(source: object, options: Mapping[str, object], error: FormgateError, /) -> None:
    """Import what finds places and let it name one."""
    from formgate.plugins.json_schema._blame import name_place  # noqa: PLC0415

    name_place(source, options, error)


def _guess(source: object) -> bool:
    """Say whether a source given without a format is a schema, or stands for one."""
    if isinstance(source, (dict, bool)):
        return True
    if isinstance(source, (str, bytes)):
        return False  # said before the import: most sources without a format are patterns
    from formgate.plugins.json_schema._types import claims  # noqa: PLC0415

    return claims(source)


@hookimpl
def register_formats(register: Callable[[Format], None]) -> None:
    """Offer the format."""
    register(
        Format(
            name="json_schema",
            compile=_write_schema,
            aliases=("json-schema",),
            guess=_guess,
            description="JSON texts that are valid under a JSON Schema",
            reader=_read_text,
            explain=_name_place,
            endings=("json",),
        )
    )
