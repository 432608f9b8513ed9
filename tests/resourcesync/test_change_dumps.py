"""Change Dumps: the packages of closed periods that `tend` keeps, and what is listed of them."""

from hashlib import sha256
from io import BytesIO
from urllib.parse import urlsplit

import pytest

from gateway.core.xmltext import utc_datetime
from gateway.resourcesync.packages import manifest_of
from harvester.sources.resourcesync.package import Package
from tests.publish.harness import START
from tests.resourcesync.conftest import DAY, URL
from tests.rows import each_row

FOLDER = "/resourcesync/oai_dc/source"
NAME = f"{URL}/metadata/oai_dc/oai:gateway.example.org:laro/"


def get(source, loc, **headers):
    return source.get(urlsplit(loc).path, headers=headers)


def related(head, rel):
    return [link.href for link in head.links if link.rel == rel]


@pytest.fixture
def dumped(source):
    """Return the source after a day with changes, of which the Change Dump has a package."""
    source.publish("1", "2")
    source.publish("1", title="Another")
    source.delete("2")
    source.harness.now += DAY
    source.publish("3")
    source.harness.now += 5
    assert source.tend()["changes"] == 2
    return source


def test_the_package_of_a_period_is_listed_with_its_times_length_hash_and_type(dumped):
    kinds = {entry.capability: entry.loc for entry in dumped.document("capabilitylist")}
    dump = dumped.read(kinds["changedump"])
    assert (dump.head.capability, dump.head.from_, dump.head.until) == ("changedump", utc_datetime(START), "")
    entries = list(dump)
    assert [entry.loc for entry in entries] == [
        f"{URL}{FOLDER}/changedump-2023-11-14.zip", f"{URL}{FOLDER}/changedump-2023-11-14.2.zip",
    ]  # fmt: skip
    lists = [entry for entry in dumped.document("changelist") if entry.until]
    assert [(entry.from_, entry.until) for entry in entries] == [(entry.from_, entry.until) for entry in lists]
    for entry in entries:
        body = get(dumped, entry.loc).data
        assert (entry.type, entry.length) == ("application/zip", len(body))
        assert entry.digests == (("sha-256", sha256(body).hexdigest()),)
        (contents,) = entry.related("contents")
        assert get(dumped, contents.href).data == manifest_of(BytesIO(body))


def test_a_package_has_the_versions_that_are_not_superseded_and_the_deletions(dumped):
    heads, changes, contents = [], [], {}
    for entry in dumped.document("changedump"):
        body = get(dumped, entry.loc).data
        head, _ = read_changes(body, changes, contents)
        heads.append((head.capability, head.from_, head.until))
        assert (head.from_, head.until) == (entry.from_, entry.until)
    assert {capability for capability, _, _ in heads} == {"changedump-manifest"}
    assert changes == [(f"{NAME}1", "updated"), (f"{NAME}2", "deleted")]  # two versions were superseded
    assert contents == {f"{NAME}1": dumped.house_get(f"{NAME}1").data}


def read_changes(body, changes, contents):
    package = Package(BytesIO(body))
    manifest = package.manifest()
    for entry in manifest:
        changes.append((entry.loc, entry.change))
        assert bool(entry.path) == (entry.change != "deleted")
        if entry.path:
            contents[entry.loc] = package.read(entry.path)
            digest = sha256(contents[entry.loc]).hexdigest()
            assert (len(contents[entry.loc]), digest) == (entry.length, dict(entry.digests)["sha-256"])
    return manifest.head, changes


def test_a_package_stays_as_it_is_when_its_versions_are_superseded(dumped):
    before = [get(dumped, entry.loc).data for entry in dumped.document("changedump")]
    dumped.publish("1", title="A third one")
    dumped.harness.now += DAY
    dumped.publish("4")
    dumped.harness.now += 5
    assert dumped.tend()["changes"] == 1
    assert [get(dumped, entry.loc).data for entry in dumped.document("changedump")][:2] == before
    assert dumped.tend()["changes"] == 0


@each_row(
    "name",
    [
        "changedump-2023-11-15.zip",
        "changedump-2023-13-99.xml",
        "changedump-..%2Fkept.json",
        "changedump-manifest-x.xml",
        "archive/20231114T000000Z/resourcelist.xml",
        "archive/..%2F..%2F/resourcelist.xml",
        "archive/x/resourcelist-99999999999999999999.xml",
    ],
)
def test_periods_and_parts_that_are_none_are_not_found(dumped, name):
    assert dumped.get(f"{FOLDER}/{name}").status_code == 404


def test_old_packages_are_dropped_from_the_disk_and_from_all_lists(dumped):
    assert len(list(dumped.kept().folder.glob("changes-*"))) == 2
    dumped.harness.now += 91 * DAY
    dumped.publish("5")
    dumped.harness.now += 5
    dumped.tend()
    assert not list(dumped.kept().folder.glob("changes-*"))
    kinds = [entry.capability for entry in dumped.document("capabilitylist")]
    assert "changedump" not in kinds
    assert "changedump-archive" not in kinds
    for name in ("changedump.xml", "changedump-archive.xml", "changedump-2023-11-14.xml", "changedump-2023-11-14.zip"):
        assert dumped.get(f"{FOLDER}/{name}").status_code == 404


def test_what_a_kill_left_is_deleted_and_what_is_lost_is_made_again(dumped):
    folder = dumped.kept().folder
    (folder / "changes-2023-11-14.0123456789abcdef.zip.new").write_bytes(b"half")
    lost = next(folder.glob("changes-2023-11-14.2.*"))
    before = lost.read_bytes()
    lost.unlink()
    assert [entry.loc[-7:] for entry in dumped.document("changedump")] == ["-14.zip"]
    assert dumped.get(f"{FOLDER}/changedump-2023-11-14.2.zip").status_code == 404
    assert dumped.tend()["changes"] == 1
    assert not list(folder.glob("*.new"))
    assert lost.read_bytes() == before
    assert len(list(dumped.document("changedump"))) == 2


@each_row("content", [b"", b"{", b"[]", b'{"key": 1}', b"\xff"])
def test_a_damaged_index_means_that_nothing_is_kept(dumped, content):
    (dumped.kept().folder / "kept.json").write_bytes(content)
    assert dumped.get(f"{FOLDER}/changedump.xml").status_code == 404
    assert dumped.tend()["changes"] == 2
    assert len(list(dumped.document("changedump"))) == 2


def test_archives_list_the_closed_documents(dumped):
    kinds = {entry.capability: entry.loc for entry in dumped.document("capabilitylist")}
    for kind in ("changelist", "changedump"):
        live, archive = dumped.read(kinds[kind]), dumped.read(kinds[f"{kind}-archive"])
        assert related(live.head, "archives") == [kinds[f"{kind}-archive"]]
        assert related(archive.head, "up") == [f"{URL}{FOLDER}/capabilitylist.xml"]
        assert archive.head.capability == f"{kind}-archive"
        entries = list(archive)
        assert len(entries) == 2
        for entry in entries:
            head = dumped.read(entry.loc).head
            assert (head.capability, head.from_, head.until) == (kind, entry.from_, entry.until)
