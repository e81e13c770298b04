"""``GrammarBuilder``: the interface between front ends and the engine.

A front end turns its source into nodes and names one of them as the start. It never sees tokens or
masks, so it can describe a wrong language but never cause a wrong mask. A node is an opaque
number that only the builder that made it understands.

Each call costs well under a microsecond; nothing is compiled before ``Grammar.compile``.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Literal

from formgate.core import _native
from formgate.core.errors import CompileCancelled, CompileTimeout, GrammarError
from formgate.core.grammar._grammar import Grammar
from formgate.core.grammar._lists import ListBuilder
from formgate.core.grammar._terminal import Node

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from formgate.core._native import CancelToken, Engine
    from formgate.core.grammar._grammar import LikelyText
    from formgate.core.grammar._terminal import Production, Terminal
    from formgate.core.vocabulary import Vocabulary

__all__ = ["GrammarBuilder", "Node"]

_MAX_EMBEDDING = 32


class GrammarBuilder(ListBuilder):
    """Collects the rules and terminals of one grammar.

    Example:
        >>> from formgate.core.grammar import GrammarBuilder
        >>> b = GrammarBuilder()
        >>> digit = b.char_class([(ord("0"), ord("9"))])
        >>> b.start(b.seq(b.repeat(digit, 1, 3), b.optional(b.literal("%"))))
        >>> grammar = b.build(name="percentage")

    Args:
        embed: How to write another format into this builder, called with the format's name, the
            source, the builder to write to and the options; the registry supplies it.
        deadline: Value of ``time.perf_counter`` at which long calls give up.
        cancel: Makes long calls give up from another thread.
    """

    def __init__(
        self,
        *,
        embed: Callable[[str, object, GrammarBuilder, dict[str, object]], None] | None = None,
        deadline: float | None = None,
        cancel: CancelToken | None = None,
    ) -> None:
        self._core = _native.GrammarCore()
        self._embed = embed
        self._deadline = deadline
        self._cancel = cancel
        self._built = False
        self._prefix = ""  # of the names of rules, while another format writes
        self._embedded = 0
        self._embedding = 0
        self._started: Node | None = None
        self._likely: LikelyText | None = None
        self._part_likely: LikelyText | None = None
        self._format_notes: object = None  # what a format knows of what it has written here

    # --- terminals ---

    def literal(self, text: str | bytes) -> Node:
        """Match exactly this text (or these bytes)."""
        return Node(self._core.literal(text))

    def char_class(self, ranges: Iterable[tuple[int, int]], *, negated: bool = False) -> Node:
        """Match one character whose code point lies in an inclusive range.

        Surrogates are dropped: text is well-formed UTF-8.

        Raises:
            GrammarError: A range is not ordered within 0 to 0x10FFFF.
        """
        return Node(self._core.char_class(list(ranges), negated))

    def byte_class(self, ranges: Iterable[tuple[int, int]]) -> Node:
        """Match one byte in an inclusive range; the text need not be well-formed UTF-8."""
        return Node(self._core.byte_class(list(ranges)))

    def any_char(self) -> Node:
        """Match any one character, line breaks included."""
        return Node(self._core.char_class([(0, 0x10FFFF)]))

    def any_text(self) -> Node:
        """Match any text, the empty one included."""
        return self.star(self.any_char())

    def strings(self, values: Iterable[str | bytes]) -> Node:
        """Match one of many strings, by a minimal acyclic automaton.

        The values are sorted, then read once: a million take some seconds.

        Raises:
            GrammarError: A value is not text or bytes, or has a lone surrogate.
            CompileTimeout, CompileCancelled: The deadline came, or the cancel token was used.
        """
        left = None
        if self._deadline is not None:
            left = max(self._deadline - time.perf_counter(), 0.0)
        given = values if isinstance(values, list) else list(values)
        return Node(self._core.strings(given, left, self._cancel))

    def empty(self) -> Node:
        """Match the empty text."""
        return Node(self._core.literal(b""))

    def nothing(self) -> Node:
        """Match no text at all."""
        return Node(self._core.choice([]))

    # --- operators ---

    def seq(self, *parts: Node) -> Node:
        """Match the parts one after the other."""
        return Node(self._core.sequence(list(parts)))

    def choice(self, *parts: Node) -> Node:
        """Match any one of the parts."""
        return Node(self._core.choice(list(parts)))

    def repeat(self, part: Node, min: int = 0, max: int | None = None) -> Node:  # noqa: A002
        """Match a part ``min`` to ``max`` times (``None``: any number); counts are not unrolled.

        Raises:
            GrammarError: ``min`` exceeds ``max``, or a count is negative or above 2**31 - 1.
        """
        return Node(self._core.repeat(part, min, max))

    def optional(self, part: Node) -> Node:
        """Match a part or nothing."""
        return Node(self._core.repeat(part, 0, 1))

    def star(self, part: Node) -> Node:
        """Match a part any number of times."""
        return Node(self._core.repeat(part, 0, None))

    def plus(self, part: Node) -> Node:
        """Match a part at least once."""
        return Node(self._core.repeat(part, 1, None))

    def intersection(self, *parts: Node) -> Node:
        """Match what every part matches; each part is a ``scope`` of its own."""
        return Node(self._core.intersection(list(parts)))

    def complement(self, part: Node) -> Node:
        """Match every well-formed text that the part, a ``scope`` of its own, does not match."""
        return Node(self._core.complement(part))

    # --- look-around ---

    def look_ahead(self, rest: Node, *, negative: bool = False) -> Node:
        r"""Match nothing, where the whole rest of the text is in a language (or is not).

        The rest ends where the enclosing ``scope`` ends; without one, with the text. The regex
        ``(?=A)`` is ``look_ahead(seq(A, any_text()))``, and ``\Z`` is ``look_ahead(empty())``.
        """
        return Node(self._core.look_ahead(rest, negative))

    def look_behind(self, before: Node, *, negative: bool = False) -> Node:
        r"""Match nothing, where all the text so far is in a language (or is not).

        The regex ``(?<=A)`` is ``look_behind(seq(any_text(), A))``, ``\A`` is
        ``look_behind(empty())``.
        """
        return Node(self._core.look_behind(before, negative))

    def scope(self, part: Node) -> Node:
        """Match a part whose look-around sees just the text that the part matches."""
        return Node(self._core.scope(part))

    # --- rules ---

    def rule(self, name: str) -> Node:
        """Refer to a rule, which may be defined later and may refer to itself.

        Any context-free grammar is taken: ambiguous, left-recursive, with cycles and empty rules.
        Intersections, complements and look-around must not contain recursive rules; look-around
        in a grammar that has them must stand in a ``scope`` of its own.
        """
        return Node(self._core.rule(self._prefix + name))

    def define(self, name: str, body: Node) -> None:
        """Give a rule its body.

        Raises:
            GrammarError: The rule has a body already, or the grammar is built.
        """
        self._check_open()
        self._core.define(self._prefix + name, body)

    def rules(self) -> list[str]:
        """Return the names of the rules so far, in the order in which they were first named."""
        return list(self._core.rule_names)

    def start(self, node: Node) -> None:
        """Say what the whole text must match.

        Raises:
            GrammarError: The start is set already, or the grammar is built.
        """
        self._check_open()
        if self._embedding:
            if self._started is not None:
                raise GrammarError("the start of the grammar is set twice")
            self._started = node
        else:
            self._core.start(node)

    def expect(self, likely: LikelyText) -> None:
        """Say what texts are likely to look like: masks are made along them while compiling.

        What a part in another format expects, its ``embed`` leaves under ``part_expects``: only the
        format around it knows where the part stands.

        Args:
            likely: Called with a number of characters, it returns the beginning of a text of about
                that length; or pieces of one, between which stands the shortest text that there is.
                It may be wrong: nothing but time depends on it. Called only if time is left; an
                error is a warning.

        Raises:
            TypeError: It cannot be called.
            GrammarError: The grammar is built.
        """
        if not callable(likely):
            raise TypeError(
                f"expect takes a function of a number of characters, not {likely!r:.60}"
            )
        self._check_open()
        self._likely = likely

    @property
    def part_expects(self) -> LikelyText | None:
        """What the part that was embedded last expects, as given to ``expect``, or None."""
        return self._part_likely

    def embed(self, format: str, source: object, **options: object) -> Node:  # noqa: A002
        """Match what a source in another format describes; its rules have names of their own.

        Raises:
            GrammarError: The format is unknown, the source is wrong, or embedding goes in circles.
        """
        if self._embed is None:
            raise GrammarError(
                f"cannot embed format {format!r}: this builder knows no other formats",
                hint="make the grammar through formgate.compile",
            )
        if self._embedding >= _MAX_EMBEDDING:
            raise GrammarError(f"formats are embedded more than {_MAX_EMBEDDING} deep")
        outer, self._started = self._started, None
        outer_prefix, outer_likely = self._prefix, self._likely
        self._likely = None
        self._embedded += 1
        self._prefix = f"{format}#{self._embedded}."  # its rules are its own
        self._embedding += 1
        try:
            self._embed(format, source, self, options)
            inner = self._started
        finally:
            self._embedding -= 1
            self._started = outer
            self._prefix = outer_prefix
            self._part_likely, self._likely = self._likely, outer_likely
        if inner is None:
            raise GrammarError(f"format {format!r} did not set a start")
        return self.scope(inner)

    @property
    def is_embedding(self) -> bool:
        """Whether a part is being written that stands in a source of another format."""
        return self._embedding > 0

    # --- a lexer between text and rules ---

    def terminal(self, name: str) -> Node:
        """Match one lexeme of a terminal, in rules below a ``lexed`` node with its pattern."""
        return Node(self._core.terminal(name))

    def lexed(
        self,
        start: Node,
        terminals: Iterable[Terminal],
        *,
        mode: Literal["longest", "first"] = "longest",
        contextual: bool = True,
        productions: Iterable[Production] = (),
    ) -> Node:
        """Match texts that a lexer cuts into a sequence of terminals that ``start`` matches.

        Everywhere else in a grammar any way to cut a text counts. Here it is cut in one way, from
        left to right: at each position some terminals compete, and the winner's lexeme is taken.

        Args:
            start: Over terminals: made of ``terminal``, ``rule``, ``seq``, ``choice`` and
                ``repeat``; recursive rules are welcome.
            terminals: Those preferred stand first.
            mode: ``"longest"``: the longest match wins, preference breaks ties. ``"first"``: the
                most preferred terminal that matches wins, however long; its lexeme is what its
                pattern matches, look-ahead beyond the lexeme included, or the longest match where
                the terminal says so.
            contextual: Only terminals that the rules can take next compete, and the ignored ones;
                otherwise all always do.
            productions: Of an LALR(1) parser for the same sentences as ``start``, which the first
                head stands for. Then those terminals compete that its state has an action for, and
                the ignored ones, for as long as it reads on: more than can come next, since such
                parsers merge states, and fewer where it resolves a conflict (by shifting). Left
                out, where none of that makes a difference to any text. Costs some milliseconds for
                1,000 productions.

        Raises:
            GrammarError: A mode that there is not. What terminals and rules lack is said when the
                grammar is compiled, and where two productions could end at once.
        """
        if mode not in ("longest", "first"):
            raise GrammarError(f"a lexer's mode is 'longest' or 'first', not {mode!r}")
        given = [
            (t.name, t.pattern, t.ignored, [(n, own) for n, own in t.keyword_of], t.longest)
            for t in terminals
        ]
        written = [(p.head, list(p.body), p.priority) for p in productions]
        return Node(self._core.lexed(start, given, mode == "first", contextual, written))

    # --- parts of many grammars ---

    def include(self, grammar: Grammar) -> Node:
        """Match what a finished grammar matches.

        For parts that many grammars have, such as numbers or dates: the other grammar is written
        once, and compiled once for all that include it. One call, however large it is.

        Args:
            grammar: Made of ``literal``, ``char_class``, ``byte_class``, ``any_char``,
                ``any_text``, ``strings``, ``seq``, ``choice``, ``repeat`` and its like,
                ``intersection`` and ``complement`` alone.

        Raises:
            UnsupportedConstraint: The other grammar has rules, look-around, lists of keys, lexers,
                special tokens or includes a grammar itself: parts that may depend on what stands
                around them.
        """
        if not isinstance(grammar, Grammar):
            raise TypeError(f"include takes a Grammar, not {grammar!r:.60}")
        return Node(self._core.include(grammar._core))  # noqa: SLF001

    # --- what only the symbol level enforces ---

    def special_token(self, token: str | int) -> Node:
        """Match one special token of the vocabulary, by its id; text never matches it.

        Compiling raises ``GrammarError`` where the vocabulary has no such token or it is a stop id,
        and ``UnsupportedConstraint`` beside bytes that are no text, or where the token is an
        ordinary one, whose text other tokens may spell as well.

        Args:
            token: A name as ``Vocabulary.special`` has it, such as ``"<|tool_call|>"``, or an id.

        Raises:
            GrammarError: The id is out of range.
        """
        return Node(self._core.special_token(token))

    def except_token(self, token: str | int) -> Node:
        """Match one byte of text, whatever it is, or one special token that is not the given one.

        Repeated between special tokens, it matches any tokens but the given one and the stop ids.
        Text that stands beside it may share a token with it.

        Compiling raises as for ``special_token``; but the token may be a stop id here.

        Args:
            token: As for ``special_token``.

        Raises:
            GrammarError: The id is out of range.
        """
        return Node(self._core.special_token(token, True))

    # --- finishing ---

    def check_time(self) -> None:
        """Give up if the deadline has come or the cancel token was used; formats at work ask.

        Raises:
            CompileTimeout, CompileCancelled: So it is.
        """
        if self._cancel is not None and self._cancel.cancelled:
            raise CompileCancelled("compiling was cancelled")
        if self._deadline is not None and time.perf_counter() >= self._deadline:
            raise CompileTimeout("reading the source did not finish before the deadline")

    def beside(self) -> GrammarBuilder:
        """Return an empty builder under the same deadline and cancel token.

        For a format that has to know something of a part before it writes the whole: see `try_out`.
        """
        return GrammarBuilder(deadline=self._deadline, cancel=self._cancel)

    def try_out(self, vocabulary: Vocabulary) -> Engine:
        """Build what was written and compile it, before the deadline comes.

        Raises:
            GrammarError, LimitError, CompileCancelled: As `build` and `Grammar.compile` do.
        """
        self.check_time()
        left = None
        if self._deadline is not None:
            left = max(self._deadline - time.perf_counter(), 1e-3)
        return self.build().compile(vocabulary, timeout_s=left, cancel=self._cancel)

    def build(
        self,
        *,
        name: str | None = None,
        format: str | None = None,  # noqa: A002
        source: object = None,
    ) -> Grammar:
        """Return the finished grammar.

        Raises:
            GrammarError: No start was set.
        """
        if not self._core.has_start:
            raise GrammarError(
                "the grammar has no start", hint="call builder.start(node) with what the text is"
            )
        self._built = True
        grammar = Grammar(self._core, name=name, format=format, source=source)
        grammar.likely = self._likely
        return grammar

    def _check_open(self) -> None:
        """Keep a built grammar as it is."""
        if self._built:
            raise GrammarError("the grammar is built already; write another with a new builder")
