"""Models of transformers for the decode loop, and how they are loaded from local files.

A GGUF file is converted once, to a folder of safetensors in the user's cache: transformers needs
some ten seconds of processor time to read a GGUF of 100 MB, and well under one for the folder.
Nothing is ever downloaded.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import weakref
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
import transformers

from formgate.core.decoding.models import LoadedModel
from formgate.core.errors import FormgateError, MissingDependencyError
from formgate.core.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["TransformersModel", "load_language_model", "score_count", "vocabulary_of"]

_vocabularies: weakref.WeakKeyDictionary[Any, dict[object, Vocabulary]] = (
    weakref.WeakKeyDictionary()
)

_CONVERSION = "1"  # raised when converted folders of earlier versions must not be used
_LONGEST_LINE = 400
_HASHED_WHOLE = 512 << 20  # larger files are known by path, size and time of change


class TransformersModel:
    """A causal language model with a key-value cache, for ``constrained_decode``.

    One sequence at a time; ``start`` begins the next one. Scores stay on the model's device.

    Args:
        model: What ``AutoModelForCausalLM.from_pretrained`` returns.
    """

    def __init__(self, model: Any) -> None:
        self._model = model
        self._cache: Any = None
        self._options: dict[str, Any] = {"use_cache": True}
        if model._supports_logits_to_keep():  # noqa: SLF001 (as transformers' own generate asks)
            self._options["logits_to_keep"] = 1

    @property
    def model(self) -> Any:
        """The model of transformers."""
        return self._model

    @property
    def vocabulary_size(self) -> int:
        """How many token ids the model scores."""
        return score_count(self._model)

    def start(self, prompt_ids: Sequence[int]) -> Any:
        """Forget everything, read a prompt, and return the scores of the first output token."""
        self._cache = None
        return self.extend(prompt_ids)

    def step(self, token: int) -> Any:
        """Read one more token and return the scores of the next one."""
        return self.extend((token,))

    def extend(self, tokens: Sequence[int]) -> Any:
        """Read tokens in one pass and return the scores of the token after the last of them."""
        with torch.inference_mode():
            ids = torch.tensor([list(tokens)], device=self._model.device)
            output = self._model(input_ids=ids, past_key_values=self._cache, **self._options)
        self._cache = output.past_key_values
        return output.logits[0, -1]


def score_count(model: Any) -> int:
    """Return how many token ids a model scores: rows of its output layer, padding included."""
    output = model.get_output_embeddings()
    if output is not None and getattr(output, "weight", None) is not None:
        return int(output.weight.shape[0])
    return int(model.config.get_text_config().vocab_size)


def load_language_model(
    path: str | os.PathLike[str],
    *,
    device: str = "auto",
    threads: int | None = None,
    cache_dir: str | os.PathLike[str] | None = None,
    progress: Callable[[str], None] | None = None,
) -> LoadedModel:
    """Load a causal language model and its tokenizer from local files.

    Args:
        path: A model folder as ``save_pretrained`` writes it, or a GGUF file, which is converted
            on first use (``cache_dir`` then needs two bytes for each weight).
        device: What torch calls it; ``"auto"`` is the GPU where there is one.
        threads: How many threads torch may use; for the whole process.
        cache_dir: Where converted GGUF files go; ``$XDG_CACHE_HOME/formgate`` when left out.
        progress: Called with a few words at the start of each stage.

    Raises:
        FormgateError: There is no model at the path, or transformers cannot load it.
        VocabularyError: The tokenizer's exact bytes cannot be known.
        MissingDependencyError: A package that GGUF files need is not installed.
    """
    path = Path(path)
    tell = progress if progress is not None else _ignore
    if threads is not None:
        if threads < 1:
            raise FormgateError(f"threads must be positive, not {threads}")
        torch.set_num_threads(threads)
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    folder = _checked(path)
    with _quiet():
        if folder is None:
            cache = Path(cache_dir) if cache_dir else default_cache_dir()
            folder = _converted(path, cache, tell)
            try:
                tokenizer, model = _parts(folder, tell)
            except FormgateError:
                # What was converted earlier has been damaged since; the file itself is whole.
                shutil.rmtree(folder, ignore_errors=True)
                tokenizer, model = _parts(_converted(path, cache, tell), tell)
        else:
            tokenizer, model = _parts(folder, tell)
        if device == "cpu" and model.dtype == torch.float16:
            model = model.float()  # torch computes half precision slowly on processors
        try:
            model = model.to(device).eval()
        except (RuntimeError, AssertionError) as error:
            raise FormgateError(f"cannot use the device {device!r}: {_line(error)}") from error
        tell("reading the vocabulary")
        vocabulary = vocabulary_of(model, tokenizer)

    def encode(text: str) -> list[int]:
        return [int(token) for token in tokenizer(text)["input_ids"]]

    def encode_chat(text: str) -> list[int]:
        chat = [{"role": "user", "content": text}]
        ids = tokenizer.apply_chat_template(
            chat, add_generation_prompt=True, tokenize=True, return_dict=True
        )
        return [int(token) for token in ids["input_ids"]]

    return LoadedModel(
        name=path.stem if path.is_file() else path.resolve().name,
        model=TransformersModel(model),
        vocabulary=vocabulary,
        encode=encode,
        encode_chat=encode_chat if tokenizer.chat_template else None,
    )


def _parts(folder: Path, tell: Callable[[str], None]) -> tuple[Any, Any]:
    """Load the tokenizer and the model of a folder."""
    tell("loading the tokenizer")
    tokenizer = _loaded(transformers.AutoTokenizer, folder)
    tell("loading the weights")
    return tokenizer, _loaded(transformers.AutoModelForCausalLM, folder, dtype="auto")


def vocabulary_of(model: Any, tokenizer: Any) -> Vocabulary:
    """Return the vocabulary of a model and its tokenizer, remembered while the tokenizer lives.

    Raises:
        VocabularyError: The tokenizer's exact bytes cannot be known.
    """
    size = score_count(model)
    stop_ids = {*_as_ids(model.generation_config.eos_token_id), *_as_ids(tokenizer.eos_token_id)}
    known = _vocabularies.setdefault(tokenizer, {})
    # Tokens may have been added to the tokenizer since.
    key = (size, len(tokenizer), frozenset(stop_ids))
    if key not in known:
        known[key] = Vocabulary.from_tokenizer(
            tokenizer, size=size, stop_ids=sorted(stop_ids) or None
        )
    return known[key]


def _as_ids(value: Any) -> list[int]:
    """Return ids from None, a number, a list or a tensor."""
    if value is None:
        return []
    return [int(token) for token in torch.as_tensor(value).reshape(-1).tolist()]


def default_cache_dir() -> Path:
    """Return formgate's folder in the user's cache."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    # The specification of XDG says that a relative path is to be ignored.
    return (Path(base) if base.startswith("/") else Path.home() / ".cache") / "formgate"


