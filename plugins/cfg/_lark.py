"""Format ``lark``: context-free grammars in the language of the lark package.

What a grammar means depends on how its text is cut into terminals, which ``lexing`` says:

- ``lark``: as lark itself reads it, by the parser and lexer that ``parser`` and ``lexer`` name;
- ``longest``: the longest match of the terminals that may come next;
- ``any``: without a lexer, every way to cut the text counts.

``_lark_load`` loads the grammar as lark does; this module has the options, and the way without a
lexer. See ``docs/reference/lark.md``.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from formgate.core.errors import GrammarError, LimitError, UnsupportedConstraint
from formgate.plugins.cfg._header import options_of
from formgate.plugins.cfg._lark_load import load
from formgate.plugins.cfg._lark_source import count_terminals, prepare
from formgate.plugins.cfg._lark_terminals import TerminalWriter
from formgate.plugins.cfg._lark_use import find_used, write_rules
from formgate.plugins.cfg._options import check_options
from formgate.plugins.cfg._scanner import MAX_COUNT
from formgate.plugins.regex._format import flags_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from formgate.core.grammar import GrammarBuilder, Node
    from formgate.plugins.cfg._lark_use import Used

__all__ = ["compile_format", "compile_lark", "read_source"]

_OPTIONS = (
    "start",
    "lexing",
    "parser",
    "lexer",
    "g_regex_flags",
    "import_paths",
    "base_path",
    "max_ignored",
)
# What a grammar may ask for itself: no files, since it may come from who must not read them.
_WRITTEN = ("start", "lexing", "parser", "lexer", "g_regex_flags", "max_ignored")
_MOST_TERMINALS = 1 << 14  # as in the native core, which would say so after all are written
_LEXINGS = ("lark", "longest", "any")
# The lexers of each parser, the default first.
_LEXERS = {
    "lalr": ("contextual", "basic"),
    "earley": ("dynamic", "dynamic_complete", "basic"),
}


def compile_lark(
    source: str | os.PathLike[str],
    builder: GrammarBuilder,
    *,
    start: str = "start",
    lexing: str = "lark",
    parser: str | None = None,
    lexer: str | None = None,
    g_regex_flags: int | str = 0,
    import_paths: Sequence[str | os.PathLike[str]] = (),
    base_path: str | os.PathLike[str] | None = None,
    max_ignored: int | None = None,
) -> Node:
    r"""Write a Lark grammar and return the node of its start.

    Cost: linear in the grammar, some milliseconds for a hundred rules; for one that is left to lark
    and was not loaded before, 7 to 60 ms on top.

    Args:
        source: The grammar, or the path of a file that holds it.
        builder: Where to write; the rules keep their names.
        start: The rule that the whole text must match.
        lexing: How the text is cut into terminals: ``lark``, ``longest`` or ``any``.
        parser: Of ``lark``: ``lalr`` (the default) or ``earley``.
        lexer: Of ``lark``: ``contextual`` or ``basic`` for lalr; ``dynamic``,
            ``dynamic_complete`` or ``basic`` for earley. Of ``longest``: ``contextual`` or
            ``basic``. The first is the default.
        g_regex_flags: ``re`` flags for all terminals.
        import_paths: Folders that are searched for imports.
        base_path: The folder that relative imports begin from; by default, that of the file.
        max_ignored: The most ignored characters between two terminals, for ``any``; for
            ``longest``, the most blanks in a row.

    Raises:
        GrammarError: lark refuses the grammar, or an option has no meaning.
        UnsupportedConstraint: The grammar asks for what cannot be enforced exactly.
        LimitError: It is nested, or grows, beyond reason.
        MissingDependencyError: The lark package is not installed.

    Example:
        >>> from formgate.core.grammar import GrammarBuilder
        >>> builder = GrammarBuilder()
        >>> grammar = 'start: "(" start ")" | /[0-9]+/'
        >>> builder.start(compile_lark(grammar, builder, lexing="any"))
    """
    mode, lexer = _mode(lexing, parser, lexer)
    _check_bound(max_ignored, lexing)
    if not isinstance(start, str):
        raise GrammarError(f"start is the name of a rule, not {start!r:.60}")
    text, folder, folders = read_source(
        source, {"base_path": base_path, "import_paths": import_paths}
    )
    flags = flags_of(g_regex_flags)
    if mode != "any" and len(text) > _MOST_TERMINALS:
        # lark takes seconds for so many.
        _check_count(count_terminals(prepare(text)))
    loaded = load(text, base_path=folder, import_paths=folders)
    used = find_used(loaded, start, contextual=lexer == "contextual")
    if parser == "earley":
        from formgate.plugins.cfg._lark_productions import (  # noqa: PLC0415 (one way of three)
            productions_of,
        )

        productions_of(loaded, start)  # refuses what lark refuses whatever its parser
    inner: dict[str, object] = {"g_regex_flags": flags, "import_paths": folders}
    terminals = TerminalWriter(builder, loaded.source, flags, inner | {"base_path": folder})
    if mode != "any":
        _check_count(len(used.terminals))
        from formgate.plugins.cfg._lark_lexed import write_lexed  # noqa: PLC0415 (one way of two)

        blanks = None
        if max_ignored is not None and used.ignored:
            from formgate.plugins.cfg._lark_blanks import find_blanks  # noqa: PLC0415 (rare)

            blanks = find_blanks(used, terminals, max_ignored)
        return write_lexed(
            used,
            terminals,
            start,
            mode=mode,
            contextual=lexer == "contextual",
            blanks=blanks,
            lalr=mode == "first" and parser != "earley",
        )
    if lexer is not None:
        from formgate.plugins.cfg._lark_dynamic import check_dynamic  # noqa: PLC0415 (rare)

        check_dynamic(used, lexer, terminals)
    return _scannerless(used, terminals, start, max_ignored)


def compile_format(source: object, builder: GrammarBuilder, options: Mapping[str, object]) -> None:
    """Write a grammar given to ``formgate.compile``.

    Options may stand in the grammar, too, in a line ``// formgate: lexing=any`` among the comments
    that it begins with; those given go before them.

    Raises:
        GrammarError: As for ``compile_lark``; the source is of another type, or an option unknown.
        UnsupportedConstraint: As for ``compile_lark``.
        LimitError: As for ``compile_lark``.
        MissingDependencyError: As for ``compile_lark``.
    """
    check_options("lark", options, _OPTIONS)
    if not isinstance(source, (str, os.PathLike)):
        raise GrammarError(
            "the lark format takes a grammar as a string, or the path of a file as a "
            f"pathlib.Path, not {type(source).__name__}"
        )
    written_for: dict[str, Any] = dict(options_of(source))
    named = written_for.pop("format", "lark")
    if named != "lark":
        raise GrammarError(
            f"the line \"formgate:\" of the grammar names the format {named!r}, not 'lark'",
            hint="correct the name, or leave it out: options are written NAME=VALUE",
        )
    check_options("lark", written_for, _WRITTEN, place='the line "formgate:" of the grammar')
    if written_for.get("max_ignored", "").isdecimal():
        written_for["max_ignored"] = int(written_for["max_ignored"])
    given = {**written_for, **options}
    builder.start(compile_lark(source, builder, **given))


def _scannerless(
    used: Used, terminals: TerminalWriter, start: str, max_ignored: int | None
) -> Node:
    """Write a grammar in which every way to cut the text counts.

    Ignored terminals may stand before the first terminal and after each.
    """
    builder = terminals.builder
    skip = None
    if used.ignored and max_ignored is not None:
        from formgate.plugins.cfg._lark_blanks import bounded_gap  # noqa: PLC0415 (rare)

        skip = bounded_gap(used, terminals, max_ignored)
    elif used.ignored:
        skip = builder.star(builder.choice(*map(terminals.pattern, used.ignored)))
    nodes: dict[str, Node] = {}

    def symbol(name: str) -> Node:
        if name not in nodes:
            node = terminals.pattern(used.loaded.terminals[name])
            nodes[name] = node if skip is None else builder.seq(node, skip)
        return nodes[name]

    write_rules(used, builder, symbol)
    whole = builder.rule(start)
    return whole if skip is None else builder.seq(skip, whole)


def _mode(lexing: str, parser: str | None, lexer: str | None) -> tuple[str, str | None]:
    """Return ``any``, ``first`` or ``longest``, and the lexer; for ``any``, that of lark's Earley.

    Raises:
        GrammarError: An option has no meaning, or none beside another.
    """
    _check("lexing", lexing, _LEXINGS)
    if lexing != "lark" and parser is not None:
        raise GrammarError(
            f"parser={parser!r} says how lark reads the text, which lexing={lexing!r} replaces",
            hint="leave one of them out",
        )
    if lexing == "any":
        if lexer is not None:
            raise GrammarError(
                f"lexing='any' has no lexer, but lexer={lexer!r} is given",
                hint="leave one of them out",
            )
        return "any", None
    parser = "lalr" if parser is None else parser
    if parser == "cyk":
        raise UnsupportedConstraint(
            "lark's CYK parser is not supported",
            hint="parser='earley', lexer='basic' accepts the same texts",
        )
    _check("parser", parser, tuple(_LEXERS))
    known = _LEXERS[parser]
    if lexer is None or lexer == "auto":
        lexer = known[0]
    beside = f"parser={parser!r}" if lexing == "lark" else f"lexing={lexing!r}"
    _check("lexer", lexer, known, f" beside {beside}")
    if lexing == "longest":
        return "longest", lexer
    return ("any" if lexer.startswith("dynamic") else "first"), lexer


def _check_bound(bound: object, lexing: str) -> None:
    """Refuse a bound on ignored text that is none, or cannot be enforced.

    Raises:
        GrammarError: It is no count.
        UnsupportedConstraint: lark's own lexers know none.
    """
    if bound is None:
        return
    if isinstance(bound, bool) or not isinstance(bound, int) or not 1 <= bound <= MAX_COUNT:
        raise GrammarError(f"max_ignored is a number of characters from 1 on, not {bound!r:.60}")
    if lexing == "lark":
        raise UnsupportedConstraint(
            f"max_ignored={bound} has no meaning for lark's own lexers, which know no bound",
            hint="say lexing='longest' or lexing='any'; or bound what %ignore names, as in "
            "/[ \\t]{1,8}/, and let rules have it where it may stand",
        )


def _check_count(count: int) -> None:
    """Refuse more terminals than a lexer may have.

    Raises:
        LimitError: There are more.
    """
    if count > _MOST_TERMINALS:
        raise LimitError(
            f"the grammar has {count:,} terminals, more than the {_MOST_TERMINALS:,} that a lexer "
            "may have; make one regex of many strings that stand in the same place, or say "
            "lexing='any', which has no lexer"
        )


def _check(name: str, value: object, known: tuple[str, ...], where: str = "") -> None:
    """Refuse a value that is none of those known."""
    if value not in known:
        choices = ", ".join(repr(one) for one in known)
        raise GrammarError(f"{name}={value!r:.60} is none of {choices}{where}")


def _read(source: str | os.PathLike[str]) -> tuple[str, str | None]:
    """Return the text of a grammar, and the folder of the file that it stands in."""
    if isinstance(source, str):
        return source, None
    from pathlib import Path  # noqa: PLC0415 (5 ms that a compilation does without)

    path = Path(source)
    try:
        return path.read_text(encoding="utf-8-sig"), str(path.parent)
    except (OSError, UnicodeDecodeError) as error:
        raise GrammarError(f"cannot read the grammar: {error}") from error


def read_source(
    source: object, options: Mapping[str, object]
) -> tuple[str, str | None, tuple[str, ...]]:
    """Return a grammar's text, the folder of its relative imports, and those of other imports.

    Args:
        source: The grammar, or the path of a file that holds it.
        options: As given; ``base_path`` and ``import_paths`` count.

    Raises:
        GrammarError: The file cannot be read, or a folder is none.
    """
    assert isinstance(source, (str, os.PathLike))  # noqa: S101 (was checked by who calls this)
    text, folder = _read(source)
    if options.get("base_path") is not None:
        folder = _folder("base_path", options["base_path"])
    return text, folder, _folders(options.get("import_paths", ()))


def _folder(name: str, value: object) -> str:
    """Return a folder given by its path."""
    if not isinstance(value, (str, os.PathLike)) or not isinstance(os.fspath(value), str):
        raise GrammarError(f"{name} is the path of a folder, not {value!r:.60}")
    return str(os.fspath(value))


def _folders(given: object) -> tuple[str, ...]:
    """Return folders given by their paths."""
    if isinstance(given, (str, os.PathLike)):
        return (_folder("import_paths", given),)
    if not isinstance(given, (list, tuple)):
        raise GrammarError(f"import_paths is a list of folders, not {given!r:.60}")
    return tuple(_folder("each of import_paths", folder) for folder in given)
