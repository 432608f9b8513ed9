"""Services that hold files or know where they are: answers written from their published form, and recorded ones."""

from __future__ import annotations

import json
from collections import Counter
from copy import deepcopy
from typing import Any

import pytest

from gateway.errors import TryLater
from gateway.model import Outcome
from harvester.discovery import Found, Known, Step
from harvester.discovery.base import STEP as BASE
from harvester.discovery.core import STEP as CORE
from harvester.discovery.doaj import STEP as DOAJ
from harvester.discovery.dspace import STEP as DSPACE
from harvester.discovery.europe_pmc import STEP as EUROPE_PMC
from harvester.discovery.fatcat import STEP as FATCAT
from harvester.discovery.hal import STEP as HAL
from harvester.discovery.inveniordm import STEP as INVENIORDM
from harvester.discovery.openalex import STEP as OPENALEX
from harvester.discovery.openrxiv import STEP as OPENRXIV
from harvester.discovery.osf import STEP as OSF
from harvester.search.services import SERVICES
from harvester.wire import (
    base,
    core,
    crossref,
    doaj,
    dspace,
    europe_pmc,
    fatcat,
    hal,
    inveniordm,
    openrxiv,
    osf,
)
from harvester.wire.copies import Copy, Description, Related
from harvester.wire.http import Fetched, Request
from harvester.wire.urls import host_of
from tests.discovery.recorded import fetched, plain
from tests.discovery.steps import known, offline
from tests.discovery.web import RecordedWeb, answer, work
from tests.fuzz import answers

needs_data = pytest.mark.needs("../shared")
DOI = "10.1234/a"
CC_BY = "https://creativecommons.org/licenses/by/4.0/"


def sent(document: object, status: int = 200) -> Fetched:
    return Fetched("https://api.example.org/", status, (), json.dumps(document).encode(), 0)


def with_(about: Known, description: Description | None = None, *pages: str) -> Known:
    """Return what is known when a service has told more."""
    return about.with_(Found(Outcome.SUCCESS, tuple(Copy(url, is_page=True) for url in pages), description))


# --- Europe PMC ---------------------------------------------------------------------------------------------------

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
    found = europe_pmc.read(sent(answers.EUROPE_PMC), DOI)
    file = Copy(
        RENDERED,
        mime_type="application/pdf",
        version="published",
        license="cc-by",
        host_type="repository",
        evidence="europe_pmc:Europe_PMC OA",
        is_open=True,
    )
    assert found == Description(
        doi=DOI,
        title="Oats under Avena rust",
        authors=("Example", "Sample"),
        container="Invented Agronomy",
        year="2021",
        abstract="We sowed oats.",
        issns=("2049-3630",),
        copies=(file, file._replace(url=IN_BUCKET, evidence="europe_pmc:PMC bucket OA")),
        is_open=True,
        also=("PMC123", "1"),
        kind="research-article",
    )


def test_a_free_file_of_europe_pmc_has_no_licence_and_none_in_the_bucket_of_open_ones() -> None:
    free = {"availabilityCode": "F", "documentStyle": "pdf", "site": "Europe_PMC", "url": RENDERED}
    result = of_europe_pmc(isOpenAccess="N", authMan="Y", fullTextUrlList={"fullTextUrl": free})
    found = europe_pmc.read(sent(result), DOI)
    assert found is not None
    assert [(copy.url, copy.version, copy.license) for copy in found.copies] == [(RENDERED, "accepted", "")]
    assert found.is_open is None


def test_an_open_work_of_europe_pmc_without_an_open_file_has_one_in_the_bucket_without_licence() -> None:
    found = europe_pmc.read(sent(of_europe_pmc(fullTextUrlList={}, source="PPR")), DOI)
    assert found is not None
    assert [(copy.url, copy.version, copy.license) for copy in found.copies] == [(IN_BUCKET, "submitted", "")]


def test_a_number_of_europe_pmc_that_is_none_leads_nowhere() -> None:
    found = europe_pmc.read(sent(of_europe_pmc(fullTextUrlList={}, pmcid="../x")), DOI)
    assert found is not None
    assert found.copies == ()


