"""The page of an item: why there is a file or none, what differs, and the form to decide."""

from __future__ import annotations

import csv
import io
import json
import re
from urllib.parse import quote

import pytest

from gateway.errors import NotXml
from gateway.model import Candidate, Description, Outcome, Role, Trace
from gateway.review import item_data
from gateway.review.item_links import item_address
from gateway.review.item_view import steps_shown
from gateway.review.received import Received, received_of
from gateway.review.record_facts import work_of
from gateway.takedowns import Kind, Takedown, Takedowns
from tests.page_house import parsed, seen, statement
from tests.publish.desk import Sent, dc
from tests.review_files import AT, DOMAIN, Files
from tests.review_house import browser, signed_in
from tests.rows import each_row

ITEM = "/review/items/oai:gateway.example.org:laro/"


def test_the_page_explains_the_search_as_the_command_does(files, reviewer):
    files.add("1", "Corals and reefs")
    text = seen(reviewer.get(f"{ITEM}1").text)
    for words in (
        "Corals and reefs", "low-score", "A person must decide whether it is the work.", "best_oa_location",
        "Unpaywall",
        "The policy of A journal is green.", "The score 0.4 is too low to decide.", "score 0.4", "1 file",
    ):  # fmt: skip
        assert words in text, words


def test_the_form_decides_and_leads_to_the_next_item_of_the_list(files, reviewer):
    first, second = files.add("1", "First"), files.add("2", "Second", score=0.9)
    page = reviewer.get(f"{ITEM}1?order=score")
    form = parsed(page.text).xpath("//form[@class='decide']")[0]
    fields = {name: value for name, value in form.fields.items() if name != "csrf_token"}
    answer = reviewer.post("/review/decide", **fields, verdict="accept")
    assert files.history(first)[-1] == ("B. Ito", "accept")
    assert answer.status_code == 303
    page = reviewer.get(answer.headers["Location"])
    assert page.status_code == 200
    assert "First" in parsed(page.text).xpath("string(//*[@role='status'])")
    assert files.history(second) == [("rule", "review")]


def next_of(page: str) -> list[str]:
    """Return the addresses to which the forms of a page lead after a decision."""
    return [form.fields["next"] for form in parsed(page).xpath("//form[@class='decide']")]


def test_after_a_decision_comes_the_next_file_then_the_next_item_then_the_list(files, reviewer):
    files.add("1", "First")
    files.find("1", "First", url="https://repository.example.net/other.pdf", body=b"%PDF-1.7 other")
    files.add("2", "Second")
    for address in next_of(reviewer.get(f"{ITEM}1?least_score=0.1").text):
        assert address == f"{ITEM}1?least_score=0.1"
    files.decide_all("1")
    assert all(address.startswith(f"{ITEM}2?") for address in next_of(reviewer.get(f"{ITEM}1?least_score=0.1").text))
    assert next_of(reviewer.get(f"{ITEM}2?least_score=0.1").text) == ["/review?least_score=0.1"]


def test_neighbours_are_those_of_the_list_with_its_filters(files, reviewer):
    for name, score in (("1", 0.5), ("2", 0.9), ("3", 0.7), ("4", 0.1)):
        files.add(name, name, score=score)
    tree = parsed(reviewer.get(f"{ITEM}3?order=score&least_score=0.3").text)
    (before,), (after,) = tree.xpath("//a[@rel='prev']/@href"), tree.xpath("//a[@rel='next']/@href")
    assert before.startswith(f"{ITEM}2?")
    assert after.startswith(f"{ITEM}1?")
    tree = parsed(reviewer.get(after).text)
    assert tree.xpath("//a[@rel='next']") == []
    (back,) = tree.xpath("//a[@data-key='Escape']/@href")
    assert back == "/review?least_score=0.3&order=score"


def test_the_neighbours_of_an_item_with_many_files_are_those_of_the_file_that_was_opened(files, reviewer):
    """In the order of decisions, other items may lie between two files of one item."""
    files.find_many("many", 2)
    files.publish("many")
    files.add("1", "Between", at=AT + 5)
    first = next(one for one in files.desk.decisions("oai:gateway.example.org:laro/many") if "00000" in one.url)
    files.desk.decide(first._replace(verdict="reject", decided_by="A. Reader", at=AT + 9))
    listed = parsed(reviewer.get("/review?verdict=any&order=decided-at").text)
    rows = listed.xpath("//a[@data-key='o']/@href")
    assert ["many" in row.partition("?")[0] for row in rows] == [True, False, True]
    neighbours = [
        [link.partition("?")[0][-1] for link in parsed(reviewer.get(row).text).xpath(f"//a[@rel='{way}']/@href")]
        for row in rows
        for way in ("prev", "next")
    ]
    assert neighbours == [[], ["1"], ["y"], ["y"], ["1"], []]


