"""What services answer about works: every recorded answer is read, and errors and limits are what they are."""

import json
from collections import Counter

import pytest

from gateway.core.errors import AnswerError, RemoteRefuses, TryLater
from gateway.fulltext.licenses import license_of, license_uri
from gateway.fulltext.search_result import UNNAMED
from harvester.fulltext.known_copies import Copy, version_of, without_repetitions
from harvester.fulltext.steps import crossref, datacite, openalex, unpaywall
from harvester.http import json_answers
from harvester.http.messages import Fetched
from tests.fulltext.documents import works_of_crossref
from tests.fulltext.services.reading import OF_A_WORK, READERS, sent, some
from tests.fulltext.web import DATA, exchanges, fetched
from tests.rows import each_row

needs_data = pytest.mark.needs("../shared")
DOI = {"doi": "10.1/x"}


@each_row("name", READERS)
def test_a_busy_or_ill_service_is_asked_later_and_what_it_does_not_know_is_no_error(name: str) -> None:
    for status in (429, 500, 503, 504):
        with pytest.raises(TryLater, match=f"answers {status}"):
            READERS[name](sent(b"<html>", status))
    for status in (404, 410):
        assert READERS[name](sent(b"Resource not found.", status)) is None, status


@each_row("document, sentence", [
    ({"message": [{"type": "integer-not-valid", "message": "Integer specified as 200"}]}, "Integer specified as 200"),
    ({"errors": [{"status": "422", "title": "The DOI is bad"}]}, "The DOI is bad"),
    ({"detail": "API key required"}, "API key required"), ([], r"answers 422\."),
])  # fmt: skip
def test_a_refusal_tells_its_reason(document: object, sentence: str) -> None:
    with pytest.raises(RemoteRefuses, match=sentence):
        unpaywall.read(sent(document, 422))


@each_row("body", [b"<html>", b"[1]", b"\xff", b"[" * 100_000])
def test_an_answer_that_is_no_json_object_is_an_error(body: bytes) -> None:
    with pytest.raises(AnswerError, match="not with a JSON object"):
        crossref.read(Fetched("https://api.example.org/", 200, (), body, 0))


@each_row("service", OF_A_WORK.values())
@each_row("document", [
    {},
    {"message": 1, "data": [], "locations": {"a": 1}, "oa_locations": "x"},
    {"doi": {"a": 1}, "message": {"DOI": [7]}, "data": {"attributes": {"doi": {}}}},
    {"doi": " ", "message": {"DOI": ""}, "data": {"attributes": {"doi": None}}},
])  # fmt: skip
def test_an_answer_without_the_work_is_an_error(service, document: object) -> None:
    """Such an answer was read as that of a closed work, or of one without files."""
    with pytest.raises(AnswerError, match="answers without "):
        service(sent(document))


@needs_data
def test_every_recorded_answer_of_crossref_is_read_or_named() -> None:
    outcomes: Counter[str] = Counter()
    for recording in exchanges("crossref/http", "*api.crossref.org_*"):
        if "transform" in recording.url or "/agency" in recording.url:
            continue
        try:
            outcomes["unknown" if crossref.read(recording) is None else "work"] += 1
        except (AnswerError, RemoteRefuses, TryLater) as error:
            outcomes[type(error).__name__] += 1
    # Those that are errors are answers to other questions: lists, types, members.
    assert outcomes == {"work": 64, "AnswerError": 22, "unknown": 5, "RemoteRefuses": 2, "TryLater": 2}


@needs_data
def test_links_for_checking_similarity_are_for_nobody() -> None:
    works = [work for recording in exchanges("crossref/http", "*works*") for work in _works(recording)]
    copies = [copy for work in works for copy in work.copies]
    assert len(works) > 200
    assert Counter(copy.evidence for copy in copies).keys() == {
        "crossref:link[text-mining]", "crossref:link[syndication]", "crossref:resource",
    }  # fmt: skip
    assert sum(copy.mime_type == "application/pdf" for copy in copies) == 38


