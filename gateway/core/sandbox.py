"""A sandbox for a child process that reads hostile bytes: the child can compute, read a few folders, and nothing else.

It has three layers, each used if it exists. Landlock allows no file outside of the given folders, no TCP, and no signal
to another process; the program bubblewrap may take its place. The layer seccomp has a list of allowed system calls.
Under Landlock, the child can still see whether other files exist, their sizes and their dates (stat). `gateway check`
starts a child and says which layers are in force. The child sets its resource limits itself.
"""

import ctypes
import errno
import os
import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

# linux/landlock.h. The three system calls have these numbers on every architecture.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_GET_VERSION = 1
_PATH_BENEATH = 1
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}  # by version: how many rights there are; from version 5 on 16
_TCP_RIGHTS = 0b11  # bind and connect, from version 4 on
_SCOPES = 0b11  # abstract UNIX sockets and signals, from version 6 on

# linux/prctl.h, linux/seccomp.h, linux/filter.h, linux/audit.h
_NO_NEW_PRIVILEGES, _SECCOMP, _FILTER = 38, 22, 2
_KILL, _ERRNO, _ALLOW = 0x80000000, 0x00050000, 0x7FFF0000
_LOAD, _EQUAL, _ANY_BIT, _RETURN = 0x20, 0x15, 0x45, 0x06
_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC

# The system calls that a Python process needs to compute, to read files, and to end: (x86_64, aarch64).
_CALLS = {
    "read": (0, 63), "write": (1, 64), "close": (3, 57), "stat": (4, None), "fstat": (5, 80), "lstat": (6, None),
    "poll": (7, None), "lseek": (8, 62), "mmap": (9, 222), "mprotect": (10, 226), "munmap": (11, 215),
    "brk": (12, 214), "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139),
    "pread64": (17, 67), "readv": (19, 65), "writev": (20, 66), "access": (21, None), "sched_yield": (24, 124),
    "mremap": (25, 216), "madvise": (28, 233), "dup": (32, 23), "nanosleep": (35, 101), "getpid": (39, 172),
    "exit": (60, 93), "uname": (63, 160), "getdents": (78, None), "getcwd": (79, 17),
    "readlink": (89, None), "gettimeofday": (96, 169), "getrusage": (98, 165), "sysinfo": (99, 179),
    "times": (100, 153), "getuid": (102, 174), "getgid": (104, 176), "geteuid": (107, 175), "getegid": (108, 177),
    "sigaltstack": (131, 132), "arch_prctl": (158, None), "gettid": (186, 178), "time": (201, None),
    "futex": (202, 98), "sched_getaffinity": (204, 123), "getdents64": (217, 61), "set_tid_address": (218, 96),
    "restart_syscall": (219, 128), "clock_gettime": (228, 113), "clock_getres": (229, 114),
    "clock_nanosleep": (230, 115), "exit_group": (231, 94), "newfstatat": (262, 79), "readlinkat": (267, 78),
    "faccessat": (269, 48), "ppoll": (271, 73), "set_robust_list": (273, 99), "getrandom": (318, 278),
    "membarrier": (324, 283), "statx": (332, 291), "rseq": (334, 293), "faccessat2": (439, 439),
}  # fmt: skip
# The calls that are allowed only with some arguments: the numbers of the calls.
_OPEN, _OPENAT, _SIGNAL, _FCNTL = (2, None), (257, 56), (234, 131), (72, 25)
_CLONE, _CLONE_THREAD = (56, 220), 0x10000  # linux/sched.h: without this flag, clone(2) makes a process
# Of fcntl(2): F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC. With others, a pipe can send signals to any process.
_FCNTL_COMMANDS = (0, 1, 2, 3, 1030)
# glibc uses older calls if these do not exist.
_UNKNOWN = ((435, 435), (437, 437))  # clone3, openat2

_PROOF_SECONDS = 60
_NO_START = "The process that reads foreign PDF files cannot start here ({}), so no file can be checked."


def enter(readable: Sequence[Path], *, with_threads: bool = False) -> list[str]:
    """Restrict this process until its end: it can open only files below `readable`, and only for reading.

    Return the names of the layers in force. Import everything before; the restriction cannot be undone. It holds for
    threads that begin later, which only `with_threads` allows.
    """
    library = ctypes.CDLL(None, use_errno=True)
    if library.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
        return []
    landlock = _enter_landlock(library, readable)
    return [name for name in (landlock, _enter_seccomp(library, with_threads=with_threads)) if name]


