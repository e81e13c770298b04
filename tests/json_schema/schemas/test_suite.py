"""The official suite: what is made of its schemas decides its values, without grammars or engines.

`tests/json_schema/conformance` runs the same cases over compiled engines.
"""

from __future__ import annotations

from typing import Any

import pytest
import suite
from acceptor import Acceptor

from formgate.core.errors import UnsupportedConstraint

# The content of strings (contentEncoding, contentMediaType) is an annotation here.
ANNOTATED = "optional/content.json"
# A member beyond the named ones, one of which must be unlike the others: refused.
REFUSED = {
    (
        "2019-09/recursiveRef.json: multiple dynamic paths to the $recursiveRef keyword: "
        "recurse to integerNode - floats are not allowed"
    ),
    (
        "2019-09/recursiveRef.json: dynamic $recursiveRef destination (not predictable at schema "
        "compile time): integer node"
    ),
}


@pytest.mark.parametrize("draft", suite.DRAFTS)
def test_cases_of_a_draft(draft: str) -> None:
    acceptors: dict[int, Acceptor] = {}
    wrong = []
    for case in suite.cases(draft):
        if case.about_format or case.file in (ANNOTATED, "format.json"):
            continue
        if id(case.schema) not in acceptors:
            acceptors[id(case.schema)] = Acceptor(
                case.schema, draft=draft, formats="annotate", resources=suite.registry(draft)
            )
        found: Any
        try:
            found = acceptors[id(case.schema)].accepts(case.instance)
        except UnsupportedConstraint as error:
            found = error.reason
        if found != case.valid and case.name not in REFUSED:
            wrong.append((case.name, found))
    assert wrong == []
