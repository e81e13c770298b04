"""Independent judges of texts: parsers that know nothing of formgate.

A judge is a function of a text. Returning ``False`` or raising an exception rejects, anything else
accepts, so that most parsers are judges as they are: ``json:loads``, ``ast:parse``. A judge that
runs out of stack or memory, or meets a bound of its own, abstains.
"""

from __future__ import annotations

import ast
import csv
import datetime as dt
import inspect
import io
import json
import logging
import os
import re
import sys
import warnings
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from formgate.core.errors import FormgateError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lark import Lark

__all__ = ["ORACLES", "Oracle", "find_oracle", "lark_oracle"]


class Oracle:
    """A judge with a name.

    Args:
        name: What to call it.
        function: The judge.
        wider: A judge of a larger language, where a grammar is meant to accept texts that the first
            one rejects.
    """

    def __init__(
        self,
        name: str,
        function: Callable[[str], object],
        wider: Callable[[str], object] | None = None,
    ) -> None:
        self.name = name
        self._function = function
        self._wider = wider

    def allows(self, data: bytes) -> bool:
        """Say whether a text that is rejected is one that the grammar accepts on purpose."""
        return self._wider is not None and Oracle(self.name, self._wider).verdict(data)[0] is True

    def verdict(self, data: bytes) -> tuple[bool | None, str]:
        """Return whether a text is accepted, None if that is not known; and the reason."""
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            return False, f"it is not UTF-8: {error}"
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                result = self._function(text)
        except (RecursionError, MemoryError, OverflowError) as error:
            return None, f"{type(error).__name__}: {error}"
        except _Abstains as error:
            return None, str(error)
        except Exception as error:  # noqa: BLE001 (whatever a parser raises rejects)
            return False, " ".join(f"{type(error).__name__}: {error}".split())[:200]
        return result is not False, "" if result is not False else "it returned False"


class _Abstains(Exception):  # noqa: N818 (no error: the judge does not know)
    """The judge met a bound of its own."""


def find_oracle(name: str) -> Oracle:
    """Return a judge by its name, or by ``module:function``.

    Raises:
        FormgateError: There is none.
    """
    module, colon, attribute = name.partition(":")
    if not colon:
        if name not in ORACLES:
            raise FormgateError(
                f"unknown oracle {name!r:.60}; there are {', '.join(sorted(ORACLES))}, and "
                "module:function names one of your own"
            )
        return Oracle(name, ORACLES[name])
    folder = str(Path.cwd())
    sys.path.insert(0, folder)  # where the user's own module stands
    try:
        found: object = import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError) as error:
        raise FormgateError(f"oracle {name!r:.80} cannot be imported: {error}") from error
    finally:
        sys.path.remove(folder)
    if not callable(found):
        raise FormgateError(f"oracle {name!r:.80} is no function")
    try:
        inspect.signature(found).bind("")
    except TypeError as error:
        raise FormgateError(f"oracle {name!r:.80} does not take one text: {error}") from error
    except ValueError:
        pass  # written in C, and does not say
    return Oracle(name, found)


def lark_oracle(grammar: object, options: Mapping[str, object]) -> Oracle | None:
    """Return lark's own parser of a Lark grammar as a judge; None where lark cannot be one.

    Where its LALR parser resolves conflicts in silence, formgate accepts the other readings, too;
    lark's Earley parser with all splits has these, among others.
    """
    judge = lark_parser(grammar, options)
    if judge is None:
        return None
    wider = None
    if judge.options.parser == "lalr" and _resolves_conflicts(grammar, options):
        everything = lark_parser(grammar, {**options, "lexing": "any"})
        wider = None if everything is None else everything.parse
    return Oracle("lark", judge.parse, wider)


class _Listener(logging.Handler):
    """Keeps what is logged."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a message."""
        self.told.append(record.getMessage())


def _resolves_conflicts(grammar: object, options: Mapping[str, object]) -> bool:
    """Say whether lark's LALR parser prefers one reading of a text to another."""
    from lark.utils import logger  # noqa: PLC0415 (an extra)

    listener = _Listener()
    before = logger.level, logger.handlers, logger.propagate
    logger.handlers, logger.propagate = [listener], False
    logger.setLevel(logging.DEBUG)
    try:
        judge = lark_parser(grammar, options, debug=True)
    finally:
        level, logger.handlers, logger.propagate = before
        logger.setLevel(level)
    shifts = any("conflict" in words for words in listener.told)
    return shifts or (judge is not None and any(rule.options.priority for rule in judge.rules))


