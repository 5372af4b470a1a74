"""The thread that owns MLX: interrupts, forks and errors."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time

import pytest

from clef_mlx.engine import thread


def test_errors_reach_the_caller():
    with pytest.raises(ZeroDivisionError):
        thread.run(lambda: 1 / 0)
    assert thread.run(lambda: threading.current_thread().name) == "clef-mlx"


def test_interrupted_caller_stops_the_call_at_its_next_step():
    script = """
import signal, threading, time, os
from clef_mlx.engine import thread
steps = []
def work():
    for step in range(200):
        steps.append(step)
        time.sleep(0.05)
        thread.stop_if_abandoned()
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    thread.run(work)
except KeyboardInterrupt:
    thread.run(int)
    print(len(steps))
"""
    begun = time.monotonic()
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert 0 < int(run.stdout) < 150
    assert time.monotonic() - begun < 9


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_forked_child_is_refused_and_can_exit():
    script = """
import os, sys
from clef_mlx.engine import thread
from clef_mlx.errors import ClefError
thread.run(int)
child = os.fork()
if child == 0:
    try:
        thread.run(int)
    except ClefError as error:
        print(error, flush=True)
    sys.exit(7)
_, status = os.waitpid(child, 0)
print(os.waitstatus_to_exitcode(status))
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=30, check=True)
    assert "spawn" in run.stdout
    assert run.stdout.splitlines()[-1] == "7"


def test_interrupt_ends_the_running_call_alone():
    begun, seen = threading.Event(), []

    def work():
        begun.set()
        while True:
            time.sleep(0.01)
            thread.stop_if_abandoned()

    def caller():
        try:
            thread.run(work)
        except thread.Abandoned as error:
            seen.append(type(error))

    waiting = threading.Thread(target=caller)
    waiting.start()
    assert begun.wait(30)
    thread.interrupt()
    waiting.join(30)
    assert seen == [thread.Abandoned]
    assert thread.run(lambda: 3) == 3
