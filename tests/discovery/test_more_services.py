"""Services that hold files or know where they are: answers written from their published form, and recorded ones."""

from __future__ import annotations

import json
from collections import Counter
from copy import deepcopy
from typing import Any

import pytest

from gateway.errors import TryLater
from gateway.model import Outcome
from harvester.discovery import Found, Known
from harvester.discovery.europe_pmc import STEP as EUROPE_PMC
from harvester.discovery.openrxiv import STEP as OPENRXIV
from harvester.discovery.osf import STEP as OSF
from harvester.wire import crossref, europe_pmc, openrxiv, osf
from harvester.wire.copies import Copy, Description, Related
from harvester.wire.http import Fetched
from tests.discovery.recorded import fetched
from tests.discovery.steps import known, offline
from tests.discovery.web import answer, work
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


# --- all ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "read", [lambda each: europe_pmc.read(each, DOI), lambda each: openrxiv.read(each, DOI), osf.read]
)
def test_a_service_that_is_busy_is_asked_later(read) -> None:
    with pytest.raises(TryLater):
        read(sent({}, 429))
    assert read(answer(b"", 404)) is None