def test_a_notice_and_a_retracted_work_of_europe_pmc_are_told() -> None:
    notice = {"type": "Retraction in", "reference": "Oats. 2023;1:2"}
    result = of_europe_pmc(
        pubTypeList={"pubType": ["research-article", "Retracted Publication"]},
        commentCorrectionList={"commentCorrection": notice},
    )
    found = europe_pmc.read(sent(result), DOI)
    assert found is not None
    assert found.kind == "Retracted Publication"
    assert found.retracted == "Europe PMC names the notice that retracts it: Oats. 2023;1:2."


def test_what_europe_pmc_lists_of_other_works_is_left_out() -> None:
    assert europe_pmc.read(sent(answers.EUROPE_PMC), "10.1234/b") is None
    assert europe_pmc.read(sent(answers.EUROPE_PMC), "", "PMC124") is None
    assert europe_pmc.read(sent(answers.EUROPE_PMC), "", "PMC123") is not None
    assert europe_pmc.read(sent({"resultList": {"result": []}}), DOI) is None


def test_europe_pmc_is_asked_once_by_doi() -> None:
    web = offline(**{BY_DOI: sent(answers.EUROPE_PMC)})
    found = EUROPE_PMC.find(known(work(doi=DOI)), web)
    assert (found.outcome, [copy.url for copy in found.copies], len(web.asked)) == (
        Outcome.SUCCESS,
        [RENDERED, IN_BUCKET],
        1,
    )
    assert not EUROPE_PMC.wants(known(work("A title")))


@pytest.mark.parametrize(("element", "is_own"), [("identifier", True), ("relation", False)])
def test_europe_pmc_describes_no_work_that_the_record_only_relates_to(element: str, is_own: bool) -> None:
    result = of_europe_pmc(pmcid="PMC12345")
    web = offline(**{BY_PMCID.replace("PMC123", "PMC12345"): sent(result)})
    found = EUROPE_PMC.find(known(work(**{element: "PMC12345"})), web)
    assert (found.outcome, found.description is not None) == (Outcome.SUCCESS, is_own)


def test_the_file_of_a_pmcid_follows_from_it_where_europe_pmc_says_nothing() -> None:
    found = EUROPE_PMC.find(known(work(identifier="PMC12345")), offline())
    assert found.outcome is Outcome.SUCCESS
    assert [(copy.url, copy.evidence) for copy in found.copies] == [
        ("https://europepmc.org/articles/PMC12345?pdf=render", "pmcid:PMC12345")
    ]
    assert EUROPE_PMC.find(known(work(doi=DOI)), offline()).outcome is Outcome.NOT_FOUND


def test_a_doi_with_quotes_and_backslashes_stays_one_phrase() -> None:
    web = offline()
    EUROPE_PMC.find(known(work(doi="10.1234/a\\b)c")), web)
    assert "query=DOI%3A%2210.1234%2Fa%5C%5Cb" in web.asked[0]


@needs_data
def test_the_recorded_answers_of_europe_pmc() -> None:
    found: Counter[tuple[int, str]] = Counter()
    for name in ("search-core-2026", "search-core-cancer", "search-no-results"):
        document = json.loads(fetched(f"services/europepmc/{name}.json").body)
        for result in document["resultList"]["result"]:
            doi = str(result.get("doi", "")).lower()
            described = europe_pmc.read(sent(document), doi, result.get("pmcid", ""))
            if described is not None:
                found[len(described.copies), " ".join(sorted({copy.license for copy in described.copies}))] += 1
    assert found.total() > 20
    assert found[2, "cc-by"]
    assert found[0, ""]


# --- bioRxiv and medRxiv ------------------------------------------------------------------------------------------


def test_the_latest_version_of_a_preprint_counts_and_has_its_licence() -> None:
    found = openrxiv.read(sent(answers.OPENRXIV), "10.1101/123456")
    assert found == Description(
        doi="10.1101/123456",
        title="Oats under rust",
        authors=("Example", "Sample"),
        container="bioRxiv",
        year="2021",
        abstract="We sowed oats.",
        copies=(
            Copy(
                "https://www.biorxiv.org/content/10.1101/123456v10.full.pdf",
                mime_type="application/pdf",
                version="submitted",
                license="cc-by-nc",
                host_type="repository",
                evidence="openrxiv:v10",
                is_open=True,
            ),
        ),
        is_open=True,
        kind="preprint",
        related=(Related("is-preprint-of", "doi", DOI),),
    )


