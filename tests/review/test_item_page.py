"""The page of an item: why there is a file or none, what differs, and the form to decide."""

import json
from random import Random
from urllib.parse import quote

from gateway.core.model import Role, Statement, Work
from gateway.core.takedowns import Kind, Takedown
from gateway.review.frame import item_address
from gateway.review.item_view import Part, Row, in_any_order, in_order, rows_of
from tests.page_house import parsed, seen, statement
from tests.publish.harness import Sent, dc
from tests.review_house import DOMAIN, Files, browser, signed_in
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


def test_words_that_differ_are_marked_and_named(house, files, reviewer):
    house.harness.send(
        Sent("1", dc("Reefs of the Red Sea", statement("creator", "Okafor, Ada"), statement("date", "2020")))
    )
    house.harness.publish()
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
    files.discovery.keep_first_page(sha256, text)


@each_row("name", ["a//b", "50%25", "a?b#c", "a/../b", "x\u202ey", "'\"<>&", "1.json", "%2F", "a\\b", "a\nb", "", "+"])
def test_any_identifier_has_a_page(files, reviewer, name):
    file = files.find(name, "Odd")
    address = item_address("", f"oai:gateway.example.org:laro/{name}")
    page = reviewer.get(address)
    assert page.status_code == 200, address
    assert "1 file" in seen(page.text)
    (link,) = parsed(reviewer.get("/review").text).xpath("//a[@data-key='o']/@href")
    assert reviewer.get(link).status_code == 200
    files.discovery.decide(files.last(file)._replace(verdict="reject"))  # so that the list has the next one alone


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


def test_a_manager_sees_items_of_the_own_sources_only(house, files):
    files.add("1", "Ours")
    files.add("2", "Theirs", source="other")
    manager = signed_in(house.app, house.harness.folder, "M", Role.MANAGER, "laro")
    page = manager.get(f"{ITEM}1").text
    assert f"/review/takedowns/new?item={quote('oai:gateway.example.org:laro/1', safe='/')}" in page
    answer = manager.get("/review/items/oai:gateway.example.org:other/2")
    assert answer.status_code == 403
    assert "Theirs" not in answer.text
    reviewer = signed_in(house.app, house.harness.folder, "R")
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
    house.harness.send(Sent("1", dc("Open", statement("identifier", "https://bad.example.org/secret.pdf"))))
    house.harness.publish()
    files.find("1", "Open")
    assert "secret.pdf" in reviewer.get(f"{ITEM}1").text
    house.take_down(Takedown(Kind.URL, "bad.example.org/secret.pdf"))
    page = reviewer.get(f"{ITEM}1").text
    assert "secret.pdf" not in page
    assert "names something that is taken down" in page


def test_hostile_texts_run_nothing_and_show_what_they_hide(house, files, reviewer):
    payload = "<script>x</script>\u202e\"'><img src=x onerror=y>"
    texts = dict.fromkeys(("evidence", "license", "authors", "reason"), payload)
    for name, start in (("1", "https://h.example/"), ("2", "javascript:alert(1)//"), ("3", "data:text/html,")):
        file = files.add(name, payload, url=f"{start}{quote(payload)}", **texts)
        files.discovery.decide(files.last(file)._replace(verdict="accept", decided_by=payload))
    shown = (f"{ITEM}1", f"{ITEM}2", f"{ITEM}3", "/review?verdict=any", "/review/decisions")
    asked = ("/review?order={}", "/review/decisions?by={}", "/review/batch?verb=reject&all=1&verdict=any&comment={}")
    for path in (*shown, *(path.format(quote(payload)) for path in asked)):
        page = reviewer.get(path).text
        tree = parsed(page)
        assert tree.xpath("//main//script[not(@src)]") == tree.xpath("//main//img") == [], path
        assert [link for link in tree.xpath("//main//a/@href") if not link.startswith(("/", "https:"))] == [], path
        assert ("\u202e" in page, "[U+202E]" in seen(page)) == (False, True) or path not in shown, path


