"""The list of copies: whole, filtered by its address, the same for people and programs, and nothing for strangers."""

import csv
import io
import json
from urllib.parse import quote, unquote

import pytest

from gateway.core.model import Role
from gateway.core.takedowns import Kind, Takedown
from tests.page_house import parsed, seen
from tests.review_house import Browser, browser, signed_in


def titles(reviewer: Browser, query: str = "") -> list[str]:
    facts = json.loads(reviewer.get(f"/review/copies.json{query}").text)
    return [copy["title"] for copy in facts["copies"]]


def status(reviewer: Browser, path: str) -> int:
    answer = reviewer.get(path)
    answer.close()
    return answer.status_code


def test_a_row_has_what_a_person_needs_to_decide(files, reviewer):
    files.add("1", "Corals <i>and</i> reefs", open_from="2027-01-31")
    page = reviewer.get("/review")
    text = seen(page.text)
    for words in (
        "Review: 1 file waits", "Corals and reefs", "Okafor, Ada", "laro", "1.pdf", "repository.example.net", "Green",
        "accepted", "cc-by", "Embargo until 31 January 2027", "0.40", "Unpaywall", "best_oa_location",
        "The score 0.4 is too low to decide.", "10 bytes", "Our copy",
    ):  # fmt: skip
        assert words in text, words
    row = parsed(page.text).get_element_by_id("decide")
    assert len(row.findall(".//tbody/tr")) == 1
    assert page.headers["Cache-Control"] == "no-store"


def test_filters_and_orders_are_in_the_address(files, reviewer):
    files.add("1", "B low", score=0.2, license="cc0")
    files.add("2", "A high", score=0.9, found_by="core")
    files.add("3", "C accepted", verdict="accept")
    assert titles(reviewer) == ["B low", "A high"]
    assert titles(reviewer, "?order=score") == titles(reviewer, "?order=title") == ["A high", "B low"]
    assert titles(reviewer, "?least_score=0,5") == titles(reviewer, "?step=core&license=cc-by") == ["A high"]
    every = "?verdict=any&colour=green&outcome=low-score&decided_by=rule&reason_has=TOO+LOW"
    assert titles(reviewer, every) == ["B low", "A high", "C accepted"]
    form = parsed(reviewer.get("/review?order=score&least_score=0.5&host=x").text).get_element_by_id("filters")
    fields = form.fields
    assert form.inputs["step"].value_options == ["", "core", "unpaywall"], "those of the files, and no others"
    assert [fields[name] for name in ("order", "least_score", "host", "verdict")] == ["score", "0.5", "x", "review"]


def test_data_is_for_users_only(house, files):
    signed_in(house.app, house.harness.folder)
    for path in ("/review/copies.json", "/review/copies.csv", "/review/decisions.csv"):
        assert browser(house.app).get(path).status_code == 401


def walked(reviewer: Browser, page: str, direction: str) -> tuple[list[list[str]], str]:
    """Return the rows of pages that follow each other, and the address of the last one."""
    pages, last = [], page
    while page:
        tree, last = parsed(reviewer.get(page).text), page
        pages.append([box.get("value") for box in tree.iterfind(".//input[@name='number']")])
        page = next((link.get("href") for link in tree.iterfind(f".//a[@rel='{direction}']")), "")
    return pages, last


def test_a_csv_has_a_row_for_each_copy_and_no_formula(files, reviewer):
    files.add(
        "1", '=HYPERLINK("http://evil")', url="https://x.example.net/-1+1.pdf", license="@x", evidence="+cmd|' /C'"
    )
    answer = reviewer.get("/review/copies.csv")
    assert answer.content_type == "text/csv; charset=UTF-8"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="copies.csv"'
    header, row = csv.reader(io.StringIO(answer.text))
    facts = dict(zip(header, row, strict=True))
    assert facts["title"] == '\'=HYPERLINK("http://evil")'
    assert (facts["file_name"], facts["license"], facts["evidence"]) == ("'-1+1.pdf", "'@x", "'+cmd|' /C'")