def lark_parser(
    grammar: object, options: Mapping[str, object], *, debug: bool = False
) -> Lark | None:
    """Return lark's own parser of a Lark grammar; None where there is none.

    lark reads the text as the grammar's options say. Where they ask for no lexer, its Earley parser
    with all splits is the judge; formgate's own additions to the notation have none.
    """
    import lark  # noqa: PLC0415 (an extra: the grammar was loaded by it)
    from lark.exceptions import LarkError  # noqa: PLC0415 (as above)

    is_lark = options.get("lexing", "lark") == "lark"
    chosen: dict[str, Any] = {"parser": "earley", "lexer": "dynamic_complete"}
    if is_lark:
        parser = options.get("parser", "lalr")
        chosen = {"parser": parser, "lexer": options.get("lexer", "auto")}
    chosen |= {name: options[name] for name in ("start", "import_paths") if name in options}
    flags = options.get("g_regex_flags", 0)
    if isinstance(flags, str):
        flags = sum(re.RegexFlag[letter.upper()] for letter in flags)
    chosen |= {"g_regex_flags": flags, "debug": debug}
    try:
        if isinstance(grammar, os.PathLike):
            text = Path(grammar).read_text(encoding="utf-8")
            return lark.Lark(text, source_path=os.fspath(grammar), **chosen)
        return lark.Lark(str(grammar), **chosen)
    except (LarkError, OSError):
        return None


def _lark_grammar(text: str) -> bool:
    """Ask lark's loader for the syntax; what is undefined is no matter."""
    from lark import load_grammar  # noqa: PLC0415 (an extra)

    read: Any = load_grammar._parse_grammar  # noqa: SLF001 (lark has no public way to the syntax)
    read(text, "<text>")
    return True


def _json(text: str) -> bool:
    # Numbers stay texts: their size is no matter of syntax.
    json.loads(text, parse_constant=_refuse, parse_int=str, parse_float=str)
    return True


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is no JSON")


def _json_lines(text: str) -> bool:
    return all(_json(line) for line in text.removesuffix("\n").split("\n"))


def _csv(text: str) -> bool:
    try:
        list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as error:
        if "limit" in str(error) or "NUL" in str(error):
            raise _Abstains(str(error)) from error
        raise
    return True


def _arithmetic(text: str) -> bool:
    tree = ast.parse(text.strip(" "), mode="eval")
    allowed = (ast.Expression, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.Constant)
    return all(
        isinstance(node, allowed) and not isinstance(getattr(node, "value", 0), str | bytes)
        for node in ast.walk(tree)
    )


def _python(text: str) -> bool:
    ast.parse(text)
    return True


def _regex(text: str) -> bool:
    re.compile(text)
    return True


def _xml(text: str) -> bool:
    from xml.etree import ElementTree as ET  # noqa: PLC0415 (some Pythons come without expat)

    ET.fromstring(text.encode())  # noqa: S314 (drawn from a grammar that has no entities)
    return True


def _iso_date(text: str) -> bool:
    return dt.date.fromisoformat(text).isoformat() == text


def _sql(text: str) -> bool:
    """Ask SQLite whether it can parse one statement; that a table is missing is no matter."""
    import sqlite3  # noqa: PLC0415 (some Pythons come without it)

    with closing(sqlite3.connect(":memory:")) as connection:
        try:
            connection.execute("EXPLAIN " + text)
        except sqlite3.ProgrammingError:  # several statements, or none
            return False
        except sqlite3.Error as error:
            said = str(error)
            if "parser stack overflow" in said or "too " in said:
                raise _Abstains(said) from error
            wrong = ("syntax error", "unrecognized token", "incomplete input")
            return not any(phrase in said for phrase in wrong)
    return True


ORACLES: dict[str, Callable[[str], object]] = {
    "arithmetic": _arithmetic,
    "csv": _csv,
    "iso-date": _iso_date,
    "json": _json,
    "json-lines": _json_lines,
    "lark-grammar": _lark_grammar,
    "python": _python,
    "regex": _regex,
    "sql": _sql,
    "xml": _xml,
}
