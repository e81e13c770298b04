"""Every engine, switch and front end that can be asked for the engine of one language.

A language comes as a pattern (text), choices (list), a tree of `oracle.tree` (tuple) or a
`GrammarSource`. A contender makes an engine of it or abstains with a reason; reasons are few and
fixed, so that abstentions can be counted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oracle.corpus import tree_of
from oracle.from_re import Unsupported
from oracle.grammars import GrammarSource
from oracle.machine import Machine, TooLarge
from oracle.native import native_vocabulary
from oracle.tree import build, uses

import formgate
from formgate.core import _native
from formgate.core.compiler import build_grammar
from formgate.core.reference import FSA, ReferenceEngine

if TYPE_CHECKING:
    from collections.abc import Callable

    from oracle.strategies import TinyVocabulary
    from oracle.tree import Ranges, Tree

SWITCHES = ("class_tables", "automaton_walk", "split_parts", "cut_subtrees", "keep_masks")
LOOKS = ("ahead", "behind", "scope", "and", "not", "bytes")
REFERENCE_STATES = 300
REFERENCE_PATTERN = 1_000

NO_TREE = "a grammar of named terminals has no tree"
TOO_LARGE = "the reference would take minutes: large counts, scripts, or many states"


class Abstains(Exception):  # noqa: N818 - no error: a contender cannot express the case
    """The contender cannot express the language; the message is one of the reasons above."""


@dataclass(frozen=True)
class Contender:
    """A way to an engine.

    Attributes:
        make: Makes the engine of a source over a vocabulary, with options of the source's format.
        formats: The corpus formats that it reads.
    """

    name: str
    make: Callable[[Any, TinyVocabulary, dict[str, Any]], Any]
    formats: tuple[str, ...] = ("regex", "choice", "tree", "grammar")

    def __str__(self) -> str:
        return self.name


# ---------------------------------------------------------------------------- native


def native_grammar(source: Any, options: dict[str, Any]) -> formgate.Grammar:
    """The grammar as its own front end writes it."""
    if isinstance(source, (str, list)):
        name = "regex" if isinstance(source, str) else "choice"
        return build_grammar(source, format=name, **options)
    builder = formgate.GrammarBuilder()
    if isinstance(source, GrammarSource):
        source.write(builder)
    else:
        builder.start(build(source, builder))
    return builder.build()


def compiled(grammar: formgate.Grammar, tiny: TinyVocabulary, **switches: bool) -> Any:
    """The native engine of a grammar."""
    return grammar.compile(
        native_vocabulary(tiny), options=_native.MaskOptions(**switches), timeout_s=60
    )


def native(source: Any, tiny: TinyVocabulary, options: dict[str, Any]) -> Any:
    return compiled(native_grammar(source, options), tiny)


def without(*names: str) -> Callable[[Any, TinyVocabulary, dict[str, Any]], Any]:
    """The native engine with some optimisations off."""

    def make(source: Any, tiny: TinyVocabulary, options: dict[str, Any]) -> Any:
        return compiled(native_grammar(source, options), tiny, **dict.fromkeys(names, False))

    return make


def by_builder(source: Any, tiny: TinyVocabulary, options: dict[str, Any]) -> Any:
    """The native engine of the source's tree: another front end, the same language."""
    builder = formgate.GrammarBuilder()
    builder.start(build(any_tree(source), builder))
    return compiled(builder.build(), tiny)


def by_rules(source: Any, tiny: TinyVocabulary, options: dict[str, Any]) -> Any:
    """The same with a rule for every part of the tree, referred to before it is defined."""
    builder = formgate.GrammarBuilder()
    builder.start(build(any_tree(source), _Ruled(builder)))
    return compiled(builder.build(), tiny)


class _Ruled:
    """A builder that gives every node a rule of its own and answers with a reference to it."""

    def __init__(self, builder: formgate.GrammarBuilder) -> None:
        self._builder = builder
        self._count = 0

    def __getattr__(self, name: str) -> Any:
        operator = getattr(self._builder, name)

        def wrapped(*arguments: Any, **named: Any) -> Any:
            self._count += 1
            rule = f"r{self._count}"
            reference = self._builder.rule(rule)
            self._builder.define(rule, operator(*arguments, **named))
            return reference

        return wrapped


def by_choice(source: Any, tiny: TinyVocabulary, options: dict[str, Any]) -> Any:
    """A list of texts as a pattern."""
    return native("|".join(map(re.escape, source)), tiny, {})


