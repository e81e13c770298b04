"""Random schemas: what is made of them decides values as jsonschema does."""

from __future__ import annotations

from typing import Any

import hypothesis
import jsonschema
import pytest
from acceptor import Acceptor
from hypothesis import strategies as st
from random_schemas import schemas, values

from formgate.core.errors import GrammarError, LimitError, UnsupportedConstraint

VALIDATORS = {
    "4": jsonschema.Draft4Validator,
    "6": jsonschema.Draft6Validator,
    "7": jsonschema.Draft7Validator,
    "2019-09": jsonschema.Draft201909Validator,
    "2020-12": jsonschema.Draft202012Validator,
}


def decided(schema: Any, instances: list[Any], **options: Any) -> list[bool] | None:
    """Return which instances are accepted; None where the schema is refused."""
    try:
        acceptor = Acceptor(schema, **options)
        return [acceptor.accepts(value) for value in instances]
    except (UnsupportedConstraint, LimitError):
        return None
    except GrammarError as error:
        if "refers to itself" not in error.reason:
            raise
        return None


@pytest.mark.parametrize("draft", ["2020-12", "2019-09", "7", "4"])
@hypothesis.settings(
    max_examples=30, deadline=None, suppress_health_check=list(hypothesis.HealthCheck)
)
@hypothesis.given(data=st.data())
def test_values_are_decided_as_jsonschema_does(draft: str, data: st.DataObject) -> None:
    schema = data.draw(schemas(draft=draft))
    instances = data.draw(st.lists(values, min_size=4, max_size=12))
    found = decided(schema, instances, draft=draft)
    if found is None:
        return
    judge = VALIDATORS[draft](schema)
    try:
        expected = [judge.is_valid(value) for value in instances]
    except RecursionError:
        return  # it follows a reference to where it is without end, and has no verdict
    except TypeError as error:  # it takes the length of "items": true, which draft 2019-09 allows
        assert "has no len()" in str(error)  # noqa: PT017 (the judge's fault, which says no more)
        return
    assert found == expected