def test_the_record_is_shown_as_received_and_as_published(house, files, reviewer):
    files.add("1", "Corals & reefs")
    text = seen(reviewer.get(f"{ITEM}1").text)
    assert text.count("<dc:title>Corals &amp; reefs</dc:title>") >= 3
    assert "<didl:DIDL" in text
    house.delete("1")
    text = seen(reviewer.get(f"{ITEM}1").text)
    assert "It is published as deleted." in text


def test_the_page_as_data_has_the_same_facts(files, reviewer):
    file = files.add("1", "Corals", score=0.7)
    (link,) = [link for link in parsed(reviewer.get(f"{ITEM}1").text).xpath("//a/@href") if "format=json" in link]
    for address in (link, f"{ITEM}1.json"):
        answer = reviewer.get(address)
        assert answer.content_type == "application/json"
        facts = json.loads(answer.text)
        assert (facts["identifier"], facts["title"], facts["count"]) == (file.identifier, "Corals", 1)
        (one,) = facts["files"]
        assert (one["url"], one["sha256"], one["verdict"], one["score"]) == (file.url, file.sha256, "review", 0.7)
        assert one["history"][0]["decided_by"] == "rule"
        assert "<dc:title>Corals</dc:title>" in facts["received"][0]["text"]
    files.add("1.json", "Another")
    assert "Another" in seen(reviewer.get(f"{ITEM}1.json").text)
    assert reviewer.get(f"{ITEM}nothing.json").status_code == 404
    assert browser(files.house.app).get(f"{ITEM}1.json").status_code == 401


def test_the_files_of_an_item_are_a_table_too(files, reviewer):
    """The columns are those of the list of all files."""
    file = files.add("1", "=Corals", score=0.7, open_from="2030-01-01")
    links = parsed(reviewer.get(f"{ITEM}1?order=score").text).xpath("//a[text()='CSV']/@href")
    for address in (*links, f"{ITEM}1.csv", f"/review/items/?identifier={file.identifier}.csv"):
        answer = reviewer.get(address)
        assert answer.content_type == "text/csv; charset=UTF-8"
        (row,) = csv.DictReader(io.StringIO(answer.text))
        assert (row["identifier"], row["sha256"], row["score"]) == (file.identifier, file.sha256, "0.7")
        assert (row["title"], row["embargo"], row["evidence"]) == ("'=Corals", "2030-01-01", "best_oa_location")
    files.add("1.csv", "Another")
    assert "Another" in seen(reviewer.get(f"{ITEM}1.csv").text)
    assert reviewer.get(f"{ITEM}1.csv.csv").text.count("Another") == 1
    assert reviewer.get(f"{ITEM}nothing.csv").status_code == 404
    files.find_many("many", 25)
    first = reviewer.get(f"{ITEM}many.csv")
    following = re.fullmatch(r'<(.+)>; rel="next"', first.headers["Link"])[1]
    rest = reviewer.get(following)
    assert "Link" not in rest.headers
    assert [len(page.text.splitlines()) - 1 for page in (first, rest)] == [20, 5]


def test_words_that_differ_are_marked_and_named(house, files, reviewer):
    house.desk.send(
        Sent("1", dc("Reefs of the Red Sea", statement("creator", "Okafor, Ada"), statement("date", "2020")))
    )
    house.desk.publish()
    file = files.find("1", "Reefs of the Red Sea", version="published", text_version="accepted")
    keep_page(files, file.sha256, "Journal 2021\nReefs of the Black Sea\nAda Okafor\n\u202eevil")
    page = reviewer.get(f"{ITEM}1").text
    marks = [mark.text_content() for mark in parsed(page).xpath("//mark")]
    assert marks == ["Red", "Black", "2020", "2021", "published", "accepted"]
    assert seen(page).count("(differs)") == len(marks)
    assert "[U+202E]evil" in page
    assert "\u202e" not in page
    region = parsed(page).xpath("//pre[@class='first-page']")[0]
    assert (region.get("role"), region.get("tabindex")) == ("region", "0")


