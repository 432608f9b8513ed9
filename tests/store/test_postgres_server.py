"""A PostgreSQL database that cannot be used is refused in one sentence, and nothing is written; or it is away."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

import psycopg
import pytest
from click.testing import CliRunner

from gateway.cli.main import main as gateway
from gateway.core import waiting
from gateway.core.errors import ConfigurationError, StoreBusy, StoreTooNew
from gateway.core.settings import load
from gateway.store.base import Databases
from gateway.store.postgres import server
from tests.applications import application
from tests.opening import settings_of
from tests.postgres import Cluster, running


@pytest.fixture
def empty(postgres: Callable[..., str]) -> str:
    """Return the URL of a database without anything."""
    return postgres(_nothing)


def _nothing(_url: str) -> None:
    """Leave a database empty."""


def _made(url: str) -> None:
    """Make a store and an inbox in a database."""
    settings = settings_of(Path("/nowhere"), url)
    for database in (Databases(settings).store(create=True), Databases(settings).inbox(create=True)):
        database.close()


@pytest.fixture
def url(postgres: Callable[..., str]) -> str:
    return postgres(_made)


def _as(url: str, role: str) -> str:
    return url.replace("//tests@", f"//{role}@")


def _schemas(url: str) -> set[str]:
    with psycopg.connect(url) as connection:
        return {name for (name,) in connection.execute("select nspname from pg_namespace where nspname !~ '^pg_'")}


def _refused(url: str) -> str:
    """Return the sentence with which the database is refused."""
    server.checked.cache_clear()
    with pytest.raises(ConfigurationError) as caught:
        Databases(settings_of(Path("/nowhere"), url)).store(create=True)
    return str(caught.value)


def test_a_database_of_another_kind_is_refused_before_anything_is_written(cluster, empty, url, monkeypatch) -> None:
    cluster.run("create database latin encoding latin1 template template0 locale 'C'")
    cluster.run("create role weak login")
    assert "has the encoding LATIN1" in _refused(cluster.url("latin"))
    assert "the role weak may not create any" in _refused(_as(empty, "weak"))
    assert "does not own: inbox, store" in _refused(_as(url, "weak"))
    monkeypatch.setattr(server, "_LEAST_VERSION", 99)
    assert "99 or newer is needed" in _refused(empty)
    assert _schemas(empty) == {"public", "information_schema"}


def test_a_pooler_that_shares_sessions_is_refused(empty, monkeypatch) -> None:
    """Two clients of PgBouncer in its transaction mode have one session."""
    with closing(server.connected(empty)) as shared:
        monkeypatch.setattr(server, "connected", lambda _url: shared)
        assert "pool_mode = session" in _refused(empty)


@pytest.mark.slow
def test_a_replica_is_refused_as_the_store(cluster) -> None:
    with running(source=cluster) as replica:
        assert "is a replica" in _refused(replica.url("postgres"))


def test_without_the_driver_the_extra_is_named(tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "gateway.store.postgres.server", None)
    monkeypatch.delattr("gateway.store.postgres.server")
    with pytest.raises(ConfigurationError, match="extra `postgres`"):
        Databases(settings_of(tmp_path, "postgresql://nobody@localhost/x")).inbox(create=True)


@pytest.mark.parametrize(
    "url",
    [
        "mysql://u:p4ss@h/d",
        "postgresql://u:p4/ss@127.0.0.1:9/d",
        "postgresql://u:1/p4@127.0.0.1:9/d",
        "postgresql://u:s@p4@127.0.0.1:9/d",
        "postgresql://u:p4ss@127.0.0.1:1/d?nonsense=p4",
    ],
)
def test_no_sentence_has_a_part_of_a_password(tmp_path, url) -> None:
    done = CliRunner().invoke(gateway, ["--instance", str(tmp_path / "new"), "init", "--store", url])
    assert done.exit_code == 2
    assert "p4" not in done.output
    assert not (tmp_path / "new").exists()


def test_the_url_is_no_value_that_is_shown(tmp_path) -> None:
    (tmp_path / "config.toml").write_text('store = "postgresql://u:p4ss@127.0.0.1:1/d"')
    for words in (["settings"], ["settings", "--json"], ["check"], ["clock"]):
        done = CliRunner().invoke(gateway, ["--instance", str(tmp_path), *words])
        assert "p4" not in done.output, done.output


def test_a_database_of_a_newer_release_is_refused(url) -> None:
    with psycopg.connect(url) as connection:
        connection.execute("insert into inbox.migration values ('9999_later')")
    with pytest.raises(StoreTooNew, match="9999_later"):
        Databases(settings_of(Path("/nowhere"), url)).inbox()


def test_two_repositories_cannot_have_one_database(tmp_path, url) -> None:
    other = settings_of(tmp_path, url, secret="the secret of another repository")
    with pytest.raises(ConfigurationError, match="another repository"):
        Databases(other).store()


def test_a_column_with_another_collation_is_named(url) -> None:
    with psycopg.connect(url) as connection:
        connection.execute('alter table inbox.page alter column source type text collate "und-x-icu"')
    with pytest.raises(Exception, match="column source of page has a collation other than C"):
        Databases(settings_of(Path("/nowhere"), url)).inbox()


# --- A server that is away -------------------------------------------------------------------------------------------


@contextmanager
def _away(cluster: Cluster, url: str) -> Iterator[None]:
    """Let a database take no connections inside the block, and end all."""
    name = urlsplit(url).path.strip("/")
    cluster.run(f"alter database {name} allow_connections false")
    cluster.run(f"select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '{name}'")
    try:
        yield
    finally:
        cluster.run(f"alter database {name} allow_connections true")


@pytest.fixture
def patient(monkeypatch) -> None:
    """Let this process be a command again after the test, whatever it served."""
    monkeypatch.setattr(waiting, "_patience", [waiting.PATIENCE_SECONDS])


def test_oai_answers_503_while_the_server_is_away_and_goes_on_afterwards(tmp_path, cluster, empty, patient) -> None:
    done = CliRunner().invoke(gateway, ["--instance", str(tmp_path / "new"), "init", "--store", empty])
    assert done.exit_code == 0, done.output
    with application(tmp_path / "new") as app:
        client = app.test_client()
        assert client.get("/oai?verb=Identify").status_code == 200
        with _away(cluster, empty):
            answer = client.get("/oai?verb=Identify")
            assert (answer.status_code, answer.headers["Retry-After"]) == (503, "60")
        assert client.get("/oai?verb=Identify").status_code == 200


def test_a_command_waits_for_a_server_that_is_away(cluster, url, patient) -> None:
    with closing(Databases(settings_of(Path("/nowhere"), url)).inbox()) as inbox:
        with _away(cluster, url):
            work = Thread(target=lambda: (inbox.last_number(), inbox.number_behind(7)))
            work.start()
            time.sleep(0.5)
            assert work.is_alive()
        work.join(20)
        assert inbox.last_number() == 7


def test_a_process_that_answers_requests_does_not_wait(cluster, url, patient) -> None:
    with closing(Databases(settings_of(Path("/nowhere"), url)).inbox()) as inbox, _away(cluster, url):
        waiting.answer_at_once()
        with pytest.raises(StoreBusy, match="does not answer"):
            inbox.last_number()


def test_a_database_is_there_as_soon_as_it_is_made(tmp_path, url) -> None:
    settings = load(tmp_path, {}, {"store": url, "secret": "a secret of the tests"})
    assert Databases(settings).has("inbox.sqlite")
    assert not Databases(settings).has("discovery.sqlite")


def test_a_server_that_has_answered_is_waited_for_and_another_one_not(monkeypatch) -> None:
    away = psycopg.OperationalError("connection refused")
    answers = iter([away, None, away, away, None])

    def connected(_url: str) -> object:
        if (error := next(answers)) is not None:
            raise error
        return object()

    monkeypatch.setattr(server, "connected", connected)
    monkeypatch.setattr(server, "_answered", set())
    monkeypatch.setattr(server, "_BETWEEN_TRIES_SECONDS", 0)
    monkeypatch.setattr(waiting, "_patience", [60.0])  # a test before may have been a web worker
    monkeypatch.setattr(waiting, "_parents", [])
    with pytest.raises(StoreBusy, match="does not answer"):
        server.reached("postgresql://x/y")
    for _ in range(2):
        server.reached("postgresql://x/y")
    assert next(answers, "all were asked for") == "all were asked for"
