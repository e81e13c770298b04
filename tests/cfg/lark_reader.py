"""Reads texts as lark does, terminal by terminal, but with every reading of its conflicts.

lark's own lexer cuts the text, with the terminals that its parser's state has an action for while
that parser reads on, and then with those that may come next by an Earley parser over terminals,
and, in vain, the regexes that match strings among those as a whole. (Earley, CACM 13(2), 1970;
rules that match the empty text are skipped where they are predicted, Aycock and Horspool, The
Computer Journal 45(6), 2002.) So the conflicts that lark resolves are read in every way.
"""

from __future__ import annotations

import re
from copy import copy
from dataclasses import dataclass, field

import regex
from earley import nullable, trimmed
from lark.exceptions import UnexpectedInput
from lark.lexer import BasicLexer, ContextualLexer, TextSlice, Token


class Column:
    """The items after one terminal, and who waits for what."""

    def __init__(self):
        self.items = set()
        self.waiting = {}


class Terminals:
    """An Earley recogniser that is fed one terminal after the other."""

    def __init__(self, parser):
        rules = {}
        for rule in parser.rules:
            rules.setdefault(rule.origin.name, []).append(tuple(s.name for s in rule.expansion))
        self.rules = trimmed(rules)
        self.nullable = nullable(self.rules)
        (self.start,) = parser.options.start

    def first(self):
        return self._closed([(self.start, body, 0, None) for body in self.rules[self.start]])

    def after(self, column, name):
        """Return the column after a terminal, None if it cannot come next."""
        items = column.waiting.get(name, ())
        return self._closed([(n, b, dot + 1, begun) for n, b, dot, begun in items])

    def viable(self, column):
        """Return the terminals that may come next."""
        return frozenset(name for name in column.waiting if name not in self.rules)

    def may_end(self, column):
        return any(
            name == self.start and dot == len(body) and begun is None
            for name, body, dot, begun in column.items
        )

    def _closed(self, kernel):
        if not kernel:
            return None
        column = Column()
        work = list(kernel)
        while work:
            item = work.pop()
            if item in column.items:
                continue
            column.items.add(item)
            name, body, dot, begun = item
            if dot == len(body):
                if begun is not None and begun is not column:
                    waiting = begun.waiting.get(name, ())
                    work += [(n, b, at + 1, their) for n, b, at, their in waiting]
                continue
            wanted = body[dot]
            column.waiting.setdefault(wanted, []).append(item)
            if wanted in self.rules:
                work += [(wanted, its, 0, column) for its in self.rules[wanted]]
                if wanted in self.nullable:
                    work.append((name, body, dot + 1, begun))
        return column


@dataclass
class Reading:
    """How far a text could be read.

    Attributes:
        tokens: Name and end of each terminal, without those that are ignored.
        places: Where a lexeme began, and the terminals that the rules could take there, with those
            that are ignored; the last is where the text ended or nothing matched.
        end: The last of these places.
        whole: Whether the text is in the language.
    """

    tokens: list = field(default_factory=list)
    places: list = field(default_factory=list)
    end: int = 0
    whole: bool = False


