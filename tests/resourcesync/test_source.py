"""Our ResourceSync documents: which there are, what they have, and that a destination misses nothing."""

from hashlib import sha256

from gateway.core.model import FileLink, FileOrigin
from gateway.core.takedowns import Kind, Takedown
from gateway.core.xmltext import utc_datetime
from gateway.publish.publish_files import file_all
from tests.publish.harness import START
from tests.resourcesync.conftest import DAY, HUB, URL
from tests.rows import each_row

NAME = f"{URL}/metadata/oai_dc/oai:gateway.example.org:laro/"
FOUND = FileLink("https://a.example.org/1.pdf", "application/pdf", FileOrigin.DISCOVERED, "x", 12, "ab" * 32)


def related(document, rel):
    return [link.href for link in document.links if link.rel == rel]


# --- what there is ------------------------------------------------------------------------------------------------


def test_the_description_leads_to_every_list_and_every_list_back(source):
    source.publish("1", "2")
    source.harness.now += 5
    description = source.read(f"{URL}/.well-known/resourcesync")
    assert (description.head.capability, description.head.is_index) == ("description", False)
    lists = list(description)
    assert [entry.capability for entry in lists] == ["capabilitylist"] * 4
    capability_list = source.read(lists[0].loc)
    assert related(capability_list.head, "up") == [f"{URL}/.well-known/resourcesync"]
    kinds = {entry.capability: entry.loc for entry in capability_list}
    assert list(kinds) == ["resourcelist", "resourcedump", "changelist", "change-notification"]
    resources, changes = (source.read(kinds[kind]) for kind in ("resourcelist", "changelist"))
    assert related(resources.head, "up") == related(changes.head, "up") == [lists[0].loc]
    (open_list,) = list(changes)
    assert related(source.read(open_list.loc).head, "index") == [kinds["changelist"]]


def test_before_the_first_change_there_is_no_change_list(source):
    assert [entry.capability for entry in source.document("capabilitylist")] == ["resourcelist", "resourcedump"]
    assert list(source.document("resourcelist")) == []
    assert source.get("/resourcesync/oai_dc/source/changelist.xml").status_code == 404


@each_row(
    "path",
    [
        "oai_dc/source/nothing.xml",
        "oai_dc/nothing:else/resourcelist.xml",
        "nothing/source/capabilitylist.xml",
        "oai_dc/source/resourcelist-0.xml",
        "oai_dc/source/resourcelist-99999999999999999999999.xml",
        "oai_dc/source/changelist-2020-01-01.xml",
        "oai_dc/source/changelist-%00.xml",
        "oai_dc/%F0%9F/resourcelist.xml",
        "../../etc/passwd",
    ],
)
def test_documents_that_are_none_are_not_found(source, path):
    source.publish("1")
    source.harness.now += 5
    assert source.get(f"/resourcesync/{path}").status_code == 404


# --- the present state --------------------------------------------------------------------------------------------


def test_a_small_list_is_one_document_with_length_hash_type_and_date(source):
    source.publish("1", "2")
    source.delete("2")
    source.harness.now += 5
    document = source.document("resourcelist")
    (entry,) = document
    assert not document.head.is_index
    metadata = source.house_get(entry.loc).data
    assert (entry.loc, entry.length, entry.type) == (f"{NAME}1", len(metadata), "application/xml")
    assert entry.digests == (("sha-256", sha256(metadata).hexdigest()),)
    assert entry.lastmod == utc_datetime(source.harness.record("1").datestamp)


def test_a_large_list_has_an_index_whose_parts_are_ranges_of_items(source):
    names = [str(number) for number in range(8)]
    source.publish(*names)
    source.harness.now += 5
    index = source.document("resourcelist")
    assert index.head.is_index
    parts = [source.read(entry.loc) for entry in index]
    assert [len(list(part)) for part in parts] == [3, 3, 2]
    assert {link for part in parts for link in related(part.head, "index")} == {
        f"{URL}/resourcesync/oai_dc/source/resourcelist.xml"
    }
    source.delete("3", "4", "5")
    source.harness.now += 5
    assert source.locations("resourcelist") == [
        f"{URL}/resourcesync/oai_dc/source/resourcelist-{part}.xml" for part in (1, 3)
    ]
    assert source.locations("resourcelist-3") == [f"{NAME}6", f"{NAME}7"]


def test_a_set_has_lists_of_its_own(source):
    source.publish("1", "2", sets=("x",))
    source.publish("3")
    source.publish("2", title="Another title")
    source.harness.now += 5
    assert source.locations("resourcelist", spec="source:laro:x") == [f"{NAME}1"]
    (period,) = source.locations("changelist", spec="source:laro:x")
    changes = [(entry.loc.removeprefix(NAME), entry.change) for entry in source.read(period)]
    assert changes == [("1", "created"), ("2", "created"), ("2", "deleted")]


def test_an_item_with_files_describes_them_and_one_without_describes_nothing(source):
    source.publish("1", "2")
    source.harness.now += 1
    file_all(source.harness.store, source.harness.inbox, "laro", ("1",), lambda _state: (FOUND,))
    source.harness.now += 5
    for prefix in ("oai_dc", "oai_didl"):
        first, second = source.document("resourcelist", prefix)
        (link,) = first.related("describes")
        assert (link.href, link.type, link.length, link.digests) == (
            FOUND.url, "application/pdf", 12, (("sha-256", FOUND.sha256),),
        )  # fmt: skip
        assert second.related("describes") == ()


