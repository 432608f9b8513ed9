"""Programs find every interface from the start page, and a true description of it."""

import json
from collections.abc import Iterator

import pytest

from tests.page_house import House, opened
from tests.publish.harness import make_databases


@pytest.fixture
def house(tmp_path, ready_made) -> Iterator[House]:
    ready_made(tmp_path, make_databases)
    with opened(tmp_path, files_serve=True, hub=True, resourcesync_files=True) as house:
        house.add("1")
        house.harness.now += 5
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
