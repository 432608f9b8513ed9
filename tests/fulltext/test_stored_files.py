"""Our own copies of files: whole, or not there at all."""

import os
import subprocess
import sys
from hashlib import sha256

import pytest

from gateway.core.errors import StoreUnwritable
from gateway.fulltext.stored_files import Copies

BODY = b"a file that was found"
DIGEST = sha256(BODY).hexdigest()
# Writes half of a copy and waits.
_WRITES = """
import sys
from pathlib import Path
from gateway.fulltext.stored_files import _aside
with _aside(Path(sys.argv[1])) as file:
    file.write(b"half")
    file.flush()
    print("written", flush=True)
    sys.stdin.read()
"""


def _left(folder):
    return [path.name for path in (folder / "files").rglob("*") if path.is_file()]


def test_a_copy_is_kept_once_under_its_digest(tmp_path):
    copies = Copies(tmp_path)
    copies.tidy()  # it needs no folder, and spares copies
    copies.keep(BODY)
    copies.keep(BODY)
    copies.tidy()
    assert _left(tmp_path) == [DIGEST]
    assert (copies.has(DIGEST), copies.read(DIGEST), copies.read("00")) == (True, BODY, b"")


def test_a_full_disk_leaves_no_temporary_file(tmp_path, monkeypatch):
    def is_full(_descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", is_full)
    with pytest.raises(StoreUnwritable, match="No space left on device"):
        Copies(tmp_path).keep(BODY)
    assert _left(tmp_path) == []


@pytest.mark.slow
def test_what_a_killed_process_left_is_deleted_and_what_a_living_one_writes_stays(tmp_path):
    folder = tmp_path / "files" / DIGEST[:2]
    folder.mkdir(parents=True)
    (folder / "tmpabcd").write_bytes(b"of an earlier release")
    with subprocess.Popen(
        [sys.executable, "-c", _WRITES, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        process.stdout.readline()
        assert len(_left(tmp_path)) == 2
        Copies(tmp_path).tidy()
        assert len(_left(tmp_path)) == 1
        process.kill()
        process.wait()
    assert len(_left(tmp_path)) == 1
    Copies(tmp_path).tidy()
    assert _left(tmp_path) == []
