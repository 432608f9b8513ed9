"""SIGTERM ends a process whose main thread is blocked in C, where no signal handler of Python's is ever called.

In the last moments of a process, it leaves no traceback.
"""

import signal
import subprocess
import sys
from time import monotonic

import pytest

from gateway.core import signals
from gateway.core.statuses import Status
from tests.conftest import ROOT

pytestmark = pytest.mark.slow

PATIENCE_SECONDS = 240.0
# A mutex that is locked twice is waited for for ever, and no signal ends that. A name lookup is like that, for a while.
_BLOCKED = """
import ctypes, os, sys, threading, time
from gateway.core import signals
signals.watch()
libc, mutex = ctypes.CDLL(None), ctypes.create_string_buffer(64)
libc.pthread_mutex_lock(mutex)
threading.Timer(1, print, ["begun"], {"flush": True}).start()
libc.pthread_mutex_lock(mutex)
"""
_DEAF = """
import sys, time
from gateway.core import signals
signals.watch()
has_begun = False
while True:
    try:
        if not has_begun:
            has_begun = True
            print("begun", flush=True)
        time.sleep(60)
    except KeyboardInterrupt:
        print("heard", flush=True)
"""
_AT_THE_END = """
import atexit, sys, time
from gateway.cli.main import main
def linger():
    print("begun", flush=True)
    time.sleep(1)
    print("ended", flush=True)
atexit.register(linger)
sys.argv = ["gateway", "--quiet", "--help"]
sys.stdout.flush()
main()
"""
_BEFORE_THE_COMMAND = """
import os, signal, sys
from gateway.core import signals
from gateway.cli.main import main
watch = signals.watch
def at_once():
    watch()
    os.kill(os.getpid(), signal.SIGTERM)
signals.watch = at_once
sys.argv = ["gateway", "--quiet", "--help"]
main()
"""
_RELEASED = """
import signal, sys, time
from gateway.core import signals
signals.watch()
signals.release()
signals.release()
heard = []
signal.signal(signal.SIGTERM, lambda *_: heard.append(print("heard", flush=True)))
print("begun", flush=True)
while not heard:
    time.sleep(0.01)
time.sleep(11)
"""


def _ended(program: str) -> tuple[float, int, str]:
    """Send a signal to a program that has begun; return how long it lasted, its status and what it said."""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        try:
            assert process.stdout.readline() == "begun\n"
            began = monotonic()
            process.send_signal(signal.SIGTERM)
            output, _ = process.communicate(timeout=PATIENCE_SECONDS)
        finally:
            process.kill()
    return monotonic() - began, process.returncode, output


def test_a_process_that_is_blocked_in_c_is_ended():
    took, status, _ = _ended(_BLOCKED)
    assert status in (Status.STOPPED, -signal.SIGALRM)
    assert took >= signals.REPEATED_AFTER_SECONDS


def test_a_process_that_goes_on_after_two_signals_is_ended():
    _, status, output = _ended(_DEAF)
    assert status in (Status.STOPPED, -signal.SIGALRM)
    assert output in ("heard\n", "heard\nheard\n")  # on a busy machine, two signals may come as one


def test_a_signal_in_the_last_moment_leaves_no_traceback():
    with subprocess.Popen(
        [sys.executable, "-c", _AT_THE_END], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        while process.stdout.readline() not in ("begun\n", ""):
            pass
        process.send_signal(signal.SIGTERM)
        output, errors = process.communicate(timeout=PATIENCE_SECONDS)
    assert (process.returncode, output, errors) == (0, "ended\n", "")


def test_a_server_that_has_its_own_handler_is_left_alone():
    took, status, output = _ended(_RELEASED)
    assert (status, output) == (0, "heard\n")
    assert took > signals.ENDED_AFTER_SECONDS


def test_sigterm_before_the_command_begins_ends_it_without_a_traceback():
    done = subprocess.run([sys.executable, "-c", _BEFORE_THE_COMMAND], capture_output=True, check=False, cwd=ROOT)
    assert (done.returncode, done.stderr) == (Status.STOPPED, b"")
