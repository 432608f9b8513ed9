"""A decision on one file: with its reason, at once published, never on something else than what was looked at."""

import sqlite3
from contextlib import closing
from urllib.parse import parse_qs, urlsplit

import pytest

from gateway.core.model import Role
from gateway.core.settings import load
from gateway.core.takedowns import Kind, Takedown
from gateway.search.indexing import make
from tests.page_house import parsed, seen
from tests.review_house import Files, Found, signed_in

HERE = "/review?order=score"


def row(files: Files, file: Found, verb: str) -> str:
    return f"{verb} {files.last(file).number}"


def didl(files: Files, name: str) -> str:
    record = files.house.harness.record(name, "oai_didl")
    return record.content.decode() if record else ""


@pytest.mark.parametrize("way", ["row", "item"])
def test_an_accepted_file_is_published_with_its_reason_and_the_way_back_says_so(files, reviewer, way):
    file = files.add("1", "Corals")
    last = files.last(file)
    fields = {"row": f"accept {last.number}"}
    if way == "item":
        fields = {name: str(getattr(last, name)) for name in ("identifier", "url", "number", "sha256")}
        fields["verdict"] = "accept"
    reviewer.get(HERE)
    answer = reviewer.post("/review/decide", **fields, reason="license", comment=" On page\n2. ", next=HERE)
    assert answer.status_code == 303
    now = files.last(file)
    assert (now.verdict, now.decided_by, now.sha256) == ("accept", "B. Ito", file.sha256)
    assert now.reason == "It is the work, and states an open licence. On page 2."
    assert answer.headers["Location"] == f"{HERE}&done={now.number}"
    assert file.url in didl(files, "1")
    page = reviewer.get(answer.headers["Location"])
    (status,) = parsed(page.text).iterfind(".//div[@role='status']")
    assert " ".join(status.text_content().split()) == "Accepted: Corals Undo"


def test_each_undo_goes_one_step_further(files, reviewer):
    file = files.add("1")
    for verb in ("reject", "accept"):
        reviewer.post("/review/decide", row=row(files, file, verb))
    for verdict in ("reject", "review"):
        page = reviewer.get("/review?done=" + str(files.last(file).number))
        (button,) = parsed(page.text).iterfind(".//div[@role='status']//button")
        assert reviewer.post("/review/decide", row=button.get("value")).status_code == 303
        assert files.last(file).verdict == verdict
    assert didl(files, "1").count(file.url) == 0
    page = reviewer.get("/review?done=" + str(files.last(file).number))
    assert "Undone. In force now: Waits." in seen(page.text)
    assert not list(parsed(page.text).iterfind(".//div[@role='status']//button"))
    answer = reviewer.post("/review/decide", row=row(files, file, "undo"))
    assert (answer.status_code, "Nothing is left to undo" in answer.text) == (409, True)


def test_a_lost_race_shows_both_decisions_and_asks_again(house, files, reviewer):
    file = files.add("1", "Corals")
    looked_at = row(files, file, "accept")
    other = signed_in(house.app, house.harness.folder, "A. Berg")
    other.post("/review/decide", row=row(files, file, "reject"), reason="part", comment="Only <the> cover.")
    answer = reviewer.post("/review/decide", row=looked_at, reason="work", comment="Looks fine.", next=HERE)
    assert answer.status_code == 409
    text = seen(answer.text)
    assert "A. Berg rejected this at" in text
    assert "It is only a part, such as a cover, a preview or a supplement. Only <the> cover." in text
    assert "Accept: It is the work. Looks fine." in text
    assert files.last(file).verdict == "reject"
    form = next(form for form in parsed(answer.text).forms if "reason" in form.fields)
    fields = dict(form.fields) | {"verdict": "accept"}
    assert (fields["reason"], fields["comment"], fields["next"]) == ("work", "Looks fine.", HERE)
    fields.pop("csrf_token")
    assert reviewer.post("/review/decide", **fields).status_code == 303
    assert files.history(file) == [("rule", "review"), ("A. Berg", "reject"), ("B. Ito", "accept")]


def test_a_form_that_is_sent_twice_decides_once(files, reviewer):
    file = files.add("1")
    for verb in ("accept", "undo"):
        form = row(files, file, verb)
        first, second = (reviewer.post("/review/decide", row=form, next=HERE) for _ in range(2))
        assert (second.status_code, second.headers["Location"]) == (303, first.headers["Location"])
    assert files.history(file) == [("rule", "review"), ("B. Ito", "accept"), ("B. Ito", "review")]


def test_the_button_of_a_row_is_for_the_bytes_that_the_row_shows(files, reviewer):
    """A later search got other bytes, and no rule decided on them: a person who sees them may."""
    file = files.add("1")
    before = row(files, file, "accept")
    files.change(file)
    assert reviewer.post("/review/decide", row=before).status_code == 409
    (button,) = parsed(reviewer.get("/review").text).iterfind(".//button[@data-key='a']")
    assert reviewer.post("/review/decide", row=button.get("value")).status_code == 303
    assert (files.last(file).verdict, files.last(file).sha256) == ("accept", "f" * 64)


