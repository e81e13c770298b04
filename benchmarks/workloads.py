"""What is replayed: each text of a case as token ids, the same for every engine."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from benchmarks.cases import Case
    from benchmarks.vocabularies import Tokeniser


def build_workload(cases: Iterable[Case], tokeniser: Tokeniser) -> list[dict[str, Any]]:
    """Return one JSON-ready entry per case, in order.

    `compared` says that masks are, so that engines sum them up; `json` that texts are JSON, whoever
    reads the case, so that a sample of masks is judged as such. `runs` are matching texts,
    `rejects` non-matching ones: dictionaries of the text's number, the tokenisation and the ids.
    The first run of a case is always its first text in its first tokenisation, then comes the same
    written in another way, where there is such a text: these are a `pair`. A run that equals
    another of the same text is left out, as are texts with bytes that the vocabulary lacks.
    """
    return [
        {
            "name": case.name,
            "format": case.format,
            "source": case.source,
            "dialects": {package: asdict(own) for package, own in case.dialects.items()},
            "compared": case.common and case.same_masks,
            "json": case.format.startswith("json_schema"),
            "runs": _runs(case, tokeniser),
            "rejects": _tokenised(case.non_matching, tokeniser, case.tokenisations),
        }
        for case in cases
    ]


def _runs(case: Case, tokeniser: Tokeniser) -> list[dict[str, Any]]:
    runs = _tokenised(case.matching, tokeniser, case.tokenisations)
    texts = (0, 1) if case.rewritten else (0,)
    for run in runs:
        run["pair"] = run["text"] in texts and run["tokenisation"] == case.tokenisations[0]
    return sorted(runs, key=lambda run: not run["pair"])


def _tokenised(
    texts: tuple[str, ...], tokeniser: Tokeniser, ways: tuple[str, ...]
) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = []
    for number, text in enumerate(texts):
        seen: list[list[int]] = []
        for how in ways:
            try:
                tokens = tokeniser.encode(text, how)
            except ValueError:
                continue
            if tokens not in seen:
                seen.append(tokens)
                entries.append({"text": number, "tokenisation": how, "tokens": tokens})
    return entries
