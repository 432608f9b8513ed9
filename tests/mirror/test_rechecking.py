"""A recheck notices files that were replaced in place, by few and conditional requests."""

import json
import sqlite3
from hashlib import sha256

import pytest
from click.testing import CliRunner

from harvester.cli import main
from harvester.mirror import recheck as rechecking
from harvester.mirror.caches import RECHECKS
from tests.mirror.conftest import each_mirror
from tests.mirror.provider import Item

pytestmark = pytest.mark.slow  # it asks servers


@each_mirror("says", [(), ("size",), ("modified",)])
def test_a_file_that_was_replaced_in_place_is_the_next_version(provider, mirror, recheck, fill, says):
    fill(3, says=says)
    mirror.run()
    provider.items["oai:p:1"].files["a.txt"] = b"aX"  # as long as before
    receipt = recheck()
    assert (receipt["objects"], receipt["is_whole"]) == ({"unchanged": 2, "updated": 1}, True)
    assert mirror.held() == provider.expected()
    assert mirror.version("oai:p:1") == 2
    assert len(provider.asked) == 6
    assert recheck()["objects"] == {"unchanged": 3}
    assert mirror.run()["objects"] in ({}, {"unchanged": 3})


def test_nothing_is_sent_where_a_validator_tells_that_nothing_has_changed(provider, mirror, recheck, fill):
    fill(3, says=())
    mirror.run()
    answered = provider.sent.copy()
    receipt = recheck()
    assert (receipt["bytes_fetched"], receipt["files"], receipt["is_whole"]) == (0, {"kept": 6}, True)
    assert provider.sent == answered
    assert mirror.version("oai:p:0") == 1


def test_a_server_that_is_wrong_about_what_has_changed_is_not_believed_for_ever(provider, mirror, recheck, fill):
    fill(1, says=())
    mirror.run()
    tag = provider.tag("oai:p:0/a.txt")
    provider.items["oai:p:0"].files["a.txt"] = b"aX"
    provider.tags["oai:p:0/a.txt"] = tag
    for _ in range(2):
        recheck(recheck_whole_every=3)
    assert mirror.held() != provider.expected()
    recheck(recheck_whole_every=3)
    assert mirror.held() == provider.expected()


def test_without_validators_whole_files_are_compared(provider, mirror, recheck, fill):
    provider.has_validators = False
    fill(2, says=())
    mirror.run()
    assert recheck()["objects"] == {"unchanged": 2}
    provider.items["oai:p:1"].files["b.txt"] = b"bX"
    assert recheck()["objects"] == {"unchanged": 1, "updated": 1}
    assert mirror.held() == provider.expected()
    assert not list((mirror.folder / "aside").iterdir())


def test_what_has_another_size_than_stated_is_told_and_what_is_held_is_an_earlier_state(
    provider, mirror, recheck, fill
):
    fill(1, says=("size",))
    mirror.run()
    held = mirror.held()
    item = provider.items["oai:p:0"]
    item.document = provider._didl("oai:p:0")  # the sizes of before
    item.files["a.txt"] = b"longer"
    for _ in range(2):
        receipt = recheck(status=3)
        assert [(missing["fate"], missing["kept"]) for missing in receipt["missing"]] == [
            ("wrong_size", "an earlier state")
        ]
        assert (mirror.held(), mirror.version("oai:p:0")) == (held, 2)
    item.files["a.txt"] = b"a0"
    assert recheck()["is_whole"]
    assert mirror.holding("oai:p:0").is_whole


def test_a_record_that_changed_without_a_new_datestamp_is_asked_for(provider, mirror, recheck, fill):
    fill(1, says=("digest",))
    mirror.run()
    provider.items["oai:p:0"].files["a.txt"] = b"aX"
    assert recheck()["is_whole"]
    assert mirror.held() == provider.expected()
    assert recheck()["objects"] == {"unchanged": 1}


def test_what_is_gone_is_told_until_it_is_back(provider, mirror, recheck, fill):
    fill(1, says=())
    mirror.run()
    held = mirror.held()
    item = provider.items["oai:p:0"]
    item.document = provider._didl("oai:p:0")
    del item.files["a.txt"]
    receipt = recheck(status=3)
    assert [missing["fate"] for missing in receipt["missing"]] == ["not_found"]
    assert mirror.held() == held
    assert mirror.run(status=3)["missing"][0]["tried"] == "in an earlier run"
    item.files["a.txt"] = b"a0"
    assert recheck()["is_whole"]
    assert mirror.run()["is_whole"]


def test_what_is_due_rolls_over_the_period(provider, mirror, recheck, fill):
    fill(20, says=())
    mirror.run()
    recheck("--every", "30d")
    first = len(provider.asked)
    assert first <= 2, "what arrived just now is spread over thirty days"
    assert json.loads((mirror.folder / "mirror.json").read_bytes())["recheck_every"] == "30d"
    recheck("--all")
    assert len(provider.asked) == 40
    recheck()
    assert provider.asked == []
    (mirror.folder / RECHECKS).write_bytes(b"damaged")
    recheck()
    assert len(provider.asked) == first
    recheck("--every", "never")
    assert len(provider.asked) == 40


