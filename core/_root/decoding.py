"""``formgate.decoding``: the loop, the samplers and the models of ``formgate.core.decoding``."""

from __future__ import annotations

import formgate.core.decoding as _decoding
from formgate.core.decoding import *  # noqa: F403 (the same public names)

__all__ = _decoding.__all__
