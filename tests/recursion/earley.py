"""A textbook Earley recogniser (Earley, CACM 13(2), 1970).

Rules that match the empty text are skipped over where they are predicted (Aycock and Horspool,
"Practical Earley parsing", The Computer Journal 45(6), 2002).

Grammars are dicts: rule name to a list of alternatives, each a tuple of symbols. A symbol that is a
rule name stands for that rule; any other is one character. It shares no code with the engine and
knows nothing of derivatives.
"""

from __future__ import annotations

Rules = dict[str, list[tuple[str, ...]]]
Item = tuple[str, tuple[str, ...], int, int]  # rule, alternative, place in it, where it began


def productive(rules: Rules) -> set[str]:
    """Return the rules that match some text."""
    found: set[str] = set()
    while True:
        more = {
            name
            for name, alternatives in rules.items()
            if any(all(s not in rules or s in found for s in body) for body in alternatives)
        }
        if more == found:
            return found
        found = more


def trimmed(rules: Rules) -> Rules:
    """Drop the alternatives that match nothing."""
    live = productive(rules)
    return {
        name: [body for body in rules[name] if all(s not in rules or s in live for s in body)]
        for name in rules
        if name in live
    }


def nullable(rules: Rules) -> set[str]:
    """Return the rules that match the empty text."""
    found: set[str] = set()
    while True:
        more = {n for n, bodies in rules.items() if any(all(s in found for s in b) for b in bodies)}
        if more == found:
            return found
        found = more


class _Node:
    """The last Earley set of a text, and the nodes of the texts that are one letter longer."""

    def __init__(self, column: set[Item]) -> None:
        self.column = column
        self.longer: dict[str, _Node] = {}


class Earley:
    """Recognises texts and viable prefixes of one grammar."""

    def __init__(self, rules: Rules, start: str) -> None:
        self.rules = trimmed(rules)
        self.start = start
        self.nullable = nullable(self.rules)
        # Texts that are asked often begin alike, and are asked again: their sets are kept.
        self._root: _Node | None = None

    def _consequences(self, item: Item, columns: list[set[Item]]) -> set[Item]:
        """Complete or predict one item of the last column."""
        name, body, dot, origin = item
        if dot == len(body):
            return {
                (other, its, at + 1, begun)
                for other, its, at, begun in columns[origin]
                if at < len(its) and its[at] == name
            }
        if body[dot] not in self.rules:
            return set()
        added = {(body[dot], its, 0, len(columns) - 1) for its in self.rules[body[dot]]}
        if body[dot] in self.nullable:
            added.add((name, body, dot + 1, origin))
        return added

    def sets(self, text: str) -> list[set[Item]]:
        """Return the Earley sets of a text, shorter by what follows the first empty set."""
        if self.start not in self.rules:
            return []
        if self._root is None:
            begun = {(self.start, body, 0, 0) for body in self.rules[self.start]}
            self._root = _Node(self._closed(begun, []))
        node = self._root
        columns = [node.column]
        for letter in text:
            if letter not in node.longer:
                node.longer[letter] = _Node(self._read(letter, columns))
            node = node.longer[letter]
            if not node.column:
                break
            columns.append(node.column)
        return columns

    def _read(self, letter: str, columns: list[set[Item]]) -> set[Item]:
        """Return the set after one more letter: empty where nothing goes on so."""
        begun = {
            (name, body, dot + 1, origin)
            for name, body, dot, origin in columns[-1]
            if dot < len(body) and body[dot] == letter and letter not in self.rules
        }
        return self._closed(begun, columns)

    def _closed(self, current: set[Item], columns: list[set[Item]]) -> set[Item]:
        """Complete and predict all that items lead to where they are, after these columns."""
        columns = [*columns, current]
        work = list(current)
        while work:
            added = self._consequences(work.pop(), columns) - current
            current |= added
            work += added
        return current

    def viable(self, text: str) -> bool:
        """Say whether some text of the language begins with this one."""
        return len(self.sets(text)) == len(text) + 1

    def accepts(self, text: str) -> bool:
        """Say whether the text is in the language."""
        columns = self.sets(text)
        return len(columns) == len(text) + 1 and any(
            name == self.start and dot == len(body) and origin == 0
            for name, body, dot, origin in columns[-1]
        )
