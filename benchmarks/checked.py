"""Whether a results file has the shape that reports, comparisons and pages rely on.

A shape is a function of a value and of where it stands, which raises `ShapeError` where the value
is something else. Series, the bulk of a file, are looked through by type only, so that this takes a
small part of reading the JSON. What is not named here is not looked at.

All numbers of a file are times, sizes and counts: none is below 0, infinite or NaN, and `MOST` is
more than any of them comes to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Shape = Callable[[Any, str], None]

STATUSES = ("ok", "refused", "wrong", "timeout", "crash")
MODES = ("shared", "isolated")
SHOWN = 40  # characters of a value
MOST = 1e18  # in nanoseconds thirty years


class ShapeError(ValueError):
    """A value that is none of what stands there."""


def check(results: Any) -> None:
    """Raise `ShapeError`, with the place and what is wrong with it, for anything but results."""
    _FILE(results, "")
    _different(results["sessions"])
    for number, session in enumerate(results["sessions"]):
        if session["workload"] in {"replay", "decoding"}:
            for name in session["cases"]:
                if name not in results["cases"]:
                    _fail(f"sessions[{number}].cases", name, "one of the cases of the file")
        if session["workload"] == "device":
            for place, record in enumerate(session["steps"]):
                if record["status"] == "ok":
                    _turns(record, f"sessions[{number}].steps[{place}]")


def session_key(session: dict[str, Any]) -> tuple[str, ...]:
    """Return what tells a session from the others of a file."""
    names = ("vocabulary", "workload", "kind", "mode", "engine")
    return tuple(session[name] for name in names if name in session)


def _different(sessions: list[dict[str, Any]]) -> None:
    """Raise `ShapeError` where there is no session, or one twice, which would hide the other."""
    if not sessions:
        _fail("sessions", sessions, "a list that is not empty")
    first: dict[tuple[str, ...], int] = {}
    for number, session in enumerate(sessions):
        key = session_key(session)
        if first.setdefault(key, number) != number:
            raise ShapeError(f"sessions[{number}] is {' '.join(key)}, as is sessions[{first[key]}]")


def _turns(record: Any, where: str) -> None:
    """Check that the steps without masks are those with masks, once or several times."""
    plain, steps = record["plain_ns"], len(record["again_ns"])
    if len(plain) % steps:
        _fail(f"{where}.plain_ns", plain, f"turns of {steps} steps each")


def _fail(where: str, value: Any, expected: str) -> None:
    shown = repr(value)
    shown = shown if len(shown) <= SHOWN else f"{shown[:SHOWN]}..."
    raise ShapeError(f"{where.lstrip('.') or 'the file'} is {shown}, not {expected}")


def _of(expected: str, kind: type) -> Shape:
    def shape(value: Any, where: str) -> None:
        if not isinstance(value, kind):
            _fail(where, value, expected)

    return shape


def _one_of(*values: str) -> Shape:
    def shape(value: Any, where: str) -> None:
        if value not in values:
            _fail(where, value, f"one of {', '.join(values)}")

    return shape


def _list(each: Shape, least: int = 0) -> Shape:
    def shape(value: Any, where: str) -> None:
        if not isinstance(value, list) or len(value) < least:
            _fail(where, value, "a list" if least == 0 else "a list that is not empty")
        for number, part in enumerate(value):
            each(part, f"{where}[{number}]")

    return shape


def _map(each: Shape) -> Shape:
    def shape(value: Any, where: str) -> None:
        if not isinstance(value, dict):
            _fail(where, value, "an object")
        for name, part in value.items():
            each(part, f"{where}.{name}")

    return shape


def _record(needs: Mapping[str, Shape], may: Mapping[str, Shape] | None = None) -> Shape:
    """Return the shape of an object with these members, of which `may` can be missing."""

    def shape(value: Any, where: str) -> None:
        if not isinstance(value, dict):
            _fail(where, value, "an object")
        for name, part in needs.items():
            if name not in value:
                raise ShapeError(f"{f'{where}.{name}'.lstrip('.')} is missing")
            part(value[name], f"{where}.{name}")
        for name, part in (may or {}).items():
            if name in value:
                part(value[name], f"{where}.{name}")

    return shape


def _or_none(inner: Shape) -> Shape:
    def shape(value: Any, where: str) -> None:
        if value is not None:
            inner(value, where)

    return shape


def _anything(value: Any, where: str) -> None:
    del value, where


def _number(value: Any, where: str) -> None:
    if type(value) not in {int, float}:
        _fail(where, value, "a number")
    if not 0 <= value <= MOST:
        _fail(where, value, _RANGE)


def _whole(value: Any, where: str) -> None:
    if type(value) is not int:
        _fail(where, value, "a whole number")
    _number(value, where)


_RANGE = f"a number from 0 to {MOST:g}"


def _series(value: Any, where: str) -> None:
    types: set[type] = set(map(type, value)) if isinstance(value, list) else {list}
    if not types <= {int, float}:
        _fail(where, value, "a list of numbers")
    # The quick test is one of whole numbers: NaN is neither above nor below anything.
    if types == {int} and min(value) >= 0 and max(value) <= MOST:
        return
    for number, part in enumerate(value):
        _number(part, f"{where}[{number}]")


def _times(value: Any, where: str) -> None:
    _series(value, where)
    if not value:
        _fail(where, value, "a list that is not empty")


def _divisors(value: Any, where: str) -> None:
    _times(value, where)
    if min(value) <= 0:
        _fail(where, value, "a list of numbers above 0")


def _positive(value: Any, where: str) -> None:
    _number(value, where)
    if not value > 0:
        _fail(where, value, "above 0")


_text = _of("a text", str)
_flag = _of("true or false", bool)
_status = _one_of(*STATUSES)
_judged = _or_none(_list(_number))

_RUN = _record(
    {
        "text": _number, "tokenisation": _text, "failure": _or_none(_text), "start_ns": _number,
        "mask_ns": _series, "advance_ns": _series,
    },
    {
        "pair": _flag, "warm_mask_ns": _times, "warm_advance_ns": _series, "loop_ns": _number,
        "wall_ns": _number, "cpu_ns": _number, "digests": _or_none(_series), "judged": _judged,
    },
)  # fmt: skip


def _run(value: Any, where: str) -> None:
    _RUN(value, where)
    steps = len(value["mask_ns"])
    if value["failure"] is None and not 0 < steps == len(value["advance_ns"]) + 1:
        _fail(f"{where}.mask_ns", steps, f"one more than {len(value['advance_ns'])} tokens")
    if value.get("digests") and len(value["digests"]) != steps:
        _fail(f"{where}.digests", len(value["digests"]), f"as many as masks: {steps}")
    if value.get("judged") is not None and len(value["judged"]) != len(("contradicted", "seen")):
        _fail(f"{where}.judged", value["judged"], "two numbers")
    if ("warm_mask_ns" in value) != ("warm_advance_ns" in value):
        _fail(f"{where}.warm_mask_ns", "alone", "beside warm_advance_ns")
    if value["failure"] is None and "warm_mask_ns" in value:
        for name in ("mask_ns", "advance_ns"):
            if len(value[f"warm_{name}"]) != len(value[name]):
                _fail(f"{where}.warm_{name}", len(value[f"warm_{name}"]), f"as many as {name}")


_REPLAYED = _record(
    {"compile_ns": _number, "rss_peak_mib": _number, "runs": _list(_run)}, {"read_ns": _number}
)


def _case(value: Any, where: str) -> None:
    """Check a record of a replay; one that is right has an output that was made."""
    _record({"status": _status}, {"error": _text})(value, where)
    if value["status"] == "ok" or "runs" in value:
        _REPLAYED(value, where)
    if value["status"] == "ok":
        _has_output(value, where)


def _has_output(value: Any, where: str) -> None:
    if all(run["failure"] for run in value["runs"]):
        _fail(f"{where}.runs", value["runs"], "a list with an output that was made")


def _measured(needs: Mapping[str, Shape]) -> Shape:
    """Return the shape of a record that has these members where its status is "ok"."""
    full = _record(needs)

    def shape(value: Any, where: str) -> None:
        _record({"status": _status})(value, where)
        (full if value["status"] == "ok" else _FAILED)(value, where)

    return shape


_FAILED = _record({"error": _text})
_MIB = dict.fromkeys(("rss_base_mib", "rss_setup_mib"), _number)
_FILLED = _measured(
    {"rows": _positive, **dict.fromkeys(
        ("first_ns", "first_cpu_ns", "again_ns", "again_cpu_ns"), _times)}
)  # fmt: skip
_DEVICE = {
    "kernels": {"scores": _text, "rows": _whole, "masks": _text, "device_ns": _number,
                "host_ns": _number},
    "steps": {"forward_ms": _number, "rows": _whole, "plain_ns": _times, "again_ns": _times,
              "again_host_ns": _times},
    "decoding": {"rows": _whole, "plain_ns": _divisors, "masked_ns": _times},
}  # fmt: skip
_MODE = _record(dict.fromkeys(("mask_ns", "advance_ns", "sample_ns"), _times))
_UNMASKED = _record(dict.fromkeys(("forward_ns", "sample_ns"), _times))


def _batch(value: Any, where: str) -> None:
    _record({"mix": _text, "threads": _number})(value, where)
    _FILLED(value, where)


def _decoded(value: Any, where: str) -> None:
    needs = {"tokens": _list(_number), "read_ns": _number, "compile_ns": _number}
    modes = _record({"unmasked": _UNMASKED, "precompiled": _MODE, "lazy": _MODE})
    _record({**needs, "modes": modes})(value, where)
    for name, mode in value["modes"].items():
        if name != "unmasked":
            _MODE(mode, f"{where}.modes.{name}")
            if len(mode["mask_ns"]) != len(mode["advance_ns"]):
                _fail(f"{where}.modes.{name}.mask_ns", len(mode["mask_ns"]), "one for each token")


def _decoding(value: Any, where: str) -> None:
    """Check the cases of a session that decodes; all have the same ways of making masks."""
    _record({"cases": _map(_decoded)})(value, where)
    modes = {name: sorted(case["modes"]) for name, case in value["cases"].items()}
    first = next(iter(modes.values()), [])
    for name, found in modes.items():
        if found != first:
            _fail(f"{where}.cases.{name}.modes", found, f"as in other cases: {', '.join(first)}")


_SESSIONS: dict[str, Shape] = {
    "replay": _record(
        {
            "kind": _text, "mode": _one_of(*MODES), "cases": _map(_case),
            "setup": _record({**_MIB, "import_ms": _number, "setup_ms": _number},
                             {"first_compile_ms": _number}),
        },
        {
            "rss_peak_mib": _number,
            "interrupted": _record(dict.fromkeys(("cases", "of", "repeats"), _number)),
        },
    ),
    "batch": _record({"batches": _list(_batch)}),
    "startup": _record(
        {
            "imports": _list(_record(dict.fromkeys(("wall_ns", "cpu_ns", "rss_mib"), _number)), 1),
            "setups": _list(_record({"setup_ms": _number}), 1),
            "setup": _record(dict.fromkeys(("rss_setup_mib", "rss_import_mib"), _number)),
        }
    ),
    "memory": _record(
        {
            "status": _status, "setup": _record({"rss_setup_mib": _number}),
            "points": _list(_record(
                {"schemas": _positive, **dict.fromkeys(
                    ("rss_mib", "peak_mib", "refused", "wrong"), _number)},
                {"own_cpu_s": _number},
            )),
        }
    ),
    "decoding": _decoding,
    "device": _record(
        {"device": _text, **{part: _list(_measured(needs)) for part, needs in _DEVICE.items()}}
    ),
}  # fmt: skip
_SESSION = _record(
    {
        "workload": _one_of(*_SESSIONS), "engine": _text, "vocabulary": _text,
        "versions": _map(_text),
    }
)  # fmt: skip


def _session(value: Any, where: str) -> None:
    _SESSION(value, where)
    _SESSIONS[value["workload"]](value, where)
    if value["workload"] == "replay" and value["engine"] == "trivial":  # its times always count
        for name, record in value["cases"].items():
            if "runs" in record:
                _has_output(record, f"{where}.cases.{name}")
    if value["workload"] == "memory" and value["status"] == "ok" and not value["points"]:
        _fail(f"{where}.points", [], "a list that is not empty")


_FILE = _record(
    {
        "date": _text, "source": _text, "sessions": _list(_session),
        "machine": _record(
            {
                "cpu": _text, "load": _list(_number, 1),
                **dict.fromkeys(("cores", "cache", "memory_gib", "system", "python"), _anything),
            }
        ),
        "options": _record({}, {"timeout_s": _number, "repeat": _number}),
        "cases": _map(
            _record({"format": _text, "group": _text, "common": _flag}, {"same_masks": _flag})
        ),
    },
    {"command": _list(_text), "complete": _flag, "interrupted": _flag},
)  # fmt: skip
