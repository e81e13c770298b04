r"""GBNF, the grammar language of llama.cpp, as that project's parser reads it.

Source: ``grammars/README.md`` of llama.cpp, token terminals included.

A grammar is a list of rules ``name ::= alternatives``; an alternative is a sequence of literals
``"..."``, classes ``[a-z]`` and ``[^"\\]``, ``.`` for any character, tokens ``<name>``, ``<[id]>``,
``!<name>`` and ``!<[id]>``, names, groups and their repetitions ``* + ? {m} {m,} {m,n}``. A rule
ends with its line, unless the line ends inside a group or after ``|`` or ``::=``; ``#`` begins a
comment. The text must match the rule ``root``.

What llama.cpp refuses or does in silence and we do not: left recursion and any count are fine; a
rule defined twice is an error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formgate.core.errors import GrammarError
from formgate.plugins.cfg._gbnf_shapes import Recorder, TokenTerminal
from formgate.plugins.cfg._gbnf_tokens import check_runs
from formgate.plugins.cfg._scanner import Scanner

if TYPE_CHECKING:
    from collections.abc import Mapping

    from formgate.core.grammar import GrammarBuilder, Node

__all__ = ["Parser", "compile_format", "compile_gbnf"]

_OPTIONS = ("root",)
_MAX_ID = 2**31 - 1
_HEXADECIMAL = frozenset("0123456789abcdefABCDEF")
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")


def compile_gbnf(source: str, builder: GrammarBuilder, *, root: str = "root") -> Node:
    """Write a GBNF grammar and return the node of its root.

    Cost: linear in the source.

    Args:
        source: The grammar.
        builder: Where to write; the rules keep their names.
        root: The rule that the whole text must match.

    Raises:
        GrammarError: The grammar is malformed, has a rule twice, or uses one that it lacks.
        UnsupportedConstraint: What a ``!<t>`` matches would depend on how text is cut into tokens.

    Example:
        >>> from formgate.core.grammar import GrammarBuilder
        >>> builder = GrammarBuilder()
        >>> builder.start(compile_gbnf('root ::= "(" root ")" | [0-9]+', builder))
    """
    if "!<" in source:
        shape = Recorder()
        parser = Parser(source, shape)
        check_runs(shape, parser.parse(root), parser.tokens, source, embedded=builder.is_embedding)
    return Parser(source, builder).parse(root)


def compile_format(source: object, builder: GrammarBuilder, options: Mapping[str, object]) -> None:
    """Write a grammar given to ``formgate.compile``.

    Raises:
        GrammarError: As for ``compile_gbnf``; the source is no text, or an option is unknown.
        UnsupportedConstraint: As for ``compile_gbnf``.
    """
    unknown = sorted(set(options) - set(_OPTIONS))
    if unknown:
        raise GrammarError(
            f"the gbnf format has no option {unknown[0]!r}",
            hint="its options are: " + ", ".join(_OPTIONS),
        )
    root = options.get("root", "root")
    if not isinstance(root, str):
        raise GrammarError(f"root is the name of a rule, not {root!r:.60}")
    if not isinstance(source, str):
        raise GrammarError(
            f"the gbnf format takes a grammar as a string, not {type(source).__name__}"
        )
    builder.start(compile_gbnf(source, builder, root=root))


class _Group:
    """Alternatives that are being read: of a rule, or in brackets."""

    def __init__(self, start: int) -> None:
        self.start = start
        self.done: list[Node] = []
        self.items: list[Node] = []

    def finish_alternative(self, builder: GrammarBuilder | Recorder) -> None:
        self.done.append(builder.seq(*self.items))
        self.items = []


class Parser:
    """Reads a grammar in one pass; groups are kept on a list, so their depth has no limit."""

    def __init__(self, source: str, builder: GrammarBuilder | Recorder) -> None:
        self._scan = Scanner(source)
        self._builder = builder
        self.defined: dict[str, int] = {}
        self._used: dict[str, int] = {}
        self.tokens: dict[Node, TokenTerminal] = {}

    def parse(self, root: str) -> Node:
        """Read all rules."""
        scan = self._scan
        scan.skip_space(newlines=True)
        while not scan.at_end:
            self._rule()
            scan.skip_space(newlines=True)
        if root not in self.defined:
            known = ", ".join(list(self.defined)[:10]) or "none"
            raise GrammarError(
                f"the grammar has no rule {root!r}, which the text must match; its rules: {known}",
                hint="define it, or name another with root=...",
            )
        for name, offset in self._used.items():
            if name not in self.defined:
                raise scan.error(
                    f"rule {name!r} is used but not defined", offset, offset + len(name)
                )
        return self._builder.rule(root)

    def _rule(self) -> None:
        """Read one rule and the end of its line."""
        scan = self._scan
        offset = scan.position
        name = self._name("a rule begins with its name")
        if name in self.defined:
            raise scan.error(f"rule {name!r} is defined twice", offset, scan.position)
        self.defined[name] = offset
        scan.skip_space(newlines=False)
        if not scan.take("::="):
            raise scan.error("'::=' must follow the name of a rule", scan.position)
        scan.skip_space(newlines=True)
        self._builder.define(name, self._alternatives())
        if not scan.at_end and not scan.take_newline():
            reason = "a rule ends here, and the next begins on a line of its own"
            if scan.peek in ("*", "+", "?", "{"):
                reason = "there is nothing to repeat before this"
            raise scan.error(reason, scan.position)

    def _name(self, reason: str) -> str:
        scan = self._scan
        name = scan.take_while(_LETTERS)
        if not name:
            hint = None
            if scan.peek == "|":
                hint = "put '|' at the end of the line before, or the alternatives in brackets"
            raise scan.error(reason, scan.position, hint=hint)
        return name

    def _alternatives(self) -> Node:
        """Read the alternatives of a rule, groups included."""
        scan, builder = self._scan, self._builder
        groups = [_Group(scan.position)]
        while True:
            group = groups[-1]
            if scan.take("|"):
                group.finish_alternative(builder)
                scan.skip_space(newlines=True)
            elif scan.take("("):
                groups.append(_Group(scan.position - 1))
                scan.skip_space(newlines=True)
            elif scan.peek == ")":
                if len(groups) == 1:
                    raise scan.error("this bracket closes nothing", scan.position)
                scan.take(")")
                groups.pop().finish_alternative(builder)
                whole = builder.choice(*group.done)
                groups[-1].items.append(self._repeated(whole, inside=len(groups) > 1))
            elif (item := self._item()) is not None:
                group.items.append(self._repeated(item, inside=len(groups) > 1))
            elif len(groups) > 1:
                raise scan.error("this bracket is not closed", group.start)
            else:
                group.finish_alternative(builder)
                return builder.choice(*group.done)

    def _item(self) -> Node | None:
        """Read a literal, a class, a dot or a name; None where there is none of them."""
        scan, builder = self._scan, self._builder
        begin = scan.position
        if scan.take('"'):
            return builder.literal(self._literal(begin))
        if scan.take("["):
            return self._class(begin)
        if scan.take("."):
            return builder.any_char()
        if scan.peek in ("<", "!"):
            return self._token_terminal(begin)
        name = scan.take_while(_LETTERS)
        if not name:
            return None
        self._used.setdefault(name, begin)
        return builder.rule(name)

    def _literal(self, begin: int) -> str:
        scan = self._scan
        text: list[str] = []
        while not scan.take('"'):
            if scan.at_end or scan.peek == "\n":
                raise scan.error("this literal is not closed", begin)
            text.append(chr(self._character()))
        return "".join(text)

    def _class(self, begin: int) -> Node:
        scan = self._scan
        negated = scan.take("^")
        ranges = scan.take_ranges(
            begin,
            self._character,
            line_ends="\n",
            hint="'.' is any character, and '\"\"' the empty text",
        )
        return self._builder.char_class(ranges, negated=negated)

    def _character(self) -> int:
        """Read one character or escape, and return its code point."""
        scan = self._scan
        begin = scan.position
        char = scan.next()
        if char == "\\":
            return self._escape(begin)
        if 0xD800 <= ord(char) <= 0xDFFF:
            raise scan.error("a lone surrogate, which no well-formed text contains", begin)
        return ord(char)

    def _escape(self, begin: int) -> int:
        scan = self._scan
        letter = "" if scan.at_end else scan.next()
        digits = {"x": 2, "u": 4, "U": 8}.get(letter)
        if digits is not None:
            return self._hexadecimal(begin, digits)
        plain = {"t": "\t", "r": "\r", "n": "\n"}.get(letter, letter)
        if letter and (plain != letter or letter in '\\"[]'):
            return ord(plain)
        raise scan.error(
            f"unknown escape \\{letter}",
            begin,
            scan.position,
            hint=r"known are \n \r \t \\ \" \[ \] \xHH \uHHHH \UHHHHHHHH",
        )

    def _hexadecimal(self, begin: int, digits: int) -> int:
        scan = self._scan
        text = "".join(scan.next() for _ in range(digits) if not scan.at_end)
        if len(text) != digits or not set(text) <= _HEXADECIMAL:
            raise scan.error(f"{digits} hexadecimal digits must follow", begin, scan.position)
        value = int(text, 16)
        if value > 0x10FFFF or 0xD800 <= value <= 0xDFFF:
            raise scan.error("this is the number of no character", begin, scan.position)
        return value

    def _repeated(self, node: Node, *, inside: bool) -> Node:
        """Read the repetitions that follow an item; each applies to all before it."""
        scan, builder = self._scan, self._builder
        while True:
            scan.skip_space(newlines=inside)
            if scan.take("*"):
                node = builder.star(node)
            elif scan.take("+"):
                node = builder.plus(node)
            elif scan.take("?"):
                node = builder.optional(node)
            elif scan.peek == "{":
                node = builder.repeat(node, *scan.take_counts())
            else:
                return node

    def _token_terminal(self, begin: int) -> Node:
        """Read ``<name>``, ``<[id]>`` or a negation of them."""
        scan, builder = self._scan, self._builder
        negated = scan.take("!")
        name = scan.position
        if not scan.take("<"):
            raise scan.error("'!' stands before a token, as in !<name> or !<[id]>", begin)
        end = scan.find(">", name)
        if end < 0:
            raise scan.error("this token is not closed: <name> or <[id]>, on one line", begin)
        token: str | int = scan.source[name : end + 1]
        if scan.take("["):
            number = scan.take_number()
            if number is None or not scan.take("]>"):
                raise scan.error(
                    "a token is named by its id in decimal digits, as in <[1000]>", begin, end + 1
                )
            if number > _MAX_ID:
                raise scan.error(f"this id is above the largest, {_MAX_ID}", begin, end + 1)
            token = number
        scan.position = end + 1
        node = builder.except_token(token) if negated else builder.special_token(token)
        self.tokens[node] = TokenTerminal(token, negated, begin, end + 1)
        return node
