"""Many prompts in every format with a real model: is all output valid, and what did it cost?

    python -m tests.adapters.many_prompts --backend llama_cpp --prompts 200

A long run can be done in pieces (``--first 0 --last 50 --out FILE``), and ``--sum FILE ...`` adds
them up.

Every output is judged by something that shares no code with formgate: ``re``, ``in``, ``json`` and
``jsonschema``, ``lark``, and for GBNF, Python's own parser. The exit code is 1 when one is not
valid. Outputs are drawn at temperature 0.8 and must be whole within their budget.

Every prompt is decoded in the faster way, which leaves out passes of the model; for comparison,
every fifth also token by token (*plain*), without a constraint, and on llama.cpp in three more
ways: the texts of the JSON Schema read token by token as an unconstrained decode would read them,
llama.cpp's own grammars, and our mask in a chain of llama.cpp's samplers.

Times are processor times of the one thread that does everything: on a machine that is busy with
other things they stay what they are.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import formgate
from formgate.core.cli._embedded_model import embedded_model_path, load_model
from formgate.core.decoding import (
    Multinomial,
    UnconstrainedEngine,
    WithinBudget,
    constrained_decode,
    jump_decode,
)

if TYPE_CHECKING:
    from collections.abc import Callable

TOPICS = (
    "a teacher", "a bridge", "the Moon", "a storm", "bread", "a violin", "Paris", "a cat",
    "chemistry", "a train", "an election", "the sea", "a film", "sleep", "a garden", "money",
    "a doctor", "winter", "a computer", "Rome",
)  # fmt: skip
QUESTIONS = (
    "Describe {}.",
    "What do you think of {}?",
    "Write something about {} in a strict format.",
    "Give me data on {}.",
    "How would you rate {}?",
    "Tell a child about {}.",
    "Invent a fact about {}.",
    "List what belongs to {}.",
    "When did you last hear of {}?",
    "Compare {} with something else.",
)
PROMPTS = tuple(question.format(topic) for topic in TOPICS for question in QUESTIONS)

COLOURS = ["red", "green", "blue", "dark green", "light blue", "black", "white", "none of them"]
PATTERN = r"(19|20)[0-9]{2}-(0[1-9]|1[0-2]): [A-Z][a-z]{2,11}( [a-z]{1,11}){1,5}\. (Yes|No)!"
SCHEMA = {
    "type": "object",
    "properties": {
        "title": {"type": "string", "minLength": 1, "maxLength": 40},
        "rating": {"type": "integer", "minimum": 1, "maximum": 10},
        "tags": {
            "type": "array",
            "items": {"enum": ["good", "bad", "old", "new", "loud"]},
            "minItems": 1,
            "maxItems": 3,
        },
        "published": {"type": "boolean"},
    },
    "required": ["title", "rating", "tags", "published"],
    "additionalProperties": False,
}
LARK = r"""
start: statement+
statement: "let" NAME "=" expression ";"
?expression: term (("+" | "-") term)*
?term: NUMBER | NAME | "(" expression ")"
NAME: /[a-z][a-z0-9]{0,7}/
NUMBER: /[0-9]{1,4}/
%ignore " "
"""
GBNF = r"""
root ::= "[" item ("," ws item){1,4} "]"
item ::= number | string | "[" number ("," ws number)* "]"
number ::= "0" | [1-9] [0-9]{0,3}
string ::= "'" [a-zA-Z ]{1,12} "'"
ws ::= " "?
"""


def is_colour(text: str) -> bool:
    """Judge the choices."""
    return text in COLOURS


def matches(text: str) -> bool:
    """Judge the pattern."""
    return re.fullmatch(PATTERN, text) is not None


def is_instance(text: str) -> bool:
    """Judge the schema."""
    import jsonschema

    try:
        jsonschema.validate(json.loads(text), SCHEMA)
    except (ValueError, jsonschema.ValidationError):
        return False
    return True


def is_program(text: str) -> bool:
    """Judge the grammar, as the lark package reads it."""
    import lark

    try:
        lark.Lark(LARK, parser="earley").parse(text)
    except lark.exceptions.LarkError:
        return False
    return True


def is_list(text: str) -> bool:
    """Judge the GBNF grammar, whose texts are lists of Python."""
    try:
        items = ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return False

    def is_item(item: object) -> bool:
        if isinstance(item, list):
            return bool(item) and all(type(each) is int and 0 <= each < 10**4 for each in item)
        if isinstance(item, str):
            return re.fullmatch("[a-zA-Z ]{1,12}", item) is not None
        return type(item) is int and 0 <= item < 10**4

    return isinstance(items, list) and 2 <= len(items) <= 5 and all(map(is_item, items))


class Case(NamedTuple):
    """A format, a source in it, how many tokens there are for an output, and its judge."""

    format: str
    source: Any
    options: dict[str, Any]
    budget: int
    judge: Callable[[str], bool]


CASES = (
    Case("regex", PATTERN, {}, 40, matches),
    Case("choice", COLOURS, {}, 12, is_colour),
    Case(
        "json_schema",
        SCHEMA,
        {"separators": (", ", ": "), "escapes": "canonical"},
        70,
        is_instance,
    ),
    Case("lark", LARK, {}, 40, is_program),
    Case("gbnf", GBNF, {}, 40, is_list),
)


class Clock:
    """Counts the processor time of calls."""

    def __init__(self) -> None:
        self.ns = 0

    def of(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function whose time is counted."""

        def counted(*arguments: Any) -> Any:
            begun = time.thread_time_ns()
            try:
                return call(*arguments)
            finally:
                self.ns += time.thread_time_ns() - begun

        return counted


