"""Repositories that are asked for their own files: answers written from their published form, and recorded ones."""

import json
from collections import Counter
from copy import deepcopy

import pytest

from gateway.core.errors import AnswerError
from gateway.core.model import Outcome, Work
from harvester.fulltext.known_copies import Copy, Description, Related
from harvester.fulltext.steps import Step, crossref, dspace, inveniordm, openrxiv, osf
from harvester.fulltext.steps.openrxiv import STEP as OPENRXIV
from harvester.fulltext.steps.osf import STEP as OSF
from harvester.http.messages import Fetched
from tests.fulltext.services.reading import CC_BY, DOI, sent, some, with_
from tests.fulltext.step_arguments import known, offline
from tests.fulltext.web import answer, fetched, work
from tests.fuzz import answers
from tests.rows import each_row

needs_data = pytest.mark.needs("../shared")


def test_the_latest_version_of_a_preprint_counts_and_has_its_licence() -> None:
    description = openrxiv.read(sent(answers.OPENRXIV), "10.1101/123456")
    assert description == Description(
        doi="10.1101/123456", title="Oats under rust", authors=("Example", "Sample"), container="bioRxiv", year="2021",
        abstract="We sowed oats.",
        copies=(Copy(
            "https://www.biorxiv.org/content/10.1101/123456v10.full.pdf", mime_type="application/pdf",
            version="submitted", license="cc-by-nc", host_type="repository", evidence="openrxiv:v10", is_open=True,
        ),),
        is_open=True, kind="preprint", related=(Related("is-preprint-of", "doi", DOI),),
    )  # fmt: skip


def test_versions_that_are_none_and_other_preprints_are_left_out() -> None:
    document = deepcopy(answers.OPENRXIV)
    document["collection"][1]["version"] = "²"
    assert some(openrxiv.read(sent(document), "10.1101/123456")).copies[0].evidence == "openrxiv:v9"
    assert openrxiv.read(sent({"collection": []}), "10.1101/123456") is None
    assert openrxiv.read(sent(answers.OPENRXIV), "10.1101/654321") is None


@each_row("doi, names, server", [
    ("10.1101/097196", (), "biorxiv"), ("10.1101/2025.02.05.636615", (), "biorxiv"),
    ("10.1101/2024.05.27.24307989", (), "medrxiv"), ("10.1101/19000075", (), "medrxiv"),
    ("10.64898/2025.12.01.691234", ("", "medRxiv"), "medrxiv"),
    ("10.64898/2025.12.01.25334455", ("bioRxiv",), "biorxiv"), ("10.1101/gr.279093.124", ("bioRxiv",), ""),
])  # fmt: skip
def test_the_server_of_a_preprint_has_its_name_or_its_number(doi: str, names: tuple[str, ...], server: str) -> None:
    assert openrxiv.server_of(doi, names) == server


def test_a_preprint_is_asked_for_at_its_server_once() -> None:
    doi = "10.64898/2025.12.01.691234"
    about = known(work(doi=doi))
    described = some(crossref.read(sent({"message": {"DOI": doi, "institution": [{"name": "medRxiv"}]}})))
    web = offline()
    result = OPENRXIV.find(with_(about, described), web)
    assert result.outcome is Outcome.NOT_FOUND
    assert web.asked == [f"https://api.biorxiv.org/details/medrxiv/{doi}/na/json"]
    assert not OPENRXIV.wants(known(work(doi="10.1101/gr.279093.124")))


@needs_data
def test_the_recorded_answer_of_biorxiv() -> None:
    document = json.loads(fetched("services/biorxiv/details-biorxiv-interval-2024.json").body)
    dois = {entry["doi"] for entry in document["collection"]}
    descriptions = [openrxiv.read(sent(document), doi) for doi in dois]
    assert all(description is not None and len(description.copies) == 1 for description in descriptions)
    licences = Counter(description.copies[0].license for description in descriptions if description is not None)
    assert licences["cc-by"]
    assert licences[""]


