"""Inputs nobody means, run in a process of their own: `python -m oracle.chaos NAME SEED COUNT`.

Whatever comes in, what comes out is an engine that works or an error of the package. The process
ends with status 0 after printing how often each outcome occurred; a crash or a foreign exception
ends it otherwise.
"""

from __future__ import annotations

import collections
import faulthandler
import itertools
import random
import re
import sys
import warnings
from typing import TYPE_CHECKING

import formgate
from oracle.native import native_vocabulary
from oracle.strategies import TinyVocabulary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_VOCABULARY = native_vocabulary(
    TinyVocabulary(
        (None, *(bytes([byte]) for byte in range(256)), b"ab", b"a\n", "é".encode(), b"((("), (0,)
    )
)
_PIECES = (
    *r"()[]{}*+?|^$.\-,:<>=!abiIsmxu019_ #&~",
    *(r"\d", r"\W", r"\b", r"\B", r"\Z", r"\A", r"\1", r"\x41", r"\u00e9", r"\N{BULLET}", r"\0"),
    *(
        "(?:",
        "(?=",
        "(?!",
        "(?<=",
        "(?<!",
        "(?P<n>",
        "(?P=n)",
        "(?i)",
        "(?s:",
        "(?-i:",
        "(?#",
        "(?>",
    ),
    *("(?(1)", "(?x)", "{2}", "{1,3}", "{,2}", "{3,1}", "*?", "+?", "*+", "??", "[^", "[a-", "[[:"),
    *("é", "語", "😀", "\0", "\n", "\ud800", "\udfff", "\U0010ffff", "K", "ſ", "İ", "ß"),
)


def walk(engine: formgate.Engine, rng: random.Random, steps: int = 6) -> None:
    """A few random steps; no mask on the way may be empty."""
    state = engine.start()
    for _ in range(steps):
        ids = engine.allowed_tokens(state).to_list()
        if not ids:
            raise RuntimeError("an accepted constraint came to a dead end")
        state = engine.advance(state, rng.choice(ids))
        if engine.is_terminal(state) and not engine.allowed_tokens(state):
            return


def outcome(compile_it: Callable[[], formgate.Engine], rng: random.Random) -> str:
    """What became of one source; anything but an error of the package goes up."""
    try:
        engine = compile_it()
    except formgate.FormgateError as error:
        str(error)
        return type(error).__name__
    walk(engine, rng)
    return "ok"


def is_pattern(pattern: str) -> bool:
    """Whether Python takes it; what Python cannot even parse for depth counts as taken."""
    try:
        re.compile(pattern)
    except re.error:
        return False
    except (OverflowError, RecursionError):
        return True
    return True


def random_patterns(rng: random.Random) -> Iterator[str]:
    """Pieces of regex syntax thrown together."""
    for _ in itertools.count():
        pattern = "".join(rng.choice(_PIECES) for _ in range(rng.randint(1, 12)))
        result = outcome(
            lambda source=pattern: formgate.compile(
                source, _VOCABULARY, format="regex", timeout_s=5
            ),
            rng,
        )
        taken = is_pattern(pattern)
        if not taken and result != "GrammarError":
            raise RuntimeError(f"{pattern!r} is no pattern, yet: {result}")
        if taken and result == "GrammarError":
            raise RuntimeError(f"{pattern!r} is a pattern, yet it was refused as none")
        yield result


def random_bytes(rng: random.Random) -> Iterator[str]:
    """Any characters at all, under a guessed format and under each by name."""
    for number in itertools.count():
        text = "".join(
            chr(rng.choice([rng.randrange(256), rng.randrange(0x110000)]))
            for _ in range(rng.randint(0, 20))
        )
        options = [{}, {"format": "regex"}, {"format": "choice"}][number % 3]
        source: object = [text, text[::-1]] if number % 3 == 2 else text
        yield outcome(
            lambda source=source, options=options: formgate.compile(
                source, _VOCABULARY, timeout_s=5, **options
            ),
            rng,
        )


def random_builders(rng: random.Random) -> Iterator[str]:
    """Operators of the builder on arguments of all kinds, valid or not."""
    odd = [0, -1, 1, 3, 2**31, 2**32, 2**64, None, "a", b"\xff", 1.5, [], [(1, 0)], [(0, 0x110000)]]
    for _ in itertools.count():
        builder = formgate.GrammarBuilder()
        nodes: list[object] = [builder.literal("a"), builder.any_char()]
        for _ in range(rng.randint(1, 12)):
            try:
                node = _random_node(builder, rng, [*nodes, *nodes, rng.choice(odd)], odd)
                nodes += [] if node is None else [node]
            except (formgate.FormgateError, TypeError, ValueError, OverflowError):
                yield "refused node"

        def finish(
            builder: formgate.GrammarBuilder = builder, node: object = nodes[-1]
        ) -> formgate.Engine:
            builder.start(node)
            return formgate.compile(builder.build(), _VOCABULARY, timeout_s=5)

        yield outcome(finish, rng)


def _random_node(
    builder: formgate.GrammarBuilder, rng: random.Random, nodes: list, odd: list
) -> object:
    def one() -> object:
        return rng.choice(nodes)

    calls: list[Callable[[], object]] = [
        lambda: builder.seq(one(), one()),
        lambda: builder.choice(one(), one()),
        lambda: builder.repeat(one(), rng.choice(odd), rng.choice(odd)),
        lambda: builder.repeat(one(), rng.randrange(3), rng.choice([None, 3, 10**6])),
        lambda: builder.intersection(one(), one()),
        lambda: builder.complement(one()),
        lambda: builder.look_ahead(one(), negative=rng.random() < 0.5),
        lambda: builder.look_behind(one(), negative=rng.random() < 0.5),
        lambda: builder.scope(one()),
        lambda: builder.char_class(rng.choice(odd)),
        lambda: builder.byte_class(rng.choice(odd)),
        lambda: builder.char_class([(97, 98), (0x80, 0x10FFFF)], negated=rng.random() < 0.5),
        lambda: builder.literal(rng.choice(odd)),
        lambda: builder.strings(rng.choice([[], ["a", b"\xff"], odd, ["ab", "b"]])),
        lambda: builder.rule("r"),
        lambda: builder.define("r", one()),
    ]
    return rng.choice(calls)()


_KINDS = {"patterns": random_patterns, "bytes": random_bytes, "builders": random_builders}


def main(name: str, seed: str, count: str) -> None:
    faulthandler.enable()
    warnings.simplefilter("ignore", DeprecationWarning)
    warnings.simplefilter("ignore", FutureWarning)
    outcomes = collections.Counter(
        itertools.islice(_KINDS[name](random.Random(int(seed))), int(count))
    )
    sys.stdout.write(f"{dict(outcomes)}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
