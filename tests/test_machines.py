"""Programs find every interface from the start page, and a true description of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest

from tests.page_house import House, opened
from tests.publish.desk import make_databases


@pytest.fixture
def house(tmp_path, ready_made) -> Iterator[House]:
    ready_made(tmp_path, make_databases)
    with opened(tmp_path, files_serve=True, hub=True, resourcesync_files=True) as house:
        house.add("1")
        house.desk.now += 5
        yield house


def test_the_start_page_leads_to_the_catalogue(house):
    link = house.get("/").headers["Link"]
    assert '<https://gateway.example.org/.well-known/api-catalog>; rel="api-catalog"' in link
    own = house.get("/.well-known/api-catalog").headers["Link"]
    assert link.startswith(own)
    assert house.app.test_client().head("/.well-known/api-catalog").headers["Link"] == own


def test_the_catalogue_is_a_link_set_of_our_interfaces(house):
    answer = house.get("/.well-known/api-catalog")
    profiles = "https://www.rfc-editor.org/info/rfc9727 https://signposting.org/FAIRiCat/"
    assert answer.content_type == f'application/linkset+json; profile="{profiles}"'
    (links,) = json.loads(answer.text).values()
    by_anchor = {entry["anchor"]: entry for entry in links}
    assert by_anchor["https://gateway.example.org/oai"]["service-meta"][0]["href"].endswith("/oai?verb=Identify")
    for entry in links:
        for rel in ("service-meta", "service-desc"):
            for target in entry.get(rel, ()):
                assert house.get(target["href"].removeprefix("https://gateway.example.org")).status_code == 200


# Pages for people, whose data are at addresses with `.json`; OAI-PMH, hubs and probes have protocols of their own.
NOT_DESCRIBED = {
    "/",
    "/help",
    "/browse",
    "/sets",
    "/formats",
    "/sources",
    "/sources/{name}",
    "/search",
    "/assets/{name}",
    "/oai",
    "/oai/",
    "/hub",
    "/websub/{token}",
    "/resourcesync/batch",
    "/healthz",
    "/readyz",
}


def test_every_address_of_the_machine_interface_is_described(house):
    described = json.loads(house.get("/openapi.json").text)["paths"].keys()
    # The addresses of the review are for people who have signed in.
    public = (rule for rule in house.app.url_map.iter_rules() if not rule.endpoint.startswith("review."))
    rules = {re.sub(r"<(?:path:|int:|part:)?(\w+)>", r"{\1}", rule.rule) for rule in public}
    names = {"{tail}": "{identifier}", "/oai:{identifier}": "/oai:{name}", "{digest}": "{sha256}"}
    for before, after in names.items():
        rules = {rule.replace(before, after) for rule in rules}
    endings = {f"/formats/{{prefix}}{ending}" for ending in ("", ".json")}
    assert rules - described - NOT_DESCRIBED - endings == set()
    assert {path for path in described - rules if not path.startswith("/items/{identifier}.")} == endings - {
        "/formats/{prefix}"
    }
