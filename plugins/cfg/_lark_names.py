"""What lark says of names in a grammar, as errors that show the name and a way out.

lark's messages name what they speak of, but not where it stands: that is looked up, in the
definition that the message names, if it does, or else in the whole grammar.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from formgate.core.errors import GrammarError

if TYPE_CHECKING:
    from formgate.plugins.cfg._lark_source import LarkSource

__all__ = ["find_import", "mixed_name", "name_error"]

_IMPORT = re.compile(
    r"^[ \t]*%import[ \t]+(?P<dot>\.?)(?P<path>\w+(?:\.\w+)*)[ \t]*(?:\((?P<names>[^()]*)\))?",
    re.MULTILINE,
)
_WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
_LARKS_WORD = re.compile(r"_{0,2}(?:[a-z][a-z_0-9]*|[A-Z][A-Z_0-9]*)")
_FLAGS = "there are i, m, s, l, u and x"
_Match = re.Match[str]


def name_error(text: str, source: LarkSource, files: Mapping[str, str]) -> GrammarError | None:
    """Return the error for a message of lark's about a name; None if it is about something else.

    Args:
        text: The first line of the message.
        source: The grammar.
        files: Texts of imported files, by path.
    """
    for pattern, write in _MESSAGES:
        if (match := pattern.match(text)) is not None:
            return write(match, source, files)
    return None


def find_import(source: LarkSource, file: str) -> tuple[int, int] | None:
    """Return where a grammar imports from a file of this name, and the length of what says so."""
    for match in _IMPORT.finditer(source.code):
        parts = match["path"].split(".")
        if match["names"] is None:
            parts.pop()
        if parts and "/".join(parts) + ".lark" == file.replace("\\", "/"):
            return match.start("path"), len(".".join(parts))
    return None


def mixed_name(
    source: LarkSource, *, offset: int | None = None, part: str | None = None
) -> GrammarError | None:
    """Return the error for a name in capitals and small letters, which lark takes for several.

    Args:
        source: The grammar.
        offset: A place in the name, if that is known.
        part: One of the names that lark makes of it, otherwise.
    """
    for word in _WORD.finditer(source.code):
        name = word[0]
        if name in (name.lower(), name.upper()):
            continue
        if offset is None:
            found = part in _LARKS_WORD.findall(name)
        else:
            found = word.start() <= offset < word.end()
        if found:
            plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
            return source.error(
                f"the name {name!r} has capitals and small letters",
                word.start(),
                len(name),
                hint=f"write {plain.lower()} for a rule, {plain.upper()} for a terminal",
            )
    return None


def _kind(name: str) -> str:
    return "terminal" if name.isupper() else "rule"


def _place(
    source: LarkSource, name: str, owner: str | None = None, *, which: int = 0
) -> int | None:
    """Return the place of a name, in the definition of another name where it stands there."""
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    for known, begin, end in source.definitions():
        if known == owner and (found := word.search(source.code, begin + len(known), end)):
            return found.start()
    found_all = list(word.finditer(source.code))
    return found_all[min(which, len(found_all) - 1)].start() if found_all else None


def _error(
    message: str, place: int | None, length: int, source: LarkSource, hint: str | None = None
) -> GrammarError:
    """Return an error, with its place where it stands in the grammar and not in an import."""
    if place is None:
        return GrammarError(message, hint=hint)
    return source.error(message, place, length, hint=hint)


def _undefined(match: _Match, source: LarkSource, files: Mapping[str, str]) -> GrammarError:
    """A name is used but not defined: perhaps flags of a regex, or an import of nothing."""
    name = match["name"]
    owner = match.groupdict().get("owner")
    imported = _missing_import(name, source, files)
    if imported is not None:
        return imported
    for flags in re.finditer(rf"([\"/])[imslux]*({re.escape(name)})(?!\w)", source.text):
        if source.code[flags.start()] == " ":  # the end of a string or regex
            what = "a string; there is i" if flags[1] == '"' else f"a regex; {_FLAGS}"
            return source.error(
                f"{name!r} is no flag of {what}",
                flags.start(2),
                len(name),
                hint=f"put a blank before it, if it is the {_kind(name)} {name}",
            )
    place = _place(source, name, owner)
    if place is None and (mixed := mixed_name(source, part=name)) is not None:
        return mixed
    kind = "template" if match[0].startswith("Template") else _kind(name)
    where = f" (in {_kind(owner)} {owner})" if owner else ""
    return _error(
        f"{kind} {name!r} used but not defined{where}",
        place,
        len(name),
        source,
        "define it, or take it from another grammar with %import",
    )


def _missing_import(name: str, source: LarkSource, files: Mapping[str, str]) -> GrammarError | None:
    """Return the error for a name that is imported from a file that does not define it."""
    for match in _IMPORT.finditer(source.code):
        begin, end = match.span("path" if match["names"] is None else "names")
        wanted = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", source.code[begin:end])
        if wanted is not None:
            file = match["path"]
            file = file.rpartition(".")[0] if match["names"] is None else file
            names = [
                known
                for path, text in files.items()
                if _is_file(path, file)
                for known in _defined(text)
            ]
            hint = f"it has {', '.join(sorted(names)[:12])}" if names else None
            return source.error(
                f"{file} defines no {_kind(name)} {name}",
                begin + wanted.start(),
                len(name),
                hint=hint,
            )
    return None


def _is_file(path: str, module: str) -> bool:
    return path.replace("\\", "/").endswith("/" + module.replace(".", "/") + ".lark")


def _defined(text: str) -> list[str]:
    return re.findall(r"^[?!]*(\w+)(?:\{[^}\n]*\})?(?:\.[+-]?\d+)?[ \t]*:", text, re.MULTILINE)


def _in_terminal(match: _Match, source: LarkSource, files: Mapping[str, str]) -> GrammarError:
    """A terminal, or what is ignored, uses a rule."""
    name, owner = match["name"], match["owner"]
    del files
    if owner.startswith("__"):
        found = re.search(rf"%ignore\b[^\n]*?(?<!\w)({re.escape(name)})(?!\w)", source.code)
        place = None if found is None else found.start(1)
        return _error(
            f"%ignore takes terminals, but {name} is a rule",
            place,
            len(name),
            source,
            f"make it a terminal: give it a name in upper case, {name.upper()}",
        )
    return _error(
        f"terminal {owner} uses {name}, which is a rule; terminals are made of terminals only",
        _place(source, name, owner),
        len(name),
        source,
        f"make {owner} a rule, {owner.lower()}, or {name} a terminal, {name.upper()}",
    )


def _twice(match: _Match, source: LarkSource, files: Mapping[str, str]) -> GrammarError:
    """A name is defined more than once."""
    del files
    name = match["name"]
    places = [begin for known, begin, _ in source.definitions() if known == name]
    imports = [
        found.start()
        for line in _IMPORT.finditer(source.code)
        for found in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", source.code[: line.end()])
        if found.start() >= line.start()
    ]
    places = sorted(places + imports)
    return _error(
        f"{_kind(name)} {name!r} is defined more than once",
        places[1] if len(places) > 1 else _place(source, name),
        len(name),
        source,
        "%override replaces a definition, %extend adds alternatives to it",
    )


def _nonexisting(match: _Match, source: LarkSource, files: Mapping[str, str]) -> GrammarError:
    """What is to be overridden or extended is not there."""
    del files
    name, verb = match["name"], match["verb"]
    found = re.search(rf"%{verb}[ \t]+[?!]*({re.escape(name)})(?!\w)", source.code)
    return _error(
        f"there is no {_kind(name)} {name!r} to {verb}"
        if "abstract" not in match.string
        else f"{_kind(name)} {name!r} is only declared, so there is nothing to {verb}",
        None if found is None else found.start(1),
        len(name),
        source,
        f"leave out %{verb}, or define or import it before this line",
    )


def _ignored(match: _Match, source: LarkSource, files: Mapping[str, str]) -> GrammarError:
    """What is ignored is not defined."""
    name = match["name"]
    imported = _missing_import(name, source, files)
    if imported is not None:
        return imported
    found = re.search(rf"%ignore\b[^\n]*?(?<!\w)({re.escape(name)})(?!\w)", source.code)
    return _error(
        f"terminal {name!r} is ignored but not defined",
        None if found is None else found.start(1),
        len(name),
        source,
        "define it, or take it from another grammar with %import",
    )


def _recursion(match: _Match, source: LarkSource, files: Mapping[str, str]) -> GrammarError:
    """A terminal is made of itself."""
    del files
    name = match["name"]
    places = [begin for known, begin, _ in source.definitions() if known == name]
    return _error(
        f"recursion in terminal {name!r}: a terminal cannot be a part of itself",
        places[0] if places else _place(source, name),
        len(name),
        source,
        f"make it a rule: give it a name in lower case, {name.lower()}",
    )


def _alias(match: _Match, source: LarkSource, files: Mapping[str, str]) -> GrammarError:
    """A terminal has an alias."""
    del match, files
    for name, begin, end in source.definitions():
        place = source.code.find("->", begin, end)
        if name.isupper() and place >= 0:
            return source.error(
                f"terminal {name} has an alias, which only rules may have",
                place,
                2,
                hint="leave it out",
            )
    return GrammarError("a terminal has an alias, which only rules may have", hint="leave it out")


def _nothing(match: _Match, source: LarkSource, files: Mapping[str, str]) -> GrammarError:
    """An import names a file and nothing in it."""
    del files
    name = match["name"]
    found = re.search(rf"%import[ \t]+\.?({re.escape(name)})(?!\w)", source.code)
    return _error(
        f"nothing is imported from {name}",
        None if found is None else found.start(1),
        len(name),
        source,
        f"name what to import: %import {name}.NAME, or %import {name} (NAME, OTHER)",
    )


def _arguments(match: _Match, source: LarkSource, files: Mapping[str, str]) -> GrammarError:
    """A template has too few or too many arguments."""
    del files
    name = match["name"]
    expected, given = int(match["expected"]), int(match["given"])
    message = f"template {name!r} takes {expected} arguments, not {given}"
    if not expected:
        message = f"rule {name!r} is no template, but is given {given} arguments"
    return _error(message, _place(source, name, match["owner"]), len(name), source)


def _inlined(match: _Match, source: LarkSource, files: Mapping[str, str]) -> GrammarError:
    """A rule has both ways to be left out of lark's tree."""
    del match, files
    found = re.search(r"^[ \t]*(?:%\w+[ \t]+)?([?!]*\?[?!]*_\w+)", source.code, re.MULTILINE)
    return _error(
        "a rule whose name begins with '_' cannot have the modifier '?'",
        None if found is None else found.start(1),
        1 if found is None else len(found[1]),
        source,
        "leave out '?'",
    )


