"""What a test of a grammar found, for people and for programs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["FAILURES", "Finding", "GrammarReport"]

# What can be wrong, and how a heading says it.
FAILURES = {
    "false-negative": "texts that the grammar should accept and does not",
    "tokenisation": "spellings of accepted texts that the masks forbid",
    "wrong-sample": "samples to accept that the oracle rejects",
    "accepted": "samples to reject that the grammar accepts",
    "false-positive": "texts of the grammar that the oracle rejects",
}
_SHOWN = 10
_LONGEST_TEXT = 200


@dataclass(frozen=True)
class Finding:
    """Something wrong with a grammar, or with a sample.

    Args:
        kind: One of ``FAILURES``.
        origin: Where the text comes from: a sample's name, ``rules``, ``masks``, ``mutants`` or
            ``model``.
        text: The text.
        detail: Where it goes wrong, or what the oracle said.
    """

    kind: str
    origin: str
    text: str
    detail: str = ""

    def record(self) -> dict[str, str]:
        """Return it as JSON values."""
        return {
            "kind": self.kind,
            "origin": self.origin,
            "text": self.text,
            "detail": self.detail,
        }


@dataclass
class GrammarReport:
    """All that a test of a grammar found.

    Args:
        name: The grammar.
        oracle: Name of the judge, if there was one.
        counts: How many texts of each origin were tried, and how many spellings.
        findings: What is wrong; empty when all is well.
        rejected: Where each sample to reject leaves the language.
        narrower: Texts that the oracle accepts and the grammar does not: no failure, since a
            grammar may be meant to be narrower, unless the test was told otherwise.
        notes: What could not be tested, and why.
        coverage: What the samples use of the grammar, and what they use together with the texts
            drawn; absent where it is not known.
    """

    name: str
    oracle: str | None = None
    counts: dict[str, int] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    rejected: dict[str, str] = field(default_factory=dict)
    narrower: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    coverage: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.findings

    def count(self, what: str, more: int = 1) -> None:
        """Add to a count."""
        self.counts[what] = self.counts.get(what, 0) + more

    def record(self) -> dict[str, object]:
        """Return the report as JSON values."""
        return {
            "grammar": self.name,
            "ok": self.ok,
            "oracle": self.oracle,
            "counts": dict(self.counts),
            "findings": [finding.record() for finding in self.findings],
            "rejected": dict(self.rejected),
            "narrower": [finding.record() for finding in self.narrower],
            "notes": list(self.notes),
            "coverage": self.coverage,
        }

    def __str__(self) -> str:
        """Return the report as text."""
        lines = [f"grammar  {self.name}", f"oracle   {self.oracle or 'none'}"]
        lines += [f"  {count:>6}  {what}" for what, count in self.counts.items()]
        for kind, heading in FAILURES.items():
            lines += _listed(heading, [each for each in self.findings if each.kind == kind])
        if self.rejected:
            lines += ["rejected, as they should be:"]
            lines += [f"  {name}: {where}" for name, where in self.rejected.items()]
        lines += _listed("texts that only the oracle accepts", self.narrower)
        for which, figures in self.coverage.items():
            lines += _covered(which, figures)
        lines += [f"note: {note}" for note in self.notes]
        lines.append("nothing is wrong" if self.ok else f"{len(self.findings)} failures")
        return "\n".join(lines)


def _listed(heading: str, findings: list[Finding]) -> list[str]:
    """Return a heading and the shortest findings below it."""
    if not findings:
        return []
    lines = [f"{heading}: {len(findings)}"]
    for finding in sorted(findings, key=lambda each: len(each.text))[:_SHOWN]:
        text = finding.text
        shown = repr(text if len(text) <= _LONGEST_TEXT else text[:_LONGEST_TEXT] + "...")
        lines.append(f"  {finding.origin}: {shown}")
        lines += [f"    {line}" for line in finding.detail.splitlines()]
    return lines


def _covered(which: str, figures: dict[str, Any]) -> list[str]:
    """Return the figures of a coverage and what is left out, in a few lines."""
    shares = ", ".join(
        f"{figures[f'{what}_used']} of {figures[what]} {what}"
        for what in ("rules", "alternatives", "terminals")
    )
    lines = [f"used by {which}: {shares}"]
    for what in ("rules", "alternatives", "terminals"):
        unused = figures[f"{what}_unused"]
        if unused:
            lines.append(f"  {what} not used: {_some(unused)}")
    if figures["rules_not_counted"]:
        lines.append(
            "  not counted, since a difference or an intersection is read as one terminal: "
            + _some(figures["rules_not_counted"])
        )
    if figures["texts_too_long"]:
        lines.append(f"  too long to be read: {', '.join(figures['texts_too_long'][:_SHOWN])}")
    if figures["texts_in_every_cut"]:
        names = ", ".join(dict.fromkeys(figures["texts_in_every_cut"][:_SHOWN]))
        lines.append(f"  read in every cut into terminals, since lark's is not known: {names}")
    return lines


def _some(names: list[str]) -> str:
    """Return the first of some names, and how many more there are."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return "; ".join(names[:_SHOWN]) + more
