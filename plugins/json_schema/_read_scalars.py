"""What keywords say of scalars, and the parts that all keywords are made of."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

from formgate.core.errors import GrammarError, LimitError, UnsupportedConstraint
from formgate.plugins.json_schema._facts import (
    ARRAY,
    BOOLEAN,
    FALSE_VALUE,
    NULL,
    NUMBER,
    OBJECT,
    STRING,
    TRUE_VALUE,
    Facts,
    Op,
)
from formgate.plugins.json_schema._numbers import NumberSet
from formgate.plugins.json_schema._resolve import pointer
from formgate.plugins.json_schema._spelled import meet_numbers
from formgate.plugins.json_schema._strings import StringSet
from formgate.plugins.json_schema._values import all_texts, is_number, value_key
from formgate.plugins.json_schema._wrong import WrongSchemaError

if TYPE_CHECKING:
    from collections.abc import Hashable

    from formgate.plugins.json_schema._resolve import Env, Where
    from formgate.plugins.json_schema._states import Schemas
    from formgate.plugins.json_schema._strings_keys import Content
    from formgate.plugins.json_schema._values import Json

__all__ = ["KINDS", "MAX_COUNT", "ScalarReader"]

KINDS = {
    "null": NULL,
    "boolean": BOOLEAN,
    "number": NUMBER,
    "string": STRING,
    "array": ARRAY,
    "object": OBJECT,
}
MAX_COUNT = 2**31 - 1  # of members, items or characters: no text that long is ever written


class ScalarReader:
    """Reads what one schema says of scalars; a method for each keyword."""

    __slots__ = (
        "env",
        "facts",
        "integer",
        "longest",
        "numbers",
        "schema",
        "shortest",
        "strings",
        "values",
        "where",
        "world",
    )

    def __init__(self, schema: dict[str, Json], env: Env, where: Where, world: Schemas) -> None:
        self.schema = schema
        self.env = env
        self.where = where
        self.world = world
        self.facts = Facts()
        self.integer = False
        self.numbers: list[tuple[str, Any]] = []
        self.strings: list[tuple[str, str]] = []
        self.shortest = 0
        self.longest: int | None = None
        self.values: list[tuple[str, list[Json]]] = []

    # --- kinds and values ---

    def type(self, value: Json) -> None:
        """``type``: one name or several; integers are numbers."""
        kinds = KINDS.get(value) if isinstance(value, str) else None
        if kinds is None:
            kinds = self._several(value)
        self.facts.kinds &= kinds

    def _several(self, value: Json) -> int:
        """Return the kinds of a name that is no plain one, or of a list of names."""
        if value == "integer":
            self.integer = True
            return NUMBER
        if isinstance(value, str):
            raise self.wrong("type", f"{value!r:.60} is not the name of a type")
        if not isinstance(value, list) or not value:
            raise self.wrong("type", "type is the name of a type or a list of them")
        kinds = 0
        for place, name in enumerate(value):
            if not isinstance(name, str) or (name != "integer" and name not in KINDS):
                raise self.wrong("type", f"{name!r:.60} is not the name of a type")
            if name in value[:place]:
                raise self.wrong("type", f"{name!r} stands there twice")
            kinds |= KINDS.get(name, NUMBER)
        self.integer = "integer" in value and "number" not in value
        return kinds

    def enum(self, value: Json) -> None:
        """``enum``: the values there are."""
        if not isinstance(value, list):
            raise self.wrong("enum", "enum is a list of values")
        if not value and self.env.resource.draft.rank == 4:
            raise self.wrong("enum", "an enum of draft 4 has a value")
        self.values.append(("enum", value))

    def const(self, value: Json) -> None:
        """``const``: the one value there is."""
        self.values.append(("const", [value]))

    # --- numbers ---

    def _number(self, keyword: str, value: Json) -> None:
        if not is_number(value):
            odd = isinstance(value, float) or type(value).__name__ == "Decimal"
            what = f"a number of JSON, not {value}" if odd else "a number"
            raise self.wrong(keyword, f"{keyword} is {what}")
        self.numbers.append((keyword, value))

    def multiple_of(self, value: Json) -> None:
        """``multipleOf``."""
        if is_number(value) and value <= 0:
            raise self.wrong("multipleOf", "multipleOf is greater than 0")
        self._number("multipleOf", value)

    def minimum(self, value: Json) -> None:
        """``minimum``."""
        self._number("minimum", value)

    def maximum(self, value: Json) -> None:
        """``maximum``."""
        self._number("maximum", value)

    def exclusive_minimum(self, value: Json) -> None:
        """``exclusiveMinimum``: a number, a truth value up to draft 4."""
        self._exclusive("exclusiveMinimum", value)

    def exclusive_maximum(self, value: Json) -> None:
        """``exclusiveMaximum``: a number, a truth value up to draft 4."""
        self._exclusive("exclusiveMaximum", value)

    def _exclusive(self, keyword: str, value: Json) -> None:
        if self.env.resource.draft.rank > 4:
            self._number(keyword, value)
        elif not isinstance(value, bool):
            raise self.wrong(keyword, f"{keyword} is true or false in draft 4")

    # --- strings ---

    def min_length(self, value: Json) -> None:
        """``minLength``, in code points."""
        self.shortest = self.count("minLength", value)

    def max_length(self, value: Json) -> None:
        """``maxLength``, in code points."""
        self.longest = self.most("maxLength", value)

    def pattern(self, value: Json) -> None:
        """``pattern``: some part of the string matches."""
        if not isinstance(value, str):
            raise self.wrong("pattern", "pattern is a string")
        self.strings.append(("pattern", value))

    def format(self, value: Json) -> None:
        """``format``."""
        if not isinstance(value, str):
            raise self.wrong("format", "format is a string")
        if self.world.options.formats == "assert":
            self.strings.append(("format", value))

    def content_encoding(self, value: Json) -> None:
        """``contentEncoding``, where contents are asserted."""
        self._content_word("contentEncoding", value)

    def content_media_type(self, value: Json) -> None:
        """``contentMediaType``, where contents are asserted."""
        self._content_word("contentMediaType", value)

    def _content_word(self, keyword: str, value: Json) -> None:
        if not isinstance(value, str):
            raise self.wrong(keyword, f"{keyword} is a string")
        self.strings.append((keyword, value))

    # --- parts ---

    def lit(self, value: Json, keyword: str) -> int:
        """Return the literal of the schema that a keyword holds."""
        return self.world.lit(value, self.env, (self.where, keyword))

    def several(self, keyword: str, value: Json, least: int = 0) -> list[int]:
        """Return the literals of a list of schemas."""
        if not isinstance(value, list) or len(value) < least:
            raise self.wrong(keyword, f"{keyword} is a list of schemas")
        way = (self.where, keyword)
        lit, env = self.world.lit, self.env
        return [lit(inner, env, (way, str(place))) for place, inner in enumerate(value)]

    def named(self, keyword: str, value: Json) -> dict[str, int]:
        """Return the literals of schemas by name."""
        if not isinstance(value, dict):
            raise self.wrong(keyword, f"{keyword} is an object with schemas")
        self.texts(keyword, value)
        way = (self.where, keyword)
        lit, env = self.world.lit, self.env
        return {name: lit(inner, env, (way, name)) for name, inner in value.items()}

    def names(self, keyword: str, value: Json) -> list[str]:
        """Return a list of names."""
        if not isinstance(value, list) or not all_texts(value):
            raise self.wrong(keyword, f"{keyword} is a list of names")
        if len(set(value)) < len(value):
            twice = next(name for place, name in enumerate(value) if name in value[:place])
            raise self.wrong(keyword, f"{keyword} has {twice!r:.60} twice")
        return value

    def texts(self, keyword: str, names: dict[Any, Json]) -> None:
        """Refuse keys of an object that are no text, which Python's dicts may have."""
        if not all_texts(names):
            wrong = next(name for name in names if not isinstance(name, str))
            raise self.wrong(keyword, f"{keyword} has a key that is no string: {wrong!r:.60}")

    def count(self, keyword: str, value: Json) -> int:
        """Return a count; of those beyond every text the least."""
        if not is_number(value) or value < 0:
            raise self.wrong(keyword, f"{keyword} is a whole number from 0")
        # An integer is made of a small number only: 1e999999999 would take gigabytes.
        if isinstance(value, float) or value <= MAX_COUNT:
            if value != int(value):
                raise self.wrong(keyword, f"{keyword} is a whole number from 0")
        elif not isinstance(value, int) and value != value.to_integral_value():
            raise self.wrong(keyword, f"{keyword} is a whole number from 0")
        return int(min(value, MAX_COUNT + 1))

    def most(self, keyword: str, value: Json) -> int | None:
        """Return a bound from above; None when it is beyond every text."""
        count = self.count(keyword, value)
        return None if count > MAX_COUNT else count

    def matching(self, source: str, where: Where) -> StringSet | None:
        """Return the names that a pattern matches; None when that is left out."""
        try:
            return StringSet.pattern(source, pointer=pointer(where))
        except UnsupportedConstraint as error:
            self.world.left_out(error, where)
            return None

    def wrong(self, keyword: str, reason: str) -> WrongSchemaError:
        """Return the error for a keyword of the wrong form."""
        return WrongSchemaError(self.env, (self.where, keyword), reason)

    # --- what several keywords say together ---

    def _number_set(self) -> NumberSet:
        """Return the numbers that the keywords for numbers allow."""
        schema = self.schema
        found = NumberSet.INTEGERS if self.integer else NumberSet.ALL
        old = self.env.resource.draft.rank == 4
        where = self.where
        try:
            for keyword, value in self.numbers:
                where = (self.where, keyword)
                if keyword == "minimum":
                    one = NumberSet.at_least(value, old and bool(schema.get("exclusiveMinimum")))
                elif keyword == "maximum":
                    one = NumberSet.at_most(value, old and bool(schema.get("exclusiveMaximum")))
                elif keyword == "exclusiveMinimum":
                    one = NumberSet.at_least(value, exclusive=True)
                elif keyword == "exclusiveMaximum":
                    one = NumberSet.at_most(value, exclusive=True)
                else:
                    one = NumberSet.multiple_of(value)
                found &= one
        except GrammarError as error:
            raise self.world.placed(error, where) from None
        return found

    def _string_set(self) -> StringSet:
        """Return the strings that the keywords for strings allow."""
        found = StringSet.ALL
        if self.shortest > MAX_COUNT:
            return StringSet.NONE
        if self.shortest or self.longest is not None:
            found = StringSet.length(self.shortest, self.longest)
        for keyword, value in self.strings:
            one = self._strings_of(keyword, value)
            if one is None:
                self.facts.loose = True
            else:
                found = one if found is StringSet.ALL else found & one
        return found

    def _strings_of(self, keyword: str, value: str) -> StringSet | None:
        """Return the strings that one keyword allows; None when that is left out."""
        where = (self.where, keyword)
        if keyword == "pattern":
            return self.matching(value, where)
        try:
            if keyword != "format":
                return self._contents(keyword, value)
            one = StringSet.format(value)
        except UnsupportedConstraint as error:
            self.world.left_out(error, where)
            return None
        if one is StringSet.ALL:
            self.world.unknown_formats.setdefault(value, where)
        return one

    def _contents(self, keyword: str, value: str) -> StringSet:
        """Return the strings of some content; all of them where no value is a string.

        Raises:
            UnsupportedConstraint: That cannot be decided of any string.
        """
        from formgate.plugins.json_schema._contents import (  # noqa: PLC0415 (rarely needed)
            encoding_set,
            media_set,
        )

        if any(not any(isinstance(one, str) for one in values) for _, values in self.values):
            return StringSet.ALL
        if keyword == "contentEncoding":
            found = encoding_set(value)
        else:
            found = media_set(value, self.schema.get("contentEncoding"))
        if found.key[0] == "content":
            content = cast("Content", found.key[1])
            self.world.contents.append((content, (self.where, keyword)))
        return found

    def _check_patterns(self) -> None:
        """Refuse what is no pattern where no string may come; others need not be enforced."""
        for keyword, value in self.strings:
            if keyword == "pattern":
                with suppress(UnsupportedConstraint, LimitError):
                    StringSet.pattern(value, pointer=pointer((self.where, keyword)))

    def _values(self) -> None:
        """``enum`` and ``const``: by kind; arrays and objects are schemas of their own."""
        keyword, kept = self.values[0]
        for name, other in self.values[1:]:
            keys = set(self._keys(name, other))
            pairs = zip(kept, self._keys(keyword, kept), strict=True)
            kept = [value for value, key in pairs if key in keys]
        if set(map(type, kept)) == {str}:
            self.facts.kinds &= STRING
            self._strings(kept)
        else:
            self._mixed(keyword, kept)

    def _keys(self, keyword: str, values: list[Json]) -> list[Hashable]:
        """Return what equal values share."""
        try:
            return [value_key(value) for value in values]
        except TypeError as error:
            raise self.wrong(keyword, str(error)) from None

    def _mixed(self, keyword: str, values: list[Json]) -> None:
        """Take in values that are not all strings."""
        facts = self.facts
        kinds = 0
        strings, numbers, others = [], [], []
        for value in values:
            if isinstance(value, str):
                kinds |= STRING
                strings.append(value)
            elif value is None:
                kinds |= NULL
            elif isinstance(value, bool):
                kinds |= TRUE_VALUE if value else FALSE_VALUE
            elif is_number(value):
                kinds |= NUMBER
                numbers.append(value)
            elif isinstance(value, (list, dict)):
                kinds |= ARRAY if isinstance(value, list) else OBJECT
                others.append(self._const(keyword, value))
            else:
                raise self.wrong(keyword, f"{value!r:.60} is no JSON value")
        facts.kinds &= kinds
        if others:
            facts.ops.append((Op.CONSTS, *dict.fromkeys(others)))
        self._strings(strings)
        if facts.kinds & NUMBER:
            try:
                found = NumberSet.of(numbers)
                facts.number = found if facts.number is None else meet_numbers(facts.number, found)
            except GrammarError as error:
                raise self.world.placed(error, (self.where, keyword)) from None

    def _const(self, keyword: str, value: Json) -> int:
        """Return the literal of an array or an object."""
        try:
            return self.world.const(value)
        except TypeError as error:
            raise self.wrong(keyword, str(error)) from None
        except GrammarError as error:
            raise self.world.placed(error, (self.where, keyword)) from None

    def _strings(self, values: list[str]) -> None:
        """Take in the strings among the values."""
        facts = self.facts
        if facts.kinds & STRING:
            found = StringSet.of(values)
            facts.string = found if facts.string is None else facts.string & found
