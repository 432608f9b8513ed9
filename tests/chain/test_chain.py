"""Gateway behind gateway, and a mirror behind them: titles, files, DOIs, sets and datestamps are equal each round.

The hub of the first gateway notifies the second one of each round of changes, which is harvested over OAI-PMH then.
"""

import os
import random
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

from gateway.core import settings as gateway_settings
from gateway.core.clock import CEILING_SECONDS
from gateway.core.model import FileLink, FileOrigin, ItemState, Selection
from gateway.core.names import upstream_identifier
from gateway.core.takedown_file import TakedownFile
from gateway.core.takedowns import Kind, Takedown
from gateway.core.xmltext import utc_datetime
from gateway.pages.item_places import Places
from gateway.pages.site import Site, style_sheet
from gateway.publish.descriptions import metadata_of
from gateway.publish.publish_files import file_all
from gateway.publish.step import EPOCH_FACT
from gateway.resourcesync.addresses import Addresses, ResourceSet
from gateway.resourcesync.keeping import Keep, Keeper, kept_files
from gateway.resourcesync.site_resources import SiteResources
from gateway.takedowns.apply import apply_takedowns
from harvester.cli import main
from harvester.harvest.instance import Instance, sources_file
from harvester.http.messages import Fetched, Request
from harvester.runtime.exit_status import Status
from harvester.runtime.interrupts import Stop
from harvester.schedule.hub.rounds import Rounds
from harvester.sources import Channel, Options, kind_of
from tests import live
from tests.applications import application
from tests.faults.launcher import launching
from tests.opening import open_store, open_subscribers, open_subscriptions
from tests.publish.harness import Harness, Sent, dc, make_databases
from tests.schedule.test_kept_files import Reports
from tests.seeds import SEED

ROUNDS = int(os.environ.get("CHAIN_ROUNDS", "3"))  # the whole proof has 20
WORKS = 40
STATEMENTS = 1_200  # of a run, about
LISTS = {"resourcesync_lists": "oai_dc oai_didl", "fetch_delay_seconds": 0, "oai_page_size": 7}
SETTINGS = {f"GATEWAY_{name.upper()}": str(value) for name, value in LISTS.items()}
# The sources of the second gateway: OAI-PMH, DIDLs of ResourceSync, and oai_dc with the links to files in its lists.
SOURCES = ("oai", "rs", "links")


class Work(NamedTuple):
    """A work as a gateway has it: of each file the address, and `supplement` after it if it is one.

    `datestamps` are those of the DIDL, here and in its outermost provenance.
    """

    title: str
    files: frozenset[str]
    doi: bool
    sets: frozenset[str]
    datestamps: tuple[str, str]


def works(folder: Path, source: str) -> Mapping[str, Work]:
    """Return the living works of a source of a gateway, by the name that the first gateway got them under."""
    found = {}
    with closing(open_store(folder, only_reads=True)) as store, store.view() as view:
        for resource in view.resources(Selection("oai_didl", f"source:{source}"), 0, 9_999, 9_999):
            record = view.record(resource.identifier, "oai_didl")
            assert record is not None
            text, name = record.content.decode(), upstream_identifier(resource.identifier).rpartition("/")[2]
            contents = view.contents(resource.item - 1, resource.item)
            specs = re.findall("<setSpec>source:([^<]*)</setSpec>", text)
            found[name] = Work(
                text.partition("<dc:title>")[2].partition("<")[0],
                frozenset(f"{content.url}{' supplement' * content.is_supplement}" for _, content in contents),
                f">https://doi.org/10.5555/{name}</dii:Identifier>" in text,
                frozenset(spec.rpartition(":")[2] for spec in specs),
                (utc_datetime(record.datestamp), "".join(re.findall("<datestamp>([^<]*)", text)[1:2])),
            )
    return found


