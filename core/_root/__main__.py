"""Run the command line as ``python -m formgate``."""

from __future__ import annotations

from formgate.core.cli import main

raise SystemExit(main())