def _works(recording: Fetched):
    if recording.status != 200 or "transform" in recording.url or "/agency" in recording.url:
        return ()
    return works_of_crossref(recording)


@needs_data
@each_row("name, is_open, files, pages", [
    ("bronze__10.1016_j.cell.2007.11.019", True, 2, 3), ("closed__10.1037_018882", False, 0, 0),
    ("gold__10.1186_gb-2004-5-10-r80", True, 6, 5), ("green__10.1038_nature12373", True, 3, 4),
    ("green__10.1080_00273171.2011.568786", True, 1, 2), ("hybrid__10.1103_physreve.88.012814", True, 2, 2),
])  # fmt: skip
def test_every_location_of_unpaywall_counts(name: str, is_open: bool, files: int, pages: int) -> None:
    description = some(unpaywall.read(fetched(f"unpaywall/v2/{name}.json")))
    assert description.is_open is is_open
    assert Counter(copy.is_page for copy in description.copies) == Counter({False: files, True: pages})


@needs_data
def test_every_recorded_answer_of_openalex_is_read() -> None:
    descriptions = [openalex.read(recording) for recording in exchanges("other/openalex/http")]
    assert len(descriptions) == 26
    untitled = [description.doi for description in descriptions if not description.title]
    assert untitled == ["10.7600/jspfsm.56.60"]  # told in no language
    assert sum(any(not copy.is_page for copy in description.copies) for description in descriptions) == 11
    plos = next(description for description in descriptions if description.doi == "10.1371/journal.pone.0000030")
    assert (
        plos.copies[0].url
        == "https://journals.plos.org/plosone/article/file?id=10.1371/journal.pone.0000030&type=printable"
    )
    assert plos.copies[0][3:7] == ("published", "cc-by", "", "publisher")
    assert plos.abstract.startswith("Triosephosphate isomerase (TPI) deficiency")
    assert plos.issns == ("1932-6203",)
    assert any(copy.host_type == "repository" for description in descriptions for copy in description.copies)


DROPS, FIGSHARE = "https://drops.dagstuhl.de/entities/document", "https://figshare.com/articles/dataset"


@needs_data
def test_every_recorded_answer_of_datacite_is_read() -> None:
    descriptions = [
        datacite.read(recording) for recording in exchanges("other/datacite/http", "*api.datacite.org_dois_10*")
    ]
    assert {
        description.doi: (description.copies[0].url, description.copies[0].license) for description in descriptions
    } == {
        "10.4230/lipics.tqc.2013.93": (f"{DROPS}/10.4230/LIPIcs.TQC.2013.93", "cc-by"),
        "10.5061/dryad.8515": ("https://datadryad.org/dataset/doi:10.5061/dryad.8515", "cc0"),
        "10.5281/zenodo.48440": ("https://zenodo.org/record/48440", "cc-by-nc-sa"),
        "10.6084/m9.figshare.1449060": (f"{FIGSHARE}/Drosophila_melanogaster_African_Wings/1449060/4", "cc-by"),
    }
    assert descriptions[0].authors
    (several,) = exchanges("other/datacite/http", "rdatacite*")
    assert len(datacite.read_list(several)) == 5


def test_a_location_under_embargo_is_told_with_its_day() -> None:
    """The form is that of any location (unpaywall.org/data-format): `oa_date` lies ahead."""
    location = {"url_for_pdf": "https://r.example.org/1.pdf", "url_for_landing_page": "https://r.example.org/1"}
    details = {"license": "cc-by", "version": "acceptedVersion", "host_type": "repository", "oa_date": "2027-01-31"}
    without_day = {"url_for_pdf": "https://r.example.org/2.pdf", "oa_date": None}
    document = {"doi": "10.1/X", "is_oa": False, "oa_locations_embargoed": [
        {**location, **details}, location, without_day,
    ]}  # fmt: skip
    description = unpaywall.read(sent(document))
    assert [(copy.url, copy.is_page, copy.license, copy.open_from) for copy in description.copies] == [
        ("https://r.example.org/1.pdf", False, "cc-by", "2027-01-31"),
        ("https://r.example.org/1", True, "cc-by", "2027-01-31"),
        ("https://r.example.org/2.pdf", False, "", UNNAMED),
    ]
    assert {copy.evidence for copy in description.copies} == {"unpaywall:oa_locations_embargoed"}