def test_streams_that_the_document_carries_and_deleted_objects_are_not_asked_for(provider, mirror, recheck, fill):
    fill(2, says=())
    mirror.run()
    provider.items["oai:p:0"].deleted = True
    provider.items["oai:p:0"].datestamp = "2030-01-01T00:00:00Z"
    mirror.run()
    assert recheck()["objects"] == {"unchanged": 1}
    assert set(provider.asked) == {"oai:p:1/a.txt", "oai:p:1/b.txt"}


@each_mirror(
    "says, content",
    [
        (("digest",), b"aX"),
        (("crc32",), b"aX"),
        (("size",), b"longer"),
    ],
)
def test_what_contradicts_its_document_is_sent_once_and_told_each_time(provider, mirror, recheck, fill, says, content):
    fill(1, says=says)
    mirror.run()
    item = provider.items["oai:p:0"]
    item.document = provider._didl("oai:p:0")
    item.files["a.txt"] = content
    first = recheck(status=3)
    sent = provider.sent.copy()
    again = recheck(status=3)
    assert (again["missing"], again["doubts"]) == (first["missing"], first["doubts"])
    assert provider.sent == sent
    item.files["a.txt"] = b"a0"
    assert recheck()["is_whole"]


def test_a_run_remembers_too_what_contradicts_the_document(provider, mirror, recheck, fill):
    fill(1, says=("digest",))
    mirror.run()
    item = provider.items["oai:p:0"]
    item.document = provider._didl("oai:p:0").replace(sha256(b"a0").hexdigest().encode(), b"0" * 64)
    item.files["a.txt"], item.datestamp = b"aX", "2030-01-01T00:00:00Z"
    provider.sent.clear()
    mirror.run(status=3)
    for _ in range(2):
        assert [missing["fate"] for missing in recheck(status=3)["missing"]] == ["corrupt"]
    assert provider.sent == ["oai:p:0/a.txt"]
    mirror.run("--retry-failed", status=3)
    assert provider.sent == ["oai:p:0/a.txt"]
    item.document, item.datestamp = b"", "2030-01-02T00:00:00Z"
    assert mirror.run()["is_whole"]
    assert mirror.held() == provider.expected()


@each_mirror("how", [(), ("--every", "30d")])
def test_what_contradicts_its_document_is_told_by_each_recheck_whether_it_asks_for_it_or_not(
    provider, mirror, recheck, fill, how
):
    fill(1, says=("digest",))
    mirror.run()
    item = provider.items["oai:p:0"]
    item.document = provider._didl("oai:p:0")
    item.files["a.txt"] = b"aX"
    doubts = recheck(status=3)["doubts"]
    with sqlite3.connect(mirror.folder / RECHECKS) as memory:
        memory.execute("UPDATE round SET is_ended = 0")  # as a process leaves it that was killed just now
    memory.close()
    assert recheck(*how, status=3)["doubts"] == doubts
    assert provider.asked == []


PAGE = b"Your visit has ended; come in again.\n"  # no rule knows these words


@pytest.fixture
def accept(mirror):
    def accepted(url):
        done = CliRunner().invoke(main, ["mirror", "accept", str(mirror.folder), url], catch_exceptions=False)
        assert done.exit_code == 0, done.output

    return accepted


@each_mirror("batch, versions", [(100, {2}), (1, {2, 3})])
def test_one_page_in_place_of_many_files_replaces_none(provider, mirror, recheck, monkeypatch, batch, versions):
    """The first two are held as good until the third comes, where they are not asked for together."""
    monkeypatch.setattr(rechecking, "_BATCH", batch)
    for number in range(5):
        provider.items[f"oai:p:{number}"] = Item({"a.txt": b"data %d\n" % number * 100}, says=())
    mirror.run()
    held = mirror.held()
    for item in provider.items.values():
        item.files["a.txt"] = PAGE
    for _ in range(2):
        receipt = recheck(status=3)
        assert {missing["rule"] for missing in receipt["missing"]} == {"same_answer"}
        assert {missing["identifier"] for missing in receipt["missing"]} == set(provider.items)
        assert mirror.held() == held
        assert {mirror.version(name) for name in provider.items} == versions
    for number, item in enumerate(provider.items.values()):
        item.files["a.txt"] = b"data %d\n" % number * 100
    assert recheck()["is_whole"]


def test_what_is_accepted_stays_so_while_its_bytes_are_the_same(provider, mirror, recheck, accept, fill):
    provider.has_validators = False
    fill(1, says=())
    item = provider.items["oai:p:0"]
    bad = item.files["a.txt"] = b"Bitstream could not be found"
    mirror.run(status=3)
    accept(provider.file_url("oai:p:0/a.txt"))
    version, lists = mirror.version("oai:p:0"), len(provider.lists)
    for has_validators in (False, True):
        provider.has_validators = has_validators
        assert recheck()["is_whole"]
        assert mirror.version("oai:p:0") == version
        assert mirror.holding("oai:p:0").files[0].accepted_at
    provider.sent.clear()
    assert recheck()["is_whole"]
    assert (provider.sent, len(provider.lists)) == ([], lists)
    item.files["a.txt"] = b"The file could not be found"
    receipt = recheck(status=3)
    assert [missing["fate"] for missing in receipt["missing"]] == ["doubtful"]
    assert mirror.held()["oai:p:0"]["a.txt"] == bad
