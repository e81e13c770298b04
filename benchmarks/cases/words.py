"""A word list made by rule, so that the large alternations of the suite need no outside data.

Words are one to three syllables, each an onset, a vowel and a coda, drawn by a linear
congruential generator with a fixed seed. Shared prefixes and words that are prefixes of others
occur as they do in natural lists; both matter to automata and to token masks.
"""

from __future__ import annotations

ONSETS = ("b", "br", "c", "d", "f", "g", "h", "l", "m", "n", "p", "pl", "r", "s", "st", "t", "v")
VOWELS = ("a", "e", "i", "o", "u", "ea", "io")
CODAS = ("", "", "l", "n", "r", "s", "t", "nd", "rk")


def word_list(count: int = 600, seed: int = 20) -> list[str]:
    """Return `count` different lower-case words, sorted; the same ones on every machine."""
    value = seed
    words: set[str] = set()
    while len(words) < count:
        syllables = []
        value = (value * 6364136223846793005 + 1442695040888963407) % 2**64
        for position in range(1 + (value >> 59) % 3):
            draw = value >> (12 * position + 8)
            onset = ONSETS[draw % len(ONSETS)]
            vowel = VOWELS[(draw >> 5) % len(VOWELS)]
            coda = CODAS[(draw >> 8) % len(CODAS)]
            syllables.append(onset + vowel + coda)
        words.add("".join(syllables))
    return sorted(words)


def word_pattern(count: int = 600) -> str:
    """Return a regex that matches exactly the words of `word_list(count)`."""
    return f"({'|'.join(word_list(count))})"
