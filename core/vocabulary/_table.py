"""What every reader produces, and the few things all readers need.

A ``TokenTable`` says, for each id, the exact bytes that the tokenizer's own decoder puts into the
text for it, or None for an id that never becomes text: special tokens, gaps, padding, and tokens
that decode to nothing. Readers import nothing heavy and know nothing of the native core.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from formgate.core.errors import VocabularyError
from formgate.core.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

__all__ = [
    "MAX_IDS",
    "TokenTable",
    "bad_file",
    "fit",
    "is_a",
    "load_json",
    "parse_json",
    "place",
    "read_bytes",
    "shown",
]

# Largest id a reader believes: real vocabularies stay below a million ids, and a damaged rank of
# 10^12 must be an error message and not a list of that length.
MAX_IDS = 1 << 24
# Tokenizer files are tens of megabytes; beyond this it is some other kind of file.
_MAX_FILE_BYTES = 1 << 30
_SHOWN_NAMES = 8


class TokenTable(Record):
    """The exact text of every token id, as one reader found it.

    Attributes:
        tokens: By id: the bytes the decoder emits, or None where it emits no text.
        stop_ids: Ids that end the output, as far as the source names them.
        special: Name to id of the special tokens, which never match text.
        source: Where it was read from, for error messages and ``repr``.
    """

    tokens: list[bytes | None]
    stop_ids: tuple[int, ...]
    special: dict[str, int]
    source: str

    def __init__(
        self,
        tokens: list[bytes | None],
        stop_ids: tuple[int, ...],
        special: dict[str, int],
        source: str,
    ) -> None:
        self._set(tokens=tokens, stop_ids=stop_ids, special=special, source=source)

    def with_stops(self, stop_ids: Iterable[int]) -> TokenTable:
        """Return the same table with other stop ids."""
        return TokenTable(self.tokens, tuple(sorted(set(stop_ids))), self.special, self.source)


def fit(table: TokenTable, size: int | None, stop_ids: Iterable[int] | None) -> TokenTable:
    """Bring a table to the model's size and settle which ids end the output.

    Args:
        table: What a reader found.
        size: Number of ids the model scores; None keeps the table's own size. More than the table
            has: the rest is padding without text. Fewer: allowed only where no id beyond has text.
        stop_ids: Ids that end the output, in place of those the source names; may be empty.

    Raises:
        VocabularyError: The size is below an id with text, a stop id is outside the vocabulary, or
            no stop id is known and none was passed.
    """
    stops = _check_stops(table, stop_ids)
    tokens = table.tokens
    if size is not None:
        if isinstance(size, bool) or not isinstance(size, int) or not 0 < size <= MAX_IDS:
            raise VocabularyError(
                f"size={size!r} is not a number of ids; pass the number of columns of the model's "
                f"scores, 1 to {MAX_IDS}"
            )
        highest = max((i for i in range(size, len(tokens)) if tokens[i] is not None), default=None)
        if highest is not None:
            raise VocabularyError(
                f"{table.source}: size={size} leaves out id {highest}, which has the text "
                f"{shown(tokens[highest])}; pass the number of columns of the model's scores, or, "
                "if the model really has no such ids, build Vocabulary(tokens[:size], ...) yourself"
            )
        tokens = tokens[:size] + [None] * (size - len(tokens))
    outside = [stop for stop in stops if not 0 <= stop < len(tokens)]
    if outside:
        raise VocabularyError(
            f"{table.source}: stop id {outside[0]} is outside the vocabulary of {len(tokens)} ids; "
            "pass size=, the number of columns of the model's scores"
        )
    special = {name: i for name, i in table.special.items() if i < len(tokens)}
    return TokenTable(tokens, stops, special, table.source)


def _check_stops(table: TokenTable, stop_ids: Iterable[int] | None) -> tuple[int, ...]:
    """Return the stop ids to use, sorted, each once."""
    if stop_ids is not None:
        try:
            stops = list(stop_ids)
        except TypeError:
            raise VocabularyError(
                f"stop_ids is {shown(stop_ids)}; pass a list of token ids: stop_ids=[...]"
            ) from None
        for stop in stops:
            if isinstance(stop, bool) or not hasattr(stop, "__index__"):
                raise VocabularyError(
                    f"stop_ids holds {stop!r}; pass token ids, which are integers"
                )
        return tuple(sorted({int(stop) for stop in stops}))
    if table.stop_ids:
        return tuple(sorted(set(table.stop_ids)))
    known = ", ".join(f"{name!r} = {i}" for name, i in list(table.special.items())[:_SHOWN_NAMES])
    more = ", ..." if len(table.special) > _SHOWN_NAMES else ""
    raise VocabularyError(
        f"{table.source} does not say which token ends the output; pass stop_ids=[...]"
        + (f" (its special tokens: {known}{more})" if known else "")
    )


def place(entries: Mapping[int, bytes | None], source: str) -> list[bytes | None]:
    """Return the entries as a list by id, None in the gaps.

    Raises:
        VocabularyError: There are no entries, or an id is negative or absurdly large.
    """
    if not entries:
        raise VocabularyError(f"{source}: there are no tokens in it")
    lowest, highest = min(entries), max(entries)
    if lowest < 0 or highest >= MAX_IDS:
        wrong = lowest if lowest < 0 else highest
        raise VocabularyError(
            f"{source}: token id {wrong} is not within 0 to {MAX_IDS - 1}; the source is damaged"
        )
    tokens: list[bytes | None] = [None] * (highest + 1)
    for i, text in entries.items():
        tokens[i] = text or None  # a token that decodes to nothing has no text
    return tokens


def is_a(obj: object, package: str, *names: str) -> bool:
    """Tell whether an object's class, or a base of it, is one of a package's classes.

    By name, so that asking does not import the package: whoever made the object already has.
    """
    return any(
        cls.__name__ in names and cls.__module__.partition(".")[0] == package
        for cls in type(obj).__mro__
    )


def shown(value: object) -> str:
    """Return a short ``repr`` for messages."""
    text = repr(value)
    return text if len(text) <= 48 else f"{text[:45]}..."


def bad_file(path: object, where: str, problem: str, remedy: str) -> VocabularyError:
    """Return the error for a damaged file: path, place in it, what is wrong, the way out."""
    return VocabularyError(f"{path}: {where}: {problem}; {remedy}")


def read_bytes(path: Path) -> bytes:
    """Return a file's contents.

    Raises:
        VocabularyError: It cannot be read, is empty, or is too large to be a tokenizer.
    """
    try:
        size = os.stat(path).st_size  # noqa: PTH116 (Path.stat would do; this also takes any path)
        if size > _MAX_FILE_BYTES:
            raise bad_file(
                path,
                "whole file",
                f"{size} bytes is too large for a tokenizer (limit {_MAX_FILE_BYTES})",
                "pass the tokenizer's own file",
            )
        with open(path, "rb") as file:  # noqa: PTH123 (as above)
            data = file.read()
    except OSError as error:
        reason = error.strerror or str(error)
        raise VocabularyError(f"{path}: {reason}; check the path") from error
    if not data:
        raise bad_file(path, "whole file", "it is empty", "download it again")
    return data


def parse_json(data: bytes, path: object) -> dict[str, object]:
    """Return the JSON object in ``data``.

    Raises:
        VocabularyError: It is not UTF-8, not JSON, nested too deep, or not an object.
    """
    again = "the file may be cut short or damaged, download it again"
    try:
        value = json.loads(data)
    except UnicodeDecodeError as error:
        raise bad_file(path, f"byte {error.start}", "not UTF-8", again) from error
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise bad_file(path, where, f"not JSON ({error.msg})", again) from error
    except RecursionError as error:
        raise bad_file(path, "whole file", "JSON nested too deep", again) from error
    except ValueError as error:  # a number with more digits than Python converts
        raise bad_file(path, "whole file", f"not usable JSON ({error})", again) from error
    if not isinstance(value, dict):
        raise bad_file(
            path, "whole file", f"a JSON {type(value).__name__}, not an object", "pass another file"
        )
    return value


def load_json(path: Path) -> dict[str, object]:
    """Return the JSON object in a file; errors as ``read_bytes`` and ``parse_json``."""
    return parse_json(read_bytes(path), path)
