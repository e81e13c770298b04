"""The grammars that come with formgate, and the format ``grammar`` that names them.

A grammar is a file in ``grammars/``; its ending says in which format it is written. It begins with
comments: the first line says what it describes, and a line ``formgate: name=value ...`` holds
options of its format and, as ``oracle``, who can judge its texts (see ``_testing_oracles``).
Reading one is reading a small file; what it costs is what its format costs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from formgate.core.errors import GrammarError
from formgate.plugins.cfg._header import header

if TYPE_CHECKING:
    from collections.abc import Mapping

    from formgate.core.grammar import GrammarBuilder

__all__ = ["ShippedGrammar", "compile_format", "shipped", "shipped_grammar", "shipped_path"]

_FOLDER = Path(__file__).parent / "grammars"
_FORMATS = {".gbnf": "gbnf", ".lark": "lark", ".ebnf": "ebnf", ".abnf": "abnf"}


@dataclass(frozen=True)
class ShippedGrammar:
    """A grammar that comes with formgate.

    Args:
        name: What the format ``grammar`` takes.
        path: The file.
        format: The format that the file is written in.
        description: What it describes, in a line.
        options: Options of the format that the grammar was written for.
        oracle: Name of an independent judge of its texts, if there is one.
    """

    name: str
    path: Path
    format: str
    description: str
    options: Mapping[str, str] = field(default_factory=dict)
    oracle: str | None = None

    @property
    def source(self) -> str:
        """The grammar's text."""
        return self.path.read_text(encoding="utf-8")


def shipped() -> tuple[str, ...]:
    """Return the names of the grammars that come with formgate.

    Example:
        >>> "json" in shipped()
        True
    """
    return tuple(sorted(path.stem for path in _FOLDER.iterdir() if path.suffix in _FORMATS))


def shipped_path(name: str) -> Path:
    """Return the file of a grammar that comes with formgate.

    Raises:
        GrammarError: There is none of this name.
    """
    # Compared with what there is, never joined to a path: a name cannot lead out of the folder.
    for path in sorted(_FOLDER.iterdir()):
        if path.stem == name and path.suffix in _FORMATS:
            return path
    raise GrammarError(
        f"no grammar {name!r:.60} comes with formgate; there are: {', '.join(shipped())}",
        hint="for a grammar of your own, name its format, such as gbnf",
    )


def shipped_grammar(name: str) -> ShippedGrammar:
    """Return a grammar that comes with formgate, and what its header says.

    Raises:
        GrammarError: There is none of this name.
    """
    path = shipped_path(name)
    description, options = header(path.read_text(encoding="utf-8").splitlines())
    oracle = options.pop("oracle", None)
    options.pop("format", None)
    return ShippedGrammar(name, path, _FORMATS[path.suffix], description, options, oracle)


def compile_format(source: object, builder: GrammarBuilder, options: Mapping[str, object]) -> None:
    """Write a grammar that comes with formgate; options are those of the format it is written in.

    Raises:
        GrammarError: There is none of this name, or its format refuses an option.
    """
    if not isinstance(source, str):
        raise GrammarError(
            f"the grammar format takes the name of a grammar, not {type(source).__name__}",
            hint="the names are: " + ", ".join(shipped()),
        )
    found = shipped_grammar(source)
    front_end = import_module(f"formgate.plugins.cfg._{found.format}")
    front_end.compile_format(found.source, builder, {**found.options, **options})
