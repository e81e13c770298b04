"""The official suite: what is made of its schemas decides its values, without grammars or engines.

`tests/json_schema/conformance` runs the same cases over compiled engines.
"""

from __future__ import annotations

import pytest
import suite
from acceptor import Acceptor


@pytest.mark.parametrize("draft", suite.DRAFTS)
def test_cases_of_a_draft(draft: str) -> None:
    acceptors: dict[int, Acceptor] = {}
    wrong = []
    for case in suite.cases(draft):
        if case.about_format or case.file == "format.json":
            continue
        if id(case.schema) not in acceptors:
            acceptors[id(case.schema)] = Acceptor(
                case.schema,
                draft=draft,
                formats="annotate",
                content="assert" if case.about_content else "annotate",
                resources=suite.registry(draft),
            )
        if acceptors[id(case.schema)].accepts(case.instance) != case.valid:
            wrong.append(case.name)
    assert wrong == []
