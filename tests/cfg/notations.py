"""Random grammars with the operators of EBNF, printed in each notation, and their plain rules.

An expression is a tuple: ("text", "ab"), ("class", "ab"), ("name", "A"), ("seq", [...]),
("alt", [...]) or ("repeat", expression, least, most). ``plain`` turns them into the rules that the
judge reads.
"""

from __future__ import annotations

from functools import cache

from hypothesis import strategies as st

NAMES = ("S", "A", "B")


@cache
def expressions(names=NAMES):
    """Draw an expression over the letters a and b."""
    leaves = st.one_of(
        st.tuples(st.just("text"), st.sampled_from(["a", "b", "ab", ""])),
        st.tuples(st.just("class"), st.sampled_from(["a", "ab"])),
        *([st.tuples(st.just("name"), st.sampled_from(names))] if names else []),
    )

    def larger(inner):
        lists = st.lists(inner, min_size=1, max_size=3)
        counts = st.sampled_from([(0, 1), (0, None), (1, None), (2, 2), (0, 2), (1, 2), (2, None)])
        return st.one_of(
            st.tuples(st.just("seq"), lists),
            st.tuples(st.just("alt"), lists),
            st.tuples(inner, counts).map(lambda pair: ("repeat", pair[0], *pair[1])),
        )

    return st.recursive(leaves, larger, max_leaves=6)


@st.composite
def grammars(draw):
    """Draw a grammar whose start is "S"."""
    names = NAMES[: draw(st.integers(1, len(NAMES)))]
    return {name: draw(expressions(names)) for name in names}


def plain(grammar):
    """Return the grammar as plain rules: name to alternatives, each a tuple of symbols."""
    rules = {}

    def new(bodies):
        name = f"#{len(rules)}"
        rules[name] = bodies
        return name

    def symbols(expression):
        kind = expression[0]
        if kind in ("text", "name"):
            return tuple(expression[1]) if kind == "text" else (expression[1],)
        if kind == "class":
            return (new([(letter,) for letter in expression[1]]),)
        if kind == "seq":
            return tuple(symbol for part in expression[1] for symbol in symbols(part))
        if kind == "alt":
            return (new([symbols(part) for part in expression[1]]),)
        _, part, least, most = expression
        once = symbols(part)
        if most is None:
            more = new([])
            rules[more] = [(), (*once, more)]
            return (*(once * least), more)
        return (*(once * least), *((new([(), once]),) * (most - least)))

    for name, expression in grammar.items():
        rules[name] = []
        rules[name] = [symbols(expression)]
    return rules


class Printer:
    """Prints grammars in one notation; what is drawn chooses among its spellings."""

    defines, choice, joint, end = "::=", "|", " ", "\n"
    root = "S"

    def __init__(self, chance):
        self.chance = chance

    def grammar(self, grammar):
        first, *others = grammar
        self.chance.shuffle(others)
        return "".join(
            f"{self.rule_name(name)} {self.defines} {self.top(grammar[name])}{self.end}"
            for name in (first, *others)
        )

    def rule_name(self, name):
        return f"rule-{name}"

    def name(self, name):
        return self.rule_name(name)

    def top(self, expression):
        """Print what a rule or a group holds."""
        if expression[0] == "alt":
            return f" {self.choice} ".join(self.alternative(part) for part in expression[1])
        return self.alternative(expression)

    def alternative(self, expression):
        if expression[0] == "seq":
            return self.joint.join(self.item(part) for part in expression[1])
        return self.item(expression)

    def item(self, expression):
        kind = expression[0]
        if kind in ("seq", "alt"):
            return f"( {self.top(expression)} )"
        if kind == "repeat":
            return self.repeat(*expression[1:])
        return {"text": self.text, "class": self.class_, "name": self.name}[kind](expression[1])


class W3c(Printer):
    def text(self, text):
        if len(text) == 1 and self.chance.random() < 0.3:
            return f"#x{ord(text):x}"
        return self.chance.choice([f'"{text}"', f"'{text}'"])

    def class_(self, letters):
        ranges = f"[{letters[0]}-{letters[-1]}]"
        return self.chance.choice([f"[{letters}]", ranges, f"[#x61-#x{ord(letters[-1]):X}]"])

    def repeat(self, part, least, most):
        sign = {(0, 1): "?", (0, None): "*", (1, None): "+"}.get((least, most))
        item = self.item(part)
        if sign is not None:
            return f"{item}{self.chance.choice(['', ' ', '/* now */'])}{sign}"
        if most is None:
            return f"( {item} {item}+ )"
        return f"( {' '.join([item] * least + [f'{item}?'] * (most - least))} )"


class Iso(Printer):
    defines, joint, end = "=", ", ", ";\n"

    def __init__(self, chance):
        super().__init__(chance)
        self.choice = chance.choice("|/!")
        self.end = chance.choice([";\n", " . (* done (* yes *) *)\n"])

    def rule_name(self, name):
        return f"rule {name}"

    def text(self, text):
        return self.chance.choice([f'"{text}"', f"'{text}'"]) if text else "( )"

    def class_(self, letters):
        return f"( {self.choice.join(self.text(letter) for letter in letters)} )"

    def repeat(self, part, least, most):
        item, inside = self.item(part), self.top(part)
        if (least, most) == (1, None) and part[0] in ("class", "text") and part[1]:
            return f"( {{ {inside} }}- )"  # an exception takes in the count before it
        head = [f"{least} * {item}"] if least else []
        if most is None:
            head.append(self.chance.choice([f"{{ {inside} }}", f"(: {inside} :)"]))
        elif most > least:
            optional = self.chance.choice([f"[ {inside} ]", f"(/ {inside} /)"])
            head.append(f"{most - least} * {optional}" if most > least + 1 else optional)
        return f"( {', '.join(head)} )"


class Abnf(Printer):
    defines, choice = "=", "/"

    def __init__(self, chance):
        super().__init__(chance)
        self.end = chance.choice(["\n", "\r\n", " ; end\n", "\n\n"])
        self.joint = chance.choice([" ", "\n   ", " ; and\n  "])

    def name(self, name):
        spelled = self.chance.choice([f"rule-{name}", f"RULE-{name.lower()}"])
        return self.chance.choice([spelled, f"<{spelled}>"])

    def text(self, text):
        spelled = [f'"{text}"', f'%s"{text}"', f'%i"{text.upper()}"']
        if text:
            spelled.append("%x" + ".".join(f"{ord(letter):X}" for letter in text))
            spelled.append("%d" + ".".join(str(ord(letter)) for letter in text))
        return self.chance.choice(spelled)

    def class_(self, letters):
        return self.chance.choice(
            [
                f"( {' / '.join(self.text(letter) for letter in letters)} )",
                f"%x61-{ord(letters[-1]):x}",
            ]
        )

    def repeat(self, part, least, most):
        if (least, most) == (0, 1) and self.chance.random() < 0.5:
            return f"[ {self.top(part)} ]"
        # A count stands before an element that has none.
        item = f"( {self.item(part)} )" if part[0] == "repeat" else self.item(part)
        counts = f"{least or ''}*{'' if most is None else most}"
        return f"{least if least == most else counts}{item}"


class Gbnf(Printer):
    def rule_name(self, name):
        return "root" if name == "S" else f"rule-{name}"

    def text(self, text):
        return f'"{text}"'

    def class_(self, letters):
        return f"[{letters}]"

    def repeat(self, part, least, most):
        return f"{self.item(part)}{{{least},{'' if most is None else most}}}"
