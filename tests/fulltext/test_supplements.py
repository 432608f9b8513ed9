"""Supplements: found on the page of a work, accepted after its file, published apart from it, and rechecked like it."""

import json
import re
from hashlib import sha256
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest
from click.testing import CliRunner
from lxml import etree

from gateway.core.model import Candidate, Decision, Outcome
from gateway.core.takedown_file import TakedownFile
from gateway.core.takedowns import Kind, Takedown
from gateway.core.typed_links import SUPPLEMENT, SUPPLEMENT_FILE, Link
from gateway.fulltext.decisions import Thresholds, decided
from gateway.fulltext.search_result import SearchResult
from gateway.fulltext.stored_search import candidates_of
from gateway.takedowns.apply import apply_takedowns
from harvester.cli import main
from harvester.fulltext.check_copy import Offer, check
from harvester.fulltext.known_copies import Copy
from harvester.fulltext.pages.landing_page import read
from harvester.fulltext.recheck.run import Order, Recheck
from harvester.fulltext.steps import known_of, signposting
from harvester.mirror.read_components import components, files
from tests.applications import application
from tests.fulltext.test_releasing import COPY, DAY, DOI, IDENTIFIER, ITEM, component, decisions, explained, pdf, stamps
from tests.fulltext.web import SETTINGS, RecordedWeb, answer, work
from tests.rows import each_row

SITE = "https://repository.example.net"
DATA, LOST, OTHER = f"{SITE}/7/data.zip", f"{SITE}/7/S2.csv", f"{SITE}/reports/annual.pdf"
CC_BY = "https://creativecommons.org/licenses/by/4.0/"
PAGE = (
    '<html><head>{}<meta name="citation_pdf_url" content="{}"></head><body><a href="{}">Supplementary data (ZIP)</a>'
    '<a href="{}">Supplementary table</a><a href="{}">Annual report</a></body></html>'
)


def a_zip(text: str) -> bytes:
    holder = BytesIO()
    with ZipFile(holder, "w") as archive:
        archive.writestr("data.csv", text)
    return holder.getvalue()


def site(search, license_: str) -> dict[str, Any]:
    page = PAGE.format(f'<link rel="license" href="{license_}">' if license_ else "", COPY, DATA, LOST, OTHER)
    return {
        f"https://doi.org/{DOI}": answer("", 302, Location=f"{SITE}/7"),
        f"{SITE}/7": answer(page, Content_Type="text/html"),
        COPY: answer(pdf(search)),
        DATA: answer(a_zip("a,b"), Content_Type="application/octet-stream"),
        LOST: answer("<html><title>Error</title>This file is not there.", Content_Type="text/html"),
    }


def searched(searching, license_: str = CC_BY, **options: Any) -> Any:
    search = searching(discover_named_files=False, **options)
    search.web.own = site(search, license_)
    assert search.run(identifier=IDENTIFIER) == {ITEM: "success"}
    search.release()
    return search


def typed(search, url: str) -> str:
    """Return the type of the Component of a file; empty: there is none."""
    element = component(search, url)
    types = [] if element is None else element.xpath(".//@*[local-name()='resource']")
    return "".join(types)


def sets(search) -> tuple[str, ...]:
    (state,) = search.store.states("laro", [f"oai:laro.example.org:{ITEM}"]).values()
    return search.store.item_sets(state.number)


def test_a_supplement_is_published_next_to_the_file_that_it_follows(searching) -> None:
    search = searched(searching)
    assert (typed(search, COPY), typed(search, DATA)) == ("info:eu-repo/semantics/objectFile", SUPPLEMENT_FILE)
    assert (component(search, LOST), component(search, OTHER)) == (None, None)
    assert OTHER not in search.web.asked
    found = {one.url: one.outcome for one in candidates_of(search.discovery.search(IDENTIFIER))}
    assert found == {COPY: Outcome.SUCCESS, DATA: Outcome.SUPPLEMENT, LOST: Outcome.WRONG_MIMETYPE}
    line = ["--instance", str(search.settings.instance), "offer", "laro", "--folder", "new", "--dry-run", "--json"]
    offered = [json.loads(text)["sha256"] for text in CliRunner().invoke(main, line).output.splitlines()]
    assert offered == [sha256(search.web.own[COPY].body).hexdigest()]
    before = stamps(search)
    search.now += 100 * DAY
    search.discovery.renew(search.now, (), search.now)
    assert search.run(identifier=IDENTIFIER) == {ITEM: "success"}
    assert (search.release(), stamps(search)) == (0, before)  # the next search finds both as they were
    with application(
        search.settings.instance,
        base_url="https://g.example.org/oai",
        resourcesync_lists="oai_dc",
        resourcesync_files=True,
    ) as app:
        client = app.test_client()
        shown = client.get(f"/items/{IDENTIFIER}.json").json
        assert [file["url"] for file in shown["files"]] == [COPY]
        assert [(file["url"], file["mimeType"]) for file in shown["supplements"]] == [(DATA, "application/zip")]
        page = client.get(f"/items/{IDENTIFIER}")
        table, supplements = page.text.partition('id="files"')[2].partition('id="supplements"')[::2]
        assert (COPY in table, DATA in table, DATA in supplements) == (True, False, True)
        assert f'<{DATA}>; rel="{SUPPLEMENT}"; type="application/zip"' in page.headers["Link"]
        (linked,) = (
            one for one in client.get(f"/items/{IDENTIFIER}.linkset.json").json["linkset"] if one["anchor"] == DATA
        )
        assert linked["type"] == [{"href": SUPPLEMENT_FILE}]
        listed = client.get("/resourcesync/oai_dc/source/resourcelist.xml").text
        assert dict(re.findall(rf'<rs:ln rel="(\S*)" href="({COPY}|{DATA})"', listed)) == {
            "describes": COPY,
            SUPPLEMENT: DATA,
        }
        listed = client.get("/resourcesync/files/resourcelist-1.xml").text
        assert (
            f'<rs:ln rel="type" href="{SUPPLEMENT_FILE}"/>'
            in listed.partition(f"<loc>{DATA}</loc>")[2].partition("</url>")[0]
        )


