"""Draft trees: the masks of all nodes by one call, for decode loops that verify drafts."""

from __future__ import annotations

from formgate.adapters._draft_tree import fill_draft_tree, parents_of

__all__ = ["fill_draft_tree", "parents_of"]
