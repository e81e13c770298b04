"""The format ``ebnf``: which dialect a grammar is in, and its options."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from formgate.core.errors import GrammarError
from formgate.plugins.cfg._ebnf_iso import read_iso
from formgate.plugins.cfg._ebnf_w3c import read_w3c
from formgate.plugins.cfg._options import check_options, root_of, text_of
from formgate.plugins.cfg._scanner import Scanner

if TYPE_CHECKING:
    from collections.abc import Mapping

    from formgate.core.grammar import GrammarBuilder, Node
    from formgate.plugins.cfg._rules import Rules

__all__ = ["compile_ebnf", "compile_format", "read_ebnf"]

_OPTIONS = ("dialect", "root", "start")
_DIALECTS = ("auto", "w3c", "iso")
_SIGN = re.compile(r"(?P<w3c>::=)|(?P<iso>=)")
_LABEL = re.compile(r"\[\d+[a-z]?\]\s*")
_WORD = re.compile(r"[\w.-]+")
# Nested comments of ISO's need no care here: their ends are no words and no sign.
_COMMENTS = (("/*", "*/"), ("(*", "*)"), ("*)", ""), ("# ", "\n"), ("##", "\n"), ("#\n", ""))


def compile_ebnf(
    source: str, builder: GrammarBuilder, *, dialect: str = "auto", root: str | None = None
) -> Node:
    """Write a grammar in EBNF and return the node of its root.

    Cost: linear in the source.

    Args:
        source: The grammar.
        builder: Where to write; the rules keep their names.
        dialect: ``"w3c"``, ``"iso"``, or ``"auto"`` for the one that the first rule shows.
        root: The rule that the whole text must match; the first one when left out.

    Raises:
        GrammarError: The grammar is malformed, has a rule twice, or uses one that it lacks.
        UnsupportedConstraint: It has a difference of rules that recurse, or conditions in words.

    Example:
        >>> from formgate.core.grammar import GrammarBuilder
        >>> builder = GrammarBuilder()
        >>> builder.start(compile_ebnf("list = item, { ',', item }; item = 'a' | 'b';", builder))
    """
    rules = read_ebnf(source, dialect=dialect)
    return rules.write(builder, rules.root(root))


def compile_format(source: object, builder: GrammarBuilder, options: Mapping[str, object]) -> None:
    """Write a grammar given to ``formgate.compile``.

    Raises:
        GrammarError: As for ``compile_ebnf``; the source is no text, or an option is unknown.
        UnsupportedConstraint: As for ``compile_ebnf``.
    """
    check_options("ebnf", options, _OPTIONS)
    dialect = options.get("dialect", "auto")
    root = root_of(options)
    text = text_of("ebnf", source)
    builder.start(compile_ebnf(text, builder, dialect=dialect, root=root))  # type: ignore[arg-type]


def read_ebnf(source: str, *, dialect: str = "auto") -> Rules:
    """Return the rules of a grammar.

    Raises:
        GrammarError: As for ``compile_ebnf``.
        UnsupportedConstraint: It has conditions in words.
    """
    if dialect not in _DIALECTS:
        known = ", ".join(repr(name) for name in _DIALECTS)
        raise GrammarError(f"the ebnf format has no dialect {dialect!r:.60}; it has {known}")
    scan = Scanner(source)
    found = _dialect_of(scan) if dialect == "auto" else dialect
    if found == "iso":
        return read_iso(scan)
    return read_w3c(scan, backslashes=dialect == "w3c")


def _dialect_of(scan: Scanner) -> str:
    """Return the dialect that the first rule shows by the sign after its name."""
    source = scan.source
    place = _after_comments(source, 0)
    if (label := _LABEL.match(source, place)) is not None:
        place = label.end()
    named = False
    while (word := _WORD.match(source, place)) is not None:
        named = True
        place = _after_comments(source, word.end())
    if place == len(source) and not named:  # no rule at all: the reader says so
        return "iso" if "(*" in source else "w3c"
    sign = _SIGN.match(source, place)
    if sign is None or not named:
        raise scan.error(
            "a rule begins with 'name ::=' (W3C) or 'name =' (ISO)",
            min(place, max(len(source) - 1, 0)),
            hint='say dialect="w3c" or dialect="iso"',
        )
    return str(sign.lastgroup)


def _after_comments(source: str, place: int) -> int:
    """Return where white space and comments of either dialect end."""
    while True:
        while source[place : place + 1].isspace():
            place += 1
        for opener, closer in _COMMENTS:
            if source.startswith(opener, place):
                end = source.find(closer, place + 2)
                place = len(source) if end < 0 else end + len(closer)
                break
        else:
            return place