def test_a_preprint_without_licence_article_or_server_says_so() -> None:
    document = deepcopy(answers.OPENRXIV)
    for entry in document["collection"]:
        entry |= {"license": "cc_no", "published": "NA", "server": "another"}
    found = openrxiv.read(sent(document), "10.1101/123456")
    assert found is not None
    assert (found.copies, found.related) == ((), ())
    document["collection"][1]["server"] = "medRxiv"
    found = openrxiv.read(sent(document), "10.1101/123456")
    assert found is not None
    assert [copy.license for copy in found.copies] == [""]


def test_versions_that_are_none_and_other_preprints_are_left_out() -> None:
    document = deepcopy(answers.OPENRXIV)
    for entry in document["collection"]:
        entry["version"] = "²"
    assert openrxiv.read(sent(document), "10.1101/123456") is None
    assert openrxiv.read(sent(answers.OPENRXIV), "10.1101/654321") is None


@pytest.mark.parametrize(
    ("doi", "names", "server"),
    [
        ("10.1101/097196", (), "biorxiv"),
        ("10.1101/2025.02.05.636615", (), "biorxiv"),
        ("10.1101/2024.05.27.24307989", (), "medrxiv"),
        ("10.1101/19000075", (), "medrxiv"),
        ("10.64898/2025.12.01.691234", ("", "medRxiv"), "medrxiv"),
        ("10.64898/2025.12.01.25334455", ("bioRxiv",), "biorxiv"),
        ("10.1101/gr.279093.124", ("bioRxiv",), ""),
        ("10.1101/gad.1.2.3", (), ""),
        ("10.1101/cshperspect.a012345", (), ""),
        ("10.1234/123456", (), ""),
    ],
)
def test_the_server_of_a_preprint_has_its_name_or_its_number(doi: str, names: tuple[str, ...], server: str) -> None:
    assert openrxiv.server_of(doi, names) == server


def test_a_preprint_is_asked_for_at_its_server_once() -> None:
    doi = "10.64898/2025.12.01.691234"
    about = known(work(doi=doi))
    described = crossref.read(sent({"message": {"DOI": doi, "institution": [{"name": "medRxiv"}]}}))
    assert described is not None
    web = offline()
    found = OPENRXIV.find(with_(about, described), web)
    assert found.outcome is Outcome.NOT_FOUND
    assert web.asked == [f"https://api.biorxiv.org/details/medrxiv/{doi}/na/json"]
    assert not OPENRXIV.wants(known(work(doi="10.1101/gr.279093.124")))


@needs_data
def test_the_recorded_answer_of_biorxiv() -> None:
    document = json.loads(fetched("services/biorxiv/details-biorxiv-interval-2024.json").body)
    dois = {entry["doi"] for entry in document["collection"]}
    found = [openrxiv.read(sent(document), doi) for doi in dois]
    assert all(each is not None and len(each.copies) == 1 for each in found)
    licences = Counter(each.copies[0].license for each in found if each is not None)
    assert licences["cc-by"]
    assert licences[""]


# --- OSF ----------------------------------------------------------------------------------------------------------


def test_a_preprint_of_osf_has_its_file_and_its_licence() -> None:
    found = osf.read(sent(answers.OSF))
    assert found == Description(
        doi="10.31234/osf.io/abcde_v2",
        title="Oats and minds",
        year="2021",
        abstract="We asked oats.",
        copies=(
            Copy(
                "https://osf.io/download/5894204f594d900200ed23f2/",
                mime_type="application/pdf",
                version="submitted",
                license="cc-by",
                license_url="https://creativecommons.org/licenses/by/4.0/legalcode",
                host_type="repository",
                evidence="osf:primary_file",
                is_open=True,
            ),
        ),
        kind="preprint",
    )


def test_a_withdrawn_preprint_of_osf_and_one_without_file_have_no_copy() -> None:
    document = deepcopy(answers.OSF)
    document["data"]["attributes"]["date_withdrawn"] = "2022-03-04T05:06:07Z"
    found = osf.read(sent(document))
    assert found is not None
    assert (found.copies, found.retracted) == ((), "OSF says that the preprint was withdrawn on 2022-03-04.")
    found = osf.read(sent({"data": {}}))
    assert found is not None
    assert found.copies == ()
    assert osf.read(sent({}, 404)) is None


