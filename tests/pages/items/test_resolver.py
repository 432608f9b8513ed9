"""Identifiers of all kinds lead to our pages (303), as those of ERRoLs did."""

import os
import re
from html import unescape
from pathlib import Path
from random import Random

import pytest

from gateway.core.names import local_identifier
from gateway.core.takedowns import Kind, Takedown
from gateway.pages.item_places import in_path, in_query
from gateway.search.following import IndexKeeper
from gateway.search.indexing import describe
from tests.conftest import SHARED
from tests.page_house import FOUND, ITEM, House, parsed
from tests.publish.harness import Sent, dc
from tests.rows import each_row
from tests.seeds import SEED

LOCAL = "oai:gateway.example.org:laro/1"


def led(house, path: str) -> str:
    answer = house.get(path)
    assert answer.status_code == 303, (path, answer.status)
    assert answer.headers["Location"].startswith("/")
    assert house.get(answer.headers["Location"].partition("#")[0]).status_code == 200
    return answer.headers["Location"]


@each_row(
    "suffix, place",
    [
        ("", f"/items/{LOCAL}"),
        (".json", f"/items/{LOCAL}.json"),
        (".linkset.json", f"/items/{LOCAL}.linkset.json"),
        (".oai_didl", f"/metadata/oai_didl/{LOCAL}"),
        (".ListMetadataFormats", "/browse?verb=ListMetadataFormats&identifier=oai%3Agateway.example.org%3Alaro%2F1"),
        (".ListERRoLs", f"/items/{LOCAL}.linkset.json"),
        (".resource", f"/items/{LOCAL}#files"),
    ],
)
def test_an_identifier_is_resolved_with_every_suffix(house, suffix, place):
    house.add("1")
    assert led(house, f"/{LOCAL}{suffix}") == place


def test_the_resource_is_our_copy_if_we_serve_it(house):
    house.add("1")
    house.file("1", FOUND._replace(copy_url=f"https://gateway.example.org/files/{FOUND.sha256}"))
    answer = house.get(f"/{LOCAL}.resource")
    assert answer.headers["Location"] == f"https://gateway.example.org/files/{FOUND.sha256}"


def test_an_upstream_identifier_and_a_digest_are_resolved(house):
    house.add("oai:laro.example.org:1")
    house.file("oai:laro.example.org:1", FOUND)
    page = f"{ITEM}oai:laro.example.org:1"
    for text in (
        "oai:laro.example.org:1",
        FOUND.sha256,
        FOUND.sha256.upper(),
        f"sha256:{FOUND.sha256}",
        f"SHA-256:{FOUND.sha256}",
    ):
        assert led(house, f"/resolve?id={text}") == page


def test_an_identifier_of_several_items_lists_them(house):
    from gateway.core.model import Source  # noqa: PLC0415
    from tests.publish.harness import Sent  # noqa: PLC0415

    house.add("1")
    house.harness.store.add_source(Source("other", "https://other.example.org/oai"))
    house.harness.send(Sent("1"), source="other")
    house.harness.publish("other", facts=house.harness.facts("other"))
    answer = house.get("/resolve?id=1")
    assert answer.status_code == 300
    for source in ("laro", "other"):
        assert f'href="/items/oai:gateway.example.org:{source}/1"' in answer.text


def test_what_is_gone_is_not_resolved(house):
    house.add("1")
    house.file("1", FOUND)
    house.add("2")
    house.harness.now += 5
    house.delete("2")
    house.take_down(Takedown(Kind.UPSTREAM, "1", "laro"))
    for text in ("1", "2", FOUND.sha256):
        assert house.get(f"/resolve?id={text}").status_code == 404


@each_row("path, status",
    [
        ("/resolve", 400), ("/resolve?id=", 400), ("/resolve?id=" + "a" * 20_000, 400), ("/resolve?id=nothing", 404),
        ("/resolve?id=%FF", 404), ("/oai:nobody", 404), ("/oai:" + "a" * 50_000, 404), ("/oai:%FF", 404),
        ("/resolve?id=//evil.example", 404), ("/resolve?id=https://evil.example/", 404),
    ],
)  # fmt: skip
def test_what_is_unknown_is_a_clear_error(house, path, status):
    house.add("1")
    IndexKeeper(house.harness.folder, describe).advance(house.harness.store)
    assert house.get(path).status_code == status


