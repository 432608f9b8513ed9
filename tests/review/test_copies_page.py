"""The list of copies: whole, filtered by its address, the same for people and programs, and nothing for strangers."""

from __future__ import annotations

import csv
import io
import json
from urllib.parse import quote, unquote

import pytest

from gateway.model import FoundCopy, Role
from gateway.takedowns import Kind, Takedown
from tests.page_house import parsed, seen
from tests.review_house import Browser, browser, signed_in

COPY = "/review/copies/"


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


def test_an_empty_list_leads_to_the_decisions(reviewer):
    page = reviewer.get("/review")
    assert "Nothing waits." in seen(page.text)
    assert "No file matches these filters." in seen(reviewer.get("/review?host=nowhere").text)


def test_filters_and_orders_are_in_the_address(files, reviewer):
    files.add("1", "B low", score=0.2, license="cc0")
    files.add("2", "A high", score=0.9, found_by="core")
    files.add("3", "C accepted", verdict="accept")
    assert titles(reviewer) == ["B low", "A high"]
    assert titles(reviewer, "?order=score") == ["A high", "B low"]
    assert titles(reviewer, "?order=title") == ["A high", "B low"]
    assert titles(reviewer, "?least_score=0,5") == ["A high"]
    assert titles(reviewer, "?step=core&license=cc-by") == ["A high"]
    assert titles(reviewer, "?license=CC0") == ["B low"]
    assert titles(reviewer, "?verdict=accept") == ["C accepted"]
    assert titles(reviewer, "?verdict=any&colour=green&outcome=low-score&decided_by=rule") == [
        "B low",
        "A high",
        "C accepted",
    ]
    assert titles(reviewer, "?colour=unknown") == []
    assert titles(reviewer, "?reason_has=TOO+LOW") == ["B low", "A high"]
    fields = parsed(reviewer.get("/review?order=score&least_score=0.5&host=x").text).get_element_by_id("filters").fields
    assert (fields["order"], fields["least_score"], fields["host"], fields["verdict"]) == (
        "score",
        "0.5",
        "x",
        "review",
    )


def test_a_shared_address_shows_its_filters_to_who_has_no_such_choice(house, files):
    files.add("1", source="reef")
    manager = signed_in(house.app, house.desk.folder, "M. Lund", Role.MANAGER, "laro")
    for name, value in (("source", "reef"), ("step", "CORE")):
        fields = parsed(manager.get(f"/review?{name}={value}").text).get_element_by_id("filters").fields
        assert (fields[name], fields["order"]) == (value, "identifier")
    page = manager.get("/review/decisions?source=reef")
    assert parsed(page.text).get_element_by_id("filters").fields["source"] == "reef"


def test_a_filter_that_is_none_is_refused_in_a_sentence(reviewer):
    for path in ("/review", "/review/copies.json", "/review/copies.csv"):
        answer = reviewer.get(f"{path}?least_score=high")
        assert answer.status_code == 400
        assert "least_score is a number from 0 to 1" in answer.text


def test_data_is_for_users_only(house, files):
    signed_in(house.app, house.desk.folder)
    for path in ("/review/copies.json", "/review/copies.csv", "/review/decisions.csv"):
        assert browser(house.app).get(path).status_code == 401


@pytest.mark.parametrize("form", ["json", "csv"])
def test_the_ending_of_a_form_at_the_address_of_the_list_leads_to_the_data(house, files, form):
    """The cookie is for `/review` and below, so a browser does not send it to `/review.json`."""
    reviewer = signed_in(house.app, house.desk.folder)
    file = files.add("1", "Corals", score=0.7)
    files.add("2", "Reefs", score=0.2)
    for reader in (reviewer, browser(house.app)):
        answer = reader.get(f"/review.{form}?order=title&least_score=0.5&reason_has=a%26b%2Bc")
        assert answer.status_code == 303
        to = answer.headers["Location"]
        assert to == f"/review/copies.{form}?order=title&least_score=0.5&reason_has=a%26b%2Bc"
        assert not {"Set-Cookie", "Access-Control-Allow-Origin"} & set(answer.headers.keys())
    assert reviewer.get(f"/review.{form}").headers["Location"] == f"/review/copies.{form}"
    data = reviewer.get(reviewer.get(f"/review.{form}?least_score=0.5").headers["Location"]).text
    assert (file.identifier in data, "Reefs" in data) == (True, False)
    assert reviewer.post(f"/review.{form}").status_code in (401, 404)


def walked(reviewer: Browser, page: str, direction: str) -> tuple[list[list[str]], str]:
    """Return the rows of pages that follow each other, and the address of the last one."""
    pages, last = [], page
    while page:
        tree, last = parsed(reviewer.get(page).text), page
        pages.append([box.get("value") for box in tree.iterfind(".//input[@name='number']")])
        page = next((link.get("href") for link in tree.iterfind(f".//a[@rel='{direction}']")), "")
    return pages, last


