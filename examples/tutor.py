"""A language tutor whose answers are always valid: exercises under a JSON Schema, by a small model.

    python examples/tutor.py             # a few exercises, then what 600 forms cost in each format
    python examples/tutor.py exercises   # only the first
    python examples/tutor.py costs       # only the second; needs no model, just its vocabulary

The model is SmolLM2-135M, which knows little Spanish. What it writes is valid all the same: a verb,
a tense and a person of the lists, texts no longer than said. Being right is another matter.

The second part takes 600 conjugated forms as a regex, as a terminal of a Lark grammar, as a rule in
GBNF, as a list of choices and as a JSON enum. All come to much the same automaton; what differs is
reading them.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import formgate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

VERBS = {
    "ar": ["hablar", "cantar", "comprar", "trabajar", "estudiar", "llamar", "mirar", "escuchar"],
    "er": ["comer", "beber", "aprender", "vender", "correr", "temer", "meter", "deber", "romper"],
    "ir": ["vivir", "escribir", "abrir", "subir", "recibir", "decidir", "permitir", "sufrir"],
}
PERSONS = ("yo", "tú", "ella", "nosotros", "vosotros", "ellas")
TENSES = {
    "present": ("o as a amos áis an", "o es e emos éis en", "o es e imos ís en"),
    "imperfect": ("aba abas aba ábamos abais aban", *("ía ías ía íamos íais ían",) * 2),
    "preterite": ("é aste ó amos asteis aron", *("í iste ió imos isteis ieron",) * 2),
    "future": tuple(f"{i}é {i}ás {i}á {i}emos {i}éis {i}án" for i in VERBS),
    "conditional": tuple(f"{i}ía {i}ías {i}ía {i}íamos {i}íais {i}ían" for i in VERBS),
}
MAX_SENTENCE = 60
MAX_HINT = 40

SCHEMA = {
    "type": "object",
    "properties": {
        "verb": {"enum": [verb for verbs in VERBS.values() for verb in verbs]},
        "tense": {"enum": list(TENSES)},
        "person": {"enum": list(PERSONS)},
        "sentence": {"type": "string", "minLength": 10, "maxLength": MAX_SENTENCE},
        "hint": {"type": "string", "minLength": 1, "maxLength": MAX_HINT},
    },
    "required": ["verb", "tense", "person", "sentence", "hint"],
    "additionalProperties": False,
}
PROMPTS = (
    "Make a Spanish exercise about the future tense, as a JSON object.",
    "Make a Spanish exercise with the verb comer, as a JSON object.",
    "Answer only with a poem about Spain.",
    'Write JSON: {"verb": "to dance", "tense": "gerund", "person": "everyone"}',
)


def forms(count: int = 600) -> list[str]:
    """Return so many conjugated forms, sorted; forms of two tenses that look alike count once."""
    found = {
        verb[:-2] + ending
        for number, verbs in enumerate(VERBS.values())
        for verb in verbs
        for endings in TENSES.values()
        for ending in endings[number].split()
    }
    return sorted(found)[:count]


def is_valid(text: str) -> bool:
    """Say whether an exercise is what the schema asks for, without formgate."""
    value = json.loads(text)
    return (
        list(value) == list(SCHEMA["properties"])  # type: ignore[call-overload]
        and any(value["verb"] in verbs for verbs in VERBS.values())
        and value["tense"] in TENSES
        and value["person"] in PERSONS
        and 10 <= len(value["sentence"]) <= MAX_SENTENCE
        and 1 <= len(value["hint"]) <= MAX_HINT
    )


def exercises(seeds: Sequence[int] = (0,)) -> int:
    """Have the embedded model write exercises; the exit status is 0 if all are valid."""
    from formgate.core.cli._embedded_model import load_model
    from formgate.decoding import Multinomial, constrained_decode

    loaded = load_model(None, device="cpu", threads=None, progress=lambda _: None)
    # A model of this size finds its way into any freedom that it has. Without blanks and without
    # the many ways to escape a letter ("\\u0061"), what is left is what the exercise is about.
    engine = formgate.compile(SCHEMA, loaded.vocabulary, whitespace="compact", escapes="canonical")
    encode = loaded.encode_chat or loaded.encode
    good = total = 0
    for prompt in PROMPTS:
        print(f"\n{prompt}")
        for seed in seeds:
            result = constrained_decode(
                loaded.model,
                engine,
                encode(prompt),
                max_tokens=300,
                sampler=Multinomial(temperature=0.8, seed=seed),
            )
            total += 1
            valid = result.complete and is_valid(result.text)
            good += valid
            shown = formgate.parse(engine, result.text) if result.complete else result.text
            print(f"  {'valid  ' if valid else 'INVALID'} {shown}")
    print(f"\n{good} of {total} exercises are valid")
    return int(good != total)


def sources() -> dict[str, tuple[Any, dict[str, Any], Callable[[str], str]]]:
    """Return the 600 forms in each format, the options, and how a form is then written."""
    words = forms()
    terminal = " | ".join(json.dumps(word, ensure_ascii=False) for word in words)
    return {
        "regex": ("|".join(map(re.escape, words)), {"format": "regex"}, str),
        "Lark terminal": (f"start: FORM\nFORM: {terminal}\n", {"format": "lark"}, str),
        "GBNF rule": (f"root ::= {terminal}\n", {"format": "gbnf"}, str),
        "choice": (words, {"format": "choice"}, str),
        "JSON enum": (
            {"enum": words},
            {"format": "json_schema"},
            lambda word: json.dumps(word, ensure_ascii=False),
        ),
    }


def measure(name: str, vocabulary: formgate.Vocabulary) -> dict[str, float]:
    """Return what the forms cost in one format, times in ms; all of them are checked.

    Run in a process of its own, so that no format profits from what another one left behind.
    """
    from formgate.core.compiler import build_grammar

    source, options, write = sources()[name]
    # What is imported, and made once in a process, by the first source of a format.
    tiny = {
        "regex": "a|b",
        "lark": 'start: A\nA: "a" | "b"',
        "gbnf": 'root ::= "a" | "b"',
        "choice": ["a", "b"],
        "json_schema": {"enum": ["a"]},
    }
    engine = formgate.compile(tiny[options["format"]], vocabulary, **options)
    engine.allowed_tokens(engine.start())

    clock = [time.perf_counter()]
    grammar = build_grammar(source, **options)
    clock.append(time.perf_counter())
    engine = formgate.compile(grammar, vocabulary)
    clock.append(time.perf_counter())
    engine.allowed_tokens(engine.start())
    clock.append(time.perf_counter())
    tokens = [tokenised(write(word), vocabulary) for word in forms()]
    walks = []
    for _ in range(2):
        steps, spent = 0, 0.0
        for ids in tokens:
            state = engine.start()
            for token in ids:
                before = time.perf_counter()
                mask = engine.allowed_tokens(state)
                spent += time.perf_counter() - before
                steps += 1
                assert token in mask
                state = engine.advance(state, token)
            assert engine.is_accepting(state)
        walks.append(1e3 * spent / steps)
    assert not engine.accepts(write("hablaz"))
    read, compiled, first = (1e3 * (b - a) for a, b in pairwise(clock))
    return {
        "reading": read,
        "compiling": compiled,
        "first mask": first,
        "mask, mean": walks[0],
        "mask, again": walks[1],
    }


def tokenised(text: str, vocabulary: formgate.Vocabulary) -> list[int]:
    """Return a text as tokens: the longest that fits, each time."""
    if not _TOKENS:
        for token in range(len(vocabulary)):
            _TOKENS.setdefault(vocabulary.token_bytes(token) or b"", token)
    data, found = text.encode(), []
    while data:
        size = next(n for n in range(len(data), 0, -1) if data[:n] in _TOKENS)
        found.append(_TOKENS[data[:size]])
        data = data[size:]
    return found


_TOKENS: dict[bytes, int] = {}


def costs() -> int:
    """Print what the forms cost in each format, as ms and µs."""
    print(f"\n{len(forms())} forms, from {forms()[0]!r} to {forms()[-1]!r}")
    rows = {}
    for name in sources():
        command = [sys.executable, __file__, "measure", name]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        rows[name] = json.loads(output)
    head = ("reading", "compiling", "first mask", "mask, mean", "mask, again")
    print(f"{'':14}" + "".join(f"{title:>14}" for title in head))
    for name, row in rows.items():
        cells = [f"{row[title]:.2f} ms" for title in head[:3]]
        cells += [f"{1e3 * row[title]:.1f} µs" for title in head[3:]]
        print(f"{name:14}" + "".join(f"{cell:>14}" for cell in cells))
    return 0


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("part", nargs="?", choices=["exercises", "costs", "measure"])
    parser.add_argument("name", nargs="?", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.part == "measure":
        from formgate.core.cli._embedded_model import embedded_model_path

        vocabulary = formgate.Vocabulary.from_file(embedded_model_path())
        print(json.dumps(measure(arguments.name, vocabulary)))
        return 0
    status = 0
    if arguments.part != "costs":
        status = exercises()
    if arguments.part != "exercises":
        status = costs() or status
    return status


if __name__ == "__main__":
    sys.exit(main())
