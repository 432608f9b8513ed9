"""An item may have a hundred thousand files: its page stays small, its link sets are whole.

Its DIDL needs more memory than one record may, although what was harvested did not.
"""

from __future__ import annotations

import json

import pytest

from gateway.typed_links import MOST_BYTES, links_of_header, links_of_text
from tests.page_house import House, parsed, seen, statement

pytestmark = [pytest.mark.slow, pytest.mark.unmeasured]

TOO_LARGE = "This record is too large"


def published(house: House, count: int) -> str:
    return house.add("1", *(statement("identifier", f"https://laro.example.org/{n}.pdf") for n in range(count)))


def test_every_form_of_an_item_of_many_files_is_answered(house):
    count = 50_000
    path = published(house, count)
    html = house.page(path)
    parsed(html)
    assert len(html.encode()) < 100_000
    assert TOO_LARGE not in seen(html)
    data = house.get(f"{path}.json").json
    assert data["complete"]
    assert len(data["files"]) == count
    for form in ("", ".json", ".jsonld", ".bib", ".ris", ".csl.json", ".files", ".authors"):
        answer = house.get(path + form)
        assert answer.status_code == 200, form
        assert len(answer.headers.get("Link", "")) <= MOST_BYTES, form


def test_the_link_sets_of_a_hundred_thousand_files_name_all_of_them(house):
    path = published(house, 100_000)
    page = f"https://gateway.example.org{path}"
    wanted = {f"https://laro.example.org/{n}.pdf" for n in range(100_000)}
    (header,) = {house.app.test_client().open(path, method=way).headers["Link"] for way in ("GET", "HEAD")}
    links = list(links_of_header([header], page))
    assert {link.href for link in links if link.rel == "item"} < wanted
    text = house.page(f"{path}.linkset")
    assert {link.href for link in links_of_text(text, page) if (link.rel, link.anchor) == ("item", page)} == wanted
    (contexts,) = json.loads(house.page(f"{path}.linkset.json")).values()
    of_files = {context["anchor"]: context["collection"] for context in contexts if "collection" in context}
    assert of_files.keys() == wanted
