"""A work that Unpaywall calls closed is found through each further service; each is asked once, Wayback last."""

from __future__ import annotations

import json
from collections import Counter
from copy import deepcopy
from typing import Any

import pytest

from gateway.fulltext.search_result import SearchResult
from gateway.model import Outcome, Work
from harvester.fulltext.search_work import search
from harvester.fulltext.services import hal
from harvester.fulltext.step_order import steps
from tests.fulltext.kinds import CLOSED, DOI, TITLE, crossref, unpaywall
from tests.fulltext.web import SETTINGS, Answer, RecordedWeb, a_pdf, answer, to, work
from tests.fuzz import answers
from tests.rows import each_row

pytestmark = pytest.mark.usefixtures("quick_reader")

NOW = 1_700_000_000
FILE = answer(a_pdf(TITLE, "Anna Example and Bert Sample", *[f"We sowed oats. {TITLE}"] * 60))
CLOSED_ELSEWHERE: dict[str, Answer] = {**crossref(), **unpaywall(), **CLOSED}


def searched(about: Work, own: dict[str, Answer]) -> tuple[SearchResult, list[str]]:
    web = RecordedWeb(own, has_recordings=False)
    result = search(about, steps(), web, SETTINGS, at=NOW, most_files=6)
    return result, web.asked


def answer_of(document: dict[str, Any]) -> Answer:
    """Return an answer about the work of this file."""
    text = json.dumps(document).replace("10.1234/A", DOI).replace("10.1234/a", DOI).replace("Oats under rust", TITLE)
    return answer(text)


EUROPE_PMC = "https://www.ebi.ac.uk/europepmc/webservices/rest/search"
BASE = "https://api.base-search.net/cgi-bin/BaseHttpSearchInterface.fcgi"
HAL = "https://api.archives-ouvertes.fr/search/"
SERVICES = {
    "europe_pmc": (
        f'{EUROPE_PMC}?query=DOI:"{DOI}"&resultType=core&format=json&pageSize=5',
        answers.EUROPE_PMC,
        "https://pmc-oa-opendata.s3.amazonaws.com/PMC123.1/PMC123.1.pdf",  # the second place: the first gives nothing
    ),
    "hal": (
        f'{HAL}?q=doiId_s:("{DOI}" OR "{DOI.upper()}")&wt=json&fl={hal.FIELDS}&rows=5',
        answers.HAL,
        "https://hal.science/hal-01234567/document",
    ),
    "core": (
        f'https://api.core.ac.uk/v3/search/works/?q=doi:"{DOI}"&limit=5',
        answers.CORE,
        "https://core.ac.uk/download/7.pdf",
    ),
    "base": (
        f'{BASE}?func=PerformSearch&query=dcdoi:"{DOI}"&hits=5&format=json&apikey=k',
        answers.BASE,
        "https://open.example.org/7.PDF",
    ),
    "doaj": (
        f'https://doaj.org/api/v4/search/articles/doi:"{DOI}"?pageSize=5',
        answers.DOAJ,
        "https://press.example.org/7.pdf",
    ),
    "fatcat": (
        f"https://api.fatcat.wiki/v0/release/lookup?doi={DOI}&expand=files,container&hide=abstracts,refs",
        answers.FATCAT,
        "https://web.archive.org/web/20200130042753id_/https://press.example.org/7.pdf",
    ),
}


@each_row("name", SERVICES)
def test_a_work_is_found_through_a_further_service(name: str) -> None:
    address, document, file = SERVICES[name]
    elsewhere = crossref() if name == "doaj" else CLOSED_ELSEWHERE
    result, asked = searched(work(TITLE, doi=DOI), {**elsewhere, address: answer_of(document), file: FILE})
    best = next(candidate for candidate in result.candidates if candidate.outcome is Outcome.SUCCESS)
    assert (result.outcome, best.found_by, best.url) == (Outcome.SUCCESS, name, file)
    assert len(asked) == len(set(asked))


def test_the_wayback_machine_is_the_last_resort_and_doaj_is_not_asked_for_a_work_that_is_called_closed() -> None:
    address, document, file = SERVICES["fatcat"]
    _, asked = searched(work(TITLE, doi=DOI), {**CLOSED_ELSEWHERE, address: answer_of(document), file: FILE})
    for_files = [url for url in asked if "policyfinder" not in url]
    assert [url for url in asked if "web.archive.org" in url] == for_files[-1:]
    assert [url for url in asked if "doaj.org" in url] == []


ZENODO = "10.5281/zenodo.1234567"
RECORD = "https://zenodo.org/api/records/1234567"
OF_ZENODO = work(TITLE, doi=ZENODO, page="https://zenodo.org/records/1234567")
SHELL = {"https://zenodo.org/records/1234567": answer("<div id='root'></div>")}


def test_a_record_of_zenodo_is_found_behind_its_shell() -> None:
    file = f"{RECORD}/files/Oats%20%26%20rust.PDF/content"
    result, asked = searched(OF_ZENODO, {**SHELL, RECORD: answer_of(answers.ZENODO), file: FILE})
    assert (result.outcome, [candidate.license for candidate in result.candidates]) == (Outcome.SUCCESS, ["cc-by"])
    assert asked.count(RECORD) == 1


@each_row("access, outcome", [
    ({"access_right": "restricted"}, None),
    ({"access_right": "closed"}, None),
    ({"access_right": "embargoed", "embargo_date": "2031-02-03"}, Outcome.EMBARGOED_UNTIL),
])  # fmt: skip
def test_no_file_of_a_record_that_is_restricted_or_under_an_embargo_is_asked_for(access: dict, outcome) -> None:
    document = deepcopy(answers.ZENODO)
    document["metadata"] |= access
    result, asked = searched(OF_ZENODO, {**SHELL, RECORD: answer_of(document)})
    assert result.outcome is not Outcome.SUCCESS
    assert [candidate.outcome for candidate in result.candidates] == [outcome] or outcome is None
    assert [url for url in asked if "/files/" in url] == []


@each_row("way", [(), ("http://hdl.handle.net/10234/55",), ("https://repository.example.org/jspui/1234",)])
def test_an_item_of_dspace_is_found_behind_its_shell_and_where_the_page_of_its_record_leads_there(way) -> None:
    """Repositories give their items' handles as pages; where these led to was forgotten."""
    site, uuid = "https://repository.example.org", answers.DSPACE["uuid"]
    page = f"{site}/items/{uuid}"
    own = {
        **{handle: to(f"{site}/handle/1/2") for handle in way},
        f"{site}/handle/1/2": to(page),
        page: answer("<!DOCTYPE html><html><body><ds-app></ds-app></body></html>"),
        f"{site}/server/api/core/items/{uuid}?embed=bundles/bitstreams": answer_of(answers.DSPACE),
        f"{site}/server/api/core/bitstreams/{uuid[:-1]}1/content": FILE,
    }
    result, asked = searched(work(TITLE, page=[*way, page][0]), own)
    assert (result.outcome, result.candidates[-1].found_by) == (Outcome.SUCCESS, "dspace")
    assert max(Counter(asked).values()) == 1
