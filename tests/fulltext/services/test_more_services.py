"""Services that hold files or know where they are: answers written from their published form, and recorded ones."""

import json
from copy import deepcopy
from typing import Any

import pytest

from gateway.core.errors import AnswerError
from gateway.core.model import Outcome
from harvester.fulltext.known_copies import Copy, Description
from harvester.fulltext.politeness import SERVICES
from harvester.fulltext.steps import Step, base_search, core, doaj, europe_pmc, fatcat, hal
from harvester.fulltext.steps.base_search import STEP as BASE
from harvester.fulltext.steps.core import STEP as CORE
from harvester.fulltext.steps.doaj import STEP as DOAJ
from harvester.fulltext.steps.europe_pmc import STEP as EUROPE_PMC
from harvester.fulltext.steps.fatcat import STEP as FATCAT
from harvester.fulltext.steps.hal import STEP as HAL
from harvester.fulltext.steps.openalex import STEP as OPENALEX
from harvester.http.messages import Request
from harvester.http.urls import host_of
from tests.fulltext.services.reading import CC_BY, DOI, OF_A_DOI, sent, some
from tests.fulltext.step_arguments import known, offline
from tests.fulltext.web import RecordedWeb, answer, fetched, plain, work
from tests.fuzz import answers
from tests.rows import each_row

needs_data = pytest.mark.needs("../shared")


SEARCH = "https://www.ebi.ac.uk/europepmc/webservices/rest/search"
BY_DOI = f'{SEARCH}?query=DOI:"{DOI}"&resultType=core&format=json&pageSize=5'
BY_PMCID = f"{SEARCH}?query=PMCID:PMC123&resultType=core&format=json&pageSize=5"
RENDERED = "https://europepmc.org/articles/PMC123?pdf=render"
IN_BUCKET = "https://pmc-oa-opendata.s3.amazonaws.com/PMC123.1/PMC123.1.pdf"


def of_europe_pmc(**changes: object) -> dict[str, Any]:
    document = deepcopy(answers.EUROPE_PMC)
    document["resultList"]["result"][0] |= changes
    return document


def test_europe_pmc_names_its_file_and_a_second_place_of_it() -> None:
    description = europe_pmc.read(sent(answers.EUROPE_PMC), DOI)
    file = Copy(
        RENDERED, mime_type="application/pdf", version="published", license="cc-by", host_type="repository",
        evidence="europe_pmc:Europe_PMC OA", is_open=True,
    )  # fmt: skip
    assert description == Description(
        doi=DOI, title="Oats under Avena rust", authors=("Example", "Sample"), container="Invented Agronomy",
        year="2021", abstract="We sowed oats.", issns=("2049-3630",),
        copies=(file, file._replace(url=IN_BUCKET, evidence="europe_pmc:PMC bucket OA")), is_open=True,
        also=("PMC123", "1"), kind="research-article",
    )  # fmt: skip


def test_a_free_file_of_europe_pmc_has_no_licence_and_none_in_the_bucket_of_open_ones() -> None:
    free = {"availabilityCode": "F", "documentStyle": "pdf", "site": "Europe_PMC", "url": RENDERED}
    result = of_europe_pmc(isOpenAccess="N", authMan="Y", fullTextUrlList={"fullTextUrl": free})
    description = some(europe_pmc.read(sent(result), DOI))
    assert [(copy.url, copy.version, copy.license) for copy in description.copies] == [(RENDERED, "accepted", "")]
    assert description.is_open is None


def test_an_open_work_of_europe_pmc_without_an_open_file_has_one_in_the_bucket_without_licence() -> None:
    description = some(europe_pmc.read(sent(of_europe_pmc(fullTextUrlList={}, source="PPR")), DOI))
    assert [(copy.url, copy.version, copy.license) for copy in description.copies] == [(IN_BUCKET, "submitted", "")]
    assert some(europe_pmc.read(sent(of_europe_pmc(fullTextUrlList={}, pmcid="../x")), DOI)).copies == ()


