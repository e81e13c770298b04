"""``Vocabulary``: the exact bytes of a model's token ids, as every engine uses them.

The native class holds the bytes in a trie; this one adds the ways to make it. Reading is Python
(a quarter of a second for 130,000 tokens, most of it JSON); building is native.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from formgate.core import _native
from formgate.core.errors import VocabularyError
from formgate.core.vocabulary._table import MAX_IDS, TokenTable, fit, shown

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence

    from typing_extensions import Self

__all__ = ["Vocabulary", "byte_vocabulary"]


class Vocabulary(_native.Vocabulary):
    """The exact bytes of every token id of a model, and the ids that end its output.

    Immutable; share one between all engines of a model. Ids without text (special tokens, gaps,
    padding) never match text. Several ids may have the same bytes. Equal contents have equal
    fingerprints, in every process; two vocabularies are equal if these are.

    Args:
        tokens: By id: the exact bytes that decoding emits, or None for an id without text. As many
            as the model scores.
        stop_ids: Ids that end the output. Their text, if any, is ignored.
        special: Name to id of special tokens. Their text, if any, is ignored.

    Raises:
        VocabularyError: A token is not bytes, is empty, or an id is outside the vocabulary; an
            argument is not of the form described.

    Example:
        >>> vocabulary = Vocabulary([b"a", b"b", b"ab", None], stop_ids=[3])
        >>> len(vocabulary), vocabulary.token_bytes(2), vocabulary.stop_ids
        (4, b'ab', (3,))
    """

    def __init__(
        self,
        tokens: Sequence[bytes | None],
        *,
        stop_ids: Iterable[int],
        special: Mapping[str, int] | None = None,
    ) -> None:
        if type(tokens) is not list:
            try:
                tokens = list(tokens)
            except TypeError:
                raise VocabularyError(
                    f"tokens is {shown(tokens)}; pass a sequence with the bytes of each id, or None"
                ) from None
        try:
            names = dict(special or {})
        except (TypeError, ValueError):
            raise VocabularyError(
                f"special is {shown(special)}; pass a mapping of names to ids"
            ) from None
        for name, i in names.items():
            if type(name) is not str or type(i) is not int or not 0 <= i < len(tokens):
                raise VocabularyError(
                    f"special token {shown(name)} has id {shown(i)}; pass names and ids within "
                    f"0 to {len(tokens) - 1}"
                )
            try:
                name.encode()
            except UnicodeEncodeError:
                raise VocabularyError(
                    f"special token {shown(name)} has a lone surrogate in its name, which no UTF-8 "
                    "spells; pass another name"
                ) from None
        table = fit(TokenTable(tokens, (), names, "the list of tokens"), None, stop_ids)
        try:
            super().__init__(tokens, table.stop_ids, table.special)
        except VocabularyError:
            for i, text in enumerate(tokens):
                if type(text) not in (bytes, type(None)):
                    which = (
                        f" of the class {type(text).__name__}" if isinstance(text, bytes) else ""
                    )
                    raise VocabularyError(
                        f"token {i} is {shown(text)}{which}; pass the bytes that decoding emits, "
                        "or None"
                    ) from None
            raise

    @classmethod
    def from_tokenizer(
        cls, obj: object, *, size: int | None = None, stop_ids: Iterable[int] | None = None
    ) -> Self:
        """Return the vocabulary of a tokenizer object.

        Takes fast tokenizers of transformers, ``tokenizers.Tokenizer``, ``tiktoken.Encoding``,
        ``sentencepiece.SentencePieceProcessor``, the tokenizers of ``mistral_common``, and whatever
        a plugin's ``read_vocabulary`` hook knows. Some 0.3 s for 130,000 tokens.

        Args:
            obj: The tokenizer.
            size: Number of ids the model scores (its ``config.vocab_size``); often more than the
                tokenizer has. None: as many as the tokenizer has.
            stop_ids: Ids that end the output; None: those the tokenizer names.

        Raises:
            VocabularyError: The object is not known, its tokens have no exact bytes, it names no
                stop id, or the size leaves out a token with text.
        """
        from formgate.core.vocabulary._objects import read_table, unknown_object  # noqa: PLC0415

        try:
            table = read_table(obj)
        except BaseException as error:
            # Native tokenizers panic on some of their own settings; a panic is no Exception.
            if isinstance(error, Exception) or type(error).__name__ != "PanicException":
                raise
            raise VocabularyError(
                f"the tokenizer itself fails: {shown(str(error))}; its bytes cannot be known"
            ) from error
        if table is None:
            table = _from_plugins(obj)
        if table is None:
            raise unknown_object(obj)
        return cls._from_table(fit(table, size, stop_ids))

    @classmethod
    def from_file(
        cls,
        path: str | os.PathLike[str],
        *,
        size: int | None = None,
        stop_ids: Iterable[int] | None = None,
        format: str | None = None,  # noqa: A002 (the field's word)
    ) -> Self:
        """Return the vocabulary of a tokenizer file or of a model folder.

        Takes ``tokenizer.json``, Tekken JSON, tiktoken files, SentencePiece models and GGUF files,
        told apart by their contents, and folders that hold one of them.

        Args:
            path: The file or folder.
            size: Number of ids the model scores; None: what a folder's ``config.json`` says, else
                as many as the file has.
            stop_ids: Ids that end the output; None: those the file and its folder name.
            format: One of ``gguf``, ``sentencepiece``, ``tekken``, ``tiktoken``,
                ``tokenizer.json``, where the contents should not be asked.

        Raises:
            VocabularyError: The file cannot be read or is damaged (the message says where), its
                tokens have no exact bytes, no stop id is known, or the size leaves out a token
                with text.
        """
        from formgate.core.vocabulary._files import read_file  # noqa: PLC0415

        return cls._from_table(read_file(path, size=size, stop_ids=stop_ids, format=format))

    @classmethod
    def _from_table(cls, table: TokenTable) -> Self:
        return cls(table.tokens, stop_ids=table.stop_ids, special=table.special)

    def __repr__(self) -> str:
        stops = ", ".join(map(str, self.stop_ids))
        return f"{type(self).__name__}({len(self)} ids, stop_ids=[{stops}], {self.fingerprint})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _native.Vocabulary):
            return NotImplemented
        return bool(self.fingerprint == other.fingerprint)

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the contents: worker processes build their own trie from them."""
        tokens = [self.token_bytes(i) for i in range(len(self))]
        return _rebuild, (type(self), tokens, self.stop_ids, self.special)


def _rebuild(
    cls: type[Vocabulary],
    tokens: list[bytes | None],
    stop_ids: tuple[int, ...],
    special: dict[str, int],
) -> Vocabulary:
    return cls(tokens, stop_ids=stop_ids, special=special)


def _from_plugins(obj: object) -> TokenTable | None:
    """Return what a plugin knows of an object, as a table."""
    from formgate.core.registry import default_registry  # noqa: PLC0415 (loads every plugin)

    found = default_registry().read_vocabulary(obj)
    if found is None:
        return None
    if len(found) > MAX_IDS:
        raise VocabularyError(f"a plugin gave {len(found)} ids, more than {MAX_IDS}")
    tokens = [found.token_bytes(i) for i in range(len(found))]
    return TokenTable(tokens, found.stop_ids, found.special, f"plugin for {type(obj).__name__}")


@cache
def byte_vocabulary() -> Vocabulary:
    """Return the vocabulary of single bytes, each its own id; 256 ends the output.

    For questions about languages, whatever tokens there are.
    """
    return Vocabulary([*(bytes([byte]) for byte in range(256)), None], stop_ids=[256])
