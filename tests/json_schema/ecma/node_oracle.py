"""Node.js as a judge of ECMAScript patterns: one process, asked line by line."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import NamedTuple

_SCRIPT = r"""
const lines = require("readline").createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const { pattern, texts } = JSON.parse(line);
  const answer = {};
  for (const [mode, flags] of [["strict", "u"], ["lenient", ""]]) {
    try {
      const compiled = new RegExp(pattern, flags);
      answer[mode] = texts.map((text) => compiled.test(text));
    } catch (error) { answer[mode] = null; }
  }
  console.log(JSON.stringify(answer));
});
"""


class Verdict(NamedTuple):
    """For each text whether the pattern is found in it; None where the pattern is refused."""

    strict: list[bool] | None
    lenient: list[bool] | None


class NodeOracle:
    """Asks a Node.js process."""

    def __init__(self):
        self._process = subprocess.Popen(
            ["node", "-e", _SCRIPT],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def ask(self, pattern, texts):
        """Return the verdict on a pattern with and without the u flag."""
        self._process.stdin.write(json.dumps({"pattern": pattern, "texts": texts}) + "\n")
        self._process.stdin.flush()
        return Verdict(**json.loads(self._process.stdout.readline()))

    def unicode_version(self):
        """Return the version of Unicode that Node.js has."""
        command = ["node", "-p", "process.versions.unicode"]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def close(self):
        """End the process."""
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(timeout=10)

    @staticmethod
    def is_installed():
        """Say whether there is a Node.js."""
        return shutil.which("node") is not None
