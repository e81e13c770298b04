"""What lark says of a wrong grammar, as errors that show the place.

A syntax error carries lark's position. An error about a name does not, so the name is looked up in
the source. An error in an imported file shows that file.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from formgate.core.errors import GrammarError, UnsupportedConstraint

if TYPE_CHECKING:
    from collections.abc import Iterable

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
_QUOTED = re.compile(r"['`]([^'`]+)['`]|\((\w+) in \w+\)|\b(\w+)$")
_RANGE = re.compile(r'"((?:\\.|[^"\\\n])*)"\s*\.\.\s*"((?:\\.|[^"\\\n])*)"')
_CHARACTER = re.compile(r"[^\\]|\\[^xuU]|\\x..|\\u.{4}|\\U.{8}")
# lark takes an unknown name for that of a rule.
_KIND = re.compile(r"^Rule '(_?[A-Z][A-Z_0-9]*)'")
_ILLEGAL = re.compile(r"[A-Za-z_]\w*")


def explain(error: Exception, source: LarkSource, imported: tuple[str, str] | None) -> GrammarError:
    """Return the error to raise for one of lark's.

    Args:
        error: What loading has raised.
        source: The grammar.
        imported: Path and text of the file that was imported last; a file is parsed as soon as it
            is found, so a syntax error is there, or in the grammar if there is none.
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
        return _visit_error(error.orig_exc, str(error.rule), source)
    if isinstance(error, ImportError):
        return UnsupportedConstraint(
            "a terminal uses Unicode categories \\p{...}, which need the regex package",
            hint="write a class of ranges, or \\w, \\d",
        )
    if isinstance(error, LarkError):
        return _semantic_error(error, source)
    return GrammarError(f"lark cannot load the grammar: {_text(error)}")


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
    accepts: Iterable[str] = (
        getattr(cause, "accepts", None) or getattr(cause, "expected", None) or ()
    )
    expected = sorted({_WORDS[name] for name in accepts if name in _WORDS})
    what = _lower(_PLACE.sub("", message.strip()).partition("\n")[0])
    name = _ILLEGAL.match(text, offset)
    if not what or what.startswith("unexpected"):
        found = text[offset : offset + 1]
        what = "the grammar ends too early"
        if found == "\n":
            what = "the line ends too early"
        elif found:
            what = f"unexpected {found!r}"
    if expected:
        what = f"{what}; expected {', '.join(expected[:-1])}{' or ' * (len(expected) > 1)}"
        what += expected[-1]
    length = len(name[0]) if name is not None else 1
    if imported is None:
        return source.error(what, offset, length)
    return GrammarError(
        f"in {imported[0]}, which the grammar imports: {what}",
        source=text,
        offset=offset,
        end=offset + length,
    )


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def _visit_error(cause: BaseException, rule: str, source: LarkSource) -> GrammarError:
    """Return the error for what one of lark's tree visitors raises."""
    if isinstance(cause, ValueError) and rule in ("expansions", "expr", "maybe"):
        return _regex_error(str(cause))
    if rule == "range":
        reason = "the ends of a range are single characters"
        for match in _RANGE.finditer(source.text):
            if not (_CHARACTER.fullmatch(match[1]) and _CHARACTER.fullmatch(match[2])):
                return source.error(reason, match.start(), len(match[0]))
        return GrammarError(reason)
    return GrammarError(f"lark cannot load the grammar: {_text(cause)}")


def _regex_error(pattern: str) -> GrammarError:
    """Return what ``re`` says of a regex."""
    try:
        re.compile(pattern)
    except re.error as error:
        return GrammarError(
            f"a terminal is no regex that re takes: {error.msg}",
            source=pattern,
            offset=error.pos or 0,
        )
    except (RecursionError, OverflowError, ValueError):
        pass
    return GrammarError(f"a terminal is no regex that re takes: {pattern:.80}")


def _semantic_error(error: Exception, source: LarkSource) -> GrammarError:
    """Return the error for a grammar whose parts do not fit, at the name it speaks of."""
    text = _KIND.sub(r"terminal '\1'", _text(error))
    if text.startswith("Literal ended unexpectedly"):
        return GrammarError("a string or regex ends in the middle of an escape")
    if len(error.args) > 1:
        return GrammarError(f"a string or regex has a bad escape: {text:.80}")
    twice = "more than once" in text
    for match in _QUOTED.finditer(text):
        name = next(group for group in match.groups() if group)
        places = [
            found.start() for found in re.finditer(rf"\b{re.escape(name)}\b", source.code)
        ] or [found.start() for found in re.finditer(re.escape(name), source.text)]
        defined = [offset for known, offset, _ in source.definitions() if known == name]
        if twice and len(defined) > 1:
            places = defined[1:]
        if places:
            return source.error(_lower(text), places[0], len(name))
    return GrammarError(_lower(text))
