"""References: from an address to a schema, over all documents that are known. No network, ever.

A *resource* is a schema with an address of its own: a document's root, or a subschema with ``$id``.
A document is searched for resources and anchors only when a reference asks for one: a plain
``#/pointer`` walks the pointer and looks at nothing else, so a large document costs what is used.

Where a reference may depend on the dynamic scope (``$dynamicRef``, ``$recursiveRef``), the scope is
the tuple of resources entered so far, without repetitions: only the outermost one with a given
anchor counts. Resources without such anchors are left out of it, but for the first, so that
ordinary schemas have one scope only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from formgate.core.errors import GrammarError, UnsupportedConstraint
from formgate.plugins.json_schema._drafts import BY_NAME, VOCABULARIES, Draft, draft_of, subschemas
from formgate.plugins.json_schema._meta_schemas import meta_schema

if TYPE_CHECKING:
    from formgate.plugins.json_schema._values import Json

__all__ = ["Env", "Library", "Resource", "Where", "last_steps", "pointer"]

_STEPS = 12  # of a way that a name shows

# A way from a document's root: the way to the parent and a step; a root is (None, its address).
Where = tuple[Any, str]


class Resource:
    """A schema with an address.

    Attributes:
        uri: Its address without a fragment; empty for a document without one.
        root: The schema.
        draft: The draft it is read by.
        where: The way to it from its document's root.
        anchors: Schemas by the plain names they have in this resource, once it was searched.
        dynamic: The names among them that ``$dynamicRef`` looks for in the dynamic scope.
        recursive: Whether it has ``$recursiveAnchor: true`` at its root.
        asserting: Whether the keywords that validate mean anything there (``$vocabulary``).
        outer: The resource around one that names itself by a keyword of its own draft which that
            of the resource around it does not know.
    """

    __slots__ = (
        "anchors",
        "asserting",
        "draft",
        "dynamic",
        "outer",
        "recursive",
        "root",
        "searched",
        "uri",
        "where",
    )

    def __init__(self, uri: str, root: Json, draft: Draft, where: Where) -> None:
        self.uri = uri
        self.root = root
        self.draft = draft
        self.where = where
        self.anchors: dict[str, tuple[Json, Where]] = {}
        self.dynamic: set[str] = set()
        self.recursive = isinstance(root, dict) and root.get("$recursiveAnchor") is True
        self.searched = False
        self.asserting = True
        self.outer: Resource | None = None


class Env:
    """Where a schema stands: its resource and the dynamic scope.

    Literals of schemas that were met there are kept with it: by the schemas' identity, and by the
    addresses within the resource that lead to them (None where that takes more than a look), and by
    their words, of which so many bytes were ``spelled`` out.
    """

    __slots__ = ("literals", "references", "resource", "scope", "spelled", "words")

    def __init__(self, resource: Resource, scope: tuple[Resource, ...]) -> None:
        self.resource = resource
        self.scope = scope
        self.literals: dict[int, int] = {}
        self.references: dict[str, int | None] = {}
        self.words: dict[bytes, int] = {}
        self.spelled = 0


def pointer(where: Where) -> str:
    """Return a way as a URI with a JSON pointer as its fragment: ``#/properties/a``."""
    steps = []
    parent, step = where
    while parent is not None:
        steps.append(step.replace("~", "~0").replace("/", "~1"))
        parent, step = parent
    return _printable(step + "#" + "".join("/" + step for step in reversed(steps)))


def last_steps(where: Where) -> str:
    """Return a way as ``pointer`` does, but of a long one only the end."""
    steps: list[str] = []
    parent, step = where
    while parent is not None and len(steps) < _STEPS:
        steps.append(step)
        parent, step = parent
    start = step + "#" if parent is None else "..."
    return _printable(start + "".join("/" + step for step in reversed(steps)))


def _printable(name: str) -> str:
    """Return a name as text: a key may have half a surrogate pair, which is in no text."""
    return name if name.isascii() else name.encode("utf-8", "backslashreplace").decode()


