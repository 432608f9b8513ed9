"""A decision on many files: shown first, on what was shown and nothing else, and one entry that is undone whole."""

import json
import re
from typing import Any

from werkzeug.test import TestResponse

from gateway.core.model import Role
from gateway.core.takedowns import Kind, Takedown
from tests.page_house import parsed, seen
from tests.review_house import Browser, Files, Found, signed_in


def many(files: Files, count: int, **more: Any) -> list[Found]:
    names = [f"{number}" for number in range(count)]
    files.publish(*names)
    return [files.find(name, f"Title {name}", **more) for name in names]


def confirmed(reviewer: Browser, address: str, **changes: str):
    """Return the page that shows a batch, and the answer after it is confirmed."""
    preview = reviewer.get(address)
    return preview, sent(reviewer, preview, **changes)


def sent(reviewer: Browser, preview: TestResponse, **changes: str) -> TestResponse:
    """Return the answer after a page that shows a batch is confirmed."""
    form = next(form for form in parsed(preview.text).forms if form.get("action") == "/review/batch")
    fields = {name: value or "" for name, value in form.fields.items() if name != "csrf_token"}
    return reviewer.post("/review/batch", **fields | changes)


def verdicts(files: Files, chosen: list[Found]) -> list[str]:
    return [files.last(file).verdict for file in chosen]


def test_twenty_selected_files_are_shown_then_accepted_and_undone_as_one_entry(files, reviewer):
    chosen = many(files, 21)
    numbers = [str(files.last(file).number) for file in chosen]
    answer = reviewer.post(
        "/review/decide", batch="accept", number=numbers[:20], reason="work", comment="All.", next="/review?source=laro"
    )
    assert answer.status_code == 303
    preview, done = confirmed(reviewer, answer.headers["Location"])
    text = seen(preview.text)
    assert "Accept 20 files" in text
    assert text.count("repository.example.net") == 20
    assert verdicts(files, chosen) == ["accept"] * 20 + ["review"]
    assert files.last(chosen[0]).reason == "It is the work. All."
    assert "component" in files.house.harness.record("19", "oai_didl").content.decode().lower()
    page = reviewer.get(done.headers["Location"])
    assert "20 files are accepted." in seen(page.text)
    (link,) = parsed(page.text).iterfind(".//div[@role='status']//a")
    preview, done = confirmed(reviewer, link.get("href"))
    assert "Undo the decisions on 20 files" in seen(preview.text)
    assert verdicts(files, chosen) == ["review"] * 21
    assert "The decisions on 20 files are undone." in seen(reviewer.get(done.headers["Location"]).text)


def test_a_long_comment_on_selected_files_is_in_no_address(files, reviewer):
    """Proxies refuse a long address, and a long header of an answer."""
    (file,) = many(files, 1)
    number = str(files.last(file).number)
    for length in (2_000, 40_000):
        preview = reviewer.post("/review/decide", batch="reject", number=number, comment="\u0416" * length)
        assert (preview.status_code, preview.headers.get("Location")) == (200, None)
    assert sent(reviewer, preview).status_code == 409
    assert verdicts(files, [file]) == ["review"]
    assert sent(reviewer, preview, comment="\u0416" * 2_000).status_code == 303
    assert files.last(file).reason == "\u0416" * 2_000


def test_a_batch_that_is_sent_twice_is_one_decision(files, reviewer):
    chosen = many(files, 3)
    preview = reviewer.get("/review/batch?verb=reject&all=1&next=/review/decisions")
    first, second = (sent(reviewer, preview) for _ in range(2))
    assert (second.status_code, second.headers["Location"]) == (303, first.headers["Location"])
    preview = reviewer.get(f"/review/batch?verb=undo&entry={files.last(chosen[0]).number}")
    assert [sent(reviewer, preview).status_code for _ in range(2)] == [303, 303]
    assert [files.history(file)[1:] for file in chosen] == [[("B. Ito", "reject"), ("B. Ito", "review")]] * 3


