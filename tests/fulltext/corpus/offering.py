"""Every file is offered as the only copy of a work, under an open licence: what the search and the rules make of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from functools import cache
from typing import NamedTuple

import pytest

from gateway.core.model import Candidate, DocumentKind, Statement, Work
from gateway.fulltext.decisions import Thresholds, decided
from harvester.fulltext import check_copy as checking
from harvester.fulltext.search_work import search
from harvester.fulltext.step_order import step_of
from tests.fulltext.corpus.cases import Case, Kind
from tests.fulltext.corpus.words import Subject
from tests.fulltext.web import SETTINGS, RecordedWeb, answer

AT = 1_800_000_000
CC_BY = "https://creativecommons.org/licenses/by/4.0/"
_STEPS = ("crossref", "unpaywall", "signposting", "landing_page")
_TYPES = {
    "conference paper": "proceedings-article",
    "book": "monograph",
    "book chapter": "book-chapter",
    "doctoralThesis": "dissertation",
}


class Offer(StrEnum):
    """Who names the copy, and what is known of the work."""

    SERVICE_WITH_DOI = "service, DOI"
    PAGE_WITH_DOI = "page, DOI"
    PAGE_WITH_AUTHORS = "page, authors"  # title, authors, year and abstract
    PAGE_WITH_TITLE = "page, title"  # the title alone

    @property
    def has_doi(self) -> bool:
        """Tell whether the record has the DOI."""
        return self in (Offer.SERVICE_WITH_DOI, Offer.PAGE_WITH_DOI)


class Result(NamedTuple):
    """What became of one file in one offer."""

    kind: Kind
    number: int
    offer: Offer
    verdict: str  # accept, reject, review; empty: it was no document at all
    reason: str
    candidate: Candidate

    @property
    def is_held_back(self) -> bool:
        """Tell whether it is one of those that rules were not developed on."""
        return self.number % 2 == 1

    @property
    def is_as_it_should_be(self) -> bool:
        """Tell whether a rule accepted a right file, or accepted no wrong one."""
        return (self.verdict == "accept") is self.kind.is_right


def record_of(case: Case, offer: Offer, page: str) -> Work:
    """Return the work as the record tells of it: with much, with little, or with its title alone."""
    subject = case.subject
    statements = [Statement("title", case.title or subject.title)]
    if offer is not Offer.PAGE_WITH_TITLE:
        statements += [Statement("creator", person.inverted) for person in subject.authors]
        statements += [Statement("date", str(subject.year))]
        statements += [Statement("type", case.type)] * bool(case.type)
    if offer is Offer.PAGE_WITH_AUTHORS and not case.abstract:
        statements.append(Statement("description", subject.abstract))
    elif offer is Offer.PAGE_WITH_TITLE and case.type not in ("", "article"):
        statements.append(Statement("type", case.type))
    files = (f"https://doi.org/{subject.doi}",) if offer.has_doi else ()
    landing_page = page if offer is not Offer.SERVICE_WITH_DOI else ""
    return Work(tuple(statements), files, landing_page, upstream=f"oai:source.example.org:{subject.number}")


def _crossref(case: Case) -> dict[str, object]:
    subject = case.subject
    message: dict[str, object] = {
        "DOI": subject.doi,
        "type": _TYPES.get(case.type, "journal-article"),
        "title": [subject.title],
        "author": [{"given": person.given, "family": person.family} for person in subject.authors],
        "container-title": [subject.journal],
        "publisher": subject.publisher,
        "issued": {"date-parts": [[subject.year]]},
    }
    return message | ({"page": case.pages} if case.pages else {})


def web_of(case: Case, offer: Offer) -> tuple[RecordedWeb, str]:
    """Return a web in which the file is the only copy, and the address of the work's page."""
    subject = case.subject
    page, url = f"https://repository.example.org/{subject.number}", f"https://repository.example.org/files/{case.name}"
    own = {url: answer(case.file, Content_Type="application/pdf")}
    if offer is Offer.SERVICE_WITH_DOI:
        place = {
            "url_for_pdf": url,
            "license": "cc-by",
            "host_type": "repository",
            "evidence": "oa repository (via OAI-PMH)",
        }
        known = {"doi": subject.doi, "title": subject.title, "is_oa": True, "oa_locations": [place]}
        own[f"https://api.unpaywall.org/v2/{subject.doi}"] = answer(json.dumps(known))
    else:
        own[page] = answer(
            f'<html><head><title>Item</title><meta name="citation_pdf_url" content="{url}">'
            f'<meta name="DC.rights" content="{CC_BY}"></head><body><p>Item</p></body></html>'
        )
    if offer.has_doi:
        own[f"https://api.crossref.org/works/{subject.doi}"] = answer(json.dumps({"message": _crossref(case)}))
    return RecordedWeb(own, has_recordings=False), page


def offered(kind: Kind, number: int, case: Case, offer: Offer) -> Result:
    """Return what the search and the rules make of a file."""
    web, page = web_of(case, offer)
    work = record_of(case, offer, page)
    steps = tuple(step_of(name) for name in _STEPS)
    searched = search(work, steps, web, SETTINGS, at=AT, most_files=6)
    assert len(searched.candidates) < 2, (
        f"{kind.name}, {offer}: {searched}"
    )  # a page may hide what it calls a supplement
    decisions = decided("oai:g.example.org:1", searched, Thresholds(), AT)
    decision = decisions[0] if decisions else None
    return Result(
        kind,
        number,
        offer,
        decision.verdict if decision else "",
        decision.reason if decision else "",
        searched.candidates[0] if searched.candidates else Candidate("", "", outcome=searched.outcome),
    )


@contextmanager
def each_file_read_once() -> Iterator[None]:
    """Keep the texts of files: a file is offered several times, and reading takes longest."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checking, "extract", cache(checking.extract))  # type: ignore[attr-defined]
        yield


def as_expected(sample: Iterable[Result], name: str) -> tuple[int, int, list[str]]:
    """Return how many results have the kind, or the version, that their files have, of how many, and which have not.

    An article of which nothing tells that it is one may end as `unknown`: rules make no difference.
    """
    right, total, wrong = 0, 0, []
    for result in sample:
        wanted = result.kind.kind if name == "kind" else result.kind.version
        own = result.candidate.kind if name == "kind" else result.candidate.text_version
        if not wanted or not result.verdict:
            continue
        total += 1
        if own == wanted or (wanted == DocumentKind.ARTICLE and own == DocumentKind.UNKNOWN):
            right += 1
        else:
            wrong.append(f"{result.kind.name} {result.number}: {own or 'nothing'}, not {wanted}")
    return right, total, wrong


def results(kinds: Iterable[Kind], numbers: Iterable[int]) -> Iterator[Result]:
    """Return what becomes of every kind of file, made for works of these numbers, in every offer."""
    own = tuple(numbers)
    with each_file_read_once():
        for kind in kinds:
            for number in own:
                case = kind.make(Subject(number))
                yield from (offered(kind, number, case, offer) for offer in Offer)
