"""Locks that no fork leaves locked in the child.

A child has only the thread that forked: a lock that another thread held would stay locked there for
good. So a fork waits until these locks are free, and holds them meanwhile; the package root has the
hooks that do. The wait is bounded, since what holds a lock may itself wait for the thread that
forks.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threading import RLock

__all__ = ["hold", "let_go", "lock_across_forks"]

_locks: list[RLock] = []
# By thread that forks: the locks it has taken.
_held: dict[int, list[RLock]] = {}


def lock_across_forks() -> RLock:
    """Return a re-entrant lock, for a module to keep, that a child finds free."""
    lock = threading.RLock()
    _locks.append(lock)
    return lock


def hold(deadline: float) -> bool:
    """Take the locks that this thread has not taken yet; say whether there were any.

    Args:
        deadline: When to go on without those that are not free, by ``time.monotonic``.
    """
    held = _held.setdefault(threading.get_ident(), [])
    taken = [
        lock
        for lock in list(_locks)
        if not any(lock is other for other in held)
        and lock.acquire(timeout=max(deadline - time.monotonic(), 0))
    ]
    held += taken
    return bool(taken)


def let_go(*, in_child: bool) -> None:
    """Release what ``hold`` took; in a child, see that all others are free as well."""
    for lock in _held.pop(threading.get_ident(), ()):
        lock.release()
    if not in_child:
        return
    for lock in _locks:
        if not lock._is_owned():  # type: ignore[attr-defined] # noqa: SLF001 (as threading does)
            lock._at_fork_reinit()  # type: ignore[attr-defined] # noqa: SLF001