def _parameter(match: _Match, source: LarkSource, files: Mapping[str, str]) -> GrammarError:
    """The parameters of a template are not told apart from each other, or from a rule."""
    del files
    name, owner = match["name"], match["owner"]
    found = re.search(
        rf"(?<!\w){re.escape(owner)}[ \t]*\{{[^}}\n]*?(?<!\w)({re.escape(name)})(?!\w)",
        source.code,
    )
    message = f"a parameter of template {owner} has the name of rule {name!r}"
    if match[0].startswith("Duplicate"):
        message = f"template {owner} has two parameters of the name {name!r}"
    place = None if found is None else found.start(1)
    return _error(message, place, len(name), source, "give it another name")


_Writer = Callable[[_Match, "LarkSource", Mapping[str, str]], GrammarError]
_IN = r" \(in \w+ (?P<owner>\w+)\)"
_COUNTS = r"\(expected (?P<expected>\d+), got (?P<given>\d+)\)"
_PARAMETER = r"Template Parameter conflicts with rule|Duplicate Template Parameter"
_TEXTS: dict[str, _Writer] = {
    rf"(?:Rule|Terminal|Template) '(?P<name>\w+)' used but not defined(?:{_IN})?": _undefined,
    r"Terminal used but not defined: (?P<name>\w+)": _undefined,
    r"Rules aren't allowed inside terminals \(\w+\('(?P<name>\w+)'\) in (?P<owner>\w+)\)": (
        _in_terminal
    ),
    r"\w+ '(?P<name>\w+)' defined more than once": _twice,
    r"Cannot import '(?P<name>\w+)' from .*: Symbol already defined": _twice,
    r"Cannot (?P<verb>override|extend) a nonexisting \w+ (?P<name>\w+)": _nonexisting,
    r"Can't (?P<verb>extend) \w+ (?P<name>\w+) (?:as|-)": _nonexisting,
    r"Terminals \{.*?'(?P<name>\w+)'.*\} were marked to ignore": _ignored,
    r"Recursion in terminal '(?P<name>\w+)'": _recursion,
    r"Aliasing not allowed in terminals": _alias,
    r"Nothing was imported from grammar `(?P<name>\w+)`": _nothing,
    rf"Wrong number of template arguments used for (?P<name>\w+) {_COUNTS}{_IN}": _arguments,
    r"Inlined rules \(_rule\) cannot use the \?rule modifier": _inlined,
    rf"(?:{_PARAMETER}) (?P<name>\w+) \(in template (?P<owner>\w+)\)": _parameter,
}
_MESSAGES = tuple((re.compile(pattern), write) for pattern, write in _TEXTS.items())
