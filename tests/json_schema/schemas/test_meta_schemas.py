"""Meta-schemas: what is read from files is what their package holds."""

from __future__ import annotations

import subprocess
import sys

import pytest
from jsonschema_specifications import REGISTRY

from formgate.core.errors import MissingDependencyError
from formgate.plugins.json_schema import _meta_schemas
from formgate.plugins.json_schema._meta_schemas import meta_schema


@pytest.fixture(autouse=True)
def _forget():
    meta_schema.cache_clear()
    yield
    meta_schema.cache_clear()


@pytest.mark.parametrize("uri", sorted(REGISTRY))
def test_files_are_the_registry(uri, monkeypatch):
    expected = REGISTRY.contents(uri)
    monkeypatch.setattr(_meta_schemas, "_from_registry", pytest.fail)
    assert meta_schema(uri) == expected
    assert meta_schema(uri.removesuffix("#")) == expected


@pytest.mark.parametrize("uri", ["http://json-schema.org/draft-07/schema", "http://x.org/a"])
def test_what_no_file_says_is_asked_of_the_package(uri, monkeypatch, tmp_path):
    class Elsewhere:
        submodule_search_locations = (str(tmp_path),)

    monkeypatch.setattr(_meta_schemas, "find_spec", lambda _: Elsewhere)
    assert meta_schema(uri) == (REGISTRY.contents(uri + "#") if "draft" in uri else None)
    folder = tmp_path / "schemas" / "draft6"
    folder.mkdir(parents=True)
    for text in ("{", "[]", '{"$id": "http://json-schema.org/draft-07/schema#"}', '{"$id": 1}'):
        (folder / "metaschema.json").write_text(text, encoding="utf-8")
        meta_schema.cache_clear()
        expected = REGISTRY.contents("http://json-schema.org/draft-06/schema#")
        assert meta_schema("http://json-schema.org/draft-06/schema#") == expected


def test_the_package_may_be_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "jsonschema_specifications", None)
    for uri in ("http://json-schema.org/draft-07/schema", "http://json-schema.org/other"):
        with pytest.raises(MissingDependencyError, match="install formgate"):
            meta_schema(uri)


def test_a_reference_imports_no_packages_of_others():
    code = (
        "import sys, formgate\n"
        "from formgate.core.compiler import build_grammar\n"
        "schema = {'$ref': 'http://json-schema.org/draft-07/schema#/definitions/simpleTypes'}\n"
        "build_grammar(schema, format='json_schema')\n"
        "loaded = {'attr', 'jsonschema_specifications', 'referencing', 'rpds'} & set(sys.modules)\n"
        "assert not loaded, loaded\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
