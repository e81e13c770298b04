"""``formgate debug``: what each stage of compiling makes of a source, with sizes and times."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from formgate.core.cli import _arguments
from formgate.core.cli._output import print_columns

if TYPE_CHECKING:
    import argparse

    from formgate.core._native import Engine, State

__all__ = ["add_parser", "run"]


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Add this subcommand to the command line."""
    parser = subparsers.add_parser(
        "debug",
        help="show the stages of compiling a source, with sizes and times",
        description="Show what each stage of compiling makes of a source, with sizes and times.",
    )
    _arguments.add_source(parser)
    _arguments.add_vocabulary(parser)


def run(args: argparse.Namespace) -> int:
    """Print the stages."""
    from formgate.core.compiler import build_grammar  # noqa: PLC0415 (loads the native core)
    from formgate.core.registry import default_registry  # noqa: PLC0415 (brings in pluggy)

    clock = _Clock()
    clock.time("plugins", default_registry)
    vocabulary = clock.time("vocabulary", lambda: _arguments.vocabulary(args))
    source, format_name = _arguments.source(args)
    grammar = clock.time(
        "grammar",
        lambda: build_grammar(source, format=format_name, **_arguments.options(args)),
    )
    engine = clock.time("engine", lambda: grammar.compile(vocabulary))
    state = engine.start()
    mask = clock.time("first mask", lambda: engine.allowed_tokens(state))
    clock.time("same mask again", lambda: engine.allowed_tokens(state))

    print(grammar)
    print()
    print_columns(("STAGE", "TIME"), clock.rows)
    print()
    facts = [
        ("tokens in the vocabulary", f"{len(vocabulary)}"),
        ("vocabulary fingerprint", vocabulary.fingerprint),
        ("tokens allowed at the start", f"{len(mask)}"),
        ("fewest tokens to the end", _fewest(engine, state)),
        ("text forced at the start", repr(engine.forced_text(state))),
        *((f"memory: {name}", _bytes(size)) for name, size in _memory(engine)),
    ]
    print_columns(("FACT", "VALUE"), facts)
    print()
    print(engine.explain(state))
    return 0


def _fewest(engine: Engine, state: State) -> str:
    """Return the fewest tokens to the end, in words where that takes too long to find."""
    from formgate.core.errors import LimitError  # noqa: PLC0415 (imports are part of the times)

    try:
        return f"{engine.min_tokens(state)}"
    except LimitError as error:
        return f"unknown ({error.args[0].partition(';')[0]})"


class _Clock:
    """Runs stages and keeps how long each took."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, str]] = []

    def time(self, stage: str, action: Any) -> Any:
        """Run an action and return its result."""
        started = time.perf_counter()
        result = action()
        self.rows.append((stage, f"{(time.perf_counter() - started) * 1e3:.3f} ms"))
        return result


def _memory(engine: Engine) -> list[tuple[str, int]]:
    """Return the parts of an engine's memory, largest first."""
    return sorted(engine.memory_usage().items(), key=lambda part: -part[1])


def _bytes(size: int) -> str:
    """Return a size with a unit that keeps it short."""
    return f"{size} B" if size < 4096 else f"{size / 1024:.1f} KiB"
