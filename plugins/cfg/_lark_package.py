"""Lark grammars loaded by the lark package.

lark reads the text, follows imports, and does what only it can say the meaning of: ``%extend``
and ``%override``, terminals of terminals as one regex, names of anonymous terminals, templates; and
it has the errors. Its trees become ours, without recursion.
"""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING

from formgate.core.errors import FormgateError, GrammarError, LimitError, MissingDependencyError
from formgate.core.forking import lock_across_forks
from formgate.plugins.cfg._lark_errors import explain
from formgate.plugins.cfg._lark_names import find_import
from formgate.plugins.cfg._lark_plain import read_file
from formgate.plugins.cfg._lark_tree import Body, Content, Node, Symbol
from formgate.plugins.cfg._scanner import BYTE_ORDER_MARK, MAX_COUNT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lark.load_grammar import Grammar, GrammarBuilder
    from lark.tree import Tree

    from formgate.plugins.cfg._lark_source import LarkSource

__all__ = ["Imports", "grammar_builder", "read_with_lark"]

_MOST_IMPORTS = 200
_MOST_INSTANCES = 10_000
_DEEPEST_INSTANCE = 100
_MOST_DIGITS = 20

_lock = lock_across_forks()


def read_with_lark(
    source: LarkSource, base_path: str | None, import_paths: tuple[str, ...]
) -> Content:
    """Load a grammar with lark.

    Raises:
        GrammarError: lark refuses it.
        LimitError: It is nested, or grows, beyond reason.
        MissingDependencyError: The lark package is not installed.
    """
    imports = Imports(base_path, import_paths, source)
    builder = grammar_builder(imports)
    try:
        builder.load_grammar(source.text, imports.name)
        return _compile(builder.build(), source, imports.files)
    except FormgateError:
        raise
    except RecursionError:
        raise LimitError(
            "the grammar is nested too deep for the lark package, or imports itself"
        ) from None
    except Exception as error:  # noqa: BLE001 (lark raises what its parts happen to raise)
        raise explain(error, source, imports.latest, imports.texts) from None


def grammar_builder(imports: Imports) -> GrammarBuilder:
    """Return what lark loads a grammar with.

    Raises:
        MissingDependencyError: The lark package is not installed.
    """
    try:
        from lark.load_grammar import GrammarBuilder  # noqa: PLC0415 (an optional package)
    except ImportError as error:
        raise MissingDependencyError(
            "the lark package, which reads Lark grammars, is not installed. "
            "Run: pip install 'formgate[lark]'"
        ) from error
    make_parser()
    return GrammarBuilder(import_paths=[imports])


def make_parser() -> None:
    """Let lark make its parser of grammars, which it keeps, without the check of its terminals.

    With interegular installed, lark compares all terminals of a lexer in pairs; for those of its
    own grammar that takes 0.2 s in each process, and tells nothing new.
    """
    from lark import load_grammar  # noqa: PLC0415 (an optional package)

    make = getattr(load_grammar, "_get_parser", None)
    conf = getattr(load_grammar, "LexerConf", None)
    if make is None or conf is None or hasattr(make, "cache"):
        return
    with _lock:
        # Nothing else in lark refers to this name of the module.
        vars(load_grammar)["LexerConf"] = functools.partial(conf, skip_validation=True)
        try:
            make()
        except TypeError:
            pass  # another release of lark: it makes the parser itself
        finally:
            vars(load_grammar)["LexerConf"] = conf


