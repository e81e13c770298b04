"""What the checks find, and how it is told."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from formgate.plugins.cfg._lint_grammar import Place

__all__ = ["Finding", "Report", "Severity", "finding", "listed", "named", "quoted"]

Severity = Literal["error", "warning", "info"]

_ORDER = {"error": 0, "warning": 1, "info": 2}
_MOST_NAMES = 8
_MOST_NOTES = 5
_MOST_CHARACTERS = 400


@dataclass(frozen=True)
class Finding:
    """One thing that a check found.

    Attributes:
        severity: ``error``: some text can never be read, or lark refuses the grammar; ``warning``:
            what the grammar means is surely not what it looks like; ``info``: worth knowing.
        check: The check's name.
        subject: The rule or terminal.
        message: What was found.
        line: Where the subject is defined; None where that is not in this source.
        column: The column there, counted from one.
        example: An input that shows it.
        derivations: Two derivations of the example, where it is ambiguous.
        hint: The way out.
    """

    severity: Severity
    check: str
    subject: str
    message: str
    line: int | None = None
    column: int | None = None
    example: str | None = None
    derivations: tuple[str, ...] = ()
    hint: str = ""

    def to_dict(self) -> dict[str, object]:
        """Return the finding as JSON knows it."""
        return {
            "severity": self.severity,
            "check": self.check,
            "subject": self.subject,
            "message": self.message,
            "line": self.line,
            "column": self.column,
            "example": self.example,
            "derivations": list(self.derivations),
            "hint": self.hint,
        }

    def to_text(self) -> str:
        """Return the finding in lines for people."""
        place = "" if self.line is None else f"line {self.line}, column {self.column}: "
        lines = [f"{place}{self.severity}: {self.message} [{self.check}]"]
        if self.example is not None:
            lines.append(f"  example: {quoted(self.example)}")
        lines += [f"  read as: {_cut(derivation)}" for derivation in self.derivations]
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)


@dataclass(frozen=True)
class Report:
    """All findings about one grammar.

    Attributes:
        format: The format that the grammar was read in.
        findings: The findings, errors first, then by place.
        facts: What the checks say of the grammar as a whole, by name.
    """

    format: str
    findings: tuple[Finding, ...]
    facts: dict[str, object]

    @classmethod
    def of(cls, format: str, findings: list[Finding], facts: dict[str, object]) -> Report:  # noqa: A002
        """Return a report with its findings in order."""
        ordered = sorted(
            dict.fromkeys(findings),
            key=lambda each: (_ORDER[each.severity], each.line or 0, each.column or 0, each.check),
        )
        return cls(format, tuple(ordered), facts)

    def failed(self, *, strict: bool = False) -> bool:
        """Say whether there are errors; with ``strict``, whether there are warnings or errors."""
        bad = ("error", "warning") if strict else ("error",)
        return any(each.severity in bad for each in self.findings)

    def to_json(self) -> str:
        """Return the report as JSON."""
        return json.dumps(
            {
                "format": self.format,
                "counts": self._counts(),
                "facts": self.facts,
                "findings": [each.to_dict() for each in self.findings],
            },
            indent=2,
            ensure_ascii=False,
        )

    def to_text(self) -> str:
        """Return the report for people; of many notes of one kind, the first few."""
        lines: list[str] = []
        notes: Counter[str] = Counter()
        for each in self.findings:
            notes[each.check] += each.severity == "info"
            if each.severity != "info" or notes[each.check] <= _MOST_NOTES:
                lines.append(each.to_text())
        lines += [
            f"info: {number - _MOST_NOTES} more of this kind; --json lists them [{check}]"
            for check, number in notes.items()
            if number > _MOST_NOTES
        ]
        counts = ", ".join(
            f"{number} {name}{'' if number == 1 or name == 'info' else 's'}"
            for name, number in self._counts().items()
        )
        facts = [f"{name}: {value}" for name, value in self.facts.items()]
        return "\n".join([*lines, *facts, counts])

    def _counts(self) -> dict[str, int]:
        counter = Counter(each.severity for each in self.findings)
        return {"error": counter["error"], "warning": counter["warning"], "info": counter["info"]}


def finding(
    severity: Severity,
    check: str,
    subject: str,
    message: str,
    *,
    place: Place | None = None,
    example: str | None = None,
    derivations: tuple[str, ...] = (),
    hint: str = "",
) -> Finding:
    """Return a finding at a place, if it has one."""
    line, column = (None, None) if place is None else place
    return Finding(severity, check, subject, message, line, column, example, derivations, hint)


def listed(names: list[str]) -> str:
    """Return names in a row, cut where there are many."""
    shown = ", ".join(names[:_MOST_NAMES])
    more = len(names) - _MOST_NAMES
    return f"{shown} and {more} more" if more > 0 else shown


def named(name: str) -> str:
    """Return a terminal's name in quotes; what stands for one without a name has its own."""
    return name if name.startswith(('"', "/")) else repr(name)


def quoted(text: str) -> str:
    """Return a text in quotes, with escapes, cut where it is long."""
    return _cut(json.dumps(text, ensure_ascii=False))


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_CHARACTERS else text[: _MOST_CHARACTERS - 3] + "..."