@each_row("url, license_", [
    ("https://www.scientific.net/AMR.1.pdf", ""), ("https://doaj.org/article/1", ""),
    ("https://notdoaj.org/article/1", "cc-by"), ("https://r.example.org/1.pdf", "cc-by"),
])  # fmt: skip
def test_a_licence_that_was_read_at_some_hosts_is_none_of_the_work(url: str, license_: str) -> None:
    location = {"url": url, "url_for_pdf": url, "pdf_url": url, "license": "cc-by", "status": "GOLD"}
    documents = {"unpaywall": "oa_locations", "openalex": "locations", "semantic_scholar": "openAccessPdf"}
    for service, name in documents.items():
        fields = {name: location if name == "openAccessPdf" else [location]}
        description = READERS[service](sent({**DOI, "title": "A", **fields}))
        assert [copy.license for copy in description.copies][:1] == [license_], service


LICENSE = {"URL": "http://creativecommons.org/licenses/by/4.0/", "content-version": "vor"}
OTHER = {**LICENSE, "URL": "http://creativecommons.org/licenses/by-nc/4.0/"}


@each_row("licenses, license_", [
    ([LICENSE], "cc-by"), ([LICENSE, LICENSE], "cc-by"), ([LICENSE, OTHER], ""),
    ([{**LICENSE, "content-version": "tdm"}], ""), ([{**LICENSE, "content-version": "am"}], ""),
    ([LICENSE, {**OTHER, "content-version": "unspecified"}], "cc-by"),
    ([{**LICENSE, "delay-in-days": 365}], ""), ([{**LICENSE, "delay-in-days": 0}], "cc-by"),
    ([{**LICENSE, "URL": "https://www.elsevier.com/tdm/userlicense/1.0/"}], ""),
])  # fmt: skip
def test_one_licence_for_this_version_counts_and_none_for_text_mining(licenses: list[object], license_: str) -> None:
    link = {"URL": "https://x.example.org/1.pdf", "content-version": "vor", "intended-application": "text-mining"}
    description = crossref.read(sent({"message": {"DOI": "10.1/X", "link": [link], "license": licenses}}))
    assert [copy.license for copy in description.copies] == [license_]


def update(kind: str, doi: str = "10.1/N", **more: object) -> dict[str, object]:
    """Return an update as Crossref writes it (its REST API, `updated-by` of a work and `update-to` of a notice)."""
    return {"DOI": doi, "type": kind, "updated": {"date-time": "2024-05-01T00:00:00Z"}, "source": "publisher", **more}


@each_row("updates, sentence", [
    ([update("retraction")], "The work is retracted: Crossref names 10.1/n of 2024-05-01."),
    (
        [update("expression-of-concern"), update("retraction", source="retraction-watch")],
        "The work is retracted: Crossref (by Retraction Watch) names 10.1/n of 2024-05-01.",
    ),
    (
        [update("Expression of Concern"), update("removal")],
        "The work was removed by its publisher: Crossref names 10.1/n of 2024-05-01.",
    ),
    ([{"label": "Partial retraction"}], "A part of the work is retracted: Crossref names a notice."),
])  # fmt: skip
def test_crossref_names_the_notices_by_which_a_work_was_retracted(updates: list[object], sentence: str) -> None:
    description = crossref.read(sent({"message": {"DOI": "10.1/X", "title": ["A study"], "updated-by": updates}}))
    assert description.retracted == sentence


# The APS names the corrected work itself.
@each_row("updates, is_notice", [
    ([update("retraction", "10.1/W")], True), ([update("correction", "10.1/x")], False),
    ([update("new_version", "10.1/W")], False),
])  # fmt: skip
def test_a_notice_is_no_retracted_work(updates: list[object], is_notice: bool) -> None:
    description = crossref.read(
        sent({"message": {"DOI": "10.1/X", "title": ["Retracted: A study"], "update-to": updates}})
    )
    assert bool(description.retracted) is not is_notice