def test_each_entry_says_where_it_came_from(source):
    source.publish("oai:laro.example.org:a?b&c")
    source.harness.now += 5
    (entry,) = source.document("resourcelist")
    assert [link.href for link in entry.related("collection")] == [f"{URL}/sources/laro"]
    assert [link.href for link in entry.related("via")] == [
        "http://laro.example.org/oai?verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:laro.example.org:a%3Fb%26c"
    ]


# --- what has changed ---------------------------------------------------------------------------------------------


def test_a_list_is_closed_when_a_later_day_has_changes_and_the_next_one_begins_there(source):
    source.publish("1")
    source.publish("1", title="Another")
    source.harness.now += 3 * DAY
    (first,) = source.document("changelist")
    assert first.until == ""
    source.delete("1")
    source.harness.now += 5
    first, second = source.document("changelist")
    assert (first.from_, second.until) == (utc_datetime(START), "")
    assert first.until == second.from_
    heads = [source.read(entry.loc).head for entry in (first, second)]
    assert [(head.from_, head.until) for head in heads] == [(first.from_, first.until), (second.from_, "")]
    assert [entry.change for entry in source.read(first.loc)] == ["created", "updated"]
    (gone,) = source.read(second.loc)
    assert (gone.change, gone.digests, gone.length) == ("deleted", (), None)


def test_many_changes_of_a_day_are_several_lists_in_the_order_of_time(source):
    for version in range(4):
        source.publish("1", "2", title=f"Version {version}")
    source.harness.now += 5
    entries = list(source.document("changelist"))
    assert [entry.loc.rpartition("/")[2] for entry in entries] == [
        "changelist-2023-11-14.xml", "changelist-2023-11-14.2.xml", "changelist-open.xml",
    ]  # fmt: skip
    assert [bool(entry.until) for entry in entries] == [True, True, False]
    lists = [list(source.read(entry.loc)) for entry in entries]
    assert [len(changes) for changes in lists] == [3, 3, 2]
    times = [change.datetime for changes in lists for change in changes]
    assert times == sorted(times)
    for entry, changes in zip(entries, lists, strict=True):
        assert entry.from_ <= changes[0].datetime
        assert not entry.until or changes[-1].datetime <= entry.until


def test_closed_lists_stay_as_they_are_whatever_happens(source, source_of):
    source.publish("1", "2", "3", "4")
    source.harness.now += DAY
    source.publish("1", title="Another")
    source.harness.now += 5
    closed = [entry.loc for entry in source.document("changelist") if entry.until]
    assert len(closed) == 2
    before = [source.get(loc.removeprefix(URL)).data for loc in closed]
    source.publish("2", title="Another", sets=("x",))
    source.delete("3")
    source.harness.now += DAY
    source.publish("5")
    source.harness.now += 5
    for asked in (source, source_of(3)):  # what one process remembers, another one finds
        assert [asked.get(loc.removeprefix(URL)).data for loc in closed] == before


def test_a_takedown_empties_the_entries_of_an_item_and_keeps_the_others(source, house):
    source.publish("1", "2")
    source.harness.now += DAY
    house.take_down(Takedown(Kind.UPSTREAM, "1", "laro"))
    source.harness.now += 5
    closed, _ = source.document("changelist")
    first, second = source.read(closed.loc)
    assert (first.loc, first.change, first.digests, first.length) == (f"{NAME}1", "created", (), None)
    assert second.digests


# --- over HTTP ----------------------------------------------------------------------------------------------------


def test_a_list_that_did_not_change_is_not_sent_again(source):
    source.publish("1")
    source.harness.now += 5
    for name in ("resourcelist", "changelist", "changelist-open", "capabilitylist"):
        path = f"/resourcesync/oai_dc/source/{name}.xml"
        tag = source.get(path).headers["ETag"]
        source.harness.now += 100
        assert source.get(path, headers={"If-None-Match": tag}).status_code == 304
    source.publish("1", title="Another")
    source.harness.now += 5
    assert source.get("/resourcesync/oai_dc/source/resourcelist.xml", headers={"If-None-Match": tag}).status_code == 200


def test_documents_are_compressed_with_a_tag_of_their_own(source):
    source.publish(*"123")
    source.harness.now += 5
    path = "/resourcesync/oai_dc/source/resourcelist.xml"
    plain, packed = source.get(path), source.get(path, headers={"Accept-Encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert len(packed.data) < len(plain.data)
    assert packed.headers["ETag"] != plain.headers["ETag"]
    assert "Accept-Encoding" in plain.headers["Vary"]
    tag = {"Accept-Encoding": "gzip", "If-None-Match": packed.headers["ETag"]}
    assert source.get(path, headers=tag).status_code == 304


# --- change notification ----------------------------------------------------------------------------------------


def test_only_the_open_change_list_is_announced(source):
    source.publish("1")
    source.harness.now += 90_000
    source.publish("2")
    source.harness.now += 5
    closed, opened = source.locations("changelist")
    links = [(link.rel, link.href) for link in source.read(opened).head.links]
    assert links[-2:] == [("hub", HUB), ("self", opened)]
    assert {link.rel for link in source.read(closed).head.links} == {"up", "index"}
