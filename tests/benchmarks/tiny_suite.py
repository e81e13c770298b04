"""A suite of four patterns and two grammars, with engines whose answers are known."""

from benchmarks.cases import CASE_FILES
from benchmarks.engines import ENGINES, EngineSpec
from benchmarks.vocabularies import VOCABULARIES, VocabularyData

CASES = """
[[case]]
name = "words"
group = "small"
pattern = 'bad|abab'
matching = ["abab", "bad"]
non_matching = ["ba", "abba"]

[[case]]
name = "awkward"
group = "small"
pattern = 'x|ax'
matching = ["x", "ax"]
non_matching = ["a", "xa"]

[[case]]
name = "group"
group = "other"
pattern = '(a|b)c'
unsupported = ["test"]
common = false
matching = ["ac", "bc"]
non_matching = ["c", "a"]

[[case]]
name = "last"
group = "small"
pattern = 'dab|dad'
matching = ["dab", "dad"]
non_matching = ["da", "dd"]
"""
GRAMMARS = """
[[case]]
name = "long"
group = "scaling"
format = "lark"
grammar = { file = "long.lark" }
matching = [[["a", 600], ["b", 1]], "b"]
non_matching = ["a"]
tokenisations = ["bytes"]
[case.dialects]
loose = { format = "gbnf", grammar = "b" }

[[case]]
name = "short"
group = "small"
format = "lark"
grammar = "ab|ba"
matching = { file = "texts.json" }
non_matching = ["a"]
same_masks = false
"""
KINDS = (
    "Exact", "Reader", "Loose", "Tight", "Wide", "Stubborn", "Hanging", "Sleeping", "Crashing",
    "Torn", "Broken", "Noting", "Jotting", "Waiting", "Slow",
)  # fmt: skip


def tiny_vocabulary():
    texts = [bytes([value]) for value in range(256)] + [b"ab", b"ba", b"aba"]
    return VocabularyData("tiny", [*texts, None], [259], {"<end>": 259}, r"\w+|\W+")


def install(folder, put=dict.__setitem__):
    """Put the suite in the place of the real cases, its files into a folder."""
    put(VOCABULARIES, "tiny", tiny_vocabulary)
    (folder / "cases.toml").write_text(CASES, encoding="utf-8")
    put(CASE_FILES, "regex", folder / "cases.toml")
    (folder / "grammars.toml").write_text(GRAMMARS, encoding="utf-8")
    (folder / "long.lark").write_text("a" * 600 + "b|b", encoding="utf-8")
    (folder / "texts.json").write_text('[{"text": "ab"}, {"text": "ba"}]', encoding="utf-8")
    put(CASE_FILES, "grammar", folder / "grammars.toml")
    for kind in KINDS:
        name = kind.lower()
        package = "loose" if kind == "Loose" else "test"
        formats = ("regex",) if kind == "Tight" else ("regex", "lark")
        adapter = f"sample_engines:{kind}"
        put(ENGINES, name, EngineSpec(name, package, adapter, "a test engine", formats=formats))


def statuses(content, engine):
    """Return how each case of an engine went."""
    (session,) = [s for s in content["sessions"] if s["engine"] == engine]
    return {name: record["status"] for name, record in session["cases"].items()}
