"""Pages and files that make a claim about a copy, and what becomes of the copy: the whole way, offline."""

from calendar import timegm
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from gateway.core.model import Decision, Outcome
from gateway.fulltext.decisions import Thresholds, decided
from gateway.fulltext.search_result import SearchResult
from harvester.fulltext.search_work import search
from harvester.fulltext.step_order import step_of
from tests.fulltext.corpus.pdf import Run, Sheet, written
from tests.fulltext.web import SETTINGS, RecordedWeb, answer, work
from tests.sample.web import PAGE_BREAK

ACCEPT, REVIEW, RETRACTED, DAY = "accept", "review", "retracted", "2027-05-01"
TITLE = "Meadows of the northern uplands in winter"
BY = "https://creativecommons.org/licenses/by/4.0/"
CC = f'<a rel="license" href="{BY}">CC BY 4.0</a>'
LICENSED = f"<p>This article is licensed under {CC}.</p>"
HOME = "https://repository.example.org"
AT = timegm((2026, 11, 23, 0, 0, 0))
_WORDS = "Sorbye on meadows of the northern uplands in winter, where snow lies long and grasses wait for spring."
_FOOT = "<footer><p>© 2026 University Library. All rights reserved. Metadata: CC0.</p></footer>"


class Claim(NamedTuple):
    """A page and a file with something that they state, and what becomes of the copy.

    `page` is markup beside the link to the file, with the licence unless `is_licensed` is False; `head` is markup of
    the head. `file` are lines above the title of the file, `below` are lines below its authors, `end` lines at the
    end of its last page.
    """

    wanted: str
    page: str = ""
    head: str = ""
    file: tuple[str, ...] = ()
    below: tuple[str, ...] = ()
    end: tuple[str, ...] = ()
    title: str = TITLE
    printed: str = ""
    shown: str = ""
    is_licensed: bool = True


def claims() -> list[Claim]:
    """Return the claims of `claims.txt`."""
    found, wanted, places = [], "", [""]
    for line in Path(__file__).with_name("claims.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            wanted, _, listed = line[3:].partition(": ")
            places = listed.split(", ")
        elif line and not line.startswith("#"):
            text = line.replace("{cc}", CC).replace("{by}", BY).replace("{title}", TITLE)
            found.append(Claim(wanted, **_fields(places, text.split(" || "))))
    return found


def _fields(places: list[str], texts: list[str]) -> dict[str, Any]:
    fields: dict[str, Any] = {"is_licensed": not {"sentence", "unlicensed"} & {*places}}
    for place, text in zip((place for place in places if place != "unlicensed"), texts, strict=True):
        match place:
            case "sentence":
                fields["page"] = f"<p>{text}</p>"
            case "text":
                fields["page"] = f"<div>{text}</div>"
            case "file" | "below" | "end":
                fields[place] = (text,)
            case _:
                fields["page" if place == "markup" else place] = text
    return fields


def _page(claim: Claim) -> str:
    heading = claim.shown or claim.title
    return (
        f'<html><head><title>{heading} | Repository</title><meta name="citation_title" content="{heading}">'
        f"{claim.head}</head><body><nav><a href='/'>Home</a> <a href='/restricted'>Restricted access</a></nav><main>"
        f"<h1>{heading}</h1>{claim.page}<p><a href='/files/1.pdf'>Download PDF</a></p>{LICENSED * claim.is_licensed}"
        f"</main>{_FOOT}</body></html>"
    )


def file_of(claim: Claim) -> bytes:
    """Return the file of a claim: a PDF of three pages."""
    lines = [
        *claim.file, claim.printed or claim.title, "Anna Sorbye", *claim.below, "Abstract",
        *[_WORDS] * 12, "1 Introduction", *[_WORDS] * 20, PAGE_BREAK, *[_WORDS] * 40, PAGE_BREAK, *[_WORDS] * 30,
        "References", "[1] A. Smith. On meadows. 2010.", *claim.end,
    ]  # fmt: skip
    pages = [list(page) for is_break, page in groupby(lines, PAGE_BREAK.__eq__) if not is_break]
    return written(
        Sheet(runs=[Run(40, 800 - 13 * number, 9, line) for number, line in enumerate(page)]) for page in pages
    )


def result_of(claim: Claim) -> tuple[SearchResult, tuple[Decision, ...]]:
    """Return the result of the search for a claim's work, and the decisions of rules."""
    page = f"{HOME}/1"
    own = {page: answer(_page(claim)), f"{HOME}/files/1.pdf": answer(file_of(claim), Content_Type="application/pdf")}
    web = RecordedWeb(own, has_recordings=False)
    about = work(claim.title, page=page, creator="Sorbye, Anna", date="2020", description=_WORDS)
    steps = (step_of("signposting"), step_of("landing_page"))
    searched = search(about, steps, web, SETTINGS, at=AT, most_files=6)
    return searched, decided("oai:g.example.org:1", searched, Thresholds(), AT)


def outcome_of(claim: Claim) -> str:
    """Return what becomes of a claim's copy, in the words of `Claim.wanted`; empty: none of these."""
    searched, decisions = result_of(claim)
    if searched.outcome is Outcome.EMBARGOED_UNTIL:
        return searched.open_from
    verdict = decisions[0].verdict if decisions else ""
    return RETRACTED if searched.retracted and verdict == REVIEW else verdict
