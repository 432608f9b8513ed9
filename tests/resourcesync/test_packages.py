"""Dumps: packages of all metadata in ranges of items, and the metadata that a client names."""

import random
from hashlib import sha256
from io import BytesIO

from gateway.resourcesync import dumps
from harvester.sources.resourcesync.documents import read as document
from harvester.sources.resourcesync.package import Package
from tests.resourcesync.conftest import URL
from tests.rows import each_row

FOLDER = "/resourcesync/oai_dc/source"
NAME = f"{URL}/metadata/oai_dc/oai:gateway.example.org:laro/"


def read(body: bytes):
    """Return the manifest and the metadata by their addresses, as our own destination reads them."""
    package = Package(BytesIO(body))
    manifest = package.manifest()
    contents = {}
    for entry in manifest:
        content = package.read(entry.path)
        assert (len(content), sha256(content).hexdigest()) == (entry.length, dict(entry.digests)["sha-256"])
        contents[entry.loc] = content
    return manifest.head, contents


def batch(house, body: str | bytes):
    return house.app.test_client().post("/resourcesync/batch", data=body, content_type="text/plain")


# --- the Resource Dump --------------------------------------------------------------------------------------------


def test_the_packages_of_a_dump_have_all_metadata_once(source):
    source.publish(*map(str, range(8)))
    source.delete("1")
    source.harness.now += 5
    dump = source.document("resourcedump")
    assert dump.head.capability == "resourcedump"
    entries = list(dump)
    assert [entry.type for entry in entries] == ["application/zip"] * 3
    contents = {}
    for entry in entries:
        head, part = read(source.get(entry.loc.removeprefix(URL)).data)
        assert (head.capability, head.at) == ("resourcedump-manifest", dump.head.at)
        contents |= part
    assert contents == {
        f"{NAME}{number}": source.house_get(f"{NAME}{number}").data for number in range(8) if number != 1
    }


def test_a_package_is_the_same_bytes_until_something_changes(source, source_of):
    source.publish("1", "2")
    source.harness.now += 5
    first = source.get(f"{FOLDER}/resourcedump-1.zip")
    source.harness.now += 500
    second = source_of(3).get(f"{FOLDER}/resourcedump-1.zip")
    assert (first.data, first.headers["ETag"]) == (second.data, second.headers["ETag"])
    tag = {"If-None-Match": first.headers["ETag"]}
    assert source.get(f"{FOLDER}/resourcedump-1.zip", headers=tag).status_code == 304
    source.publish("1", title="Another")
    source.harness.now += 5
    assert source.get(f"{FOLDER}/resourcedump-1.zip", headers=tag).status_code == 200


def test_a_package_is_continued_where_it_stopped(source):
    source.publish("1", "2")
    source.harness.now += 5
    whole = source.get(f"{FOLDER}/resourcedump-1.zip")
    assert int(whole.headers["Content-Length"]) == len(whole.data)
    tag = whole.headers["ETag"]
    rest = source.get(f"{FOLDER}/resourcedump-1.zip", headers={"Range": "bytes=100-", "If-Range": tag})
    assert (rest.status_code, rest.data) == (206, whole.data[100:])
    assert rest.headers["Content-Range"] == f"bytes 100-{len(whole.data) - 1}/{len(whole.data)}"
    other = source.get(f"{FOLDER}/resourcedump-1.zip", headers={"Range": "bytes=100-", "If-Range": '"x"'})
    assert (other.status_code, other.data) == (200, whole.data)


@each_row(
    "wanted",
    ["bytes=99999999-", "bytes=5-2", "bytes=-0", "bytes=a-b", "lines=1-2", "bytes=0-0,5-6", "bytes=" + "9" * 99],
)
def test_ranges_of_nonsense_are_no_fault_of_the_server(source, wanted):
    source.publish("1")
    source.harness.now += 5
    assert source.get(f"{FOLDER}/resourcedump-1.zip", headers={"Range": wanted}).status_code in (200, 206, 416)


@each_row("name", ["resourcedump-0.zip", "resourcedump-2.zip", "resourcedump-2.xml", "resourcedump-x.zip"])
def test_packages_that_are_none_are_not_found(source, name):
    source.publish("1")
    assert source.get(f"{FOLDER}/{name}").status_code == 404


# --- the batch dump -----------------------------------------------------------------------------------------------


def test_a_batch_has_what_was_named_in_any_format_and_each_once(house):
    for name in ("1", "2", "a//b", "ü?"):
        house.add(name)
    house.harness.now += 5
    listed = document(house.get("/resourcesync/oai_dc/source/resourcelist.xml").data)
    urls = [f"{NAME}1", f"{NAME}2".replace("oai_dc", "oai_didl"), *(entry.loc for entry in listed)]
    answer = batch(house, "\r\n".join(urls))
    assert (answer.status_code, answer.content_type) == (200, "application/zip")
    head, contents = read(answer.data)
    assert head.capability == "resourcedump-manifest"
    assert list(contents) == list(dict.fromkeys(urls))
    assert contents == {url: house.get(url.removeprefix(URL)).data for url in contents}


@each_row(
    "body, sentence",
    [
        ("", "no address"),
        ("https://elsewhere.example.org/metadata/oai_dc/x", "no metadata at 'https://elsewhere.example.org"),
        (f"{NAME}nothing", "no metadata at"),
        (f"{URL}/metadata/nothing/oai:gateway.example.org:laro/1", "no metadata at"),
        (f"{URL}/metadata/", "no metadata at"),
        ("\n".join(f"{NAME}{number}" for number in range(900)), "and 895 others"),
        (b"\xff\xfe\x00<script>", "no metadata at"),
        (f"{NAME}" + "a" * 100_000, "no metadata at"),
    ],
)
def test_addresses_that_are_none_are_named_in_a_clear_error(house, body, sentence):
    answer = batch(house, body)
    assert (answer.status_code, answer.content_type) == (400, "text/plain; charset=UTF-8")
    assert sentence in answer.text
    assert len(answer.data) < 3_000


@each_row("body", ["x\n" * 1_001, "x" * 4_000_001])
def test_too_large_a_batch_is_refused(house, body):
    assert batch(house, body).status_code == 413


def test_a_batch_is_never_longer_than_allowed_and_its_manifest_says_what_is_in_it(house, monkeypatch):
    for name in "12345":
        house.add(name, title=random.Random(name).randbytes(5_000).hex())
    urls = [f"{NAME}{name}" for name in "12345"]
    most = len(batch(house, "\n".join(urls)).data) - 10
    monkeypatch.setattr(dumps, "MOST_BYTES", most)
    answer = batch(house, "\n".join(urls))
    assert len(answer.data) <= most
    assert 0 < len(read(answer.data)[1]) < 5
