"""The look at metadata folders says what ``importlib.metadata`` says, or nothing."""

from __future__ import annotations

import importlib
import subprocess
import sys
import zipfile
from importlib import metadata

import pytest

from formgate.core.registry.installed import only_formgate

OWN = "formgate-0.1.0.dist-info"
METADATA = "Metadata-Version: 2.4\nName: formgate\nVersion: 0.1.0\nSummary: x: y\n\nText\n"
ENTRY_POINTS = "[formgate]\nregex = formgate.plugins.regex\n\n[console_scripts]\nx = y:main\n"
OTHERS = "Metadata-Version: 2.1\nName: {}\nVersion: 1.2\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a function that makes a folder of distributions, the only ones on the path."""

    def make(files, name="site"):
        root = tmp_path / name
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            if isinstance(text, bytes):
                (root / path).write_bytes(text)
            else:
                (root / path).write_text(text)
        return str(root)

    def put(*sites, more=()):
        paths = [make(site, f"site{number}") for number, site in enumerate(sites)]
        monkeypatch.setattr(sys, "path", [*paths, *more])
        importlib.invalidate_caches()
        return paths

    return put


def own(**changes):
    """Return the files of formgate itself, with what is changed in them."""
    return {f"{OWN}/METADATA": METADATA, f"{OWN}/entry_points.txt": ENTRY_POINTS} | changes


def other(info, text, name="other"):
    return {f"{info}/METADATA": OTHERS.format(name), f"{info}/entry_points.txt": text}


def asked():
    """Return what ``importlib.metadata`` says of the group."""
    return sorted(
        (entry.dist.metadata["Name"], entry.dist.version, entry.name, entry.value)
        for entry in metadata.entry_points(group="formgate")
    )


def seen():
    """Return what the look at folders says, in the same form; None for nothing."""
    found = only_formgate()
    if found is None:
        return None
    return sorted(("formgate", found.version, name, module) for name, module in found.plugins)


CERTAIN = {
    "alone": [own()],
    "with others": [own() | other("other-1.2.dist-info", "[console_scripts]\na = b:c\n")],
    "no entry points": [own() | {"other-1.2.dist-info/METADATA": OTHERS.format("other")}],
    "of a similar name": [own() | other("formgate_extra-1.2.dist-info", "[x]\na = b\n")],
    "group in other letters": [own() | other("other-1.2.dist-info", "[Formgate]\na = b\n")],
    "longer group": [own() | other("other-1.2.dist-info", "[formgate.more]\na = b\n")],
    "group with blanks": [own() | other("other-1.2.dist-info", "[ formgate ]\na = b\n")],
    "a name in the text": [own() | other("other-1.2.dist-info", "[x]\nformgate = formgate\n")],
    "egg-info folder": [own() | other("other.egg-info", "[x]\na = b\n")],
    "egg-info file": [own() | {"other-1.2.egg-info": OTHERS.format("other")}],
    "a file as folder": [own() | {"other-1.2.dist-info": "nothing"}],
    "upper-case name": [own() | other("OTHER-1.2.dist-info", "[x]\na = b\n")],
    "shadowed stranger": [
        own(),
        other("other-1.2.dist-info", "[x]\na = b\n"),
        other("other-1.1.dist-info", "[y]\na = b\n"),
    ],
    "comments and blanks": [
        {
            f"{OWN}/METADATA": METADATA,
            f"{OWN}/entry_points.txt": "# [formgate]\n\n [formgate] \n # x = y\n\n regex = a.b \n",
        }
    ],
    "commented out": [
        {f"{OWN}/METADATA": METADATA, f"{OWN}/entry_points.txt": "# [formgate]\n[x]\nregex = a\n"}
    ],
    "a folder of one group twice": [
        {
            f"{OWN}/METADATA": METADATA,
            f"{OWN}/entry_points.txt": "[formgate]\na = b\n[x]\nc = d\n[formgate]\ne = f.g\n",
        }
    ],
}

