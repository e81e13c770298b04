"""What vLLM calls in each of its processes: the entry point ``vllm.general_plugins``.

It is called wherever formgate and vLLM are installed together, so it must cost nothing and change
nothing unless the user asks: it looks at one environment variable and imports nothing before.
"""

from __future__ import annotations

import os

__all__ = ["BACKEND_VARIABLE", "SLOTS", "register"]

BACKEND_VARIABLE = "FORMGATE_VLLM_BACKEND"
SLOTS = ("outlines", "xgrammar")


def register() -> None:
    """Take the slot of structured outputs that ``FORMGATE_VLLM_BACKEND`` names, if it names one.

    May be called any number of times in a process.

    Raises:
        PluginError: The variable names no slot, an option in ``FORMGATE_SERVING_OPTIONS`` is wrong,
            or this vLLM has not the names that formgate would take.
    """
    slot = os.environ.get(BACKEND_VARIABLE, "").strip()
    if not slot:
        return
    if slot not in SLOTS:
        from formgate.core.errors import PluginError  # noqa: PLC0415 (not before it is asked for)

        raise PluginError(f"{BACKEND_VARIABLE} is {' or '.join(SLOTS)}, not {slot!r:.60}")
    from formgate.adapters._vllm_backend import install  # noqa: PLC0415 (imports vllm)

    install(slot)
