"""LALR(1) conflicts, each with an input that comes to it and, where found, two parses of a text.

Conflicts of the same productions are told together. The example is lookahead-sensitive: the state
is reached, by a cheapest way, with the terminal really able to come after the production; where no
way does that, the conflict exists only because LALR merges states, and the finding says so.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from formgate.plugins.cfg._lint_grammar import END, Yields
from formgate.plugins.cfg._lint_lr1 import Projection, Reached
from formgate.plugins.cfg._lint_report import Finding, Severity, finding, listed
from formgate.plugins.cfg._lint_sentences import sentence_text
from formgate.plugins.cfg._lint_unify import Ambiguity, Bounds, Unifier

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from formgate.plugins.cfg._lint_grammar import Production, SymbolGrammar
    from formgate.plugins.cfg._lint_lexemes import Lexemes
    from formgate.plugins.cfg._lint_lr import Automaton, Conflict
    from formgate.plugins.cfg._lint_sentences import Sentences

__all__ = ["ConflictReport", "check_conflicts", "costs"]

_MOST_MEMBERS = 2
_MOST_WAYS = 2


class ConflictReport(NamedTuple):
    """What was found about conflicts.

    Attributes:
        findings: The findings.
        ambiguous: How many groups of conflicts come with an ambiguous sentence.
        groups: How many groups there are.
    """

    findings: list[Finding]
    ambiguous: int
    groups: int


def check_conflicts(
    grammar: SymbolGrammar,
    automaton: Automaton,
    show: Lexemes | None,
    *,
    parser: str = "lalr",
    bounds: Bounds | None = None,
    sentences: Sentences | None = None,
) -> ConflictReport:
    """Report all conflicts of an automaton.

    Args:
        grammar: The grammar the automaton was made of.
        automaton: The automaton.
        show: Gives the terminals of examples their texts.
        parser: With ``earley``, conflicts cost nothing and are mere information.
        bounds: How far to search for two parses of one text.
        sentences: Spells examples so that the lexer reads them; None where there is no lexer.
    """
    yields = Yields(grammar.productions)
    unifier = Unifier(automaton, yields, bounds or Bounds(), grammar)
    search = _Search(automaton, yields)
    groups: dict[tuple[object, ...], list[Conflict]] = {}
    for conflict in automaton.conflicts():
        groups.setdefault(_group(automaton, conflict), []).append(conflict)
    findings = []
    ambiguous = 0
    for members in groups.values():
        found: Ambiguity | None = None
        reached: tuple[Conflict, Reached] | None = None
        for conflict in members[:_MOST_MEMBERS]:
            for way in search.ways(conflict):
                reached = reached or (conflict, way)
                found = unifier.unify(conflict, way.path, way.stack)
                if found is not None:
                    break
            if found is not None:
                break
        ambiguous += found is not None
        telling = _Telling(grammar, automaton, yields, show, parser=parser, sentences=sentences)
        findings.append(telling.told(members, reached, found, complete=search.complete))
    return ConflictReport(findings, ambiguous, len(groups))


def costs(automaton: Automaton, yields: Yields) -> list[int]:
    """Return the length of the shortest sentence of each symbol, by number."""
    return [yields.length(name) or 0 for name in automaton.names]


def _group(automaton: Automaton, conflict: Conflict) -> tuple[object, ...]:
    """Return what conflicts have in common that are told together."""
    shifting: set[int] = set()
    if conflict.shifts:
        target = automaton.gotos[conflict.state][automaton.number[conflict.terminal]]
        shifting = {production for production, _ in automaton.kernels[target]}
    return (
        frozenset(conflict.reductions),
        conflict.shifts,
        conflict.resolved,
        min((automaton.productions[p][0] for p in shifting), default=-1),
    )


class _Search:
    """Finds ways to conflicts; one projection serves all conflicts on a terminal."""

    def __init__(self, automaton: Automaton, yields: Yields) -> None:
        self._automaton = automaton
        self._costs = costs(automaton, yields)
        self._projections: dict[int, Projection] = {}

    @property
    def complete(self) -> bool:
        """Whether no search was given up."""
        return all(projection.complete for projection in self._projections.values())

    def ways(self, conflict: Conflict) -> Iterator[Reached]:
        """Yield some ways to the conflict with the terminal next, the cheapest first."""
        terminal = self._automaton.number[conflict.terminal]
        projection = self._projections.get(terminal)
        if projection is None:
            projection = Projection(self._automaton, terminal, self._costs)
            self._projections[terminal] = projection
        wanted = 1 if conflict.shifts else 2
        reductions = frozenset(conflict.reductions)

        def is_goal(state: int, completed: frozenset[int]) -> bool:
            return state == conflict.state and len(completed & reductions) >= wanted

        return islice(projection.walk(is_goal), _MOST_WAYS)


class _Telling:
    """Puts one group of conflicts into words."""

    def __init__(
        self,
        grammar: SymbolGrammar,
        automaton: Automaton,
        yields: Yields,
        show: Lexemes | None,
        *,
        parser: str,
        sentences: Sentences | None,
    ) -> None:
        self._grammar = grammar
        self._automaton = automaton
        self._yields = yields
        self._show = show
        self._parser = parser
        self._sentences = sentences

    def told(
        self,
        members: list[Conflict],
        reached: tuple[Conflict, Reached] | None,
        found: Ambiguity | None,
        *,
        complete: bool,
    ) -> Finding:
        """Return the finding of a group; ``complete``: whether all ways to it were looked at."""
        conflict = members[0] if reached is None else reached[0]
        reductions = [self._automaton.sources[p] for p in conflict.reductions]
        shown = [self._production(source) for source in reductions if source is not None]
        subject = next((s.head for s in reductions if s is not None), self._grammar.starts[0])
        terminals = sorted({each.terminal for each in members})
        if not self._grammar.has_lexer and found is not None:
            return self._ambiguous(found, subject)
        kind = "shift/reduce" if conflict.shifts else "reduce/reduce"
        if conflict.shifts and len(conflict.reductions) > 1:
            kind = "shift/reduce and reduce/reduce"
        labels = listed([self._label(name) for name in terminals])
        message = f"{kind} conflict on {labels}: {self._choice(conflict, shown)}"
        example = None
        derivations: tuple[str, ...] = ()
        if found is not None:
            message += "; the grammar is ambiguous here"
            example, unread = self._spelled(found.sentence)
            message += unread
            derivations = found.derivations
        elif reached is not None:
            example, way = self._way(conflict, reached[1])
            message += way
        elif complete:
            message += "; no text comes to it: LALR, as lark does it, merges what LR(1) keeps apart"
        else:
            message += "; no text that comes to it was found"
        return finding(
            self._severity(conflict),
            "reduce-reduce" if len(conflict.reductions) > 1 else "shift-reduce",
            self._grammar.owner(subject),
            message,
            place=self._grammar.place(subject),
            example=example,
            derivations=derivations,
            hint=self._hint(conflict, found),
        )

    def _spelled(self, words: Sequence[str]) -> tuple[str | None, str]:
        """Return a text for a sentence, or that there is none."""
        if self._sentences is None or not self._has_texts(words):
            return sentence_text(self._grammar, words, self._show), ""
        spelled = self._sentences.spelled(words)
        if spelled is not None:
            return spelled.text, ""
        return None, f"; no text was found that the lexer reads as {self._labels(words)}"

    def _way(self, conflict: Conflict, reached: Reached) -> tuple[str | None, str]:
        """Return a text that comes to a conflict, and what to say of it."""
        names = [self._automaton.names[symbol] for symbol in reached.path]
        words = self._yields.sentence(names) or ()
        ends = conflict.terminal == END
        whole = words if ends else (*words, conflict.terminal)
        if self._sentences is None or not self._has_texts(whole):
            before = sentence_text(self._grammar, words, self._show)
            after = repr(sentence_text(self._grammar, [conflict.terminal], self._show))
        else:
            spelled = self._sentences.spelled(whole)
            if spelled is None:
                read = f", with {self._label(conflict.terminal)} next" if not ends else ""
                return None, (
                    f"; {self._labels(words) or 'the beginning'} comes to it{read}, but no text "
                    "was found that the lexer reads so"
                )
            before = spelled.before(len(words))
            after = repr(spelled.lexemes[-1]) if not ends else ""
        after = "the end of the text" if ends else after
        return before, f"; the example comes to it, with {after} next"

    def _has_texts(self, words: Sequence[str]) -> bool:
        """Say whether a text of each terminal is known; else its name stands for it."""
        show = self._show
        return show is not None and all(w == END or show.example(w) is not None for w in words)

    def _labels(self, words: Sequence[str]) -> str:
        return " ".join(self._label(word) for word in words if word != END)

    def _ambiguous(self, found: Ambiguity, subject: str) -> Finding:
        """Return the finding for a grammar in which only the ambiguity of a conflict matters."""
        owner = self._grammar.owner(subject)
        return finding(
            "info",
            "ambiguity",
            owner,
            f"the grammar is ambiguous, at {owner!r} for one: a text has two derivations",
            place=self._grammar.place(subject),
            example=sentence_text(self._grammar, found.sentence, self._show),
            derivations=found.derivations,
            hint="masks are exact all the same; an unambiguous grammar is faster to follow",
        )

    def _choice(self, conflict: Conflict, shown: list[str]) -> str:
        parts = [f"reduce {' or '.join(shown)}"]
        if conflict.shifts:
            target = self._automaton.gotos[conflict.state][
                self._automaton.number[conflict.terminal]
            ]
            items = [
                self._item(production, dot - 1)
                for production, dot in self._automaton.kernels[target][:3]
            ]
            parts.append(f"shift for {' or '.join(items)}")
        return ", or ".join(parts)

    def _label(self, name: str) -> str:
        return "the end of the text" if name == END else self._grammar.label(name)

    def _production(self, production: Production) -> str:
        body = " ".join(map(self._grammar.label, production.body))
        return f"{self._grammar.label(production.head)}: {body or '(nothing)'}"

    def _item(self, production: int, dot: int) -> str:
        """Return a production with a mark before what comes next."""
        head, body = self._automaton.productions[production]
        names = [self._grammar.label(self._automaton.names[symbol]) for symbol in body]
        marked = " ".join([*names[:dot], "\u2022", *names[dot:]])
        return f"{self._grammar.label(self._automaton.names[head])}: {marked}"

    def _severity(self, conflict: Conflict) -> Severity:
        if self._parser != "lalr":
            return "info"
        if len(conflict.reductions) > 1 and not conflict.resolved:
            return "error"
        return "warning"

    def _hint(self, conflict: Conflict, found: Ambiguity | None) -> str:
        if self._parser != "lalr":
            return "an Earley parser takes all readings"
        if len(conflict.reductions) > 1 and not conflict.resolved:
            return (
                "lark refuses the grammar: make the rules differ before this terminal, give one a "
                "higher priority (rule.2: ...), or use parser='earley'"
            )
        taken = "the rule of the higher priority" if conflict.resolved else "the shift"
        if conflict.resolved and conflict.shifts:
            taken = "the shift"
        why = "" if found is None else " (both readings are texts of the grammar)"
        return (
            f"lark takes {taken} without a word{why}; formgate allows every reading; write "
            "operators by level, or optional ends in one rule, to have one"
        )
