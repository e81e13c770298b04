"""The engine of formgate: vocabularies, expressions, masks."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, overload

import numpy
import numpy.typing
from numpy.typing import NDArray


class Vocabulary:
    """Exact bytes of every token id."""

    def __init__(self, tokens: Sequence[bytes | None], stop_ids: Sequence[int], special: Mapping[str, int] = {}) -> None: ...

    def __len__(self) -> int: ...

    def token_bytes(self, token: int) -> bytes | None:
        """The text of a token; None where it never matches text."""

    @property
    def stop_ids(self) -> tuple[int, ...]: ...

    @property
    def special(self) -> dict[str, int]: ...

    @property
    def fingerprint(self) -> str:
        """32 hexadecimal digits, equal in every process."""

    @property
    def missing_bytes(self) -> bytes:
        """Bytes that are no token by themselves."""

    def memory_usage(self) -> int:
        """Bytes of native memory."""

def lalr_accepts(terminals: Sequence[str], productions: Sequence[tuple[str, Sequence[str], int]], text: Sequence[str]) -> list[str] | None:
    """
    Terminals that an LALR(1) parser has an action for after others, "" for the end; None where it fails on the way.
    """

class CancelToken:
    """Stops a running compilation from another thread."""

    def __init__(self) -> None: ...

    def cancel(self) -> None:
        """Ask the compilation to stop."""

    @property
    def cancelled(self) -> bool: ...

class Limits:
    """Bounds of one compilation; exceeding one raises LimitError."""

    def __init__(self, *, max_states: int = 200000, max_nodes: int = 4000000, max_depth: int = 500, max_search: int = 100000, max_search_steps: int = 200000000, max_growth: int = 8000000) -> None: ...

    @property
    def max_states(self) -> int:
        """
        States explored to decide whether intersections, complements and look-around are empty.
        """

    @property
    def max_nodes(self) -> int:
        """Expressions of the lowered grammar."""

    @property
    def max_depth(self) -> int:
        """Nesting of repetitions, alternatives and Boolean operators."""

    @property
    def max_search(self) -> int:
        """States visited by one min_tokens query."""

    @property
    def max_search_steps(self) -> int:
        """
        Steps of one min_tokens query through the vocabulary, a byte of a token each.
        """

    @property
    def max_growth(self) -> int:
        """New expressions that one mask or one token may take."""

class MaskOptions:
    """
    Switches of optimisations; none changes a mask, unless a lexer's search for a way on ends at its bound (docs/design/exactness.md). Without them more is derived for one, which may exceed Limits.max_growth.
    """

    def __init__(self, *, class_tables: bool = True, automaton_walk: bool = True, split_parts: bool = True, cut_subtrees: bool = True, keep_masks: bool = True, prefix_uses: int = 6, walked_tokens: int = 2048) -> None: ...

class Automaton:
    """A deterministic automaton that is one node."""

    def __len__(self) -> int:
        """Return the number of states."""

    def memory_usage(self) -> int:
        """Return the bytes that it takes."""

class GrammarCore:
    """Rules and terminals as a front end writes them."""

    def __init__(self) -> None: ...

    def literal(self, text: str | bytes) -> int: ...

    def char_class(self, ranges: Sequence[tuple[int, int]], negated: bool = False) -> int: ...

    def byte_class(self, ranges: Sequence[tuple[int, int]]) -> int: ...

    def sequence(self, parts: Sequence[int]) -> int: ...

    def choice(self, parts: Sequence[int]) -> int: ...

    def automaton(self, automaton: Automaton) -> int: ...

    def repeat(self, part: int, min: int, max: int | None) -> int: ...

    def intersection(self, parts: Sequence[int]) -> int: ...

    def complement(self, part: int) -> int: ...

    def strings(self, values: list[str | bytes], timeout_s: float | None = None, cancel: CancelToken | None = None) -> int: ...

    def look_ahead(self, rest: int, negative: bool) -> int: ...

    def look_behind(self, before: int, negative: bool) -> int: ...

    def scope(self, part: int) -> int: ...

    def rule(self, name: str) -> int: ...

    def unordered(self, parts: Sequence[int]) -> int: ...

    def json_text(self, part: int, canonical: bool, keys: bool) -> int: ...

    def keyed(self, entries: list[tuple[str | int, int, bool]], cells: list[tuple[int, int, bool, list[tuple[int, list[int]]]]], colon: int, comma: int, ordered: bool, canonical: bool, places: bool, repeats: bool, min: int, max: int | None, needs: list[tuple[int, int]] = [], ways: list[tuple[int, int]] = [], clauses: list[list[tuple[int, int | None]]] = []) -> int: ...

    def include(self, grammar: GrammarCore) -> int: ...

    def special_token(self, token: str | int, negated: bool = False) -> int: ...

    def terminal(self, name: str) -> int: ...

    def lexed(self, start: int, terminals: Sequence[tuple[str, int, bool, Sequence[tuple[str, bool]], bool]], first: bool, contextual: bool, productions: Sequence[tuple[str, Sequence[str], int]] = []) -> int: ...

    def define(self, name: str, body: int) -> None: ...

    def start(self, body: int) -> None: ...

    @property
    def has_start(self) -> bool: ...

    @property
    def rule_names(self) -> list[str]: ...

    def references(self, name: str) -> list[str]: ...

    def __len__(self) -> int: ...

    def print(self, max_length: int) -> str: ...

    def compile(self, vocabulary: Vocabulary, limits: Limits = ..., timeout_s: float | None = None, cancel: CancelToken | None = None, options: MaskOptions = ...) -> Engine: ...

class TokenMask:
    """
    An immutable packed set of token ids: id i is bit i % 32 of word i // 32.
    """

    def __copy__(self) -> TokenMask: ...

    def __deepcopy__(self, memo: object, /) -> TokenMask: ...

    @staticmethod
    def from_ids(size: int, ids: Sequence[int]) -> TokenMask:
        """The mask of `size` ids that allows just `ids`."""

    @property
    def size(self) -> int:
        """Number of ids the mask speaks about: the model's vocabulary."""

    @property
    def words(self) -> Any:
        """Read-only numpy uint32 view of the words, without a copy."""

    def ids(self) -> Any:
        """The allowed ids, ascending, as a numpy int32 array."""

    def to_list(self) -> list[int]:
        """The allowed ids, ascending."""

    @overload
    def fill(self, out: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Copy the words into a uint32 row."""

    @overload
    def fill(self, out: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Copy the words into an int32 row."""

    def __len__(self) -> int: ...

    def __bool__(self) -> bool: ...

    def __contains__(self, token: int) -> bool: ...

    def __eq__(self, other: object) -> bool: ...

    def __hash__(self) -> int: ...

    def __or__(self, arg: TokenMask, /) -> TokenMask: ...

    def __and__(self, arg: TokenMask, /) -> TokenMask: ...

    def __sub__(self, arg: TokenMask, /) -> TokenMask: ...

    def __repr__(self) -> str: ...

class MaskBuffer:
    """Preallocated mask rows; filling one needs no array conversion."""

    def __init__(self, rows: int, size: int) -> None: ...

    @property
    def rows(self) -> int: ...

    @property
    def size(self) -> int: ...

    @property
    def array(self) -> Any:
        """numpy int32 view of shape (rows, ceil(size / 32))."""

class State:
    """A point in the text: an immutable value."""

    def __copy__(self) -> State: ...

    def __deepcopy__(self, memo: object, /) -> State: ...

    @property
    def key(self) -> bytes:
        """16 bytes: equal keys, equal futures."""

    def __eq__(self, other: object) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

class Engine:
    """A compiled constraint over one vocabulary; immutable and thread-safe."""

    def __copy__(self) -> Engine: ...

    def __deepcopy__(self, memo: object, /) -> Engine: ...

    @property
    def vocabulary(self) -> Vocabulary: ...

    @property
    def grammar(self) -> Any:
        """The Grammar it was compiled from."""

    @grammar.setter
    def grammar(self, value: Any, /) -> None: ...

    @property
    def format(self) -> str | None:
        """Name of the format of its source, where one was named or guessed."""

    @format.setter
    def format(self, value: str | None, /) -> None: ...

    def start(self) -> State:
        """The state before any text."""

    def allowed_tokens(self, state: State) -> TokenMask:
        """
        Every token after which the text can still be completed; the stop ids where it may end.
        """

    def advance(self, state: State, token: int) -> State:
        """
        The state after one more token. Raises TokenError when it is not allowed.
        """

    def advance_many(self, state: State, tokens: Sequence[int]) -> State:
        """
        The state after several tokens. Raises TokenError at the first that is not allowed.
        """

    def validate(self, state: State, tokens: Sequence[int]) -> int:
        """How many of the tokens are allowed one after the other."""

    def is_accepting(self, state: State) -> bool:
        """Whether the output may end here."""

    def is_terminal(self, state: State) -> bool:
        """Whether the output must end here."""

    def is_allowed(self, state: State, token: int) -> bool:
        """Whether one token is allowed."""

    def completed_by(self, state: State, text: str | bytes, among: TokenMask | None = None) -> TokenMask:
        """
        Allowed tokens after which just this text makes the output complete; only those of a mask, where one is given. Some may be left out, where a name or an item that must be new is under way, or where many states are met.
        """

    def fill_mask(self, state: State, out: Any, row: int = 0) -> None:
        """Write the mask into a row of a MaskBuffer or of an int32 array."""

    def fill_masks(self, states: Sequence[State], out: Any, threads: int = 1) -> None:
        """
        Write one mask a row, without holding the interpreter lock. Masks are found one after another; rows are written by up to `threads` threads, 1 to 256, of which at most one for each 32 rows is used. TypeError or ValueError for another number.
        """

    def warm_up(self, text: str | bytes | Sequence[str | bytes] | None = None, max_s: float | None = None, cancel: CancelToken | None = None) -> int:
        """
        Make the masks along a text that outputs are likely to resemble, so that they are there when an output asks for them; return the number of tokens taken. Between two texts of a list stands a shortest one that leads from one to the other, as far as its length is known; None is a shortest text of the whole language, and then other states, for two milliseconds at most. Ends quietly where the text is none of the language, at a special token, at a limit, where a mask takes far more expressions than most, and after max_s seconds; a mask under way is finished. Does not hold the interpreter lock; signals are seen between masks.
        """

    def forced_text(self, state: State, max_bytes: int = 4096) -> bytes:
        """Bytes that every accepted continuation begins with."""

    def min_tokens(self, state: State, max_states: int | None = None, max_steps: int | None = None) -> int:
        """
        Fewest tokens after which the output may end. Raises LimitError beyond max_states, or beyond max_steps through the vocabulary, a byte of a token each. Without these, the limits of the compilation hold: Limits.max_search and Limits.max_search_steps.
        """

    def explain(self, state: State) -> str:
        """What may come next and what is still to match, in words."""

    def accepts(self, text: str | bytes) -> bool:
        """Whether the text is in the language, however it might be spelled."""

    def is_prefix(self, text: str | bytes) -> bool:
        """Whether some text of the language begins with this one."""

    def memory_usage(self) -> dict[str, int]:
        """
        Bytes of the shared expression pool, the mask cache and the vocabulary. Those of an engine that has left its pool, until its next start, are no bytes of a pool.
        """

    @property
    def pool_nodes(self) -> int:
        """Expressions in the pool this engine shares."""

    @property
    def pool_number(self) -> int:
        """
        Which pool outputs start in, another number after the engine has moved on; 0 while it is in none.
        """

def set_pool_budget(max_bytes: int) -> None:
    """
    Bytes of expressions after which new grammars start a fresh pool, and engines move on to one where an output starts.
    """

def pools_alive() -> int:
    """
    How many pools of expressions there are, those about to be freed among them.
    """

def set_mask_budget(max_bytes: int) -> None:
    """
    Bytes of cached masks, for each pool and vocabulary, after which the cache is emptied.
    """

def apply_mask(mask: TokenMask, scores: Any, row: int = 0) -> None:
    """
    Set the scores of forbidden tokens to minus infinity, in place, on a CPU array of float64, float32, float16 or bfloat16. Entries beyond the vocabulary are forbidden.
    """

def apply_masks(states: Sequence[State], scores: Any) -> None:
    """
    Mask one row of scores for each state, in place; the states may be of different engines.
    """

class RowTable:
    """
    Which row of a table of packed masks holds which state's mask: those used last stay. The table itself is the caller's.
    """

    def __init__(self, most: int) -> None: ...

    @property
    def size(self) -> int:
        """So many rows the table must have."""

    def place(self, items: Sequence[tuple[Any, Any] | None], rows: Annotated[numpy.typing.NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], width: int) -> list[int]:
        """
        Write the row of each item, an engine with a state, and -1 for None, for rows of `width` scores, which no vocabulary may exceed; return the numbers of the items whose masks are to be written into their rows. Masks of engines of other classes, of which nothing is known, are kept for this batch alone.
        """

    def commit(self) -> None:
        """
        Say that the masks were written. Without it they are forgotten at the next batch.
        """

def fill_rows(states: Sequence[State], out: Annotated[numpy.typing.NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """
    Write the packed mask of each state into a row; the states may be of different engines. Words beyond a vocabulary are zero.
    """

def read_schema(text: str, decimal: object) -> dict[str, Any] | None:
    """
    Read the object that a JSON text holds, or None where Python's reader has more to say.
    """

def likely_text(schema: object, size: int, *, comma: str, colon: str, indent: int | None) -> list[bytes]:
    """
    Return the beginning of what outputs of a schema are likely to look like, of some size
    characters: pieces, between which stands what is not known.
    """

def has_at_most(value: object, most: int) -> bool:
    """
    Say whether a value of dicts and lists has at most so many parts, each counted wherever it
    stands.
    """

def decimal_automaton(*, cycle: int, scale: int, constant: int, moduli: list[tuple[int, int]], low: tuple[str, str, bool] | None, high: tuple[str, str, bool] | None, max_residues: int, max_states: int, check: object) -> Automaton | int | None:
    """
    Return the least automaton of decimals that divisibility and bounds decide.

    An int is how many residues there are, where these are too many, and None stands for too
    many states.
    """

class SchemaWords:
    """What the keywords of a draft of JSON Schema are."""

    def __init__(self, *, active: Sequence[str], id_keyword: str, lone_ref: bool) -> None: ...

class PlainSchemas:
    """Writes schemas that say what they mean."""

    def __init__(self, core: GrammarCore, root: object, words: SchemaWords, *, prefix: str, suffix: str, blanks: int | None, comma: str, colon: str, ordered: bool, canonical: bool, relaxed: bool, anything: int | None) -> None: ...

    def value(self, schema: object, place: tuple[object, str], host: object) -> int | None: ...

    def drain(self, host: object) -> bool: ...

    def mend(self, node: int, host: object) -> bool: ...

    def anything(self, host: object) -> int: ...

    @property
    def known_anything(self) -> int | None: ...
