"""What plugins hand over, and what readers of tokenizers find, does not change."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

import formgate
from formgate.core.registry import AdapterSpec, Format
from formgate.core.registry.specs import ToolSpec
from formgate.core.vocabulary._table import TokenTable

if TYPE_CHECKING:
    from collections.abc import Callable

    from formgate.core.record import Record


def compile_nothing(source: object, builder: Any, options: Any) -> None:
    """Stand for a format's function."""


MAKE: list[Callable[..., Record]] = [
    lambda name="one": Format(name, compile_nothing, aliases=("other",), endings=("txt",)),
    lambda name="one": AdapterSpec(name, "json:loads", requires=("numpy>=1.2",), tested="run"),
    lambda name="one": ToolSpec(name, "json:loads"),
]


@pytest.mark.parametrize("make", MAKE)
def test_records_are_what_their_fields_are(make: Callable[..., Record]) -> None:
    one, same, other = make(), make(), make("two")
    assert one == same != other
    assert one != "one"
    assert hash(one) == hash(same) != hash(other)
    assert len({one, same, other}) == 2
    assert copy.copy(one) == copy.deepcopy(one) == one
    assert pickle.loads(pickle.dumps(one)) == one  # noqa: S301 (of its own making)
    assert repr(one).startswith(f"{type(one).__name__}(name='one', ")


@pytest.mark.parametrize("make", MAKE)
def test_records_do_not_change(make: Callable[..., Record]) -> None:
    one = make()
    with pytest.raises(AttributeError, match="cannot assign to 'name'"):
        one.name = "two"  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="cannot delete 'name'"):
        del one.name  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="cannot assign to 'more'"):
        one.more = 1  # type: ignore[attr-defined]
    assert one == make()


def test_a_table_of_tokens_is_compared_by_what_it_holds() -> None:
    table = TokenTable([b"a", None], (1,), {}, "here")
    assert table == TokenTable([b"a", None], (1,), {}, "here")
    assert table.with_stops([1, 0, 1]).stop_ids == (0, 1)
    with pytest.raises(TypeError, match="unhashable"):
        hash(table)


def test_wrong_specs_are_refused_with_their_names() -> None:
    with pytest.raises(formgate.FormgateError, match="format 'x': reader is not callable"):
        Format("x", compile_nothing, reader=1)  # type: ignore[arg-type]
    with pytest.raises(formgate.FormgateError, match="adapter 'x': tested is"):
        AdapterSpec("x", "a:b", tested="no")  # type: ignore[arg-type]


@pytest.mark.parametrize("form", ["regex", "json_schema", "gbnf", "lark"])
def test_the_first_compilation_does_not_import_what_it_can_do_without(form: str) -> None:
    source = {"regex": "a+", "json_schema": "{}", "gbnf": 'root ::= "a"', "lark": 'start: "a"'}
    program = (
        "import sys, formgate\n"
        "vocabulary = formgate.Vocabulary([bytes([i]) for i in range(256)], stop_ids=[0])\n"
        f"formgate.compile({source[form]!r}, vocabulary, format={form!r})\n"
        "print(*{'dataclasses', 'pathlib', 'importlib.metadata', 'numpy'} & set(sys.modules))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert not done.stdout.split()
