"""Crawlers find every page that they may index, in parts that stay the same when something new is published."""

from datetime import UTC, datetime

import pytest
from lxml import etree
from protego import Protego

from gateway.pages.crawlers import parts
from tests.page_house import FOUND
from tests.rows import each_row

NAMESPACE = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


PREFIXES = ("oai_dc", "oai_didl")


def places(house, path: str) -> list[str]:
    answer = house.get(path)
    assert answer.content_type == "application/xml; charset=UTF-8"
    root = etree.fromstring(answer.data)
    assert {element.tag for element in root.iter()} <= {
        NAMESPACE + name for name in ("urlset", "url", "sitemapindex", "sitemap", "loc", "lastmod")
    }
    return [element.text for element in root.iter(f"{NAMESPACE}loc")]


def listed(house) -> list[str]:
    root = "https://gateway.example.org"
    return [page for part in places(house, "/sitemap.xml") for page in places(house, part.removeprefix(root))]


def test_only_items_with_a_file_that_we_found_or_hold_are_listed(house):
    house.add("1")
    house.file("1", FOUND)
    house.add("2", "<dc:identifier>http://laro.example.org/2.pdf</dc:identifier>")
    house.add("3")
    assert listed(house) == ["https://gateway.example.org/items/oai:gateway.example.org:laro/1"]


@pytest.mark.parametrize("settings", [{"landing_index": True}])
def test_all_living_items_are_listed_if_all_are_indexed(house, settings):
    for name in "123":
        house.add(name)
    house.harness.now += 5
    house.delete("2")
    assert [page[-1] for page in listed(house)] == ["1", "3"]


def test_what_is_listed_is_indexed_and_may_be_read(house):
    house.add("http://x.org/a")
    house.file("http://x.org/a", FOUND)
    robots = Protego.parse(house.page("/robots.txt"))
    for page in listed(house):
        assert robots.can_fetch(page, "Googlebot")
        path = page.removeprefix("https://gateway.example.org")
        assert "noindex" not in house.page(path)
    lists = [f"https://gateway.example.org/resourcesync/{prefix}/source/resourcelist.xml" for prefix in PREFIXES]
    assert list(robots.sitemaps) == ["https://gateway.example.org/sitemap.xml", *lists]
    assert robots.can_fetch("https://gateway.example.org/oai?verb=ListRecords&metadataPrefix=oai_dc", "CORE")
    assert robots.can_fetch("https://gateway.example.org/search?q=x", "Googlebot")
    assert not robots.can_fetch("https://gateway.example.org/search?q=x&year=2020", "Googlebot")


def test_parts_of_the_past_stay_the_same(house):
    house.add("1")
    house.file("1", FOUND)
    first = [house.get(place.removeprefix("https://gateway.example.org")) for place in places(house, "/sitemap.xml")]
    house.harness.now += 40 * 86_400
    house.add("2")
    house.file("2", FOUND)
    second = [house.get(place.removeprefix("https://gateway.example.org")) for place in places(house, "/sitemap.xml")]
    assert len(second) == 2
    assert second[0].headers["ETag"] == first[0].headers["ETag"]


@each_row("name", ["2026-13", "2026-02-30", "x", "2026", "2026-11-24T25", "0000-01", "2026-11.0", "9999-12-31T23"])
def test_a_part_that_does_not_exist_is_not_found_or_empty(house, name):
    answer = house.get(f"/sitemaps/{name}.xml")
    assert answer.status_code == 404 or places(house, f"/sitemaps/{name}.xml") == []


# --- parts --------------------------------------------------------------------------------------------------------


def tallies_of(records: dict[int, int]):
    """Return the tallies of records by their seconds."""

    def tallies(span: int, first: int, last: int) -> list[tuple[int, int]]:
        sums: dict[int, int] = {}
        for second, count in sorted(records.items()):
            start = second // span * span
            if first <= start <= last:
                sums[start] = sums.get(start, 0) + count
        return list(sums.items())

    return tallies


def at(year: int, month: int, day: int, hour: int = 0, minute: int = 0, second: int = 0) -> int:
    return int(datetime(year, month, day, hour, minute, second, tzinfo=UTC).timestamp())


def test_a_month_is_divided_only_where_it_has_too_many():
    records = {
        at(2025, 1, 3): 10_000, at(2025, 2, 1): 1, at(2025, 3, 1): 9_000, at(2025, 3, 2, 5): 6_000,
        at(2025, 3, 2, 6, 1, 1): 4_000, at(2025, 3, 2, 6, 1, 2): 10_000, at(2025, 3, 2, 7, 0, 0): 25_001,
    }  # fmt: skip
    assert [part.name for part in parts(tallies_of(records), at(2026, 1, 1))] == [
        "2025-01", "2025-02", "2025-03-01", "2025-03-02T05", "2025-03-02T060101", "2025-03-02T060102",
        "2025-03-02T070000.1", "2025-03-02T070000.2", "2025-03-02T070000.3",
    ]  # fmt: skip
