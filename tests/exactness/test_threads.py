"""Threads share engines, vocabularies and caches, and change no mask."""

from __future__ import annotations

import os
import random
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import formgate

PATTERNS = (
    r"[a-z ]{1,40}",
    r"(?:(?!-->).)*-->",
    r"(?=.*[0-9])(?=.*[A-Z])[0-9A-Za-z]{3,12}",
    r'"(?:[^"\\]|\\.){0,30}"',
    r"\w+(?: \w+)*",
    r"(?:abc|ab|b){2,9}c",
    r".*\bcat\b.*",
    r"(?i)[k-s]{2,}|é+",
)
WORKERS = 6


def make_vocabulary():
    rng = random.Random(5)
    letters = ["a", "b", "c", "t", " ", "1", "A", '"', "-->", "é", "語", "\\", "K", "cat"]
    texts = {"".join(rng.choice(letters) for _ in range(rng.randint(1, 4))) for _ in range(3_000)}
    tokens = [None, *(text.encode() for text in sorted(texts))]
    tokens += [bytes([byte]) for byte in range(256)]
    return formgate.Vocabulary(tokens, stop_ids=[0])


def trace(engine, seed, steps=25):
    """Masks along a random walk that depends on the masks alone."""
    rng, state, seen = random.Random(seed), engine.start(), []
    for _ in range(steps):
        ids = engine.allowed_tokens(state).to_list()
        row = np.zeros((len(engine.vocabulary) + 31) // 32, dtype=np.int32)
        engine.fill_mask(state, row)
        seen.append((state.key, row.tobytes(), len(ids)))
        if not ids:
            break
        state = engine.advance(state, rng.choice(ids))
    return seen


def in_threads(work, jobs):
    """All jobs at once, started together."""
    barrier = threading.Barrier(WORKERS)

    def run(job):
        barrier.wait(timeout=60)
        return work(job)

    with ThreadPoolExecutor(WORKERS) as pool:
        return list(pool.map(run, jobs))


def test_many_threads_on_one_engine():
    vocabulary = make_vocabulary()
    for pattern in PATTERNS:
        alone = formgate.compile(pattern, vocabulary, format="regex")
        expected = [trace(alone, seed) for seed in range(WORKERS)]
        shared = formgate.compile(pattern, vocabulary, format="regex")
        assert (
            in_threads(lambda seed, engine=shared: trace(engine, seed), range(WORKERS)) == expected
        )


def test_many_threads_compile_and_decode():
    vocabulary = make_vocabulary()
    expected = {
        pattern: trace(formgate.compile(pattern, vocabulary, format="regex"), 1)
        for pattern in PATTERNS
    }
    fresh = make_vocabulary()

    def work(seed):
        order = list(PATTERNS)
        random.Random(seed).shuffle(order)
        return {
            pattern: trace(formgate.compile(pattern, fresh, format="regex"), 1) for pattern in order
        }

    for result in in_threads(work, range(WORKERS)):
        assert result == expected


def test_batches_in_threads():
    vocabulary = make_vocabulary()
    engine = formgate.compile(PATTERNS[0], vocabulary, format="regex")
    states, state = [], engine.start()
    for _ in range(30):
        states.append(state)
        state = engine.advance(state, engine.allowed_tokens(state).to_list()[-1])
    words = (len(vocabulary) + 31) // 32
    expected = np.stack([engine.allowed_tokens(state).words for state in states])
    fresh = formgate.compile(PATTERNS[0], vocabulary, format="regex")

    def work(seed):
        order = list(range(len(states))) * 5  # few rows are filled by one thread
        random.Random(seed).shuffle(order)
        out = np.zeros((len(order), words), dtype=np.int32)
        fresh_states = [replay(fresh, n) for n in order]
        fresh.fill_masks(fresh_states, out, threads=1 + seed % 3)
        return bool(np.array_equal(out.view(np.uint32), expected[order]))

    def replay(other, count):
        at = other.start()
        for _ in range(count):
            at = other.advance(at, other.allowed_tokens(at).to_list()[-1])
        return at

    assert all(in_threads(work, range(WORKERS)))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_batches_in_threads_after_a_fork():
    vocabulary = make_vocabulary()
    engine = formgate.compile(PATTERNS[0], vocabulary, format="regex")
    states = [engine.start()] * 128
    rows = np.zeros((len(states), (len(vocabulary) + 31) // 32), dtype=np.int32)
    engine.fill_masks(states, rows, threads=2)  # from here on a thread waits for more
    again = np.zeros_like(rows)
    child = os.fork()
    if child == 0:
        engine.fill_masks(states, again, threads=2)
        os._exit(0 if np.array_equal(rows, again) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_states_and_masks_are_dropped_in_other_threads():
    vocabulary = make_vocabulary()

    def work(seed):
        engine = formgate.compile(PATTERNS[seed % len(PATTERNS)], vocabulary, format="regex")
        state = engine.start()
        return [engine.allowed_tokens(state), state, engine]

    kept = in_threads(work, range(WORKERS))
    threads = [threading.Thread(target=kept.pop) for _ in range(WORKERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert kept == []
