"""Every item has one address; other spellings of it lead there, through proxies too."""

import re

import pytest

from gateway.core.names import local_identifier
from gateway.pages.item_places import in_path, in_query
from tests.page_house import ITEM, House, seen
from tests.rows import each_row


def titled(house: House, name: str) -> str:
    """Publish an item that has its upstream identifier as its title; return its identifier here."""
    house.add(name, title=f"Item [{name}]")
    return local_identifier("gateway.example.org", "laro", name)


def followed(house: House, path: str) -> tuple[str, str]:
    """Follow redirects as a browser does; return the last path and the page."""
    for _ in range(3):
        answer = house.get(path)
        if answer.status_code != 308:
            assert answer.status_code == 200, path
            return path, answer.text
        path = answer.headers["Location"]
        assert path.startswith("/")
    raise AssertionError(f"{path} is redirected again and again")


AWKWARD = [
    "plain", "oai:laro.example.org:LR-15-00055/B(2)", "10.1234/a;b", "http://x.org/a?b=c&d", "a//b", "/a", "a/", "//",
    "a b", "50%", "a%2Fb", "é", "日本", "a#b", "a?b", "?", "a+b", "it's", 'a"b', "a<c>", "a\\b", "..", "a/../b", "./a",
    "a.json", "a.html", "x.linkset.json", "a~b", "a:b@c", "$&,=!*", "-_.", "\x7f", "a\tb",
]  # fmt: skip


@each_row("name", AWKWARD)
def test_an_item_has_one_address_and_every_spelling_leads_there(house, name):
    identifier = titled(house, name)
    title = f"Item [{name}]"
    raw = "/items/" + in_path(identifier)
    spellings = [raw, f"/items/?identifier={in_query(identifier)}", raw.replace(":", "%3A"), raw.replace("(", "%28")]
    if not re.search(r"/\.{1,2}(/|$)", identifier):
        spellings.append(re.sub("/{2,}", "/", raw))  # as a proxy writes it
    ends = {followed(house, spelling)[0] for spelling in spellings}
    assert len(ends) == 1
    (ours,) = ends
    assert f'href="https://gateway.example.org{ours}"'.replace("&", "&amp;").replace("'", "&#39;") in house.page(ours)
    assert " ".join(title.replace("\x7f", "").split()) in seen(house.page(ours))


def test_items_that_differ_only_in_slashes_are_both_reached(house):
    one, two = titled(house, "a//b"), titled(house, "a/b")
    assert "Item [a/b]" in followed(house, f"/items/{two}")[1]
    path, page = followed(house, f"/items/{one}")
    assert "Item [a//b]" in page
    assert path == f"/items/?identifier={one}"


def test_an_ending_counts_only_if_no_item_has_that_very_identifier(house):
    titled(house, "a")
    assert house.get(f"{ITEM}a.json").json["identifier"].endswith("laro/a")
    titled(house, "a.json")
    assert "Item [a.json]" in house.page(f"{ITEM}a.json")
    assert house.get(f"{ITEM}a.bib").text.startswith("@misc{")
    page = house.page(f"{ITEM}a")
    assert "/items/?identifier=oai:gateway.example.org:laro/a&amp;format=json" in page
    assert house.get("/items/?identifier=oai:gateway.example.org:laro/a&format=json").json["title"] == "Item [a]"


@pytest.mark.parametrize("settings", [{"base_url": "https://example.org/gateway/oai"}])
def test_below_a_path_of_a_proxy_every_link_has_that_path(house, settings):
    """The proxy removes the path: the application is asked without it."""
    titled(house, "a")
    html = house.page(f"{ITEM}a")
    assert 'href="https://example.org/gateway/items/oai:gateway.example.org:laro/a"' in html
    assert 'href="/gateway/sources"' in html
    answer = house.get(f"{ITEM}a".replace(":", "%3A"))
    assert (answer.status_code, answer.headers["Location"]) == (308, f"/gateway{ITEM}a")


def test_an_item_with_a_very_long_identifier_has_a_page(house):
    titled(house, "a" * 20_000)
    assert "Item [aaa" in house.page(f"{ITEM}{'a' * 20_000}")


@each_row(
    "path",
    [
        "/items/" + "a" * 100_000, "/items/%FF%FE", "/items/%00", "/items/a%0d%0aX-Injected:1",
        "/items/?identifier=" + "a" * 100_000, "/items/?identifier=%FF", "/items/?identifier=x&format=exe",
        "/metadata/" + "a" * 10_000 + "/x", "/metadata/%FF/x", "/metadata/oai_dc/%F0%9F",
    ],
)  # fmt: skip
def test_an_address_that_nobody_would_write_is_not_found(house, path):
    titled(house, "a")
    answer = house.get(path)
    assert 400 <= answer.status_code < 500
    assert "X-Injected" not in answer.headers
