"""Our two commands as processes, as an administrator runs them: for tests and benches that want the live thing."""

import ctypes
import os
import random
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

COMMANDS = Path(sys.executable).parent
_CAPBSET_DROP, _DAC_OVERRIDE = 24, 1  # prctl(2), capabilities(7)
_CAPABILITIES_VERSION = 0x20080522  # capget(2)
_PATIENCE_SECONDS = 240.0  # a busy machine is no defect


class Server(NamedTuple):
    """A running `gateway serve`: its base URL, and the number of its first process, whose children are the workers."""

    url: str
    process: int


def free_port() -> int:
    """Return a port of loopback that nobody uses now.

    It is none of those that the system gives to whoever asks for any: one of these could be gone in a moment.
    """
    while True:
        port = random.SystemRandom().randrange(20_000, 32_000)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


def await_server(port: int) -> None:
    """Return when somebody listens on a port of loopback."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        else:
            return


def like_others() -> None:
    """Take from root what lets it write files that are read-only; others have never had it, and this does nothing.

    For `preexec_fn`: what root may do is taken from a program only when it is started.
    """
    ctypes.CDLL(None).prctl(_CAPBSET_DROP, _DAC_OVERRIDE, 0, 0, 0)


def write_like_others() -> None:
    """Take from this process, for good, what lets root write files that are read-only; it remains who it is."""
    library = ctypes.CDLL(None)
    head, held = struct.pack("Ii", _CAPABILITIES_VERSION, 0), ctypes.create_string_buffer(24)
    library.capget(head, held)
    effective, *others = struct.unpack("6I", held.raw)
    library.capset(head, struct.pack("6I", effective & ~(1 << _DAC_OVERRIDE), *others))


def command(name: str, folder: Path, *arguments: str) -> list[str]:
    """Return the command line of `gateway` or `harvester` on an instance folder."""
    return [str(COMMANDS / name), "--instance", str(folder), *arguments]


def called(
    name: str, folder: Path, *arguments: str, is_measured: bool = True, **settings: object
) -> subprocess.CompletedProcess[str]:
    """Run `gateway` or `harvester` to its end and return how it ended; `settings` come from the environment.

    `is_measured`: whether what it covers counts; that it is counted doubles the time of those with much to do.
    """
    surroundings = environment(settings) if is_measured else unmeasured(environment(settings))
    return subprocess.run(
        command(name, folder, *arguments), env=surroundings, text=True, capture_output=True, check=False
    )


def environment(settings: Mapping[str, object]) -> dict[str, str]:
    """Return this process's environment with settings in it."""
    return {**os.environ, **{f"GATEWAY_{name.upper()}": str(value) for name, value in settings.items()}}


def unmeasured(surroundings: Mapping[str, str]) -> dict[str, str]:
    """Return an environment in which coverage is not measured."""
    return {name: value for name, value in surroundings.items() if not name.startswith("COVERAGE")}


def instance(folder: Path, sources: Mapping[str, tuple[str, tuple[str, ...]]]) -> Path:
    """Make an instance whose sources have these names, addresses and formats; return its folder."""
    done = called("gateway", folder, "init", "--domain", "live.example.org")
    assert done.returncode == 0, done.stderr
    tables = (f"[{name}]\nurl = '{url}'\nformats = {list(formats)}\n" for name, (url, formats) in sources.items())
    (folder / "sources.toml").write_text("\n".join(tables))
    return folder


@contextmanager
def served(folder: Path, *words: str, **settings: object) -> Iterator[Server]:
    """Serve an instance on a free port of loopback as long as the context lasts; `words` are more options."""
    with subprocess.Popen(
        command("gateway", folder, "serve", "--host", "127.0.0.1", "--port", "0", *words),
        env=environment(settings),
        text=True,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stderr is not None
        lines = []
        for line in process.stderr:
            lines.append(line)
            if "Serving " in line:  # in an object, where log_json is on
                break
        assert lines, "gateway serve said nothing"
        assert "Serving " in lines[-1], "".join(lines)
        try:
            yield Server(lines[-1].partition("Serving ")[2].split()[0], process.pid)
        finally:
            process.terminate()
            process.communicate()
