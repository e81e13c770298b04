"""Make the judge of patterns importable, whatever the import mode of the test run."""

import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "ecma"
if str(FOLDER) not in sys.path:
    sys.path.insert(0, str(FOLDER))
