"""Engines for the tests of the harness: an exact one over lists of words, and ways to misbehave."""

import os
import time
from pathlib import Path

from benchmarks.engines.base import Adapter, BatchSession, RefusedError, Session
from benchmarks.measure import WARM_UPS


class Exact(Adapter):
    """Patterns of the form `word|word|...`, by brute force over the vocabulary."""

    def __init__(self, vocabulary, row):
        self._tokens = vocabulary.tokens
        self._stop = vocabulary.stop_ids[0]
        self._row = row

    def compile(self, source, form):
        if "(" in source:
            raise RefusedError("no groups here")
        if source in WARM_UPS.values():
            source = "ab"
        return [word.encode() for word in source.split("|")]

    def allowed(self, words, text):
        ids = {
            i
            for i, token in enumerate(self._tokens)
            if token and any(word.startswith(text + token) for word in words)
        }
        return ids | ({self._stop} if text in words else set())

    def start(self, compiled):
        text = b""

        def fill():
            self._row.fill(0)
            for i in self.allowed(compiled, text):
                self._row.view("uint32")[i >> 5] |= 1 << (i & 31)

        def advance(token):
            nonlocal text
            text += self._tokens[token]
            return True

        return Session(fill, advance)


class Noting(Exact):
    """Notes in a file what it compiles, and in which process."""

    name = "noting"

    def compile(self, source, form):
        with Path(os.environ["NOTES"]).open("a", encoding="utf-8") as file:
            file.write(f"{self.name} {os.getpid()} {source}\n")
        return super().compile(source, form)


class Jotting(Noting):
    """Another one; ends the process at a pattern with an x."""

    name = "jotting"

    def compile(self, source, form):
        compiled = super().compile(source, form)
        if "x" in source:
            os._exit(3)
        return compiled


class Reader(Exact):
    """Reads and compiles in two calls."""

    reads_apart = True

    def read(self, source, form):
        assert form == "lark"
        return source.upper()

    def compile(self, source, form):
        return super().compile(source.lower(), form)


class Loose(Exact):
    """Never objects to ending."""

    def allowed(self, words, text):
        return super().allowed(words, text) | {self._stop}


class Tight(Exact):
    """Knows only the first word."""

    def allowed(self, words, text):
        return super().allowed(words[:1], text)


class Stubborn(Exact):
    """Refuses every second token that its own masks allow."""

    def start(self, compiled):
        session = super().start(compiled)
        count = 0

        def advance(token):
            nonlocal count
            count += 1
            return session.advance(token) and count % 2 == 1

        return Session(session.fill, advance)


class Hanging(Exact):
    """Never returns from compiling a pattern with an x."""

    def compile(self, source, form):
        while "x" in source:
            pass
        return super().compile(source, form)


class Slow(Exact):
    """Takes half a second over a pattern with an x."""

    def compile(self, source, form):
        end = time.process_time() + 0.5
        while "x" in source and time.process_time() < end:
            pass
        return super().compile(source, form)


class Sleeping(Exact):
    """Waits for ever over a pattern with an x, and takes no processor time."""

    def compile(self, source, form):
        while "x" in source:
            time.sleep(1)
        return super().compile(source, form)


class Waiting(Exact):
    """Says in a file that it has come to a pattern that begins with d, and stays there."""

    def compile(self, source, form):
        if source.startswith("d"):
            Path(os.environ["WAITING"]).touch()
            time.sleep(600)
        return super().compile(source, form)


class Torn(Exact):
    """Ends the process at a pattern with an x, in the middle of telling what happened."""

    def compile(self, source, form):
        if "x" in source:
            for link in Path("/proc/self/fd").iterdir():
                # The folder being listed is among them, and is gone by then.
                if link.exists() or link.is_symlink():
                    pipe = os.path.realpath(link).rpartition("/")[2].startswith("pipe:")
                    if pipe and int(link.name) > 2:
                        os.write(int(link.name), b'{"event": "ca')
            os._exit(3)
        return super().compile(source, form)


class Wide(Exact):
    """Allows a token that leads nowhere, in every mask."""

    def allowed(self, words, text):
        return super().allowed(words, text) | {ord("!")}


class Crashing(Exact):
    """Ends the process at a pattern with an x."""

    def compile(self, source, form):
        if "x" in source:
            os._exit(3)
        return super().compile(source, form)


class Broken(Exact):
    """Cannot even be set up."""

    def __init__(self, vocabulary, row):
        raise RuntimeError("no set-up today")


class Batched(Exact):
    """Fills several rows in one call; remembers how often, and where rows began."""

    def __init__(self, vocabulary, row):
        super().__init__(vocabulary, row)
        self.filled = 0
        self.starts = set()

    def start_batch(self, compiled, rows, threads):
        words = [each for each, count in compiled for _ in range(count)]
        texts = [b""] * len(words)

        def fill():
            self.filled += 1
            rows.fill(0)
            for number, text in enumerate(texts):
                for i in self.allowed(words[number], text):
                    rows.view("uint32")[number, i >> 5] |= 1 << (i & 31)

        def feed(row, tokens):
            self.starts.add(len(tokens))
            texts[row] += b"".join(self._tokens[token] for token in tokens)

        def advance(tokens):
            for row, token in enumerate(tokens):
                texts[row] += self._tokens[token]

        return BatchSession(fill, advance, feed)


class BatchedWide(Batched):
    """Allows everything, but only in batches."""

    def start_batch(self, compiled, rows, threads):
        session = super().start_batch(compiled, rows, threads)
        return BatchSession(lambda: rows.fill(-1), session.advance, session.feed)


class BatchedWrong(Batched):
    """Allows nothing."""

    def allowed(self, words, text):
        return set()


class BatchedKeeping(Batched):
    """Keeps the states of a constraint from batch to batch, each begun anew."""

    def compile(self, source, form):
        words = super().compile(source, form)
        return words, []

    def start_batch(self, compiled, rows, threads):
        words = [each for (each, _), count in compiled for _ in range(count)]
        kept = []
        for (_, states), count in compiled:
            states += [[] for _ in range(count - len(states))]
            kept += states[:count]
        for state in kept:
            state.clear()

        def fill():
            rows.fill(0)
            for number, state in enumerate(kept):
                for i in self.allowed(words[number], b"".join(state)):
                    rows.view("uint32")[number, i >> 5] |= 1 << (i & 31)

        def feed(row, tokens):
            kept[row] += [self._tokens[token] for token in tokens]

        def advance(tokens):
            for row, token in enumerate(tokens):
                feed(row, [token])

        return BatchSession(fill, advance, feed)
