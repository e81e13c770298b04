"""Context-free formats. ``gbnf``: the grammar language of llama.cpp.

The module is imported whenever plugins are loaded, so it holds the registration only; a parser is
imported when the first grammar of its format is compiled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formgate.core.registry import Format, hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from formgate.core.grammar import GrammarBuilder
    from formgate.plugins.cfg._gbnf import compile_gbnf

__all__ = ["FORMGATE_API", "compile_gbnf", "register_formats"]

FORMGATE_API = (1, 0)


def __getattr__(name: str) -> object:
    """Import ``compile_gbnf`` when it is first asked for."""
    if name == "compile_gbnf":
        from formgate.plugins.cfg._gbnf import compile_gbnf  # noqa: PLC0415

        return compile_gbnf
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _write_gbnf(source: object, builder: GrammarBuilder, options: Mapping[str, object], /) -> None:
    """Import the parser and let it write the grammar."""
    from formgate.plugins.cfg._gbnf import compile_format  # noqa: PLC0415

    compile_format(source, builder, options)


def _looks_like_gbnf(source: object) -> bool:
    """Say whether a source is surely GBNF: a line of it defines the rule ``root``."""
    if not isinstance(source, str) or "::=" not in source:
        return False
    return any(
        line.partition("::=")[0].strip() == "root" for line in source.splitlines() if "::=" in line
    )


@hookimpl
def register_formats(register: Callable[[Format], None]) -> None:
    """Offer the formats."""
    register(
        Format(
            name="gbnf",
            compile=_write_gbnf,
            guess=_looks_like_gbnf,
            description="context-free grammars in the language of llama.cpp",
        )
    )
