"""From a structural tag to a grammar.

Free text ends where a trigger, or the end of the tag around it, is first complete. So the text up
to and with a trigger t is one language, "ends in t, and none of the strings that matter ends
before its last character": an intersection of regular parts, which the core explores lazily. What
follows is the rest of the tag. No other choice is made while a text is read: where several readings
of the remaining formats are possible, all of them count.

Source of the format: the documentation of xgrammar's structural tags (``structural_tag.py`` of
xgrammar 0.2.8), which servers pass on as it is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from formgate.core.errors import GrammarError
from formgate.core.members import unique_members
from formgate.plugins.structural_tag._free_text import FreeText, ends_freely
from formgate.plugins.structural_tag._likely import likely_text
from formgate.plugins.structural_tag._read import (
    Place,
    check_triggers,
    count,
    flag,
    items,
    member,
    only,
    string,
    strings,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from formgate.core.grammar import GrammarBuilder, Node
    from formgate.core.grammar._grammar import LikelyText

__all__ = ["compile_format", "compile_structural_tag"]

_MAX_DEPTH = 100
_INSTEAD = "formgate allows tokens by the text they stand for; name the text instead"
# What says something about tokens as a model splits text, and not about the text.
_TOKEN_FORMATS = ("exclude_token", "any_tokens", "token_triggered_tags", "token_dispatch")
_OPTIONS = ("json_schema", "grammar_format")


class _Tag(NamedTuple):
    """One branch out of free text: what begins it, and what follows the beginning."""

    trigger: str
    rest: Callable[[tuple[str, ...]], Node]


def compile_structural_tag(
    source: object,
    builder: GrammarBuilder,
    *,
    json_schema: Mapping[str, object] | None = None,
    grammar_format: str = "gbnf",
) -> Node:
    """Write the language of a structural tag.

    Args:
        source: A dict, or its JSON text: ``{"type": "structural_tag", "format": {...}}``, or the
            older ``{"structures": [...], "triggers": [...]}``.
        builder: Where to write; one that knows other formats, as ``formgate.compile`` makes it.
        json_schema: Options for the JSON Schemas in it.
        grammar_format: The format of what stands under ``"grammar"``.

    Raises:
        GrammarError: It is not of this form; the message names the place.
        UnsupportedConstraint: It asks for what is not a property of the text, or for a notation of
            arguments that formgate does not write.
    """
    place = Place()
    value = _loaded(source)
    if not isinstance(value, dict):
        raise place.error(f"a structural tag is an object, not {type(value).__name__}")
    writer = _Writer(builder, dict(json_schema or {}), grammar_format)
    if "structures" in value:
        node, written = writer.write_older(value, place)
    else:
        only(value, place, ("type", "format"))
        if value.get("type", "structural_tag") != "structural_tag":
            raise (place / "type").error(f"the type is 'structural_tag', not {value['type']!r:.60}")
        written = member(value, place, "format")
        node = writer.write(written, place / "format", ())
    builder.expect(partial(likely_text, written, writer.expected))
    return node


def compile_format(
    source: object, builder: GrammarBuilder, options: Mapping[str, object], /
) -> None:
    """Write a structural tag given to ``formgate.compile``."""
    for name in options:
        if name not in _OPTIONS:
            raise GrammarError(
                f"the structural_tag format has no option {name!r}",
                hint="its options are: " + ", ".join(_OPTIONS),
            )
    given: dict[str, Any] = {name: options[name] for name in options}
    if not isinstance(given.get("json_schema") or {}, Mapping):
        raise GrammarError("json_schema is a dict with options of that format")
    if not isinstance(given.get("grammar_format", ""), str):
        raise GrammarError("grammar_format is the name of a format")
    builder.start(compile_structural_tag(source, builder, **given))


def _loaded(source: object) -> object:
    """Return the value of a source that is JSON text, and any other as it is."""
    if not isinstance(source, (str, bytes)):
        return source
    try:
        # Numbers stay exact, for the schemas.
        return json.loads(source, parse_float=Decimal, object_pairs_hook=unique_members)
    except RecursionError:
        raise GrammarError("the structural tag nests too deeply to be read") from None
    except (ValueError, ArithmeticError) as error:
        raise GrammarError(
            f"a structural tag is a JSON object; this cannot be read: {error}"
        ) from None


class _Writer:
    """Writes formats as nodes of one grammar.

    Each ``write`` takes ``ends``, the strings one of which follows, and writes them too: free text
    must know them, since it stops at the first. No ends: nothing follows.
    """

    def __init__(
        self, builder: GrammarBuilder, json_schema: dict[str, object], grammar_format: str
    ) -> None:
        self._builder = builder
        self._free = FreeText(builder)
        self._json_schema = json_schema
        self._grammar_format = grammar_format
        self._depth = 0
        self.expected: dict[int, LikelyText] = {}  # of sources in other formats, by their identity

    def write(self, value: object, place: Place, ends: tuple[str, ...]) -> Node:
        """Write a format and what follows it."""
        if not isinstance(value, dict):
            raise place.error(f"a format is an object, not {type(value).__name__}")
        name = string(value, place, "type")
        if name in _TOKEN_FORMATS:
            raise (place / "type").unsupported(f"{name!r} speaks of single tokens", _INSTEAD)
        write = getattr(self, f"_write_{name}", None) if name.isidentifier() else None
        if write is None:
            known = sorted(each[7:] for each in dir(self) if each.startswith("_write_"))
            raise (place / "type").error(f"{name!r} is none of {', '.join(known)}")
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise place.error(f"formats nest more than {_MAX_DEPTH} deep")
        node: Node = write(value, place, ends)
        self._depth -= 1
        return node

    def write_older(self, value: dict[str, Any], place: Place) -> tuple[Node, dict[str, Any]]:
        """Write the older form, whose tags hold JSON Schemas; return it as a format, too."""
        only(value, place, ("type", "structures", "triggers", "at_least_one"))
        triggers = strings(value, place, "triggers")
        tags = []
        for tag, at in items(value, place, "structures"):
            only(tag, at, ("begin", "schema", "end"))
            begin, end = string(tag, at, "begin"), string(tag, at, "end")
            schema = _loaded(member(tag, at, "schema"))
            content = {"type": "json_schema", "json_schema": schema}
            inner = {"type": "tag", "begin": begin, "content": content, "end": end}
            tags.append((inner, at))
        node = self._triggered(triggers, tags, value, place, ())
        return node, {"type": "triggered_tags", "tags": [tag for tag, _ in tags]}

    # --- texts ---

    def _write_const_string(
        self, value: dict[str, Any], place: Place, ends: tuple[str, ...]
    ) -> Node:
        only(value, place, ("type", "value"))
        return self._followed(self._builder.literal(string(value, place, "value")), ends)

    def _write_any_text(self, value: dict[str, Any], place: Place, ends: tuple[str, ...]) -> Node:
        only(value, place, ("type", "excludes", "max_tokens", "max_chars"))
        if value.get("max_tokens") is not None:
            raise (place / "max_tokens").unsupported(
                "a number of tokens is no property of a text", "use max_chars"
            )
        excludes = strings(value, place, "excludes", optional=True)
        check_triggers(ends, excludes, place)
        longest = value.get("max_chars")
        if longest is None:
            return self._free.until(ends, excludes) if ends else self._free.rest(excludes)
        bound = self._builder.repeat(
            self._builder.any_char(), 0, count(value, place, "max_chars", least=0)
        )
        if not ends:
            return self._builder.intersection(self._free.rest(excludes), bound)
        return self._builder.choice(
            *(
                self._builder.intersection(
                    self._free.until((end,), (*excludes, *ends)),
                    self._builder.seq(bound, self._builder.literal(end)),
                )
                for end in ends
            )
        )

    # --- other formats ---

    def _write_json_schema(
        self, value: dict[str, Any], place: Place, ends: tuple[str, ...]
    ) -> Node:
        known = ("type", "json_schema", "style", "any_order", "max_whitespace_cnt", "excludes")
        only(value, place, known)
        style = value.get("style", "json")
        if style != "json":
            raise (place / "style").unsupported(
                f"arguments in the style {style!r:.40} are not JSON", 'use the style "json"'
            )
        if value.get("excludes"):
            raise (place / "excludes").unsupported(
                "strings cannot be excluded from all texts of a schema",
                'say it in the schema, with "not" and "pattern"',
            )
        options = dict(self._json_schema)
        if flag(value, place, "any_order"):
            options["property_order"] = "any"
        if value.get("max_whitespace_cnt") is not None:
            options["max_blanks"] = count(value, place, "max_whitespace_cnt", least=0)
        schema = member(value, place, "json_schema")
        return self._embedded("json_schema", schema, options, place / "json_schema", ends)

    def _write_qwen_xml_parameter(
        self, value: dict[str, Any], place: Place, ends: tuple[str, ...]
    ) -> Node:
        del value, ends
        raise (place / "type").unsupported(
            "arguments in the style 'qwen_xml' are not JSON",
            'use {"type": "json_schema"} with the style "json"',
        )

    def _write_regex(self, value: dict[str, Any], place: Place, ends: tuple[str, ...]) -> Node:
        only(value, place, ("type", "pattern"))
        pattern = string(value, place, "pattern")
        return self._embedded("regex", pattern, {}, place / "pattern", ends)

    def _write_grammar(self, value: dict[str, Any], place: Place, ends: tuple[str, ...]) -> Node:
        only(value, place, ("type", "grammar"))
        text = string(value, place, "grammar")
        return self._embedded(self._grammar_format, text, {}, place / "grammar", ends)

    def _embedded(
        self,
        name: str,
        source: object,
        options: dict[str, object],
        place: Place,
        ends: tuple[str, ...],
    ) -> Node:
        """Write a source in another format; its errors gain the place, their type unchanged."""
        try:
            node = self._builder.embed(name, source, **options)
        except GrammarError as error:
            error.reason = f"structural tag, at {place}: {error.reason}"
            raise
        if self._builder.part_expects is not None:
            self.expected[id(source)] = self._builder.part_expects
        return self._followed(node, ends)

    # --- tokens ---

    def _write_token(self, value: dict[str, Any], place: Place, ends: tuple[str, ...]) -> Node:
        only(value, place, ("type", "token"))
        return self._followed(self._token(value, place), ends)

    def _token(self, value: object, place: Place) -> Node:
        """Write a special token, given by its name."""
        token = value.get("token") if isinstance(value, dict) else value
        if not isinstance(token, str):
            raise (place / "token").unsupported(
                "a token given by its id depends on one vocabulary",
                "name the special token, such as '<|tool_call|>'",
            )
        return self._builder.special_token(token)

    # --- combinations ---

    def _write_sequence(self, value: dict[str, Any], place: Place, ends: tuple[str, ...]) -> Node:
        only(value, place, ("type", "elements"))
        given = items(value, place, "elements")
        last = len(given) - 1
        nodes = [
            self.write(element, at, ends if index == last else ())
            for index, (element, at) in enumerate(given)
        ]
        return self._builder.seq(*nodes) if nodes else self._end(ends)

    def _write_or(self, value: dict[str, Any], place: Place, ends: tuple[str, ...]) -> Node:
        only(value, place, ("type", "elements"))
        given = items(value, place, "elements")
        if not given:
            raise (place / "elements").error("there is nothing to choose from")
        return self._builder.choice(*(self.write(element, at, ends) for element, at in given))

    def _write_optional(self, value: dict[str, Any], place: Place, ends: tuple[str, ...]) -> Node:
        only(value, place, ("type", "content"))
        content = self.write(member(value, place, "content"), place / "content", ends)
        return self._builder.choice(content, self._end(ends))

    def _write_star(self, value: dict[str, Any], place: Place, ends: tuple[str, ...]) -> Node:
        only(value, place, ("type", "content"))
        return self._repeated(value, place, (0, None), ends)

    def _write_plus(self, value: dict[str, Any], place: Place, ends: tuple[str, ...]) -> Node:
        only(value, place, ("type", "content"))
        return self._repeated(value, place, (1, None), ends)

    def _write_repeat(self, value: dict[str, Any], place: Place, ends: tuple[str, ...]) -> Node:
        only(value, place, ("type", "content", "min", "max"))
        low = count(value, place, "min", least=0)
        high = count(value, place, "max", least=-1)
        if 0 <= high < low:
            raise (place / "max").error(f"max {high} is less than min {low}")
        return self._repeated(value, place, (low, None if high < 0 else high), ends)

    def _repeated(
        self,
        value: dict[str, Any],
        place: Place,
        counts: tuple[int, int | None],
        ends: tuple[str, ...],
    ) -> Node:
        """Write a repetition; what follows does not end free text inside it, so that is refused."""
        content = member(value, place, "content")
        if ends and ends_freely(content):
            raise (place / "content").unsupported(
                "free text that is repeated has no end of its own before the end of the tag",
                "let each repetition end with a tag or a constant string",
            )
        node = self.write(content, place / "content", ())
        return self._followed(self._builder.repeat(node, *counts), ends)

    # --- tags ---

    def _write_tag(self, value: dict[str, Any], place: Place, ends: tuple[str, ...]) -> Node:
        begin = value.get("begin")
        if isinstance(begin, str):
            return self._after_begin(value, place, begin, ends)
        node = self._token(begin, place / "begin")
        return self._builder.seq(node, self._after_begin(value, place, "", ends))

    def _after_begin(
        self, value: dict[str, Any], place: Place, begin: str, ends: tuple[str, ...]
    ) -> Node:
        """Write a tag of whose beginning ``begin`` is left."""
        only(value, place, ("type", "begin", "content", "end"))
        content, at = member(value, place, "content"), place / "content"
        end = member(value, place, "end")
        if isinstance(end, dict):
            inside = self._builder.seq(self.write(content, at, ()), self._token(end, place / "end"))
        elif end in ("", [""]):
            inside = self.write(content, at, ())
        else:
            given = {"end": [end] if isinstance(end, str) else end}
            inside = self.write(content, at, tuple(strings(given, place, "end")))
        return self._followed(self._builder.seq(self._builder.literal(begin), inside), ends)

    def _write_tags_with_separator(
        self, value: dict[str, Any], place: Place, ends: tuple[str, ...]
    ) -> Node:
        only(value, place, ("type", "tags", "separator", "at_least_one", "stop_after_first"))
        b = self._builder
        separator = b.literal(string(value, place, "separator"))
        tag = b.choice(*(self._write_tag(each, at, ()) for each, at in items(value, place, "tags")))
        if not flag(value, place, "stop_after_first"):
            tag = b.seq(tag, b.star(b.seq(separator, tag)))
        node = tag if flag(value, place, "at_least_one") else b.optional(tag)
        return self._followed(node, ends)

    def _write_triggered_tags(
        self, value: dict[str, Any], place: Place, ends: tuple[str, ...]
    ) -> Node:
        known = ("type", "triggers", "tags", "at_least_one", "stop_after_first", "excludes")
        only(value, place, known)
        triggers = strings(value, place, "triggers")
        return self._triggered(triggers, items(value, place, "tags"), value, place, ends)

    def _triggered(
        self,
        triggers: list[str],
        tags: list[tuple[dict[str, Any], Place]],
        value: dict[str, Any],
        place: Place,
        ends: tuple[str, ...],
    ) -> Node:
        """Write free text with tags after triggers; ``value`` holds the flags."""
        branches = []
        for tag, at in tags:
            begin = string(tag, at, "begin")
            matching = [each for each in triggers if begin.startswith(each)]
            if len(matching) != 1:
                raise (at / "begin").error(
                    f"{begin!r:.60} begins with {'none' if not matching else 'several'} of the "
                    "triggers, and not with exactly one"
                )
            trigger = matching[0]
            branches.append(_Tag(trigger, self._rest_of(tag, at, begin[len(trigger) :])))
        excludes = strings(value, place, "excludes", optional=True)
        first_now = flag(value, place, "at_least_one")
        once = flag(value, place, "stop_after_first")
        if not first_now:
            return self._dispatched(branches, triggers, excludes, place, ends, once=once)
        b = self._builder
        if once:
            return b.choice(*(self._write_tag(tag, at, ends) for tag, at in tags))
        first = b.choice(*(self._write_tag(tag, at, ()) for tag, at in tags))
        return b.seq(first, self._dispatched(branches, triggers, excludes, place, ends, once=False))

    def _rest_of(
        self, tag: dict[str, Any], place: Place, begin: str
    ) -> Callable[[tuple[str, ...]], Node]:
        """Return what writes a tag after its trigger."""
        return lambda ends: self._after_begin(tag, place, begin, ends)

    def _write_dispatch(self, value: dict[str, Any], place: Place, ends: tuple[str, ...]) -> Node:
        only(value, place, ("type", "rules", "loop", "excludes"))
        branches = []
        loop = flag(value, place, "loop", default=True)
        for index, rule in enumerate(member(value, place, "rules", list)):
            at = place / "rules" / index
            if not isinstance(rule, list) or len(rule) != 2 or not isinstance(rule[0], str):
                raise at.error("a rule is a list of a string and a format")
            if loop and ends_freely(rule[1]):
                raise (at / 1).unsupported(
                    "free text after a pattern has no end before the next pattern",
                    'end it with a tag or a constant string, or use "loop": false',
                )
            branches.append(_Tag(rule[0], self._rest_of_rule(rule[1], at / 1)))
        excludes = strings(value, place, "excludes", optional=True)
        triggers = list(dict.fromkeys(branch.trigger for branch in branches))
        return self._dispatched(branches, triggers, excludes, place, ends, once=not loop)

    def _rest_of_rule(self, value: object, place: Place) -> Callable[[tuple[str, ...]], Node]:
        """Return what writes the format after a pattern."""
        return lambda ends: self.write(value, place, ends)

    def _dispatched(
        self,
        branches: list[_Tag],
        triggers: list[str],
        excludes: list[str],
        place: Place,
        ends: tuple[str, ...],
        *,
        once: bool,
    ) -> Node:
        """Write free text that branches at the first trigger: once, or again and again."""
        check_triggers((*triggers, *ends), excludes, place)
        b, stops = self._builder, (*triggers, *excludes, *ends)
        after = ends if once else ()
        steps = [
            b.seq(
                self._free.until((trigger,), stops),
                b.choice(*(each.rest(after) for each in branches if each.trigger == trigger)),
            )
            for trigger in triggers
            if any(each.trigger == trigger for each in branches)
        ]
        last = self._free.until(ends, stops) if ends else self._free.rest(stops)
        if once:
            return b.choice(*steps, last)
        return b.seq(b.star(b.choice(*steps)), last) if steps else last

    # --- ends ---

    def _end(self, ends: tuple[str, ...]) -> Node:
        """Write one of the strings that follow."""
        if not ends:
            return self._builder.empty()
        return self._builder.choice(*(self._builder.literal(end) for end in ends))

    def _followed(self, node: Node, ends: tuple[str, ...]) -> Node:
        """Write a node whose own end is certain, and what follows."""
        return self._builder.seq(node, self._end(ends)) if ends else node
