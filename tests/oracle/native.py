"""The engine under test, compiled from what the judges take. The only module that imports it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import formgate
from formgate.core import _native
from formgate.core.compiler import build_grammar
from oracle.compare import Comparison, masks_by_text
from oracle.machine import TooLarge
from oracle.tokens import TokenOracle
from oracle.tree import Tree, build

if TYPE_CHECKING:
    from oracle.strategies import TinyVocabulary


def native_vocabulary(tiny: TinyVocabulary) -> formgate.Vocabulary:
    """The vocabulary as the package has it."""
    return formgate.Vocabulary(list(tiny.tokens), stop_ids=tiny.stop_ids, special=tiny.special)


def grammar_of(tree: Tree) -> formgate.Grammar:
    """The tree written with the package's builder."""
    builder = formgate.GrammarBuilder()
    builder.start(build(tree, builder))
    return builder.build()


def try_compile(source: Any, tiny: TinyVocabulary, **options: Any) -> Any:
    """The engine, or the error where the language is empty or not supported."""
    try:
        return formgate.compile(source, native_vocabulary(tiny), **options)
    except (formgate.EmptyLanguageError, formgate.UnsupportedConstraint) as error:
        return error


def try_oracle(tree: Tree, tiny: TinyVocabulary, budget: int = 400) -> TokenOracle | None:
    """The judge, or None where the case is too large for it."""
    try:
        return TokenOracle(tree, tiny.tokens, tiny.stop_ids, tiny.special.values(), budget=budget)
    except TooLarge:
        return None


def check_everything(engine: Any, oracle: TokenOracle, tiny: TinyVocabulary, label: str) -> None:
    """All properties on all states found, empty languages included."""
    if oracle.is_empty:
        assert isinstance(engine, formgate.EmptyLanguageError), f"not refused as empty: {label}"
        return
    assert not isinstance(engine, formgate.EmptyLanguageError), f"wrongly empty: {label}"
    comparison = Comparison(engine, oracle, len(tiny.tokens), label)
    visits = comparison.explore()
    comparison.check_protocol(visits)
    singles = {text for text in tiny.texts if len(text) == 1}
    comparison.check_native(visits, all_bytes=len(singles) == 256)


def check_history(engine: Any, fresh: Any, oracle: TokenOracle, size: int, label: str) -> None:
    """Two engines of one language agree, whatever each was asked before, and in what order."""
    visits = Comparison(engine, oracle, size, label).explore(limit=30)
    forward = masks_by_text(engine, visits)
    backward = masks_by_text(fresh, visits[::-1])
    assert forward == backward, f"the mask depends on history: {label}"
    for visit in visits:
        state = fresh.advance_many(fresh.start(), list(visit.tokens))
        assert state.key == visit.state.key, f"keys differ between engines: {label}"


def compile_with_switches(source: Any, tiny: TinyVocabulary, switches: dict[str, bool]) -> Any:
    """Compile a pattern, a list of choices or a tree with some optimisations switched off."""
    if isinstance(source, tuple):
        grammar = grammar_of(source)
    else:
        name = "regex" if isinstance(source, str) else "choice"
        grammar = build_grammar(source, format=name)
    return grammar.compile(native_vocabulary(tiny), options=_native.MaskOptions(**switches))
