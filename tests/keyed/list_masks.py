"""Masks of a list against all its texts, which plain Python writes out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from formgate.core.errors import EmptyLanguageError
from formgate.core.grammar import MaskOptions

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import formgate
    from formgate.core.grammar import Grammar

_MOST = 300  # states looked at
_OPTIONS = [MaskOptions(), MaskOptions(automaton_walk=False, class_tables=False, keep_masks=False)]


def check_masks(
    grammar: Grammar, texts: Collection[str], vocabulary: formgate.Vocabulary, tokens: Sequence[str]
) -> None:
    """Compare the masks at up to 300 states; the stop token's id follows those of the tokens."""
    if not texts:
        with pytest.raises(EmptyLanguageError):
            grammar.compile(vocabulary)
        return
    prefixes = {text[:i] for text in texts for i in range(len(text) + 1)}
    for options in _OPTIONS:
        engine = grammar.compile(vocabulary, options=options)
        work, seen = [(engine.start(), "")], {""}
        for state, prefix in work:
            expected = {i for i, token in enumerate(tokens) if prefix + token in prefixes}
            if prefix in texts:
                expected.add(len(tokens))
            assert set(engine.allowed_tokens(state).to_list()) == expected, prefix
            for token in expected - {len(tokens)}:
                text = prefix + tokens[token]
                if text not in seen and len(seen) < _MOST:
                    seen.add(text)
                    work.append((engine.advance(state, token), text))
