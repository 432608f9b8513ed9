"""The list of takedowns, as a page, as JSON and as CSV: everything is on it once, and it says what is not done yet."""

import csv
import io
import json
import sqlite3
from contextlib import closing
from typing import Any

import pytest

from gateway.core.model import Role
from tests.page_house import House, parsed, seen
from tests.publish.harness import Sent
from tests.review.test_takedown_pages import ITEM, LIST, _agree
from tests.review_house import Browser, signed_in
from tests.rows import each_row


@pytest.fixture
def filled(house: House, monkeypatch: pytest.MonkeyPatch) -> House:
    """Return a house with two items in the same blocks of the store."""
    monkeypatch.setenv("GATEWAY_CLOCK_MAX_JUMP_SECONDS", "0")  # the clock of the house stands elsewhere
    house.harness.send(Sent("1"), Sent("2"))
    house.harness.publish()
    return house


@pytest.fixture
def administrator(filled: House) -> Browser:
    return signed_in(filled.app, filled.harness.folder, "R. Vos", Role.ADMINISTRATOR)


@each_row(
    "after, first, links",
    [("", 119, ["after=70"]), ("70", 69, ["takedowns", "after=20"]), ("20", 19, ["after=70"])],
)
def test_a_long_list_has_several_pages(filled, administrator, after, first, links):
    _write_list(filled, 120)
    page = administrator.get(f"{LIST}?{_place(f'after={after}' if after else '')}").text
    assert len(page) < 100_000
    assert f"10.1/{first:05}" in page.replace("<wbr>", "")
    hrefs = [link.get("href") for link in parsed(page).iterfind(".//main//nav//a") if "rel" in link.attrib]
    assert [href.rpartition("?")[2].rpartition("/")[2] for href in hrefs] == list(map(_place, links))


def _place(link: str) -> str:
    """Return the query of a link in which `after` is the number of an entry of `_write_list`, counted from 0."""
    name, sign, number = link.partition("=")
    if not sign:
        return link
    at = f"2026-01-01T{int(number) // 3600:02}%3A{int(number) % 3600 // 60:02}%3A00Z"
    return f"{name}={at}.{int(number) + 1}"


