"""The search for people and for programs: a form, results, filters, and feeds of the same results."""

import csv
import io
import json

import pytest
from lxml import etree

from gateway.search.following import IndexKeeper
from gateway.search.indexing import describe
from tests.page_house import FOUND, parsed, seen, statement
from tests.pages.items.test_tried import searched
from tests.rows import each_row

ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture
def library(house):
    """Return a house with thirteen items about corals, and its search index."""
    for number in range(12):
        house.add(
            f"{number:02}", statement("creator", "Okafor, Ada"), statement("creator", "Lindqvist, Märta"),
            statement("date", str(2010 + number)), statement("type", "Article" if number % 2 else "Thesis"),
            statement("description", "About <i>reefs</i> & lagoons"), title=f"Coral number {number:02}",
            sets=("physics",),
        )  # fmt: skip
    house.add("doi", statement("identifier", "https://doi.org/10.5555/coral"), title="=Coral 'with' <b>a</b> DOI")
    house.file("00", FOUND)
    keeper = IndexKeeper(house.harness.folder, describe)
    while not keeper.advance(house.harness.store):
        pass
    return house


def titles(html: str) -> list[str]:
    return [" ".join(link.text_content().split()) for link in parsed(html).iterfind(".//ol[@class='hits']//h3/a")]


def test_results_are_shown_with_what_people_choose_by(library):
    html = library.page("/search?q=coral+00")
    assert titles(html) == ["Coral number 00"]
    text = seen(html)
    for words in ("1 result for", "Okafor, Ada; Lindqvist, Märta", "2010", "Thesis", "1 file", "CC BY 4.0"):
        assert words in text, words
    assert "About reefs & lagoons" in text
    assert "noindex" in html


def test_a_result_without_a_file_says_how_the_search_for_one_stands(library):
    assert "Not searched" in seen(library.page("/search?q=coral+01"))
    searched(library, identifier="oai:gateway.example.org:laro/01")
    assert "No file was found" in seen(library.page("/search?q=coral+01"))


def test_results_are_in_pages_and_none_is_missed(library):
    path, found_titles = "/search?q=coral&order=date", []
    for _ in range(5):
        tree = parsed(library.page(path))
        found_titles += titles(library.page(path))
        following = tree.find(".//a[@rel='next']")
        if following is None:
            break
        path = following.get("href")
    assert len(found_titles) == len(set(found_titles)) == 13
    assert found_titles[0] == "Coral number 11"
    assert parsed(library.page(path)).find(".//a[@rel='prev']") is not None


def test_filters_are_check_boxes_and_no_links(library):
    tree = parsed(library.page("/search?q=coral"))
    boxes = {(box.get("name"), box.get("value")) for box in tree.iterfind(".//input[@type='checkbox']")}
    assert {("type", "article"), ("type", "thesis"), ("source", "laro"), ("file", "1")} <= boxes
    links = [a.get("href") for a in tree.iter("a")]
    assert not [link for link in links if "type=" in link]
    assert len(titles(library.page("/search?q=coral&type=article"))) == 6
    assert len(titles(library.page("/search?q=coral&file=1"))) == 1
    assert len(titles(library.page("/search?q=coral&from=2012&until=2014"))) == 3


OPERATORS = ('"', "AND OR NOT", "NEAR(a b)", "coral*", "title:coral", "^coral", "(", "{a b}", "a - b", "coral\x00")


@each_row("query", OPERATORS)
def test_operators_are_words(library, query):
    assert library.get("/search", query_string={"q": query}).status_code == 200


@each_row(
    "query, status",
    [
        ("q=" + "a" * 401, 400),
        ("q=a&from=x", 400),
        ("q=a&from=-1", 400),
        ("q=a&after=x", 400),
        ("q=a&" + "&".join(f"set=s{number}" for number in range(200)), 400),
        ("q=a&" + "&".join(f"set=s{number}" for number in range(1000)), 414),
        ("q=%FF%FE", 400),
    ],
)
def test_what_cannot_be_searched_is_a_clear_error(library, query, status):
    answer = library.get(f"/search?{query}")
    assert answer.status_code == status
    parsed(answer.text)


def test_the_same_results_are_json_csv_and_atom(library):
    data = json.loads(library.page("/search.json?q=coral"))
    assert (data["total"], len(data["results"])) == (13, 13)
    rows = list(csv.DictReader(io.StringIO(library.page("/search.csv?q=coral"))))
    assert len(rows) == 13
    assert {row["title"] for row in rows} >= {"'=Coral 'with' a DOI", "Coral number 03"}
    feed = etree.fromstring(library.get("/search.atom?q=coral").data)
    assert len(feed.findall(f"{ATOM}entry")) == 13
    assert feed.findtext(f"{ATOM}title") == "Search: coral"


def test_a_doi_is_found_and_resolved(library):
    assert len(titles(library.page("/search?q=doi:10.5555/CORAL"))) == 1
    for text in ("10.5555/coral", "doi:10.5555/coral", "https://doi.org/10.5555/coral"):
        assert library.get(f"/resolve?id={text}").headers["Location"].endswith("laro/doi")


def test_without_an_index_the_page_says_so(house):
    house.add("1")
    for path in ("/search?q=a", "/search.json?q=a", "/resolve?id=10.5555/coral"):
        assert house.get(path).status_code == 503


@pytest.mark.parametrize("settings", [{"browse_search": False}])
def test_a_search_that_is_switched_off_is_nowhere(house, settings):
    house.add("1")
    assert house.get("/search?q=a").status_code == 404
    assert 'role="search"' not in house.page("/")


def test_an_item_that_was_deleted_a_moment_ago_is_left_out(library):
    library.harness.now += 5
    library.delete("03")
    shown = titles(library.page("/search?q=coral&order=date&after="))
    assert shown
    assert "Coral number 03" not in titles(library.page("/search?q=03"))
