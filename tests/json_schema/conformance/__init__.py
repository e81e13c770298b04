"""Compiled schemas against instances: the official suite and real schemas, with ratchets."""
