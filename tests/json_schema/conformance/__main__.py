"""`python -m tests.json_schema.conformance`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from conformance.command import main

sys.exit(main())