@pytest.mark.parametrize(
    ("named", "preprint"),
    [
        ("10.31234/osf.io/hq8sd_v1", "hq8sd_v1"),
        ("10.31235/osf.io/ny6h2", "ny6h2"),
        ("https://osf.io/preprints/psyarxiv/hq8sd_v1", "hq8sd_v1"),
        ("https://osf.io/preprints/t9gbj/", "t9gbj"),
        ("10.17605/osf.io/t9gbj", ""),
        ("https://osf.io/t9gbj/", ""),
    ],
)
def test_a_preprint_of_osf_is_known_by_its_doi_and_its_page(named: str, preprint: str) -> None:
    assert osf.preprint_of(named) == preprint


def test_osf_is_asked_once_and_describes_only_the_record_s_own_preprint() -> None:
    url = "https://api.osf.io/v2/preprints/abcde_v2/?embed=license"
    web = offline(**{url: sent(answers.OSF)})
    page = "https://osf.io/preprints/psyarxiv/abcde_v2"
    for about in (work(doi="10.31234/osf.io/abcde_v2"), work(page=page)):
        assert OSF.find(known(about), web).description is not None
    found = OSF.find(with_(known(work(doi=DOI)), None, page), web)
    assert (found.outcome, found.description) == (Outcome.SUCCESS, None)
    assert web.asked == [url] * 3
    assert not OSF.wants(known(work(doi=DOI)))


@needs_data
def test_the_documentation_s_example_of_osf() -> None:
    found = osf.read(fetched("services/osf/preprints-detail.json"))
    assert found is not None
    assert found.doi == "10.31235/osf.io/hqb2p"
    assert [(copy.url, copy.license) for copy in found.copies] == [
        ("https://osf.io/download/5894204f594d900200ed23f2/", "")
    ]


# --- HAL, DOAJ, CORE, BASE ----------------------------------------------------------------------------------------


def test_a_deposit_in_hal_has_its_file_and_its_licence() -> None:
    assert hal.read(sent(answers.HAL), DOI) == Description(
        doi=DOI,
        title="Oats under rust",
        authors=("Example", "Sample"),
        year="2021",
        copies=(
            Copy(
                "https://hal.science/hal-01234567/document",
                mime_type="application/pdf",
                license="cc-by",
                license_url=CC_BY,
                host_type="repository",
                evidence="hal:fileMain_s",
                is_open=True,
            ),
        ),
        also=("hal-01234567",),
        other_titles=("L'avoine sous la rouille",),
        kind="ART",
    )


def test_a_deposit_in_hal_with_a_file_comes_before_one_without() -> None:
    document = deepcopy(answers.HAL)
    document["response"]["docs"].insert(0, {"doiId_s": DOI, "halId_s": "hal-1"})
    found = hal.read(sent(document), DOI)
    assert found is not None
    assert found.also == ("hal-01234567",)
    del document["response"]["docs"][1]
    found = hal.read(sent(document), DOI)
    assert found is not None
    assert (found.also, found.copies) == (("hal-1",), ())


@needs_data
def test_the_recorded_answer_of_hal_is_of_other_works() -> None:
    recorded = fetched("services/hal/search-json.json")
    assert hal.read(recorded, DOI) is None
    document = json.loads(recorded.body)
    for deposit in document["response"]["docs"]:
        deposit["doiId_s"] = DOI
    found = hal.read(sent(document), DOI)
    assert found is not None
    assert [copy.url for copy in found.copies] == ["https://hal.science/hal-04637647/document"]


def test_an_article_of_doaj_is_open_and_has_its_pages_but_not_the_licence_of_its_journal() -> None:
    found = doaj.read(sent(answers.DOAJ), DOI)
    page = Copy(
        "https://press.example.org/7",
        is_page=True,
        version="published",
        host_type="publisher",
        evidence="doaj:html",
        is_open=True,
    )
    file = page._replace(url=f"{page.url}.pdf", is_page=False, mime_type="application/pdf", evidence="doaj:pdf")
    assert found == Description(
        doi=DOI,
        title="Oats under rust",
        authors=("Example", "Sample"),
        container="Invented Agronomy",
        publisher="Example Press",
        year="2021",
        abstract="We sowed oats.",
        issns=("2049-3630",),
        copies=(page, file),
        is_open=True,
    )


