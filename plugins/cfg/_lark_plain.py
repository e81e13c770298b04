"""Lark grammars without anything unusual, loaded as lark loads them, but without lark.

lark takes 60 ms to import and some 15 to 60 ms for a grammar, most of it in going through trees
again and again. What ``GrammarBuilder`` and the first half of ``Grammar.compile`` of
``lark.load_grammar`` do is done here in two walks: definitions and imports with their names, then
patterns of terminals and bodies of rules. lark is the judge all the same: what it refuses, or may,
and whatever is rare, is left to it (``Unusual``), and so is everything where the package that is
installed is none of the releases that this was compared with.
"""

from __future__ import annotations

import os
import re
import sys
from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple

from formgate.core.errors import GrammarError
from formgate.plugins.cfg._lark_defined import Definition, check_terminals, pattern_of
from formgate.plugins.cfg._lark_patterns import Anonymous
from formgate.plugins.cfg._lark_syntax import Unusual, statements
from formgate.plugins.cfg._lark_tree import Body, Content, Node, Symbol, ordered

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping, Sequence

    from formgate.plugins.cfg._lark_patterns import Pattern
    from formgate.plugins.cfg._lark_syntax import Import, Literal, Statement

__all__ = ["RELEASES", "read_file", "read_plain"]

RELEASES = frozenset(("1.2.2", "1.3.0", "1.3.1"))
"""Releases of lark that were compared."""

_MOST_IMPORTS = 50
_DEEPEST_IMPORT = 8
_MOST_INSTANCES = 5_000
_DEEPEST_INSTANCE = 50
_VERSION = re.compile(r'^__version__(?::\s*str)?\s*=\s*"([^"]*)"', re.MULTILINE)


def read_file(path: str) -> str | None:
    """Return the text of a file, None where there is none.

    Raises:
        GrammarError: It is not UTF-8.
    """
    try:
        with open(path, encoding="utf8") as file:  # noqa: PTH123 (a grammar is named as lark does)
            return file.read()
    except OSError:
        return None
    except UnicodeDecodeError as error:
        raise GrammarError(
            f"in {path}, which the grammar imports: {error.reason} at byte {error.start}; it is "
            "not UTF-8",
            hint="save the file as UTF-8",
        ) from None


def read_plain(text: str, base_path: str | None, import_paths: Sequence[str]) -> Content:
    """Load a grammar, as lark reads it.

    Args:
        text: The grammar.
        base_path: The folder that relative imports begin from.
        import_paths: Folders that are searched for imports, before those that come with lark.

    Raises:
        GrammarError: An imported file is not UTF-8.
        Unusual: It is left to lark.
    """
    folder = _lark_folder()
    if folder is None:
        raise Unusual
    files = _Files(folder, base_path, import_paths)
    loader = _Loader(files)
    # As lark splits the path of the file that the grammar is taken to stand in.
    base = os.path.split(os.path.join(base_path or "", "-"))[0]  # noqa: PTH118
    definitions = loader.load(text, base, None, 0)
    if not set(loader.ignored) <= definitions.keys():
        raise Unusual
    terminals: dict[str, Pattern] = {}
    priorities = {}
    for name, definition in definitions.items():
        if definition.is_terminal and definition.tree is not None:
            terminals[name] = pattern_of(definition)
            priorities[name] = definition.written.priority or 0
    for pattern in terminals.values():
        _ = pattern.max_width  # what ``re`` refuses is left to lark
    declared = frozenset(name for name, each in definitions.items() if each.tree is None)
    bodies = _Bodies(definitions, Anonymous(terminals)).write()
    for pattern in terminals.values():
        _ = pattern.max_width
    return Content(terminals, priorities, bodies, loader.ignored, declared, files.texts)


def _lark_folder() -> str | None:
    """Return the folder of the lark package; None without one of the releases that are known."""
    if sys.modules.get("lark", True) is None:  # told not to be imported
        return None
    try:
        spec = find_spec("lark")
    except ValueError:
        return None
    if spec is None or spec.origin is None:
        return None
    folder, file = os.path.split(spec.origin)
    return folder if file == "__init__.py" and _version(spec.origin) in RELEASES else None


@lru_cache(maxsize=4)
def _version(path: str) -> str | None:
    """Return the version that a package gives itself."""
    found = _VERSION.search(_text(path) or "")
    return None if found is None else found[1]


