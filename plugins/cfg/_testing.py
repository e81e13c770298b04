"""``check_grammar``: does a grammar accept what it should, and nothing else?

Samples to accept must be accepted under every spelling that is tried; samples to reject must be
rejected; and an independent judge must accept whatever the grammar does: texts drawn from its rules
and from its masks, changed samples, and what a model writes under it. With judges that are exact
the other direction is tested, too.

Nothing here is specific to a format: the rules come from ``_testing_record``, the rest from the
engine.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from formgate.core.compiler import build_grammar
from formgate.core.errors import FormgateError, GrammarError
from formgate.core.registry import default_registry
from formgate.core.vocabulary import Vocabulary, byte_vocabulary
from formgate.plugins.cfg._shipped import shipped_grammar
from formgate.plugins.cfg._testing_coverage import Coverage
from formgate.plugins.cfg._testing_lexemes import lark_tokens
from formgate.plugins.cfg._testing_model import written
from formgate.plugins.cfg._testing_oracles import find_oracle, lark_oracle, lark_parser
from formgate.plugins.cfg._testing_record import Recorder
from formgate.plugins.cfg._testing_report import Finding, GrammarReport
from formgate.plugins.cfg._testing_sampler import ByteWalker, RuleSampler, mutant, walk
from formgate.plugins.cfg._testing_spell import Speller, made_up_vocabulary
from formgate.plugins.cfg._testing_symbols import Symbols

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from formgate.core._native import Engine
    from formgate.core.decoding import LoadedModel
    from formgate.core.grammar import Grammar, GrammarBuilder
    from formgate.plugins.cfg._testing_oracles import Oracle

__all__ = ["check_grammar"]

_SIZES = (2, 8, 30, 120)
_SPELLINGS = 4


def check_grammar(
    source: object,
    *,
    accept: Mapping[str, bytes],
    reject: Mapping[str, bytes],
    format: str | None = None,  # noqa: A002 (as in formgate.compile)
    options: Mapping[str, object] | None = None,
    vocabulary: Vocabulary | None = None,
    oracle: str | None = None,
    exact: bool = False,
    seed: int = 0,
    count: int = 100,
    model: LoadedModel | None = None,
) -> GrammarReport:
    """Test a grammar with samples, with texts drawn at random, and with an independent judge.

    Cost: some milliseconds for each text; a model's outputs take as long as the model does.

    Args:
        source: The grammar, as for ``formgate.compile``.
        accept: Texts of the language, by name.
        reject: Texts outside it, by name.
        format: Format of the source.
        options: Options of the format.
        vocabulary: The tokens to spell texts with; the model's, or else bytes and pieces of the
            samples, when left out.
        oracle: Name of a judge, or ``module:function``. When left out: the one that a grammar which
            comes with formgate names, lark for a Lark grammar, or none.
        exact: The judge's language is the grammar's, so what it alone accepts is a failure, too.
        seed: Makes the random texts repeatable.
        count: How many texts to draw from the rules, and of mutants; half as many from the masks.
        model: A model to write some texts under the grammar.

    Raises:
        GrammarError: The grammar is wrong.
        FormgateError: The oracle is unknown; or ``exact`` is asked for and there is none.
    """
    if count < 0:
        raise FormgateError(f"count is a number of texts, not {count}")
    if count == 0 and not accept and not reject and model is None:
        raise FormgateError("there is nothing to test: no samples, no model, and a count of 0")
    given: dict[str, Any] = dict(options or {})
    grammar = build_grammar(source, format=format, **given)
    judge = _judge(oracle, source, grammar.format, given)
    if exact and judge is None:
        raise FormgateError("an exact test needs an oracle; name one")
    chance = random.Random(seed)  # noqa: S311 (texts for tests, no secrets)
    if vocabulary is None and model is not None:
        vocabulary = model.vocabulary
    if vocabulary is None:
        vocabulary = made_up_vocabulary(accept.values(), chance)
    test = _Test(grammar, vocabulary, judge, chance)
    test.exact = exact
    name = source if grammar.format == "grammar" else grammar.format
    test.report.name = str(name)
    for sample, data in accept.items():
        test.must_accept(sample, data)
    for sample, data in reject.items():
        test.must_reject(sample, data)
    symbols = Symbols(_recorded(source, grammar.format, given), byte_vocabulary())
    coverage = Coverage(symbols, _tokens(symbols, source, grammar.format, given))
    test.cover(coverage, "the samples", accept.items())
    drawn = test.draw(symbols, list(accept.values()), count)
    if model is not None:
        drawn += test.write(model, max(1, min(count, 10)))
    test.cover(coverage, "samples and drawn texts", (("drawn", data) for data in drawn))
    return test.report


def _judge(
    name: str | None, source: object, format_name: str | None, options: dict[str, object]
) -> Oracle | None:
    """Return the judge of a grammar: the one asked for, or the one that belongs to it."""
    if name is not None:
        return find_oracle(name)
    if format_name == "grammar" and isinstance(source, str):
        found = shipped_grammar(source)
        if found.oracle is not None:
            return None if "root" in options or "start" in options else find_oracle(found.oracle)
        source, format_name, options = found.path, found.format, {**found.options, **options}
    return lark_oracle(source, options) if format_name == "lark" else None


def _tokens(
    symbols: Symbols, source: object, format_name: str | None, options: dict[str, object]
) -> Callable[[str], list[tuple[str, int, int]] | None] | None:
    """Return what cuts texts as lark's own lexers do, where the grammar means these."""
    if symbols.lexer is None or symbols.lexer.mode != "first":
        return None
    if format_name == "grammar" and isinstance(source, str):
        found = shipped_grammar(source)
        source, options = found.path, {**found.options, **options}
    parser = lark_parser(source, options)
    return None if parser is None else lambda text: lark_tokens(parser, text)