def keep_page(files: Files, sha256: str, text: str) -> None:
    """Store the text of a first page."""
    files.desk.keep_first_page(sha256, text)


@each_row(
    "name",
    [
        "a/b/c",
        "a//b",
        "50%",
        "50%25",
        "a?b#c",
        "../up",
        "a/../b",
        "x\u202ey",
        "\u0639\u0631\u0628\u064a",
        "a b",
        "'\"<>&",
        "1.json",
        "%2F",
        "a\\b",
        "a\nb",
        "",
        "+",
    ],
)
def test_any_identifier_has_a_page(files, reviewer, name):
    file = files.find(name, "Odd")
    address = item_address("", f"oai:gateway.example.org:laro/{name}")
    page = reviewer.get(address)
    assert page.status_code == 200, address
    assert "1 file" in seen(page.text)
    (link,) = parsed(reviewer.get("/review").text).xpath("//a[@data-key='o']/@href")
    assert reviewer.get(link).status_code == 200
    files.desk.decide(files.last(file)._replace(verdict="reject"))  # so that the list has the next one alone


def test_an_item_that_is_not_there_is_not_found(reviewer):
    for path in (
        f"{ITEM}nothing",
        "/review/items/",
        "/review/items/?identifier=",
        "/review/items/x",
        "/review/items/" + "x" * 20_000,
    ):
        answer = reviewer.get(path)
        assert answer.status_code == 404, path
        assert "No item has this identifier." in answer.text
    assert reviewer.get(f"{ITEM}x?files_before=no").status_code == 400


def test_an_item_without_a_search_says_so(house, reviewer):
    house.add("1", title="Bare")
    text = seen(reviewer.get(f"{ITEM}1").text)
    assert "Nothing was searched for yet." in text
    assert "No file of this item was decided on." in text


def test_a_manager_sees_items_of_the_own_sources_only(house, files):
    files.add("1", "Ours")
    files.add("2", "Theirs", source="other")
    manager = signed_in(house.app, house.desk.folder, "M", Role.MANAGER, "laro")
    page = manager.get(f"{ITEM}1").text
    assert f"/review/takedowns/new?item={quote('oai:gateway.example.org:laro/1', safe='/')}" in page
    answer = manager.get("/review/items/oai:gateway.example.org:other/2")
    assert answer.status_code == 403
    assert "Theirs" not in answer.text
    reviewer = signed_in(house.app, house.desk.folder, "R")
    assert "takedowns/new" not in reviewer.get(f"{ITEM}1").text


def test_nothing_of_what_is_taken_down_is_shown(house, files, reviewer):
    files.add("1", "Secret title")
    files.add("2", "Open", url="https://bad.example.org/secret.pdf")
    house.take_down(Takedown(Kind.IDENTIFIER, "oai:gateway.example.org:laro/1"), Takedown(Kind.HOST, "bad.example.org"))
    answer = reviewer.get(f"{ITEM}1")
    assert answer.status_code == 451
    assert "Secret" not in answer.text
    page = reviewer.get(f"{ITEM}2").text
    assert "Open" in page
    assert "secret.pdf" not in page


def test_a_received_record_that_names_what_is_taken_down_is_withheld(house, files, reviewer):
    house.desk.send(Sent("1", dc("Open", statement("identifier", "https://bad.example.org/secret.pdf"))))
    house.desk.publish()
    files.find("1", "Open")
    assert "secret.pdf" in reviewer.get(f"{ITEM}1").text
    house.take_down(Takedown(Kind.URL, "bad.example.org/secret.pdf"))
    page = reviewer.get(f"{ITEM}1").text
    assert "secret.pdf" not in page
    assert "names something that is taken down" in page


def test_hostile_texts_run_nothing_and_show_what_they_hide(house, files, reviewer):
    payload = "<script>x</script>\u202e\"'><img src=x onerror=y>"
    files.add(
        "1", payload, url=f"https://h.example/{quote(payload)}", evidence=payload, license=payload, reason=payload
    )
    page = reviewer.get(f"{ITEM}1").text
    assert "\u202e" not in page
    tree = parsed(page)
    assert tree.xpath("//main//script[not(@src)]") == tree.xpath("//main//img") == []
    assert "[U+202E]" in seen(page)


