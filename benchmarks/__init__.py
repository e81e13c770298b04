"""Benchmarks of constrained-decoding engines: the same work for each, measured side by side.

Run from the repository root: `python -m benchmarks --help`. Every engine is measured in a process
of its own, rivals in environments of their own; only this package and numpy are shared. The parts
that run inside an engine's process (`worker`, `measure`, `engines`) import nothing but the standard
library, numpy and that engine.
"""