def any_tree(source: Any) -> Tree:
    """The tree of a source; abstains where there is none."""
    if isinstance(source, GrammarSource):
        raise Abstains(NO_TREE)
    try:
        return tree_of(source)
    except Unsupported as error:
        raise Abstains(NO_TREE) from error


# ---------------------------------------------------------------------------- reference


def reference(source: Any, tiny: TinyVocabulary, options: dict[str, Any]) -> Any:
    """The reference engine, by the first way that can express the source.

    Its own pattern syntax; else the same language written in that syntax; else, for look-around,
    intersections and complements, the automaton that the judge's derivatives give.
    """
    vocabulary = native_vocabulary(tiny)
    if isinstance(source, GrammarSource):
        return ReferenceEngine.from_grammar(
            source.text,
            source.terminals,
            vocabulary,
            ignored=source.ignored,
            lexing=source.lexing,  # type: ignore[arg-type] # the corpus says only these words
        )
    return ReferenceEngine.from_regex(reference_language(source), vocabulary)


def reference_language(source: Any) -> str | FSA[int]:
    """The source in the reference's syntax, or as an automaton."""
    tree = any_tree(source)
    if not uses(tree, LOOKS):
        try:
            written = pattern_of(tree)
        except UnicodeDecodeError:
            written = None
        if written is not None:
            if len(written) > REFERENCE_PATTERN or re.search(r"\{\d*,?\d{3,}\}", written):
                raise Abstains(TOO_LARGE)
            return written
    return automaton_of_tree(tree)


def pattern_of(tree: Tree) -> str | None:
    """A tree without look-around in the reference's syntax; None for the empty language."""
    kind, *parts = tree
    if kind in ("lit", "strings"):
        texts = [parts[0]] if kind == "lit" else list(parts[0])
        words = ["".join(map(_escaped, text.decode())) for text in texts]
        return f"(?:{'|'.join(words)})" if words else None
    if kind == "chars":
        return _class(parts[0]) if parts[0] else None
    if kind == "repeat":
        return _repeated(pattern_of(parts[0]), *parts[1:])
    if kind in ("seq", "choice"):
        return _joined(kind, [pattern_of(part) for part in parts])
    return {"any_text": "(?:[\\x00-\U0010ffff]*)", "empty": "(?:)"}.get(kind)


def _repeated(inner: str | None, least: int, most: int | None) -> str | None:
    if inner is None:
        return "(?:)" if least == 0 else None
    return f"(?:{inner}{{{least},{'' if most is None else most}}})"


def _joined(kind: str, parts: list[str | None]) -> str | None:
    known = [part for part in parts if part is not None]
    if kind == "seq":
        return f"(?:{''.join(known)})" if len(known) == len(parts) else None
    return f"(?:{'|'.join(known)})" if known else None


def _escaped(character: str) -> str:
    return "\\" + character if character in "\\.[](){}*+?|^$-" else character


def _class(ranges: Ranges) -> str:
    pieces = (f"{_escaped(chr(low))}-{_escaped(chr(high))}" for low, high in ranges)
    return f"[{''.join(pieces)}]"


def automaton_of_tree(tree: Tree) -> FSA[int]:
    """The automaton of a tree, state by state through the judge's derivatives."""
    try:
        machine = Machine.of(tree)
        number, queue, edges = {machine.start: 0}, [machine.start], {}
        for state in queue:
            row = {}
            for byte in range(256):
                after = machine.step(state, byte)
                if after and machine.is_live(after):
                    if after not in number:
                        number[after] = len(number)
                        queue.append(after)
                    row[byte] = number[after]
            edges[number[state]] = row
            if len(number) > REFERENCE_STATES:
                raise Abstains(TOO_LARGE)
    except TooLarge as error:
        raise Abstains(TOO_LARGE) from error
    accepting = frozenset(i for state, i in number.items() if machine.accepts_here(state))
    return FSA(0, accepting, edges)


NATIVE = Contender("native", native)
REFERENCE = Contender("reference", reference)
CONTENDERS = (
    NATIVE,
    *(Contender(f"native without {name}", without(name)) for name in SWITCHES),
    Contender("native without any short cut", without(*SWITCHES)),
    Contender("native by the builder", by_builder, ("regex", "choice")),
    Contender("native by rules", by_rules, ("regex", "choice", "tree")),
    Contender("native choices as a pattern", by_choice, ("choice",)),
    REFERENCE,
)
