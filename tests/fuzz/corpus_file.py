"""A finding as a case of the corpus, with the masks that the judge gives."""

from __future__ import annotations

import hashlib
import json
import random
from pathlib import Path
from typing import TYPE_CHECKING

from oracle.native import try_oracle

from formgate.testing import BruteForce, Sample
from fuzz.grammars import source_of
from fuzz.rewrites import rewritten

if TYPE_CHECKING:
    from fuzz.cases import Case
    from fuzz.worker import Outcome

FOUND = Path(__file__).resolve().parent.parent / "corpus" / "found"


def written(case: Case, duel: str, outcome: Outcome, origin: str) -> str:
    """The text of a corpus file."""
    tiny = case.vocabulary
    names = {token: name for name, token in tiny.special.items()}
    shown = [
        _bytes(text)
        if text is not None
        else "{ stop = true }"
        if token in tiny.stop_ids
        else f"{{ special = {json.dumps(names[token])} }}"
        if token in names
        else "{}"
        for token, text in enumerate(tiny.tokens)
    ]
    claim = " ".join(outcome.detail.split())[:200]
    lines = [
        "[[case]]",
        f'name = "{duel}-{hashlib.sha256(case.dump().encode()).hexdigest()[:8]}"',
        f"why = {json.dumps(f'{outcome.kind}: {claim}', ensure_ascii=False)}",
        f"origin = {json.dumps(origin)}",
        *_source(case),
    ]
    if duel == "rewriting":
        other = rewritten(case.tree, random.Random(case.seed))
        lines.append(f"same_as = ['''{other!r}''']")
    lines.append(f"tokens = [{', '.join(shown)}]")
    oracle = None if case.tree[0] == "rules" else try_oracle(case.tree, tiny, budget=2_000)
    if oracle is not None and oracle.is_empty:
        lines.append('error = "EmptyLanguageError"')
    elif oracle is not None:
        for after in sorted({b"", outcome.after}, key=len):
            state = oracle.machine.walk(oracle.start, after)
            if oracle.is_live(state):
                texts = dict.fromkeys(oracle.text_of[t] for t in sorted(oracle.text_tokens(state)))
                lines += [
                    "[[case.mask]]",
                    f"after = {_bytes(after)}",
                    f"allowed = [{', '.join(map(_bytes, texts))}]",
                    f"stop = {json.dumps(oracle.accepts_here(state))}",
                ]
    elif case.tree[0] == "rules":
        lines += _grammar_masks(case, outcome.after)
    return "\n".join(lines) + "\n"


def _source(case: Case) -> list[str]:
    if case.tree[0] != "rules":
        return ['format = "tree"', f"source = '''{case.tree!r}'''"]
    source = source_of(case.tree)
    terminals = ", ".join(f"{name} = {json.dumps(p)}" for name, p in source.terminals.items())
    return [
        'format = "grammar"',
        f"source = '''\n{source.text}\n'''",
        f"terminals = {{ {terminals} }}",
    ]


def _grammar_masks(case: Case, after: bytes) -> list[str]:
    """The masks by enumeration, as far as the corpus looks by default."""
    tiny, source = case.vocabulary, source_of(case.tree)
    judge = BruteForce(
        Sample("found", "", source.accepts, tiny.tokens, tiny.stop_ids, may_begin=source.may_begin)
    )
    if judge.is_empty:
        return ['error = "EmptyLanguageError"']
    lines = []
    for text in sorted({b"", after}, key=len):
        if judge.completable(text):
            texts = dict.fromkeys(judge.text_of[t] for t in sorted(judge.text_tokens(text)))
            lines += [
                "[[case.mask]]",
                f"after = {_bytes(text)}",
                f"allowed = [{', '.join(map(_bytes, texts))}]",
                f"stop = {json.dumps(judge.accepts(text))}",
            ]
    return lines


def save(case: Case, duel: str, outcome: Outcome, origin: str, folder: Path = FOUND) -> Path:
    """Write the case to a file named after its contents, and return the path."""
    folder.mkdir(parents=True, exist_ok=True)
    text = written(case, duel, outcome, origin)
    path = folder / f"{duel}-{hashlib.sha256(case.dump().encode()).hexdigest()[:8]}.toml"
    path.write_text(text, encoding="utf-8")
    return path


def _bytes(text: bytes) -> str:
    try:
        decoded = text.decode()
    except UnicodeDecodeError:
        return f'{{ hex = "{text.hex().upper()}" }}'
    if decoded.isprintable():
        return json.dumps(decoded, ensure_ascii=False)
    return f'{{ hex = "{text.hex().upper()}" }}'