def test_a_manager_sees_the_files_of_the_own_sources_only(house, files):
    files.add("1", "Mine")
    files.add("2", "Theirs", source="reef")
    files.add("3", "Mine too", source="kelp")
    manager = signed_in(house.app, house.harness.folder, "M. Lund", Role.MANAGER, "laro", "kelp")
    assert titles(manager, "?order=title") == ["Mine", "Mine too"]
    assert titles(manager, "?source=reef") == []
    assert titles(manager, "?source=kelp") == ["Mine too"]
    page = parsed(manager.get("/review").text)
    assert [option.get("value") for option in page.iterfind(".//select[@id='source']/option")] == ["", "kelp", "laro"]


def test_a_file_that_is_taken_down_is_not_listed_and_its_copy_is_not_served(house, files, reviewer):
    file, other = files.add("1", "Gone"), files.add("2", "Stays")
    assert status(reviewer, f"/review/copies/{file.sha256}") == 200
    house.take_down(Takedown(Kind.SHA256, file.sha256, at="2026-01-01T00:00:00Z"))
    assert titles(reviewer) == ["Stays"]
    assert "Gone" not in reviewer.get("/review").text
    assert status(reviewer, f"/review/copies/{file.sha256}") == 451
    house.take_down(Takedown(Kind.IDENTIFIER, other.identifier, at="2026-01-01T00:00:00Z"))
    assert titles(reviewer) == []
    assert status(reviewer, f"/review/copies/{other.sha256}") == 451


@pytest.mark.slow
def test_no_address_of_a_page_names_what_is_taken_down(house, files, reviewer, monkeypatch):
    """The place of a page in its address is that of a file that is shown, so pages are full too."""
    for setting in ("PAGE", "_DATA_PAGE"):
        monkeypatch.setattr(f"gateway.review.copies_page.{setting}", 2)
    every = [files.add(f"{number}", f"Title{number}") for number in range(9)]
    gone = (1, 2, 3, 5, 8)
    house.take_down(*(Takedown(Kind.SHA256, every[number].sha256, at="2026-01-01T00:00:00Z") for number in gone))
    for order in ("identifier", "score", "title", "decided-at"):
        forwards, last = walked(reviewer, f"/review?order={order}", "next")
        backwards, first = walked(reviewer, last, "prev")
        assert [len(rows) for rows in forwards] == [2, 2]
        assert backwards == forwards[::-1]
        addresses = [f"/review?order={order}", last, first, f"/review/copies.json?order={order}"]
        answers = [reviewer.get(address) for address in addresses]
        texts = unquote(" ".join([*addresses, *(answer.text + answer.headers.get("Link", "") for answer in answers)]))
        assert "Title0" in texts
        assert [number for number in gone if f"Title{number}" in texts or f"/{number}.pdf" in texts] == [], order


def test_a_copy_is_saved_and_never_shown_in_our_origin(files, reviewer):
    html = files.add("1", body=b"<html><script>alert(1)</script>")
    pdf = files.add("2")
    for file, content_type, ending in ((html, "application/octet-stream", "bin"), (pdf, "application/pdf", "pdf")):
        answer = reviewer.get(f"/review/copies/{file.sha256}")
        answer.close()
        assert (answer.status_code, answer.content_type) == (200, content_type)
        assert answer.headers["Content-Disposition"] == f"attachment; filename={file.sha256}.{ending}"
        assert "sandbox" in answer.headers["Content-Security-Policy"]
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Cache-Control"] == "no-store"
        assert "Access-Control-Allow-Origin" not in answer.headers


def test_a_copy_needs_a_login_and_a_file_of_the_users_sources(house, files):
    file = files.add("1")
    manager = signed_in(house.app, house.harness.folder, "M. Lund", Role.MANAGER, "kelp")
    assert manager.get(f"/review/copies/{file.sha256}").status_code == 404
    assert browser(house.app).get(f"/review/copies/{file.sha256}").status_code == 303


def test_only_a_digest_names_a_copy(files, reviewer):
    for name in ("x", "0" * 64, "AB" * 32, "..%2fstore.sqlite", "../../store.sqlite", "%00", "ab" * 31 + "/x"):
        assert reviewer.get(f"/review/copies/{name}").status_code == 404


def test_characters_that_turn_a_text_around_are_named(files, reviewer):
    files.add("1", "A\u202etitle", url="https://x.example.net/" + quote("a\u202efdp.exe"), authors="\u2066x")
    text = seen(reviewer.get("/review").text)
    assert "A[U+202E]title" in text
    assert "a[U+202E]fdp.exe" in text
    assert "[U+2066]x" in text
