"""``formgate demo``: the same prompts with and without a constraint, side by side, with times.

Every masked text is judged again by Python itself (``re``, or membership in the list of choices),
which shares no code with the engine that made the masks.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from formgate.core.cli._demo_screen import Screen
from formgate.core.cli._embedded_model import load_model
from formgate.core.cli._progress import Progress
from formgate.core.cli._streams import print_anything

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from formgate.core._native import Engine
    from formgate.core.decoding import DecodeResult, LoadedModel

__all__ = ["CASES", "Case", "add_parser", "run"]

EXIT_INVALID = 1
_FREE_TOKENS = 40
_MASKED_TOKENS = 80


@dataclass(frozen=True)
class Case:
    """One prompt and the format that its answer must have.

    Attributes:
        title: What the format is, for people.
        format: Name of the format.
        source: The constraint.
        prompt: What the user says to the model.
        judge: Who says whether a text is valid.
        is_valid: Says whether a text is valid, without formgate.
    """

    title: str
    format: str
    source: str | list[str]
    prompt: str
    judge: str
    is_valid: Callable[[str], bool]


def _regex_case(title: str, pattern: str, prompt: str) -> Case:
    compiled = re.compile(pattern)
    return Case(
        title, "regex", pattern, prompt, "re.fullmatch", lambda text: bool(compiled.fullmatch(text))
    )


def _choice_case(title: str, choices: list[str], prompt: str) -> Case:
    return Case(title, "choice", choices, prompt, "text in choices", choices.__contains__)


CASES = (
    _regex_case(
        "a date",
        r"(19|20)[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])",
        "On which date did humans first land on the Moon?",
    ),
    _choice_case(
        "one of three words",
        ["positive", "negative", "neutral"],
        'What is the sentiment of this review? "The food was cold and the waiter was rude."',
    ),
    _regex_case(
        "a record, with look-ahead",
        r"name: [A-Z][a-z]{2,9}\nage: [1-9][0-9]\ntown: (?!London|Paris)[A-Z][a-z]{3,11}",
        "Invent a person: name, age and home town.",
    ),
)


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Add this subcommand to the command line."""
    parser = subparsers.add_parser(
        "demo",
        help="show prompts answered with and without a constraint",
        description="Answer three prompts with and without a constraint, side by side, and show "
        "what the constraint costs. The exit code is 0 when every masked answer is valid.",
    )
    parser.add_argument(
        "--model",
        metavar="PATH",
        type=Path,
        help="a model folder or a .gguf file; a small embedded model if left out",
    )
    parser.add_argument("--device", default="auto", help="where the model runs; default: auto")
    parser.add_argument("--threads", metavar="N", type=int, help="processor threads of the model")


def run(args: argparse.Namespace) -> int:
    """Show all cases."""
    print_anything()
    screen = Screen(sys.stdout)
    valid: list[bool] = []
    results: list[DecodeResult] = []
    with Progress(plain=True) as progress:
        loaded = load_model(args.model, device=args.device, threads=args.threads, progress=progress)
    screen.heading(loaded.name)
    for number, case in enumerate(CASES, 1):
        with Progress(plain=True) as progress:
            free, masked = _answers(case, loaded, f"{number} of {len(CASES)}", progress)
        valid.append(case.is_valid(masked.text))
        results.append(masked)
        screen.case(
            number,
            (case.title, case.format, case.source, case.prompt),
            (free, case.is_valid(free.text)),
            (masked, valid[-1]),
            judge=case.judge,
        )
    screen.summary(results, sum(valid))
    return 0 if all(valid) else EXIT_INVALID


def _answers(
    case: Case, loaded: LoadedModel, place: str, progress: Progress
) -> tuple[DecodeResult, DecodeResult]:
    """Return the free and the masked answer to a case."""
    from formgate.core.compiler import compile as compile_source  # noqa: PLC0415 (native core)
    from formgate.core.decoding import (  # noqa: PLC0415 (numpy)
        DecodeStream,
        UnconstrainedEngine,
    )

    engine: Engine = compile_source(case.source, loaded.vocabulary, format=case.format)
    free = UnconstrainedEngine(loaded.vocabulary, len(loaded.vocabulary))
    prompt = (loaded.encode_chat or loaded.encode)(case.prompt)
    found = []
    for name, each, limit in (
        ("without constraint", free, _FREE_TOKENS),
        ("with constraint", engine, _MASKED_TOKENS),
    ):
        stage = f"prompt {place}, {name}"
        progress(stage)
        stream: DecodeStream[Any] = DecodeStream(loaded.model, each, prompt, max_tokens=limit)
        for count, _ in enumerate(stream, 1):
            progress.detail(f"{count} tokens")
        found.append(stream.result())
    return found[0], found[1]