@each_row("types, kinds, sentence", [
    (["Expression of concern in", "Retraction in"], [], "The work is retracted"),
    (["Partial retraction in"], [], "A part of the work is retracted"),
    (["Erratum in"], ["Retracted Publication"], "The work is retracted"),
    (["Erratum in", "Retraction of"], ["Retraction of Publication"], ""),
])  # fmt: skip
def test_the_most_serious_notice_of_europe_pmc_counts(types: list[str], kinds: list[str], sentence: str) -> None:
    notices = [{"type": type_, "id": "1"} for type_ in types]
    result = of_europe_pmc(pubTypeList={"pubType": kinds}, commentCorrectionList={"commentCorrection": notices})
    assert some(europe_pmc.read(sent(result), DOI)).retracted.partition(":")[0] == sentence


def test_europe_pmc_is_asked_once_by_doi() -> None:
    web = offline(**{BY_DOI: sent(answers.EUROPE_PMC)})
    result = EUROPE_PMC.find(known(work(doi=DOI)), web)
    assert (
        result.outcome, [copy.url for copy in result.copies], len(web.asked),
    ) == (Outcome.SUCCESS, [RENDERED, IN_BUCKET], 1)  # fmt: skip
    assert not EUROPE_PMC.wants(known(work("A title")))


@each_row("element, is_own", [("identifier", True), ("relation", False)])
def test_europe_pmc_describes_no_work_that_the_record_only_relates_to(element: str, is_own: bool) -> None:
    result = of_europe_pmc(pmcid="PMC12345")
    web = offline(**{BY_PMCID.replace("PMC123", "PMC12345"): sent(result)})
    step_result = EUROPE_PMC.find(known(work(**{element: "PMC12345"})), web)
    assert (step_result.outcome, step_result.description is not None) == (Outcome.SUCCESS, is_own)


def test_the_file_of_a_pmcid_follows_from_it_where_europe_pmc_says_nothing() -> None:
    result = EUROPE_PMC.find(known(work(identifier="PMC12345")), offline())
    assert result.outcome is Outcome.SUCCESS
    assert [(copy.url, copy.evidence) for copy in result.copies] == [
        ("https://europepmc.org/articles/PMC12345?pdf=render", "pmcid:PMC12345")
    ]
    assert EUROPE_PMC.find(known(work(doi=DOI)), offline()).outcome is Outcome.NOT_FOUND


def test_a_doi_with_quotes_and_backslashes_stays_one_phrase() -> None:
    web = offline()
    EUROPE_PMC.find(known(work(doi="10.1234/a\\b)c")), web)
    assert "query=DOI%3A%2210.1234%2Fa%5C%5Cb" in web.asked[0]


def test_a_deposit_in_hal_has_its_file_and_its_licence() -> None:
    assert hal.read(sent(answers.HAL), DOI) == Description(
        doi=DOI, title="Oats under rust", authors=("Example", "Sample"), year="2021",
        copies=(Copy(
            "https://hal.science/hal-01234567/document", mime_type="application/pdf", license="cc-by",
            license_url=CC_BY, host_type="repository", evidence="hal:fileMain_s", is_open=True,
        ),),
        also=("hal-01234567",), other_titles=("L'avoine sous la rouille",), kind="ART",
    )  # fmt: skip


def test_an_article_of_doaj_is_open_and_has_its_pages_but_not_the_licence_of_its_journal() -> None:
    description = doaj.read(sent(answers.DOAJ), DOI)
    page = Copy(
        "https://press.example.org/7", is_page=True, version="published", host_type="publisher", evidence="doaj:html",
        is_open=True,
    )  # fmt: skip
    file = page._replace(url=f"{page.url}.pdf", is_page=False, mime_type="application/pdf", evidence="doaj:pdf")
    assert description == Description(
        doi=DOI, title="Oats under rust", authors=("Example", "Sample"), container="Invented Agronomy",
        publisher="Example Press", year="2021", abstract="We sowed oats.", issns=("2049-3630",), copies=(page, file),
        is_open=True,
    )  # fmt: skip