def test_a_mirror_has_a_supplement_as_one(searching) -> None:
    search = searched(searching)
    held = files(components(etree.tostring(search.didl(ITEM))))
    assert {file.locations: file.type for file in held}[DATA,] == SUPPLEMENT_FILE


def test_a_supplement_alone_waits_and_is_no_full_text(searching) -> None:
    """Neither page states a licence, and the file itself is not there."""
    search = searching(discover_named_files=False)
    search.web.own = {**site(search, ""), COPY: answer(status=404)}
    assert search.run(identifier=IDENTIFIER) == {ITEM: "not-found"}
    assert (search.release(), decisions(search)) == (0, [("review", "rule")])
    before = search.store.counts("laro")["fulltext"]
    assert ": No file was found." in explained(search)
    waiting = search.discovery.decisions(IDENTIFIER)[-1]
    search.discovery.decide(waiting._replace(verdict="accept", decided_by="anna"))
    search.release()
    assert typed(search, DATA) == SUPPLEMENT_FILE
    assert ("fulltext" in sets(search), search.store.counts("laro")["fulltext"]) == (False, before)


@pytest.mark.slow
def test_a_supplement_is_rechecked_and_withdrawn_like_a_file(searching) -> None:
    search = searched(searching)

    def recheck() -> None:
        search.now += DAY
        one = Recheck(search.store, search.discovery, search.web, search.settings, clock=lambda: float(search.now))
        assert {result.file.url for result in one.run(Order({"laro": DAY}, is_all=True))} >= {DATA}
        search.release()

    before = component(search, DATA).xpath("string(.//*[local-name()='messageDigest'])")
    search.web.own[DATA] = answer(a_zip("a,b,c"))
    recheck()
    after = component(search, DATA).xpath("string(.//*[local-name()='messageDigest'])")
    assert (typed(search, DATA), after != before) == (SUPPLEMENT_FILE, True)
    search.web.own[DATA] = answer(status=410)
    recheck()
    assert (typed(search, DATA), typed(search, COPY)) == ("", "info:eu-repo/semantics/objectFile")
    search.web.own[DATA] = answer(a_zip("a,b,c"))
    search.discovery.renew(search.now, (), search.now)
    search.run(identifier=IDENTIFIER)
    search.release()
    assert typed(search, DATA) == SUPPLEMENT_FILE


def test_a_takedown_of_a_supplement_hides_it_alone(searching) -> None:
    search = searched(searching)
    file = TakedownFile(search.settings.instance)
    file.change(lambda known: (*known, Takedown(Kind.URL, DATA.partition("://")[2])))
    apply_takedowns(search.store, search.inbox, file)
    assert (typed(search, DATA), typed(search, COPY)) == ("", "info:eu-repo/semantics/objectFile")


HOME = "https://journal.example.org"


@each_row("markup, url", [
    ('<a href="/s/9.csv">Supplementary table 1</a>', f"{HOME}/s/9.csv"),
    ('<a href="/doi/suppl/10.5/a/suppl_file/si_001.pdf">Supporting Information (PDF)</a>',
     f"{HOME}/doi/suppl/10.5/a/suppl_file/si_001.pdf"),
    ('<a href="https://cdn.example.com/esm/10.5555%2Fa/1_MOESM1_ESM.xlsx">Table</a>',
     "https://cdn.example.com/esm/10.5555%2Fa/1_MOESM1_ESM.xlsx"),
    ('<a href="https://cdn.example.com/esm/1_MOESM1_ESM.xlsx">Table</a>', ""),
    ('<a href="/esm/10.5555%2Fb/1_MOESM1_ESM.xlsx">Table</a>', ""),
    ('<section class="related-articles"><p><a href="/s/9.csv">Supplementary table 1</a></p></section>', ""),
    ('<a href="/9/supplements.html">Supplements</a>', ""), ('<a href="/s/9.csv">Support us</a>', ""),
    ('<a href="/suppl_file/peer_review_file.pdf">Supplementary file</a>', ""),
    ('<meta name="citation_pdf_url" content="/s/9.pdf"><a href="/s/9.pdf">Supplementary table 1</a>', ""),
])  # fmt: skip
def test_a_link_to_a_supplement_says_so_and_leads_to_a_file_of_this_work(markup: str, url: str) -> None:
    page = read(f"<html><body>{markup}".encode(), f"{HOME}/doi/10.5555/a")
    assert [copy.url for copy in page.supplements] == [url] * bool(url)


