"""Identifiers and titles that look like markup, paths or header lines change no document, header or package."""

import re
import zipfile
from io import BytesIO

import pytest
from lxml import etree

from harvester.sources.resourcesync.documents import read
from tests.rows import each_row

SITE = "https://gateway.example.org"
NAMES = (
    "quote\"and'quote",
    "line\r\nX-Injected: 1",
    "../../../etc/passwd",
    "]]><injected/>",
    "<injected a='1'/>",
    "&injected;",
    "%0d%0aX-Injected: 1",
    "a\tb c",
    "\u202ereversed\u2028",
    "injected?>",
)
FOLDER = "/resourcesync/oai_dc/source"


@pytest.fixture
def settings():
    return {"hub": True, "resourcesync_files": True}


@pytest.fixture
def filled(house):
    for name in NAMES:
        house.add(name, title=name, sets=(name,))
    house.harness.now += 5
    return house


def locations(house, path):
    answer = house.get(path)
    assert answer.status_code == 200
    return [entry.loc for entry in read(answer.data)]


def test_every_document_has_the_elements_of_the_standards_alone(filled):
    for rule in filled.app.url_map.iter_rules():
        path = (
            rule.rule.replace("<prefix>/<spec>", "oai_dc/source")
            .replace("<part:part>", "1")
            .replace("<period>", "open")
        )
        if not path.startswith(FOLDER) or not path.endswith(".xml"):
            continue
        answer = filled.get(path)
        assert answer.status_code in (200, 404), path
        if answer.status_code == 200:
            names = {etree.QName(element).localname for element in etree.fromstring(answer.data).iter()}
            assert names <= {"urlset", "sitemapindex", "url", "sitemap", "loc", "lastmod", "md", "ln"}, path
        assert not [name for name, value in answer.headers if "injected" in name.lower() or re.search(r"[\r\n]", value)]


@each_row("name", ["resourcelist", "changelist-open"])
def test_every_address_in_a_list_has_the_record_of_its_own_name(filled, name):
    urls = locations(filled, f"{FOLDER}/{name}.xml")
    titles = set()
    for url in urls:
        assert re.fullmatch(r"[A-Za-z0-9\-._~:/?#@!$&'()*+,;=%]+", url), url
        answer = filled.get(url.removeprefix(SITE))
        assert answer.status_code == 200, url
        titles.add(" ".join(etree.fromstring(answer.data).findtext("{*}title").split()))
    assert len(urls) == len(set(urls)) == len(NAMES)
    assert len(titles) == len(NAMES)


def test_names_in_packages_are_numbers(filled):
    package = filled.get(f"{FOLDER}/resourcedump-1.zip", buffered=True).data
    urls = "\n".join(locations(filled, f"{FOLDER}/resourcelist.xml"))
    batch = filled.app.test_client().post("/resourcesync/batch", data=urls).data
    for content in (package, batch):
        with zipfile.ZipFile(BytesIO(content)) as archive:
            names = archive.namelist()
            assert archive.testzip() is None
            paths = [entry.path for entry in read(archive.read("manifest.xml"))]
        assert len(names) == len(set(names)) == len(NAMES) + 1
        assert all(re.fullmatch(r"manifest\.xml|resources/\d+\.xml", name) for name in names), names
        assert sorted(paths) == sorted(f"/{name}" for name in names if name != "manifest.xml")


def test_topics_with_such_sets_are_in_one_header_line(filled):
    for name in NAMES:
        answer = filled.app.test_client().get(
            "/oai", query_string={"verb": "ListRecords", "metadataPrefix": "oai_dc", "set": f"source:laro:{name}"}
        )
        assert answer.status_code == 200
        assert not [key for key, value in answer.headers if "injected" in key.lower() or re.search(r"[\r\n]", value)]
    sets = re.findall(r"<setSpec>(source:laro:[^<]*)</setSpec>", filled.get("/oai?verb=ListSets").text)
    assert len(sets) >= len(NAMES) - 3
    for spec in sets:
        link = filled.app.test_client().get(
            "/oai", query_string={"verb": "ListRecords", "metadataPrefix": "oai_dc", "set": spec}
        )
        assert link.headers["Link"].count('rel="hub"') == link.headers["Link"].count('rel="self"') == 1
