"""What lark says of a wrong grammar, as errors that show the place and a way out.

A syntax error carries lark's position. An error about a name does not, so the name is looked up in
the source; nor does one about a string, regex or range, which are looked at again one by one
(``_lark_faults``). An error in an imported file shows that file.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from formgate.core.errors import GrammarError, UnsupportedConstraint
from formgate.plugins.cfg._lark_names import mixed_name, name_error

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from formgate.plugins.cfg._lark_source import LarkSource

__all__ = ["explain"]

# The terminals of lark's own grammar of grammars, in words; those that say nothing are left out.
_WORDS = {
    "OP": "'+', '*' or '?'",
    "RULE": "the name of a rule",
    "RULE_MODIFIERS": "'?' or '!'",
    "TERMINAL": "the name of a terminal",
    "STRING": "a string",
    "REGEXP": "a regex",
    "NUMBER": "a number",
    "TILDE": "'~'",
    "_COLON": "':'",
    "_COMMA": "','",
    "_DOT": "'.'",
    "_DOTDOT": "'..'",
    "_LBRA": "'['",
    "_LBRACE": "'{'",
    "_LPAR": "'('",
    "_NL": "the end of the line",
    "_OR": "'|'",
    "_RBRA": "']'",
    "_RBRACE": "'}'",
    "_RPAR": "')'",
    "_TO": "'->'",
}

_PLACE = re.compile(r",? at line \d+,? column \d+.*", re.DOTALL)
_UNMATCHED = "unmatched closing parenthesis"
_ILLEGAL = re.compile(r"[A-Za-z_]\w*")
# What other notations have in a place where lark has something else.
_HABITS = {
    "'": 'a string stands in double quotes: "a"',
    "=": "a rule is written name: ...",
    ";": "a definition ends with its line",
    "{": "repetition is written (...)*; braces hold the arguments of a template",
}


def explain(
    error: Exception,
    source: LarkSource,
    imported: tuple[str, str] | None,
    files: Mapping[str, str] | None = None,
) -> GrammarError:
    """Return the error to raise for one of lark's.

    Args:
        error: What loading has raised.
        source: The grammar.
        imported: Path and text of the file that was imported last; a file is parsed as soon as it
            is found, so a syntax error is there, or in the grammar if there is none.
        files: Texts of all imported files, by path.
    """
    from lark.exceptions import (  # noqa: PLC0415 (an optional package)
        LarkError,
        UnexpectedInput,
        VisitError,
    )

    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, UnexpectedInput):
        cause = cause.__context__
    if cause is not None:
        return _syntax_error(str(error), cause, source, imported)
    if isinstance(error, VisitError):
        error = error.orig_exc
    if isinstance(error, ImportError):
        return UnsupportedConstraint(
            "a terminal uses Unicode categories \\p{...}, which need the regex package",
            hint="write a class of ranges, or \\w, \\d",
        )
    text = _text(error)
    if isinstance(error, LarkError):
        found = name_error(text, source, files or {})
        if found is not None:
            return found
    return _fault(source, files or {}) or GrammarError(
        f"lark cannot load the grammar: {_lower(text)}"
    )


def _fault(source: LarkSource, files: Mapping[str, str]) -> GrammarError | None:
    """Return the error for a string, regex, range or count that is at fault, in an import too."""
    from formgate.plugins.cfg._lark_faults import find_fault  # noqa: PLC0415 (errors only)
    from formgate.plugins.cfg._lark_source import prepare  # noqa: PLC0415 (the caller has it)

    found = find_fault(source)
    if found is not None:
        return found
    for path, text in files.items():
        found = find_fault(prepare(text))
        if found is not None:
            return GrammarError(
                f"in {path}, which the grammar imports: {found.reason}",
                source=text,
                offset=found.offset,
                end=found.end,
                hint=found.hint,
            )
    return None


def _text(error: BaseException) -> str:
    """Return the first line of an error."""
    text = str(error.args[0]) if error.args else ""
    return text.strip().partition("\n")[0][:200] or type(error).__name__


def _syntax_error(
    message: str, cause: BaseException, source: LarkSource, imported: tuple[str, str] | None
) -> GrammarError:
    """Return the error for a text that lark's parser refuses."""
    text = source.text if imported is None else imported[1]
    offset = getattr(cause, "pos_in_stream", None)
    offset = len(text) if not isinstance(offset, int) or offset < 0 else min(offset, len(text))
    if imported is None and (mixed := mixed_name(source, offset=offset)) is not None:
        return mixed
    accepts: Iterable[str] = (
        getattr(cause, "accepts", None) or getattr(cause, "expected", None) or ()
    )
    expected = sorted({_WORDS[name] for name in accepts if name in _WORDS})
    what = _lower(_PLACE.sub("", message.strip()).partition("\n")[0])
    name = _ILLEGAL.match(text, offset)
    found = text[offset : offset + 1]
    if what == _UNMATCHED and found not in (")", "]"):
        # Lark tells by the state of its parser, which is that behind any opening bracket.
        what = "unexpected" if found.strip() else "unclosed bracket"
    if not what or what.startswith("unexpected"):
        what = "the grammar ends too early"
        if found in ("\r", "\n"):
            what = "the line ends too early"
        elif found:
            what = f"unexpected {found!r}"
    if expected:
        what = f"{what}; expected {', '.join(expected[:-1])}{' or ' * (len(expected) > 1)}"
        what += expected[-1]
    length = len(name[0]) if name is not None else 1
    hint = _HABITS.get("=" if text.startswith(":=", offset) else text[offset : offset + 1])
    if imported is None:
        return source.error(what, offset, length, hint=hint)
    return GrammarError(
        f"in {imported[0]}, which the grammar imports: {what}",
        source=text,
        offset=offset,
        end=offset + length,
        hint=hint,
    )


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