@pytest.mark.slow
def test_pages_follow_each_other_forwards_and_backwards(house, files, reviewer, monkeypatch):
    monkeypatch.setattr("gateway.review.copies_page.PAGE", 2)
    for number in range(5):
        files.add(f"{number}", f"Title {number // 2}", score=number // 2 / 10, source=("laro", "reef")[number % 2])
    manager = signed_in(house.app, house.desk.folder, "M. Lund", Role.MANAGER, "laro", "reef")
    for person in (reviewer, manager):
        for order in ("identifier", "score", "title", "decided-at"):
            forwards, last = walked(person, f"/review?order={order}&verdict=any", "next")
            assert [len(rows) for rows in forwards] == [2, 2, 1]
            assert len({row for rows in forwards for row in rows}) == 5
            backwards, first = walked(person, last, "prev")
            assert [row for rows in backwards[::-1] for row in rows] == [row for rows in forwards for row in rows]
            assert "Previous page" not in person.get(first).text


def test_the_name_of_a_list_is_marked_on_all_of_its_pages(files, reviewer, monkeypatch):
    monkeypatch.setattr("gateway.review.copies_page.PAGE", 1)
    files.add("1")
    files.add("2")
    for page in ("/review", "/review?order=score"):
        first = parsed(reviewer.get(page).text)
        (following,) = first.xpath("//a[@rel='next']/@href")
        marked = [tree.xpath("//a[@aria-current]/text()") for tree in (first, parsed(reviewer.get(following).text))]
        assert marked == [["Copies", "Waiting, best first" if "score" in page else "Waiting"]] * 2


def test_a_score_in_an_address_is_the_score_on_every_page(files, reviewer, monkeypatch):
    monkeypatch.setattr("gateway.review.copies_page._DATA_PAGE", 1)
    for number in range(3):
        files.add(f"{number}", score=0.123456789)
    facts = json.loads(reviewer.get("/review/copies.json?least_score=0.123456789").text)
    assert len(json.loads(reviewer.get(facts["next"]).text)["copies"]) == 1


def test_after_the_last_decision_on_a_page_the_list_begins_anew(files, reviewer, monkeypatch):
    monkeypatch.setattr("gateway.review.copies_page.PAGE", 2)
    last = [files.add(f"{number}", f"Title {number}") for number in range(3)][-1]
    (following,) = parsed(reviewer.get("/review").text).xpath("//a[@rel='next']/@href")
    reviewer.get(following)
    back = reviewer.post("/review/decide", row=f"accept {files.last(last).number}", next=following).headers["Location"]
    text = seen(reviewer.get(back).text)
    assert [words in text for words in ("Accepted: Title 2", "2 files wait", "Title 0", "Title 1")] == [True] * 4


def test_the_number_of_files_is_counted_up_to_a_limit(files, reviewer, monkeypatch):
    for number in range(3):
        files.add(f"{number}")
    assert "Review: 3 files wait" in seen(reviewer.get("/review").text)
    monkeypatch.setattr("gateway.review.copies_page.PAGE", 1)
    assert "Review: 3 files wait" in seen(reviewer.get("/review").text)
    monkeypatch.setattr("gateway.review.copies_page._MOST_COUNTED", 2)
    assert "Review: more than 2 files wait" in seen(reviewer.get("/review").text)


def test_a_file_on_which_nothing_is_decided_is_shown_without_buttons(files, reviewer):
    files.desk.list_copies(
        [FoundCopy("oai:gateway.example.org:laro/1", "https://x.example.net/a", "laro", "Corals")], None
    )
    page = reviewer.get("/review?verdict=any")
    assert "No decision is possible yet" in seen(page.text)
    assert "Corals" in seen(page.text)
    assert not list(parsed(page.text).iterfind(".//button[@name='row']"))
    assert "No file is left to decide on" in seen(reviewer.get("/review/batch?verb=accept&all=1&verdict=any").text)


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


def test_data_is_paged_with_a_link(files, reviewer, monkeypatch):
    monkeypatch.setattr("gateway.review.copies_page._DATA_PAGE", 2)
    for number in range(5):
        files.add(f"{number}", f"Title {number}")
    page, names = "/review/copies.json", []
    while page:
        answer = reviewer.get(page)
        document = json.loads(answer.text)
        names += [copy["title"] for copy in document["copies"]]
        page = document["next"]
        assert answer.headers.get("Link", "") == (f'<{page}>; rel="next"' if page else "")
    assert names == [f"Title {number}" for number in range(5)]
    assert reviewer.get("/review/copies.csv").headers["Link"].endswith('rel="next"')


def test_a_manager_sees_the_files_of_the_own_sources_only(house, files):
    files.add("1", "Mine")
    files.add("2", "Theirs", source="reef")
    files.add("3", "Mine too", source="kelp")
    manager = signed_in(house.app, house.desk.folder, "M. Lund", Role.MANAGER, "laro", "kelp")
    assert titles(manager, "?order=title") == ["Mine", "Mine too"]
    assert titles(manager, "?source=reef") == []
    assert titles(manager, "?source=kelp") == ["Mine too"]
    page = parsed(manager.get("/review").text)
    assert [option.get("value") for option in page.iterfind(".//select[@id='source']/option")] == ["", "kelp", "laro"]


def test_a_manager_of_several_sources_has_one_list_page_after_page(house, files, monkeypatch):
    monkeypatch.setattr("gateway.review.copies_page._DATA_PAGE", 2)
    for number in range(6):
        files.add(f"{number}", f"Title {number}", source=("laro", "reef", "wood")[number % 3])
    manager = signed_in(house.app, house.desk.folder, "M. Lund", Role.MANAGER, "laro", "wood")
    first = json.loads(manager.get("/review/copies.json?order=title").text)
    second = json.loads(manager.get(first["next"]).text)
    shown = [copy["title"] for page in (first, second) for copy in page["copies"]]
    assert (shown, second["next"]) == (["Title 0", "Title 2", "Title 3", "Title 5"], None)
    nobody = signed_in(house.app, house.desk.folder, "N. Obody", Role.MANAGER)
    assert titles(nobody, "?verdict=any") == []


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


def test_an_item_with_many_files_is_looked_up_once_for_a_list(house, files, reviewer, monkeypatch):
    """A takedown of an item with thousands of files slows no list down."""
    files.publish("many", title="Many")
    files.find_many("many", 40)
    files.add("zlast", "Last")
    house.take_down(Takedown(Kind.IDENTIFIER, "oai:gateway.example.org:laro/many", at="2026-01-01T00:00:00Z"))
    looked_up, search = list[str](), type(files.desk).search
    monkeypatch.setattr(type(files.desk), "search", lambda desk, name: looked_up.append(name) or search(desk, name))
    assert titles(reviewer) == ["Last"]
    assert reviewer.get("/review/decisions").status_code == 200
    assert looked_up.count("oai:gateway.example.org:laro/many") == 2


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
    manager = signed_in(house.app, house.desk.folder, "M. Lund", Role.MANAGER, "kelp")
    assert manager.get(f"/review/copies/{file.sha256}").status_code == 404
    assert browser(house.app).get(f"/review/copies/{file.sha256}").status_code == 303


def test_a_manager_gets_a_copy_that_many_items_of_others_have_too(house, files, monkeypatch):
    monkeypatch.setattr("gateway.review.copy_file._MOST_OWNERS", 1)
    theirs, mine = (files.add("1", source=source, body=b"%PDF-1.7 both") for source in ("laro", "reef"))
    assert theirs.sha256 == mine.sha256
    assert status(signed_in(house.app, house.desk.folder, "M. Lund", Role.MANAGER, "reef"), COPY + mine.sha256) == 200
    assert status(signed_in(house.app, house.desk.folder, "N. Obody", Role.MANAGER), COPY + mine.sha256) == 404


def test_only_a_digest_names_a_copy(files, reviewer):
    for name in ("x", "0" * 64, "AB" * 32, "..%2fstore.sqlite", "../../store.sqlite", "%00", "ab" * 31 + "/x"):
        assert reviewer.get(f"/review/copies/{name}").status_code == 404


def test_a_copy_that_was_not_kept_is_not_there(files, reviewer):
    file = files.add("1", has_copy=False)
    answer = reviewer.get(f"/review/copies/{file.sha256}")
    assert (answer.status_code, "There is no copy of this file here" in answer.text) == (404, True)


def test_characters_that_turn_a_text_around_are_named(files, reviewer):
    files.add("1", "A\u202etitle", url="https://x.example.net/" + quote("a\u202efdp.exe"), authors="\u2066x")
    text = seen(reviewer.get("/review").text)
    assert "A[U+202E]title" in text
    assert "a[U+202E]fdp.exe" in text
    assert "[U+2066]x" in text


def test_an_item_of_any_identifier_is_linked_and_decided_on(files, reviewer):
    for name in ("a/b", "100%25", "a//b", "a/../b", "a?b#c", "\u202e1"):
        file = files.find(name, url="https://x.example.net/1.pdf")
        page = parsed(reviewer.get("/review").text)
        (link,) = page.iterfind(".//a[@data-key='o']")
        assert link.get("href").startswith("/review/items/")
        (button,) = page.iterfind(".//button[@data-key='r']")
        reviewer.post("/review/decide", row=button.get("value"))
        assert files.history(file) == [("rule", "review"), ("B. Ito", "reject")]
