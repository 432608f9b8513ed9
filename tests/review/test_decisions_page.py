"""The list of decisions: all, the newest first, by person, source, verdict and day, and each entry can be undone."""

import json

from gateway.core.model import Role
from gateway.core.takedowns import Kind, Takedown
from tests.page_house import parsed, seen
from tests.review_house import AT, Browser, signed_in

DAY = 86_400


def rows(reviewer: Browser, query: str = "") -> list[str]:
    page = parsed(reviewer.get(f"/review/decisions{query}").text)
    return [" ".join(row.text_content().split()) for row in page.iterfind(".//tbody/tr")]


def test_decisions_are_listed_the_newest_first_with_their_reasons(files, reviewer):
    first, _ = files.add("1", "Corals"), files.add("2", "Reefs", at=AT + 5)
    reviewer.post("/review/decide", row=f"reject {files.last(first).number}", reason="part", comment="A <cover>.")
    newest, middle, oldest = rows(reviewer)
    for words in ("B. Ito", "Rejected", "Corals", "1.pdf", "It is only a part", "A <cover>.", "Undo"):
        assert words in newest
    assert "Reefs" in middle
    assert ("A rule" in oldest, "Corals" in oldest, "Undo" in oldest) == (True, True, False)


def test_a_decision_is_undone_from_the_list_and_the_undoing_is_listed(files, reviewer):
    file = files.add("1", "Corals")
    reviewer.post("/review/decide", row=f"accept {files.last(file).number}")
    page = parsed(reviewer.get("/review/decisions").text)
    (button,) = page.iterfind(".//td//button")
    form = page.forms[-1] if page.forms[-1].get("action") == "/review/decide" else page.forms[-2]
    answer = reviewer.post("/review/decide", row=button.get("value"), next=form.fields["next"])
    assert answer.headers["Location"] == f"/review/decisions?done={files.last(file).number}"
    assert files.last(file).verdict == "review"
    newest, accepted, _ = rows(reviewer)
    assert "by undoing" in newest
    assert "Undo" not in accepted.replace("Undone", "")


def test_what_one_person_decided_at_once_is_one_row_that_is_undone_whole(files, reviewer):
    chosen = [files.add(f"{number}", f"Title {number}") for number in range(3)]
    reviewer.post("/review/batch", verb="accept", numbers=" ".join(str(files.last(file).number) for file in chosen))
    newest, *_ = rows(reviewer, "?by=B.+Ito")
    assert "and 2 more files" in newest
    assert len(rows(reviewer, "?by=B.+Ito")) == 1
    (link,) = parsed(reviewer.get("/review/decisions").text).iterfind(".//td//a[@class='button']")
    assert "Undo the decisions on 3 files" in seen(reviewer.get(link.get("href")).text)


def test_filters_choose_by_person_source_verdict_and_day(files, reviewer):
    files.add("1", "One", verdict="accept", by="ada", at=AT)
    files.add("2", "Two", source="reef", by="ada", at=AT + DAY)
    files.add("3", "Three", source="kelp", at=AT + 2 * DAY)

    def names(query: str) -> list[str]:
        document = json.loads(reviewer.get(f"/review/decisions.json{query}").text)
        return [decision["title"] for decision in document["decisions"]]

    assert names("") == ["Three", "Two", "One"]
    assert names("?by=ada") == ["Two", "One"]
    assert names("?by=ada&verdict=accept") == ["One"]
    assert names("?source=kelp") == ["Three"]
    assert names("?since=2025-11-27") == ["Three", "Two"]
    assert names("?since=2025-11-27&until=2025-11-27") == ["Two"]
    assert names("?until=2025-11-26") == ["One"]
    assert "No decision matches." in seen(reviewer.get("/review/decisions?by=nobody").text)


def test_a_filter_that_is_none_is_refused_in_a_sentence(reviewer):
    for query in ("since=today", "until=2026-02-30", "since=0000-01-01", "verdict=any", "by=" + "x" * 301, "since=%00"):
        for path in ("/review/decisions", "/review/decisions.json", "/review/decisions.csv"):
            assert reviewer.get(f"{path}?{query}").status_code == 400


def walked(reviewer: Browser, page: str, direction: str) -> tuple[list[list[str]], str]:
    """Return the rows of pages that follow each other, and the address of the last one."""
    pages, last = [], page
    while page:
        tree, last = parsed(reviewer.get(page).text), page
        pages.append([" ".join(row.text_content().split()) for row in tree.iterfind(".//tbody/tr")])
        page = next(iter(tree.xpath(f"//a[@rel='{direction}']/@href")), "")
    return pages, last


def test_pages_follow_each_other_also_through_large_entries(files, reviewer, monkeypatch):
    chosen = [files.add(f"{number}", f"Title {number}", at=AT + number) for number in range(7)]
    numbers = [str(files.last(file).number) for file in chosen]
    reviewer.post("/review/batch", verb="accept", numbers=" ".join(numbers[:3]))
    reviewer.post("/review/batch", verb="reject", numbers=" ".join(numbers[3:5]))
    monkeypatch.setattr("gateway.review.decisions_page.PAGE", 2)
    monkeypatch.setattr("gateway.review.decisions_page.MOST", 4)
    monkeypatch.setattr("gateway.review.decisions_page._DATA_PAGE", 5)
    forwards, last = walked(reviewer, "/review/decisions", "next")
    texts = [text for page in forwards for text in page]
    assert len(texts) == 9
    assert ["more file" in text for text in texts] == [True, True] + [False] * 7
    assert walked(reviewer, last, "prev")[0] == forwards[::-1]
    page, listed = "/review/decisions.json", []
    while page:
        document = json.loads(reviewer.get(page).text)
        listed += [decision["number"] for decision in document["decisions"]]
        page = document["next"]
    assert listed == sorted(range(1, 13), key=lambda number: (number > 7, number), reverse=True)


def test_a_manager_sees_decisions_on_the_own_sources_only(house, files):
    files.add("1", "Mine")
    files.add("2", "Theirs", source="reef")
    manager = signed_in(house.app, house.harness.folder, "M. Lund", Role.MANAGER, "laro")
    assert len(rows(manager)) == 1
    assert rows(manager, "?source=reef") == []


def test_decisions_on_files_that_are_taken_down_are_not_listed(house, files, reviewer):
    secret, other = files.add("1", "Secret"), files.add("2", "Open")
    numbers = " ".join(str(files.last(file).number) for file in (other, secret))
    reviewer.post("/review/batch", verb="reject", numbers=numbers, comment="Together")
    assert len(rows(reviewer)) == 3
    house.take_down(Takedown(Kind.SHA256, secret.sha256, at="2026-01-01T00:00:00Z"))
    assert ["Open" in row for row in rows(reviewer)] == [True, True]
    for path in ("decisions", "decisions.json", "decisions.csv"):
        text = reviewer.get(f"/review/{path}").text
        assert [word in text for word in ("Open", "Secret", secret.sha256, secret.url)] == [True, False, False, False]
