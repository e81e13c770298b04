"""The kernel that masks scores is made into code for GPUs, which needs none (make test-kernels)."""

from __future__ import annotations

import importlib.util
import os

import pytest

pytest.importorskip("torch")
if importlib.util.find_spec("triton") is None or os.environ.get("TRITON_INTERPRET") == "1":
    pytest.skip(
        "make test-kernels runs this with Triton, not with its interpreter", allow_module_level=True
    )

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from formgate.adapters import _triton_kernel

TARGETS = [
    GPUTarget("cuda", 80, 32),
    GPUTarget("cuda", 90, 32),
    GPUTarget("cuda", 100, 32),
    GPUTarget("hip", "gfx942", 64),
    GPUTarget("hip", "gfx1100", 32),
]
TYPES = {"table": "*i32", "rows": "*i32"}


@pytest.mark.filterwarnings("ignore")  # Triton's own, of what its next version will do
@pytest.mark.parametrize("target", TARGETS, ids=str)
@pytest.mark.parametrize("scores", ["fp32", "fp16", "bf16", "fp64"])
def test_it_compiles(target: GPUTarget, scores: str) -> None:
    kernel = _triton_kernel._mask_rows
    types = {"scores": f"*{scores}", **TYPES}
    signature = {name: types.get(name, "i32") for name in kernel.arg_names}
    made = triton.compile(ASTSource(kernel, signature), target=target)
    # Lanes that stand side by side write neighbours: no thread has several of them.
    assert "sizePerThread = [1]" in made.asm["ttgir"]
