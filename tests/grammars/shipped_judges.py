"""Readers of languages that no package here reads, written without a look at the grammars.

Each takes a text and returns nothing, or raises.
"""

from __future__ import annotations

import re

import formgate
from formgate.core.errors import EmptyLanguageError, GrammarError

# By the name of the grammar; others name their judges themselves.
JUDGES = {
    "gbnf": "shipped_judges:gbnf",
    "markdown-table": "shipped_judges:markdown_table",
    "pddl": "shipped_judges:pddl",
    "s-expression": "shipped_judges:s_expression",
    "smiles": "shipped_judges:smiles",
}
VOCABULARY = formgate.Vocabulary([*(bytes([byte]) for byte in range(256)), None], stop_ids=[256])


def gbnf(text: str) -> None:
    """What formgate itself reads; names that are not defined, or twice, are no matter of syntax."""
    try:
        formgate.compile(text, VOCABULARY, format="gbnf")
    except EmptyLanguageError:
        return
    except GrammarError as error:
        if not re.search("is used but not defined|defined twice|has no rule 'root'", error.reason):
            raise


def markdown_table(text: str) -> None:
    """One table and nothing else, its rows all of one length, by markdown-it-py."""
    from markdown_it import MarkdownIt

    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    assert tokens[0].type == "table_open"
    assert tokens[-1].type == "table_close"
    assert sum(token.type == "table_open" for token in tokens) == 1
    lines = text.removesuffix("\n").split("\n")
    cells = [len(re.findall(r"(?<!\\)\|", line)) for line in lines]
    assert len(set(cells)) == 1
    # markdown-it fills up and cuts off rows; so the rows are counted, too.
    assert sum(token.type == "tr_open" for token in tokens) == len(lines) - 1


TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n]+|;[^\n]*(?:\n|$))|(?P<open>\()|(?P<close>\))|(?P<quote>')
    |(?P<string>"(?:[^"\\]|\\[nt"\\])*")|(?P<dot>\.(?=[ \t\r\n;]))
    |(?P<word>[^\s()"';\x00-\x1f]+)""",
    re.VERBOSE,
)


def tokens_of(text: str) -> list[tuple[str, str]]:
    found, place = [], 0
    while place < len(text):
        match = TOKEN.match(text, place)
        assert match is not None, place
        found.append((match.lastgroup, match[0]))
        place = match.end()
    return found


def nested(text: str) -> list[object]:
    """Return the expressions of a text: words and strings as texts, lists as lists."""
    stack: list[list[object]] = [[]]
    quotes: list[int] = [0]
    for kind, token in tokens_of(text):
        if kind == "space":
            continue
        if kind == "quote":
            quotes[-1] += 1
            continue
        if kind == "open":
            quotes[-1] = 0
            stack.append([])
            quotes.append(0)
            continue
        assert kind != "dot" or quotes[-1] == 0
        if kind == "close":
            assert len(stack) > 1
            assert quotes.pop() == 0
            item = stack.pop()
            dots = [index for index, each in enumerate(item) if each == "."]
            assert not dots or (dots == [len(item) - 2] and len(item) > 2)
            stack[-1].append(item)
        else:
            quotes[-1] = 0
            stack[-1].append(token)
    assert len(stack) == 1
    assert quotes == [0]
    return stack[0]


def s_expression(text: str) -> None:
    found = nested(text)
    assert len(found) == 1
    assert found != ["."]


SMILES = re.compile(
    r"(?P<atom>Br|Cl|[BCNOPSFI*bcnops]|\[(?:[1-9]\d{0,2})?[A-Za-z*][a-z]?@{0,2}(?:H[1-9]?)?"
    r"(?:[-+](?:[1-9]|1[0-5])?)?(?::\d{1,4})?\])|(?P<ring>[-=#$:/\\]?[0-9])|(?P<bond>[-=#$:/\\.])"
    r"|(?P<open>\()|(?P<close>\))"
)


def smiles(text: str) -> None:
    """Atoms, bonds, branches and rings: what follows what, and what is open at the end."""
    place, depth, before, rings = 0, 0, "start", {}
    atoms = 0
    while place < len(text):
        match = SMILES.match(text, place)
        assert match is not None, place
        kind, token, place = match.lastgroup, match[0], match.end()
        if kind == "atom":
            atoms += 1
        elif kind == "ring":
            assert before in ("atom", "ring")
            number = token[-1]
            assert number in "12"
            if number in rings:
                assert len(token) == 1
                assert rings.pop(number) != atoms
            else:
                rings[number] = atoms
        elif kind == "bond":
            assert before in ("atom", "ring", "close", "open")
        elif kind == "open":
            assert before in ("atom", "ring", "close")
            depth += 1
        else:
            assert before in ("atom", "ring", "close")
            depth -= 1
            assert depth >= 0
        before = kind
    assert before in ("atom", "ring", "close")
    assert depth == 0
    assert not rings


KEYWORDS = {"and", "or", "not", "imply", "forall", "exists", "when", "either", "="}
NAME = re.compile(r"[a-z][a-z0-9_-]*", re.IGNORECASE)


def pddl(text: str) -> None:
    (whole,) = nested(text)
    head, (what, name), *parts = whole
    assert head.lower() == "define"
    assert_name(name)
    assert what.lower() in ("domain", "problem")
    sections = [(part[0].lower(), part[1:]) for part in parts]
    titles = [title for title, _ in sections]
    if what.lower() == "problem":
        wanted = [":domain", ":requirements", ":objects", ":init", ":goal"]
        assert {":domain", ":init", ":goal"} <= set(titles)
    else:
        wanted = [":requirements", ":types", ":constants", ":predicates", ":action"]
    assert titles == sorted(titles, key=wanted.index)
    assert len(set(titles) - {":action"}) == len([t for t in titles if t != ":action"])
    for title, body in sections:
        SECTIONS[title](body)


def assert_name(name: object, sign: str = "") -> None:
    assert isinstance(name, str)
    assert name.startswith(sign)
    assert NAME.fullmatch(name[len(sign) :])
    assert name.lower() not in KEYWORDS


def typed(items: list[object], sign: str = "") -> None:
    pending, place = 0, 0
    while place < len(items):
        if items[place] == "-":
            assert pending
            kind = items[place + 1]
            if isinstance(kind, list):
                assert kind[0].lower() == "either"
                assert len(kind) > 1
                kind = kind[1:]
            for each in kind if isinstance(kind, list) else [kind]:
                assert_name(each)
            place, pending = place + 2, 0
        else:
            assert_name(items[place], sign)
            place, pending = place + 1, pending + 1


def fact(item: list[object], *, variables: bool = True) -> None:
    assert_name(item[0])
    for each in item[1:]:
        is_variable = isinstance(each, str) and each.startswith("?")
        assert variables or not is_variable
        assert_name(each, "?" if is_variable else "")


def formula(item: object, *, effect: bool = False) -> None:
    assert isinstance(item, list)
    if not item:
        return
    word = item[0].lower()
    if word == "and" or (word == "or" and not effect):
        for each in item[1:]:
            formula(each, effect=effect)
    elif word == "not":
        assert len(item) == 2
        fact(item[1]) if effect else formula(item[1])
    elif word in ("forall", "exists") and (word == "forall" or not effect):
        assert len(item) == 3
        typed(item[1], "?")
        formula(item[2], effect=effect)
    elif word == "when" and effect:
        assert len(item) == 3
        formula(item[1])
        formula(item[2], effect=True)
    elif word == "imply" and not effect:
        assert len(item) == 3
        formula(item[1])
        formula(item[2])
    elif word == "=" and not effect:
        assert len(item) == 3
        fact(["equal", *item[1:]])
    else:
        fact(item)


def action(body: list[object]) -> None:
    assert_name(body[0])
    names = [name.lower() for name in body[1::2]]
    assert names in (
        [":parameters"],
        [":parameters", ":precondition"],
        [":parameters", ":effect"],
        [":parameters", ":precondition", ":effect"],
    )
    for name, value in zip(names, body[2::2], strict=True):
        if name == ":parameters":
            typed(value, "?")
        else:
            formula(value, effect=name == ":effect")


def predicates(body: list[object]) -> None:
    assert body
    for each in body:
        assert_name(each[0])
        typed(each[1:], "?")


def init(body: list[object]) -> None:
    for each in body:
        if each[0].lower() == "not":
            assert len(each) == 2
            each = each[1]  # noqa: PLW2901 (what is denied)
        fact(each, variables=False)


def one_name(body: list[object]) -> None:
    (name,) = body
    assert_name(name)


def goal(body: list[object]) -> None:
    (item,) = body
    formula(item)


def requirements(body: list[object]) -> None:
    assert body
    assert all(re.fullmatch(":[a-z-]+", each) for each in body)


SECTIONS = {
    ":domain": one_name,
    ":requirements": requirements,
    ":types": typed,
    ":constants": typed,
    ":objects": typed,
    ":predicates": predicates,
    ":action": action,
    ":init": init,
    ":goal": goal,
}
