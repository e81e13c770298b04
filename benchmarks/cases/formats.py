"""The same constraint in every format: what a format costs, apart from what it says.

Five constraints, each as a regex, a Lark grammar, GBNF and a JSON Schema, as far as the format can
say it. The tutor's object is one language in all four; elsewhere a JSON Schema describes the JSON
text that carries the same (a string in quotes, arrays for brackets), which is marked.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from examples.tutor import SCHEMA, forms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from benchmarks.cases import Case, Dialect

# JSON without white space, strings in their shortest spelling: one text for each value.
COMPACT = "json_schema_compact"
DEPTH = 8
CONSTRAINTS = {
    "zip_code": "a US ZIP code, with or without its four more digits",
    f"brackets_{DEPTH}": f"balanced brackets, at most {DEPTH} deep",
    "brackets": "balanced brackets of any depth, which no regex can say",
    "tutor": "the tutor's exercise: three enumerations and two texts of bounded length",
    "forms_600": "one of 600 Spanish verb forms",
}
FORMATS = {"regex": "regex", "lark": "Lark", "gbnf": "GBNF", COMPACT: "JSON Schema"}

_EXERCISES = (
    {
        "verb": "hablar",
        "tense": "future",
        "person": "ellas",
        "sentence": "Ellas hablar\u00e1n ma\u00f1ana con el profesor.",
        "hint": 'r\u00e1pido "-\u00e1n"',
    },
    {
        "verb": "comer",
        "tense": "present",
        "person": "yo",
        "sentence": "Yo como pan con queso\ntodos los d\u00edas.",
        "hint": "-er",
    },
)


def load(case: type[Case], dialect: type[Dialect]) -> list[Case]:
    """Return the cases, named `constraint.format`."""
    return [case(**fields) for fields in _cases(dialect)]


def _cases(dialect: type[Dialect]) -> Iterator[dict[str, Any]]:
    for constraint, write in _WRITERS.items():
        sources, texts, others, carry = write()
        for form, source in sources.items():
            turn = carry if form == COMPACT else str
            yield {
                "name": f"{constraint}.{form.partition('_')[0]}",
                "format": form,
                "group": constraint,
                "source": source,
                "matching": tuple(map(turn, texts)),
                "non_matching": tuple(map(turn, others)),
                # What is not a regex or a schema is said to llguidance in its own Lark dialect.
                "dialects": (
                    {"llguidance": dialect("lark", sources["lark"])} if form == "gbnf" else {}
                ),
                "tokenisations": ("bpe",),
            }


Written = tuple[dict[str, str], list[str], list[str], "Callable[[str], str]"]


def _zip_code() -> Written:
    pattern = "[0-9]{5}(-[0-9]{4})?"
    sources = {
        "regex": pattern,
        "lark": f"start: ZIP\nZIP: /{pattern}/\n",
        "gbnf": 'root ::= [0-9]{5} ("-" [0-9]{4})?',
        COMPACT: json.dumps({"type": "string", "pattern": f"^{pattern}$"}),
    }
    return sources, ["92093", "92093-0404"], ["9209", "92093-", "920933"], json.dumps


def _brackets_to_depth() -> Written:
    pattern = r"\(\)"
    for _ in range(DEPTH - 1):
        pattern = rf"\(({pattern})*\)"
    lines = [f'b{n} ::= "(" b{n + 1}* ")"' for n in range(1, DEPTH)] + [f'b{DEPTH} ::= "()"']
    gbnf = "\n".join(["root ::= b1", *lines])
    lark = gbnf.replace("root ::=", "start:").replace(" ::=", ":")
    schema: dict[str, Any] = {"type": "array", "maxItems": 0}
    for _ in range(DEPTH - 1):
        schema = {"type": "array", "items": schema}
    sources = {"regex": pattern, "lark": lark, "gbnf": gbnf, COMPACT: json.dumps(schema)}
    deepest = "(" * DEPTH + ")" * DEPTH
    texts = [deepest, "(()(()()((()))))", "()"]
    return sources, texts, ["(" + deepest + ")", "(()", "())"], _as_arrays


def _brackets() -> Written:
    sources = {
        "lark": 'start: "(" start* ")"',
        "gbnf": 'root ::= "(" root* ")"',
        COMPACT: json.dumps({"type": "array", "items": {"$ref": "#"}}),
    }
    deep = "(" * 40 + ")" * 40
    return sources, [deep, "(()(()()((()))))", "()"], ["(()", "())", ")("], _as_arrays


def _as_arrays(text: str) -> str:
    """Return brackets as JSON arrays: items want a comma between them."""
    return text.replace("(", "[").replace(")", "]").replace("][", "],[")


def _tutor() -> Written:
    # A character of a JSON string as json.dumps spells it.
    char = r'([^"\\\x00-\x1f]|\\["\\bfnrt]|\\u00(0[0-7bef]|1[0-9a-f]))'
    gbnf_char = r'([^"\\\x00-\x1F] | "\\" (["\\bfnrt] | "u00" ("0" [0-7bef] | "1" [0-9a-f])))'
    regex, gbnf, lark = [], [], []
    properties: dict[str, Any] = SCHEMA["properties"]  # type: ignore[assignment]
    for name, what in properties.items():
        regex.append(f'"{name}":')
        gbnf.append(json.dumps(f'"{name}":'))
        lark.append(gbnf[-1])
        if "enum" in what:
            values = [json.dumps(value, ensure_ascii=False) for value in what["enum"]]
            regex.append(f"({'|'.join(map(re.escape, values))})")
            gbnf.append(f"({' | '.join(json.dumps(v, ensure_ascii=False) for v in values)})")
            lark.append(gbnf[-1])
        else:
            bounds = f"{{{what['minLength']},{what['maxLength']}}}"
            regex.append(f'"{char}{bounds}"')
            gbnf.append(f'"\\"" {gbnf_char}{bounds} "\\""')
            lark.append(f'/"{char}{bounds}"/')
        regex.append(",")
        gbnf.append('","')
        lark.append('","')
    sources = {
        "regex": r"\{" + "".join(regex[:-1]) + r"\}",
        "lark": f'start: "{{" {" ".join(lark[:-1])} "}}"',
        "gbnf": f'root ::= "{{" {" ".join(gbnf[:-1])} "}}"',
        COMPACT: json.dumps(SCHEMA, ensure_ascii=False),
    }
    texts = [_compact(exercise) for exercise in _EXERCISES]
    others = [
        {**_EXERCISES[0], "tense": "past"},
        {**_EXERCISES[0], "hint": ""},
        {**_EXERCISES[0], "hint": "x" * 41},
    ]
    return sources, texts, [_compact(exercise) for exercise in others], str


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _forms() -> Written:
    words = forms(600)
    quoted = " | ".join(json.dumps(word, ensure_ascii=False) for word in words)
    sources = {
        "regex": "|".join(map(re.escape, words)),
        "lark": f"start: FORM\nFORM: {quoted}\n",
        "gbnf": f"root ::= {quoted}",
        COMPACT: json.dumps({"enum": words}, ensure_ascii=False),
    }
    texts = [words[0], words[299], words[599]]
    return sources, texts, ["hablaz", "xyz"], _compact


_WRITERS: dict[str, Callable[[], Written]] = {
    "zip_code": _zip_code,
    f"brackets_{DEPTH}": _brackets_to_depth,
    "brackets": _brackets,
    "tutor": _tutor,
    "forms_600": _forms,
}