def test_a_link_of_doaj_without_a_type_of_content_is_a_page() -> None:
    document = deepcopy(answers.DOAJ)
    document["results"][0]["bibjson"]["link"] = [{"type": "fulltext", "url": "https://press.example.org/7"}]
    found = doaj.read(sent(document), DOI)
    assert found is not None
    assert [(copy.is_page, copy.evidence) for copy in found.copies] == [(True, "doaj:link")]


@needs_data
def test_the_recorded_answers_of_doaj() -> None:
    document = json.loads(fetched("services/doaj/search-articles-2026.json").body)
    named = [each for result in document["results"] for each in result["bibjson"]["identifier"]]
    dois = [each["id"].lower() for each in named if each["type"] == "doi"]
    found = [doaj.read(sent(document), doi) for doi in dois]
    assert len(found) == 3
    assert all(each is not None and each.copies and all(copy.is_page for copy in each.copies) for each in found)


def test_core_knows_files_and_pages_and_arxiv_s_abstracts_lead_to_files() -> None:
    found = core.read(sent(answers.CORE), DOI)
    assert found is not None
    assert (found.authors, found.publisher, found.year) == (("Example", "Sample"), "Example Press", "2021")
    assert [(copy.url, copy.is_page, copy.version, copy.license) for copy in found.copies] == [
        ("https://arxiv.org/pdf/2101.00001", False, "submitted", ""),
        ("https://core.ac.uk/download/7.pdf", False, "", ""),
        ("https://repository.example.org/7", True, "", ""),
        ("https://repository.example.org/bitstream/7", False, "", ""),
    ]


@needs_data
def test_the_recorded_answer_of_core() -> None:
    found = core.read(fetched("services/core/search-works-v3.json"), "10.1109/icassp.2019.8683483")
    assert found is not None
    assert found.title == "Speech Emotion Recognition Using Multi-hop Attention Mechanism"
    assert [copy.url for copy in found.copies] == ["https://arxiv.org/pdf/1904.10788"]


def test_base_has_the_files_and_pages_of_open_copies_alone() -> None:
    found = base.read(sent(answers.BASE), DOI)
    assert found is not None
    assert (found.authors, found.year, found.is_open) == (("Example", "Sample"), "2021", True)
    assert [(copy.url, copy.is_page, copy.license, copy.evidence) for copy in found.copies] == [
        ("https://open.example.org/7.PDF", False, "cc-by-sa", "base:ftopen"),
        ("https://open.example.org/7", True, "cc-by-sa", "base:ftopen"),
    ]


def test_a_closed_work_of_base_is_known_and_has_no_copy() -> None:
    document = deepcopy(answers.BASE)
    document["response"]["docs"][1]["dcoa"] = 2
    found = base.read(sent(document), DOI)
    assert found is not None
    assert (found.copies, found.is_open) == ((), None)


# --- Internet Archive Scholar -------------------------------------------------------------------------------------


def test_fatcat_s_copy_in_the_wayback_machine_comes_last_and_signed_addresses_not_at_all() -> None:
    found = fatcat.read(sent(answers.FATCAT), DOI)
    assert found is not None
    assert [(copy.url, copy.evidence) for copy in found.copies] == [
        ("https://press.example.org/7.pdf", "fatcat:web"),
        ("https://repository.example.org/7.pdf", "fatcat:repository"),
        ("https://web.archive.org/web/20200130042753id_/https://press.example.org/7.pdf", "fatcat:webarchive"),
    ]
    assert {(copy.version, copy.license) for copy in found.copies} == {("published", "")}
    assert (found.kind, found.container, found.authors) == ("article-journal", "Invented Agronomy", ("Example",))


def test_a_capture_whose_time_is_not_told_is_left_out() -> None:
    urls = [{"rel": "webarchive", "url": "https://web.archive.org/web/"}]
    found = fatcat.read(sent({**answers.FATCAT, "files": [{"urls": urls}]}), DOI)
    assert found is not None
    assert found.copies == ()


def test_a_draft_and_a_withdrawn_release_of_fatcat() -> None:
    found = fatcat.read(sent({**answers.FATCAT, "release_stage": "draft", "withdrawn_status": "retracted"}), DOI)
    assert found is not None
    assert {copy.version for copy in found.copies} == {"submitted"}
    assert found.retracted == "fatcat says that it is retracted."


