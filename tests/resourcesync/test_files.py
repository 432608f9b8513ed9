"""Files to which items refer are resources too, if the setting says so."""

import pytest
from flask import Flask

from gateway.core.model import FileLink, FileOrigin
from gateway.publish.publish_files import file_all
from gateway.resourcesync.files import blueprint
from harvester.sources.resourcesync.documents import read
from harvester.validate.check import Verdict
from harvester.validate.resourcesync.run import Limits, lint
from tests.resourcesync.conftest import URL, fetch_by
from tests.rows import each_row

FOLDER = "/resourcesync/files"
COPY = f"{URL}/files/{'ab' * 32}"
FOUND = FileLink(
    "https://a.example.org/1.pdf", "application/pdf", FileOrigin.DISCOVERED, "x", 12, "ab" * 32, "2020-02-01T00:00:00Z",
    copy_url=COPY,
)  # fmt: skip


@pytest.fixture
def settings():
    return {"resourcesync_files": True}


def document(house, name):
    answer = house.get(f"{FOLDER}/{name}.xml")
    assert answer.status_code == 200, (name, answer.status)
    return read(answer.data, f"{URL}{FOLDER}/{name}.xml")


def published(house, *files: FileLink, name: str = "1") -> None:
    house.add(name)
    house.harness.now += 1
    file_all(house.harness.store, house.harness.inbox, "laro", (name,), lambda _state: files)
    house.harness.now += 5


def test_the_description_leads_to_the_files(house):
    published(house, FOUND)
    lists = [entry.loc for entry in read(house.get("/.well-known/resourcesync").data)]
    assert lists[-1] == f"{URL}{FOLDER}/capabilitylist.xml"
    (entry,) = document(house, "capabilitylist")
    assert (entry.capability, entry.loc) == ("resourcelist", f"{URL}{FOLDER}/resourcelist.xml")
    index = document(house, "resourcelist")
    assert index.head.is_index
    assert [entry.loc for entry in index] == [f"{URL}{FOLDER}/resourcelist-1.xml"]


def test_a_file_has_what_is_known_of_it_and_leads_to_its_metadata_and_our_copy(house):
    published(house, FOUND)
    (entry,) = document(house, "resourcelist-1")
    assert (entry.loc, entry.type, entry.length) == (FOUND.url, "application/pdf", 12)
    assert entry.digests == (("sha-256", "ab" * 32),)
    assert entry.lastmod == "2020-02-01T00:00:00Z"
    item = "oai:gateway.example.org:laro/1"
    assert [link.href for link in entry.related("describedby")] == [
        f"{URL}/metadata/{prefix}/{item}" for prefix in ("oai_dc", "oai_didl")
    ]
    assert [link.href for link in entry.related("duplicate")] == [COPY]


def test_a_file_of_two_items_is_one_resource_with_the_metadata_of_both(house):
    published(house, FOUND._replace(sha256="", size=None, copy_url="", modified="yesterday"))
    published(house, FOUND, name="2")
    (entry,) = document(house, "resourcelist-1")
    assert len(entry.related("describedby")) == 4
    assert (entry.length, entry.lastmod) == (12, "2020-02-01T00:00:00Z")


def test_many_files_are_several_parts(house):
    files = [FOUND._replace(url=f"https://a.example.org/{number}.pdf") for number in range(5)]
    published(house, *files)
    published(house, FOUND, name="2")
    other = FOUND._replace(url="https://a.example.org/other.pdf")
    published(house, FOUND, other, name="3")
    app = Flask("files")
    app.register_blueprint(blueprint(house.harness.store, URL, lambda _view, name: (name,), most_entries=2, items=2))
    get = app.test_client().get
    parts = [entry.loc.removeprefix(URL) for entry in read(get(f"{FOLDER}/resourcelist.xml").data)]
    names = [part.removeprefix(f"{FOLDER}/resourcelist-").removesuffix(".xml") for part in parts]
    assert names == ["1", "1.2", "1.3", "2"]
    described = house.get("/openapi.json").get_json()["paths"][f"{FOLDER}/resourcelist-{{name}}.xml"]["get"]
    assert described["parameters"][0]["schema"]["type"] == "string"
    listed = [entry.loc for part in parts for entry in read(get(part).data)]
    assert listed == [file.url for file in (*files, other)]  # FOUND is one of the first


@each_row("part", ["0", "2", "1.9", "x", "1.0", "-1", "9" * 40])
def test_parts_that_are_none_are_not_found(house, part):
    published(house, FOUND)
    assert house.get(f"{FOLDER}/resourcelist-{part}.xml").status_code == 404


@pytest.mark.parametrize("settings", [{}])
def test_without_the_setting_there_is_no_list_of_files(house):
    published(house, FOUND)
    assert house.get(f"{FOLDER}/capabilitylist.xml").status_code == 404
    assert b"resourcesync/files" not in house.get("/.well-known/resourcesync").data


def test_our_own_linter_has_no_finding_in_the_lists_of_files(house):
    published(house, FOUND, FOUND._replace(url="https://a.example.org/2.pdf", copy_url=""))
    url, limits = f"{URL}{FOLDER}/capabilitylist.xml", Limits(lists=1)
    linted = lint(url, fetch_by(house.get), limits=limits, now=lambda: house.harness.now)
    broken = (Verdict.FAIL, Verdict.WARNING)
    assert [result for result in linted.report.results if result.verdict in broken] == []
    assert (linted.documents, linted.limit) == (4, "The limit of 1 Capability Lists was reached.")
