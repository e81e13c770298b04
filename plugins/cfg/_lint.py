"""``lint``: all checks of a grammar, and which of them make sense for its format.

A Lark grammar is loaded by the lark package and has a lexer; any other format is read by its own
front end, which writes to a recorder instead of an engine, and every character is a terminal. See
``docs/reference/lint.md``.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from formgate.core.errors import GrammarError, LimitError
from formgate.plugins.cfg._lint_adjacency import check_adjacency
from formgate.plugins.cfg._lint_assumptions import check_assumptions
from formgate.plugins.cfg._lint_collisions import check_collisions
from formgate.plugins.cfg._lint_conflicts import ConflictReport, check_conflicts
from formgate.plugins.cfg._lint_contextual import check_contextual
from formgate.plugins.cfg._lint_growth import check_growth
from formgate.plugins.cfg._lint_lark import read_lark
from formgate.plugins.cfg._lint_lexemes import EMPTY, Lexemes
from formgate.plugins.cfg._lint_lr import Automaton
from formgate.plugins.cfg._lint_record import Recorder
from formgate.plugins.cfg._lint_report import Finding, Report, finding, named
from formgate.plugins.cfg._lint_rules import check_recursion, check_rules, check_terminals
from formgate.plugins.cfg._lint_sentences import Sentences
from formgate.plugins.cfg._lint_unify import Bounds
from formgate.plugins.cfg._options import check_options

if TYPE_CHECKING:
    from collections.abc import Mapping

    from formgate.core.registry import Registry
    from formgate.plugins.cfg._lint_grammar import SymbolGrammar

__all__ = ["MAX_SYMBOLS", "lint", "why_empty"]

MAX_SYMBOLS = 40_000
"""Most symbols in all productions for which the automaton is built."""

_LARK_OPTIONS = (
    "start",
    "lexing",
    "parser",
    "lexer",
    "g_regex_flags",
    "import_paths",
    "base_path",
    "max_ignored",
)
_FLAGS = {
    "a": re.ASCII,
    "i": re.IGNORECASE,
    "m": re.MULTILINE,
    "s": re.DOTALL,
    "u": re.UNICODE,
    "x": re.VERBOSE,
}


@dataclass(frozen=True)
class _Reading:
    """How a grammar is to be read.

    Attributes:
        parser: ``lalr`` where lark's parser resolves conflicts; else ``earley``.
        lexer: ``contextual`` or ``basic``; None where every split into terminals counts.
        flags: ``re`` flags for all terminals.
        longest: Whether the lexer takes the longest match, and not lark's first one.
    """

    parser: str = "earley"
    lexer: str | None = None
    flags: int = 0
    longest: bool = False


def lint(
    source: str,
    *,
    format: str | None = None,  # noqa: A002 (as in formgate.compile)
    options: Mapping[str, object] | None = None,
    registry: Registry | None = None,
    ambiguity_length: int = 8,
    ambiguity_pairs: int = 400,
    timeout_s: float = 20.0,
    assumptions: bool = False,
) -> Report:
    r"""Check a grammar and report what is wrong with it, or worth knowing.

    Cost: some milliseconds for a small grammar, some seconds for one of 500 productions.

    Args:
        source: The grammar.
        format: ``lark``, ``gbnf``, ``ebnf``, ``abnf``, or another format that writes rules; guessed
            when left out.
        options: Options of the format.
        registry: Where formats are looked up.
        ambiguity_length: Most terminals read after a conflict in search of two parses.
        ambiguity_pairs: Most pairs of parser stacks looked at, for each conflict.
        timeout_s: When the search for ambiguity ends; all other checks are always made.
        assumptions: Report, too, what the published algorithm would assume (small grammars only).

    Raises:
        GrammarError: The grammar is malformed, or an option unknown.
        MissingDependencyError: The lark package is needed and not installed.
        LimitError: The grammar is too large or nested too deep.

    Example:
        >>> report = lint('start: e\ne: e "+" e | "1"', format="lark")
        >>> [finding.check for finding in report.findings]
        ['shift-reduce', 'left-recursion']
    """
    if not isinstance(source, str):
        raise GrammarError(f"lint takes a grammar as a string, not {type(source).__name__}")
    if ambiguity_length < 0 or ambiguity_pairs < 0 or not timeout_s >= 0:
        raise GrammarError("the bounds of the search for ambiguity are not negative")
    name, grammar, reading = _read(source, format, dict(options or {}), registry)
    bounds = Bounds(
        length=ambiguity_length, pairs=ambiguity_pairs, deadline=time.perf_counter() + timeout_s
    )
    show = Lexemes(grammar, reading.flags)
    findings = check_rules(grammar)
    if reading.lexer is not None:
        findings += check_terminals(grammar, show)
    facts: dict[str, object] = {
        "rules": len([head for head in grammar.rules() if head not in grammar.owners]),
        "terminals": len(grammar.terminals),
        "productions": len(grammar.productions),
    }
    findings += check_recursion(grammar)
    useful = grammar.useful()
    whole = grammar.is_productive()
    if any(production.head == grammar.starts[0] for production in useful.productions):
        try:
            more, told = _on_automaton(useful, show, reading, bounds, whole=whole)
        except LimitError as error:
            text = f"conflicts, ambiguity and lexers were not looked at: {error}"
            more, told = [finding("warning", "not-analysed", grammar.starts[0], text)], {}
        findings += more
        facts |= told
        if told.get("conflicts") or str(told.get("ambiguity")).startswith("found"):
            from formgate.core.compiler import build_grammar  # noqa: PLC0415 (brings in pluggy)

            build = partial(build_grammar, source, format=name, registry=registry)
            build = partial(build, **dict(options or {}))
            findings += check_growth(build, grammar.owner(grammar.starts[0]), bounds.deadline)
        if told and assumptions and reading.lexer is not None:
            more, held = check_assumptions(useful, show)
            findings += more
            facts["assumptions"] = held
    findings += _unknown(grammar, show, reading)
    return Report.of(name, findings, facts)


def _read(
    source: str, name: str | None, options: dict[str, object], registry: Registry | None
) -> tuple[str, SymbolGrammar, _Reading]:
    """Read a grammar in its format."""
    from formgate.core.registry import default_registry  # noqa: PLC0415 (brings in pluggy)

    known = registry or default_registry()
    entry = known.guess(source) if name is None else known.format(name)
    if entry.spec.name == "lark" and entry.origin.builtin:
        return "lark", *_read_lark(source, options)
    recorder = Recorder()
    grammar = None
    if not (entry.origin.builtin and entry.spec.name == "json_schema"):  # it needs a whole builder
        entry.spec.compile(source, recorder, options)
        grammar = recorder.grammar(source)
    if grammar is None or not recorder.has_rules:
        raise GrammarError(
            f"the format {entry.spec.name!r} has no rules that lint could check",
            hint="lint is for grammars: lark, gbnf, ebnf, abnf",
        )
    return entry.spec.name, grammar, _Reading()


def _read_lark(source: str, options: dict[str, object]) -> tuple[SymbolGrammar, _Reading]:
    """Load a Lark grammar, and say how lark would read texts with it."""
    check_options("lark", options, _LARK_OPTIONS)
    start, base_path = options.get("start", "start"), options.get("base_path")
    paths = options.get("import_paths", ())
    if not isinstance(start, str):
        raise GrammarError(f"start is the name of a rule, not {start!r}")
    if isinstance(paths, str) or not isinstance(paths, (list, tuple)):
        raise GrammarError(f"import_paths is a list of folders, not {paths!r}")
    flags = _flags(options.get("g_regex_flags", 0))
    parser = str(options.get("parser") or "lalr")
    lexer: str | None = str(
        options.get("lexer") or ("contextual" if parser == "lalr" else "dynamic")
    )
    if options.get("lexing") == "any" or lexer not in ("contextual", "basic"):
        parser, lexer = "earley", None
    grammar = read_lark(
        source,
        start=start,
        import_paths=[str(path) for path in paths],
        base_path=None if base_path is None else str(base_path),
        flags=flags,
    )
    return grammar, _Reading(parser, lexer, flags, options.get("lexing") == "longest")


def why_empty(source: str, options: Mapping[str, object]) -> Finding | None:
    """Return why a Lark grammar that no text matches has none, where that can be seen.

    Raises:
        FormgateError: As for ``lint``.
    """
    from formgate.plugins.cfg._lark_empty import find_reason  # noqa: PLC0415 (errors only)

    grammar, reading = _read_lark(source, dict(options))
    return find_reason(grammar, reading.flags, lexer=reading.lexer, longest=reading.longest)


def _flags(given: object) -> int:
    """Return ``re`` flags given as a number or as letters."""
    if isinstance(given, int):
        return given
    if isinstance(given, str) and set(given.lower()) <= _FLAGS.keys():
        found = 0
        for letter in given.lower():
            found |= _FLAGS[letter]
        return found
    raise GrammarError(f"g_regex_flags are letters among {''.join(_FLAGS)}, not {given!r}")


def _on_automaton(
    grammar: SymbolGrammar, show: Lexemes, reading: _Reading, bounds: Bounds, *, whole: bool
) -> tuple[list[Finding], dict[str, object]]:
    """Make the checks that need the LALR automaton.

    Args:
        grammar: The grammar, without useless rules.
        show: The texts of its terminals.
        reading: How it is read.
        bounds: Where the search for ambiguity ends.
        whole: Whether no rule that the start leads to was useless.
    """
    if grammar.not_analysed and not grammar.has_lexer:
        reasons = "; ".join(grammar.not_analysed)
        return [], {"ambiguity": f"not looked for: {reasons}"}
    if sum(len(production.body) + 1 for production in grammar.productions) > MAX_SYMBOLS:
        raise LimitError(f"the grammar has over {MAX_SYMBOLS} symbols (MAX_SYMBOLS)")
    automaton = Automaton(grammar)
    # Of a start that derives itself the automaton, which then ends the text, has no conflict.
    is_cyclic = any(each.check == "cyclic-rule" for each in check_rules(grammar))
    sentences = None
    if reading.lexer is not None:
        sentences = Sentences(
            grammar, automaton, show, lexer=reading.lexer, longest=reading.longest
        )
    conflicts = check_conflicts(
        grammar, automaton, show, parser=reading.parser, bounds=bounds, sentences=sentences
    )
    findings = conflicts.findings
    if reading.lexer is None:
        # Where every split counts no conflict matters; an ambiguous sentence is worth telling.
        findings = [each for each in findings if each.derivations]
    facts: dict[str, object] = {
        "states": len(automaton.gotos),
        "conflicts": len(automaton.conflicts()),
        "ambiguity": _ambiguity(conflicts, bounds, is_cyclic=is_cyclic),
    }
    if reading.lexer is not None:
        findings = [
            *findings,
            *check_collisions(
                grammar,
                automaton,
                show,
                lexer=reading.lexer,
                longest=reading.longest,
                whole=whole,
            ),
        ]
        findings += check_adjacency(grammar, automaton, show, longest=reading.longest)
    if reading.lexer == "contextual" and reading.parser == "lalr" and not reading.longest:
        findings += check_contextual(grammar, automaton, show)
    return findings, facts


def _ambiguity(conflicts: ConflictReport, bounds: Bounds, *, is_cyclic: bool) -> str:
    """Say in a few words what is known of ambiguity."""
    if is_cyclic:
        return "found: rules that derive themselves"
    if not conflicts.groups:
        return "none: no text has two parses, the grammar being LALR(1)"
    if conflicts.ambiguous:
        return f"found, at {conflicts.ambiguous} of {conflicts.groups} groups of conflicts"
    if time.perf_counter() >= bounds.deadline:
        return "none found in the time given"
    return f"none found within {bounds.length} terminals after a conflict"


def _unknown(grammar: SymbolGrammar, show: Lexemes, reading: _Reading) -> list[Finding]:
    """Tell which terminals could not be analysed, so that silence about them means nothing."""
    if reading.lexer is None:
        return [
            finding("info", "not-analysed", grammar.starts[0], note)
            for note in grammar.not_analysed
        ]
    used = {symbol for production in grammar.productions for symbol in production.body}
    return [
        finding(
            "info",
            "not-analysed",
            name,
            f"the texts of {named(name)} were not analysed: {why}",
            place=grammar.place(name),
        )
        for name, why in show.problems.items()
        if why != EMPTY and (name in used or name not in grammar.terminals)
    ]