@lru_cache(maxsize=16)
def _text(path: str) -> str | None:
    """Return the text of a file of the lark package."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123 (pathlib takes 7 ms to import)
            return file.read().decode()
    except (OSError, UnicodeDecodeError):
        return None


# Grammars import the same files again and again.
_statements = lru_cache(maxsize=16)(statements)


class _InLark(NamedTuple):
    """A folder within the lark package, where imports of its own grammars begin."""

    path: str


class _Files:
    """Finds the files that a grammar imports, as ``_lark_package.Imports`` does."""

    def __init__(self, lark: str, base_path: str | None, import_paths: Sequence[str]) -> None:
        self._lark = lark
        self._base_path = base_path
        self._import_paths = import_paths
        self._count = 0
        self.texts: dict[str, str] = {}

    def find(self, base: str | _InLark | None, file: str) -> tuple[str | _InLark, str]:
        """Return where imports of an imported file begin, and its text."""
        self._count += 1
        if self._count > _MOST_IMPORTS:
            raise Unusual
        folders = list(self._import_paths)
        if isinstance(base, str) and (base or self._base_path is not None):
            folders.append(base)
        for folder in folders:
            path = os.path.join(folder, file)  # noqa: PTH118 (a grammar is named as lark does)
            text = read_file(path)
            if text is not None:
                self.texts[path] = text
                return os.path.split(path)[0], text
        if isinstance(base, str):
            raise Unusual
        path = os.path.join("grammars" if base is None else base.path, file)  # noqa: PTH118
        text = _text(os.path.join(self._lark, path))  # noqa: PTH118
        if text is None:
            raise Unusual
        return _InLark(os.path.split(path)[0]), text


class _Loader:
    """Collects the definitions of a grammar and of what it imports."""

    def __init__(self, files: _Files) -> None:
        self._files = files
        self.ignored: list[str] = []

    def load(
        self,
        text: str,
        base: str | _InLark,
        mangle: Callable[[str], str] | None,
        depth: int,
    ) -> dict[str, Definition]:
        """Return what a text defines and imports, by the names that the grammar knows."""
        if depth > _DEEPEST_IMPORT:
            raise Unusual
        read = _statements(text) if mangle is not None else statements(text)
        found = self._imported(read, base, mangle, depth)
        own = []
        rename = mangle or str
        for statement in read:
            if statement.kind == "import" or (statement.kind == "ignore" and mangle is not None):
                continue
            name = rename(statement.name)
            if statement.kind == "ignore":
                ignored = _only_terminal(statement)
                name = ignored or f"__IGNORE_{len(self.ignored)}"
                self.ignored.append(name)
                if ignored is not None:
                    continue
            if statement.parameters and mangle is not None:  # templates are renamed throughout
                raise Unusual
            _check_name(name, statement, found)
            definition = Definition(statement, rename, found)
            found[name] = definition
            own.append(definition)
        check_terminals([each for each in own if each.is_terminal])
        for definition in own:
            if not definition.is_terminal:
                _check_rule(definition, found)
        return found

    def _imported(
        self,
        read: Sequence[Statement],
        base: str | _InLark,
        mangle: Callable[[str], str] | None,
        depth: int,
    ) -> dict[str, Definition]:
        """Return what a text imports."""
        imports: dict[tuple[str, ...], Import] = {}
        for statement in read:
            new = statement.import_
            if new is None:
                continue
            known = imports.setdefault(new.path, new._replace(names={}))
            if known.is_relative != new.is_relative:
                raise Unusual
            known.names.update(new.names)
        found: dict[str, Definition] = {}
        for path, new in imports.items():
            file = os.path.join(*path) + ".lark"  # noqa: PTH118 (as lark does)
            where, text = self._files.find(base if new.is_relative else None, file)
            inner = _mangler("__".join(path), new.names, mangle)
            loaded = self.load(text, where, inner, depth + 1)
            used = _reached(loaded, [inner(name) for name in new.names])
            if not found.keys().isdisjoint(used):
                raise Unusual
            found.update((name, each) for name, each in loaded.items() if name in used)
        return found


def _mangler(
    prefix: str, aliases: Mapping[str, str], outer: Callable[[str], str] | None
) -> Callable[[str], str]:
    """Return what renames the names of an imported file."""

    def mangle(name: str) -> str:
        if name in aliases:
            name = aliases[name]
        elif name.startswith("_"):
            name = f"_{prefix}__{name[1:]}"
        else:
            name = f"{prefix}__{name}"
        return name if outer is None else outer(name)

    return mangle


def _reached(definitions: Mapping[str, Definition], names: Sequence[str]) -> set[str]:
    """Return some names and what they are made of; terminals are made of nothing else any more."""
    reached = set(names)
    new = list(names)
    while new:
        definition = definitions.get(new.pop())
        if definition is None or (definition.tree is None and not definition.is_terminal):
            raise Unusual
        if not definition.is_terminal:
            used = definition.symbols() - reached
            reached |= used
            new += used
    return reached


def _only_terminal(statement: Statement) -> str | None:
    """Return the terminal that is all that is ignored; None for anything else."""
    assert statement.tree is not None  # noqa: S101 (tells the type checker)
    if len(statement.tree.children) == 1:
        (only,) = statement.tree.children
        assert type(only) is Node  # noqa: S101 (as above)
        if only.kind == "expansion" and len(only.children) == 1:
            (item,) = only.children
            if type(item) is Symbol and item.kind == "terminal":
                return item.name
    return None


def _check_name(name: str, statement: Statement, known: Container[str]) -> None:
    """Leave to lark what it refuses of a definition for its name."""
    if name in known or (name.startswith("__") and statement.kind != "ignore"):
        raise Unusual
    if statement.name.startswith("_") and "?" in statement.modifiers:
        raise Unusual


class _Bodies:
    """Writes the rules of a grammar, templates as far as they are used."""

    def __init__(self, definitions: Mapping[str, Definition], anonymous: Anonymous) -> None:
        self._definitions = definitions
        self._anonymous = anonymous
        # What is to be written: its name, what it is, and what stands for its parameters.
        self._rules: dict[str, tuple[Definition, Mapping[str, Symbol]]] = {
            name: (definition, {})
            for name, definition in definitions.items()
            if not definition.is_terminal
            and definition.tree is not None
            and not definition.written.parameters
        }

    def write(self) -> list[Body]:
        """Return all rules in order, then the templates for each of their arguments."""
        found = []
        names = list(self._rules)
        most = len(names) + _MOST_INSTANCES
        for name in names:  # grows while templates are used
            if len(names) > most or name.count("{") > _DEEPEST_INSTANCE:
                raise Unusual
            before = len(self._rules)
            definition, arguments = self._rules[name]
            tree = self._named(name, definition, arguments)
            if definition.has_templates:
                self._fill_in(tree)
                names += list(self._rules)[before:]
            keeps_all = "!" in definition.written.modifiers
            found.append(Body(name, tree, keeps_all, definition.written.priority or 0))
        return found

    def _named(self, name: str, definition: Definition, arguments: Mapping[str, Symbol]) -> Node:
        """Return a body in the names of the grammar, with terminals for strings and regexes."""
        tree = definition.tree
        assert tree is not None  # noqa: S101 (tells the type checker)
        made: dict[int, Node] = {}
        for node in ordered(tree):  # lark names terminals in this order
            children: list[object] = []
            for child in node.children:
                if type(child) is Node:
                    children.append(made[id(child)])
                elif type(child) is Symbol:
                    known = arguments.get(child.name)
                    children.append(_renamed(child, definition) if known is None else known)
                else:
                    literal: Literal = child  # type: ignore[assignment]
                    children.append(self._anonymous.symbol(literal))
            if node.kind == "alias" and name.startswith("_"):
                raise Unusual
            made[id(node)] = node.with_children(children)
        return made[id(tree)]

    def _fill_in(self, tree: Node) -> None:
        """Put rules where a body has templates and their arguments."""
        for node in ordered(tree):
            for at, child in enumerate(node.children):
                if type(child) is Node and child.kind == "template_usage":
                    node.children[at] = self._instance(child.children)

    def _instance(self, usage: Sequence[object]) -> Symbol:
        """Return the rule for a template with its arguments."""
        template, *arguments = (symbol for symbol in usage if type(symbol) is Symbol)
        name = f"{template.name}{{{','.join(symbol.name for symbol in arguments)}}}"
        if name not in self._rules:
            definition = self._definitions[template.name]
            parameters = definition.written.parameters
            self._rules[name] = definition, dict(zip(parameters, arguments, strict=True))
        return Symbol("rule", name, name.startswith("_"))


def _renamed(symbol: Symbol, definition: Definition) -> Symbol:
    """Return a symbol by the name that the grammar knows."""
    name = definition.mangle(symbol.name)
    hidden = name.startswith("_") if symbol.kind == "rule" else symbol.hidden
    return Symbol(symbol.kind, name, hidden)


def _check_rule(definition: Definition, known: Mapping[str, Definition]) -> None:
    """Leave to lark a rule with names that are not known, or templates with wrong arguments."""
    parameters = set(definition.written.parameters)
    if not parameters.isdisjoint(known) or len(parameters) < len(definition.written.parameters):
        raise Unusual
    if not definition.symbols() <= known.keys() | parameters:
        raise Unusual
    if definition.tree is None:
        return
    for node in ordered(definition.tree):
        if node.kind == "template_usage":
            definition.has_templates = True
            (template, *arguments) = node.children
            assert type(template) is Symbol  # noqa: S101 (tells the type checker)
            used = known.get(template.name)
            if used is None or len(used.written.parameters) != len(arguments):
                raise Unusual
            # lark keeps such a string in the tree wherever the template is used with it.
            plain = all(type(each) is Symbol or type(each) is Node for each in arguments)
            if "!" in definition.written.modifiers and not plain:
                raise Unusual
