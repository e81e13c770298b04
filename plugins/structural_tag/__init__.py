"""Format ``structural_tag``: free text with tagged parts in other formats.

The JSON objects that vLLM, SGLang and xgrammar take under this name, older (``structures`` and
``triggers``) and newer (``format``); see ``docs/reference/structural-tag.md``. The module is
imported whenever plugins are loaded, so it holds the registration only.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from formgate.core.registry import Format, hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from formgate.core.grammar import GrammarBuilder
    from formgate.plugins.structural_tag._write import compile_structural_tag

__all__ = ["FORMGATE_API", "compile_structural_tag", "register_formats"]

FORMGATE_API = (1, 0)


def __getattr__(name: str) -> object:
    """Import a public name when it is first asked for."""
    if name == "compile_structural_tag":
        return getattr(import_module(f"{__name__}._write"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _write_tags(source: object, builder: GrammarBuilder, options: Mapping[str, object], /) -> None:
    """Import the front end and let it write the grammar."""
    from formgate.plugins.structural_tag._write import compile_format  # noqa: PLC0415

    compile_format(source, builder, options)


@hookimpl
def register_formats(register: Callable[[Format], None]) -> None:
    """Offer the format."""
    register(
        Format(
            name="structural_tag",
            compile=_write_tags,
            aliases=("structural-tag",),
            description="free text with tagged parts in other formats, as servers take it",
        )
    )
