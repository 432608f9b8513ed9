"""Titles, authors and texts of files have languages of their own: a screen reader does not read them in ours."""

from __future__ import annotations

from tests.page_house import parsed, statement
from tests.publish.desk import Sent, dc

TITLE = "Korallen und Riffe"
ITEM = "/review/items/oai:gateway.example.org:laro/1"


def languages(page: str, text: str) -> list[str]:
    """Return the languages of the elements in the middle of a page that have a text."""
    elements = parsed(page).xpath("//main//*[text()[contains(., $text)]][not(self::option)]", text=text)
    return [element.xpath("string((ancestor-or-self::*/@lang)[last()])") for element in elements]


def test_texts_of_others_have_no_language_of_ours(files, reviewer):
    record = dc("Reefs", statement("title", TITLE, "de"), statement("creator", "Okafor, Ada"))
    files.house.desk.send(Sent("1", record.replace(b"<dc:title>Reefs</dc:title>", b"")))
    files.house.desk.publish()
    file = files.find("1", TITLE, verdict="accept", reason="The licence cc-by was stated for this copy.")
    files.desk.keep_first_page(file.sha256, f"{TITLE}\nAda Okafor")
    number = files.last(file).number
    for path in ("/review?verdict=any", "/review/decisions", f"/review/batch?verb=reject&number={number}"):
        assert languages(reviewer.get(path).text, TITLE) == [""], path
    for path, of_heading in ((ITEM, "de"), ("/review/sample", "")):
        heading, *others = languages(reviewer.get(path).text, TITLE)
        assert (heading, set(others)) == (of_heading, {""}), path
        assert set(languages(reviewer.get(path).text, "Okafor")) == {""}
    assert languages(reviewer.get("/review?verdict=any").text, "Okafor, Ada; ") == [""]
    done = reviewer.post("/review/decide", row=f"reject {number}", next="/review?verdict=any").headers["Location"]
    assert languages(reviewer.get(done).text, TITLE) == ["", ""]
    race = reviewer.post("/review/decide", row=f"undo {number}")
    assert (race.status_code, languages(race.text, TITLE)) == (409, [""])