@needs_data
def test_the_recorded_releases_of_fatcat_have_no_files() -> None:
    for name, doi in (
        ("mjtqtuyhwfdr7j2c3l36uor7uy", "10.1045/march2008-marshall-pt1"),
        ("3mssw2qnlnblbk7oqyv2dafgey", "10.7280/d1j37z"),
    ):
        found = fatcat.read(fetched(f"services/fatcat/release_{name}.json"), doi)
        assert found is not None
        assert found.copies == ()
    file = json.loads(fetched("services/fatcat/file_bcah4zp5tvdhjl5bqci2c2lgfa.json").body)
    found = fatcat.read(sent({**answers.FATCAT, "files": [file]}), DOI)
    assert found is not None
    assert [copy.url for copy in found.copies] == [
        "https://www.zhros.ru/jour/article/download/811/542",
        "https://web.archive.org/web/20200130042753id_/https://www.zhros.ru/jour/article/download/811/542",
    ]


# --- Zenodo and InvenioRDM ----------------------------------------------------------------------------------------

ZENODO = "https://zenodo.org"
RECORD = f"{ZENODO}/api/records/1234567"


def of_zenodo(**changes: object) -> Fetched:
    return sent({**answers.ZENODO, "metadata": {**answers.ZENODO["metadata"], **changes}})


def test_a_record_of_zenodo_has_its_pdfs_and_its_licence() -> None:
    assert inveniordm.read(sent(answers.ZENODO), ZENODO) == Description(
        doi="10.5281/zenodo.1234567",
        title="Oats under rust",
        authors=("Example", "Sample"),
        year="2021",
        copies=(
            Copy(
                f"{RECORD}/files/Oats%20%26%20rust.PDF/content",
                mime_type="application/pdf",
                license="cc-by",
                license_url=CC_BY,
                host_type="repository",
                evidence="inveniordm:files",
                is_open=True,
            ),
        ),
        is_open=True,
        kind="article",
    )


def test_a_record_of_inveniordm_has_its_pdfs_and_its_licence() -> None:
    found = inveniordm.read(sent(answers.INVENIORDM), "https://x.example.org")
    assert found is not None
    assert (found.doi, found.authors, found.kind) == (DOI, ("Example",), "publication-preprint")
    assert [(copy.url, copy.license, copy.license_url) for copy in found.copies] == [
        ("https://x.example.org/api/records/23y6y-vh985/files/oats.pdf/content", "cc-by", CC_BY)
    ]


def test_a_restricted_record_has_no_copy() -> None:
    for right in ("restricted", "closed"):
        found = inveniordm.read(of_zenodo(access_right=right), ZENODO)
        assert found is not None
        assert (found.copies, found.is_open) == ((), False)
    access = {**answers.INVENIORDM["access"], "files": "restricted"}
    found = inveniordm.read(sent({**answers.INVENIORDM, "access": access}), ZENODO)
    assert found is not None
    assert (found.copies, found.is_open) == ((), False)


def test_a_record_under_an_embargo_says_until_when() -> None:
    found = inveniordm.read(of_zenodo(access_right="embargoed", embargo_date="2031-02-03"), ZENODO)
    assert found is not None
    assert [(copy.url, copy.open_from) for copy in found.copies] == [(f"{ZENODO}/records/1234567", "2031-02-03")]
    embargo = {"active": True, "until": "2031-02-03"}
    access = {**answers.INVENIORDM["access"], "files": "restricted", "embargo": embargo}
    found = inveniordm.read(sent({**answers.INVENIORDM, "access": access}), ZENODO)
    assert found is not None
    assert [copy.open_from for copy in found.copies] == ["2031-02-03"]
    found = inveniordm.read(of_zenodo(access_right="embargoed", embargo_date="soon"), ZENODO)
    assert found is not None
    assert found.copies == ()


def test_a_record_without_a_number_that_is_one_has_no_address() -> None:
    found = inveniordm.read(sent({**answers.ZENODO, "id": "../x"}), ZENODO)
    assert found is not None
    assert found.copies == ()