def test_a_file_that_is_taken_down_cannot_be_accepted(house, files, reviewer):
    file = files.add("1")
    house.take_down(Takedown(Kind.SHA256, file.sha256, at="2026-01-01T00:00:00Z"))
    answer = reviewer.post("/review/decide", row=row(files, file, "accept"))
    assert (answer.status_code, "This file was taken down" in answer.text) == (451, True)
    assert files.last(file).verdict == "review"


def test_nothing_of_a_file_that_is_taken_down_is_shown_to_who_decided_on_it(house, files, reviewer):
    file, other = files.add("1", "Secret"), files.add("2", "Secret too")
    first = files.last(file).number
    back = reviewer.post("/review/decide", row=row(files, file, "reject"), comment="Secret comment").headers["Location"]
    assert "Secret" in reviewer.get(back).text
    house.take_down(Takedown(Kind.IDENTIFIER, file.identifier, at="2026-01-01T00:00:00Z"))
    assert "Secret comment" not in reviewer.get(back).text
    answer = reviewer.post("/review/decide", row=f"accept {first}")
    assert (answer.status_code, "Secret" in answer.text, file.url in answer.text) == (451, False, False)
    assert files.last(other).verdict == "review"


def test_enter_in_a_field_of_the_list_only_shows_the_selected_files(files, reviewer):
    """Browsers press the first button of a form then."""
    file = files.add("1")
    first = next(parsed(reviewer.get("/review").text).get_element_by_id("decide").iter("button"))
    fields = {first.get("name"): first.get("value"), "number": str(files.last(file).number), "comment": "x"}
    answer = reviewer.post("/review/decide", **fields)
    assert answer.headers["Location"].startswith("/review/batch?verb=accept&number=")
    assert files.last(file).decided_by == "rule"


def test_a_manager_decides_on_files_of_the_own_sources_only(house, files):
    mine, theirs = files.add("1"), files.add("2", source="reef")
    manager = signed_in(house.app, house.harness.folder, "M. Lund", Role.MANAGER, "laro")
    assert manager.post("/review/decide", row=row(files, theirs, "accept")).status_code == 403
    assert files.last(theirs).decided_by == "rule"
    assert manager.post("/review/decide", row=row(files, mine, "accept")).status_code == 303


BAD_FORMS: tuple[tuple[dict[str, str], int], ...] = (
    ({}, 400), ({"row": "delete 1"}, 400), ({"row": "accept"}, 404), ({"row": "accept 99"}, 404),
    ({"row": "accept 1e3"}, 404), ({"row": "accept -1"}, 404), ({"row": "accept " + "9" * 5000}, 404),
    ({"verdict": "accept", "number": "\u0661"}, 404), ({"row": "accept 1", "reason": "because"}, 409),
    ({"row": "accept 1", "comment": "x" * 2001}, 409), ({"row": "accept 1", "comment": "x" * 1_000_000}, 413),
)  # fmt: skip


def test_a_form_that_is_none_of_ours_decides_nothing(files, reviewer):
    file = files.add("1")
    for fields, status in BAD_FORMS:
        answer = reviewer.post("/review/decide", **fields)
        assert answer.status_code == status, fields
        assert parsed(answer.text).find(".//h1") is not None
    assert files.last(file).decided_by == "rule"


def test_without_the_token_of_the_form_nothing_is_decided(files, reviewer):
    file = files.add("1")
    assert reviewer.post("/review/decide", csrf="", row=row(files, file, "accept")).status_code == 400
    assert files.last(file).decided_by == "rule"


def test_the_way_back_is_one_of_the_review(files, reviewer):
    file = files.add("1")
    for address in (
        "https://evil.example/", "//evil.example", "/\\evil", "/search", "/review/../search", "/reviewer",
        "/review/login", "",
    ):  # fmt: skip
        answer = reviewer.post("/review/decide", row=row(files, file, "accept"), next=address)
        parts = urlsplit(answer.headers["Location"])
        assert (parts.netloc, parts.path) == ("", "/review")
        assert parse_qs(parts.query) == {"done": [str(files.last(file).number)]}


def test_a_person_is_asked_to_try_later_while_another_process_writes(house, files, reviewer, monkeypatch):
    file = files.add("1")
    monkeypatch.setattr("gateway.store.opening._PATIENCE_SECONDS", 0.0)
    house.app.extensions["discovery"].close()
    monkeypatch.setattr(house.app.extensions["discovery"], "_discovery", None)
    with closing(sqlite3.connect(house.harness.folder / "discovery.sqlite", isolation_level=None)) as other:
        other.execute("begin immediate")
        answer = reviewer.post("/review/decide", row=row(files, file, "accept"))
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "60")
        assert reviewer.get("/review").status_code == 200
    assert reviewer.post("/review/decide", row=row(files, file, "accept")).status_code == 303


def test_the_search_knows_of_a_decision_at_once(house, files, reviewer):
    file = files.add("1")
    files.publish("2", "3")
    make(load(house.harness.folder), is_anew=True)
    reviewer.get("/review")
    assert reviewer.post("/review/decide", row=row(files, file, "accept")).status_code == 303
    house.app.extensions["index"].wait()
    assert [hit["identifier"] for hit in house.get("/search.json?file=1").json["results"]] == [file.identifier]
