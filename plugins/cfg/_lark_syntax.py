r"""The statements of a Lark grammar, read without the lark package where they are plain.

The tokens are those of lark's own lexer, by the same regexes in the same order; the parser is by
hand, and has what most grammars are made of. Where there is anything else, an error above all, it
says nothing, and lark reads the grammar: ``%override``, ``%extend``, an alias within brackets, and
what lark has not been seen to take. Cost: linear, a third of lark's.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from formgate.plugins.cfg._lark_tree import Node, Symbol
from formgate.plugins.cfg._scanner import MAX_COUNT

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["TOKENS", "Import", "Literal", "Statement", "Unusual", "statements"]

# As lark's lexer tries them: ``lark.load_grammar.TERMINALS`` in the order of ``BasicLexer``.
TOKENS = {
    "REGEXP": r"/(?!/)(\\/|\\\\|[^/])*?/[imslux]*",
    "STRING": r'"(\\"|\\\\|[^"\n])*?"i?',
    "COMMENT": r"\s*//[^\n]*|\s*#[^\n]*",
    "RULE": "_?[a-z][_a-z0-9]*",
    "TERMINAL": "_?[A-Z][_A-Z0-9]*",
    "_NL_OR": r"(\r?\n)+\s*\|",
    "_NL": r"(\r?\n)+\s*",
    "BACKSLASH": r"\\[ ]*\n",
    "NUMBER": r"[+-]?\d+",
    "WS": r"[ \t]+",
    "_OVERRIDE": "%override",
    "_DECLARE": "%declare",
    "_EXTEND": "%extend",
    "_IGNORE": "%ignore",
    "_IMPORT": "%import",
    "RULE_MODIFIERS": "(!|![?]?|[?]!?)(?=[_a-z])",
    "_DOTDOT": r"\.\.",
    "_TO": "->",
    "OP": "[+*]|[?](?![a-z_])",
    "_DOT": r"\.(?!\.)",
    "_LBRA": r"\[",
    "_LBRACE": r"\{",
    "_LPAR": r"\(",
    "_OR": r"\|",
    "_RBRA": r"\]",
    "_RBRACE": r"\}",
    "_RPAR": r"\)",
    "TILDE": "~",
    "_COLON": ":",
    "_COMMA": ",",
}
_TOKEN = re.compile("|".join(f"(?P<{name}>{regex})" for name, regex in TOKENS.items()))
_SKIPPED = frozenset(("WS", "COMMENT", "BACKSLASH"))
_ITEMS = frozenset(("RULE", "TERMINAL", "STRING", "REGEXP"))
_COUNT = re.compile(r"[0-9]{1,9}")
_PRIORITY = re.compile(r"[+-]?[0-9]{1,9}")
_OPERATORS = {"?": (0, 1), "*": (0, None), "+": (1, None)}


class Unusual(Exception):  # noqa: N818 (no error: lark reads the grammar then)
    """The grammar has something that is left to lark."""


class Literal(NamedTuple):
    """A string, a regex or a range as it is written; the latter by its ends."""

    kind: str
    text: str
    to: str = ""


class Import(NamedTuple):
    """What ``%import`` asks for: the file, whether it is searched for beside, names by names."""

    path: tuple[str, ...]
    is_relative: bool
    names: dict[str, str]


class Statement(NamedTuple):
    """A definition or directive.

    Args:
        kind: ``rule``, ``term``, ``ignore``, ``declare`` or ``import``.
        name: What is defined or declared.
        tree: What it is, or what is ignored; a part is a ``Symbol``, a ``Literal`` or a ``Node``.
        modifiers: ``?`` and ``!`` before a rule.
        parameters: Of a template.
        priority: Of a rule or terminal; None without one.
        import_: What is imported.
    """

    kind: str
    name: str = ""
    tree: Node | None = None
    modifiers: str = ""
    parameters: tuple[str, ...] = ()
    priority: int | None = None
    import_: Import | None = None


def statements(text: str) -> list[Statement]:
    """Return the statements of a grammar, as lark reads it.

    Raises:
        Unusual: It has anything that is left to lark.
    """
    return list(_Parser(text + "\n").statements())


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    """Yield kind and text of each token, and of the end."""
    match = _TOKEN.match
    end = 0
    while (found := match(text, end)) is not None:
        end = found.end()
        kind = found.lastgroup or ""
        if kind not in _SKIPPED:
            yield kind, found[0]
    if end < len(text):
        raise Unusual
    yield "", ""


class _Parser:
    """Goes through the tokens of one grammar."""

    def __init__(self, text: str) -> None:
        self._tokens = list(_tokens(text))
        self._at = 0

    def statements(self) -> Iterator[Statement]:
        """Yield what the grammar consists of."""
        while True:
            kind, text = self._tokens[self._at]
            self._at += 1
            if kind == "_NL":
                continue
            if kind == "":
                return
            if kind in ("RULE", "RULE_MODIFIERS"):
                modifiers = text if kind == "RULE_MODIFIERS" else ""
                name = self._take("RULE") if modifiers else text
                parameters = self._parameters()
                tree, priority = self._definition()
                yield Statement("rule", name, tree, modifiers, parameters, priority)
            elif kind == "TERMINAL":
                tree, priority = self._definition()
                yield Statement("term", text, tree, priority=priority)
            elif kind == "_IGNORE":
                yield Statement("ignore", tree=self._expansions("_NL"))
            elif kind == "_DECLARE":
                yield from self._declared()
            elif kind == "_IMPORT":
                yield Statement("import", import_=self._import())
            else:
                raise Unusual

    def _take(self, kind: str) -> str:
        """Return the text of the next token, which is of a kind."""
        found, text = self._tokens[self._at]
        if found != kind:
            raise Unusual
        self._at += 1
        return text

    def _has(self, kind: str) -> bool:
        """Say whether the next token is of a kind, and go past it then."""
        found = self._tokens[self._at][0] == kind
        self._at += found
        return found

    def _parameters(self) -> tuple[str, ...]:
        """Return the parameters of a template; none for a rule."""
        if not self._has("_LBRACE"):
            return ()
        names = [self._take("RULE")]
        while self._has("_COMMA"):
            names.append(self._take("RULE"))
        self._take("_RBRACE")
        return tuple(names)

    def _definition(self) -> tuple[Node, int | None]:
        """Return what is behind a name."""
        priority = None
        if self._has("_DOT"):
            number = self._take("NUMBER")
            if _PRIORITY.fullmatch(number) is None:
                raise Unusual
            priority = int(number)
        self._take("_COLON")
        return self._expansions("_NL"), priority

    def _declared(self) -> Iterator[Statement]:
        yield Statement("declare", self._name())
        while not self._has("_NL"):
            yield Statement("declare", self._name())

    def _import(self) -> Import:
        """Return what is behind ``%import``; none of the names changes from rule to terminal."""
        is_relative = self._has("_DOT")
        path = [self._name()]
        while self._has("_DOT"):
            path.append(self._name())
        if self._has("_LPAR"):
            names = [self._name()]
            while self._has("_COMMA"):
                names.append(self._name())
            self._take("_RPAR")
            found = dict(zip(names, names, strict=True))
        else:
            name = path.pop()
            new = self._name() if self._has("_TO") else name
            if name.isupper() != new.isupper():
                raise Unusual
            found = {name: new}
        self._take("_NL")
        if not path:
            raise Unusual
        return Import(tuple(path), is_relative, found)

    def _name(self) -> str:
        kind, text = self._tokens[self._at]
        if kind not in ("RULE", "TERMINAL"):
            raise Unusual
        self._at += 1
        return text

    def _expansions(self, end: str) -> Node:
        """Return alternatives up to a token, and go past it; nested ones by a stack."""
        root = Node("expansions", [Node("expansion", [])])
        open_: list[tuple[Node, str]] = [(root, end)]  # alternatives, and what ends them
        parts: list[object] = root.children[0].children  # type: ignore[attr-defined]
        tokens = self._tokens
        while True:
            kind, text = tokens[self._at]
            self._at += 1
            if kind == "RULE" and self._has("_LBRACE"):
                parts.append(self._usage(text))
            elif kind in _ITEMS:
                parts.append(self._item(kind, text))
            elif kind in ("_OR", "_NL_OR"):
                parts = []
                open_[-1][0].children.append(Node("expansion", parts))
                continue
            elif kind in ("_LPAR", "_LBRA"):
                inner: list[object] = []
                node = Node("expansions", [Node("expansion", inner)])
                parts.append(node if kind == "_LPAR" else Node("maybe", [node]))
                open_.append((node, "_RPAR" if kind == "_LPAR" else "_RBRA"))
                parts = inner
                continue
            elif kind == "_TO" and len(open_) == 1:
                alternative = root.children[-1]
                root.children[-1] = Node("alias", [alternative], name=self._take("RULE"))
                if tokens[self._at][0] not in ("_OR", "_NL_OR", end):
                    raise Unusual
                continue
            elif kind == open_[-1][1]:
                open_.pop()
                if not open_:
                    return root
                parts = open_[-1][0].children[-1].children  # type: ignore[attr-defined]
            else:
                raise Unusual
            self._repetition(parts)

    def _item(self, kind: str, text: str) -> Symbol | Literal:
        """Return what a token stands for, or two with dots between them."""
        if kind == "RULE":
            return Symbol("rule", text, text.startswith("_"))
        if kind == "TERMINAL":
            return Symbol("terminal", text, text.startswith("_"))
        if kind == "STRING" and self._has("_DOTDOT"):
            return Literal("range", text, self._take("STRING"))
        return Literal(kind, text)

    def _usage(self, name: str) -> Node:
        """Return a template and its arguments, which may be templates with theirs."""
        root = Node("template_usage", [self._item("RULE", name)])
        open_ = [root]
        while open_:
            kind = self._tokens[self._at][0]
            if kind not in _ITEMS:
                raise Unusual
            item = self._item(kind, self._take(kind))
            if kind == "RULE" and self._has("_LBRACE"):
                inner = Node("template_usage", [item])
                open_[-1].children.append(inner)
                open_.append(inner)
                continue
            open_[-1].children.append(item)
            while open_ and self._has("_RBRACE"):
                open_.pop()
            if open_:
                self._take("_COMMA")
        return root

    def _repetition(self, parts: list[object]) -> None:
        """Put what may be behind an item around it."""
        if self._tokens[self._at][0] == "OP":
            operator = self._take("OP")
            low, high = _OPERATORS[operator]
            parts[-1] = Node("expr", [parts[-1]], operator=operator, low=low, high=high)
        elif self._has("TILDE"):
            operator = "~"
            low = high = self._count()
            if self._has("_DOTDOT"):
                operator = ".."
                high = self._count()
            if not low <= high <= MAX_COUNT:
                raise Unusual
            parts[-1] = Node("expr", [parts[-1]], operator=operator, low=low, high=high)

    def _count(self) -> int:
        number = self._take("NUMBER")
        if _COUNT.fullmatch(number) is None:
            raise Unusual
        return int(number)
