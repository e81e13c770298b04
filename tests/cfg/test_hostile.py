"""Hostile grammars in every notation: each is read, or refused by a typed error at its place.

How long that takes is seen by running this: what is quadratic, or worse, does not end.
"""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import formgate
from formgate.core.errors import FormgateError, GrammarError, LimitError
from formgate.plugins.cfg import convert

N = 20_000
DEEP = "(" * N + "'x'" + ")" * N
CHOICES = [f"'k{index}'" for index in range(N // 2)]

# Read by formgate.compile, by notation and what they try.
READ = {
    "ebnf": {
        "brackets": f"a ::= {DEEP}",
        "open brackets": "a ::= " + "(" * N,
        "open class": "a ::= [" + "a" * N,
        "marks": "a ::= 'x'" + "?" * N + "*" * N,
        "count": "a ::= 'x'{999999999}",
        "counts": "a ::= (('x'{1000000}){1000000}){1000000}",
        "too many digits": "a ::= 'x'{" + "9" * N + "}",
        "number of no character": "a ::= #x" + "F" * N,
        "surrogate": "a ::= #xD800",
        "raw surrogate": "a ::= '\ud800'",
        "alternatives": "a ::= " + " | ".join(CHOICES),
        "chain": "".join(f"a{i} ::= a{i + 1}\n" for i in range(5000)) + "a5000 ::= 'x'",
        "doubling": "".join(f"a{i} ::= a{i + 1} a{i + 1}\n" for i in range(60)) + "a60 ::= 'x'",
        "circle": "a ::= b\nb ::= a",
        "circle and text": "a ::= a | b | 'x'\nb ::= a a b | ''",
        "difference with itself": "a ::= 'x' - a",
        "open comment": "a ::= 'x' /* " + "/*" * N,
        "comments": "a ::= 'x'" + "/**/" * N,
        "blanks": " " * N + "a ::= 'x'" + "\n" * N,
        "line ends": "a ::= b\rb ::= c\r\nc ::= 'x'\u2028d ::= 'y'",
        "nul": "a ::= 'x' \x00",
        "nul in a text": "a ::= '\x00'",
        "byte order mark": "\ufeffa ::= 'x'",
        "letters": "é ::= 'ö' 😀",
        "long name": "a" * N + " ::= 'x'",
        "open text": "a ::= '" + "x" * N,
        "arrow": "::=",
        "iso brackets": f"a = {DEEP};",
        "iso braces": "a = " + "{" * N + "'x'" + "}" * N + ";",
        "iso counts": "a = 1000000 * (1000000 * (1000000 * 'x'));",
        "iso too many digits": "a = " + "9" * N + " * 'x';",
        "iso comments": "(*" * N + "*)" * N + "a = 'x';",
        "iso open comments": "a = (*" * N,
        "iso differences": "a = " + "{ 'x' }- " * 1000 + ";",
    },
    "abnf": {
        "brackets": "a = " + DEEP.replace("'", '"') + "\n",
        "options": "a = " + "[" * N + '"x"' + "]" * N + "\n",
        "count": 'a = 99999999"x"\n',
        "counts": 'a = 1000000(1000000(1000000"x"))\n',
        "too many digits": "a = " + "9" * N + '"x"\n',
        "number of no character": "a = %x" + "F" * N + "\n",
        "many bits": "a = %b" + "1" * N + "\n",
        "surrogate": "a = %xD800\n",
        "long number": "a = %x61" + ".61" * N + "\n",
        "alternatives": "a = " + " / ".join(CHOICES).replace("'", '"') + "\n",
        "added alternatives": 'a = "x"\n' + "".join(f'a =/ "k{i}"\n' for i in range(N)),
        "added to a core rule": 'a = ALPHA\nALPHA =/ "1"\n',
        "chain": "".join(f"a{i} = a{i + 1}\n" for i in range(5000)) + 'a5000 = "x"\n',
        "circle": "a = b\nb = a\n",
        "line ends": 'a = b\rb = c\r\nc = "x"\n',
        "goes on": 'a = "x"\n' + " \n" * N + ' "y"\n',
        "indented badly": '  a = "x"\n b = "y"\n',
        "comment": "; " + "x" * N + '\na = "x"\n',
        "open text": 'a = "' + "x" * N,
        "letters": 'a = "é"\n',
        "nul": "a = \x00\n",
        "byte order mark": '\ufeffa = "x"\n',
        "equals": "=",
    },
    "gbnf": {
        "brackets": "root ::= " + DEEP.replace("'", '"'),
        "marks": 'root ::= "x"' + "*" * N,
        "counts": 'root ::= ("x"{1000000}){1000000}',
        "alternatives": "root ::= " + " | ".join(CHOICES).replace("'", '"'),
        "open text": 'root ::= "' + "x" * N,
        "open class": "root ::= [^",
        "half an escape": 'root ::= "\\',
        "circle": "root ::= root",
        "nested alternatives": "root ::= "
        + "".join(f'("k{i}" | ' for i in range(8000))
        + '"x"'
        + ")" * 8000,
        "circle of 2,000": "root ::= a0\n"
        + "".join(f'a{i} ::= a{(i + 1) % 2000} | "k{i}"\n' for i in range(2000)),
        "left recursion through 2,000": "root ::= a0\n"
        + "".join(f'a{i} ::= a{(i + 1) % 2000} "y" | "k{i}"\n' for i in range(2000)),
    },
}
# Ambiguous without end: masks must be found all the same.
AMBIGUOUS = {
    "optional rules": "root ::= a0\n"
    + "".join(f'a{i} ::= a{i + 1}? a{i + 2}? "{"abcdefg"[i % 7]}"?\n' for i in range(200))
    + 'a200 ::= "x"?\na201 ::= "y"?\n',
    "optional rules in a circle": "root ::= a0\n"
    + "".join(
        f'a{i} ::= a{(i + 1) % 400}? a{(i + 2) % 400}? "{"abcdefg"[i % 7]}"?\n' for i in range(400)
    ),
    "loops": "root ::= " + " ".join(f'("{"abcdefg"[i % 7]}"*)*' for i in range(1000)),
    "loops around all": "root ::= "
    + " ".join(f'("{"abcdefg"[i % 7]}" root?)*' for i in range(100)),
    "loops of rules": "root ::= "
    + " ".join(f"r{i}*" for i in range(1000))
    + "\n"
    + "".join(f'r{i} ::= "{"abcdefg"[i % 7]}"? | "(" r{i} ")"\n' for i in range(1000)),
}
NEARLEY = {
    "brackets": "a -> " + DEEP.replace("'", '"'),
    "alternatives": "a -> " + " | ".join(CHOICES).replace("'", '"'),
    "one name": "".join(f'a -> "k{i}"\n' for i in range(5000)),
    "marks": 'a -> "x"' + ":*" * N,
    "macros": "a -> " + "m[" * 30 + '"x"' + "]" * 30 + "\nm[X] -> $X $X\n",
    "macro of itself": 'a -> m["x"]\nm[X] -> $X m[$X "a"]\n',
    "macro of the same": 'a -> m["x"]\nm[X] -> "a" m[$X] | $X\n',
    "doubling macros": 'a -> m0["x"]\n'
    + "".join(f'm{i}[X] -> m{i + 1}[$X "a"] m{i + 1}[$X "b"]\n' for i in range(40))
    + "m40[X] -> $X\n",
    "file": '@include "/etc/passwd"\na -> "x"',
    "built-in file": '@builtin "../../../etc/passwd"\na -> "x"',
    "open code": 'a -> "x" {% ' + "{" * N,
    "open class": "a -> [" + "a" * N,
    "open text": 'a -> "' + "x" * N,
    "nul": 'a -> "\x00" \x00',
    "raw surrogate": 'a -> "\ud800"',
    "nothing": "",
}
ANTLR4 = {
    "brackets": f"grammar G; r : {DEEP} ;",
    "brackets in the lexer": f"grammar G; r : A ; A : {DEEP} ;",
    "alternatives": "grammar G; r : " + " | ".join(CHOICES[:2000]) + " ;",
    "terminals": "grammar G; r : A0 ; " + "".join(f"A{i} : [a-f] 'k{i}' ; " for i in range(1500)),
    "marks": "grammar G; r : 'x'" + "*" * N + " ;",
    "doubling": "grammar G; r : A0 ; "
    + "".join(f"A{i} : A{i + 1} A{i + 1} ; " for i in range(40))
    + "A40 : 'x' ;",
    "lexer rule of itself": "grammar G; r : A ; A : '(' A? ')' ;",
    "open action": "grammar G; r : {" + "{" * N,
    "open class": "grammar G; r : A ; A : [" + "a" * N,
    "open text": "grammar G; r : '" + "x" * N,
    "open comment": "/*" + "x" * N,
    "lazy": "grammar G; r : A ; A : " + ".*? " * 300 + "'x' ;",
    "number of no character": "grammar G; r : '\\u{110000}' ;",
    "nul": "grammar G; r : '\x00' ; \x00",
    "raw surrogate": "grammar G; r : '\ud800' ;",
    "nothing": "",
}


def check(error: FormgateError) -> None:
    """Say whether an error is one that a user can do something with."""
    assert isinstance(error, (GrammarError, LimitError)), repr(error)
    assert "__" not in str(error)[:200]
    if isinstance(error, GrammarError) and error.span is not None and error.source is not None:
        assert 0 <= error.span[0] <= len(error.source)
        assert len(str(error)) < 2000


def compiled(source, vocabulary, **options) -> None:
    """Compile a grammar, or check why not."""
    try:
        formgate.compile(source, vocabulary, **options)
    except FormgateError as found:
        error = found
    else:
        return
    check(error)


def converted(source, vocabulary, tool) -> None:
    """Convert a grammar and compile the result, or check why not."""
    try:
        conversion = convert(source, from_=tool)
        formgate.compile(
            conversion.text, vocabulary, format=conversion.format, **conversion.options
        )
    except FormgateError as found:
        error = found
    else:
        return
    check(error)


@pytest.mark.parametrize(
    ("notation", "what"), [(notation, what) for notation in READ for what in READ[notation]]
)
def test_notations(byte_vocabulary, notation, what):
    compiled(READ[notation][what], byte_vocabulary, format=notation)


@pytest.mark.parametrize("what", AMBIGUOUS)
def test_masks_of_ambiguous_grammars(byte_vocabulary, what):
    engine = formgate.compile(AMBIGUOUS[what], byte_vocabulary, format="gbnf")
    state = engine.start()
    for letter in b"gagbac":
        assert letter in engine.allowed_tokens(state)
        state = engine.advance(state, letter)
    assert engine.is_accepting(state)


def test_limits_of_left_recursion_name_the_rules(byte_vocabulary):
    source = READ["gbnf"]["left recursion through 2,000"]
    with pytest.raises(LimitError, match=r'2000 rules begin with one another \("a[0-9]+", "a'):
        formgate.compile(source, byte_vocabulary, format="gbnf")


def test_limits_of_expressions_name_the_rule(byte_vocabulary):
    source = "".join(f"a{i} ::= a{i + 1} a{i + 1}\n" for i in range(60)) + 'a60 ::= "xy"'
    for more in ("", ' | "(" a0 ")"'):
        with pytest.raises(LimitError, match=r'rule "a[0-9]+" needs more than Limits.max_nodes'):
            formgate.compile(
                f"root ::= a0{more}\n{source}", byte_vocabulary, format="gbnf", root="root"
            )


@pytest.mark.parametrize("what", NEARLEY)
def test_nearley(byte_vocabulary, what):
    converted(NEARLEY[what], byte_vocabulary, "nearley")


@pytest.mark.parametrize("what", ANTLR4)
def test_antlr4(byte_vocabulary, what):
    pytest.importorskip("lark")
    converted(ANTLR4[what], byte_vocabulary, "antlr4")


@pytest.mark.parametrize(
    ("notation", "line", "last"),
    [
        ("ebnf", "a{0} ::= a{1} a{1}", "a60 ::= 'x'"),
        ("abnf", "a{0} = a{1} %d64 a{1}", 'a60 = "x"'),
        ("lark", 'a{0}: a{1} "t"? a{1}~2', 'a60: "x"\nstart: a0'),
    ],
)
def test_rules_that_double_each_other_are_named(byte_vocabulary, notation, line, last):
    if notation == "lark":
        pytest.importorskip("lark")
    source = "".join(line.format(i, i + 1) + "\n" for i in range(60)) + last + "\n"
    with pytest.raises(LimitError, match=r"rule 'a[0-9]+' has no text of less than 1,099"):
        formgate.compile(source, byte_vocabulary, format=notation)


@pytest.mark.parametrize("levels", [3, 30])
def test_doubling_within_reason_is_read(byte_vocabulary, levels):
    source = "".join(f"a{i} ::= a{i + 1} a{i + 1}\n" for i in range(levels))
    engine = formgate.compile(source + f"a{levels} ::= 'x'", byte_vocabulary, format="ebnf")
    assert engine.is_prefix("x" * 8)
    assert levels > 3 or engine.accepts("x" * 8)
    # What recurses, or can be left out, is not counted.
    engine = formgate.compile(source + f"a{levels} ::= 'x'*", byte_vocabulary, format="ebnf")
    assert engine.accepts("")


WORDS = {
    "ebnf": "a ::= = | , ; ( ) [ ] { } 'x' \"y\" #x41 #xD800 - -- /* */ (* *) ? * + {2,3} {3,2} "
    "[a-z] [z-a] [^ \\ 3 * ?x? <a> é \x00 \r \n \u2028",
    "abnf": 'a = =/ / ( ) [ ] "x" %x41 %x41-40 %d1.2 %s"x" %i"x" <p> ; * 2* 3*2 2 DIGIT \r\n \n b= '
    "é \x00 \t %b2 %x",
    "gbnf": 'root ::= a | ( ) [ ] "x" [a-z] [z-a] [^] * + ? {2} {3,2} {,1} # \\x41 "\\x4" . <a> é '
    "\n \r \x00",
    "nearley": 'a -> | ( ) [ ] "x" `y` [a-z] $X m[ ] , :* :+ :? %t {% %} @{% @include @builtin '
    '"number.ne" @lexer null # é \n \x00',
    "antlr4": "grammar G; r : A ; | ( ) [ ] 'x' [a-z] ~ . .. * + ? *? { } -> skip fragment mode "
    "options { a = b ; } // /* */ EOF # <assoc=right> import tokens é \n \x00 '\\u{41}' @x",
}


@settings(max_examples=150, deadline=None)
@given(st.data(), st.sampled_from(sorted(WORDS)))
def test_whatever_is_written(byte_vocabulary, data, notation):
    words = WORDS[notation].split(" ")
    source = " ".join(data.draw(st.lists(st.sampled_from(words), max_size=16)))
    begin = {"ebnf": "a ::= ", "abnf": "a = ", "gbnf": "root ::= ", "nearley": "a -> "}
    source = begin.get(notation, "grammar G; r : ") + source
    if notation in READ:
        compiled(source, byte_vocabulary, format=notation)
    else:
        pytest.importorskip("lark")
        converted(source, byte_vocabulary, notation)


def test_byte_order_marks_of_files(byte_vocabulary, tmp_path):
    pytest.importorskip("lark")
    path = tmp_path / "grammar.lark"
    path.write_text('start: "a"', encoding="utf-8-sig")
    assert formgate.compile(path, byte_vocabulary, format="lark").accepts("a")


def test_readings_that_pile_up_are_decided_by_the_rules(byte_vocabulary):
    lark = pytest.importorskip("lark")
    source = r"""start: r0? T1+ | T1 r0 ("a" (T2 | "b") r0)
r0: r1 (T1 T1* T0 | T1 T1~1..2) r1 | r1
r1: ("b" T0 [T2] | r1* T0)
T0.2: /b*c/
T1: /a(?=b)/
T2.-1: "ab"
%ignore / a?/
"""
    options = {"parser": "earley", "lexer": "basic"}
    engine = formgate.compile(source, byte_vocabulary, format="lark", timeout_s=60, **options)
    parse = lark.Lark(source, **options).parse

    def parses(text):
        try:
            parse(text)
        except lark.exceptions.LarkError:
            return False
        return True

    texts = [
        "".join(text) for count in range(7) for text in itertools.product("abc ", repeat=count)
    ]
    texts += ["ab" * 2 + "".join(text) for text in itertools.product("abc ", repeat=5)]
    accepted = [text for text in texts if engine.accepts(text)]
    assert accepted == [text for text in texts if parses(text)]
    state = engine.start()
    assert engine.min_tokens(state) == 8
    for _ in range(40):
        tokens = engine.allowed_tokens(state).to_list()
        assert tokens
        state = engine.advance(state, tokens[0]) if tokens[0] < 256 else state


def test_readings_that_pile_up_meet_a_limit(byte_vocabulary):
    pytest.importorskip("lark")
    source = r"""start: r1 T1+
r0: "a" r1 | "b"* r1 T1 | r0? "b" "a"+
r1: r1? "a" r0+
T0.2: /(?<=a)b/
T1: /a(?=c)/
T2.-1: /a(?=b)/
%ignore / /
"""
    with pytest.raises(LimitError, match="come to an end"):
        formgate.compile(source, byte_vocabulary, format="lark", timeout_s=60, parser="lalr")