def _enter_landlock(library: ctypes.CDLL, readable: Sequence[Path]) -> str:
    version = landlock_version()
    if version < 1:
        return ""
    rights = (1 << _FILE_RIGHTS.get(version, 16)) - 1
    asked = struct.pack("QQQ", rights, _TCP_RIGHTS, _SCOPES)[: 8 * (1 + (version > 3) + (version > 5))]  # noqa: PLR2004
    ruleset = library.syscall(_CREATE_RULESET, asked, ctypes.c_size_t(len(asked)), 0)
    if ruleset < 0:
        return ""
    for path in readable:
        folder = os.open(path, os.O_PATH | os.O_CLOEXEC)
        rule = struct.pack("=Qi", (_READ_FILE | _READ_DIR) if path.is_dir() else _READ_FILE, folder)
        failed = library.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, rule, 0)
        os.close(folder)
        if failed:
            raise OSError(ctypes.get_errno(), "Landlock refuses the rule for", str(path))
    failed = library.syscall(_RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)
    return "" if failed else f"Landlock (version {version})"


@cache
def landlock_version() -> int:
    """Return the version of Landlock that this kernel has; 0: none."""
    library = ctypes.CDLL(None, use_errno=True)
    version: int = library.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _GET_VERSION)
    return max(0, version)