class Reader:
    """Reads texts by one grammar.

    Args:
        parser: lark's parser, for its grammar and lexer settings.
        contextual: Whether only the terminals that may come next compete.
        longest: Cut at the longest match instead of where Python's ``re`` ends.
    """

    def __init__(self, parser, *, contextual=True, longest=False):
        self.parser = parser
        self.grammar = Terminals(parser)
        self.conf = copy(parser.lexer_conf)
        self.conf.skip_validation = True
        self.ignored = frozenset(parser.ignore_tokens)
        self.contextual = contextual
        self.longest = longest
        self.names = frozenset(t.name for t in parser.lexer_conf.terminals)
        self.regexes = {t.name: t.pattern.to_regexp() for t in parser.lexer_conf.terminals}
        self._compiled = {}
        self._lexers = {}

    def read(self, text):
        """Read a text up to where nothing that may come next matches."""
        reading = Reading()
        column = self.grammar.first()
        place = 0
        asks_lark = self.contextual and not self.longest
        larks = self.parser.parse_interactive("") if asks_lark else None
        while True:
            viable = self.grammar.viable(column)
            names = (viable if self.contextual else self.names) | self.ignored
            if asks_lark:
                names |= self._regexes(viable)
            if larks is not None:
                state = larks.parser_state
                looked_for = state.parse_conf.states[state.position].keys()
                names = frozenset(self.names & looked_for) | self.ignored
            reading.places.append((place, viable | self.ignored))
            found = self._cut(text, place, names) if place < len(text) else None
            if found is None and larks is not None:
                # lark stops here; what others take competes beside what lark looks for.
                larks = None
                found = self._cut(text, place, viable | self.ignored) if place < len(text) else None
            if found is None:
                break
            name, end = found
            if name not in self.ignored:
                following = self.grammar.after(column, name)
                if following is None:
                    break
                column = following
                reading.tokens.append((name, end))
                try:
                    if larks is not None:
                        larks.feed_token(Token(name, ""))
                except UnexpectedInput:
                    larks = None
            place = end
        reading.end = place
        reading.whole = place == len(text) and self.grammar.may_end(column)
        return reading

    def reach(self, text, reading):
        """Return where the longest viable prefix ends, by each lexeme that may still be open.

        A lexeme is open at a cut if its terminal matches the text up to there, or could with more
        text; and if what it matches by itself is not already complete before (a lazy quantifier).
        """
        lower = max(0, reading.end - 4000)
        ends = [reading.end]
        for place, names in reading.places:
            if place >= lower:
                ends += [self._open(name, text, place) for name in names]
        return max(ends)

    def _open(self, name, text, place):
        partial = self._compile(name)[0]
        low, high = place, len(text)
        while low < high:
            middle = (low + high + 1) // 2
            if partial.fullmatch(text, place, middle, partial=True):
                low = middle
            else:
                high = middle - 1
        if not self.longest and "?" in self.regexes[name]:
            match = re.compile(self.regexes[name]).match(text, place)
            if match and re.search(r"[*+?}]\?", self.regexes[name]):
                return min(low, match.end())
        return low

    def _cut(self, text, place, names):
        if self.longest:
            return self._longest_cut(text, place, names)
        lexer = self._lexer(names)
        found = lexer.match(TextSlice.cast_from(text), place)
        if found is None:
            return None
        value, name = found
        if name not in self.ignored and name in lexer.callback:
            name = lexer.callback[name](Token(name, value)).type
        return name, place + len(value)

    def _regexes(self, names):
        """Return the regexes that match a string among the terminals as a whole."""
        every = self.conf.terminals_by_name
        words = [every[name] for name in names if every[name].pattern.type == "str"]
        return frozenset(
            name
            for name, terminal in every.items()
            if terminal.pattern.type == "re"
            and any(
                word.priority == terminal.priority and self._takes(name, word.pattern.value)
                for word in words
            )
        )

    def _takes(self, name, text):
        match = re.compile(self.regexes[name], self.conf.g_regex_flags).match(text)
        return match is not None and match.end() == len(text)

    def _longest_cut(self, text, place, names):
        best = None
        ordered = self._lexer(names).terminals  # as lark tries them; the sort below is stable
        for terminal in sorted(ordered, key=lambda t: (-t.priority, t.pattern.type == "re")):
            match = self._compile(terminal.name)[1].match(text, place)
            if match and (best is None or match.end() > best[1]):
                best = terminal.name, match.end()
        return best

    def _lexer(self, names):
        if names not in self._lexers:
            conf = copy(self.conf)
            conf.terminals = [conf.terminals_by_name[name] for name in names]
            self._lexers[names] = BasicLexer(conf)
        return self._lexers[names]

    def _compile(self, name):
        if name not in self._compiled:
            pattern = self.regexes[name]
            self._compiled[name] = regex.compile(pattern), regex.compile(pattern, regex.POSIX)
        return self._compiled[name]


@dataclass
class Stop:
    """Where lark's parser stops.

    Attributes:
        tokens: Name and end of each terminal that it took: a viable prefix, since an LALR parser
            shifts nothing else.
        end: Where the last of them ends.
        competing: The terminals that its lexer tried after them.
        whole: Whether it parsed the text.
    """

    tokens: list
    end: int
    competing: frozenset
    whole: bool


def lark_stop(parser, text):
    """Parse a text with lark's LALR parser, as far as it goes."""
    interactive = parser.parse_interactive(text)
    taken = []
    position, whole = interactive.parser_state.position, False
    try:
        for token in interactive.lexer_thread.lex(interactive.parser_state):
            interactive.feed_token(token)
            taken.append((token.type, token.end_pos))
            position = interactive.parser_state.position
        interactive.feed_eof()
        whole = True
    except UnexpectedInput:
        pass
    lexer = parser.parser.lexer
    if isinstance(lexer, ContextualLexer):
        lexer = lexer.lexers[position]
    competing = frozenset(terminal.name for terminal in lexer.terminals)
    return Stop(taken, taken[-1][1] if taken else 0, competing, whole)
