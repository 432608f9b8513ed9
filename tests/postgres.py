"""A PostgreSQL cluster for the tests of one session, and a database of its own for each test.

It needs nothing but the programs of the server (`apt install postgresql`) and psycopg; without them, these tests are
skipped, and say why. No server that runs already is used.
"""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest

_PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: int(folder.parent.name))
_LEAST_VERSION = 15
# A cluster that lives for minutes, also where `/dev/shm` is small.
_SETTINGS = "-c fsync=off -c max_connections=200 -c autovacuum=off -c dynamic_shared_memory_type=mmap"


def _missing() -> str:
    """Return what this machine lacks; an empty string if it lacks nothing."""
    if not _PROGRAMS or int(_PROGRAMS[-1].parent.name) < _LEAST_VERSION:
        return "PostgreSQL 15 is missing (`apt install postgresql`)"
    try:
        import psycopg  # noqa: F401, PLC0415 - an extra
    except ImportError:
        return "psycopg is missing (`pip install .[postgres]`)"
    return ""


class Cluster:
    """A running server; with a `source`, a replica of it; with `is_durable`, one that waits for the disk."""

    def __init__(self, folder: Path, source: Cluster | None = None, *, is_durable: bool = False) -> None:
        self._folder, self._numbers = folder, count(1)
        self._templates: dict[Callable[[str], None], str] = {}
        self._user: dict[str, Any] = {}
        if not os.getuid():  # the server refuses root
            known = {entry.pw_name for entry in pwd.getpwall()}
            name = "postgres" if "postgres" in known else "nobody"
            shutil.chown(folder, name)
            self._user = {"user": name, "group": pwd.getpwnam(name).pw_gid, "extra_groups": []}
        making = "initdb -A trust -U tests --locale=C.UTF-8 -E UTF8"
        if source is not None:
            making = f"pg_basebackup -R --checkpoint=fast -d {source.url('postgres')}"
        self._run(*making.split(), "--no-sync", "-D", str(folder / "data"))
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            self._port = taken.getsockname()[1]
        settings = "" if is_durable else _SETTINGS
        self._options = f"-p {self._port} -k {folder} -c listen_addresses='' {settings}"
        self._control("start", "-o", self._options)

    def _run(self, program: str, *arguments: str) -> None:
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
        done = subprocess.run(
            [_PROGRAMS[-1] / program, *arguments],
            check=False,
            env=environment,
            cwd="/",
            capture_output=True,
            **self._user,
        )
        assert not done.returncode, done.stderr.decode()

    def _control(self, *arguments: str) -> None:
        log = str(self._folder / "log")
        subprocess.run(
            [_PROGRAMS[-1] / "pg_ctl", "-w", "-D", self._folder / "data", "-l", log, *arguments],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            check=True,
            **self._user,
        )

    def promote(self) -> None:
        self._control("promote")

    def stop(self) -> None:
        self._control("stop", "-m", "immediate")

    def url(self, database: str) -> str:
        return f"postgresql://tests@/{database}?host={self._folder}&port={self._port}"

    def run(self, statement: str, database: str = "postgres") -> None:
        import psycopg  # noqa: PLC0415 - an extra

        with psycopg.connect(self.url(database), autocommit=True) as connection:
            connection.execute(statement)

    def database(self, make: Callable[[str], None]) -> str:
        """Return the URL of a new database with what a function makes in one, which it does once."""
        name = f"test_{next(self._numbers)}"
        if make not in self._templates:
            self._templates[make] = f"template_{name}"
            self.run(f"create database template_{name}")
            make(self.url(f"template_{name}"))
        self.run(f"create database {name} template {self._templates[make]} strategy file_copy")
        return self.url(name)


@contextmanager
def running(source: Cluster | None = None, *, is_durable: bool = False) -> Iterator[Cluster]:
    """Start a server, or a replica of another one, for the block."""
    if missing := _missing():
        pytest.skip(f"because {missing}, so nothing was tested on PostgreSQL")
    folder = Path(tempfile.mkdtemp(prefix="tests-postgres-"))
    try:
        cluster = Cluster(folder, source, is_durable=is_durable)
        try:
            yield cluster
        finally:
            cluster.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


only_files = pytest.mark.parametrize("server", ["sqlite"], indirect=True)  # a promise about files


@pytest.fixture(params=["sqlite", "postgres"])
def server(request: pytest.FixtureRequest) -> str:
    """Return the URL of a database with empty searches, users and subscriptions; it is empty for those of a folder."""
    if request.param == "sqlite":
        return ""
    url: str = request.getfixturevalue("postgres")(make_schemas)
    return url


def make_schemas(url: str) -> None:
    """Make what `server` has in a database."""
    from tests.opening import open_discovery, open_subscriptions, open_users  # noqa: PLC0415 - few tests need it

    open_discovery(Path(), url=url).close()
    for made in (open_users(Path(), url), open_subscriptions(Path(), url)):
        made.all()
        made.close()


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """Return the server of the session."""
    with running() as cluster:
        yield cluster


@pytest.fixture(scope="session")
def postgres(cluster: Cluster) -> Callable[[Callable[[str], None]], str]:
    """Return a function that makes a database and returns its URL."""
    return cluster.database