def test_core_knows_files_and_pages_and_arxiv_s_abstracts_lead_to_files() -> None:
    description = some(core.read(sent(answers.CORE), DOI))
    assert (
        description.authors, description.publisher, description.year,
    ) == (("Example", "Sample"), "Example Press", "2021")  # fmt: skip
    assert [(copy.url, copy.is_page, copy.version, copy.license) for copy in description.copies] == [
        ("https://arxiv.org/pdf/2101.00001", False, "submitted", ""),
        ("https://core.ac.uk/download/7.pdf", False, "", ""),
        ("https://repository.example.org/7", True, "", ""),
        ("https://repository.example.org/bitstream/7", False, "", ""),
    ]


@each_row("named", [
    {"doi": f"https://doi.org/{DOI.upper()}"},
    {"doi": None, "identifiers": [{"identifier": "7", "type": "CORE_ID"}, {"identifier": DOI, "type": "DOI"}]},
    {"doi": "10.1234/preprint", "identifiers": [{"identifier": DOI, "type": "DOI"}]},
])  # fmt: skip
def test_a_work_of_core_is_known_by_each_of_its_dois(named: dict[str, object]) -> None:
    description = some(core.read(sent({"results": [{**answers.CORE["results"][0], **named}]}), DOI))
    assert (description.doi, len(description.copies)) == (DOI, 4)


@needs_data
def test_the_recorded_answer_of_core() -> None:
    description = some(core.read(fetched("services/core/search-works-v3.json"), "10.1109/icassp.2019.8683483"))
    assert [copy.url for copy in description.copies] == ["https://arxiv.org/pdf/1904.10788"]


def test_base_has_the_files_and_pages_of_open_copies_alone() -> None:
    description = some(base_search.read(sent(answers.BASE), DOI))
    assert (description.authors, description.year, description.is_open) == (("Example", "Sample"), "2021", True)
    assert [(copy.url, copy.is_page, copy.license, copy.evidence) for copy in description.copies] == [
        ("https://open.example.org/7.PDF", False, "cc-by-sa", "base:ftopen"),
        ("https://open.example.org/7", True, "cc-by-sa", "base:ftopen"),
    ]


def test_fatcat_s_copy_in_the_wayback_machine_comes_last_and_signed_addresses_not_at_all() -> None:
    description = some(fatcat.read(sent(answers.FATCAT), DOI))
    assert [(copy.url, copy.evidence) for copy in description.copies] == [
        ("https://press.example.org/7.pdf", "fatcat:web"),
        ("https://repository.example.org/7.pdf", "fatcat:repository"),
        ("https://web.archive.org/web/20200130042753id_/https://press.example.org/7.pdf", "fatcat:webarchive"),
    ]
    assert {(copy.version, copy.license) for copy in description.copies} == {("published", "")}
    assert (
        description.kind, description.container, description.authors,
    ) == ("article-journal", "Invented Agronomy", ("Example",))  # fmt: skip


def test_files_that_the_internet_archive_or_an_aggregator_keeps_come_before_the_wayback_machine() -> None:
    capture = "https://web.archive.org/web/20200130042753/https://press.example.org/7.pdf"
    places = [
        ("webarchive", capture), ("aggregator", "https://aggregator.example.org/7.pdf"),
        ("archive", "https://archive.org/download/seven/7.pdf"), ("academicsocial", "https://social.example.org/7"),
        ("webarchive", "https://web.archive.org/web/"),  # of an unknown time
    ]  # fmt: skip
    urls = [{"rel": rel, "url": url} for rel, url in places]
    description = some(fatcat.read(sent({**answers.FATCAT, "files": [{"urls": urls}]}), DOI))
    kept = [copy.evidence.removeprefix("fatcat:") for copy in description.copies]
    assert kept == ["archive", "aggregator", "webarchive"]