def test_a_preprint_of_osf_has_its_file_and_its_licence() -> None:
    description = osf.read(sent(answers.OSF))
    assert description == Description(
        doi="10.31234/osf.io/abcde_v2", title="Oats and minds", year="2021", abstract="We asked oats.",
        copies=(Copy(
            "https://osf.io/download/5894204f594d900200ed23f2/", mime_type="application/pdf", version="submitted",
            license="cc-by", license_url="https://creativecommons.org/licenses/by/4.0/legalcode",
            host_type="repository", evidence="osf:primary_file", is_open=True,
        ),),
        kind="preprint",
    )  # fmt: skip


def test_a_withdrawn_preprint_of_osf_and_one_without_file_have_no_copy() -> None:
    document = deepcopy(answers.OSF)
    document["data"]["attributes"]["date_withdrawn"] = "2022-03-04T05:06:07Z"
    description = some(osf.read(sent(document)))
    assert (description.copies, description.retracted) == (
        (),
        "OSF says that the preprint was withdrawn on 2022-03-04.",
    )
    document = deepcopy(answers.OSF)
    document["data"]["relationships"] = {"primary_file": {"links": {}}, "node": {}}
    assert some(osf.read(sent(document))).copies == ()
    assert osf.read(sent({}, 404)) is None


@each_row("changes", [
    {"attributes": {"title": None}}, {"relationships": {}}, {"relationships": {"primary_file": {"data": {"id": 7}}}},
])  # fmt: skip
def test_an_answer_of_osf_without_what_each_preprint_has_is_an_error(changes: dict) -> None:
    """It was read as that of a preprint without a file."""
    with pytest.raises(AnswerError, match="OSF answers without "):
        osf.read(sent({"data": {**answers.OSF["data"], **changes}}))


@each_row("named, preprint", [
    ("10.31234/osf.io/hq8sd_v1", "hq8sd_v1"), ("10.31235/osf.io/ny6h2", "ny6h2"),
    ("https://osf.io/preprints/psyarxiv/hq8sd_v1", "hq8sd_v1"), ("https://osf.io/preprints/t9gbj/", "t9gbj"),
    ("10.17605/osf.io/t9gbj", ""), ("https://osf.io/t9gbj/", ""),
])  # fmt: skip
def test_a_preprint_of_osf_is_known_by_its_doi_and_its_page(named: str, preprint: str) -> None:
    assert osf.preprint_of(named) == preprint


@needs_data
def test_the_documentation_s_example_of_osf() -> None:
    description = some(osf.read(fetched("services/osf/preprints-detail.json")))
    assert description.doi == "10.31235/osf.io/hqb2p"
    assert [(copy.url, copy.license) for copy in description.copies] == [
        ("https://osf.io/download/5894204f594d900200ed23f2/", "")
    ]


ZENODO = "https://zenodo.org"
RECORD = f"{ZENODO}/api/records/1234567"


def of_zenodo(**changes: object) -> Fetched:
    return sent({**answers.ZENODO, "metadata": {**answers.ZENODO["metadata"], **changes}})


def test_a_record_of_zenodo_has_its_pdfs_and_its_licence() -> None:
    assert inveniordm.read(sent(answers.ZENODO), ZENODO) == Description(
        doi="10.5281/zenodo.1234567", title="Oats under rust", authors=("Example", "Sample"), year="2021",
        copies=(Copy(
            f"{RECORD}/files/Oats%20%26%20rust.PDF/content", mime_type="application/pdf", license="cc-by",
            license_url=CC_BY, host_type="repository", evidence="inveniordm:files", is_open=True,
        ),),
        is_open=True, kind="article",
    )  # fmt: skip


def test_a_record_of_inveniordm_has_its_pdfs_and_its_licence() -> None:
    description = some(inveniordm.read(sent(answers.INVENIORDM), "https://x.example.org"))
    assert (description.doi, description.authors, description.kind) == (DOI, ("Example",), "publication-preprint")
    assert [(copy.url, copy.license, copy.license_url) for copy in description.copies] == [
        ("https://x.example.org/api/records/23y6y-vh985/files/oats.pdf/content", "cc-by", CC_BY)
    ]


def test_a_restricted_record_has_no_copy() -> None:
    for right in ("restricted", "closed"):
        description = some(inveniordm.read(of_zenodo(access_right=right), ZENODO))
        assert (description.copies, description.is_open) == ((), False)
    access = {**answers.INVENIORDM["access"], "files": "restricted"}
    description = some(inveniordm.read(sent({**answers.INVENIORDM, "access": access}), ZENODO))
    assert (description.copies, description.is_open) == ((), False)