class Imports:
    """Finds the files that a grammar imports; lark calls it for each."""

    def __init__(
        self, base_path: str | None, import_paths: Sequence[str], source: LarkSource
    ) -> None:
        self._base_path = base_path
        self._import_paths = import_paths
        self._source = source
        self._count = 0
        # What lark takes for the file that the grammar stands in; it wants none of this name.
        self.name = os.path.join(base_path or "", "<grammar>")  # noqa: PTH118
        self.files: dict[str, str] = {}
        # With those that come with lark, which do not change.
        self.texts: dict[str, str] = {}
        self.latest: tuple[str, str] | None = None

    def __call__(self, base_path: object, grammar_path: str) -> tuple[object, str]:
        """Return the path and the text of an imported file."""
        from lark.load_grammar import stdlib_loader  # noqa: PLC0415 (an optional package)

        self._count += 1
        if self._count > _MOST_IMPORTS:
            raise LimitError(
                f"the grammar imports more than {_MOST_IMPORTS} times, counting imports of "
                "imports; do two files import each other?"
            )
        folders = list(self._import_paths)
        if isinstance(base_path, str) and (base_path or self._base_path is not None):
            folders.append(base_path)
        for folder in folders:
            path = os.path.join(folder, grammar_path)  # noqa: PTH118
            text = read_file(path)
            if text is not None:
                if text.startswith(BYTE_ORDER_MARK):
                    raise self._marked(path, text)
                self.files[path] = self.texts[path] = text
                self.latest = path, text
                return path, text
        try:
            found, text = stdlib_loader(base_path, grammar_path)  # type: ignore[arg-type]
        except OSError:
            raise self._missing(grammar_path, folders) from None
        path = os.path.join("<lark>", *str(found.path).split("/"))  # noqa: PTH118
        self.texts[path] = text
        self.latest = str(found), text
        return found, text

    def _marked(self, path: str, text: str) -> GrammarError:
        """Return the error for a file that lark does not read for what it begins with."""
        return GrammarError(
            f"in {path}, which the grammar imports: a byte order mark, which cannot be seen, "
            "stands before the grammar",
            source=text,
            offset=0,
            hint="save the file without it",
        )

    def _missing(self, file: str, folders: Sequence[str]) -> GrammarError:
        """Return the error for a file that is in no folder."""
        looked = ", ".join(folders) or "what comes with lark"
        message = f"cannot find {file}, which the grammar imports; looked in: {looked}"
        hint = (
            "name folders with import_paths=[...], and the one that relative imports begin from "
            "with base_path=..."
        )
        place = find_import(self._source, file)
        if place is None:  # an imported file imports it
            return GrammarError(message, hint=hint)
        return self._source.error(message, *place, hint=hint)


def _empty(name: str, source: LarkSource) -> GrammarError:
    """Return the error for a terminal without anything in it."""
    hint = 'write what it matches: a string, "...", or a regex, /.../'
    if name.startswith("__IGNORE_"):  # lark's own name
        return source.empty_ignore("this ignores nothing", hint=hint)
    return source.error_at(f"terminal {name} is empty", name, hint=hint)


def _compile(grammar: Grammar, source: LarkSource, files: Mapping[str, str]) -> Content:
    """Do the first steps of ``lark.load_grammar.Grammar.compile``."""
    from lark.lexer import TerminalDef  # noqa: PLC0415 (an optional package)
    from lark.load_grammar import (  # noqa: PLC0415
        ApplyTemplates,
        PrepareAnonTerminals,
        PrepareLiterals,
        TerminalTreeToPattern,
        ValidateSymbols,
        nr_deepcopy_tree,
    )

    terminals = []
    to_pattern = PrepareLiterals() * TerminalTreeToPattern()
    for name, (tree, priority) in grammar.term_defs:
        if tree is None:
            continue
        bodies = list(tree.find_data("expansion"))
        if len(bodies) == 1 and not bodies[0].children:
            raise _empty(name, source)
        own = nr_deepcopy_tree(tree)  # type: ignore[no-untyped-call]
        terminals.append(TerminalDef(name, to_pattern.transform(own), priority))
    declared = frozenset(
        [str(name) for name, (tree, _) in grammar.term_defs if tree is None]
        + [str(name) for name, _, tree, _ in grammar.rule_defs if tree is None]
    )

    priorities = {str(terminal.name): terminal.priority for terminal in terminals}
    rule_defs = list(grammar.rule_defs)
    anonymous = PrepareAnonTerminals(terminals)  # type: ignore[no-untyped-call]
    templates = ApplyTemplates(rule_defs)  # type: ignore[no-untyped-call]
    prepare_rule = PrepareLiterals() * ValidateSymbols() * anonymous
    if any(parameters for _, parameters, _, _ in rule_defs):  # lark has refused uses of others
        prepare_rule *= templates
    rules: list[Body] = []
    for name, parameters, tree, options in rule_defs:  # grows while templates are used
        if parameters:
            continue
        if len(rule_defs) > len(grammar.rule_defs) + _MOST_INSTANCES:
            raise LimitError(f"templates make more than {_MOST_INSTANCES} rules; see {name:.80}")
        if name.count("{") > _DEEPEST_INSTANCE:
            raise LimitError(
                f"templates are used inside each other more than {_DEEPEST_INSTANCE} deep; see "
                f"{name:.80}"
            )
        if tree is None:
            continue
        anonymous.rule_options = options if options and options.keep_all_tokens else None
        own = nr_deepcopy_tree(tree)  # type: ignore[no-untyped-call]
        prepared = prepare_rule.transform(own)
        body = _tree(name, prepared, source)
        keeps_all = options is not None and options.keep_all_tokens
        priority = (options.priority if options is not None else None) or 0
        rules.append(Body(str(name), body, keeps_all, priority))
    return Content(
        {str(terminal.name): terminal.pattern for terminal in terminals},
        priorities,
        rules,
        grammar.ignore,
        declared,
        files,
    )


