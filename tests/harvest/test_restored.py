"""A backup, what was published and answered after it, the loss of everything, a restore, and the next harvest.

A harvester that goes on from a responseDate of the lost repository ends with what a fresh one receives.
"""

import random
import shutil
from contextlib import closing
from time import gmtime, strftime

import pytest
from click.testing import CliRunner
from lxml import etree

from gateway import create_app
from gateway.cli.main import main as gateway_main
from tests.opening import open_store

pytestmark = pytest.mark.slow  # it harvests and serves

OAI = "{http://www.openarchives.org/OAI/2.0/}"
NAMES = tuple(f"oai:fake:{number:05}" for number in range(12))


class Downstream:
    """A harvester of ours: what it holds, and from which responseDate it goes on. It never overlaps."""

    def __init__(self, folder) -> None:
        self.folder = folder
        self.held: dict[str, tuple[bool, bytes]] = {}
        self.next_from = ""
        self.last_datestamp: dict[str, str] = {}

    def harvest(self, prefix: str = "oai_didl") -> None:
        """List everything since the last responseDate, by pages of four."""
        app = create_app(self.folder, {"oai_page_size": 4})
        with closing(app.extensions["store"]):
            question = f"metadataPrefix={prefix}" + (f"&from={self.next_from}" if self.next_from else "")
            first = ""
            while question:
                root = etree.fromstring(app.test_client().get(f"/oai?verb=ListRecords&{question}").data)
                first = first or root.findtext(f"{OAI}responseDate")
                question = self._take(root)
        self.next_from = first

    def _take(self, root) -> str:
        for record in root.iter(f"{OAI}record"):
            name, stamp = (
                record.findtext(f"{OAI}header/{OAI}identifier"),
                record.findtext(f"{OAI}header/{OAI}datestamp"),
            )
            assert stamp >= self.last_datestamp.get(name, ""), f"the datestamp of {name} has gone back"
            self.last_datestamp[name] = stamp
            is_deleted = record.find(f"{OAI}header").get("status") == "deleted"
            self.held[name] = is_deleted, etree.tostring(record).replace(stamp.encode(), b"", 1)
        token = root.findtext(f".//{OAI}resumptionToken")
        return f"resumptionToken={token}" if token else ""


@pytest.fixture
def do(instance):
    """Return a function that runs `gateway` on the instance."""
    (instance / "secret").write_text("a secret of this test alone")

    def run(*words: str):
        ran = CliRunner().invoke(gateway_main, ["--instance", str(instance), *words])
        assert ran.exit_code == 0, ran.output
        return ran

    return run


def now() -> str:
    return strftime("%Y-%m-%dT%H:%M:%SZ", gmtime())


def lose(instance) -> None:
    shutil.rmtree(instance)


def change(repository, chance: random.Random, *, most: int = 4) -> None:
    """Let the repository create, change, delete and bring back some items."""
    for name in chance.sample(NAMES, chance.randint(1, most)):
        item = repository.items.get(name)
        if item is None:
            repository.fill(1, start=int(name[-5:]), datestamp=now())
            item = repository.items[name]
        item.title, item.datestamp = f"Title {chance.random()}", now()
        item.deleted = chance.random() < 0.4
        item.sets = (chance.choice(("a", "b")),)


def known(downstream: Downstream) -> dict[str, tuple[bool, bytes]]:
    """Return what a harvester holds; to have never held an item is as good as to know that it is deleted."""
    return {name: record for name, record in downstream.held.items() if not record[0]}


@pytest.mark.share(one_in=2)
@pytest.mark.parametrize("seed", range(4))
def test_who_goes_on_from_an_answer_of_the_lost_repository_ends_like_a_fresh_harvester(
    repository, command, instance, do, tmp_path, seed
):
    chance = random.Random(seed)
    repository.fill(6, datestamp=now())
    command("source", "add", "fake", repository.url)
    command("run", "fake")
    downstream = Downstream(instance)
    downstream.harvest()
    do("backup", str(tmp_path / "backup"))
    for _ in range(chance.randint(1, 3)):
        change(repository, chance)
        command("run", "fake")
        downstream.harvest()
    lose(instance)
    change(repository, chance)
    do("restore", str(tmp_path / "backup"))
    if chance.random() < 0.5:
        downstream.harvest()
    command("run", "fake")
    downstream.harvest()
    fresh = Downstream(instance)
    fresh.harvest()
    assert known(downstream) == known(fresh)
    assert {name: record for name, record in downstream.held.items() if name in fresh.held} == fresh.held
    with closing(open_store(instance)) as store:
        assert store.check() == ()


def test_what_came_after_the_backup_and_was_deleted_before_the_next_harvest_is_a_tombstone(
    repository, command, instance, do, tmp_path
):
    """We never held it now; but whoever harvested the lost repository does."""
    repository.fill(1, datestamp=now())
    command("source", "add", "fake", repository.url)
    command("run", "fake")
    do("backup", str(tmp_path / "backup"))
    repository.fill(1, start=1, datestamp=now())
    repository.fill(1, start=2, datestamp="2019-01-01T00:00:00Z", deleted=True)
    command("run", "fake")
    downstream = Downstream(instance)
    downstream.harvest()
    lose(instance)
    repository.items["oai:fake:00001"].deleted = True
    repository.items["oai:fake:00001"].datestamp = now()
    do("restore", str(tmp_path / "backup"))
    command("run", "fake", "--full")
    downstream.harvest()
    name = "oai:gateway.example.org:fake/oai:fake:{}"
    assert downstream.held[name.format("00001")][0]
    assert name.format("00002") not in downstream.held  # it was deleted long before the backup
    tombstones = Downstream(instance)
    tombstones.harvest()
    do("rebuild", "--from-inbox", "--anew")
    again = Downstream(instance)
    again.harvest()
    assert again.held == tombstones.held
