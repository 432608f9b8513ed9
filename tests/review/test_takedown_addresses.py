"""A file of which nobody knows the bytes is taken down in the browser by its address, as the command does it."""

from contextlib import closing
from typing import Any
from urllib.parse import quote

import pytest

from gateway.core.model import Deed, Role
from gateway.core.takedown_file import TakedownFile
from gateway.core.takedowns import Kind
from gateway.takedowns import interactive
from gateway.takedowns.plans import recognised
from tests.opening import open_users
from tests.page_house import House, parsed, seen, statement
from tests.publish.harness import Sent, dc, pdf
from tests.review.test_takedown_pages import ITEM, LIST, NEW, _form
from tests.review_house import Browser, Files, signed_in
from tests.rows import each_row

NAMED = "http://laro.example.org/never%20fetched.pdf"
PLACE = "laro.example.org/never fetched.pdf"
OTHERS = "oai:gateway.example.org:another/"
QUERY = f"item={ITEM}1&address={quote(NAMED, safe='')}"


def _record(url: str = NAMED, title: str = "Named only") -> bytes:
    return dc(title, statement("identifier", url))


@pytest.fixture
def filled(house: House, monkeypatch: pytest.MonkeyPatch) -> House:
    """Return a house in which a record names a file that nobody has fetched, and another record another one."""
    monkeypatch.setenv("GATEWAY_CLOCK_MAX_JUMP_SECONDS", "0")  # the clock of the house stands elsewhere
    Files(house)
    house.harness.send(Sent("1", _record()), Sent("2", dc("Another", pdf("2"))))
    house.harness.publish()
    return house


@pytest.fixture
def administrator(filled: House) -> Browser:
    return signed_in(filled.app, filled.harness.folder, "R. Vos", Role.ADMINISTRATOR)


@pytest.fixture
def manager(filled: House) -> Browser:
    return signed_in(filled.app, filled.harness.folder, "Ada", Role.MANAGER, "laro")


def _agree(page: Browser, query: str = QUERY, **more: str) -> Any:
    shown = page.get(f"{NEW}?{query}")
    assert shown.status_code == 200, shown.text
    fields = _form(shown.text) | {"reason": "court", "comment": "Case 1/26"} | more
    del fields["csrf_token"]
    return page.post(LIST, **fields)


def _didl(site: House, identifier: str = f"{ITEM}1") -> str:
    return site.get(f"/oai?verb=GetRecord&metadataPrefix=oai_didl&identifier={identifier}").text


def _entries(site: House) -> list[tuple[Kind, str]]:
    return [(entry.kind, entry.value) for entry in TakedownFile(site.harness.folder).read().entries]


def test_the_page_of_an_item_leads_to_the_takedown_of_what_nobody_has_fetched(filled, manager):
    page = manager.get(f"/review/items/{ITEM}1")
    assert "Files of which nobody knows the bytes" in seen(page.text)
    (link,) = (link.get("href") for link in parsed(page.text).iterfind(".//main//a") if "address=" in link.get("href"))
    preview = seen(manager.get(link).text)
    assert f"{PLACE} The address is removed from every record" in preview
    assert f"1 item has this address or the file there. Named only {ITEM}1" in preview
    assert "tombstone" not in preview
    assert NAMED in _didl(filled), "nothing happens before"
    reviewer = signed_in(filled.app, filled.harness.folder, "B. Ito")
    assert "address=" not in reviewer.get(f"/review/items/{ITEM}1").text
    assert reviewer.get(link).status_code == 403


def test_the_address_leaves_the_records_and_the_entry_is_that_of_the_command(filled, manager):
    answer = _agree(manager)
    assert (answer.status_code, answer.headers["Location"]) == (303, f"{LIST}?done=done")
    assert "never" not in _didl(filled)
    assert 'status="deleted"' not in _didl(filled)
    assert "2.pdf" in _didl(filled, f"{ITEM}2")
    (entry,) = TakedownFile(filled.harness.folder).read().entries
    assert entry.key == recognised(NAMED, "gateway.example.org").key
    assert (entry.by, entry.reason) == ("Ada", "Order of a court or an authority: Case 1/26")
    with closing(open_users(filled.harness.folder)) as users:
        (line, *_) = users.log(10**9, 10)
    assert (line.by, line.deed, line.about) == ("Ada", Deed.TAKEN_DOWN, f"url {PLACE}")
    page = manager.get(f"/review/items/{ITEM}1")
    assert (page.status_code, "nobody knows the bytes" in page.text) == (200, False)