HTML = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"


@each_row("accept, form",
    [
        ("", ""), ("*/*", ""), (HTML, ""), ("text/*", ""), ("text/html;charset=utf-8", ""), ("nonsense", ""),
        ("application/json, text/html", ""), ("text/html;q=0.9, application/json;q=0.1", ""),
        ("application/json", ".json"), ("application/ld+json", ".jsonld"), ("application/x-bibtex", ".bib"),
        ('application/ld+json;profile="https://schema.org/"', ".jsonld"), ("application/linkset", ".linkset"),
        ("application/linkset+json, */*;q=0.1", ".linkset.json"), ("application/x-research-info-systems", ".ris"),
        ("application/vnd.citationstyles.csl+json, text/html;q=0.5", ".csl.json"),
        ("text/html;q=0, */*", ".linkset.json"),
    ],
)  # fmt: skip
@each_row("method", ["GET", "HEAD"])
def test_a_client_is_led_to_the_form_that_it_prefers(house, accept, form, method):
    path = house.add("1")
    answer = house.app.test_client().open(path, method=method, headers={"Accept": accept} if accept else {})
    assert answer.headers["Vary"] == "Accept"
    if form:
        assert answer.status_code == 303
        assert answer.headers["Location"] == f"https://gateway.example.org{path}{form}"
        assert house.get(path + form, headers={"Accept": accept}).status_code == 200
    else:
        assert (answer.status_code, answer.mimetype) == (200, "text/html")


@each_row("accept", ["image/png", "application/vnd.example.impossible", "text/html;q=0", "x/y, z/*"])
def test_what_the_item_does_not_have_is_not_acceptable(house, accept):
    path = house.add("1")
    answer = house.get(path, headers={"Accept": accept})
    assert (answer.status_code, answer.headers["Vary"]) == (406, "Accept")
    assert f'href="https://gateway.example.org{path}.bib"' in answer.text


SUFFIXES = ("", ".html", ".json", ".bib", ".oai_dc", ".oai_didl", ".resource", ".ListMetadataFormats", ".ListERRoLs")
_IDENTIFIER = re.compile(rb"<(?:\w+:)?header[^>]*>\s*<(?:\w+:)?identifier>([^<]+)</")
_OF_ONE_FILE = 3
_DRAWN = int(os.environ.get("RECORDED_IDENTIFIERS", "30"))


def recorded_identifiers(folder: Path) -> list[str]:
    """Return the first identifiers of every recorded answer, each once."""
    names: dict[str, None] = {}
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            for match in _IDENTIFIER.findall(file.read_bytes())[:_OF_ONE_FILE]:
                names[unescape(match.decode("utf-8", "replace")).strip()] = None
    return [*names]


@pytest.mark.unmeasured
@pytest.mark.slow
@pytest.mark.needs("../shared/data/oai")
def test_identifiers_of_recorded_repositories_are_resolved_with_every_suffix(house: House) -> None:
    names = recorded_identifiers(SHARED / "data")
    assert len(names) > 250
    if _DRAWN:
        names = Random(SEED).sample(names, _DRAWN)
    house.harness.send(*(Sent(name, dc(f"Number {number}")) for number, name in enumerate(names)))
    house.harness.publish()
    for number, name in enumerate(names):
        identifier = local_identifier("gateway.example.org", "laro", name)
        for suffix in SUFFIXES:
            answer = house.get(f"/{in_path(identifier)}{suffix}")
            assert answer.status_code == 303, (name, suffix)
            place = answer.headers["Location"].partition("#")[0]
            assert place.startswith(("/items/", "/metadata/", "/browse?")), place
            assert house.get(place).status_code == 200, place
            if suffix in ("", ".resource"):
                assert parsed(house.page(place)).findtext(".//h1") == f"Number {number}"
        page = house.get(f"/resolve?id={in_query(name)}").headers["Location"]
        assert parsed(house.page(page)).findtext(".//h1") == f"Number {number}"
