"""Lark grammars, loaded by the lark package, as plain data.

lark reads the text, follows imports, and does what only it can say the meaning of: ``%extend``
and ``%override``, terminals of terminals as one regex, names of anonymous terminals, templates.
Its next step, writing repetitions out as rules, is left out: it multiplies alternatives, and the
engine needs no such rules. What remains of a rule is a list of operations for a stack machine, so
that nothing here or later recurses.

Loading takes 7 to 40 ms, so what was loaded is kept, by content: the text, where imports are
looked for, and the texts of imported files.
"""

from __future__ import annotations

import functools
import os
import threading
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from formgate.core.errors import FormgateError, GrammarError, LimitError, MissingDependencyError
from formgate.plugins.cfg._lark_errors import explain
from formgate.plugins.cfg._lark_names import find_import
from formgate.plugins.cfg._lark_source import prepare
from formgate.plugins.cfg._scanner import BYTE_ORDER_MARK, MAX_COUNT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from lark.grammar import RuleOptions
    from lark.lexer import Pattern
    from lark.load_grammar import Grammar
    from lark.tree import Tree

    from formgate.core.grammar import Production
    from formgate.plugins.cfg._lark_source import LarkSource, Part

__all__ = ["Imports", "Loaded", "Op", "Terminal", "load", "written"]

_MOST_LOADED = 64
_LARGEST_KEPT = 1 << 20
_MOST_IMPORTS = 200
_MOST_INSTANCES = 10_000
_DEEPEST_INSTANCE = 100
_MOST_DIGITS = 20


class Op(NamedTuple):
    """One step of a machine that builds the body of a rule on a stack.

    Args:
        kind: ``terminal`` and ``rule`` push a symbol; ``seq`` and ``choice`` replace the ``low``
            topmost by one; ``repeat`` replaces the topmost.
        name: Of the symbol.
        low: How many; for ``repeat`` the least count.
        high: The greatest count; None for any.
    """

    kind: str
    name: str = ""
    low: int = 0
    high: int | None = None


class Terminal(NamedTuple):
    """A terminal as lark knows it.

    Args:
        name: Its name, or the one that lark gave to an anonymous one.
        regexp: The regex for it, flags included.
        literal: The text, for one that is a plain string.
        flags: Letters of the flags that the string or regex has by itself.
        length: How long what is written is; it matters to the order that lark tries them in.
        priority: As written.
        width: The fewest and most characters it matches; None for a regex that ``re`` refuses.
        part: What it is, when it is written in another format.
        shown: Its name, or what is written where lark has made up the name.
    """

    name: str
    regexp: str
    literal: str | None
    flags: frozenset[str]
    length: int
    priority: int
    width: tuple[int, int] | None
    part: Part | None
    shown: str


@dataclass(frozen=True)
class Loaded:
    """A grammar as lark has loaded it.

    Args:
        source: The text it was written in.
        terminals: All terminals, by name.
        rules: The bodies of all rules, by name; templates as far as they are used.
        ignored: Names of the terminals that may stand anywhere.
        declared: Names that ``%declare`` leaves to a program.
        trees: The rules for lark's next step, each with its name and options; not to be changed.
        files: Texts of imported files, by path.
        folders: Where relative imports begin, and what is searched for others.
        written: The productions of starts that were asked for, by start.
    """

    source: LarkSource
    terminals: Mapping[str, Terminal]
    rules: Mapping[str, tuple[Op, ...]]
    ignored: tuple[str, ...]
    declared: frozenset[str]
    trees: Sequence[tuple[str, Tree[object], RuleOptions | None]] = field(repr=False, compare=False)
    files: Mapping[str, str] = field(default_factory=dict)
    folders: tuple[str | None, tuple[str, ...]] = (None, ())
    written: dict[str, tuple[Production, ...]] = field(
        default_factory=dict, repr=False, compare=False
    )


_kept: OrderedDict[tuple[object, ...], Loaded] = OrderedDict()
_lock = threading.Lock()


def load(source: str, *, base_path: str | None, import_paths: tuple[str, ...]) -> Loaded:
    """Load a grammar, or return what was loaded before.

    Args:
        source: The grammar.
        base_path: The folder that relative imports begin from.
        import_paths: Folders that are searched for imports, before those that come with lark.

    Raises:
        GrammarError: lark refuses the grammar.
        LimitError: It is nested, or grows, beyond reason.
        MissingDependencyError: The lark package is not installed.
    """
    key = source, base_path, import_paths
    with _lock:
        known = _kept.get(key)
        if known is not None:
            _kept.move_to_end(key)
    if known is not None and all(_read(path) == text for path, text in known.files.items()):
        return known
    loaded = _load(prepare(source), base_path, import_paths)
    if len(source) <= _LARGEST_KEPT:
        with _lock:
            _kept[key] = loaded
            _kept.move_to_end(key)
            while len(_kept) > _MOST_LOADED:
                _kept.popitem(last=False)
    return loaded


def _read(path: str) -> str | None:
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


