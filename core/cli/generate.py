"""``formgate generate``: stream text of a real model that satisfies a constraint."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from formgate.core.cli import _arguments
from formgate.core.cli._embedded_model import load_model
from formgate.core.cli._output import print_json
from formgate.core.cli._progress import Progress
from formgate.core.cli._streams import print_anything, read_prompt
from formgate.core.cli._timings import print_steps, timings_record
from formgate.core.errors import FormgateError

if TYPE_CHECKING:
    import argparse

    from formgate.core._native import Engine
    from formgate.core.decoding import DecodeResult, DecodeStream, LoadedModel, Sampler, Step

__all__ = ["add_parser", "run"]

EXIT_INCOMPLETE = 1


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Add this subcommand to the command line."""
    from argparse import BooleanOptionalAction  # noqa: PLC0415 (beside its only use)

    parser = subparsers.add_parser(
        "generate",
        help="generate text that satisfies a constraint",
        description="Stream text of a language model that satisfies a constraint. The exit code "
        "is 0 when the text does, and 1 when it was cut off before or, with --unmasked, does not.",
    )
    _arguments.add_source(parser)
    parser.add_argument("--prompt", metavar="TEXT", help="the prompt; standard input if left out")
    parser.add_argument(
        "--model",
        metavar="PATH",
        type=Path,
        help="a model folder or a .gguf file; a small embedded model if left out",
    )
    parser.add_argument(
        "--chat",
        action=BooleanOptionalAction,
        help="put the prompt into the model's chat template, or do not; the default does if the "
        "model has one",
    )
    parser.add_argument("--max-tokens", metavar="N", type=int, default=256, help="default: 256")
    group = parser.add_argument_group("sampling (greedy unless one of these is given)")
    group.add_argument("--temperature", metavar="T", type=float, help="scores are divided by it")
    group.add_argument("--top-k", metavar="K", type=int, help="keep the K best allowed tokens")
    group.add_argument("--top-p", metavar="P", type=float, help="keep this share of the mass")
    group.add_argument("--seed", metavar="N", type=int, help="make the draws repeatable")
    parser.add_argument(
        "--unmasked",
        action="store_true",
        help="let the model write freely, and say whether the text satisfies the constraint",
    )
    parser.add_argument(
        "--skip-forced",
        action="store_true",
        help="do not run the model where only one token is allowed",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object at the end")
    parser.add_argument(
        "--timings", action="store_true", help="print each token's times to standard error"
    )
    parser.add_argument(
        "--backend",
        metavar="NAME",
        default="transformers",
        help="what runs the model: transformers (the default) or llama_cpp, for .gguf files",
    )
    parser.add_argument("--device", default="auto", help="where the model runs; default: auto")
    parser.add_argument("--threads", metavar="N", type=int, help="processor threads of the model")


def run(args: argparse.Namespace) -> int:
    """Generate, and print the text."""
    from formgate.core.compiler import build_grammar  # noqa: PLC0415 (native core)
    from formgate.core.compiler import compile as compile_source  # noqa: PLC0415 (as above)
    from formgate.core.decoding import DecodeStream, UnconstrainedEngine  # noqa: PLC0415 (numpy)

    sampler = _sampler(args)
    # What is wrong with the source is said before the model is loaded.
    source, format_name = _arguments.source(args)
    options = _arguments.options(args)
    grammar = build_grammar(source, format=format_name, **options)
    compile_source(source, _arguments.vocabulary(args), format=format_name, **options)
    prompt = read_prompt(args.prompt)
    print_anything()
    with Progress(plain=False) as progress:
        loaded = load_model(
            args.model,
            device=args.device,
            threads=args.threads,
            progress=progress,
            backend=args.backend,
        )
        progress("compiling the constraint")
        engine = compile_source(grammar, loaded.vocabulary)
        free = UnconstrainedEngine(loaded.vocabulary, len(loaded.vocabulary))
        progress("reading the prompt")
        stream: DecodeStream[Any] = DecodeStream(
            loaded.model,
            free if args.unmasked else engine,
            _encoded(args, loaded, prompt),
            max_tokens=args.max_tokens,
            sampler=sampler,
            skip_forced=args.skip_forced,
        )
        first = next(stream, None)
    steps = _printed(stream, first, quiet=args.json)
    result = stream.result()
    complete = engine.accepts(result.text_bytes) if args.unmasked else result.complete
    if args.json:
        print_json(_record(result, loaded, grammar.format, complete=complete))
    if args.timings:
        print_steps(steps, result)
    if not complete:
        reason = _why(result, engine) if args.unmasked else _how_cut(args.max_tokens)
        print(f"formgate: {reason}", file=sys.stderr)
    return 0 if complete else EXIT_INCOMPLETE


def _sampler(args: argparse.Namespace) -> Sampler:
    """Return the sampler that the arguments name.

    Raises:
        FormgateError: An argument is out of its range.
    """
    from formgate.core.decoding import Greedy, Multinomial  # noqa: PLC0415 (numpy)

    if args.max_tokens < 1:
        raise FormgateError(f"--max-tokens must be positive, not {args.max_tokens}")
    if args.temperature is args.top_k is args.top_p is args.seed is None:
        return Greedy()
    try:
        return Multinomial(
            temperature=1.0 if args.temperature is None else args.temperature,
            top_k=0 if args.top_k is None else args.top_k,
            top_p=1.0 if args.top_p is None else args.top_p,
            seed=args.seed,
        )
    except ValueError as error:
        raise FormgateError(str(error)) from error


def _encoded(args: argparse.Namespace, loaded: LoadedModel, prompt: str) -> list[int]:
    """Return the prompt's token ids.

    Raises:
        FormgateError: A chat was asked for and the model has none, or the prompt has no tokens.
    """
    if args.chat and loaded.encode_chat is None:
        raise FormgateError(f"the model {loaded.name} has no chat template: leave out --chat")
    use_chat = loaded.encode_chat is not None if args.chat is None else args.chat
    if use_chat and loaded.encode_chat is not None:
        return loaded.encode_chat(prompt)
    ids = loaded.encode(prompt)
    if not ids:
        raise FormgateError("the prompt has no tokens: give --prompt with some text")
    return ids


def _printed(stream: DecodeStream[Any], first: Step | None, *, quiet: bool) -> list[Step]:
    """Return all steps, printing their text as it comes."""
    steps = [] if first is None else [first]
    if first is not None and not quiet:
        print(first.text, end="", flush=True)
    for step in stream:
        steps.append(step)
        if not quiet:
            print(step.text, end="", flush=True)
    if not quiet:
        print(flush=True)
    return steps


def _record(
    result: DecodeResult, loaded: LoadedModel, format_name: str | None, *, complete: bool
) -> dict[str, object]:
    """Return what ``--json`` prints."""
    return {
        "text": result.text,
        "complete": complete,
        "finish_reason": result.finish_reason,
        "tokens": list(result.tokens),
        "forced_tokens": result.forced,
        "model": loaded.name,
        "format": format_name,
        "timings": timings_record(result.timings),
    }


def _how_cut(max_tokens: int) -> str:
    return f"cut off after --max-tokens={max_tokens}; the text is not complete"


def _why(result: DecodeResult, engine: Engine) -> str:
    """Say where a free text leaves the constraint."""
    data = result.text_bytes
    length = next(n for n in range(len(data), -1, -1) if engine.is_prefix(data[:n]))
    if length == len(data):
        return "the unmasked text ends before it satisfies the constraint"
    before = len(data[:length].decode("utf-8", errors="ignore"))
    return f"the unmasked text leaves the constraint after {before} of its characters"
