"""From an output to the value it stands for: what the format of the constraint says.

A format that knows values (JSON's, a type's) offers a reader with its registration; the grammar
that it wrote keeps it. The value of any other format's text is the text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from formgate.core.errors import ParseError

if TYPE_CHECKING:
    from formgate.core._native import Engine
    from formgate.core.grammar import Grammar

__all__ = ["parse"]


def parse(constraint: Engine | Grammar, text: str | bytes, **options: object) -> Any:
    """Return the value that a finished output stands for.

    For the format ``json_schema`` that is a Python value: what JSON has, with integers exact; or,
    where the constraint was made from a type, an instance of it: a validated pydantic model, a
    dataclass, an Enum member. For other formats it is the text itself.

    Args:
        constraint: What the output was generated under. An engine first checks that the text is in
            its language, which costs as much as decoding it.
        text: The output, without a stop token.
        **options: Of the format: ``json_schema`` takes ``decimals=True``, for numbers with a
            fraction or an exponent as ``decimal.Decimal`` rather than ``float``.

    Raises:
        ParseError: The text is incomplete or not in the language; or the type refuses the value, by
            a check that its schema cannot say.
        TypeError: The constraint is neither an engine of formgate nor a grammar, or an option is
            unknown.

    Example:
        >>> import formgate
        >>> bytes_and_stop = [*(bytes([byte]) for byte in range(256)), None]
        >>> vocabulary = formgate.Vocabulary(bytes_and_stop, stop_ids=[256])
        >>> engine = formgate.compile({"type": "integer"}, vocabulary)
        >>> formgate.parse(engine, "12")
        12
    """
    from formgate.core import _native  # noqa: PLC0415 (loaded when first used)
    from formgate.core.grammar import Grammar  # noqa: PLC0415 (loaded when first used)

    if isinstance(text, bytes):
        try:
            text = text.decode()
        except UnicodeDecodeError as error:
            raise ParseError(f"the output is not UTF-8: {error}") from error
    if not isinstance(text, str):
        raise TypeError(f"the output is text, not {type(text).__name__}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        reason = "the output has half of a surrogate pair in it"
        raise ParseError(reason, text=text, offset=error.start) from None
    grammar = constraint
    if isinstance(constraint, _native.Engine):
        _check(constraint, text)
        grammar = constraint.grammar
    if not isinstance(grammar, Grammar):
        raise TypeError(
            f"{constraint!r:.60} is neither an engine made by formgate.compile nor a Grammar"
        )
    if grammar.reader is None:
        if options:
            raise TypeError(f"the format has no option {next(iter(options))!r} for parsing")
        return text
    return grammar.reader(text, options)


def _check(engine: Engine, text: str) -> None:
    """Refuse what is not in the language, naming the first character that is wrong."""
    if engine.accepts(text):
        return
    if engine.is_prefix(text):
        raise ParseError(
            "the output is incomplete: what follows is missing",
            text=text,
            offset=len(text),
            hint="allow more tokens; an output ends where a stop token was chosen",
        )
    good, bad = 0, len(text)
    while bad - good > 1:  # invariant: text[:good] can be continued, text[:bad] cannot
        middle = (good + bad) // 2
        if engine.is_prefix(text[:middle]):
            good = middle
        else:
            bad = middle
    raise ParseError("the output is not in the language of the constraint", text=text, offset=good)
