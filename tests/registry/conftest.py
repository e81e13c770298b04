"""Distributions made on disk: what a stranger's installed plugin looks like to the loader."""

from __future__ import annotations

import importlib
import sys
import textwrap
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

GOOD = """
    from formgate.core.registry import Format, hookimpl

    FORMGATE_API = (1, 0)

    def _compile(source, builder, options):
        builder.start(builder.literal(source.upper()))

    @hookimpl
    def register_formats(register):
        register(Format("{format}", _compile, description="its argument, shouted"))
"""


@dataclass
class Site:
    """A folder that plays site-packages."""

    path: Path
    modules: list[str] = field(default_factory=list)

    def install(
        self, distribution: str, module: str, code: str, *, version: str = "1.2", name: str = ""
    ) -> None:
        """Write a module and the metadata of the distribution it came in."""
        (self.path / f"{module}.py").write_text(textwrap.dedent(code))
        info = self.path / f"{distribution.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n"
        )
        (info / "entry_points.txt").write_text(f"[formgate]\n{name or module} = {module}\n")
        self.modules.append(module)
        importlib.invalidate_caches()

    def install_good(self, distribution: str, module: str, format_name: str) -> None:
        """Install a plugin that offers one format and does nothing wrong."""
        self.install(distribution, module, GOOD.format(format=format_name))


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A folder on sys.path where plugins can be installed."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    made = Site(folder)
    yield made
    for module in made.modules:
        sys.modules.pop(module, None)