def _tree(rule: str, tree: Tree[object], source: LarkSource) -> Node:
    """Return a tree of lark's as one of ours, in one walk with a stack."""
    root = _node(rule, tree, source)
    stack = [(root, tree)]
    while stack:
        node, of = stack.pop()
        for child in of.children[: len(of.children) if node.kind.startswith("expansion") else 1]:
            if getattr(child, "data", None) is None:
                node.children.append(_symbol(child))
            else:
                inner = _node(rule, child, source)  # type: ignore[arg-type]
                if inner.kind == "alias" and node is not root:
                    raise source.error_at(
                        f"rule {rule} has an alias, {inner.name}, inside brackets, where lark "
                        "gives it no node in the tree",
                        rule,
                        hint="make what is in the brackets a rule of that name",
                    )
                node.children.append(inner)
                stack.append((inner, child))  # type: ignore[arg-type]
    return root


def _node(rule: str, tree: Tree[object], source: LarkSource) -> Node:
    """Return a node without its children."""
    kind = str(tree.data)
    if kind == "expr":
        low, high = _counts(rule, tree.children, source)
        return Node(kind, [], operator=str(tree.children[1]), low=low, high=high)
    if kind == "alias":
        alias = getattr(tree.children[1], "name", "")
        if rule.startswith("_"):
            raise source.error_at(
                f"rule {rule} has an alias, {alias}, but lark gives it no node in the tree, "
                "since its name begins with an underscore",
                rule,
                hint="leave out the alias, or the underscore",
            )
        return Node(kind, [], name=str(alias))
    return Node(kind, [])


def _symbol(item: object) -> Symbol:
    """Return a symbol of lark's as one of ours."""
    from lark.grammar import Symbol as LarkSymbol  # noqa: PLC0415 (an optional package)
    from lark.grammar import Terminal as LarkTerminal  # noqa: PLC0415

    assert isinstance(item, LarkSymbol)  # noqa: S101 (lark has checked it)
    name = str(item.name)
    if isinstance(item, LarkTerminal):
        return Symbol("terminal", name, item.filter_out)
    return Symbol("rule", name, name.startswith("_"))


def _counts(rule: str, children: Sequence[object], source: LarkSource) -> tuple[int, int | None]:
    """Return how often an expression is repeated.

    Raises:
        GrammarError: No count satisfies what is written.
    """
    operator = str(children[1])
    if operator != "~":
        return {"?": (0, 1), "*": (0, None), "+": (1, None)}[operator]
    low, high = _number(children[2]), _number(children[-1])
    if not 0 <= low <= high <= MAX_COUNT:
        from formgate.plugins.cfg._lark_faults import find_fault  # noqa: PLC0415 (errors only)

        raise find_fault(source) or GrammarError(
            f"rule {rule} repeats something ~{low}..{high}, which no count satisfies"
        )
    return low, high


def _number(token: object) -> int:
    """Return a count; one with too many digits counts as one that is too large."""
    digits = str(token)
    return int(digits) if len(digits) <= _MOST_DIGITS else MAX_COUNT + 1
