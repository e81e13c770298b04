"""Grammars whose sentences all have terminals side by side that no text has: empty, and said so."""

import pytest

import formgate
from formgate.core.errors import EmptyLanguageError, LimitError

VOCABULARY = formgate.Vocabulary([*(bytes([byte]) for byte in range(256)), None], stop_ids=[256])


def compiled(source: str, lexing: str) -> formgate.Engine:
    return formgate.compile(source, VOCABULARY, format="lark", lexing=lexing)


@pytest.mark.parametrize("lexing", ["longest", "lark"])
@pytest.mark.parametrize(
    "source",
    [
        'start: "x" start "y" | A "a"\nA: /a+/',
        'start: "x" start "y" | A B\nA: /a+/\nB: /a+b/',
        # Not even after what is ignored.
        'start: "x" start "y" | A "a"\nA: /a+/\n%ignore /aa/',
        # Every way through two rules that call each other.
        'start: "x" other "y" | A "a"\nother: "z" start "z" | A "a" start\nA: /a+/',
        # Twice or more, and with a part that may be left out.
        'start: "x" start "y" | "z"? (A A)+\nA: /a+/',
    ],
)
def test_sentences_without_a_text(source: str, lexing: str) -> None:
    with pytest.raises(EmptyLanguageError):
        compiled(source, lexing)


@pytest.mark.parametrize("lexing", ["longest", "lark"])
@pytest.mark.parametrize(
    ("source", "text"),
    [
        ('start: "x" start "y" | A "a"\nA: /a+/\n%ignore " "', "xxa ayy"),
        ('start: "x" start "y" | A "a" | "b"\nA: /a+/', "xby"),
        ('start: "x" start "y" | A B\nA: /a+/\nB: /b?a/', "xxaabayy"),
        ('start: "x" start "y" | A? "a"\nA: /a+/', "xay"),
        # Of two lexemes side by side one needs what stands between them elsewhere.
        ('start: "x" start "y" | (A "z"?)+ A\nA: /a+/', "xazay"),
    ],
)
def test_sentences_with_one(source: str, text: str, lexing: str) -> None:
    assert compiled(source, lexing).accepts(text)


def test_what_is_not_told_by_pairs_meets_the_limit() -> None:
    # Each pair has a text; all three have none: the second can only be what the third needs.
    source = 'start: "x" start "y" | A B C\nA: /a+/\nB: /a?b/\nC: /[ab]c/\nD: /b[ab]c/\n'
    try:
        engine = compiled(source, "longest")
    except (EmptyLanguageError, LimitError):
        return
    assert engine.accepts("aabac") or engine.accepts("abbc") or engine.accepts("abac")