class Library:
    """All documents that a compilation knows.

    Args:
        schema: The schema to compile.
        draft: The draft of documents that do not name one.
        given: Documents of others: a ``referencing.Registry``, or schemas by address.

    Attributes:
        root: The resource that the schema is.
        unknown_drafts: Where a ``$schema`` leads to no meta-schema that is known, by its address.
    """

    def __init__(self, schema: Json, draft: str, given: Any = None) -> None:
        self._default = BY_NAME[draft]
        self._given = given
        self._resources: dict[str, Resource] = {}
        self._by_root: dict[int, Resource] = {}
        self._orders: dict[int, dict[str, int]] = {}
        self._envs: dict[tuple[int, ...], Env] = {}
        self._shared: dict[str, tuple[Where, Where]] = {}  # addresses that two schemas have
        self._meant: set[str] = set()  # addresses that references have
        self.unknown_drafts: dict[str, Where] = {}
        self.root = self._document(schema, "")

    def env(self, resource: Resource, scope: tuple[Resource, ...]) -> Env:
        """Return the one environment of a resource, entered in a scope."""
        if resource not in scope and (not scope or self._matters(resource)):
            scope = (*scope, resource)
        key = (id(resource), *map(id, scope))
        found = self._envs.get(key)
        if found is None:
            found = self._envs[key] = Env(resource, scope)
        return found

    def enter(self, schema: dict[str, Json], env: Env, where: Where) -> Env:
        """Return the environment inside a schema: another one if it has an address of its own."""
        resource = env.resource
        if resource.draft.id_keyword not in schema and "$schema" not in schema:
            return env
        if schema is resource.root:
            return env
        inner = self._inner(schema, resource, where)
        return env if inner is resource else self.env(inner, env.scope)

    def _inner(self, schema: dict[str, Json], resource: Resource, where: Where) -> Resource:
        """Return the resource inside a schema of a resource."""
        uri = self._own_uri(schema, resource)
        return resource if uri is None else self._embedded(schema, uri, resource, where)

    def resolve(self, reference: str, env: Env, where: Where) -> tuple[Json, Env, Where]:
        """Return the schema that a reference leads to, its environment and the way to it.

        Raises:
            GrammarError: It leads nowhere.
        """
        resource = env.resource
        address, _, fragment = reference.partition("#")
        if address:
            resource = self._find(_join(resource.uri, address), reference, where)
        if "%" in fragment:
            from urllib.parse import unquote  # noqa: PLC0415 (rarely needed)

            fragment = unquote(fragment)
        if not fragment:
            return resource.root, self.env(resource, env.scope), resource.where
        if fragment.startswith("/"):
            return self._at(fragment, resource, env, reference, where)
        self._search(resource)
        found = resource.anchors.get(fragment)
        if found is None:
            raise _nowhere(reference, where, f"there is no anchor {fragment!r}")
        return found[0], self.env(resource, env.scope), found[1]

    def _at(
        self, fragment: str, resource: Resource, env: Env, reference: str, where: Where
    ) -> tuple[Json, Env, Where]:
        """Follow a JSON pointer in a resource.

        Where it leads nowhere, it is followed in the resource around it, if that does not know the
        keyword by which this one names itself: its author took both for one document.
        """
        try:
            return self._walk(fragment, resource, env, reference, where)
        except GrammarError:
            if resource.outer is None:
                raise
            try:
                return self._at(fragment, resource.outer, env, reference, where)
            except GrammarError:
                pass
            raise

    def resolve_dynamic(self, reference: str, env: Env, where: Where) -> tuple[Json, Env, Where]:
        """Return what a ``$dynamicRef`` leads to.

        Raises:
            GrammarError: It leads nowhere.
        """
        plain = self.resolve(reference, env, where)
        name = reference.partition("#")[2]
        home = plain[1].resource
        if not name or name.startswith("/"):
            return plain
        self._search(home)
        if name not in home.dynamic:
            return plain
        for resource in env.scope:
            self._search(resource)
            if name in resource.dynamic:
                schema, way = resource.anchors[name]
                return schema, self.env(resource, env.scope), way
        return plain

    def resolve_recursive(self, env: Env) -> tuple[Json, Env, Where]:
        """Return what a ``$recursiveRef`` to ``#`` leads to."""
        resource = env.resource
        if resource.recursive:
            resource = next((outer for outer in env.scope if outer.recursive), resource)
        return resource.root, self.env(resource, env.scope), resource.where

    def position(self, where: Where) -> tuple[int, ...]:
        """Return where a schema stands in its document, so that the order is that of the text."""
        steps = []
        parent, step = where
        while parent is not None:
            steps.append(step)
            parent, step = parent
        place = list(self._resources)
        found = [place.index(step) if step in self._resources else len(place)]
        value = self._resources[step].root if step in self._resources else None
        for name in reversed(steps):
            if isinstance(value, dict):
                order = self._orders.get(id(value))
                if order is None:
                    order = self._orders[id(value)] = {key: at for at, key in enumerate(value)}
                found.append(order.get(name, len(order)))
                value = value.get(name)
            elif isinstance(value, list):
                found.append(int(name))
                value = value[int(name)]
        return tuple(found)

    def _document(self, schema: Json, uri: str, default: Draft | None = None) -> Resource:
        """Take a document in and return its root."""
        draft = default or self._default
        own = None
        if isinstance(schema, dict):
            draft = self._draft(schema, draft, (None, uri))
            name = schema.get(draft.id_keyword)
            if isinstance(name, str) and not (draft.lone_ref and "$ref" in schema):
                own = _join(uri, name).partition("#")[0]
        resource = Resource(own or uri, schema, draft, (None, uri))
        resource.asserting = self._asserting(schema, draft)
        self._by_root[id(schema)] = resource
        for address in {uri, resource.uri}:
            self._resources.setdefault(address, resource)
        return resource

    def _draft(self, schema: dict[str, Json], default: Draft, where: Where) -> Draft:
        """Return the draft that a schema names.

        Raises:
            GrammarError: It names draft 3 or older, or what is no name.
        """
        if "$schema" not in schema:
            return default
        named = schema["$schema"]
        if not isinstance(named, str):
            raise GrammarError(
                f"{pointer((where, '$schema'))}: $schema is a string, not a {type(named).__name__}"
            )
        found = draft_of(named)
        if found is None and any(f"draft-0{old}/" in named for old in (0, 1, 2, 3)):
            raise GrammarError(
                f"the schema is of a draft that is not supported: {named}",
                hint="drafts 4, 6, 7, 2019-09 and 2020-12 are",
            )
        found = found or self._by_meta_schema(named)
        if found is None:
            self.unknown_drafts.setdefault(named, (where, "$schema"))
        return found or default

    def _by_meta_schema(self, uri: str) -> Draft | None:
        """Return the draft of a meta-schema of one's own, if it was given."""
        meta = self._lookup(uri.removesuffix("#"))
        named = meta.get("$schema") if isinstance(meta, dict) else None
        return draft_of(named)

    def _asserting(self, schema: Json, draft: Draft) -> bool:
        """Say whether a schema's meta-schema has the vocabulary of keywords that validate."""
        named = schema.get("$schema") if isinstance(schema, dict) else None
        if draft.rank < 2019 or not isinstance(named, str) or draft_of(named) is not None:
            return True
        meta = self._lookup(named.removesuffix("#"))
        known = meta.get("$vocabulary") if isinstance(meta, dict) else None
        if not isinstance(known, dict) or not known:
            return True
        prefix = draft.uri.replace("/schema", "/vocab/")
        for uri, required in known.items():
            if required is True and uri.removeprefix(prefix) not in VOCABULARIES:
                raise UnsupportedConstraint(
                    f"{named}: the meta-schema requires the vocabulary {uri!r}, whose keywords are "
                    "not known",
                    hint='"$vocabulary" with false for it says that they may be ignored',
                )
        return draft.uri.replace("/schema", "/vocab/validation") in known

    def _own_uri(self, schema: dict[str, Json], resource: Resource) -> str | None:
        """Return the address that a subschema gives itself, None if it has none."""
        # A schema of draft 4 inside one of another draft names itself as draft 4 does.
        named = draft_of(schema.get("$schema")) or resource.draft
        name = schema.get(named.id_keyword)
        if not isinstance(name, str) or (resource.draft.lone_ref and "$ref" in schema):
            return None
        address = name.partition("#")[0]
        return _join(resource.uri, address) if address else None

    def _embedded(
        self, schema: dict[str, Json], uri: str, parent: Resource, where: Where
    ) -> Resource:
        """Return the resource that a subschema with an address is."""
        found = self._by_root.get(id(schema))
        if found is None:
            found = Resource(uri, schema, self._draft(schema, parent.draft, where), where)
            if found.draft.id_keyword != parent.draft.id_keyword:
                found.outer = parent
            self._by_root[id(schema)] = found
            known = self._resources.setdefault(uri, found)
            if known is not found and known.root is not schema:
                self._shared.setdefault(uri, (known.where, where))
                self._check_meant(uri)
        return found

    def _check_meant(self, uri: str) -> None:
        """Raise `GrammarError` if a reference means an address that two schemas have."""
        if uri in self._shared and uri in self._meant:
            raise _twice(f"the address {uri!r}", *self._shared[uri])

    def _matters(self, resource: Resource) -> bool:
        """Say whether a resource in the dynamic scope may make a difference."""
        if resource.recursive:
            return True
        self._search(resource)
        return bool(resource.dynamic)

    def _search(self, resource: Resource) -> None:
        """Find the anchors of a resource, and the resources inside it."""
        if resource.searched:
            return
        resource.searched = True
        if not isinstance(resource.root, dict):
            return
        draft = resource.draft
        stack = [(resource.root, resource.where)]
        while stack:
            schema, where = stack.pop()
            if schema is not resource.root:
                uri = self._own_uri(schema, resource)
                if uri is not None:
                    self._embedded(schema, uri, resource, where)
                    continue
            _note_anchors(schema, resource, where)
            if draft.lone_ref and "$ref" in schema:
                continue
            for steps, inner in subschemas(schema, draft):
                way = where
                for step in steps:
                    way = (way, step)
                stack.append((inner, way))

    def _find(self, uri: str, reference: str, where: Where) -> Resource:
        """Return the resource of an address.

        Raises:
            GrammarError: No known document has it.
        """
        found = self._resources.get(uri)
        if found is None or found.where[0] is not None:  # another may have the same address
            self._search_all()
            found = self._resources.get(uri) or self._remote(uri)
        if found is None:
            raise _nowhere(reference, where, f"no document is known as {uri!r}")
        # Of two schemas that have one address each is what it is where it stands: generated schemas
        # repeat parts with it. But none may be referred to by it, found out now or later.
        self._meant.add(uri)
        self._check_meant(uri)
        return found

    def _search_all(self) -> None:
        """Find the resources inside all known ones."""
        while waiting := [one for one in self._by_root.values() if not one.searched]:
            for resource in waiting:
                self._search(resource)

    def _remote(self, uri: str) -> Resource | None:
        """Return a meta-schema, or a document that was given."""
        if "json-schema.org/" in uri:
            found = meta_schema(uri)
            if found is not None:
                return self._document(found, uri)
        given = self._lookup(uri)
        return None if given is None else self._document(given, uri)

    def _lookup(self, uri: str) -> Json:
        """Return a document that was given, None if there is none."""
        if self._given is None:
            return None
        if isinstance(self._given, Mapping) and not hasattr(self._given, "get_or_retrieve"):
            return self._given.get(uri, self._given.get(uri + "#"))
        try:
            return self._given.get_or_retrieve(uri).value.contents
        except LookupError:
            return None

    def _walk(
        self, fragment: str, resource: Resource, env: Env, reference: str, where: Where
    ) -> tuple[Json, Env, Where]:
        """Follow a JSON pointer, into other resources if it leads there."""
        value = resource.root
        way = resource.where
        for step in fragment[1:].split("/"):
            name = step.replace("~1", "/").replace("~0", "~")
            if isinstance(value, dict) and name in value:
                value = value[name]
            elif isinstance(value, list) and name.isdecimal() and int(name) < len(value):
                value = value[int(name)]
            else:
                raise _nowhere(reference, where, f"there is no {pointer((way, name))}")
            way = (way, name)
            if isinstance(value, dict) and value is not resource.root:
                resource = self._inner(value, resource, way)
        return value, self.env(resource, env.scope), way


