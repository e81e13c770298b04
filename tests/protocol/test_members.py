"""JSON objects with a name that stands twice."""

from __future__ import annotations

import json

import pytest

from formgate.core.members import unique_members


def test_names_that_stand_once_are_members() -> None:
    assert json.loads('{"a": {"b": 1}, "b": 2}', object_pairs_hook=unique_members) == {
        "a": {"b": 1},
        "b": 2,
    }
    assert unique_members([]) == {}


@pytest.mark.parametrize(
    ("text", "name"), [('{"a": 1, "a": 1}', "a"), ('[{"b": {"c": 1, "d": 2, "c": 3}}]', "c")]
)
def test_a_name_that_stands_twice_is_refused(text: str, name: str) -> None:
    with pytest.raises(ValueError, match=f"the name '{name}' stands twice in one object"):
        json.loads(text, object_pairs_hook=unique_members)
