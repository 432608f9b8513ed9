"""The lock of a source: one holder, and none that outlives its process."""

import os
import signal
import subprocess
import sys

import pytest

from gateway.core.waiting import is_locked
from harvester.runtime.exit_status import SourceLocked
from harvester.runtime.locks import await_publishers, lock, publishing


def test_a_second_holder_is_refused_and_told_who_holds_it(tmp_path):
    with lock(tmp_path, "laro"):
        assert is_locked(tmp_path, "laro")
        with pytest.raises(SourceLocked, match=rf"laro.*{os.getpid()}"), lock(tmp_path, "laro"):
            pytest.fail("two holders")
    assert not is_locked(tmp_path, "laro")


def test_a_killed_process_does_not_keep_the_lock(tmp_path):
    code = (
        "import sys, pathlib, time; from harvester.runtime.locks import lock\n"
        "with lock(pathlib.Path(sys.argv[1]), 'laro'):\n print('held', flush=True); time.sleep(600)"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"held\n"
        assert is_locked(tmp_path, "laro")
        process.send_signal(signal.SIGKILL)
        process.wait()
    with lock(tmp_path, "laro"):
        pass


def test_those_who_publish_for_a_dead_harvester_are_waited_for_but_not_for_ever(tmp_path):
    with publishing(tmp_path, "laro"):
        await_publishers(tmp_path, "other", seconds=0)
        with pytest.raises(SourceLocked, match="still publish laro"):
            await_publishers(tmp_path, "laro", seconds=0)
    await_publishers(tmp_path, "laro", seconds=0)
    assert not is_locked(tmp_path, "laro")


def test_processes_that_were_forked_while_publishing_hold_the_lock_together(tmp_path):
    read, write = os.pipe()
    with publishing(tmp_path, "laro"):
        child = os.fork()
        if not child:
            os.close(write)
            os.read(read, 1)  # until the parent lets go
            os._exit(0)
    os.close(read)
    with pytest.raises(SourceLocked):
        await_publishers(tmp_path, "laro", seconds=0)
    os.close(write)
    await_publishers(tmp_path, "laro", seconds=240)
    os.waitpid(child, 0)