def test_a_record_under_an_embargo_says_until_when() -> None:
    description = some(inveniordm.read(of_zenodo(access_right="embargoed", embargo_date="2031-02-03"), ZENODO))
    assert [(copy.url, copy.open_from) for copy in description.copies] == [(f"{ZENODO}/records/1234567", "2031-02-03")]
    embargo = {"active": True, "until": "2031-02-03"}
    access = {**answers.INVENIORDM["access"], "files": "restricted", "embargo": embargo}
    description = some(inveniordm.read(sent({**answers.INVENIORDM, "access": access}), ZENODO))
    assert [copy.open_from for copy in description.copies] == ["2031-02-03"]
    assert some(inveniordm.read(of_zenodo(access_right="embargoed", embargo_date="soon"), ZENODO)).copies == ()


@each_row("changes", [
    {"metadata": {"title": 7}}, {"metadata": {"title": "Oats", "access_right": None}}, {"files": None},
    {"files": [{}, {"key": None}]},
])  # fmt: skip
def test_an_answer_of_zenodo_without_what_each_record_has_is_an_error(changes: dict) -> None:
    """It was read as that of a closed record, or of one without files."""
    with pytest.raises(AnswerError, match=r"zenodo\.org answers without "):
        inveniordm.read(sent({**answers.ZENODO, **changes}), ZENODO)


@each_row("named, address", [
    ("10.5281/zenodo.48440", f"{ZENODO}/api/records/48440"),
    ("https://zenodo.org/record/48440", f"{ZENODO}/api/records/48440"),
    ("https://rogue-scholar.org/records/23y6y-vh985", "https://rogue-scholar.org/api/records/23y6y-vh985"),
    ("https://x.example.org/records/48440", ""), ("https://x.example.org/records/about-thing", ""),
])  # fmt: skip
def test_a_record_of_such_a_site_is_known_by_doi_and_page(named: str, address: str) -> None:
    place = inveniordm.place_of(named)
    assert (place.address if place else "") == address


@needs_data
@each_row("name, files", [
    ("zenodo/zenodo.org_api_records_13850346.13a9b9.200.body.json", 0),
    ("zenodo/zenodo.org_api_records_5244404.7b04e0.200.body.json", 3),
    ("inveniordm/rogue-scholar.org_api_records_23y6y-vh985.e6f90c.200.body.json", 0),
])  # fmt: skip
def test_the_recorded_records_of_zenodo_and_inveniordm(name: str, files: int) -> None:
    description = some(inveniordm.read(fetched(f"services/{name}"), ZENODO))
    assert description.title
    assert description.kind
    assert len(description.copies) == files


SITE = "https://repository.example.org"
UUID = "1911e8a4-6939-490c-b58b-a5d70f8d91fb"
ITEM = f"{SITE}/server/api/core/items/{UUID}?embed=bundles/bitstreams"
BY_HANDLE = f'{SITE}/server/api/discover/search/objects?query=handle:"1/2"&dsoType=item&size=2&embed=bundles/bitstreams'


def test_an_item_of_dspace_has_the_pdfs_that_were_deposited_and_their_licence() -> None:
    place = dspace.Place(SITE, UUID)
    copy = Copy(
        f"{SITE}/server/api/core/bitstreams/{UUID[:-1]}1/content", mime_type="application/pdf", license="cc-by",
        license_url=CC_BY, host_type="repository", evidence="dspace:ORIGINAL",
    )  # fmt: skip
    assert dspace.read(sent(answers.DSPACE), place) == Description(
        doi=DOI, title="Oats under rust", authors=("Example",), year="2021",
        copies=(copy, copy._replace(url=copy.url.replace("1/content", "3/content"))), kind="Article",
    )  # fmt: skip