def _checked(path: Path) -> Path | None:
    """Return a model folder, None for a GGUF file.

    Raises:
        FormgateError: It is neither.
    """
    if path.is_dir():
        if not (path / "config.json").is_file():
            raise FormgateError(f"{path} is not a model folder: it has no config.json")
        return path
    if not path.exists():
        raise FormgateError(f"no such model: {path} (give a model folder or a .gguf file)")
    with path.open("rb") as file:
        if file.read(4) != b"GGUF":
            raise FormgateError(f"{path} is neither a model folder nor a GGUF file")
    return None


def _loaded(loader: Any, folder: Path, **options: Any) -> Any:
    """Load a part of a model from local files alone."""
    try:
        return loader.from_pretrained(folder, local_files_only=True, **options)
    except Exception as error:  # (readers of damaged files fail in any way)
        raise FormgateError(f"transformers cannot load {folder}: {_line(error)}") from error


def _converted(path: Path, cache_dir: Path, tell: Callable[[str], None]) -> Path:
    """Return the folder that a GGUF file was converted to, converting it the first time.

    The folder is written under another name and renamed when it is whole, so it is never seen
    half-made, and of two processes that convert at once one wins.
    """
    folder = cache_dir / "models" / f"{path.stem}-{_fingerprint(path)}"
    if folder.is_dir():
        return folder
    for package in ("gguf", "accelerate"):
        try:
            __import__(package)
        except ImportError as error:
            raise MissingDependencyError(
                f"reading GGUF files needs the package {package}. Run: pip install 'formgate[demo]'"
            ) from error
    tell("converting the GGUF file (once)")
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name)
        model = transformers.AutoModelForCausalLM.from_pretrained(
            path.parent, gguf_file=path.name, dtype=torch.bfloat16
        )
    except Exception as error:  # (readers of damaged files fail in any way)
        raise FormgateError(f"transformers cannot read {path}: {_line(error)}") from error
    # save_pretrained refuses a model that says it is quantised, although its weights no longer are.
    model.hf_quantizer = None
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        partial = Path(tempfile.mkdtemp(prefix=".partial-", dir=folder.parent))
    except OSError as error:
        raise FormgateError(
            f"the converted model cannot be kept in {folder.parent}: {error.strerror or error}; "
            "set XDG_CACHE_HOME to a folder that can be written"
        ) from error
    try:
        model.save_pretrained(partial)
        tokenizer.save_pretrained(partial)
        try:
            partial.rename(folder)
        except OSError:
            if not folder.is_dir():
                raise
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return folder


def _fingerprint(path: Path) -> str:
    """Return a short hash that changes when the file does."""
    status = path.stat()
    digest = hashlib.blake2b(f"{_CONVERSION} {torch.bfloat16} ".encode(), digest_size=8)
    if status.st_size <= _HASHED_WHOLE:
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    else:
        digest.update(f"{path.resolve()} {status.st_size} {status.st_mtime_ns}".encode())
    return digest.hexdigest()


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence transformers' progress bars and advice for a while."""
    logging = transformers.utils.logging
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def _line(error: BaseException) -> str:
    """Return an error's message as one line, cut where it is long."""
    text = " ".join(str(error).split())
    if len(text) > _LONGEST_LINE:
        text = text[:_LONGEST_LINE] + "..."
    return text or type(error).__name__


def _ignore(_stage: str) -> None:
    pass
