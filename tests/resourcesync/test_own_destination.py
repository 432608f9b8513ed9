"""Our own harvester takes our ResourceSync source into a second instance, from the address of the first one alone."""

from __future__ import annotations

import os
import random
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import pytest

from gateway.core.model import FileLink, FileOrigin, ItemState, Selection
from gateway.core.names import upstream_identifier
from gateway.pages.item_places import Places
from gateway.pages.site import Site
from gateway.pages.style import style_sheet
from gateway.publish.descriptions import metadata_of
from gateway.publish.publish_files import file_all
from gateway.resourcesync.addresses import Addresses, ResourceSet
from gateway.resourcesync.keeping import Keep, Keeper, kept_files
from gateway.resourcesync.site_resources import SiteResources
from gateway.store.opening import open_store
from gateway.store.step import EPOCH_FACT
from tests import live
from tests.publish.desk import Desk, Sent, dc, make_databases
from tests.seeds import SEED

pytestmark = pytest.mark.slow  # it serves, and runs the harvester

ROUNDS = int(os.environ.get("LOOP_ROUNDS", "3"))
FOUND = FileLink("https://a.example.org/1.pdf", "application/pdf", FileOrigin.DISCOVERED, "x", 12, "ab" * 32)


@contextmanager
def opened(folder: Path) -> Iterator[Desk]:
    folder.mkdir()
    make_databases(folder)
    assert live.called("gateway", folder, "init", "--domain", "gateway.example.org").returncode == 0
    desk = Desk(folder)
    with closing(desk.store), closing(desk.inbox):
        yield desk


def titles(folder: Path) -> Mapping[str, str]:
    """Return the title of each living item of an instance, by the last part of its upstream identifier."""
    titles_by_name = {}
    with closing(open_store(folder, only_reads=True)) as store, store.view() as view:
        for resource in view.resources(Selection("oai_dc"), 0, 999, 999):
            record = view.record(resource.identifier, "oai_dc")
            assert record is not None
            title = metadata_of(record.content).partition(b"<dc:title>")[2].partition(b"<")[0].decode()
            titles_by_name[upstream_identifier(resource.identifier).rpartition("/")[2]] = title
    return titles_by_name


def keep(desk: Desk, site: str) -> Counter[str]:
    """Do what `tend` does for the dumps of the first instance, with the clock of the test."""
    page_site = Site("A gateway", site, f"{site}/oai", "a@example.org", style_sheet("#1d4f91"))
    resources = SiteResources(Addresses(site), Places(page_site).metadata_urls, metadata_of)
    kept_of = kept_files(desk.folder, resources, desk.store, desk.store.fact(EPOCH_FACT))
    wanted = ResourceSet("oai_dc")
    return Keeper(desk.store, resources, Keep(90, 10**9, 1, 2)).keep(wanted, kept_of(wanted))


def _always(files: tuple[FileLink, ...], _: ItemState) -> tuple[FileLink, ...]:
    return files


def run(folder: Path) -> None:
    done = live.called("harvester", folder, "run", "first", "--yes", fetch_delay_seconds=0)  # however many deletions
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.unmeasured
def test_rounds_of_changes_with_kills_are_followed_by_dumps_and_by_lists(tmp_path: Path) -> None:
    first, second, dice = tmp_path / "first", tmp_path / "second", random.Random(SEED)
    with opened(first) as desk, live.served(first, resourcesync_lists="oai_dc") as server:
        live.instance(second, {})
        site = server.url.removesuffix("/oai")
        for round_ in range(ROUNDS):
            gone = dice.sample(range(60), 2)  # more at once would wait for a person
            for name in sorted({*dice.sample(range(60), dice.randint(1, 40)), *gone}):
                desk.send(Sent(str(name), None if name in gone else dc(f"Title {name} of round {round_}")))
            desk.publish()
            desk.now += dice.choice((1, 5, 90_000))
            for upstream in map(str, dice.sample(range(60), 5)):
                files = (FOUND._replace(url=f"https://a.example.org/{upstream}.{round_}.pdf"),)
                file_all(desk.store, desk.inbox, "laro", (upstream,), partial(_always, files))
            desk.now += 10
            if round_ % 3 != 2:  # else the kept dumps are of an earlier state
                keep(desk, site)
            if not round_:
                added = live.called(
                    "harvester", second, "source", "add", "first", site, "--kind", "resourcesync", fetch_delay_seconds=0
                )
                assert added.returncode == 0, added.stderr
            elif dice.random() < 0.7:
                _killed(second, dice.uniform(0.3, 2.0))
            run(second)
            assert titles(second) == titles(first), f"round {round_} of seed {SEED}"


def _killed(folder: Path, seconds: float) -> None:
    line = live.command("harvester", folder, "run", "first")
    surroundings = live.unmeasured(live.environment({"fetch_delay_seconds": 0}))
    with subprocess.Popen(line, env=surroundings, stderr=subprocess.DEVNULL) as process:
        time.sleep(seconds)
        process.kill()