def _join(base: str, address: str) -> str:
    """Return an address relative to a base as an absolute one; what is no URI stays as it is."""
    if not base:
        return address
    from urllib.parse import urljoin  # noqa: PLC0415 (rarely needed)

    if base.startswith("urn:"):
        return address or base
    try:
        return urljoin(base, address)
    except ValueError:  # brackets around what is no address, or characters that are normalised
        return address


def _note_anchors(schema: dict[str, Json], resource: Resource, where: Where) -> None:
    """Note the plain names that a schema has in its resource."""
    draft = resource.draft
    if draft.rank < 2019:
        name = schema.get(draft.id_keyword)
        if isinstance(name, str) and name.startswith("#"):
            _note_anchor(name[1:], schema, resource, where)
        return
    for keyword in ("$anchor", "$dynamicAnchor"):
        name = schema.get(keyword)
        if isinstance(name, str):
            _note_anchor(name, schema, resource, where)
            if keyword == "$dynamicAnchor" and draft.rank >= 2020:
                resource.dynamic.add(name)


def _note_anchor(name: str, schema: dict[str, Json], resource: Resource, where: Where) -> None:
    known, place = resource.anchors.setdefault(name, (schema, where))
    if known is not schema:
        raise _twice(f"the anchor {name!r}", place, where)


def _twice(what: str, first: Where, second: Where) -> GrammarError:
    """Return the error for a name that two schemas have."""
    places = sorted((pointer(first), pointer(second)))
    return GrammarError(
        f"{places[1]}: {what} is that of {places[0]}, too: a reference could mean either",
        hint="give each a name of its own",
    )


def _nowhere(reference: str, where: Where, reason: str) -> GrammarError:
    """Return the error for a reference that leads nowhere."""
    hint = None
    if "no document" in reason:
        hint = "give the document in resources=... (schemas by their addresses); nothing is fetched"
    return GrammarError(
        f"{pointer(where)}: the reference {reference!r} leads nowhere: {reason}", hint=hint
    )
