"""Built-in formats, one folder each; they use only the hooks that are open to everyone."""

from __future__ import annotations

__all__: list[str] = []