@each_row(
    "after",
    ["1999-01-01T00:00:00Z.1", "x", "-1", "9" * 30, "%00", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z.x"],
)
def test_a_place_that_is_none_is_the_beginning_of_the_list(filled, administrator, after):
    _write_list(filled, 3)
    assert "10.1/00002" in administrator.get(f"{LIST}?after={after}").text.replace("<wbr>", "")


def _write_list(house: House, count: int, **more: Any) -> None:
    """Write a list of takedowns as a command does."""
    entries = [
        {"kind": "doi", "value": f"10.1/{number:05}", "source": "", "reason": "x" * 600, "items": [], "files": [],
         "at": f"2026-01-01T{number // 3600:02}:{number % 3600 // 60:02}:00Z", "removed_at": ""} | more
        for number in range(count)
    ]  # fmt: skip
    (house.harness.folder / "takedowns.json").write_text(json.dumps({"takedowns": entries}))


def _walked(page: Browser, path: str) -> list[str]:
    """Return the targets of all pages of data."""
    values: list[str] = []
    while path:
        answer = page.get(path)
        values += [row["value"] for row in answer.json["takedowns"]]
        path = answer.json["next"] or ""
        assert answer.headers.get("Link", "") == (f'<{path}>; rel="next"' if path else "")
    return values


def test_the_list_as_data_has_every_takedown_once(filled, administrator):
    _write_list(filled, 2_100)
    values = _walked(administrator, f"{LIST}.json")
    assert values == [f"10.1/{number:05}" for number in reversed(range(2_100))]
    rows = list(csv.DictReader(io.StringIO(administrator.get(f"{LIST}.csv").text)))
    assert [row["value"] for row in rows] == values[:1_000]
    page = administrator.get(LIST).text
    assert f'href="{LIST}.json"' in page
    assert f'href="{LIST}.csv"' in page


def test_takedowns_as_data_are_those_of_the_page(filled, administrator):
    _agree(administrator, f"item={ITEM}1", comment="=1+1")
    row = administrator.get(f"{LIST}.json").json["takedowns"][0]
    assert row == {
        "kind": "identifier", "value": f"{ITEM}1", "source": "", "reason": "Order of a court or an authority: =1+1",
        "at": row["at"], "by": "R. Vos", "is_done": True, "state": row["state"], "removed_at": "", "removed_by": "",
         "items": [f"{ITEM}1"], "files": [],
    }  # fmt: skip
    assert row["state"]["headline"] == "Withdrawn"
    (line,) = csv.DictReader(io.StringIO(administrator.get(f"{LIST}.csv").text))
    assert (line["value"], line["is_done"], line["items"]) == (f"{ITEM}1", "True", f"{ITEM}1")


def _damage(house: House, change: str) -> None:
    """Change all blocks of the store."""
    with house.harness.store._file.writing() as session:
        session.execute(change)


def test_the_list_says_that_damaged_blocks_may_still_have_what_was_taken_down(filled, administrator):
    """The page and its data say it for as long as it is so, as `harvester takedown` does."""
    assert administrator.get(f"{LIST}.json").json["damaged_blocks"] == 0
    _damage(filled, "update body set crc = crc + 1")
    answer = _agree(administrator, f"item={ITEM}1")
    assert answer.headers["Location"] == f"{LIST}?done=done"
    number = administrator.get(f"{LIST}.json").json["damaged_blocks"]
    assert number > 1
    left = f"Not everything is erased. Nobody gets what was taken down, but {number} damaged blocks of the file"
    assert left in seen(administrator.get(answer.headers["Location"]).text)
    page = seen(administrator.get(LIST).text)
    assert left in page
    assert "gateway check names their items, and gateway rebuild removes the blocks." in page
    _damage(filled, "update block set holes = null")
    assert "damaged" not in seen(administrator.get(LIST).text)


def test_the_list_says_that_a_reader_keeps_what_was_taken_down_in_the_files(filled, administrator):
    """Nobody reads the log for a person who takes something down on a page."""
    left = "Not everything is erased. Nobody gets what was taken down, but the files of the store still have it"
    with closing(sqlite3.connect(filled.harness.folder / "store.sqlite", isolation_level=None)) as reader:
        reader.execute("begin")
        reader.execute("select count(*) from block").fetchone()
        _agree(administrator, f"item={ITEM}1")
        assert left in seen(administrator.get(LIST).text)
        assert administrator.get(f"{LIST}.json").json["is_erasure_open"] is True
    assert filled.harness.store.finish_erasure()
    assert left not in seen(administrator.get(LIST).text)
    assert administrator.get(f"{LIST}.json").json["is_erasure_open"] is False


def test_no_cell_of_takedowns_is_a_formula(filled, administrator):
    _write_list(filled, 1, value="=cmd|' /C calc'!A0", reason="@SUM(1)", by="+1")
    (line,) = csv.DictReader(io.StringIO(administrator.get(f"{LIST}.csv").text))
    assert [line[name][:2] for name in ("value", "reason", "by")] == ["'=", "'@", "'+"]


REMOVED = {"removed_at": "2026-02-02T00:00:00Z", "removed_by": "root <b>"}


def test_removed_entries_are_shown_on_request_with_who_removed_them(filled, administrator):
    """Without the request, the page and its data have the entries in force alone."""
    _write_list(filled, 2, **REMOVED)
    page = administrator.get(LIST).text
    assert "Nothing is taken down." in seen(page)
    assert administrator.get(f"{LIST}.json").json["takedowns"] == []
    (link,) = (one.get("href") for one in parsed(page).iterfind(".//main//a") if "removed=" in one.get("href"))
    page = administrator.get(link).text
    assert "0 takedowns in force" in seen(page)
    assert seen(page).count("Removed 2 February 2026") == 2
    assert "root <b>" in seen(page)
    (row, _) = administrator.get(f"{LIST}.json?removed=with").json["takedowns"]
    assert {name: row[name] for name in REMOVED} == REMOVED
    (line, _) = csv.DictReader(io.StringIO(administrator.get(f"{LIST}.csv?removed=with").text))
    assert line["removed_by"] == "root <b>"
    assert f'href="{LIST}.json?removed=with"' in page
