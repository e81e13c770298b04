"""A slow, plain-Python judge of the mask engines; it shares no code with them.

Three independent definitions of "this text is in the language", each tested against the others:

- `spans`: the textbook definition, evaluated on one text at a time;
- Python's own `re.fullmatch`, for languages given as patterns;
- `machine`: boolean derivatives over bytes, which also decides emptiness and liveness exactly.

`tokens` lifts the machine from bytes to the tokens of a vocabulary, `enumeration` does the same by
listing texts, and `compare` holds an engine against either.
"""
