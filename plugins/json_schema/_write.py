"""The steps from a schema to a grammar: load, read, normalise, write; and ``inspect``."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, NamedTuple

from formgate.core.errors import EmptyLanguageError, LimitError
from formgate.plugins.json_schema._options import read_options

if TYPE_CHECKING:
    from collections.abc import Mapping

    from formgate.core.grammar import GrammarBuilder, Node
    from formgate.plugins.json_schema._automaton import Automaton
    from formgate.plugins.json_schema._options import Options
    from formgate.plugins.json_schema._values import Json

__all__ = [
    "Report",
    "UnenforcedWarning",
    "compile_format",
    "compile_json_schema",
    "inspect",
    "write",
]


class UnenforcedWarning(UserWarning):
    """A part of a schema was left out, as ``on_unsupported="relax"`` asks."""


class Report(NamedTuple):
    """What of a schema is enforced.

    Attributes:
        draft: The draft that the schema was read by.
        unenforced: What is left out with ``on_unsupported="relax"``: the reason by the place. Empty
            if the grammar is exact.
        unknown_formats: Names of formats that are not known, and so mean nothing, with the place.
    """

    draft: str
    unenforced: dict[str, str]
    unknown_formats: dict[str, str]


def compile_json_schema(source: object, builder: GrammarBuilder, **options: object) -> Node:
    """Write the language of the JSON texts that are valid under a schema.

    Args:
        source: The schema: a dict or a truth value, a JSON text, or a ``pathlib.Path``; or what
            stands for one: a type, a function, tools, a response format.
        builder: Where to write.
        **options: See ``docs/reference/json-schema.md``.

    Raises:
        GrammarError: The source is no schema; the message has the JSON pointer and the reason.
        UnsupportedConstraint: It asks for what cannot be enforced exactly.
        EmptyLanguageError: No value is valid.
        LimitError: A limit was reached.

    Example:
        >>> from formgate.core.grammar import GrammarBuilder
        >>> builder = GrammarBuilder()
        >>> builder.start(compile_json_schema({"type": "integer", "minimum": 0}, builder))
    """
    automaton, node = _compile(*_prepared(source, options), builder)
    _warn(automaton)
    return node


def compile_format(source: object, builder: GrammarBuilder, options: Mapping[str, object]) -> None:
    """Write a schema given to ``formgate.compile``; as ``compile_json_schema``."""
    automaton, node = _compile(*_prepared(source, options), builder)
    builder.start(node)
    _warn(automaton)


def write(schema: Json, builder: GrammarBuilder, options: Mapping[str, object]) -> None:
    """Write a schema that is loaded already; as ``compile_format``."""
    compile_format(schema, builder, options)


def inspect(source: object, **options: object) -> Report:
    """Say what of a schema is enforced, without compiling a grammar for use.

    Raises:
        As ``compile_json_schema`` with ``on_unsupported="relax"``.
    """
    from formgate.core.grammar import GrammarBuilder  # noqa: PLC0415 (the native core)
    from formgate.plugins.json_schema._resolve import pointer  # noqa: PLC0415

    schema, chosen = _prepared(source, {**options, "on_unsupported": "relax"})
    automaton, _ = _compile(schema, chosen, GrammarBuilder())
    world = automaton.world
    return Report(
        world.library.root.draft.name,
        dict(world.relaxed),
        {name: pointer(where) for name, where in world.unknown_formats.items()},
    )


def _prepared(source: object, options: Mapping[str, object]) -> tuple[object, Options]:
    """Return the schema that a source stands for, and the options that are left to read."""
    from formgate.plugins.json_schema._types import schema_source  # noqa: PLC0415

    schema = schema_source(source, options)
    if schema is not source and isinstance(source, (list, tuple)):
        options = {name: value for name, value in options.items() if name != "tool_choice"}
    return schema, read_options(options)


def _compile(source: object, options: Options, builder: GrammarBuilder) -> tuple[Automaton, Node]:
    """Return the automaton of a schema and its node."""
    from formgate.plugins.json_schema._automaton import Automaton  # noqa: PLC0415
    from formgate.plugins.json_schema._emit import Emitter  # noqa: PLC0415
    from formgate.plugins.json_schema._load import load  # noqa: PLC0415
    from formgate.plugins.json_schema._read import WrongSchemaError  # noqa: PLC0415

    schema = load(source)
    try:
        automaton = Automaton(schema, options)
        if automaton.is_empty(automaton.root):
            raise EmptyLanguageError("#: no value is valid under the schema")
        emitter = Emitter(automaton, builder, options)
        node = emitter.write(automaton.root)
        emitter.close()
        automaton.close()
    except WrongSchemaError as error:
        from formgate.plugins.json_schema._wrong import explain  # noqa: PLC0415

        raise explain(error) from None
    except RecursionError:
        raise LimitError(
            "the schema's subschemas are nested too deeply for Python's stack; simplify it"
        ) from None
    return automaton, node


def _warn(automaton: Automaton) -> None:
    """Say what was left out."""
    for place, reason in automaton.world.relaxed.items():
        warnings.warn(f"{place}: not enforced: {reason}", UnenforcedWarning, stacklevel=5)