@pytest.mark.parametrize("count", [50, pytest.param(25_000, marks=[pytest.mark.slow])])
def test_an_item_of_many_files_has_a_page_of_bounded_size(house, files, reviewer, count):
    names = [statement("identifier", f"https://laro.example.org/{number}.pdf") for number in range(count)]
    house.desk.send(Sent("1", dc("Large", *names)))
    house.desk.publish()
    files.find_many("1", count)
    page = reviewer.get(f"{ITEM}1")
    assert page.status_code == 200
    assert len(page.data) < 500_000
    tree = parsed(page.text)
    assert len(tree.xpath("//section[@data-row]")) == 20
    (following,) = tree.xpath("//nav[@class='pages']/a[@rel='next']/@href")
    second = reviewer.get(following)
    assert len(parsed(second.text).xpath("//section[@data-row]")) == 20
    last = max(decision.number for decision in files.desk.decisions(f"{DOMAIN}:laro/1"))
    end = parsed(reviewer.get(f"{ITEM}1?files_after={last - 10}").text)
    assert len(end.xpath("//section[@data-row]")) == 10
    assert end.xpath("//nav[@class='pages']/a/@rel") == ["prev"]


def test_no_file_is_lost_to_a_person_who_decides_while_walking_through_the_pages(files, reviewer):
    """Files that wait come first. When those of a page were decided on, the next page left out as many others."""
    files.publish("1")
    files.find_many("1", 50)
    address, walked = f"{ITEM}1", []
    for _ in range(3):
        page = parsed(reviewer.get(address).text)
        names = [heading.text_content() for heading in page.xpath("//section[@data-row]/h3[1]")]
        walked += names
        last = {one.url.rpartition("/")[2]: one for one in files.desk.decisions(f"{DOMAIN}:laro/1")}
        files.desk.decide(*(last[name]._replace(verdict="accept", decided_by="B. Ito") for name in names))
        (address,) = page.xpath("//nav[@class='pages']/a[@rel='next']/@href")
    assert walked == [f"{number:05}.pdf" for number in (*range(50), *range(10))], "then those that were decided on"


def test_the_page_of_files_before_another_ends_where_that_begins(files, reviewer):
    """Whoever goes back sees the page that was seen before, whether it is the first one or not."""
    files.publish("1")
    files.find_many("1", 50)
    address, walked = f"{ITEM}1", []
    for link in ("next", "next", "prev", "prev"):
        page = parsed(reviewer.get(address).text)
        walked.append([heading.text_content() for heading in page.xpath("//section[@data-row]/h3[1]")])
        (address,) = page.xpath(f"//nav[@class='pages']/a[@rel='{link}']/@href")
    first, second, third, again = walked
    assert (len(third), again) == (10, second)
    assert parsed(reviewer.get(address).text).xpath("//section[@data-row]/h3[1]")[0].text_content() == first[0]
    assert len(reviewer.get(f"{ITEM}1?files_after={10**14}").data) > 10_000, "a decision that is gone: the first page"


def test_each_step_is_shown_with_its_first_files():
    candidates = [Candidate(f"https://h.example/{number}.pdf", "unpaywall") for number in range(30)]
    named = Candidate("https://laro.example.org/1.pdf", "record", outcome=Outcome.SUCCESS)
    traces = [Trace("unpaywall", Outcome.SUCCESS, 30)._asdict(), Trace("core", Outcome.NOT_FOUND)._asdict()]
    record, first, second = steps_shown({"traces": traces}, (*candidates, named), Takedowns())
    assert (record.name, record.files[0].sentence) == ("", "success. It is there.")
    assert (first.name, len(first.files), first.more) == ("unpaywall", 20, 10)
    assert second.sentence == "not-found. It is not known, or not there."
    assert item_data.step_data(first)["files"][0]["url"] == "https://h.example/0.pdf"


def test_a_received_record_whose_page_is_lost_is_named(house, files):
    files.add("1")
    state = house.desk.store.states("laro", ["1"])["1"]
    (payload,) = state.payloads
    lost = state._replace(payloads=(payload._replace(page=99), payload._replace(slice=99)))
    for inbox, one in ((None, state), (house.desk.inbox, lost)):
        for record in received_of(inbox, one, Takedowns()):
            assert record == Received("oai_dc")


def test_a_record_that_cannot_be_read_says_nothing(house, files):
    files.add("1")

    def describe(_: bytes) -> Description:
        raise NotXml("It is none.")

    assert work_of(house.desk.store, describe, "oai:gateway.example.org:laro/1") is None
    assert work_of(house.desk.store, describe, "oai:gateway.example.org:laro/2") is None
