"""Times of a decode, for people and for programs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formgate.core.decoding import DecodeResult, PhaseTimes, Step, Timings

__all__ = ["duration", "print_steps", "timings_record"]

_UNITS = (("s", 1e9), ("ms", 1e6), ("µs", 1e3))
_PHASES = ("forward", "mask", "sample", "advance")


def duration(time_ns: float) -> str:
    """Return a time with three digits and the unit that suits it."""
    unit, size = next((pair for pair in _UNITS if time_ns >= pair[1] * 0.9995), ("ns", 1.0))
    value = time_ns / size
    digits = 0 if value >= 100 or unit == "ns" else 1 if value >= 10 else 2
    return f"{value:.{digits}f} {unit}"


def print_steps(steps: Sequence[Step], result: DecodeResult) -> None:
    """Print a line for each token, and means and maxima, to standard error."""
    timings = result.timings
    line = "{:>4}  {:<16} {:>8}" + " {:>9}" * len(_PHASES)
    print(line.format("#", "token", "allowed", *_PHASES), file=sys.stderr)
    for number, step in enumerate(steps, 1):
        times = (step.forward_ns, step.mask_ns, step.sample_ns, step.advance_ns)
        shown = repr(step.token_bytes)[1:] if step.token_bytes else f"<{step.token}>"
        cells = map(duration, times)
        print(line.format(number, shown[:16], step.allowed, *cells), file=sys.stderr)
    phases = [getattr(timings, name) for name in _PHASES]
    means = [duration(phase.mean_ns) for phase in phases]
    maxima = [duration(phase.max_ns) for phase in phases]
    print(line.format("", "mean", "", *means), file=sys.stderr)
    print(line.format("", "max", "", *maxima), file=sys.stderr)
    print(
        f"prompt {duration(timings.prompt_ns)}; mask and advance cost "
        f"{timings.overhead:.3%} of the model's time per token",
        file=sys.stderr,
    )


def timings_record(timings: Timings) -> dict[str, object]:
    """Return a summary for JSON, in nanoseconds."""

    def summary(phase: PhaseTimes) -> dict[str, float]:
        return {"count": phase.count, "mean_ns": round(phase.mean_ns), "max_ns": phase.max_ns}

    phases = {name: summary(getattr(timings, name)) for name in _PHASES}
    return {"prompt_ns": timings.prompt_ns, **phases}
