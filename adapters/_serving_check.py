"""Is a constraint good, whatever the vocabulary? For the front ends of servers, which have none."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from formgate.adapters._serving import constraint
from formgate.core.compiler import compile as compile_source
from formgate.core.errors import EmptyLanguageError, GrammarError, UnsupportedConstraint
from formgate.core.vocabulary import Vocabulary

if TYPE_CHECKING:
    from formgate.adapters._serving import ServingOptions

__all__ = ["check_constraint"]


def check_constraint(kind: str, text: str, options: ServingOptions) -> None:
    """Read a constraint and compile it for a vocabulary of single bytes.

    Special tokens that it names are not known here, so that error alone is left to the engine's
    vocabulary.

    Args:
        kind: One of ``KINDS`` of ``_serving``.
        text: What the request says.
        options: The server's.

    Raises:
        FormgateError: It is wrong, not supported, or no text satisfies it.
    """
    source, name, given = constraint(kind, text, options.formats)
    try:
        compile_source(
            source, _byte_vocabulary(), format=name, timeout_s=options.timeout_s, **given
        )
    except (EmptyLanguageError, UnsupportedConstraint):
        raise
    except GrammarError as error:
        if not error.reason.startswith("the vocabulary has no special token"):
            raise


@lru_cache(maxsize=1)
def _byte_vocabulary() -> Vocabulary:
    """Return a vocabulary with one token for each byte, and a stop id."""
    return Vocabulary([*(bytes([byte]) for byte in range(256)), None], stop_ids=[256])