def _load(source: LarkSource, base_path: str | None, import_paths: tuple[str, ...]) -> Loaded:
    """Load a grammar with lark."""
    try:
        from lark.load_grammar import GrammarBuilder  # noqa: PLC0415 (an optional package)
    except ImportError as error:
        raise MissingDependencyError(
            "the lark package, which reads Lark grammars, is not installed. "
            "Run: pip install 'formgate[lark]'"
        ) from error
    _make_parser()
    imports = Imports(base_path, import_paths, source)
    try:
        builder = GrammarBuilder(import_paths=[imports])
        builder.load_grammar(source.text, imports.name)
        loaded = _compile(builder.build(), source, imports.files)
        loaded = replace(loaded, folders=(base_path, import_paths))
    except FormgateError:
        raise
    except RecursionError:
        raise LimitError(
            "the grammar is nested too deep for the lark package, or imports itself"
        ) from None
    except Exception as error:  # noqa: BLE001 (lark raises what its parts happen to raise)
        raise explain(error, source, imports.latest, imports.texts) from None
    return loaded


def _make_parser() -> None:
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
            text = _read(path)
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


def _compile(grammar: Grammar, source: LarkSource, files: Mapping[str, str]) -> Loaded:
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

    named = frozenset(terminal.name for terminal in terminals)
    rule_defs = list(grammar.rule_defs)
    anonymous = PrepareAnonTerminals(terminals)  # type: ignore[no-untyped-call]
    templates = ApplyTemplates(rule_defs)  # type: ignore[no-untyped-call]
    prepare_rule = PrepareLiterals() * ValidateSymbols() * anonymous
    if any(parameters for _, parameters, _, _ in rule_defs):  # lark has refused uses of others
        prepare_rule *= templates
    rules: dict[str, tuple[Op, ...]] = {}
    trees: list[tuple[str, Tree[object], RuleOptions | None]] = []
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
        rules[name] = _operations(name, prepared, source)
        trees.append((name, prepared, options))
    return Loaded(
        source,
        {terminal.name: _terminal(terminal, source, named) for terminal in terminals},
        rules,
        tuple(dict.fromkeys(grammar.ignore)),
        # lark gives strings names as if those declared were free.
        declared.difference(terminal.name for terminal in terminals),
        trees,
        files,
    )


def _terminal(definition: object, source: LarkSource, named: AbstractSet[str]) -> Terminal:
    """Return a terminal as plain data."""
    from lark.lexer import PatternStr, TerminalDef  # noqa: PLC0415 (an optional package)

    assert isinstance(definition, TerminalDef)  # noqa: S101 (tells the type checker)
    pattern = definition.pattern
    part = source.parts.get(pattern.value)
    if part is None:
        for marker, candidate in source.parts.items():
            if marker in pattern.value:
                raise _part_in_terminal(definition.name, candidate, source)
    try:
        width = pattern.min_width, pattern.max_width
    except RecursionError:
        raise
    except Exception:  # noqa: BLE001 (an error of re, or of the regex package if there is one)
        width = None
    return Terminal(
        str(definition.name),
        pattern.to_regexp(),
        pattern.value if isinstance(pattern, PatternStr) else None,
        frozenset(pattern.flags),
        len(pattern.value),
        definition.priority,
        width,
        part,
        str(definition.name) if definition.name in named else written(pattern),
    )


def written(pattern: Pattern) -> str:
    """Return a string or a regex as the grammar has it."""
    if pattern.raw:
        return str(pattern.raw)
    quote = '"' if pattern.type == "str" else "/"
    return f"{quote}{pattern.value}{quote}{''.join(sorted(pattern.flags))}"


def _part_in_terminal(name: str, part: Part, source: LarkSource) -> GrammarError:
    return GrammarError(
        f"terminal {name} has a part in another format, %{part.format}, which only rules may have",
        source=source.source,
        offset=part.place[0],
        end=part.place[1],
        hint=f"make {name} a rule: give it a name in lower case, {name.lower()}; or have the part "
        "be all of the terminal",
    )


def _operations(rule: str, tree: Tree[object], source: LarkSource) -> tuple[Op, ...]:
    """Return the operations that build the body of a rule, in one walk with a stack."""
    done: list[Op] = []
    stack: list[object] = [tree]
    while stack:
        item = stack.pop()
        if isinstance(item, Op):
            done.append(item)
            continue
        data = getattr(item, "data", None)
        if data is None:
            done.append(_symbol(item))
            continue
        children: list[object] = list(item.children)  # type: ignore[attr-defined]
        if data == "expr":
            low, high = _counts(rule, children, source)
            stack.append(Op("repeat", low=low, high=high))
            del children[1:]
        elif data == "maybe":
            stack.append(Op("repeat", low=0, high=1))
        elif data == "alias":
            if rule.startswith("_"):
                alias = getattr(children[1], "name", "")
                raise source.error_at(
                    f"rule {rule} has an alias, {alias}, but lark gives it no node in the tree, "
                    "since its name begins with an underscore",
                    rule,
                    hint="leave out the alias, or the underscore",
                )
            del children[1:]
        else:
            stack.append(Op(_OPERATIONS[data], low=len(children)))
        stack += reversed(children)
    return tuple(done)


_OPERATIONS = {"expansions": "choice", "expansion": "seq"}


def _symbol(item: object) -> Op:
    """Return the operation for a symbol."""
    from lark.grammar import Symbol  # noqa: PLC0415 (an optional package)

    assert isinstance(item, Symbol)  # noqa: S101 (lark has checked it)
    return Op("terminal" if item.is_term else "rule", str(item.name))


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