def _enter_seccomp(library: ctypes.CDLL, *, with_threads: bool) -> str:
    program = seccomp_program(os.uname().machine, os.getpid(), with_threads=with_threads)
    if not program:
        return ""
    code = ctypes.create_string_buffer(program, len(program))
    head = struct.pack("HxxxxxxP" if struct.calcsize("P") > 4 else "HxxP", len(program) // 8, ctypes.addressof(code))  # noqa: PLR2004
    return "" if library.prctl(_SECCOMP, _FILTER, head, 0, 0) else "seccomp"


def seccomp_program(machine: str, process: int, *, with_threads: bool = False) -> bytes:
    """Return the filter for a machine as `uname -m` names it, empty for one that has no table here.

    `process` is the id of the one process that may be sent a signal: itself, as `abort` does. `with_threads` allows
    threads, and no processes.
    """
    if machine not in _ARCHITECTURES:
        return b""
    column = list(_ARCHITECTURES).index(machine)
    steps = [_step(_LOAD, 4), _step(_EQUAL, _ARCHITECTURES[machine], 1, 0), _step(_RETURN, _KILL), _step(_LOAD, 0)]
    for call in _CALLS.values():
        steps += _when(call[column], [_step(_RETURN, _ALLOW)])
    for call, place in ((_OPEN, 1), (_OPENAT, 2)):
        steps += _when(
            call[column], [_argument(place), _step(_ANY_BIT, _WRITING, 1, 0), _step(_RETURN, _ALLOW), _REFUSED]
        )
    steps += _when(_SIGNAL[column], [_argument(0), _step(_EQUAL, process, 0, 1), _step(_RETURN, _ALLOW), _REFUSED])
    if with_threads:
        steps += _when(
            _CLONE[column], [_argument(0), _step(_ANY_BIT, _CLONE_THREAD, 0, 1), _step(_RETURN, _ALLOW), _REFUSED]
        )
    allowed = [step for command in _FCNTL_COMMANDS for step in _when(command, [_step(_RETURN, _ALLOW)])]
    steps += _when(_FCNTL[column], [_argument(1), *allowed, _REFUSED])
    for call in _UNKNOWN:
        steps += _when(call[column], [_step(_RETURN, _ERRNO | errno.ENOSYS)])
    return b"".join([*steps, _REFUSED])


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("HBBI", code, if_true, if_false, value)


_REFUSED = _step(_RETURN, _ERRNO | errno.EPERM)


def _argument(place: int) -> bytes:
    """Return the step that loads the lower half of an argument, on machines with the lower half first."""
    return _step(_LOAD, 16 + 8 * place)


def _when(number: int | None, steps: list[bytes]) -> list[bytes]:
    return [] if number is None else [_step(_EQUAL, number, 0, len(steps)), *steps]


# --- the child, from outside ---------------------------------------------------------------------------------------


def command(module: str, *arguments: str, readable: Sequence[Path] = ()) -> list[str]:
    """Return the command line that runs `main` of a module in a new Python, which ignores the environment.

    It begins with bubblewrap if Landlock is missing and bubblewrap is installed; then the child sees `readable` too.
    Start it with an empty environment.
    """
    code = (
        f"import sys; sys.path[:] = sys.argv.pop().split({os.pathsep!r}); from {module} import main; sys.exit(main())"
    )
    places = os.pathsep.join(str(Path(path).absolute()) for path in sys.path if path)
    line = [sys.executable, "-I", "-c", code, *arguments, places]
    wrapped = _bubblewrap()
    binds = [word for path in readable for word in ("--ro-bind", str(path), str(path))] if wrapped else []
    return [*wrapped, *binds, *line]


@cache
def _bubblewrap() -> tuple[str, ...]:
    import shutil  # noqa: PLC0415 - as in `in_force`
    import subprocess  # noqa: PLC0415

    program = None if landlock_version() else shutil.which("bwrap")
    if program is None:
        return ()
    line = (program, *_bubblewrap_options())
    works = subprocess.run([*line, sys.executable, "-I", "-c", ""], env={}, capture_output=True, check=False)  # noqa: S603
    return line if not works.returncode else ()


def _bubblewrap_options() -> Iterator[str]:
    yield from ("--unshare-all", "--die-with-parent", "--new-session", "--clearenv")
    needed = [Path(path) for path in ("/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache")]
    needed += [Path(path) for path in (sys.prefix, sys.base_prefix, *sys.path) if path]
    packages = [Path(__file__).parent.parent, Path(__file__).parent.parent.parent / "harvester"]
    roots = [path for path in needed if not (path / "pyproject.toml").exists()]  # a checkout has an instance folder
    for path in dict.fromkeys(root.absolute() for root in (*roots, *packages) if root.exists()):
        yield from ("--ro-bind", str(path), str(path))


def standard_library() -> Path:
    """Return the folder of the standard library of Python, from which some modules are imported late."""
    return Path(os.__file__).parent


# --- the proof -------------------------------------------------------------------------------------------------------


def in_force(secret: Path) -> tuple[list[str], list[str]]:
    """Start a child in the sandbox; return the layers in force, and the forbidden actions that it could still do.

    `secret` is a file that it must not be able to read; if it does not exist, another file is tried. Raise
    ChildProcessError if the child cannot start.
    """
    import json  # noqa: PLC0415 - the child that reads starts without

    from gateway.core import children  # noqa: PLC0415 - as above

    line = command(__name__, str(secret))
    with_bubblewrap = ["bubblewrap"] if line[0] != sys.executable else []
    try:
        ended = children.ask(line, b"", _PROOF_SECONDS)
    except OSError as error:  # this user may not run the interpreter itself
        raise ChildProcessError(_NO_START.format(error.strerror)) from error
    if ended.is_late:
        raise ChildProcessError(_NO_START.format(f"it takes more than {_PROOF_SECONDS} seconds"))
    if ended.status:
        raise ChildProcessError(_NO_START.format(f"status {ended.status}"))
    answer = json.loads(ended.output)
    return with_bubblewrap + answer["in_force"], answer["could"]


def main() -> int:
    """Enter the sandbox, try the forbidden actions, and print the result as JSON; return the exit status 0."""
    import json  # noqa: PLC0415 - as in `in_force`

    answer = {"in_force": enter([standard_library()]), "could": [name for name, deed in _DEEDS.items() if _could(deed)]}
    print(json.dumps(answer))  # noqa: T201 - this is the child's answer
    return 0


_FILE_OF_ALL = Path("/etc/passwd")  # every machine has it, and the child needs no folder with it


def _read(secret: str) -> None:
    file = Path(secret)
    (file if file.exists() else _FILE_OF_ALL).read_bytes()


def _write(secret: str) -> None:
    written = Path(f"{secret}.probe")
    written.write_bytes(b"")
    written.unlink()


def _connect(_: str) -> None:
    number = ctypes.CDLL(None).socket(1, 1, 0)  # AF_UNIX, SOCK_STREAM
    if number < 0:
        raise PermissionError
    os.close(number)


def _start(_: str) -> None:
    os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)


_DEEDS: dict[str, Callable[[str], None]] = {
    "read other files": _read,
    "write a file": _write,
    "open a socket": _connect,
    "start a program": _start,
}


def _could(deed: Callable[[str], None]) -> bool:
    try:
        deed(sys.argv[1])
    except OSError:
        return False
    return True
