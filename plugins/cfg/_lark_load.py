"""Lark grammars, loaded, as plain data.

Most grammars are read without lark (``_lark_plain``), the others by the lark package
(``_lark_package``). Both do what only lark can say the meaning of: terminals of terminals as one
regex, names of anonymous terminals, imports, templates. Its next step, writing repetitions out as
rules, is left out: it multiplies alternatives, and the engine needs no such rules. What remains of
a rule is a list of operations for a stack machine, so that nothing here or later recurses.

Loading takes 2 to 60 ms, so what was loaded is kept, by content: the text, where imports are
looked for, and the texts of imported files.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple

from formgate.core.errors import GrammarError
from formgate.core.forking import lock_across_forks
from formgate.plugins.cfg._lark_plain import read_file, read_plain
from formgate.plugins.cfg._lark_source import prepare
from formgate.plugins.cfg._lark_syntax import Unusual
from formgate.plugins.cfg._lark_tree import Body, Op, operations

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lark.lexer import Pattern as LarkPattern

    from formgate.core.grammar import Production
    from formgate.plugins.cfg._lark_patterns import Pattern
    from formgate.plugins.cfg._lark_source import LarkSource, Part
    from formgate.plugins.cfg._lark_tree import Content

__all__ = ["Loaded", "Op", "Terminal", "load", "written"]

_MOST_LOADED = 64
_LARGEST_KEPT = 1 << 20


class Terminal(NamedTuple):
    """A terminal as lark knows it.

    Args:
        name: Its name, or the one that lark gave to an anonymous one.
        regexp: The regex for it, flags included.
        literal: The text, for one that is a plain string.
        flags: Letters of the flags that the string or regex has by itself.
        length: How long what is written is; it matters to the order that lark tries them in.
        priority: As written.
        width: The fewest and most characters it matches; None for a regex that ``re`` refuses.
        part: What it is, when it is written in another format.
        shown: Its name, or what is written where lark has made up the name.
    """

    name: str
    regexp: str
    literal: str | None
    flags: frozenset[str]
    length: int
    priority: int
    width: tuple[int, int] | None
    part: Part | None
    shown: str


class Loaded(NamedTuple):
    """A grammar as lark has loaded it.

    Args:
        source: The text it was written in.
        terminals: All terminals, by name.
        rules: The bodies of all rules, by name; templates as far as they are used.
        ignored: Names of the terminals that may stand anywhere.
        declared: Names that ``%declare`` leaves to a program.
        bodies: The rules for lark's next step.
        files: Texts of imported files, by path.
        folders: Where relative imports begin, and what is searched for others.
        written: The productions of starts that were asked for, by start.
    """

    source: LarkSource
    terminals: Mapping[str, Terminal]
    rules: Mapping[str, tuple[Op, ...]]
    ignored: tuple[str, ...]
    declared: frozenset[str]
    bodies: Sequence[Body]
    files: Mapping[str, str]
    folders: tuple[str | None, tuple[str, ...]]
    written: dict[str, tuple[Production, ...]]


_kept: OrderedDict[tuple[object, ...], Loaded] = OrderedDict()
_lock = lock_across_forks()


def load(source: str, *, base_path: str | None, import_paths: tuple[str, ...]) -> Loaded:
    """Load a grammar, or return what was loaded before.

    Args:
        source: The grammar.
        base_path: The folder that relative imports begin from.
        import_paths: Folders that are searched for imports, before those that come with lark.

    Raises:
        GrammarError: lark refuses the grammar.
        LimitError: It is nested, or grows, beyond reason.
        MissingDependencyError: The lark package is not installed.
    """
    key = source, base_path, import_paths
    with _lock:
        known = _kept.get(key)
        if known is not None:
            _kept.move_to_end(key)
    if known is not None and all(read_file(path) == text for path, text in known.files.items()):
        return known
    prepared = prepare(source)
    content = _read(prepared, base_path, import_paths)
    loaded = Loaded(
        prepared,
        {
            name: _terminal(name, pattern, prepared, content.priorities)
            for name, pattern in content.terminals.items()
        },
        {body.name: operations(body.tree) for body in content.bodies},
        tuple(dict.fromkeys(content.ignored)),
        # lark gives strings names as if those declared were free.
        content.declared.difference(content.terminals),
        content.bodies,
        content.files,
        (base_path, import_paths),
        {},
    )
    if len(source) <= _LARGEST_KEPT:
        with _lock:
            _kept[key] = loaded
            _kept.move_to_end(key)
            while len(_kept) > _MOST_LOADED:
                _kept.popitem(last=False)
    return loaded


def _read(source: LarkSource, base_path: str | None, import_paths: tuple[str, ...]) -> Content:
    """Return what a grammar says: as read without lark, or else by lark."""
    try:
        return read_plain(source.text, base_path, import_paths)
    except Unusual:
        from formgate.plugins.cfg._lark_package import read_with_lark  # noqa: PLC0415 (rare)

        return read_with_lark(source, base_path, import_paths)


def _terminal(
    name: str, pattern: Pattern | LarkPattern, source: LarkSource, priorities: Mapping[str, int]
) -> Terminal:
    """Return a terminal as plain data; those that the grammar names have a priority."""
    part = source.parts.get(pattern.value)
    if part is None:
        for marker, candidate in source.parts.items():
            if marker in pattern.value:
                raise _part_in_terminal(name, candidate, source)
    try:
        width = pattern.min_width, pattern.max_width
    except RecursionError:
        raise
    except Exception:  # noqa: BLE001 (an error of re, or of the regex package if there is one)
        width = None
    return Terminal(
        name,
        pattern.to_regexp(),
        pattern.value if pattern.type == "str" else None,
        frozenset(pattern.flags),
        len(pattern.value),
        priorities.get(name, 0),
        width,
        part,
        name if name in priorities else written(pattern),
    )


def written(pattern: Pattern | LarkPattern) -> str:
    """Return a string or a regex as the grammar has it."""
    if pattern.raw:
        return str(pattern.raw)
    quote = '"' if pattern.type == "str" else "/"
    return f"{quote}{pattern.value}{quote}{''.join(sorted(pattern.flags))}"


def _part_in_terminal(name: str, part: Part, source: LarkSource) -> GrammarError:
    return GrammarError(
        f"terminal {name} has a part in another format, %{part.format}, which only rules may have",
        source=source.source,
        offset=part.place[0],
        end=part.place[1],
        hint=f"make {name} a rule: give it a name in lower case, {name.lower()}; or have the part "
        "be all of the terminal",
    )