def _recorded(source: object, format_name: str | None, options: dict[str, object]) -> Recorder:
    """Return what the format writes for a source."""
    registry = default_registry()

    def embed(name: str, inner: object, to: GrammarBuilder, its: dict[str, object]) -> None:
        registry.format(name).spec.compile(inner, to, its)

    recorder = Recorder(embed=embed)
    registry.format(str(format_name)).spec.compile(source, recorder, options)
    hint = "test-grammar is for grammars; formgate check tries single texts"
    if recorder.root not in recorder.terms or (not recorder.is_whole() and not recorder.embeds):
        raise GrammarError(
            f"the format {str(format_name)!r} has no rules that could be tested", hint=hint
        )
    if not recorder.is_whole():
        raise GrammarError(
            "the grammar has parts in another format, whose rules cannot be tested", hint=hint
        )
    return recorder


class _Test:
    """One test of one grammar.

    Args:
        grammar: The grammar.
        vocabulary: The tokens to spell texts with.
        judge: Who else knows the language, if anybody.
        chance: Where randomness comes from.
    """

    def __init__(
        self,
        grammar: Grammar,
        vocabulary: Vocabulary,
        judge: Oracle | None,
        chance: random.Random,
    ) -> None:
        self.exact = False
        self.report = GrammarReport("", None if judge is None else judge.name)
        self._grammar = grammar
        self._bytes: Engine = grammar.compile(byte_vocabulary())
        self._engine: Engine = grammar.compile(vocabulary)
        self._speller = Speller(vocabulary)
        self._judge = judge
        self._chance = chance

    def must_accept(self, name: str, data: bytes) -> None:
        """Test a text of the language."""
        self.report.count("samples to accept")
        if not self._bytes.accepts(data):
            self._found("false-negative", name, data, self._where(data))
        else:
            self._spell(name, data)
        verdict, reason = self._verdict(data)
        if verdict is False and not self._is_meant(data):
            self._found("wrong-sample", name, data, reason)

    def must_reject(self, name: str, data: bytes) -> None:
        """Test a text outside the language."""
        self.report.count("samples to reject")
        if self._bytes.accepts(data):
            verdict, reason = self._verdict(data)
            said = {True: "the oracle accepts it, too", False: reason, None: ""}[verdict]
            self._found("accepted", name, data, said)
            return
        self.report.rejected[name] = self._where(data)
        self._compare(name, data)

    def draw(self, symbols: Symbols, samples: list[bytes], count: int) -> list[bytes]:
        """Test texts drawn from the rules, from the masks, and by changing samples."""
        sampler = RuleSampler(symbols, self._chance)
        drawn = self._drawn("rules", count, lambda: sampler.draw(self._chance.choice(_SIZES)))
        sizes = [size // 4 for size in _SIZES]
        end = ByteWalker(self._bytes, self._chance)
        drawn += self._drawn(
            "masks",
            count // 2,
            lambda: walk(self._engine, end, self._chance, self._chance.choice(sizes)),
        )
        texts = [data.decode("utf-8", errors="ignore") for data in samples]
        if texts:
            drawn += self._drawn("mutants", count, lambda: mutant(texts, self._chance).encode())
        return drawn

    def write(self, model: LoadedModel, count: int) -> list[bytes]:
        """Test what a model writes under the grammar."""
        engine = self._grammar.compile(model.vocabulary)
        found = []
        for data in written(model, engine, self.report.name, count, self._chance):
            if data is None:
                self.report.count("outputs of the model cut off")
                continue
            self.report.count("outputs of the model")
            if self._is_member("model", data):
                found.append(data)
        return found

    def cover(self, coverage: Coverage, which: str, texts: Iterable[tuple[str, bytes]]) -> None:
        """Count what some texts use of the grammar, together with those before."""
        for name, data in texts:
            if self._bytes.accepts(data):
                coverage.add(data, name)
        self.report.coverage[which] = coverage.record()

    def _drawn(self, origin: str, count: int, draw: Callable[[], bytes | None]) -> list[bytes]:
        """Draw some texts; return those of the language."""
        found = []
        for _ in range(count):
            data = draw()
            if data is None:
                self.report.count(f"drawn from {origin}, no end found")
            elif self._bytes.accepts(data):
                self.report.count(f"drawn from {origin}")
                self._is_member(origin, data)
                found.append(data)
            else:
                self.report.count(f"drawn from {origin}, not in the language")
                if origin == "masks":
                    self._found("tokenisation", origin, data, self._where(data))
                self._compare(origin, data)
        return found

    def _is_member(self, origin: str, data: bytes) -> bool:
        """Put a text that the grammar accepts to the judge, and spell it."""
        verdict, reason = self._verdict(data)
        if verdict is False and not self._is_meant(data):
            self._found("false-positive", origin, data, reason)
        self._spell(origin, data)
        return verdict is not False

    def _is_meant(self, data: bytes) -> bool:
        """Say whether the grammar accepts on purpose what the judge rejects, and count that."""
        meant = self._judge is not None and self._judge.allows(data)
        if meant:
            self.report.count("texts that lark rejects for a conflict it resolves, as documented")
        return meant

    def _compare(self, origin: str, data: bytes) -> None:
        """Ask the judge about a text that the grammar rejects."""
        verdict, _ = self._verdict(data)
        if verdict is not True:
            return
        if self.exact:
            self._found("false-negative", origin, data, self._where(data))
        else:
            finding = Finding("narrower", origin, _text(data), self._where(data))
            if finding not in self.report.narrower:
                self.report.narrower.append(finding)

    def _spell(self, name: str, data: bytes) -> None:
        """Walk several spellings of a text that the grammar accepts."""
        lattice = self._speller.lattice(data)
        if lattice is None:
            self.report.count("texts that the vocabulary cannot spell")
            return
        spellings = [self._speller.longest(data, lattice)]
        spellings += [
            self._speller.random(data, lattice, self._chance) for _ in range(_SPELLINGS - 1)
        ]
        for tokens in spellings:
            self.report.count("spellings")
            legal = self._engine.validate(self._engine.start(), tokens)
            if legal < len(tokens):
                detail = f"token {tokens[legal]}, the {legal + 1}th of {tokens}, is forbidden"
                self._found("tokenisation", name, data, detail[:400])
            elif not self._engine.is_accepting(
                self._engine.advance_many(self._engine.start(), tokens)
            ):
                self._found("tokenisation", name, data, f"no end is allowed after {tokens}"[:400])

    def _verdict(self, data: bytes) -> tuple[bool | None, str]:
        if self._judge is None:
            return None, ""
        verdict, reason = self._judge.verdict(data)
        if verdict is None:
            self.report.count("texts that the oracle could not judge")
        return verdict, reason

    def _where(self, data: bytes) -> str:
        """Say where a text leaves the language, and what was expected there."""
        engine = self._bytes
        length = engine.validate(engine.start(), list(data))
        before = data[:length].decode("utf-8", errors="ignore")
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        what = "it ends too early, at" if length == len(data) else "it leaves the language at"
        state = engine.advance_many(engine.start(), list(data[:length]))
        expected = engine.explain(state).partition("; still to match")[0]
        return f"{what} line {line}, column {column}; {expected}"

    def _found(self, kind: str, origin: str, data: bytes, detail: str) -> None:
        finding = Finding(kind, origin, _text(data), detail)
        if finding not in self.report.findings:
            self.report.findings.append(finding)


def _text(data: bytes) -> str:
    """Return bytes as text, those that are no UTF-8 as escapes."""
    return data.decode("utf-8", errors="backslashreplace")
