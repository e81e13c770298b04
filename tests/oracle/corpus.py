"""Read the corpus and hold an engine against it; `tests/corpus/README.md` says what a case is."""

from __future__ import annotations

import ast
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oracle.from_re import tree_of_pattern
from oracle.grammars import GrammarSource
from oracle.strategies import TinyVocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oracle.tree import Tree

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOLDER = Path(__file__).resolve().parent.parent / "corpus"
_MOST_SPELLINGS = 50


@dataclass(frozen=True)
class CorpusMask:
    """What must be allowed after a text."""

    after: bytes
    allowed: frozenset[bytes]
    stop: bool
    forced: bytes | None
    min_tokens: int | None


@dataclass(frozen=True)
class CorpusCase:
    """One language with one vocabulary."""

    name: str
    origin: str
    format: str
    source: Any
    options: dict[str, Any]
    vocabulary: TinyVocabulary
    listed: frozenset[bytes]
    accepted: tuple[bytes, ...]
    rejected: tuple[bytes, ...]
    masks: tuple[CorpusMask, ...]
    error: str | None
    same_as: tuple[Any, ...] = ()
    reach: int = 8

    def tree(self) -> Tree:
        """The language for the judges of regular languages."""
        return tree_of(self.source)


def tree_of(source: Any) -> Tree:
    """The tree of a pattern, of a list of texts, or of a tree."""
    if isinstance(source, str):
        return tree_of_pattern(source)
    if isinstance(source, tuple):
        return source
    return ("strings", tuple(text.encode() for text in source))


def load_corpus() -> list[CorpusCase]:
    """All cases of all files."""
    return [
        _case(str(path.relative_to(FOLDER).with_suffix("")), entry)
        for path in sorted(FOLDER.rglob("*.toml"))
        for entry in tomllib.loads(path.read_text(encoding="utf-8"))["case"]
    ]


def _bytes(value: str | dict[str, str]) -> bytes:
    return value.encode() if isinstance(value, str) else bytes.fromhex(value["hex"])


def _case(stem: str, entry: dict[str, Any]) -> CorpusCase:
    tokens: list[bytes | None] = []
    stops, special = [], {}
    for number, token in enumerate(entry["tokens"]):
        text = isinstance(token, str) or "hex" in token
        tokens.append(_bytes(token) if text else None)
        if not text and token.get("stop"):
            stops.append(number)
        elif not text and "special" in token:
            special[token["special"]] = number
    listed = frozenset(text for text in tokens if text is not None)
    if entry.get("every_byte"):
        tokens += [bytes([byte]) for byte in range(256)]
    return CorpusCase(
        name=f"{stem}/{entry['name']}",
        origin=entry["origin"],
        format=entry["format"],
        source=_source(entry, entry["source"]),
        options=entry.get("options", {}),
        vocabulary=TinyVocabulary(tuple(tokens), tuple(stops), special),
        listed=listed,
        accepted=tuple(_bytes(text) for text in entry.get("accepted", ())),
        rejected=tuple(_bytes(text) for text in entry.get("rejected", ())),
        masks=tuple(_mask(mask) for mask in entry.get("mask", ())),
        error=entry.get("error"),
        same_as=tuple(_source(entry, source) for source in entry.get("same_as", ())),
        reach=entry.get("reach", 8),
    )


def _source(entry: dict[str, Any], source: Any) -> Any:
    if entry["format"] == "tree":
        return ast.literal_eval(source)
    if entry["format"] == "grammar":
        ignored = tuple(entry.get("ignored", ()))
        return GrammarSource(source, entry["terminals"], entry.get("lexing", "any"), ignored)
    return source


def _mask(entry: dict[str, Any]) -> CorpusMask:
    forced = entry.get("forced")
    return CorpusMask(
        after=_bytes(entry["after"]),
        allowed=frozenset(_bytes(text) for text in entry["allowed"]),
        stop=entry["stop"],
        forced=None if forced is None else _bytes(forced),
        min_tokens=entry.get("min_tokens"),
    )


def spellings(case: CorpusCase, text: bytes) -> Iterator[tuple[int, ...]]:
    """Ways to write a text with the tokens of the case, up to a number."""
    texts = case.vocabulary
    never = {*texts.stop_ids, *texts.special.values()}
    pieces = [(i, t) for i, t in enumerate(texts.tokens) if t and i not in never]
    stack: list[tuple[tuple[int, ...], bytes]] = [((), text)]
    found = 0
    while stack and found < _MOST_SPELLINGS:
        tokens, rest = stack.pop()
        if not rest:
            found += 1
            yield tokens
        stack += [
            ((*tokens, token), rest[len(piece) :])
            for token, piece in pieces
            if rest.startswith(piece)
        ]


def check_masks(case: CorpusCase, engine: Any) -> None:
    """Every mask of a case, after every spelling of its prefix."""
    texts = case.vocabulary.tokens
    for mask in case.masks:
        tried = 0
        for tokens in spellings(case, mask.after):
            tried += 1
            state = engine.start()
            for token in tokens:
                state = engine.advance(state, token)
            allowed = {int(token) for token in engine.allowed_tokens(state).ids()}
            listed = [i for i, text in enumerate(texts) if text in case.listed]
            wanted = {i for i in listed if texts[i] in mask.allowed}
            where = f"{case.name} after {list(tokens)} = {mask.after!r}"
            extra = [texts[i] for i in allowed.intersection(listed) - wanted]
            assert not extra, f"sound: {where} allows {extra}"
            missing = [texts[i] for i in wanted - allowed]
            assert not missing, f"complete: {where} lacks {missing}"
            stops = allowed & set(case.vocabulary.stop_ids)
            expected = set(case.vocabulary.stop_ids) if mask.stop else set()
            assert stops == expected, f"EOS: {where} allows stops {stops}"
            unknown = mask.allowed - case.listed
            assert not unknown, f"{where}: no tokens of the case: {unknown}"
            _check_queries(mask, engine, state, where)
        assert tried, f"{case.name}: {mask.after!r} has no spelling"


def _check_queries(mask: CorpusMask, engine: Any, state: Any, where: str) -> None:
    """What only some engines answer."""
    if mask.forced is not None and hasattr(engine, "forced_text"):
        got = engine.forced_text(state)
        assert got == mask.forced, f"forced_text: {where} gives {got!r}"
    if mask.min_tokens is not None and hasattr(engine, "min_tokens"):
        got = engine.min_tokens(state)
        assert got == mask.min_tokens, f"min_tokens: {where} gives {got}"
