"""Entry point of `python -m benchmarks`."""

from __future__ import annotations

import signal
import sys

from benchmarks.cli import main

# Ended from outside, it ends its engines, too: `SystemExit` passes where they are stopped.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
sys.exit(main())