def test_a_draft_and_a_withdrawn_release_of_fatcat() -> None:
    withdrawn = {**answers.FATCAT, "release_stage": "draft", "withdrawn_status": "retracted"}
    description = some(fatcat.read(sent(withdrawn), DOI))
    assert {copy.version for copy in description.copies} == {"submitted"}
    assert description.retracted == "fatcat says that it is retracted."


@needs_data
def test_a_recorded_file_of_fatcat() -> None:
    file = json.loads(fetched("services/fatcat/file_bcah4zp5tvdhjl5bqci2c2lgfa.json").body)
    description = some(fatcat.read(sent({**answers.FATCAT, "files": [file]}), DOI))
    own = "https://www.zhros.ru/jour/article/download/811/542"
    assert [copy.url for copy in description.copies] == [own, f"https://web.archive.org/web/20200130042753id_/{own}"]


@each_row("name", OF_A_DOI)
def test_what_a_service_lists_of_other_works_is_left_out(name: str) -> None:
    (document,) = answers.SERVICES[name]
    text = document.decode().replace("10.1234/A", "10.1234/b").replace("10.1234/a", "10.1234/b")
    assert OF_A_DOI[name](answer(text)) is None


def _without_doi(node: object, doi: object) -> object:
    """Return a document in which another value stands wherever the DOI stood."""
    if isinstance(node, dict):
        return {name: _without_doi(value, doi) for name, value in node.items()}
    if isinstance(node, list):
        return [_without_doi(value, doi) for value in node]
    return doi if isinstance(node, str) and node.lower() == DOI else node


@each_row("doi", [{}, " "])
@each_row("name", OF_A_DOI)
def test_works_that_are_listed_and_of_which_none_can_be_read_are_an_error(name: str, doi: object) -> None:
    """They were read as an answer that knows no such work."""
    (document,) = answers.SERVICES[name]
    with pytest.raises(AnswerError, match=r"none has an identifier|answers without ext_ids\.doi"):
        OF_A_DOI[name](sent(_without_doi(json.loads(document), doi)))


ADDRESSES = {
    HAL: f'https://api.archives-ouvertes.fr/search/?q=doiId_s:("{DOI}" OR "10.1234/A")&wt=json&fl={hal.FIELDS}&rows=5',
    DOAJ: f'https://doaj.org/api/v4/search/articles/doi:"{DOI}"?pageSize=5',
    CORE: f'https://api.core.ac.uk/v3/search/works/?q=doi:"{DOI}"&limit=5',
    BASE: "https://api.base-search.net/cgi-bin/BaseHttpSearchInterface.fcgi?func=PerformSearch"
    f'&query=dcdoi:"{DOI}"&hits=5&format=json&apikey=k',
    FATCAT: f"https://api.fatcat.wiki/v0/release/lookup?doi={DOI}&expand=files,container&hide=abstracts,refs",
    OPENALEX: f"https://api.openalex.org/works/https://doi.org/{DOI}",
}


@each_row("step", ADDRESSES)
def test_a_service_is_asked_once_for_a_doi_in_its_own_words(step: Step) -> None:
    sent_with: list[Request] = []
    empty = {"doi": DOI, "response": {"docs": []}, "results": [], "ext_ids": {"doi": DOI}}
    web = RecordedWeb({ADDRESSES[step]: sent(empty)}, has_recordings=False, before=sent_with.append)
    result = step.find(known(work(doi=DOI), openalex_key=""), web)
    assert result.outcome in (Outcome.NOT_FOUND, Outcome.NO_PDF_LINK)
    (request,) = sent_with
    assert plain(request.url) == plain(ADDRESSES[step])
    key = (("Authorization", "Bearer k"),) if step is CORE else ()
    assert request.headers == (("Accept", "application/json"), *key)
    assert "api_key" not in request.url
    assert host_of(request.url) in SERVICES
