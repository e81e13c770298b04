"""One schema and its instances, judged in a process that may be lost: compile, accept, time it.

A job is a dictionary that can be sent to another process, and so is the record that comes back:

    name      what to call it
    schema    the schema; numbers may be decimals
    options   of the format; `resources` is the key of a draft whose remote documents are meant
    texts     [text, valid] for each instance
    values    optional: the instances; a valid one that is refused is tried again with its members
              in the order that `acceptor` finds
    tokens    True: compile against the Tekken vocabulary, not single bytes, and replay all texts

    status    "ok", "refused", "empty", "failed" (an error that is no formgate error), "lost"
    reason    what refused it, with names and numbers left out; `error` has all of it
    texts     [accepted or the error, seconds] for each
    grammar_s, engine_s, mask_s    seconds of reading, of compiling, of the first mask

A time is that of the wall or of the processor, whichever is less, so that other programs count
little. Python's garbage collector runs between jobs, not in them.
"""

from __future__ import annotations

import gc
import re
import resource
import time
from functools import cache
from pathlib import Path
from typing import Any

import formgate
from conformance.texts import written
from formgate.core.compiler import build_grammar

MEMORY_GIB = 6
MOST_GARBAGE = 1_000_000  # objects made since the last collection
_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")
_POINTER = re.compile(r"(?:#/?|(?<=\s)/)[^\s,;:]*")
_NUMBER = re.compile(r"-?\d[\d,.]*")


def begin() -> None:
    """Let an allocation that is too large fail in this process, and import what a schema needs."""
    limit = MEMORY_GIB << 30
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    gc.disable()
    schema = {"type": "object", "properties": {"a": {"pattern": "^a"}, "b": {"minimum": 1}}}
    formgate.compile(schema, byte_vocabulary())


def judge(job: dict[str, Any]) -> dict[str, Any]:
    """Return the record of a job."""
    record: dict[str, Any] = {"name": job["name"], "status": "ok", "texts": []}
    if gc.get_count()[0] > MOST_GARBAGE:
        gc.collect()
    options = dict(job["options"])
    if "resources" in options:
        options["resources"] = _resources(options["resources"])
    vocabulary = tekken() if job.get("tokens") else byte_vocabulary()
    clock = _Clock()
    try:
        grammar = build_grammar(job["schema"], format="json_schema", **options)
        record["grammar_s"] = clock.lap()
        engine = grammar.compile(vocabulary, timeout_s=60.0)
        record["engine_s"] = clock.lap()
        engine.allowed_tokens(engine.start())
        record["mask_s"] = clock.lap()
    except Exception as error:  # noqa: BLE001 (whatever is raised is a result)
        return {**record, **_described(error)}
    for number, (given, valid) in enumerate(job["texts"]):
        at = time.perf_counter()
        accepted: object
        text = given
        try:
            accepted = engine.accepts(text)
            if valid and not accepted and "values" in job:
                text = _arranged(job["schema"], options, job["values"][number])
                accepted = engine.accepts(text)
            if job.get("tokens"):
                accepted = _replayed(engine, text, accepted=bool(accepted))
        except Exception as error:  # noqa: BLE001
            accepted = f"{type(error).__name__}: {error}"[:300]
        record["texts"].append([accepted, time.perf_counter() - at])
    return record


class _Clock:
    """Measures one stretch of time after the other."""

    def __init__(self) -> None:
        self._wall, self._used = time.perf_counter(), time.process_time()

    def lap(self) -> float:
        """Return the seconds since the last call."""
        wall, used = time.perf_counter(), time.process_time()
        lap = min(wall - self._wall, used - self._used)
        self._wall, self._used = wall, used
        return lap


def _arranged(schema: Any, options: dict[str, Any], value: Any) -> str:
    """Return an instance as text with its members in the order of the branches it satisfies."""
    from acceptor import Acceptor

    found = Acceptor(schema, **options).ordered(value)
    return written(value if found is None else found[0])


def _replayed(engine: formgate.Engine, text: str, *, accepted: bool) -> object:
    """Return the verdict of the masks, which must be that of the text."""
    state = engine.start()
    for token in tokenised(text):
        if token not in engine.allowed_tokens(state):
            return "masks refuse what the engine accepts" if accepted else False
        state = engine.advance(state, token)
    ends = any(stop in engine.allowed_tokens(state) for stop in engine.vocabulary.stop_ids)
    return ends if ends == accepted else "masks and the engine disagree at the end"


def _described(error: BaseException) -> dict[str, Any]:
    """Return status, reason and error of what was raised."""
    first = getattr(error, "reason", None) or str(error).split("\n", 1)[0]
    kind = type(error).__name__
    if isinstance(error, formgate.EmptyLanguageError):
        status = "empty"
    elif isinstance(error, formgate.FormgateError):
        status = "refused"
    else:
        status = "failed"
    return {
        "status": status,
        "reason": f"{kind}: {shortened(first)}"[:160],
        "error": f"{kind}: {error}"[:1000] + _place(error if status == "failed" else None),
    }


def _place(error: BaseException | None) -> str:
    """Return where an error came from, innermost first."""
    trace = None if error is None else error.__traceback__
    places = []
    while trace is not None:
        code = trace.tb_frame.f_code
        places.append(f"{Path(code.co_filename).name}:{trace.tb_lineno} {code.co_name}")
        trace = trace.tb_next
    return "".join(f"\n  {place}" for place in places[:-5:-1])


def shortened(message: str) -> str:
    """Return a message without what differs from schema to schema."""
    message = _QUOTED.sub("'…'", message)
    message = _POINTER.sub("#…", message)
    return _NUMBER.sub("N", message)


@cache
def byte_vocabulary() -> formgate.Vocabulary:
    """Return the vocabulary of single bytes and a stop token."""
    return formgate.Vocabulary([*(bytes([byte]) for byte in range(256)), None], stop_ids=[256])


@cache
def tekken() -> formgate.Vocabulary:
    """Return the Tekken vocabulary of Mistral's models."""
    import mistral_common

    folder = Path(mistral_common.__file__).parent
    return formgate.Vocabulary.from_file(folder / "data" / "tekken_240911.json")


@cache
def _longest() -> tuple[dict[bytes, int], int]:
    vocabulary = tekken()
    known = {
        text: token
        for token in range(len(vocabulary))
        if (text := vocabulary.token_bytes(token)) is not None
    }
    return known, max(map(len, known))


def tokenised(text: str) -> list[int]:
    """Return a text as tokens, the longest that fits each time."""
    known, most = _longest()
    data, tokens, at = text.encode(), [], 0
    while at < len(data):
        size = next(n for n in range(most, 0, -1) if data[at : at + n] in known)
        tokens.append(known[data[at : at + size]])
        at += size
    return tokens


@cache
def _resources(draft: str) -> Any:
    from suite import registry

    return registry(draft)
