"""Differential fuzzing: many ways to one mask, held against each other without end.

`make fuzz SECONDS=60` runs it; `python -m tests.fuzz --help` says more.

- `cases`: languages as trees, vocabularies to try them on; drawn at random from a seed.
- `rewrites`: changes of a tree that keep its language.
- `contenders`: every engine, switch and front end.
- `duels`: what is held against what. A new format adds an entry.
- `worker`: the process where native code runs, so that a crash or a hang is a finding.
- `minimise`: delta debugging of a finding.
- `corpus_file`: a finding as a case of the corpus.
- `command`: the loop.
"""