def test_typed_links_lead_to_supplements() -> None:
    page, file, data, more = (f"{HOME}/{name}" for name in ("a", "a.pdf", "data.csv", "more.csv"))
    links = (Link(page, "item", file), Link(page, "item", data), Link(page, SUPPLEMENT, more))
    signposts = signposting.read(page, (*links, Link(data, "type", SUPPLEMENT_FILE)))
    assert [copy.url for copy in signposts.copies] == [file]
    assert {(copy.url, copy.beside) for copy in signposts.supplements((file,))} == {(more, (file,)), (data, (file,))}


FILE = Candidate(COPY, "landing_page", outcome=Outcome.SUCCESS, sha256="0" * 64, license="cc-by", judge=1,
                 has_doi=True, has_title=True, identified_by=("doi", "title"))  # fmt: skip
ONE = Candidate(DATA, "landing_page", outcome=Outcome.SUPPLEMENT, sha256="1" * 64, license="cc-by", is_auxiliary=True,
                kind="supplement", is_supplement=True, beside=(COPY,))  # fmt: skip
BY_ANNA = Decision("oai:x", COPY, "0" * 64, "accept", "I know it.", "anna", 1)


@each_row("file, supplement, earlier, verdict", [
    (FILE, ONE, (), "accept"), (FILE, ONE._replace(beside=()), (), "review"),
    (FILE, ONE._replace(license=""), (), "review"), (FILE, ONE._replace(license="cc-by-sa"), (), "review"),
    (FILE, ONE._replace(doubt="The page contradicts it."), (), "review"), (FILE, ONE, (BY_ANNA,), "review"),
    (FILE._replace(identified_by=()), ONE, (), "review"),
])  # fmt: skip
def test_a_rule_accepts_a_supplement_only_after_a_file_with_the_open_licence_of_their_page(
    file: Candidate, supplement: Candidate, earlier: tuple[Decision, ...], verdict: str
) -> None:
    news = decided("oai:x", SearchResult(Outcome.SUCCESS, (), (supplement, file)), Thresholds(), 2, earlier)
    assert {decision.url: decision.verdict for decision in news}[DATA] == verdict
    (mine,) = (decision for decision in news if decision.url == DATA)
    later = SearchResult(Outcome.SUCCESS, (), (supplement._replace(outcome=Outcome.FORBIDDEN, sha256=""), file))
    assert DATA not in {one.url for one in decided("oai:x", later, Thresholds(), 3, (mine,)) if one.verdict == "accept"}


XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


@each_row("url, body, sent, outcome, mime_type", [
    (DATA, a_zip("x"), "", Outcome.SUPPLEMENT, "application/zip"),
    (DATA, a_zip("x")[:60], "", Outcome.WRONG_MIMETYPE, ""),
    (f"{SITE}/a.xlsx", a_zip("x"), "", Outcome.SUPPLEMENT, XLSX),
    (f"{SITE}/a.xlsx", b"Not found", "text/plain", Outcome.WRONG_MIMETYPE, ""),
    (f"{SITE}/a.csv", b"a,b", "", Outcome.SUPPLEMENT, "text/csv"),
    (f"{SITE}/a.pdf", b"<html><body>Log in", "", Outcome.WRONG_MIMETYPE, ""),
    (f"{SITE}/a.pdf", b"Busy.", "", Outcome.NOT_PDF, ""),
    (f"{SITE}/a.pdf", b"%PDF-1.4 and no more", "", Outcome.BROKEN_PDF, ""),
    (f"{SITE}/download?x", b"\x00\x01", "video/mp4", Outcome.SUPPLEMENT, "video/mp4"),
    (f"{SITE}/download?x", b"Busy.", "video/mp4", Outcome.WRONG_MIMETYPE, ""),
])  # fmt: skip
def test_a_supplement_is_a_whole_file_of_its_stated_type(
    url: str, body: bytes, sent: str, outcome: Outcome, mime_type: str
) -> None:
    web = RecordedWeb({url: answer(body, Content_Type=sent)}, has_recordings=False)
    offer = Offer("landing_page", Copy(url, is_supplement=True))
    found = check(offer, known_of(work("A title"), SETTINGS), web, 1)
    assert (found.outcome, found.mime_type if mime_type else "") == (outcome, mime_type)
    assert json.loads(json.dumps(found._asdict()))["is_supplement"] is True