@pytest.mark.parametrize(
    "spelling",
    [NAMED, "https://LARO.example.org:443/./never%20fetched.pdf", "http://laro.example.org/%6eever%20fetche%64.pdf"],
)
def test_an_address_that_stands_in_another_source_is_for_an_administrator(filled, administrator, manager, spelling):
    filled.harness.add("another")
    filled.harness.send(Sent("9", _record(spelling, "Of another source")), source="another")
    filled.harness.publish("another")
    answer = manager.get(f"{NEW}?{QUERY}")
    assert (answer.status_code, "Of another source" in answer.text) == (403, False)
    manager.get("/review")
    fields = {"item": f"{ITEM}1", "address": NAMED, "reason": "court", "comment": "x"}
    assert manager.post(LIST, **fields, seen="").status_code == 403
    assert _entries(filled) == []
    assert "2 items have this address" in seen(administrator.get(f"{NEW}?{QUERY}").text)
    assert _agree(administrator).status_code == 303
    assert "never" not in _didl(filled, f"{OTHERS}9")


def test_a_file_that_was_found_there_for_another_source_is_not_the_managers(filled, administrator, manager):
    """Neither is one with the same bytes elsewhere: it would be withdrawn too."""
    url = "https://repository.example.net/same.pdf"
    filled.harness.send(Sent("1", _record(url)))
    filled.harness.publish()
    query = f"item={ITEM}1&address={url}"
    assert manager.get(f"{NEW}?{query}").status_code == 200
    file = Files(filled).add("9", "Of another source", source="another", url=url)
    assert manager.get(f"{NEW}?{query}").status_code == 403
    preview = seen(administrator.get(f"{NEW}?{query}").text)
    assert "Of another source" in preview
    assert f"1 file is withdrawn, and our copy of it is deleted: {file.sha256}" in preview


def test_the_address_of_a_landing_page_makes_a_tombstone_and_the_preview_says_so(filled, administrator):
    filled.harness.send(Sent("3", dc("With a page", statement("identifier", "https://laro.example.org/page/3"))))
    filled.harness.publish()
    preview = seen(administrator.get(f"{NEW}?item={ITEM}3&address=https://laro.example.org/page/3").text)
    assert "1 of them becomes a tombstone" in preview


def test_if_not_all_records_could_be_read_the_preview_says_so(filled, administrator, manager, monkeypatch):
    monkeypatch.setattr(interactive, "_READ_SECONDS", -1.0)
    preview = seen(administrator.get(f"{NEW}?{QUERY}").text)
    assert "There may be more items" in preview
    assert f"Named only {ITEM}1" in preview
    answer = manager.get(f"{NEW}?{QUERY}")
    assert answer.status_code == 403
    assert "Not all records could be read" in seen(answer.text)
    assert _agree(administrator).status_code == 303
    assert "never" not in _didl(filled)


WORK = "This address names a work, or more than one file"
NONE = "This is no address of a file on the web"


@each_row(
    "address, sentence",
    [
        ("javascript:alert(1)", NONE),
        ("https://\u202efdp.example.org/x", NONE),
        ("https://[::1/x.pdf", NONE),
        ("\0", NONE),
        ("https://doi.org/10.1234/abc", WORK),
        ("https://laro.example.org/*", WORK),
        ("laro.example.org", WORK),
        ("ab" * 32, WORK),
        ("https://laro.example.org/" + "x" * 200_000, "This address is too long for a page"),
        ("<script>alert(1)</script>", NONE),
    ],
)
def test_a_hostile_address_is_shown_as_text_and_refused_in_a_sentence(filled, administrator, address, sentence):
    answer = administrator.get(f"{NEW}?item={ITEM}1&address={quote(address)}")
    posted = administrator.post(LIST, item=f"{ITEM}1", address=address, reason="court", comment="x", seen="")
    for page in (answer, posted):
        assert page.status_code == 400
        assert sentence in seen(page.text)
        assert "<script>alert" not in page.text
        assert "\u202e" not in page.text
        assert len(page.text) < 10_000
    assert _entries(filled) == []


@pytest.mark.parametrize("url", ["https://doi.example.org/10.1/a.pdf", "https://DOI.example.org/10.1//%61.pdf"])
def test_a_file_that_was_found_behind_a_redirect_to_another_host_is_in_the_preview(filled, administrator, url):
    """The list of files has the host that the address led to, and the preview looked for that of the address."""
    Files(filled).find("2", url=url, final_url="https://repository.example.net/2.pdf")
    address = quote("https://doi.example.org/10.1/a.pdf", safe="")
    preview = seen(administrator.get(f"{NEW}?item={ITEM}1&address={address}").text)
    assert "1 item has this address or the file there." in preview
    assert f"{ITEM}2" in preview
