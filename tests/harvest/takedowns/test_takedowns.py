"""`harvester takedown` as an administrator calls it, in an instance that was harvested from files."""

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gateway.cli.main import main as gateway
from gateway.core.model import Selection
from gateway.core.pieces import Piece, text_of
from gateway.core.takedown_file import TakedownFile
from gateway.core.takedowns import Kind, Takedown
from gateway.core.xmltext import DC, OAI_DC
from gateway.fulltext.log_completion import whoever_calls
from gateway.ops.upkeep import complete_takedowns
from harvester.cli import main
from tests.killing import is_killed
from tests.opening import open_inbox, open_store
from tests.seeds import SEED

pytestmark = pytest.mark.slow  # it harvests and publishes

LOCAL = "oai:g.example.org:laro/a1"


def line(name: str, title: str, *identifiers: str, metadata: str = "") -> str:
    elements = "".join(f"<dc:identifier>{identifier}</dc:identifier>" for identifier in identifiers)
    content = metadata or f'<o:dc xmlns:o="{OAI_DC}" xmlns:dc="{DC}"><dc:title>{title}</dc:title>{elements}</o:dc>'
    return json.dumps({"identifier": name, "datestamp": "2020-01-01T00:00:00Z", "sets": [], "metadata": content})


class Place:
    """An instance and the folder that it harvests."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.files = folder / "instance", folder / "files"
        self.files.mkdir()
        self.call("init", "--domain", "g.example.org", command=gateway)
        self.write(
            line("a1", "Secret of the first", "https://doi.org/10.1234/a1"),
            line("a2", "Second", "http://files.example.org/a2.pdf"),
            line("a3", "Third"),
        )
        self.call("source", "add", "laro", str(self.files), "--kind", "files")
        self.run()

    def write(self, *lines: str) -> None:
        (self.files / "all.jsonl").write_text("\n".join(lines))

    def call(self, *arguments: str, command=main, status: int = 0, answers: str | None = None) -> Result:
        result = CliRunner().invoke(command, ["--instance", str(self.folder), *arguments], input=answers)
        assert result.exit_code == status, result.output
        return result

    def run(self, *more: str, status: int = 0) -> None:
        self.call("run", "laro", *more, status=status)

    def json(self, *arguments: str) -> dict:
        return json.loads(self.call(*arguments, "--json").stdout)

    def shown(self) -> str:
        with closing(open_store(self.folder)) as store, store.view() as view:
            pages = [view.page(Selection(format_.metadata_prefix), None, 1000) for format_ in view.formats()]
            return b"".join(content for page in pages for content in page.records).decode()

    def inbox(self) -> bytes:
        with closing(open_inbox(self.folder)) as inbox:
            pages = [inbox.page(number) for number in range(1, inbox.last_number() + 1)]
            return b"".join(page.page.body + page.page.repaired for page in pages)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_what_add_says_is_what_has_happened(place) -> None:
    facts = place.json("takedown", "add", "doi:10.1234/A1", "http://files.example.org/*", "--reason", "A letter")
    assert (facts["deleted_items"], facts["changed_items"], facts["stamped_records"]) == (1, 1, 4)
    assert facts["takedowns"][0]["items"] == [LOCAL]
    rows = [json.loads(text) for text in place.call("takedown", "list", "--json").stdout.splitlines()]
    assert [(row["kind"], row["is_done"], row["reason"]) for row in rows] == [
        ("doi", True, "A letter"),
        ("prefix", True, "A letter"),
    ]
    assert "10.1234/a1" in place.call("takedown", "list").stdout
    again = place.json("takedown", "add", "10.1234/a1", "--reason", "A second letter")
    assert (again["deleted_items"], again["takedowns"][0]["reason"]) == (0, "A second letter")
    added = place.call("takedown", "add", "10.1234/mistyped", "--reason", "A letter")
    assert "10.1234/mistyped: Hides nothing. " in added.stderr
    *_, mistyped = [json.loads(text) for text in place.call("takedown", "list", "--json").stdout.splitlines()]
    assert (mistyped["is_done"], mistyped["state"]["headline"]) == (True, "Hides nothing")
    assert "Hides nothing" in place.call("takedown", "list").stdout
    assert "doi 10.1234/mistyped: Hides nothing. " in place.call("check", command=gateway).output


def test_quarantine_hides_what_is_taken_down(place) -> None:
    place.write(line("bad", "", metadata="<no"), line("a1", "", metadata="<no"))
    place.run(status=3)
    place.call("takedown", "add", "bad", "--source", "laro")
    place.call("takedown", "add", LOCAL)
    assert place.call("quarantine", "--json").stdout == ""


def test_purge_overwrites_every_version_and_nothing_else(place) -> None:
    place.write(line("a1", "Secret, another version"), line("a2", "Second, changed"))
    place.run()
    place.write(line("a1", "Secret", metadata="<unreadable>Secret"), line("a2", "Second, again"))
    place.run(status=3)
    facts = place.json("takedown", "add", "a1", "--source", "laro", "--purge")
    assert (facts["purged_items"], facts["purged_versions"], facts["is_log_empty"]) == (1, 3, True)
    assert b"Secret" not in place.inbox()
    for title in (b"Second", b"Third", b"Second, changed", b"Second, again"):
        assert title in place.inbox()
    with closing(sqlite3.connect(place.folder / "store.sqlite")) as store:
        blocks = [Piece(*row) for row in store.execute("select records, length, crc, adler from body")]
    assert [text_of(block) for block in blocks if b"Secret" in text_of(block)] == []
    place.call("check", command=gateway)
    place.call("rebuild", command=gateway)
    assert "Secret" not in place.shown()
    assert 'status="deleted"' in place.shown()


def test_what_was_purged_comes_back_when_its_source_sends_it_again(place) -> None:
    place.call("takedown", "add", LOCAL, "--purge")
    place.run("--full")
    assert "Secret" not in place.shown()
    place.call("takedown", "add", LOCAL, "--purge")
    assert b"Secret" not in place.inbox()
    facts = place.json("takedown", "remove", LOCAL, "--yes")
    (row,) = (json.loads(text) for text in place.call("takedown", "list", "--removed", "--json").stdout.splitlines())
    assert (row["removed_by"], row["by"]) == (whoever_calls(), whoever_calls())
    assert row["removed_at"] >= row["at"]
    assert (facts["purged_items"], facts["returned_items"]) == ([LOCAL], 0)
    assert "Secret" not in place.shown()
    place.run("--full")
    assert "Secret" in place.shown()


def test_purge_reaches_what_is_not_published_yet(place) -> None:
    with closing(open_inbox(place.folder)) as inbox:
        (page,) = list(inbox.pages("laro", 0))
        cut = page.slices[0]._replace(identifier="waiting")
        inbox.receive(page.page, (cut,), None)
    assert place.json("takedown", "add", "waiting", "--source", "laro", "--purge")["purged_versions"] == 1
    place.call("publish")
    assert "waiting" not in place.shown()


def test_a_purged_item_is_a_tombstone_in_a_store_that_is_made_again(place) -> None:
    place.call("takedown", "add", "10.1234/a1", "--purge")
    for path in place.folder.glob("store.sqlite*"):
        path.unlink()
    place.call("rebuild", "--from-inbox", command=gateway)
    place.call("check", command=gateway)
    with closing(open_store(place.folder)) as store, store.view() as view:
        assert view.record(LOCAL, "oai_dc").is_deleted
        assert view.record(LOCAL, "oai_didl").is_deleted
    place.run("--full")
    assert "Secret" not in place.shown()


def test_the_list_outlives_every_database(place) -> None:
    place.call("takedown", "add", "10.1234/a1", "http://files.example.org/a2.pdf")
    for path in place.folder.glob("*.sqlite*"):
        path.unlink()
    place.call("init", command=gateway)
    place.run("--full")
    assert "Secret" not in place.shown()
    assert "a2.pdf" not in place.shown()
    place.call("check", command=gateway)


def test_serving_completes_what_a_killed_command_has_left(place) -> None:
    TakedownFile(place.folder).change(lambda _: (Takedown(Kind.DOI, "10.1234/a1"),))
    assert complete_takedowns(place.folder) == ""
    assert "Secret" not in place.shown()
    (place.folder / "takedowns.json").write_text("")
    assert "cannot be read" in complete_takedowns(place.folder)
    (place.folder / "inbox.sqlite").rename(place.folder / "inbox.aside")
    assert complete_takedowns(place.folder) == ""


@pytest.mark.unmeasured
@pytest.mark.slow
def test_several_processes_add_at_once_and_no_entry_is_lost(place) -> None:
    command = [sys.executable, "-m", "harvester", "--instance", str(place.folder), "takedown", "add"]
    started = [
        subprocess.Popen([*command, f"10.1234/{number}"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        for number in range(3)
    ]
    for process in started:
        _, words = process.communicate(timeout=240)
        assert process.returncode == 0, words
    values = {entry.value for entry in TakedownFile(place.folder).read().entries}
    assert values == {f"10.1234/{number}" for number in range(3)}
    place.call("check", command=gateway)


@pytest.mark.unmeasured
@pytest.mark.parametrize("block", range(2))
def test_killed_at_any_step_the_next_command_finishes_it(place, block: int) -> None:
    step, file = 1 + 30 * block + SEED % 30, place.folder / "takedowns.json"
    assert is_killed(place.folder, step, "takedown", "add", "10.1234/a1", after=file), step
    place.call("publish")
    assert "Secret" not in place.shown()
    place.call("check", command=gateway)


@contextmanager
def reading_as_it_was(place: Place) -> Iterator[None]:
    """Read the store as another program does that began a while ago, such as a backup."""
    with closing(sqlite3.connect(place.folder / "store.sqlite", isolation_level=None)) as reader:
        reader.execute("begin")
        reader.execute("select count(*) from block").fetchone()
        yield


OPEN = "The files of the store still have what was taken down, because another process reads an old state of it."


@pytest.mark.parametrize("finishing", ["publish", "serve"])
def test_an_erasure_that_a_reader_prevents_is_shown_until_a_later_command_finishes_it(place, caplog, finishing):
    with closing(sqlite3.connect(place.folder / "store.sqlite")) as connection:
        ends = [records[-40:] for (records,) in connection.execute("select records from body")]

    def is_erased() -> bool:
        return not any(end in file.read_bytes() for end in ends for file in place.folder.glob("store.sqlite*"))

    with reading_as_it_was(place):
        result = place.call("takedown", "add", LOCAL, "--json", status=3)
        assert json.loads(result.stdout)["is_erasure_open"] is True
        assert OPEN in result.stderr
        assert OPEN in caplog.text, "other commands and the server write it into the log"
        assert OPEN in place.call("takedown", "list").stderr
        assert OPEN in place.call("status").stderr
        assert OPEN in place.call("check", command=gateway, status=1).stderr
        assert "Secret" not in place.shown()
        caplog.clear()
        place.call("publish")
        assert OPEN in caplog.text
        assert not is_erased()
    caplog.clear()
    if finishing == "serve":
        assert complete_takedowns(place.folder) == ""
    else:
        place.call(finishing)
    assert is_erased()
    assert OPEN not in caplog.text
    assert OPEN not in place.call("takedown", "list").stderr
    assert OPEN not in place.call("status").stderr
    place.call("check", command=gateway)


def test_a_takedown_does_not_claim_that_nothing_is_left_in_damaged_blocks(place, caplog):
    with closing(open_store(place.folder)) as store, store._file.writing() as session:
        session.execute("update body set crc = crc + 1")
    result = place.call("takedown", "add", LOCAL, "--json", status=3)
    left = "The file of the store may still have what was taken down, in damaged blocks: 2."
    assert left in result.stderr
    assert json.loads(result.stdout)["damaged_blocks"] == 2
    assert left in caplog.text, "other commands and the server write it into the log"
    assert left in place.call("takedown", "list").stderr
    assert left in place.call("check", command=gateway, status=1).stderr
    place.call("takedown", "add", LOCAL, status=3)
    place.call("rebuild", command=gateway)
    assert left not in place.call("takedown", "list").stderr
    assert json.loads(place.call("takedown", "add", LOCAL, "--purge", "--json").stdout)["damaged_blocks"] == 0
    with closing(open_store(place.folder)) as store:
        assert store.check(is_whole=True) == ()
