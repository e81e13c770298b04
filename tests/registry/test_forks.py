"""A child finds no module and no lock left locked by a thread that it does not have."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")

# A thread uses formgate for the first time, and the process forks at some moment of that; the child
# must come to its own first use. What it does takes less than a second.
FIRST_USE = """
import os, signal, sys, threading, time
import formgate

def use():
    vocabulary = formgate.Vocabulary([*(bytes([i]) for i in range(256)), None], stop_ids=[256])
    for source, name in (("[a-z]{3}", "regex"), ({"type": "object"}, "json_schema")):
        engine = formgate.compile(source, vocabulary, format=name)
        engine.allowed_tokens(engine.start())

thread = threading.Thread(target=use)
thread.start()
time.sleep(float(sys.argv[1]))
child = os.fork()
if child == 0:
    signal.alarm(10)
    use()
    os._exit(0)
status = os.waitpid(child, 0)[1]
thread.join()
sys.exit(1 if status else 0)
"""


@pytest.mark.parametrize("part", range(6))
def test_a_fork_while_another_thread_uses_formgate_first(part):
    moments = [(5 * part + n) * 0.0015 for n in range(5)]
    running = [
        subprocess.Popen([sys.executable, "-W", "ignore", "-c", FIRST_USE, str(moment)])
        for moment in moments
    ]
    try:
        assert [each.wait(timeout=60) for each in running] == [0] * len(moments)
    finally:
        for each in running:
            each.kill()


# The hook itself, at the worst moment: while the thread stands in the middle of a module.
IN_A_MODULE = """
import os, signal, sys, threading, time
import formgate

class Slow:
    def find_spec(self, name, path, target=None):
        if name == "formgate.core.compiler":
            reached.set()
            time.sleep(0.3)

reached = threading.Event()
sys.meta_path.insert(0, Slow())
thread = threading.Thread(target=lambda: formgate.compile)
thread.start()
reached.wait()
child = os.fork()
if child == 0:
    signal.alarm(5)
    formgate.compile
    os._exit(0)
status = os.waitpid(child, 0)[1]
thread.join()
sys.exit(1 if status else 0)
"""

# A module that forks while it is loaded, which another thread waits for, does not wait for itself.
INSIDE_AN_IMPORT = """
import os, sys
import formgate

class Forking:
    def find_spec(self, name, path, target=None):
        if name == "formgate.core.compiler":
            child = os.fork()
            if child == 0:
                sys.meta_path.remove(self)
                return
            assert os.waitpid(child, 0)[1] == 0

sys.meta_path.insert(0, Forking())
vocabulary = formgate.Vocabulary([*(bytes([i]) for i in range(256)), None], stop_ids=[256])
assert formgate.compile("a+", vocabulary).accepts("aa")
"""

IN_THE_REGISTRY = """
import os, signal, sys, threading, time
from formgate.core.registry import Registry, default_registry, hookimpl

class Slow:
    @hookimpl
    def register_formats(self, register):
        reached.set()
        time.sleep(0.3)

reached = threading.Event()
registry = Registry(load=False)
thread = threading.Thread(target=lambda: registry.register(Slow()))
thread.start()
reached.wait()
child = os.fork()
if child == 0:
    signal.alarm(5)
    default_registry().formats()
    registry.load()
    os._exit(0)
status = os.waitpid(child, 0)[1]
thread.join()
sys.exit(1 if status else 0)
"""


@pytest.mark.parametrize("code", [IN_A_MODULE, INSIDE_AN_IMPORT, IN_THE_REGISTRY])
def test_a_fork_at_the_worst_moment(code):
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True, timeout=30)
