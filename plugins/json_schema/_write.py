"""The steps from a schema to a grammar: load, read, normalise, write; and ``inspect``."""

from __future__ import annotations

import warnings
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from formgate.core._native import likely_text
from formgate.core.errors import EmptyLanguageError, GrammarError, LimitError, UnsupportedConstraint
from formgate.plugins.json_schema import _load, _plain
from formgate.plugins.json_schema._deadline import Deadline
from formgate.plugins.json_schema._options import read_options
from formgate.plugins.json_schema._types import schema_source
from formgate.plugins.json_schema._wrong import WrongSchemaError, explain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from formgate.core.grammar import GrammarBuilder, Node
    from formgate.plugins.json_schema._automaton import Automaton
    from formgate.plugins.json_schema._options import Options
    from formgate.plugins.json_schema._plain import PlainWriter
    from formgate.plugins.json_schema._resolve import Where
    from formgate.plugins.json_schema._tools_definitions import Tool
    from formgate.plugins.json_schema._values import Json

__all__ = [
    "Prepared",
    "Report",
    "UnenforcedWarning",
    "compile_format",
    "compile_json_schema",
    "inspect",
    "name_file",
    "prepared",
    "retold",
    "write",
    "written",
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
        unknown_drafts: Addresses in ``$schema`` that are not known, with the place; they are read
            as if there were none.
    """

    draft: str
    unenforced: dict[str, str]
    unknown_formats: dict[str, str]
    unknown_drafts: dict[str, str]


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
    automaton, node = _compile(prepared(source, options), builder)
    if automaton is not None:
        _warn(automaton)
    return node


def compile_format(source: object, builder: GrammarBuilder, options: Mapping[str, object]) -> None:
    """Write a schema given to ``formgate.compile``; as ``compile_json_schema``."""
    automaton, node = _compile(prepared(source, options), builder, whole=True)
    builder.start(node)
    if automaton is not None:
        _warn(automaton)


def write(schema: Json, builder: GrammarBuilder, options: Mapping[str, object]) -> None:
    """Write a schema that is loaded already; as ``compile_format``."""
    compile_format(schema, builder, options)


def write_whole(given: Prepared) -> None:
    """Write a schema by way of its automaton, which passes nothing over; raises as ``_compile``."""
    from formgate.core.grammar import GrammarBuilder  # noqa: PLC0415 (the native core)

    _compile(given, GrammarBuilder(), plain=False)


def inspect(source: object, **options: object) -> Report:
    """Say what of a schema is enforced, without compiling a grammar for use.

    Raises:
        As ``compile_json_schema`` with ``on_unsupported="relax"``.
    """
    from formgate.core.grammar import GrammarBuilder  # noqa: PLC0415 (the native core)
    from formgate.plugins.json_schema._resolve import pointer  # noqa: PLC0415

    given = prepared(source, {**options, "on_unsupported": "relax"})
    automaton, _ = _compile(given, GrammarBuilder(), plain=False)
    if automaton is None:
        raise AssertionError("nothing is plain here")
    world = automaton.world

    def told(where: Where) -> str:
        return retold(pointer(where), given.origins) if given.origins else pointer(where)

    return Report(
        world.library.root.draft.name,
        dict(world.relaxed),
        {name: told(where) for name, where in world.unknown_formats.items()},
        {uri: told(where) for uri, where in world.library.unknown_drafts.items()},
    )


class Prepared(NamedTuple):
    """A schema, what is left of the options, names of its parts that stand for tools, and these.

    One tool by itself stands for its arguments, and is not among the tools.
    """

    schema: object
    options: Options
    origins: dict[str, str]
    tools: Sequence[Tool] = ()


def prepared(source: object, options: Mapping[str, object]) -> Prepared:
    """Return the schema that a source stands for, and the options that are left to read."""
    schema = schema_source(source, options)
    origins: dict[str, str] = {}
    tools: Sequence[Tool] = ()
    if schema is not source and isinstance(source, (dict, list, tuple)):
        from formgate.plugins.json_schema._tools import chosen_tools, origins_of  # noqa: PLC0415

        origins = origins_of(source, options)
        if not isinstance(source, dict):
            tools = chosen_tools(source, options.get("tool_choice"))
            options = {name: value for name, value in options.items() if name != "tool_choice"}
    return Prepared(schema, read_options(options), origins, tools)


def _compile(
    given: Prepared, builder: GrammarBuilder, *, plain: bool = True, whole: bool = False
) -> tuple[Automaton | None, Node]:
    """Return the automaton of a schema, if it takes one, and its node.

    If that is the whole of the grammar, the builder is told what texts are likely, too.
    """
    try:
        with Deadline(builder):
            schema = _load.load(given.schema)
            automaton, node = written(schema, given.options, builder, plain=plain)
            if whole:
                builder.expect(partial(_likely_text, schema, given.options))
    except (GrammarError, LimitError) as error:
        if isinstance(error, EmptyLanguageError):
            from formgate.plugins.json_schema._blame import tell_why  # noqa: PLC0415

            tell_why(error, given, engine=False)
            without = _without_formats(error, given, builder)
            if without is not None:
                return without
        else:
            _retell(error, given.origins)
        name_file(error, given.schema)
        raise
    if len(given.tools) > 1:
        from formgate.plugins.json_schema._tools_callable import (  # noqa: PLC0415 (in a circle)
            check_callable,
        )

        check_callable(given.tools, given.options, builder)
    if automaton is not None and automaton.world.relaxed and given.origins:
        automaton.world.relaxed = {
            retold(place, given.origins): retold(reason, given.origins)
            for place, reason in automaton.world.relaxed.items()
        }
    return automaton, node


def _without_formats(
    error: EmptyLanguageError, given: Prepared, builder: GrammarBuilder
) -> tuple[Automaton | None, Node] | None:
    """Return what a schema is without formats, where they left nothing and may be relaxed.

    Of some formats only those texts are written that surely conform, and under ``not`` those that
    surely do not: that none is left does not mean that no value is valid.

    Raises:
        UnsupportedConstraint: They may not be relaxed.
    """
    from formgate.plugins.json_schema._formats import known_in_part  # noqa: PLC0415 (rarely needed)

    if given.options.formats != "assert":
        return None
    schema = _load.load(given.schema)
    names = known_in_part(schema)
    if not names:
        return None
    options = given.options._replace(formats="annotate")
    try:
        automaton, node = written(schema, options, builder, plain=False)
    except EmptyLanguageError:
        return None
    said = (
        f"of the format {', '.join(map(repr, names))} only those texts are known that surely "
        "conform, or surely do not, and none of them is left"
    )
    if given.options.on_unsupported == "error" or automaton is None:
        place = error.reason.partition(":")[0]
        raise UnsupportedConstraint(
            f"{place}: {said}", hint='formats="annotate" leaves formats out'
        ) from None
    automaton.world.relaxed["#"] = f"format: {said}"
    return automaton, node


def written(
    source: object, options: Options, builder: GrammarBuilder, *, plain: bool
) -> tuple[Automaton | None, Node]:
    """Return the automaton of a schema, if it takes one, and its node; places are the schema's."""
    schema = _load.load(source)
    writer = _plain.plain_writer(schema, builder, options) if plain else None
    try:
        if writer is None:
            return _reasoned(schema, builder, options, None)
        node = writer.write()
        if node is not None:
            writer.close()
            return writer.automaton, node
        return _reasoned(schema, builder, options, writer)
    except WrongSchemaError as error:
        raise explain(error) from None
    except RecursionError:
        from formgate.plugins.json_schema._circles import (  # noqa: PLC0415
            find_circle,
            find_deepest,
        )

        place = find_circle(schema)
        if place is not None:
            raise GrammarError(
                f"{place}: what the schema says there contains itself, which no JSON value does",
                hint="for a schema that applies to its own parts, write $ref",
            ) from None
        steps = find_deepest(schema)
        values = [number for number, step in enumerate(steps) if step in ("const", "enum")]
        if values:
            raise LimitError(
                f"#/{'/'.join(steps[: values[0] + 1])}: the value there is nested too deeply for "
                "Python's stack; simplify it"
            ) from None
        raise LimitError(
            "#: the schema's subschemas are nested too deeply for Python's stack; simplify it"
        ) from None


def _reasoned(
    schema: Json, builder: GrammarBuilder, options: Options, plain: PlainWriter | None
) -> tuple[Automaton, Node]:
    """Return the automaton of a schema, and its node by way of it."""
    from formgate.plugins.json_schema._automaton import Automaton  # noqa: PLC0415
    from formgate.plugins.json_schema._emit import Emitter  # noqa: PLC0415

    if plain is None:
        automaton = Automaton(schema, options)
        emitter = Emitter(automaton, builder, options)
    else:
        automaton, emitter = plain.rest()
    if automaton.is_empty(automaton.root):
        raise EmptyLanguageError("no value is valid under the schema")
    node = emitter.write(automaton.root)
    if plain is None:
        emitter.close()
        automaton.close()
    else:
        plain.drain(node)
        plain.close()
    return automaton, node


def _likely_text(schema: Json, options: Options, size: int) -> list[bytes]:
    """Return what texts of a schema are likely to look like: as ``json.dumps`` writes them."""
    if options.indent is not None:
        usual = ",", ": "
    elif options.whitespace == "compact" or options.max_blanks == 0:
        usual = ",", ":"
    else:
        usual = ", ", ": "
    comma, colon = options.separators or usual
    return likely_text(schema, size, comma=comma, colon=colon, indent=options.indent)


def retold(text: str, origins: Mapping[str, str]) -> str:
    """Return a message with places in the schema that was made as places in the tools given."""
    import re  # noqa: PLC0415 (rarely needed)

    prefixes = "|".join(map(re.escape, sorted(origins, key=len, reverse=True)))
    # At the start or after a blank, with the whole of a step.
    return re.sub(rf"(?:^|(?<= ))(?:{prefixes})(?=[/: ]|$)", lambda match: origins[match[0]], text)


def _retell(error: GrammarError | LimitError, origins: Mapping[str, str]) -> None:
    """Let an error name places in the tools that were given."""
    if origins and error.args:
        words = retold(str(error.args[0]), origins)
        error.args = (words, *error.args[1:])
        if isinstance(error, GrammarError):
            error.reason = words


def name_file(error: GrammarError | LimitError, source: object) -> None:
    """Let an error name the file that a schema came from."""
    # What cannot be read is named already.
    named = _load.as_path(source) is not None
    if named and error.args and str(source) not in str(error.args[0]):
        error.args = (f"{source}: {error.args[0]}", *error.args[1:])
        if isinstance(error, GrammarError):
            error.reason = f"{source}: {error.reason}"


def _warn(automaton: Automaton) -> None:
    """Say what was left out."""
    for place, reason in automaton.world.relaxed.items():
        warnings.warn(f"{place}: not enforced: {reason}", UnenforcedWarning, stacklevel=5)
