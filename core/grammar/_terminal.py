"""What lexers cut text into, and what lists without repetition are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, NewType

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Cell", "Entry", "Item", "Node", "Production", "Some", "Terminal"]

Node = NewType("Node", int)


class Terminal(NamedTuple):
    """One terminal of ``GrammarBuilder.lexed``.

    Attributes:
        name: As rules refer to it.
        pattern: Its lexemes, over characters; never the empty text. In mode ``"first"``, look-ahead
            in it sees beyond the lexeme, and look-behind as far back as the lexeme's start.
        ignored: It may stand between any lexemes, and rules do not see it.
        keyword_of: Other terminals whose lexemes have this terminal's name instead, where this
            pattern, too, matches the whole lexeme and the rules can take both: pairs of a name and
            whether this terminal is then not looked for by itself. Lexemes of ignored terminals
            keep their name.
        longest: In mode ``"first"``: of several lexemes that the pattern matches at one place the
            longest is taken, and the others are none; the pattern has no look-around. Otherwise
            each of them counts.
    """

    name: str
    pattern: Node
    ignored: bool = False
    keyword_of: Sequence[tuple[str, bool]] = ()
    longest: bool = False


class Production(NamedTuple):
    """One production of the LALR parser that ``GrammarBuilder.lexed`` asks what competes.

    Attributes:
        head: The name of what it makes.
        body: Names of terminals and of other heads.
        priority: Where several productions could end, the one of highest priority does.
    """

    head: str
    body: Sequence[str]
    priority: int = 0


class Entry(NamedTuple):
    """One member of ``GrammarBuilder.members`` whose key is known.

    Attributes:
        key: The key as a text, without quotes and escapes.
        value: What follows the colon.
        required: It must be there.
        ways: Other values, beside which ``value`` is number 0, for ``any_of`` to tell apart. Which
            one a text is should be certain: where several match it, all are followed.
    """

    key: str
    value: Node
    required: bool = False
    ways: Sequence[Node] = ()


BareEntry = tuple[str, Node, bool]  # the first three parts of an Entry


class Some(NamedTuple):
    """Values of a ``Cell`` or an ``Item`` that meet conditions.

    Attributes:
        value: What follows the colon, or the item; a part of the cell's or the item's values.
        meets: Numbers of the conditions that a member with this value meets, from 0 to 7. Where a
            value is in several of these, one of them counts, so values that meet the conditions of
            two together are one more.
    """

    value: Node
    meets: Sequence[int]


class Cell(NamedTuple):
    """Members of ``GrammarBuilder.members`` whose keys are in a language.

    Attributes:
        keys: Over characters, without quotes and escapes; those of entries are left out. No two
            cells may have a key in common.
        value: What follows the colon.
        some: Values that meet conditions. Each condition named in a list must be met by some member
            of a cell; one member may meet several.
    """

    keys: Node
    value: Node
    some: Sequence[Some] = ()


class Item(NamedTuple):
    """What an item of ``GrammarBuilder.items`` is at a position.

    Attributes:
        value: The item.
        some: Values that meet conditions. Each condition named in a list must be met by some item;
            one item may meet several.
    """

    value: Node
    some: Sequence[Some] = ()
