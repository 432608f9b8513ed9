"""The sandbox: what is shut in can compute and read its own folders; the filter of system calls is interpreted here."""

import errno
import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from gateway.core import sandbox
from tests.rows import each_row

KILL, REFUSE, UNKNOWN, ALLOW = 0x80000000, 0x50000 | errno.EPERM, 0x50000 | errno.ENOSYS, 0x7FFF0000
X86, ARM = 0xC000003E, 0xC00000B7
PROCESS = 4711


def verdict(machine: str, architecture: int, call: int, *arguments: int, with_threads: bool = False) -> int:
    """Return what the filter says of one system call, as the kernel would run it."""
    program = list(struct.iter_unpack("HBBI", sandbox.seccomp_program(machine, PROCESS, with_threads=with_threads)))
    data = struct.pack("IIQ6Q", call, architecture, 0, *arguments, *[0] * (6 - len(arguments)))
    place, held = 0, 0
    while True:
        code, if_true, if_false, value = program[place]
        place += 1
        if code == 0x20:
            held = struct.unpack_from("I", data, value)[0]
        elif code == 0x15:
            place += if_true if held == value else if_false
        elif code == 0x45:
            place += if_true if held & value else if_false
        else:
            assert code == 0x06
            return value


@pytest.mark.parametrize(
    ("machine", "architecture", "read", "openat", "socket", "signal"),
    [("x86_64", X86, 0, 257, 41, 234), ("aarch64", ARM, 63, 56, 198, 131)],
)
def test_filter_allows_reading_and_refuses_all_that_reaches_out(machine, architecture, read, openat, socket, signal):
    assert verdict(machine, architecture, read) == ALLOW
    assert verdict(machine, architecture, openat, 0, 0, os.O_RDONLY | os.O_CLOEXEC) == ALLOW
    assert verdict(machine, architecture, openat, 0, 0, os.O_RDWR) == REFUSE
    assert verdict(machine, architecture, openat, 0, 0, os.O_RDONLY | os.O_CREAT) == REFUSE
    assert verdict(machine, architecture, signal, PROCESS, PROCESS, 6) == ALLOW
    assert verdict(machine, architecture, signal, 1, 1, 9) == REFUSE
    assert verdict(machine, architecture, socket) == REFUSE
    assert verdict(machine, architecture, 435) == UNKNOWN, "glibc must fall back to the older call, which is refused"


@each_row("call", [41, 56, 57, 58, 59, 62, 82, 87, 90, 101, 160, 302, 321, 322, 425, 1 << 30 | 41])
def test_filter_refuses_processes_names_modes_tracing_limits_and_other_tables(call: int) -> None:
    assert verdict("x86_64", X86, call) == REFUSE


@pytest.mark.parametrize(("machine", "architecture", "clone"), [("x86_64", X86, 56), ("aarch64", ARM, 220)])
def test_filter_allows_threads_where_they_are_asked_for_and_never_processes(machine, architecture, clone):
    thread, process = 0x3D0F00, 0x1200011  # as glibc calls clone(2) for a thread, and for fork
    assert verdict(machine, architecture, clone, thread) == REFUSE
    assert verdict(machine, architecture, clone, thread, with_threads=True) == ALLOW
    assert verdict(machine, architecture, clone, process, with_threads=True) == REFUSE


@pytest.mark.parametrize(("machine", "architecture", "fcntl"), [("x86_64", X86, 72), ("aarch64", ARM, 25)])
def test_filter_refuses_to_name_a_process_that_gets_the_signals_of_a_pipe(machine, architecture, fcntl):
    assert verdict(machine, architecture, fcntl, 0, 1030) == ALLOW, "F_DUPFD_CLOEXEC"
    for command in (4, 8, 10, 15):  # F_SETFL (for O_ASYNC), F_SETOWN, F_SETSIG, F_SETOWN_EX
        assert verdict(machine, architecture, fcntl, 0, command) == REFUSE


def test_filter_kills_what_calls_by_the_numbers_of_another_machine() -> None:
    assert verdict("x86_64", 0x40000003, 0) == KILL


@pytest.mark.slow
def test_sandboxed_child_cannot_read_a_secret_nor_write_nor_connect(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("1234567890")
    layers, could = sandbox.in_force(secret)
    assert could == []
    assert layers[-1] == "seccomp"
    assert [path.name for path in tmp_path.iterdir()] == ["secret"]


@pytest.mark.slow
@pytest.mark.needs("bwrap")
def test_bubblewrap_stands_in_where_the_kernel_has_no_landlock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The child is Python itself, so that nothing but bubblewrap is between it and the secret."""
    secret = tmp_path / "secret"
    secret.write_text("1234567890")
    monkeypatch.setattr(sandbox, "landlock_version", lambda: 0)
    sandbox._bubblewrap.cache_clear()
    line = sandbox.command("gateway.core.sandbox", str(secret))
    sandbox._bubblewrap.cache_clear()
    wrapped = line[: line.index(sys.executable)]
    assert wrapped[0].endswith("bwrap")
    reads = [*wrapped, sys.executable, "-I", "-c", f"open({str(secret)!r}).read()"]
    assert b"FileNotFoundError" in subprocess.run(reads, env={}, check=False, capture_output=True).stderr
    assert subprocess.run(line, env={}, check=True, capture_output=True).stdout.startswith(b'{"in_force"')