def test_a_licence_and_parts_among_the_deposited_files_of_dspace_come_last_or_not_at_all() -> None:
    document = deepcopy(answers.DSPACE)
    names = ("license.pdf", "Cover.pdf", "Appendix.pdf", "oats.pdf", "mmc1.pdf")
    files = [{"uuid": f"{UUID[:-1]}{number}", "name": name} for number, name in enumerate(names)]
    bundle = {"name": "ORIGINAL", "_embedded": {"bitstreams": {"_embedded": {"bitstreams": files}}}}
    document["_embedded"]["bundles"]["_embedded"]["bundles"] = [bundle]
    description = some(dspace.read(sent(document), dspace.Place(SITE, UUID)))
    assert [names[int(copy.url[-9])] for copy in description.copies] == ["oats.pdf", "Cover.pdf", "Appendix.pdf"]


def test_an_item_of_dspace_is_found_by_its_whole_handle() -> None:
    assert len(some(dspace.read(sent(answers.DSPACE_SEARCH), dspace.Place(SITE, handle="1/2"))).copies) == 2
    assert dspace.read(sent(answers.DSPACE_SEARCH), dspace.Place(SITE, handle="1/3")) is None
    assert dspace.read(sent({}), dspace.Place(SITE, UUID)) is None


@each_row("page, address", [
    (f"{SITE}/items/{UUID}", ITEM), (f"{SITE}/entities/publication/{UUID}/full", ITEM),
    (f"{SITE}/handle/1/2", BY_HANDLE.replace('"', "%22").replace("handle:", "handle%3A").replace("1/2", "1%2F2")),
    (f"{SITE}/xmlui/handle/1/2", ""), ("https://hdl.handle.net/handle/1/2", ""), (f"{SITE}/items/7", ""),
])  # fmt: skip
def test_an_item_of_dspace_is_known_by_its_page(page: str, address: str) -> None:
    place = dspace.place_of(page)
    assert (place.address if place else "") == address


@each_row("response, outcome", [
    (sent(answers.DSPACE), Outcome.SUCCESS), (sent({}, 401), Outcome.FORBIDDEN), (sent({}, 404), Outcome.NOT_FOUND),
    (answer("<html>The shell of another page"), Outcome.NOT_FOUND),
])  # fmt: skip
def test_dspace_is_asked_once_and_a_restricted_item_is_respected(response: Fetched, outcome: Outcome) -> None:
    web = offline(**{ITEM: response})
    result = dspace.STEP.find(known(work(page=f"{SITE}/items/{UUID}")), web)
    assert (result.outcome, len(web.asked)) == (outcome, 1)


OSF_PAGE, OSF_API = (
    "https://osf.io/preprints/psyarxiv/abcde_v2",
    "https://api.osf.io/v2/preprints/abcde_v2/?embed=license",
)


@each_row("step, address, document, page, own", [
    (OSF, OSF_API, answers.OSF, OSF_PAGE, work(doi="10.31234/osf.io/abcde_v2")),
    (OSF, OSF_API, answers.OSF, OSF_PAGE, work(page=OSF_PAGE)),
    (inveniordm.STEP, RECORD, answers.ZENODO, f"{ZENODO}/records/1234567", work(doi="10.5281/zenodo.1234567")),
    (dspace.STEP, BY_HANDLE, answers.DSPACE_SEARCH, f"{SITE}/handle/1/2", work(page=f"{SITE}/handle/1/2")),
])  # fmt: skip
def test_a_repository_is_asked_once_and_describes_only_the_record_s_own_item(
    step: Step, address: str, document: object, page: str, own: Work
) -> None:
    web = offline(**{address: sent(document)})
    assert step.find(known(own), web).description is not None
    result = step.find(with_(known(work(doi=DOI)), None, page), web)
    assert (result.outcome, result.description) == (Outcome.SUCCESS, None)
    assert len(web.asked) == 2
    assert not step.wants(known(work(doi=DOI)))


@each_row("changes", [{"doi": 7}, {"version": "²"}])
def test_preprints_that_are_listed_and_of_which_none_can_be_read_are_an_error(changes: dict) -> None:
    """It was read as an answer that knows no such preprint."""
    entries = [{**entry, **changes} for entry in answers.OPENRXIV["collection"]]
    with pytest.raises(AnswerError, match="bioRxiv lists works in collection, but none has an identifier"):
        openrxiv.read(sent({"collection": entries}), "10.1101/123456")