@needs_data
def test_no_recorded_notice_or_corrected_work_is_called_retracted() -> None:
    """Six corrections of PLOS, one that the APS calls a correction of itself, a new version, a notice titled so."""
    folder = DATA / "services" / "crossref"
    files = [*sorted(folder.glob("item-10.*.json")), folder / "work-f1000.json"]
    items = [json.loads(file.read_bytes()) for file in files]
    descriptions = [crossref.read(sent({"message": item.get("message", item)})) for item in items]
    assert [description.retracted for description in descriptions if description.retracted] == [
        "The work is retracted: Crossref gives a title that says so."
    ]


def test_openalex_marks_what_is_retracted() -> None:
    assert (
        openalex.read(sent({**DOI, "is_retracted": True})).retracted == "The work is retracted: OpenAlex marks it so."
    )
    notice = openalex.read(sent({**DOI, "title": "RETRACTED: A"})).retracted
    assert notice.endswith("OpenAlex gives a title that says so.")
    assert openalex.read(sent({**DOI, "is_retracted": False, "title": "A"})).retracted == ""


CC_BY_URI = "https://creativecommons.org/licenses/by/4.0/"
EMBARGOED_URI = "info:eu-repo/semantics/embargoedAccess"


@each_row("rights, dates, license_, open_from", [
    ([CC_BY_URI], [], "cc-by", ""),
    ([CC_BY_URI], [("Available", "2027-01-31"), ("Available", "2026-01"), ("Issued", "2030")], "cc-by", "2027-01-31"),
    ([CC_BY_URI, EMBARGOED_URI], [("Available", "2027-01")], "cc-by", "2027-01-31"),
    ([CC_BY_URI, EMBARGOED_URI], [("Available", "soon")], "", ""),
    ([CC_BY_URI, "info:eu-repo/semantics/restrictedAccess"], [], "", ""),
    ([CC_BY_URI, "info:eu-repo/semantics/openAccess"], [], "cc-by", ""),
])  # fmt: skip
def test_datacite_tells_who_may_have_a_file_and_from_when_on(rights, dates, license_: str, open_from: str) -> None:
    attributes = {
        "doi": "10.1/X", "url": "https://r.example.org/1", "rightsList": [{"rightsUri": right} for right in rights],
        "dates": [{"dateType": kind, "date": day} for kind, day in dates],
    }  # fmt: skip
    description = datacite.read(sent({"data": {"attributes": attributes}}))
    assert [(copy.license, copy.open_from) for copy in description.copies] == [(license_, open_from)]


def test_what_datacite_calls_withdrawn_or_licenses_of_metadata() -> None:
    attributes = {
        "doi": "10.1/X",
        "url": "https://r.example.org/1",
        "rightsList": [{"rights": "Metadata: CC0", "rightsUri": "https://creativecommons.org/publicdomain/zero/1.0/"}],
        "dates": [{"dateType": "Withdrawn", "date": "2024-05"}],
    }
    description = datacite.read(sent({"data": {"attributes": attributes}}))
    assert description.retracted == "The work is withdrawn: DataCite names a notice of 2024-05-01."
    assert description.copies[0].license == ""


