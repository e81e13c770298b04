"""What a one-call ``generate`` returns: a text, whether it is whole, and what value it has."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["GeneratedText"]


@dataclass(frozen=True)
class GeneratedText:
    """One output of ``generate``.

    Attributes:
        text: The output, without prompt, stop tokens and padding.
        tokens: Its token ids.
        complete: Whether it satisfies the constraint as it stands; false when it was cut off.
        prompt_index: Which of the prompts it belongs to.
        score: Beam search's score, where ``output_scores=True`` asks for it.
        engine: The engine it was generated under.
    """

    text: str
    tokens: tuple[int, ...]
    complete: bool
    prompt_index: int
    score: float | None = None
    engine: Any = field(default=None, repr=False, compare=False)

    @property
    def value(self) -> Any:
        """The value that the text stands for, as ``formgate.parse`` gives it.

        Read anew at each access. Under an engine that is not formgate's own, it is the text.

        Raises:
            ParseError: The text is not complete; or the type that the constraint was made from
                refuses the value by a check of its own.
        """
        from formgate.core._native import Engine  # noqa: PLC0415 (when needed)
        from formgate.core.errors import ParseError  # noqa: PLC0415 (when needed)
        from formgate.core.parsing import parse  # noqa: PLC0415 (when needed)

        if isinstance(self.engine, Engine):
            return parse(self.engine, self.text)
        if not self.complete:
            raise ParseError(
                "the output is incomplete: what follows is missing",
                text=self.text,
                offset=len(self.text),
            )
        return self.text
