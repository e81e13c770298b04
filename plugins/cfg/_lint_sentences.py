"""Texts for sentences of terminals, such that the grammar's own lexer reads them back.

For each terminal there are a few short texts; from the last terminal to the first, one is taken
that the lexer, with ``re``, reads as that terminal before what follows, with or without ignored
text behind it. What competes is what some parser may have an action for after the terminals before:
all stacks of the automaton are followed. Bounded, so that finding nothing proves nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from formgate.plugins.cfg._lint_grammar import END
from formgate.plugins.cfg._lint_lr import bits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from formgate.plugins.cfg._lint_grammar import SymbolGrammar
    from formgate.plugins.cfg._lint_lexemes import Lexemes
    from formgate.plugins.cfg._lint_lr import Automaton

__all__ = ["Sentences", "Spelled", "sentence_text"]

_MOST_WORDS = 300
_MOST_READ = 5_000  # lexemes cut for one sentence
_MOST_STACKS = 100
_MOST_TEXTS = 6  # of a terminal


class Spelled(NamedTuple):
    """A text for a sentence.

    Attributes:
        lexemes: The text of each terminal.
        gaps: The ignored text behind each.
    """

    lexemes: tuple[str, ...]
    gaps: tuple[str, ...]

    @property
    def text(self) -> str:
        """All of it."""
        return self.before(len(self.lexemes))

    def before(self, count: int) -> str:
        """Return the text of the first terminals, without what is ignored behind the last."""
        parts = [part for pair in zip(self.lexemes, self.gaps, strict=True) for part in pair]
        return "".join(parts[: max(2 * count - 1, 0)])


def sentence_text(grammar: SymbolGrammar, words: Sequence[str], show: Lexemes | None) -> str:
    """Return a sentence as text: a short text for each terminal, a separator where there is one.

    A lexer may read it otherwise; see ``Sentences``.
    """
    if show is None or not grammar.has_lexer:
        return "".join(grammar.terminals[word].literal or word for word in words if word != END)
    separator = next(iter(_separators(grammar, show)), "")
    return separator.join(show.shown(word) for word in words if word != END)


def _separators(grammar: SymbolGrammar, show: Lexemes) -> list[str]:
    """Return texts of ignored terminals, blanks first."""
    known = [text for name in grammar.ignored if (text := show.example(name)) is not None]
    return sorted(dict.fromkeys(known), key=lambda text: not text.isspace())


class Sentences:
    """Spells sentences of one grammar.

    Args:
        grammar: The grammar.
        automaton: Its automaton.
        show: Its terminals' texts.
        lexer: ``contextual`` or ``basic``.
        longest: Whether the lexer takes the longest match, and not lark's first one.
    """

    def __init__(
        self,
        grammar: SymbolGrammar,
        automaton: Automaton,
        show: Lexemes,
        *,
        lexer: str = "contextual",
        longest: bool = False,
    ) -> None:
        self._grammar = grammar
        self._automaton = automaton
        self._show = show
        self._longest = longest
        self._contextual = lexer == "contextual"
        self._rank = {name: rank for rank, name in enumerate(grammar.terminals)}
        self._gaps = [*_separators(grammar, show), ""]

    def spelled(self, words: Sequence[str]) -> Spelled | None:
        """Return a text that the lexer reads as these terminals; None where none was found."""
        words = [word for word in words if word != END]
        if len(words) > _MOST_WORDS:
            return None
        sets = self._competing(words)
        left = _MOST_READ
        taken: list[tuple[str, str]] = []  # the last terminal first
        rests = [""]
        open_: list[Iterator[tuple[str, str]]] = []
        while len(taken) < len(words):
            at = len(words) - 1 - len(taken)
            if len(open_) == len(taken):
                open_.append(self._choices(words[at], sets[at], last=not taken))
            for lexeme, gap in open_[-1]:
                left -= 1
                if left <= 0:
                    return None
                text = lexeme + gap + rests[-1]
                if self._read(text, 0, sets[at]) != (words[at], len(lexeme)):
                    continue
                if gap and not self._skips(gap, rests[-1], sets[at + 1]):
                    continue
                taken.append((lexeme, gap))
                rests.append(text)
                break
            else:
                open_.pop()
                if not taken:
                    return None
                taken.pop()
                rests.pop()
        lexemes, gaps = zip(*taken[::-1], strict=True) if taken else ((), ())
        found = Spelled(lexemes, gaps)
        return found if self._is_cut(found, words, sets) else None

    def _is_cut(self, found: Spelled, words: Sequence[str], sets: Sequence[Sequence[str]]) -> bool:
        """Say whether the lexer cuts a text into its terminals, whatever useless rules look for."""
        if self._cut(found, sets) != words:
            return False
        # Where lark's parser may look for terminals of useless rules is not known: anywhere.
        idle = frozenset() if self._longest else self._grammar.idle
        return not idle or (
            self._cut(found, [self._ordered({*names, *idle}) for names in sets]) == words
        )

    def _choices(
        self, word: str, competing: Sequence[str], *, last: bool
    ) -> Iterator[tuple[str, str]]:
        """Yield texts for a terminal, with ignored ones behind them."""
        rivals = [name for name in competing if name != word]
        texts = dict.fromkeys(self._show.texts(word, _MOST_TEXTS))
        own = self._show.apart(word, tuple(rivals))
        if own is not None:
            texts[own] = None
        for gap in [""] if last else self._gaps:
            for text in texts:
                yield text, gap

    def _skips(self, gap: str, rest: str, competing: Sequence[str]) -> bool:
        """Say whether the gap before a text is read as one ignored terminal."""
        read = self._read(gap + rest, 0, competing)
        return read is not None and read[0] in self._grammar.ignored and read[1] == len(gap)

    def _cut(self, found: Spelled, sets: Sequence[Sequence[str]]) -> list[str] | None:
        """Return the terminals that the lexer cuts a whole text into; None where it is stuck."""
        text = found.text
        at = 0
        words: list[str] = []
        while at < len(text):
            read = self._read(text, at, sets[min(len(words), len(sets) - 1)])
            if read is None:
                return None
            at = read[1]
            if read[0] not in self._grammar.ignored:
                words.append(read[0])
        return words

    def _read(self, text: str, at: int, competing: Sequence[str]) -> tuple[str, int] | None:
        """Return the terminal that the lexer reads at a place, and where it ends."""
        best: tuple[str, int] | None = None
        keywords = self._grammar.keywords
        terminals = self._grammar.terminals
        hidden = {each for name in competing for each in keywords.get(name, ())}
        for name in competing:
            if name in hidden and not self._longest and terminals[name].literal is not None:
                continue
            pattern = self._show.pattern(name)
            match = None if pattern is None else pattern.match(text, at)
            if match is None or match.end() == at:
                continue
            if not self._longest:
                best = name, match.end()
                break
            if best is None or self._is_preferred((name, match.end()), best):
                best = name, match.end()
        if best is not None and not self._longest and best[0] not in self._grammar.ignored:
            giving_way = keywords.get(best[0], frozenset())
            for keyword in (name for name in competing if name in giving_way):
                pattern = self._show.pattern(keyword)
                if pattern is not None and pattern.fullmatch(text[at : best[1]]):
                    return keyword, best[1]
        return best

    def _is_preferred(self, read: tuple[str, int], other: tuple[str, int]) -> bool:
        """Say whether one lexeme is preferred to another where the longest match is."""
        one, two = self._grammar.terminals[read[0]], self._grammar.terminals[other[0]]
        return (read[1], one.priority, one.is_text) > (other[1], two.priority, two.is_text)

    # --- what competes ---

    def _competing(self, words: Sequence[str]) -> list[list[str]]:
        """Return the terminals that compete at each place, the preferred first."""
        automaton = self._automaton
        everything = [name for name in self._grammar.terminals if name in automaton.number]
        everything += [name for name in self._grammar.ignored if name not in automaton.number]
        if not self._longest:
            everything += self._grammar.idle.difference(everything)
        stacks: set[tuple[int, ...]] = {(start,) for start in automaton.starts}
        sets: list[list[str]] = []
        for word in [*words, None]:
            names = everything
            if self._contextual and stacks:
                mask = 0
                for stack in stacks:
                    mask |= automaton.accepted(stack[-1])
                names = [name for bit in bits(mask) if (name := automaton.names[bit]) != END]
                names += [name for name in self._grammar.ignored if name not in names]
            sets.append(self._ordered(names))
            if word is not None:
                stacks = self._shifted(stacks, word)
        return sets

    def _ordered(self, names: Iterable[str]) -> list[str]:
        """Return terminals, the preferred first."""
        return sorted(names, key=lambda name: self._rank.get(name, len(self._rank)))

    def _shifted(self, stacks: set[tuple[int, ...]], word: str) -> set[tuple[int, ...]]:
        """Return all stacks after a terminal; none where they are too many."""
        automaton = self._automaton
        terminal = automaton.number[word]
        queue = list(stacks)
        seen = set(queue)
        found: set[tuple[int, ...]] = set()
        for stack in queue:  # grows while it is read
            if len(seen) > _MOST_STACKS:
                return set()
            top = stack[-1]
            target = automaton.gotos[top].get(terminal)
            if target is not None:
                found.add((*stack, target))
            for production in automaton.reductions[top]:
                if not automaton.lookaheads.get((top, production), 0) >> terminal & 1:
                    continue
                head, body = automaton.productions[production]
                rest = stack[: len(stack) - len(body)]
                goto = automaton.gotos[rest[-1]].get(head) if rest else None
                if goto is not None and (*rest, goto) not in seen:
                    seen.add((*rest, goto))
                    queue.append((*rest, goto))
        return found