class Timed:
    """An object some of whose methods are timed."""

    def __init__(self, timed: Any, **clocks: Clock) -> None:
        self._timed = timed
        for name, clock in clocks.items():
            method = getattr(timed, name, None)
            if method is not None:
                setattr(self, name, clock.of(method))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._timed, name)


class Row:
    """Sums over the outputs of one format in one way of decoding.

    Attributes:
        own_ns: Time of the constraint: masks, steps, and what looks ahead.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.outputs = self.valid = self.tokens = 0
        self.total_ns = self.model_ns = self.own_ns = 0
        self.wrong: list[str] = []

    def record(self) -> dict[str, Any]:
        """Return the figures; the pass over the prompt is not in them."""
        tokens = max(self.tokens, 1)
        return {
            "name": self.name,
            "outputs": self.outputs,
            "valid": self.valid,
            "tokens": self.tokens,
            "ms_per_token": self.total_ns / tokens / 1e6,
            "tokens_per_second": tokens / max(self.total_ns / 1e9, 1e-9),
            "model_ms_per_token": self.model_ns / tokens / 1e6,
            "constraint_us_per_token": self.own_ns / tokens / 1e3,
            "constraint_share": self.own_ns / max(self.total_ns, 1),
            "wrong": self.wrong[:5],
            "total_ns": self.total_ns,
            "model_ns": self.model_ns,
            "own_ns": self.own_ns,
        }

    def add(self, record: dict[str, Any]) -> None:
        """Add the figures of another row, as it recorded them."""
        for name in ("outputs", "valid", "tokens", "total_ns", "model_ns", "own_ns"):
            setattr(self, name, getattr(self, name) + record[name])
        self.wrong += record["wrong"]


ENGINE = (
    "allowed_tokens",
    "candidates",
    "is_allowed",
    "advance",
    "is_accepting",
    "is_terminal",
    "forced_text",
)


class Decoder:
    """A loaded model, and the ways in which it decodes."""

    def __init__(self, backend: str) -> None:
        self.loaded = load_model(
            embedded_model_path(),
            device="cpu",
            threads=1,
            progress=lambda stage: None,
            backend=backend,
        )
        self.ways: tuple[str, ...] = ("plain", "skip")
        self.tokenize = None
        if backend == "llama_cpp":
            from formgate.adapters.llama_cpp import tokenize

            self.ways = ("plain", "jump")
            self.tokenize = partial(tokenize, self.loaded.model.llama, self.loaded.vocabulary)

    def add(self, row: Row, engine: Any, case: Case, work: tuple[list[int], int], way: str) -> str:
        """Decode one output, add it to its row, and return it."""
        prompt, seed = work
        reading, scoring, masking = Clock(), Clock(), Clock()
        model = Timed(self.loaded.model, start=reading, step=scoring, extend=scoring, read=scoring)
        timed = Timed(engine, **dict.fromkeys(ENGINE, masking))
        options: dict[str, Any] = {
            "max_tokens": case.budget,
            "sampler": Multinomial(temperature=0.8, seed=seed),
            "vocabulary": self.loaded.vocabulary,
        }
        begun = time.thread_time_ns()
        if way == "jump":
            result: Any = jump_decode(model, timed, prompt, tokenize=self.tokenize, **options)
        else:
            skip = way == "skip"
            result = constrained_decode(model, timed, prompt, skip_forced=skip, **options)
        row.total_ns += time.thread_time_ns() - begun - reading.ns
        row.model_ns += scoring.ns
        row.own_ns += masking.ns
        row.outputs += 1
        row.tokens += len(result.tokens)
        if case.judge(result.text):
            row.valid += 1
        else:
            row.wrong.append(result.text)
        return str(result.text)

    def read(self, row: Row, text: str, work: tuple[list[int], int]) -> None:
        """Read a text that is known token by token, choosing freely, and taking no choice."""
        assert self.tokenize is not None
        prompt, seed = work
        choose = Multinomial(temperature=0.8, seed=seed).start()
        tokens = self.tokenize(text.encode())
        scores = self.loaded.model.start(prompt)
        begun = time.thread_time_ns()
        for token in tokens:
            choose(scores)
            scores = self.loaded.model.step(token)
        row.total_ns += time.thread_time_ns() - begun
        row.outputs += 1
        row.valid += 1
        row.tokens += len(tokens)

    def sample(self, row: Row, constraint: Any, work: tuple[list[int], int]) -> None:
        """Decode with llama.cpp's own samplers, under a grammar of its own or an engine of ours."""
        import llama_cpp

        from formgate.adapters.llama_cpp import MaskSampler

        model = self.loaded.model
        chain = llama_cpp._internals.LlamaSampler()
        mask = None
        if hasattr(constraint, "allowed_tokens"):
            mask = MaskSampler(constraint)
            llama_cpp.llama_sampler_chain_add(chain.sampler, mask.pointer)
        elif constraint is not None:
            chain.add_grammar(model.llama._model, constraint)
        chain.add_temp(0.8)
        chain.add_dist(work[1])
        model.start(work[0])
        begun = time.thread_time_ns()
        for _ in range(30):
            token = llama_cpp.llama_sampler_sample(chain.sampler, model.llama.ctx, -1)
            if token in self.loaded.vocabulary.stop_ids:
                break
            model.step(token)
            row.tokens += 1
        row.total_ns += time.thread_time_ns() - begun
        row.outputs += 1
        row.valid += 1
        if mask is not None:
            mask.check()
        chain.close()