@pytest.mark.parametrize(
    ("named", "address"),
    [
        ("10.5281/zenodo.48440", f"{ZENODO}/api/records/48440"),
        ("https://zenodo.org/record/48440", f"{ZENODO}/api/records/48440"),
        ("https://zenodo.org/records/48440/", f"{ZENODO}/api/records/48440"),
        ("https://rogue-scholar.org/records/23y6y-vh985", "https://rogue-scholar.org/api/records/23y6y-vh985"),
        ("https://x.example.org/records/48440", ""),  # digits alone are anybody's
        ("https://x.example.org/records/about-thing", ""),
        ("10.5281/zenodo.x", ""),
    ],
)
def test_a_record_of_such_a_site_is_known_by_doi_and_page(named: str, address: str) -> None:
    place = inveniordm.place_of(named)
    assert (place.address if place else "") == address


def test_zenodo_is_asked_once_and_describes_only_the_record_itself() -> None:
    web = offline(**{RECORD: sent(answers.ZENODO)})
    found = INVENIORDM.find(known(work(doi="10.5281/zenodo.1234567")), web)
    assert (found.outcome, found.description is not None) == (Outcome.SUCCESS, True)
    found = INVENIORDM.find(with_(known(work(doi=DOI)), None, f"{ZENODO}/records/1234567"), web)
    assert (found.outcome, found.description) == (Outcome.SUCCESS, None)
    assert web.asked == [RECORD] * 2
    assert not INVENIORDM.wants(known(work(doi=DOI)))


@needs_data
@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("zenodo/zenodo.org_api_records_13850346.13a9b9.200.body.json", 0),
        ("zenodo/zenodo.org_api_records_5244404.7b04e0.200.body.json", 3),
        ("inveniordm/rogue-scholar.org_api_records_23y6y-vh985.e6f90c.200.body.json", 0),
    ],
)
def test_the_recorded_records_of_zenodo_and_inveniordm(name: str, files: int) -> None:
    found = inveniordm.read(fetched(f"services/{name}"), ZENODO)
    assert found is not None
    assert found.title
    assert found.kind
    assert len(found.copies) == files


# --- DSpace 7 -----------------------------------------------------------------------------------------------------

SITE = "https://repository.example.org"
UUID = "1911e8a4-6939-490c-b58b-a5d70f8d91fb"
ITEM = f"{SITE}/server/api/core/items/{UUID}?embed=bundles/bitstreams"
BY_HANDLE = f'{SITE}/server/api/discover/search/objects?query=handle:"1/2"&dsoType=item&size=2&embed=bundles/bitstreams'


def test_an_item_of_dspace_has_the_pdfs_that_were_deposited_and_their_licence() -> None:
    place = dspace.Place(SITE, UUID)
    copy = Copy(
        f"{SITE}/server/api/core/bitstreams/{UUID[:-1]}1/content",
        mime_type="application/pdf",
        license="cc-by",
        license_url=CC_BY,
        host_type="repository",
        evidence="dspace:ORIGINAL",
    )
    assert dspace.read(sent(answers.DSPACE), place) == Description(
        doi=DOI,
        title="Oats under rust",
        authors=("Example",),
        year="2021",
        copies=(copy, copy._replace(url=copy.url.replace("1/content", "3/content"))),
        kind="Article",
    )


def test_an_item_of_dspace_is_found_by_its_whole_handle() -> None:
    found = dspace.read(sent(answers.DSPACE_SEARCH), dspace.Place(SITE, handle="1/2"))
    assert found is not None
    assert len(found.copies) == 2
    assert dspace.read(sent(answers.DSPACE_SEARCH), dspace.Place(SITE, handle="1/3")) is None
    assert dspace.read(sent({}), dspace.Place(SITE, UUID)) is None


@pytest.mark.parametrize(
    ("page", "address"),
    [
        (f"{SITE}/items/{UUID}", ITEM),
        (f"{SITE}/entities/publication/{UUID}/full", ITEM),
        (f"{SITE}/handle/1/2", BY_HANDLE.replace('"', "%22").replace("handle:", "handle%3A").replace("1/2", "1%2F2")),
        (f"{SITE}/xmlui/handle/1/2", ""),
        ("https://hdl.handle.net/handle/1/2", ""),
        (f"{SITE}/items/7", ""),
    ],
)
def test_an_item_of_dspace_is_known_by_its_page(page: str, address: str) -> None:
    place = dspace.place_of(page)
    assert (place.address if place else "") == address


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        (sent(answers.DSPACE), Outcome.SUCCESS),
        (sent({}, 401), Outcome.FORBIDDEN),
        (sent({}, 404), Outcome.NOT_FOUND),
        (answer("<html>The shell of another page"), Outcome.NOT_FOUND),
    ],
)
def test_dspace_is_asked_once_and_a_restricted_item_is_respected(said: Fetched, outcome: Outcome) -> None:
    web = offline(**{ITEM: said})
    found = DSPACE.find(known(work(page=f"{SITE}/items/{UUID}")), web)
    assert (found.outcome, len(web.asked)) == (outcome, 1)