def test_an_item_of_many_files_has_a_page_of_bounded_size(house, files, reviewer):
    count = 500
    names = [statement("identifier", f"https://laro.example.org/{number}.pdf") for number in range(count)]
    house.harness.send(Sent("1", dc("Large", *names)))
    house.harness.publish()
    files.find_many("1", count)
    page = reviewer.get(f"{ITEM}1")
    assert page.status_code == 200
    assert len(page.data) < 500_000
    tree = parsed(page.text)
    assert len(tree.xpath("//section[@data-row]")) == 20
    (following,) = tree.xpath("//nav[@class='pages']/a[@rel='next']/@href")
    second = reviewer.get(following)
    assert len(parsed(second.text).xpath("//section[@data-row]")) == 20
    last = max(decision.number for decision in files.discovery.decisions(f"{DOMAIN}:laro/1"))
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
        last = {one.url.rpartition("/")[2]: one for one in files.discovery.decisions(f"{DOMAIN}:laro/1")}
        files.discovery.decide(*(last[name]._replace(verdict="accept", decided_by="B. Ito") for name in names))
        (address,) = page.xpath("//nav[@class='pages']/a[@rel='next']/@href")
    assert walked == [f"{number:05}.pdf" for number in (*range(50), *range(10))], "then those that were decided on"


PAGE = """Journal of Reef Science 12 (2024) 45-67
Thermal Tolerance of Reef-Building Corals in the Red Sea
Ada Okafor 1,* and Märta Lindqvist 2
1 University of the Sea; 2 Institute of Corals
https://doi.org/10.5555/reef.1. Received 3 May 2023
Abstract. Marine heatwaves strike reefs every second summer."""


def work(**texts: str) -> Work:
    return Work(tuple(Statement(element, text) for element, text in texts.items()))


def row(rows: tuple[Row, ...], name: str) -> Row:
    return next(row for row in rows if row.name == name)


def test_names_in_another_order_do_not_differ_and_a_missing_one_does():
    record, file = in_any_order("Okafor, Ada; Lindqvist, Marta; Stranger, Max", PAGE)
    assert record == (Part("Okafor, Ada; Lindqvist, Marta;"), Part("Stranger, Max", True))
    assert "Okafor" in file[0].text
    assert not any(part.differs for part in file)


def test_a_year_or_a_doi_differs_only_if_the_file_has_another_one():
    rows = rows_of(work(title="x", date="2024-05-03", identifier="doi:10.5555/REEF.1"), None, PAGE)
    assert not row(rows, "year").differs
    assert row(rows, "doi").file == (Part("10.5555/reef.1"),)
    assert not row(rows, "doi").differs
    rows = rows_of(work(title="x", date="2019", identifier="https://doi.org/10.5555/other"), None, PAGE)
    assert row(rows, "year").record == (Part("2019", True),)
    assert row(rows, "doi").differs
    rows = rows_of(work(title="x"), None, PAGE)
    assert not row(rows, "year").differs


def test_no_word_is_lost_or_repeated_whatever_the_texts():
    random = Random(18)
    for _ in range(300):
        title = " ".join(random.choices(["a", "b", "c", "d,", ".", "\u2013", "E"], k=random.randint(0, 12)))
        text = " ".join(random.choices(["a", "b", "c", "d", "e", "f", ";", "X"], k=random.randint(0, 60)))
        for compared in (in_order, in_any_order):
            record, file = compared(title, text)
            assert " ".join(part.text for part in record) == title
            assert " ".join(part.text for part in file) in text
            if file:
                assert len(" ".join(part.text for part in file).split()) <= 1.5 * len(title.split()) + 2


def test_a_long_page_and_a_long_title_are_compared_at_once():
    record, _ = in_order("word " * 5000, "word other " * 2000)
    assert len(record[0].text.split()) <= 80
