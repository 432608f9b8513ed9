"""A copy of a file leads to the pages of its items and to their link sets, as long as an item names it."""

from typing import Any

import pytest

from gateway.core.settings import place_of_copy
from gateway.core.typed_links import JSON, MOST_BYTES, TEXT, links_of_header, links_of_json, links_of_text
from tests.page_house import FOUND, ITEM, House
from tests.rows import each_row

URL = f"https://gateway.example.org/files/{FOUND.sha256}"
COPY = FOUND._replace(copy_url=URL)


@pytest.fixture
def settings() -> dict[str, Any]:
    return {"files_serve": True}


@pytest.fixture
def copied(house: House) -> House:
    """Publish two items that have the same file, and keep a copy of it."""
    place = place_of_copy(house.harness.folder, FOUND.sha256)
    place.parent.mkdir(parents=True)
    place.write_bytes(b"%PDF-1.7")
    for name in ("1", "2"):
        house.add(name)
        house.file(name, COPY)
    return house


def links(house: House) -> set[tuple[str, str]]:
    values = set()
    for method in ("HEAD", "GET"):
        with house.app.test_client().open(f"/files/{FOUND.sha256}", method=method) as answer:
            values.add(answer.headers["Link"])
    (value,) = values
    assert len(value) <= MOST_BYTES
    return {(link.rel, link.href) for link in links_of_header([value], URL)}


def expected(*names: str) -> set[tuple[str, str]]:
    pages = [f"https://gateway.example.org{ITEM}{name}" for name in names]
    return {
        link
        for page in pages
        for link in (("collection", page), ("linkset", f"{page}.linkset"), ("linkset", f"{page}.linkset.json"))
    }


OWN = {("linkset", f"{URL}.linkset"), ("linkset", f"{URL}.linkset.json")}


def test_a_copy_leads_to_all_living_items_that_name_it(copied):
    assert links(copied) == expected("1", "2")
    copied.harness.now += 5
    copied.delete("1")
    assert links(copied) == expected("2")
    copied.delete("2")
    assert copied.get(f"/files/{FOUND.sha256}").status_code == 404
    assert copied.get(f"/files/{FOUND.sha256}.linkset").status_code == 404
    assert "Link" not in copied.get(f"/files/{FOUND.sha256}").headers


def test_a_copy_of_very_many_items_leads_to_a_link_set_with_all_of_them(copied):
    names = [str(number) for number in range(1, 41)]
    for name in names[2:]:
        copied.add(name)
        copied.file(name, COPY)
    in_header = links(copied)
    assert in_header > OWN
    assert in_header - OWN == expected(*names[: (len(in_header) - 2) // 3])
    assert len(in_header) > 15
    (text, as_json) = (copied.get(f"/files/{FOUND.sha256}.{form}") for form in ("linkset", "linkset.json"))
    assert (text.content_type, as_json.content_type) == (TEXT, JSON)
    for every in (links_of_text(text.text, URL), links_of_json(as_json.json, URL)):
        of_set = list(every)
        assert {(link.rel, link.href) for link in of_set} == expected(*names)
        assert {link.anchor for link in of_set} == {URL}
    for ending in (".pdf", ".", "..linkset", ".linkset.", ".LINKSET"):
        assert copied.get(f"/files/{FOUND.sha256}{ending}").status_code == 404, ending


@each_row(
    "method, ranges, status, content",
    [
        ("GET", "bytes=0-3", 206, b"%PDF"), ("GET", "bytes=-3", 206, b"1.7"), ("GET", "bytes=99-", 416, None),
        ("GET", "bytes=0-1,4-5", 200, b"%PDF-1.7"), ("GET", "bytes=5-2", 200, b"%PDF-1.7"),
        ("GET", "lines=1-2", 200, b"%PDF-1.7"), ("HEAD", "bytes=0-3", 200, b""),
    ],
)  # fmt: skip
def test_a_part_of_a_copy_is_sent_to_those_who_ask_for_one(copied, method, ranges, status, content):
    with copied.app.test_client().open(f"/files/{FOUND.sha256}", method=method, headers={"Range": ranges}) as answer:
        assert answer.status_code == status
        assert content is None or answer.data == content
        assert status == 416 or answer.headers["Accept-Ranges"] == "bytes"