UNCERTAIN = {
    "not installed": [{}],
    "a stranger's plugin": [own() | other("other-1.2.dist-info", "[formgate]\na = b\n")],
    "brackets": [own() | other("other-1.2.dist-info", "[[formgate]]\na = b\n")],
    "in an egg-info folder": [own() | other("other.egg-info", "[formgate]\na = b\n")],
    "upper-case plugin": [own() | other("OTHER-1.2.dist-info", " [formgate]\na = b\n")],
    "installed twice": [own(), own()],
    "shadowed by one without plugins": [
        {f"{OWN}/METADATA": METADATA.replace("0.1.0", "0.0.9")},
        own(),
    ],
    "shadows one without plugins": [own(), {"Formgate-0.0.9.egg-info": METADATA}],
    "suffix in other letters": [
        {f"{path}".replace(".dist", ".DIST"): text for path, text in own().items()}
    ],
    "no metadata": [{f"{OWN}/entry_points.txt": ENTRY_POINTS}],
    "broken metadata": [own(**{f"{OWN}/METADATA": "Name: formgate\nno header\nVersion: 0.1.0\n"})],
    "name in other letters": [
        own(**{f"{OWN}/METADATA": METADATA.replace("formgate", "Formgate")}),
    ],
    "no version": [own(**{f"{OWN}/METADATA": "Name: formgate\n\n"})],
    "attributes": [own(**{f"{OWN}/entry_points.txt": "[formgate]\na = b:c\n"})],
    "no blanks": [own(**{f"{OWN}/entry_points.txt": "[formgate]\na=b\n"})],
    "no ASCII": [own(**{f"{OWN}/entry_points.txt": "[formgate]\na = b\n# \u00e9\n"})],
}


@pytest.mark.parametrize("case", CERTAIN)
def test_what_is_certain_is_what_importlib_says(folder, case):
    folder(*CERTAIN[case])
    assert seen() == asked()


@pytest.mark.parametrize("case", UNCERTAIN)
def test_what_is_uncertain_is_left_to_importlib(folder, case):
    folder(*UNCERTAIN[case])
    assert seen() is None


def test_paths_twice_missing_or_relative_change_nothing(folder, monkeypatch, tmp_path):
    (site,) = folder(own())
    monkeypatch.chdir(site)
    monkeypatch.setattr(sys, "path", ["", site, str(tmp_path / "nowhere"), site])
    assert seen() == asked() != []


@pytest.mark.parametrize("name", ["plugins.zip", "plugins.egg", "plugins.zip/inner"])
def test_archives_are_left_to_importlib(folder, tmp_path, name):
    archive = tmp_path / name.partition("/")[0]
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("other-1.2.dist-info/METADATA", OTHERS.format("other"))
        file.writestr("other-1.2.dist-info/entry_points.txt", "[formgate]\na = b\n")
    folder(own(), more=[str(tmp_path / name)])
    assert seen() is None
    if name == "plugins.zip":
        assert ("other", "1.2", "a", "b") in asked()


def test_eggs_are_left_to_importlib(folder, tmp_path):
    info = tmp_path / "other-1.2-py3.egg" / "EGG-INFO"
    info.mkdir(parents=True)
    (info / "PKG-INFO").write_text(OTHERS.format("other"))
    (info / "entry_points.txt").write_text("[formgate]\na = b\n")
    folder(own(), more=[str(info.parent)])
    assert seen() is None
    assert ("other", "1.2", "a", "b") in asked()


def test_other_finders_are_left_to_importlib(folder, monkeypatch):
    class Finder:
        def find_spec(self, name, path=None, target=None):
            return None

    folder(own())
    monkeypatch.setattr(sys, "meta_path", [Finder(), *sys.meta_path])
    assert seen() == asked()  # it finds modules, no distributions
    Finder.find_distributions = staticmethod(lambda context=None: iter(()))
    assert seen() is None


def test_an_unreadable_stranger_does_not_matter(folder):
    broken = {"other-1.2.dist-info/entry_points.txt": b"[x]\na = \xff\n"}
    folder(own() | broken)
    assert seen() == [("formgate", "0.1.0", "regex", "formgate.plugins.regex")]


def test_a_first_compilation_does_without_what_is_slow_to_import():
    code = (
        "import sys, formgate; from formgate.core.compiler import build_grammar\n"
        "build_grammar('[ab]+'); build_grammar({'type': 'integer'})\n"
        "slow = {'importlib.metadata', 'email', 'difflib', 'lark', 'numpy'}\n"
        "print(sorted(slow & sys.modules.keys()))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
