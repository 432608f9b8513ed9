"""A small instance on which every command has something to do, and what it asks."""

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from hashlib import sha256, sha512
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gateway.core.model import (
    Alarm,
    Decision,
    FileRecheck,
    HubMode,
    HubRequest,
    Match,
    Offer,
    OfferOutcome,
    OfferWay,
    Outcome,
)
from gateway.fulltext.search_result import SearchResult
from gateway.fulltext.stored_search import search_as_json
from harvester.mirror.doubtful_files import Suspect
from harvester.mirror.inventory import Arrived
from harvester.mirror.object_state import HeldFile
from harvester.mirror.ocfl import Incoming
from harvester.mirror.open_folder import opened
from tests.commands.calls import ITEM, PROGRAMS, URL, line
from tests.commands.site import Site, serving
from tests.oai_repository import command, harvester, instance, repository  # noqa: F401 - fixtures
from tests.opening import open_discovery, open_subscribers

CONFIG = """
publish_processes = 0
fetch_retries = 0
fetch_backoff_seconds = 0.001
fetch_delay_seconds = 0
discover_delay_seconds = 0
files_keep = false
websub_url = "{site}/websub"
base_url = "http://repo.example.org/oai"
audit_crossref_url = "{site}/crossref"
audit_doi_url = "{site}/crossref"
"""
FRIENDS = "<BaseURLs><baseURL>{oai}</baseURL><baseURL>http://127.0.0.1:9/oai</baseURL></BaseURLs>"


@pytest.fixture(scope="session")
def shared_site() -> Iterator[Site]:
    """Serve what the commands ask, for all tests here."""
    with serving() as site:
        yield site


@pytest.fixture
def site(shared_site: Site) -> Iterator[Site]:
    """Return the site, which does what a test tells it and is well again afterwards."""
    yield shared_site
    shared_site.before = lambda _: False


def called(name: str, *arguments: str, tmp: Path, oai: str) -> Result:
    """Run a command in this process."""
    program, *words = line(name, arguments, tmp, oai)
    typed = "a password of this test\n" if "--password-stdin" in words else None
    result = CliRunner().invoke(PROGRAMS[program], words, input=typed)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture(scope="session")
def template(shared_site: Site, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the folders once: an instance with sources, a mirror, a dump, a package."""
    tmp = tmp_path_factory.mktemp("commands")
    oai = shared_site.oai

    def do(name: str, *arguments: str) -> None:
        assert called(name, *arguments, tmp=tmp, oai=oai).exit_code in (0, 3)

    do("gateway init", "--domain", "repo.example.org", "--email", "a@repo.example.org")
    with (tmp / "instance" / "config.toml").open("a") as config:
        config.write(CONFIG.format(site=shared_site.url))
    do("gateway user add", "Ada", "--password-stdin")
    do("harvester source add", "fake", "{oai}", "--every", "1s")
    do("harvester source add", "empty", "{oai}?a=1", "--no-check")
    do("harvester source add", "rs", f"{shared_site.url}/rs/list.xml", "--kind", "resourcesync", "--no-check")
    do("harvester source subscribe", "rs", "--wait", "0")
    with closing(open_subscribers(tmp / "instance")) as subscribers:
        subscribers.store_request(
            HubRequest("http://a.example/", "http://b.example/", HubMode.SUBSCRIBE, "", 9, "", 1, 1), 9, 9
        )
        subscribers.confirm_request(1, 10**10)
        subscribers.store_request(
            HubRequest("http://127.0.0.1/", "http://b.example/", HubMode.SUBSCRIBE, "", 9, "", 1, 1), 9, 9
        )
    do("harvester run", "fake")
    do("harvester discover")
    do("harvester dump", "{oai}", "{tmp}/dump.xml")
    do("harvester takedown add", "withdrawn.example.org")
    do("harvester graph export", "{tmp}/graph")
    do("harvester graph load", "{tmp}/graph")
    (tmp / "package").mkdir()
    shutil.copy(tmp / "dump.xml", tmp / "package")
    do("harvester mirror run", "{oai}", "{tmp}/mirror", "--format", "mods", "--allow", "127.0.0.1")
    next((tmp / "mirror" / "ocfl").rglob("document.xml")).unlink()
    (tmp / "bad.txt").write_text("Not found")
    arrived = Arrived(sha512(b"Not found").hexdigest(), sha256(b"Not found").hexdigest())
    file = HeldFile(url="http://e.org/a.txt", sha512=arrived.sha512, sha256=arrived.sha256)
    bad = Incoming(tmp / "bad.txt", arrived)
    suspect = Suspect(file, bad, "error_message", "It reads like an error message.")
    opened(tmp / "mirror").doubtful.keep("oai:e.org:1", {"files/a.txt": suspect}, 0)
    do("gateway backup", "{tmp}/backup")
    (tmp / "friends.xml").write_text(FRIENDS.format(oai=oai))
    _decide(tmp / "instance")
    with closing(sqlite3.connect(tmp / "instance" / "inbox.sqlite")) as inbox, inbox:  # so that `tend` finds it due
        inbox.execute("update run set started_at = started_at - 3600, ended_at = ended_at - 3600")
    return tmp


def _decide(folder: Path) -> None:
    """Decide on a file of an item whose DOI was matched."""
    discovery = open_discovery(folder)
    match = Match("crossref", "10.1234/own", "A title", 1.0, "Rossi", "2012")
    lease = discovery.lease(1, 60, identifier=ITEM)
    assert lease is not None
    assert discovery.done(lease, "success", search_as_json(SearchResult(Outcome.SUCCESS, matches=(match,))), 2)
    discovery.store_offer(Offer(ITEM, "cd" * 32, OfferWay.INBOX, "fake", OfferOutcome.CREATED, 1, 1, status=201))
    discovery.decide(Decision(ITEM.replace("00001", "00002"), URL, "cd" * 32, "review", "It waits.", "rule", 1))
    for at, verdict in enumerate(("accept", "reject"), 1):
        discovery.decide(Decision(ITEM, URL, "ab" * 32, verdict, "It is so.", "a person", at))
    discovery.rechecks.publish(
        {ITEM: [FileRecheck(ITEM, "http://127.0.0.1:9/a.pdf", "fake", "127.0.0.1", "ef" * 32, True, 0)]}
    )
    discovery.enlist("fake", (), 1 << 40, 1, "fake published")  # so that it stays, though no record names it
    discovery.open_alarm(
        Alarm(0, "fake", "core", "api.example.org", "step", 1, {"success": 90}, {"timeout": 40}, (ITEM,))
    )
    discovery.acknowledge_alarm(1, 2, "a person", "They know it.")
    discovery.close()


@pytest.fixture
def fresh(template: Path, tmp_path: Path) -> Callable[[], Path]:
    """Return a function that returns a new copy of the folders."""
    count = iter(range(1000))

    def copied() -> Path:
        return shutil.copytree(template, tmp_path / str(next(count)), symlinks=True)

    return copied
