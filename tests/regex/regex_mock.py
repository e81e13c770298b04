"""A stand-in for the grammar builder, and a matcher that follows its definitions word by word.

Nodes are tuples in a list. The matcher returns, for a node and a position, every position a match
can end at; look-around asks about the whole text before or after, as the builder documents it.
Slow and obvious: it is what the front end is checked against without the engine.
"""

from __future__ import annotations


class MockBuilder:
    """Collects nodes as tuples; the methods are those the regex front end uses."""

    def __init__(self):
        self.nodes = []
        self.root = None

    def _add(self, *node):
        self.nodes.append(node)
        return len(self.nodes) - 1

    def literal(self, text):
        return self._add("literal", text)

    def char_class(self, ranges, *, negated=False):
        return self._add("class", tuple(ranges), negated)

    def any_char(self):
        return self._add("class", (), True)

    def any_text(self):
        return self.repeat(self.any_char())

    def strings(self, values):
        return self._add("strings", frozenset(values))

    def empty(self):
        return self._add("literal", "")

    def nothing(self):
        return self._add("choice", ())

    def seq(self, *parts):
        return self._add("seq", parts)

    def choice(self, *parts):
        return self._add("choice", parts)

    def repeat(self, part, min=0, max=None):  # noqa: A002 (the builder's names)
        return self._add("repeat", part, min, max)

    def optional(self, part):
        return self.repeat(part, 0, 1)

    def look_ahead(self, rest, *, negative=False):
        return self._add("ahead", rest, negative)

    def look_behind(self, before, *, negative=False):
        return self._add("behind", before, negative)

    def scope(self, part):
        return self._add("scope", part)

    def start(self, node):
        self.root = node


class Matcher:
    """Matches one text."""

    def __init__(self, builder, text):
        self.nodes = builder.nodes
        self.text = text
        self.memo = {}

    def matches(self, root):
        return len(self.text) in self.ends(root, 0)

    def ends(self, index, at):
        key = index, at
        if key not in self.memo:
            kind, *fields = self.nodes[index]
            self.memo[key] = getattr(self, "match_" + kind)(at, *fields)
        return self.memo[key]

    def match_literal(self, at, text):
        return {at + len(text)} if self.text.startswith(text, at) else set()

    def match_strings(self, at, texts):
        return {at + len(text) for text in texts if self.text.startswith(text, at)}

    def match_class(self, at, ranges, negated):
        if at >= len(self.text):
            return set()
        code = ord(self.text[at])
        return {at + 1} if any(a <= code <= b for a, b in ranges) != negated else set()

    def step(self, part, positions):
        return {end for position in positions for end in self.ends(part, position)}

    def match_seq(self, at, parts):
        positions = {at}
        for part in parts:
            positions = self.step(part, positions)
        return positions

    def match_choice(self, at, parts):
        return {end for part in parts for end in self.ends(part, at)}

    def match_repeat(self, at, part, least, most):
        level = {at}
        rounds = 0
        while rounds < least:
            following = self.step(part, level)
            if following == level:
                break
            level, rounds = following, rounds + 1
        rounds = least
        found = set(level)
        while most is None or rounds < most:
            grown = found | self.step(part, found)
            if grown == found:
                break
            found, rounds = grown, rounds + 1
        return found

    def match_ahead(self, at, rest, negative):
        return {at} if (len(self.text) in self.ends(rest, at)) != negative else set()

    def match_behind(self, at, before, negative):
        return {at} if (at in self.ends(before, 0)) != negative else set()

    def match_scope(self, at, part):
        return {
            end
            for end in range(at, len(self.text) + 1)
            if self.inner(self.text[at:end]).matches(part)
        }

    def inner(self, text):
        matcher = Matcher.__new__(Matcher)
        matcher.nodes, matcher.text, matcher.memo = self.nodes, text, {}
        return matcher
