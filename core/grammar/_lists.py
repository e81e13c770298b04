"""The part of ``GrammarBuilder`` for lists without repetition: objects, arrays, and their texts.

What has come is the state of such a list, so nothing is enumerated when a grammar is written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from formgate.core.errors import GrammarError
from formgate.core.grammar._terminal import Entry, Node, Some

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from formgate.core import _native
    from formgate.core.grammar._terminal import BareEntry, Cell, Item

__all__ = ["ListBuilder"]

_MAX_COUNT = 2**31 - 1
_BARE = frozenset([3])  # parts of an entry without other ways


class ListBuilder:
    """Writes lists; see ``GrammarBuilder``, which is one."""

    _core: _native.GrammarCore

    def unordered(self, *parts: Node) -> Node:
        """Match each part at most once, in any order.

        What is still open is the state, so nothing is enumerated. Compiling raises
        ``UnsupportedConstraint`` where a text of one part begins a text of another (the choices
        would multiply), and where a part recurses.
        """
        return Node(self._core.unordered(list(parts)))

    def json_text(self, part: Node, *, escapes: bool = True) -> Node:
        r"""Match the spellings, inside a JSON string, of the texts that a part matches.

        ``seq(literal('"'), json_text(part), literal('"'))`` is a JSON string. Texts with lone
        surrogates are not among them.

        Args:
            part: Over characters: literals, classes, ``strings``, what is made of them, and
                look-around, which sees just this text. A complement in it is relative to all texts.
            escapes: Every spelling counts (``a``, ``\u0061``, ``\/``, surrogate pairs); otherwise
                only the shortest, as ``json.dumps(..., ensure_ascii=False)`` writes it.
        """
        return Node(self._core.json_text(part, not escapes, False))

    def members(
        self,
        entries: Iterable[Entry | BareEntry],
        cells: Iterable[Cell] = (),
        *,
        colon: Node,
        comma: Node,
        ordered: bool = False,
        min: int = 0,  # noqa: A002
        max: int | None = None,  # noqa: A002
        escapes: bool = True,
        needs: Mapping[str, Iterable[str]] | None = None,
        any_of: Iterable[Iterable[tuple[str, int | None]]] = (),
    ) -> Node:
        """Match the members of a JSON object, between the braces, no key twice.

        Keys are compared as texts, however they are spelled. An entry or cell whose value matches
        no text cannot come; an entry's key is no cell's key even then.

        Args:
            entries: Members with known keys; of one without other ways, a tuple of key, value and
                whether it is required will do, and takes less time where there are very many.
            cells: Members with other keys, any number of each.
            colon: Between key and value, white space included.
            comma: Between members, white space included.
            ordered: Entries come in the order given, then those of cells; otherwise any order.
            min: How many members there are at least.
            max: How many at most; ``None``: any number.
            escapes: As for ``json_text``.
            needs: Keys of entries, and those of others that must be there where they are. What has
                come is owed or done with, so no alternatives are written out.
            any_of: Conditions. In each, one of some (key, way) holds: the entry comes with its
                value of that number, or, for ``None``, does not come. Independent ones add up: no
                alternatives are written out.

        Raises:
            GrammarError: ``min`` exceeds ``max`` or is too large, a key is there twice, or one that
                needs another or is needed is not there.
            UnsupportedConstraint: Entries need each other, ``min`` is more than what is required,
                and ``max`` less than all entries, or there are cells beside it. Or there are
                conditions beside ``needs``, beside a ``min`` of more than is required, or a ``max``
                that may be met.
            LimitError: A condition that some member must meet has a number beyond 7, an entry more
                than 31 values, or more than 12 conditions share entries, directly or not.
        """
        core = self._core
        entries = list(entries)
        ways: list[tuple[int, int]] = []
        given = cast("list[tuple[str | int, int, bool]]", entries)
        if not _BARE.issuperset(map(len, entries)):
            given = [(e[0], e[1], e[2]) for e in entries]
            full = [(place, e) for place, e in enumerate(entries) if isinstance(e, Entry)]
            ways = [(place, way) for place, e in full for way in e.ways]
        free: list[tuple[int, int, bool, list[tuple[int, list[int]]]]] = [
            (
                core.json_text(c.keys, not escapes, True),
                c.value,
                True,
                [(value, list(meets)) for value, meets in c.some],
            )
            for c in cells
        ]
        low, high = _counts(min, max)
        pairs = _pairs([key for key, _, _ in given], needs) if needs else []
        clauses = _clauses([key for key, _, _ in given], any_of) if any_of else []
        core_node = core.keyed(
            given,
            free,
            colon,
            comma,
            ordered,
            not escapes,
            False,
            False,
            low,
            high,
            pairs,
            ways,
            clauses,
        )
        return Node(core_node)

    def distinct(
        self,
        entries: Iterable[Node] = (),
        *,
        strings: Iterable[Node | Some] = (),
        values: Iterable[Node | Some] = (),
        first: Iterable[Node] = (),
        comma: Node,
        min: int = 0,  # noqa: A002
        max: int | None = None,  # noqa: A002
        escapes: bool = True,
        needed: Collection[Node] = (),
    ) -> Node:
        """Match the items of a JSON array, between the brackets, no value twice.

        Args:
            entries: All spellings of one value each.
            strings: Sets of strings, over characters, without quotes and escapes.
            values: Sets of JSON values by their texts, white space included, compared as data:
                members of objects have no order, strings no spelling, and ``1.0`` is ``1e0``
                (exponents of 18 or more digits are compared as written).
            first: Sets of JSON values for the first items, one set each. All other items are then
                of ``values``: there are no entries and no strings.
            comma: Between items, white space included.
            min: How many items there are at least.
            max: How many at most; ``None``: any number.
            escapes: As for ``json_text``.
            needed: Those of the entries that must come.

        A ``Some`` in ``strings`` or ``values`` is a set without end whose values meet conditions;
        each condition named must be met by some item.

        No value may be in two of these but for ``first``. An item goes on only as long as it can
        become one that has not come: what has come is looked for wherever a text agrees with it.
        Compiling raises ``LimitError`` where telling how many values there are takes too many
        states (``Limits.max_states``), and ``UnsupportedConstraint`` where items recurse through
        the list itself.

        Raises:
            GrammarError: ``min`` exceeds ``max`` or is too large, or there are entries or strings
                beside ``first``.
        """
        empty = Node(self._core.literal(b""))
        core = self._core
        given: list[tuple[str | int, int, bool]] = [
            (node, empty, node in needed) for node in entries
        ]
        free: list[tuple[int, int, bool, list[tuple[int, list[int]]]]] = []
        for one in strings:
            node, met = _set_of(one, empty)
            free.append((core.json_text(node, not escapes, True), empty, True, met))
        low, high = _counts(min, max)
        rest: list[Node | Some] = list(values)
        places = list(first)
        if places:
            if given or free:
                raise GrammarError("a list with sets for its first items has no entries or strings")
            rest = [*places, Node(self._core.choice([_set_of(one, empty)[0] for one in rest]))]
        for one in rest:
            node, met = _set_of(one, empty)
            free.append((node, empty, False, met))
        core_node = core.keyed(
            given, free, empty, comma, False, not escapes, bool(places), False, low, high
        )
        return Node(core_node)

    def items(
        self,
        places: Iterable[Item],
        *,
        comma: Node,
        min: int = 0,  # noqa: A002
        max: int | None = None,  # noqa: A002
    ) -> Node:
        """Match the items of a JSON array, between the brackets, of which some meet conditions.

        Which conditions are met and how many items there are is the state, so nothing is
        enumerated: 100 items, some of which must be of one kind and some of another, are one node.

        Args:
            places: What the item at each position is; the last is for all that follow. An item
                without any text cannot come, nor any after it.
            comma: Between items, white space included.
            min: How many items there are at least.
            max: How many at most; ``None``: any number.

        Raises:
            GrammarError: ``min`` exceeds ``max`` or is too large, or there are no places.
            LimitError: A condition has a number beyond 7.
        """
        empty = Node(self._core.literal(b""))
        given: list[tuple[int, int, bool, list[tuple[int, list[int]]]]] = [
            (empty, item.value, False, [(value, list(meets)) for value, meets in item.some])
            for item in places
        ]
        if not given:
            raise GrammarError("items need a place at least")
        low, high = _counts(min, max)
        core_node = self._core.keyed([], given, empty, comma, False, False, True, True, low, high)
        return Node(core_node)


def _set_of(one: Node | Some, empty: Node) -> tuple[Node, list[tuple[int, list[int]]]]:
    """Return a set of values, and what its values meet where one ends."""
    if isinstance(one, Some):
        return one.value, [(empty, list(one.meets))]
    return one, []


def _pairs(keys: list[Any], needs: Mapping[str, Iterable[str]]) -> list[tuple[int, int]]:
    """Return which entry needs which, by number."""
    places = {key: place for place, key in enumerate(keys)}
    try:
        return [(places[key], places[other]) for key, others in needs.items() for other in others]
    except KeyError as error:
        raise GrammarError(
            f"the key {error.args[0]!r} needs another or is needed, but there is no such entry"
        ) from None


def _clauses(
    keys: list[Any], any_of: Iterable[Iterable[tuple[str, int | None]]]
) -> list[list[tuple[int, int | None]]]:
    """Return conditions by the numbers of entries."""
    places = {key: place for place, key in enumerate(keys)}
    try:
        return [[(places[key], way) for key, way in literals] for literals in any_of]
    except KeyError as error:
        raise GrammarError(
            f"a condition names the key {error.args[0]!r}, but there is no such entry"
        ) from None


def _counts(low: int, high: int | None) -> tuple[int, int | None]:
    """Check the bounds of a list; an upper one that no text meets is none."""
    if low < 0 or (high is not None and high < low):
        raise GrammarError(f"a list needs 0 <= min <= max, not {low} and {high}")
    if low > _MAX_COUNT:
        raise GrammarError(
            f"a list of at least {low} items is longer than the supported 2147483647"
        )
    return low, None if high is not None and high > _MAX_COUNT else high
