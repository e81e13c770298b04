"""This project's engine with its masks spoiled, for the tests of the harness."""

import numpy as np

from benchmarks.engines.base import Session
from benchmarks.engines.formgate import EngineAdapter


class Generous(EngineAdapter):
    """Allows every token of five bytes and more, too."""

    def more(self, vocabulary):
        return [i for i, token in enumerate(vocabulary.tokens) if len(token or b"") >= 5]

    def __init__(self, vocabulary, row):
        super().__init__(vocabulary, row)
        self._more = np.zeros_like(self.buffer.view("uint32"))
        for i in self.more(vocabulary):
            self._more[i >> 5] |= 1 << (i & 31)

    def start(self, compiled):
        session = super().start(compiled)
        words = self.buffer.view("uint32")

        def fill():
            session.fill()
            words[:] |= self._more

        return Session(fill, session.advance)


class Textless(Generous):
    """Allows a token that has no text, too."""

    def more(self, vocabulary):
        stops = set(vocabulary.stop_ids)
        return [i for i, t in enumerate(vocabulary.tokens) if t is None and i not in stops]