@contextmanager
def first_gateway(folder: Path) -> Iterator[Harness]:
    folder.mkdir()
    make_databases(folder)
    assert live.called("gateway", folder, "init", "--domain", "gateway.example.org").returncode == 0
    harness = Harness(folder)
    with closing(harness.store), closing(harness.inbox):
        yield harness


@contextmanager
def file_server() -> Iterator[str]:
    class Files(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = f"The text of {self.path}".encode()
            self.send_response(200 if self.path.endswith(".txt") else 404)
            self.send_header("Content-Type", "text/plain")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Files) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def _with(files: tuple[FileLink, ...], _state: ItemState) -> tuple[FileLink, ...]:
    return files


def change(harness: Harness, dice: random.Random, round_: int, files_at: str) -> None:
    """Change titles, sets and files of some works, delete two, and take something down."""
    gone = dice.sample(range(WORKS), 2)  # more at once would wait for a person
    for number in sorted({*dice.sample(range(WORKS), WORKS if not round_ else dice.randint(1, WORKS // 2)), *gone}):
        payload = dc(f"Title {number} of round {round_}", f"<dc:identifier>doi:10.5555/{number}</dc:identifier>")
        sets = (f"set{dice.randrange(3)}",)
        harness.send(Sent(str(number), None if number in gone and round_ else payload, sets=sets))
    harness.publish()
    harness.now += dice.choice((1, 5, 90_000))
    for number in dice.sample(range(WORKS), 8):
        urls = [f"{files_at}/{number}.{round_}.{place}.txt" for place in range(dice.randrange(3))]
        files = tuple(FileLink(url, "text/plain", FileOrigin.DISCOVERED, "x") for url in urls)
        files = tuple(file._replace(is_supplement=dice.random() < 0.3) for file in files)
        file_all(harness.store, harness.inbox, "laro", (str(number),), partial(_with, files))
    harness.now += 10
    known = works(harness.folder, "laro")
    listed = sorted(url.partition(" ")[0] for work in known.values() for url in work.files)
    item = f"oai:gateway.example.org:laro/{dice.choice(sorted(known))}"
    url = dice.choice(listed).partition("://")[2]
    entry = dice.choice((Takedown(Kind.IDENTIFIER, item), Takedown(Kind.URL, url)))
    file = TakedownFile(harness.folder)
    file.change(lambda known: (*known, entry))
    apply_takedowns(harness.store, harness.inbox, file)
    harness.now += 10
    with (
        harness.store.view()
    ):  # the server, whose clock is years ahead, answers up to the ceiling of the last clock here
        pass


def settle(folder: Path) -> None:
    """Return when readers see the last change: the second of its datestamp is over."""
    while True:
        with closing(open_store(folder, only_reads=True)) as store, store.view() as view:
            if view.changed_until("oai_didl", 1 << 40) <= view.horizon:
                return
        time.sleep(0.05)


def keep_dumps(harness: Harness, site: str) -> None:
    """Do what `tend` does for the dumps of the first gateway, with the clock of the test."""
    places = Places(Site("A gateway", site, f"{site}/oai", "a@example.org", style_sheet("#1d4f91")))
    resources = SiteResources(Addresses(site), places.metadata_urls, metadata_of, page_url=places.page_urls)
    kept_of = kept_files(harness.folder, resources, harness.store, harness.store.fact(EPOCH_FACT))
    for prefix in ("oai_dc", "oai_didl"):
        one = ResourceSet(prefix)
        Keeper(harness.store, resources, Keep(9_999, 10**9, 1, 2), one, kept_of(one)).keep()


@contextmanager
def hub_of(harness: Harness, settings: Mapping[str, object]) -> Iterator[Rounds]:
    """Return the rounds in which the first gateway delivers what `tend` would."""
    unused: Any = None
    with closing(open_subscribers(harness.folder)) as subscribers:
        loaded = gateway_settings.load(harness.folder, {}, {name: str(value) for name, value in settings.items()})
        stored = (harness.store, harness.inbox, sources_file(harness.folder), unused, subscribers, unused, unused)
        yield Rounds(Instance(loaded, *stored), Reports(), Stop())


def subscribe(second: Path, hub: Rounds, callbacks: str) -> None:
    """Subscribe the second gateway at the hub of the first one."""
    settings = {**SETTINGS, "GATEWAY_WEBSUB_URL": callbacks}
    line = ["--instance", str(second), "source", "subscribe", "oai", "--wait", "0"]
    done = CliRunner().invoke(main, line, env=settings)
    assert (done.exit_code, hub.run()["subscribed"]) == (Status.WITH_ERRORS, 1), done.output


def notify(second: Path, hub: Rounds, told: str) -> None:
    """Deliver what has changed; the second gateway notes it, and would harvest the source."""
    began = int(time.time())
    assert hub.run()["delivered"] == 1, told
    with closing(open_subscriptions(second)) as subscriptions:
        (known,) = subscriptions.of_source("oai")
    assert known.notified_at >= began, told


def harvester(folder: Path, *arguments: str, tries: int = 1) -> None:
    """Run a command to its end; a run that leaves a record to the next one (status 3) is tried so often."""
    done = CliRunner().invoke(main, ["--instance", str(folder), *arguments], env=SETTINGS)
    if done.exit_code == Status.WITH_ERRORS and tries > 1:
        harvester(folder, *arguments, tries=tries - 1)
    elif done.exit_code:
        why = CliRunner().invoke(main, ["--instance", str(folder), "quarantine", arguments[1]], env=SETTINGS)
        raise AssertionError((arguments, done.output, why.output))


def add_sources(second: Path, url: str) -> None:
    site = url.removesuffix("/oai")
    harvester(second, "source", "add", "oai", url)
    harvester(second, "source", "add", "rs", site, "--kind", "resourcesync")
    listed = f"{site}/resourcesync/oai_dc/source/capabilitylist.xml"
    harvester(second, "source", "add", "links", site, "--kind", "resourcesync", "--set", listed)
    text = (second / "sources.toml").read_text()
    assert (text.count("oai_didl"), text.count("capabilitylist.xml")) == (3, 2), text


def compare(first: Path, second: Path, told: str) -> None:
    """Compare what the second gateway has over each way with what the first one has."""
    at_first = works(first, "laro")
    for source in SOURCES:
        at_second = works(second, source)
        assert at_second.keys() == at_first.keys(), (source, told)
        for name, work in at_second.items():
            before = at_first[name]
            assert work[:3] == before[:3], (source, name, told)
            if source == "oai":
                assert before.sets <= work.sets, (name, told)
                assert work.datestamps[1] == before.datestamps[0], (name, told)
            else:
                assert "laro" in work.sets, (source, name, told)


def mirrored(url: str, folder: Path, files_at: str) -> frozenset[str]:
    """Mirror a gateway; return the paths of the files that the mirror has."""
    allowed = [word for place in (url, files_at) for word in ("--allow", place.split("/")[2])]
    harvester(folder.parent, "mirror", url, str(folder), *allowed)
    bodies = (path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.stat().st_size < 200)
    return frozenset(body.decode().removeprefix("The text of ") for body in bodies if body.startswith(b"The text of "))


def follow(tmp_path: Path, rounds: int, *, has_mirror: bool) -> None:
    first, second, dice = tmp_path / "first", tmp_path / "second", random.Random(SEED)
    port = live.free_port()
    of_hub = {**LISTS, "base_url": f"http://127.0.0.1:{port}/oai", "hub_allow": "127.0.0.1"}
    live.instance(second, {})
    with (
        file_server() as files_at,
        first_gateway(first) as harness,
        live.served(first, "--port", str(port), **of_hub) as server,
        live.served(second, **LISTS) as last,
        hub_of(harness, of_hub) as hub,
        launching(tmp_path / "output", live.unmeasured(live.environment(LISTS))) as launcher,
    ):
        for round_ in range(rounds):
            told = f"round {round_} of TESTS_SEED={SEED}"
            change(harness, dice, round_, files_at)
            if round_ % 3 != 2:  # else the kept dumps are of an earlier state
                keep_dumps(harness, server.url.removesuffix("/oai"))
            if round_:
                notify(second, hub, told)
            else:
                add_sources(second, server.url)
                subscribe(second, hub, last.url.removesuffix("oai") + "websub")
                harness.now += CEILING_SECONDS  # the server, whose clock is another one, took them for over
            for source in SOURCES:
                is_killed = has_mirror and round_ > 0 and dice.random() < 0.5
                if is_killed:  # once, at any step of its work
                    launcher.is_killed(dice.randrange(1, STATEMENTS), "--instance", str(second), "run", source, "--yes")
                harvester(second, "run", source, "--yes", tries=1 + is_killed)
            compare(first, second, told)
        if not has_mirror:
            return
        settle(second)
        urls = {
            url.removeprefix(files_at).partition(" ")[0] for work in works(first, "laro").values() for url in work.files
        }
        assert urls <= mirrored(last.url, tmp_path / "mirror", files_at), f"TESTS_SEED={SEED}"


def test_a_change_at_the_first_gateway_arrives_at_the_second_over_each_way(tmp_path: Path) -> None:
    follow(tmp_path, 2, has_mirror=False)


@pytest.mark.slow
@pytest.mark.unmeasured
def test_rounds_of_changes_with_kills_lose_nothing(tmp_path: Path) -> None:
    print(f"TESTS_SEED={SEED}")
    follow(tmp_path, ROUNDS, has_mirror=True)


def test_the_hub_of_a_gateway_is_found_for_each_list_of_a_source(tmp_path: Path) -> None:
    base = "https://g.example.org/oai"
    with first_gateway(tmp_path / "first") as harness:
        harness.send(Sent("1"))
        harness.publish()
        with application(harness.folder, base_url=base, hub=True) as app:
            client = app.test_client()

            def fetch(request: Request) -> Fetched:
                answer = client.get(request.url.removeprefix("https://g.example.org"))
                return Fetched(request.url, 200, tuple(answer.headers), answer.data, 0)

            of: Callable[..., tuple[Channel, ...]] | None = kind_of("oai_pmh").channels
            assert of is not None
            lists = (("oai_didl", ""), ("oai_dc", "source:laro"))
            hub, topic = "https://g.example.org/hub", f"{base}?verb=ListRecords&metadataPrefix="
            assert of(Options("a", base), lists, fetch) == (
                Channel(f"{topic}oai_didl", hub),
                Channel(f"{topic}oai_dc&set=source:laro", hub),
            )


def test_lists_and_changes_name_the_doi_the_page_and_the_files_of_an_item(tmp_path: Path) -> None:
    url = "https://a.example.org/1.txt"
    with first_gateway(tmp_path / "first") as harness:
        harness.send(Sent("1", dc("A title", "<dc:identifier>doi:10.5555/1</dc:identifier>")))
        harness.publish()
        harness.now += 5
        files = (FileLink(url, "text/plain", FileOrigin.DISCOVERED, "x"),)
        file_all(harness.store, harness.inbox, "laro", ("1",), partial(_with, files))
        with application(harness.folder, base_url="https://g.example.org/oai") as app:
            for name, times in (("resourcelist", 1), ("changelist-open", 2)):
                text = app.test_client().get(f"/resourcesync/oai_dc/source/{name}.xml").text
                page = "https://g.example.org/items/oai:gateway.example.org:laro/1"
                links = (("cite-as", "https://doi.org/10.5555/1"), ("alternate", page), ("describes", url))
                found = [len(re.findall(f'<rs:ln rel="{rel}" href="{re.escape(href)}"', text)) for rel, href in links]
                assert found == [times] * 3, (name, text)
