"""The benchmarks as a program over the tiny suite: arguments are those of `python -m benchmarks`.

Files of the suite are written into the folder that SUITE names.
"""

import os
import runpy
import signal
import sys
from pathlib import Path

from tiny_suite import install

# Programs in the background are started with it ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
install(Path(os.environ["SUITE"]))
sys.argv[0] = "benchmarks"
runpy.run_module("benchmarks", run_name="__main__")