def test_all_files_that_match_a_filter_are_decided_on(files, reviewer):
    chosen = many(files, 3, score=0.2)
    files.add("high", score=0.9)
    preview, done = confirmed(reviewer, "/review/batch?verb=reject&all=1&most_score=0.5", reason="another")
    assert "Reject 3 files" in seen(preview.text)
    assert done.status_code == 303
    assert verdicts(files, chosen) == ["reject"] * 3
    assert len(json.loads(reviewer.get("/review/copies.json").text)["copies"]) == 1


def test_more_files_than_fit_are_decided_on_in_several_steps(files, reviewer, monkeypatch):
    monkeypatch.setattr("gateway.review.decide_page.MOST", 2)
    chosen = many(files, 3)
    preview, _ = confirmed(reviewer, "/review/batch?verb=reject&all=1")
    assert "These are the first 2" in seen(preview.text)
    assert verdicts(files, chosen) == ["reject", "reject", "review"]


def test_what_changed_after_it_was_shown_is_left_out_and_named(house, files, reviewer):
    chosen = many(files, 3)
    preview = reviewer.get("/review/batch?verb=accept&all=1")
    numbers = re.search(r'name="numbers" value="([^"]+)"', preview.text)[1]
    signed_in(house.app, house.harness.folder, "A. Berg").post(
        "/review/decide", row=f"reject {files.last(chosen[1]).number}", comment="No."
    )
    answer = reviewer.post("/review/batch", verb="accept", numbers=numbers)
    text = seen(answer.text)
    assert "2 files are accepted" in text
    assert "1 file was left out" in text
    assert "A. Berg" in text
    assert verdicts(files, chosen) == ["accept", "reject", "accept"]
    again = reviewer.post("/review/batch", verb="accept", numbers=numbers)
    assert (again.status_code, "3 files were left out" in seen(again.text)) == (409, True)


def test_files_of_other_sources_and_taken_down_files_are_never_in_a_batch(house, files):
    mine, theirs, gone = files.add("1"), files.add("2", source="reef"), files.add("3")
    house.take_down(Takedown(Kind.SHA256, gone.sha256, at="2026-01-01T00:00:00Z"))
    manager = signed_in(house.app, house.harness.folder, "M. Lund", Role.MANAGER, "laro")
    numbers = " ".join(str(files.last(file).number) for file in (mine, theirs, gone))
    for address in ("/review/batch?verb=accept&all=1", "/review/batch?verb=accept&number=" + numbers.replace(" ", "+")):
        assert "Accept 1 file" in seen(manager.get(address).text)
    assert manager.post("/review/batch", verb="accept", numbers=numbers).status_code == 303
    assert verdicts(files, [mine, theirs, gone]) == ["accept", "review", "review"]


def test_an_undo_of_many_leaves_what_rules_decided(files, reviewer):
    by_rule, by_me = files.add("1", verdict="accept"), files.add("2")
    reviewer.post("/review/decide", row=f"accept {files.last(by_me).number}")
    preview, _ = confirmed(reviewer, "/review/batch?verb=undo&all=1&verdict=accept")
    assert "Undo the decision on 1 file" in seen(preview.text)
    assert verdicts(files, [by_rule, by_me]) == ["accept", "review"]


def test_forms_that_are_none_of_ours_decide_nothing(files, reviewer):
    chosen = many(files, 1)
    number = str(files.last(chosen[0]).number)
    assert reviewer.get("/review/batch?verb=delete").status_code == 400
    assert reviewer.get("/review/batch?verb=accept&all=1&order=x").status_code == 400
    assert reviewer.post("/review/batch", verb="delete", numbers=number).status_code == 400
    assert reviewer.post("/review/batch", verb="accept", numbers=number, reason="x").status_code == 409
    assert reviewer.post("/review/batch", csrf="x", verb="accept", numbers=number).status_code == 400
    assert reviewer.post("/review/batch", verb="accept", numbers="").status_code == 409
    assert verdicts(files, chosen) == ["review"]