_SAMPLED = 5


def grammars() -> dict[str, Any]:
    """Return grammars of llama.cpp's own, by the name of their row."""
    from llama_cpp import LlamaGrammar

    return {
        "own samplers, free": None,
        "own grammar, schema": LlamaGrammar.from_json_schema(json.dumps(SCHEMA), verbose=False),
        "own grammar, gbnf": LlamaGrammar.from_string(GBNF, verbose=False),
    }


def chosen(count: int, first: int, last: int | None = None) -> list[tuple[int, str]]:
    """Return prompts, each with its seed: so many of all, evenly, and a piece of these."""
    return list(enumerate(PROMPTS[:: len(PROMPTS) // count][:count]))[first:last]


def run(
    backend: str, count: int, formats: set[str], first: int = 0, last: int | None = None
) -> list[Row]:
    """Generate, judge and measure.

    Prompt by prompt, so that a model that keeps what it has read reads each prompt once.
    """
    decoder = Decoder(backend)
    vocabulary = decoder.loaded.vocabulary
    free = Case("no constraint", None, {}, 30, lambda text: True)
    cases = [case for case in CASES if case.format in formats]
    engines: list[tuple[Case, Any]] = [(free, UnconstrainedEngine(vocabulary, len(vocabulary)))]
    for case in cases:
        engine = formgate.compile(case.source, vocabulary, format=case.format, **case.options)
        engines.append((case, WithinBudget(engine, case.budget)))
    own = {}
    if backend == "llama_cpp" and "json_schema" in formats:
        own = grammars()
        (own["our mask in its chain"],) = (
            e.engine for c, e in engines if c.format == "json_schema"
        )
    rows: dict[str, Row] = {}
    for seed, text in chosen(count, first, last):
        work = (decoder.loaded.encode_chat(text), seed)
        for case, engine in engines:
            ways = decoder.ways[:1] if case is free else decoder.ways
            for way in ways if seed % _SAMPLED == 0 else ways[1:]:
                name = case.format if case is free else f"{case.format}, {way}"
                row = rows.setdefault(name, Row(name))
                output = decoder.add(row, engine, case, work, way)
                if own and seed % _SAMPLED == 0 and (case.format, way) == ("json_schema", "jump"):
                    name = "its texts, read freely"
                    decoder.read(rows.setdefault(name, Row(name)), output, work)
        if seed % _SAMPLED == 0:
            for name, constraint in own.items():
                decoder.sample(rows.setdefault(name, Row(name)), constraint, work)
        print(f"\r{seed + 1} of {count} prompts", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return list(rows.values())


HEAD = f"{'':24}{'valid':>12}{'tokens':>8}{'ms/token':>10}{'tokens/s':>10}{'constraint':>18}"


def print_row(row: Row) -> None:
    """Print the figures of one row."""
    figures = row.record()
    print(
        f"{row.name:24}{row.valid:>6}/{row.outputs:<5}{row.tokens:>8}"
        f"{figures['ms_per_token']:>10.2f}{figures['tokens_per_second']:>10.1f}"
        f"{figures['constraint_us_per_token']:>8.0f} us{figures['constraint_share']:>7.2%}",
        flush=True,
    )
    for text in row.wrong[:3]:
        print("   not valid:", repr(text))


def total(files: list[str]) -> list[Row]:
    """Return the sums over runs that wrote their figures."""
    rows: dict[str, Row] = {}
    for file in files:
        for record in json.loads(Path(file).read_text()):
            rows.setdefault(record["name"], Row(record["name"])).add(record)
    return list(rows.values())


def main() -> int:
    """Run, print, and say whether all is valid."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--backend", default="llama_cpp", choices=("llama_cpp", "transformers"))
    parser.add_argument("--prompts", type=int, default=len(PROMPTS), metavar="N")
    parser.add_argument(
        "--first", type=int, default=0, metavar="K", help="leave out the first K of the prompts"
    )
    parser.add_argument("--last", type=int, metavar="L", help="stop before prompt L")
    parser.add_argument(
        "--sum", nargs="+", default=[], metavar="FILE", help="run nothing: add up what --out wrote"
    )
    parser.add_argument("--formats", default=",".join(case.format for case in CASES))
    parser.add_argument("--out", metavar="FILE", help="write the figures as JSON")
    args = parser.parse_args()
    if not 1 <= args.prompts <= len(PROMPTS):
        parser.error(f"--prompts must be from 1 to {len(PROMPTS)}")
    if not 0 <= args.first < args.prompts:
        parser.error(f"--first must be from 0 to {args.prompts - 1}")
    if args.last is not None and not args.first < args.last <= args.prompts:
        parser.error(f"--last must be from {args.first + 1} to {args.prompts}")
    if args.sum:
        rows = total(args.sum)
    else:
        formats = set(args.formats.split(","))
        rows = run(args.backend, args.prompts, formats, args.first, args.last)
    print(HEAD)
    for row in rows:
        print_row(row)
    if args.out:
        Path(args.out).write_text(json.dumps([row.record() for row in rows], indent=1) + "\n")
    return 0 if all(row.valid == row.outputs for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