@each_row("text, name", [
    ("http://creativecommons.org/licenses/by/4.0/", "cc-by"), ("cc_by_nc_nd", "cc-by-nc-nd"),
    ("This work is licensed under CC BY-NC 4.0", "cc-by-nc"), ("cc-by-nd-nc 1.0", "cc-by-nc-nd"),
    ("All metadata are available under CC0", ""), ("https://example.org/licenses/bylaws", ""),
    ("Creative Commons Attribution-NonCommercial 4.0 International", "cc-by-nc"),
    ("https://creativecommons.org/licenses/by-sa/2.0/de/", "cc-by-sa"),
    ("https://creativecommons.org/publicdomain/zero/1.0/", "cc0"), ("CC0-1.0", "cc0"), ("pd", "pd"),
    ("This is not in the public domain.", ""), ("This file is not CC BY", ""),
    ("Except where otherwise noted, this is under CC BY", "cc-by"),
    ("publisher-specific, author manuscript: http://link.aps.org/licenses/aps-default", "publisher-specific"),
    ("http://arxiv.org/licenses/nonexclusive-distrib/1.0/", "publisher-specific"),
    ("info:eu-repo/semantics/openAccess", "other-oa"), ("https://www.elsevier.com/tdm/userlicense/1.0/", ""),
    ("Access by subscription", ""), ("", ""),
])  # fmt: skip
def test_licences_have_one_name_each(text: str, name: str) -> None:
    assert license_of(text) == name


@each_row("text, uri", [
    ("cc-by 4.0", "https://creativecommons.org/licenses/by/4.0/"),
    ("CC BY-SA 3.0 Unported", "https://creativecommons.org/licenses/by-sa/3.0/"),
    ("Creative Commons Attribution-NoDerivatives 2.5", "https://creativecommons.org/licenses/by-nd/2.5/"),
    ("cc0", "https://creativecommons.org/publicdomain/zero/1.0/"),
    (" http://creativecommons.org/licenses/by/3.0/nl/", "http://creativecommons.org/licenses/by/3.0/nl/"),
    ("https://creativecommons.org/licenses/by/4.0/ (CC BY)", "https://creativecommons.org/licenses/by/4.0/"),
    ("cc-by", ""), ("cc-by 3.0 nl", ""), ("cc-by 5.0", ""), ("publisher-specific", ""),
])  # fmt: skip
def test_a_licence_has_an_address_when_its_version_is_known(text: str, uri: str) -> None:
    assert license_uri(text) == uri


def test_versions_have_one_name_each() -> None:
    words = ("vor", "am", "publishedVersion", "info:eu-repo/semantics/acceptedVersion", "tdm", "")
    assert [version_of(word) for word in words] == ["published", "accepted", "published", "accepted", "", ""]


def test_what_is_no_address_of_the_web_is_no_copy() -> None:
    first = Copy("https://a.example.org/", version="published")
    assert without_repetitions([first, Copy("https://a.example.org/"), Copy("ftp://x"), Copy("")]) == (first,)


def test_a_walk_goes_through_lists_of_lists() -> None:
    assert json_answers.values({"issued": {"date-parts": [[2011, 5], None]}}, "issued", "date-parts") == [2011, 5]
    assert json_answers.texts({"a": [{"b": " x  y "}, {"b": 1}, "c"]}, "a", "b") == ["x y"]
    assert json_answers.texts({"a": ["\ud800x", "\ud800"]}, "a") == ["x"]  # nothing can store half a character


@each_row(
    "general, specific, kind", [("Text", "Poster", "Poster"), ("Text", "", "Text"), ("Dataset", "Poster", "Dataset")]
)
def test_the_specific_type_of_datacite_counts_if_the_general_one_says_little(general, specific, kind) -> None:
    types = {"resourceTypeGeneral": general, "resourceType": specific}
    assert some(datacite.read(sent({"data": {"attributes": {"doi": "10.5555/1", "types": types}}}))).kind == kind


@each_row("doi, server, page", [
    ("10.1101/119180", "bioRxiv", "https://www.biorxiv.org/lookup/doi/10.1101/119180"),
    ("10.1101/2021.01.04.21249226", "", "https://www.medrxiv.org/lookup/doi/10.1101/2021.01.04.21249226"),
    ("10.1101/gr.123456.111", "", ""),
])  # fmt: skip
def test_the_page_of_a_preprint_follows_from_its_doi_if_crossref_names_none(doi: str, server: str, page: str) -> None:
    described = some(crossref.read(sent({"message": {"DOI": doi, "institution": [{"name": server}]}})))
    assert [copy.url for copy in described.copies] == [page] * bool(page)
