"""The engine and its protocol: vocabulary, grammar, native core, registry, decoders, CLI.

Nothing here imports ``formgate.plugins`` or ``formgate.adapters``: they depend on the core, and are
found through entry points. Nothing is imported here either, so that reaching one module does not
load the others; the public names stand in the package root.
"""

from __future__ import annotations

__all__: list[str] = []