def test_dspace_describes_only_the_record_s_own_item() -> None:
    web = offline(**{BY_HANDLE: sent(answers.DSPACE_SEARCH)})
    assert DSPACE.find(known(work(page=f"{SITE}/handle/1/2")), web).description is not None
    found = DSPACE.find(with_(known(work(doi=DOI)), None, f"{SITE}/handle/1/2"), web)
    assert (found.outcome, found.description) == (Outcome.SUCCESS, None)
    assert not DSPACE.wants(known(work(doi=DOI)))


@needs_data
def test_the_documentation_s_example_of_a_bundle() -> None:
    bundle = json.loads(fetched("services/dspace7/bundles.00.json").body)
    item = {"uuid": UUID, "_embedded": {"bundles": [bundle]}}
    found = dspace.read(sent(item), dspace.Place(SITE, UUID))
    assert found is not None
    assert found.copies == ()  # pictures and a logo


# --- all ----------------------------------------------------------------------------------------------------------

READERS = {
    "europe_pmc": lambda each: europe_pmc.read(each, DOI),
    "openrxiv": lambda each: openrxiv.read(each, DOI),
    "osf": osf.read,
    "hal": lambda each: hal.read(each, DOI),
    "doaj": lambda each: doaj.read(each, DOI),
    "core": lambda each: core.read(each, DOI),
    "base": lambda each: base.read(each, DOI),
    "fatcat": lambda each: fatcat.read(each, DOI),
    "inveniordm": lambda each: inveniordm.read(each, ZENODO),
    "dspace": lambda each: dspace.read(each, dspace.Place(SITE, UUID)),
}


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_a_service_that_is_busy_is_asked_later(read) -> None:
    with pytest.raises(TryLater):
        read(sent({}, 429))
    assert read(answer(b"", 404)) is None


@pytest.mark.parametrize("name", ["hal", "doaj", "core", "base", "fatcat"])
def test_what_a_service_lists_of_other_works_is_left_out(name: str) -> None:
    (document,) = answers.SERVICES[name]
    text = document.decode().replace("10.1234/A", "10.1234/b").replace("10.1234/a", "10.1234/b")
    assert READERS[name](answer(text)) is None


ADDRESSES = {
    HAL: f'https://api.archives-ouvertes.fr/search/?q=doiId_s:("{DOI}" OR "10.1234/A")&wt=json&fl={hal.FIELDS}&rows=5',
    DOAJ: f'https://doaj.org/api/v4/search/articles/doi:"{DOI}"?pageSize=5',
    CORE: f'https://api.core.ac.uk/v3/search/works/?q=doi:"{DOI}"&limit=5',
    BASE: "https://api.base-search.net/cgi-bin/BaseHttpSearchInterface.fcgi?func=PerformSearch"
    f'&query=dcdoi:"{DOI}"&hits=5&format=json&apikey=k',
    FATCAT: f"https://api.fatcat.wiki/v0/release/lookup?doi={DOI}&expand=files,container&hide=abstracts,refs",
    OPENALEX: f"https://api.openalex.org/works/https://doi.org/{DOI}",
}


@pytest.mark.parametrize("step", ADDRESSES, ids=lambda step: step.name)
def test_a_service_is_asked_once_for_a_doi_in_its_own_words(step: Step) -> None:
    sent_with: list[Request] = []
    web = RecordedWeb({ADDRESSES[step]: sent({})}, has_recordings=False, before=sent_with.append)
    found = step.find(known(work(doi=DOI), openalex_key=""), web)
    assert found.outcome in (Outcome.NOT_FOUND, Outcome.NO_PDF_LINK)
    (request,) = sent_with
    assert plain(request.url) == plain(ADDRESSES[step])
    key = (("Authorization", "Bearer k"),) if step is CORE else ()
    assert request.headers == (("Accept", "application/json"), *key)
    assert "api_key" not in request.url
    assert host_of(request.url) in SERVICES
