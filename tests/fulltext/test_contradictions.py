"""An embargo, a restriction or another licence counts wherever it is stated: offline, from the record to the rules."""

import json
from collections.abc import Mapping
from typing import NamedTuple

import pytest

from gateway.core.model import Outcome, Statement, Work
from gateway.fulltext.decisions import Thresholds, decided
from harvester.fulltext.search_work import search
from harvester.fulltext.step_order import steps
from tests.fulltext.claims import AT, BY, DAY, LICENSED, TITLE, Claim, file_of
from tests.fulltext.web import SETTINGS, Answer, RecordedWeb, answer, to
from tests.rows import each_row

pytestmark = pytest.mark.usefixtures("quick_reader")

DOI = "10.1234/meadow"
HOME, HANDLE, PUBLISHER = "https://repo.example.org", "https://hdl.handle.net/20.1234/4", "https://pub.example.com"
PAGE, FILE = f"{HOME}/1", f"{HOME}/files/1.pdf"
OTHER = "https://creativecommons.org/licenses/by-nc/4.0/"
IN_COPYRIGHT = "http://rightsstatements.org/vocab/InC/1.0/"
PDF = answer(file_of(Claim("")), Content_Type="application/pdf")
EMBARGO = (("rights", "info:eu-repo/semantics/embargoedAccess"), ("date", f"info:eu-repo/date/embargoEnd/{DAY}"))
ACCEPT, REVIEW = "accept", "review"


def record(*statements: tuple[str, str], page: str = "", doi: str = DOI) -> Work:
    known = (("title", TITLE), ("creator", "Sorbye, Anna"), ("date", "2020"), *statements)
    stated = tuple(Statement(name, text) for name, text in known)
    return Work(stated, (f"https://doi.org/{doi}",) if doi else (), page, upstream="oai:x:1")


def as_json(document: object) -> Answer:
    return answer(json.dumps(document))


def crossref(**more: object) -> dict[str, Answer]:
    known = {"DOI": DOI, "title": [TITLE], "type": "journal-article", **more}
    return {f"https://api.crossref.org/works/{DOI}": as_json({"message": known})}


def datacite(**more: object) -> dict[str, Answer]:
    known = {"doi": DOI, "titles": [{"title": TITLE}], "url": PAGE, **more}
    return {f"https://api.datacite.org/dois/{DOI}": as_json({"data": {"attributes": known}})}


def unpaywall(*locations: Mapping[str, object], embargoed: tuple[Mapping[str, object], ...] = ()) -> dict[str, Answer]:
    known = {"doi": DOI, "title": TITLE, "oa_locations": locations, "oa_locations_embargoed": embargoed}
    return {f"https://api.unpaywall.org/v2/{DOI}": as_json({**known, "is_oa": bool(locations)})}


def place(url: str = FILE, license_: str = "cc-by", **more: object) -> dict[str, object]:
    return {"url_for_pdf": url, "license": license_, "host_type": "repository", "version": "publishedVersion", **more}


def page(body: str, link: str = "") -> Answer:
    return answer(f"<title>{TITLE}</title><main><h1>{TITLE}</h1>{body}</main>", Link=link)


OPEN_PAGE = {PAGE: page(f'<p><a href="/files/1.pdf">PDF</a></p>{LICENSED}'), FILE: PDF}


class Result(NamedTuple):
    """What became of a work: the verdict of a rule, or the outcome; and the day on which it is searched for again."""

    verdict: str
    open_from: str = ""


WITHHELD = Result(Outcome.EMBARGOED_UNTIL, DAY)


def result_of(about: Work, own: Mapping[str, Answer]) -> Result:
    web = RecordedWeb(own, has_recordings=False)
    searched = search(about, steps(), web, SETTINGS, at=AT, most_files=6)
    decisions = decided("oai:g.example.org:1", searched, Thresholds(), AT)
    return Result(decisions[0].verdict if decisions else str(searched.outcome), searched.open_from)


@each_row(
    "about, own",
    [
        (record(*EMBARGO, page=PAGE, doi=""), {}),
        (record(*EMBARGO, page=HANDLE, doi=""), {HANDLE: to(PAGE)}),
        (record(*EMBARGO, page=f"https://doi.org/{DOI}"), {f"https://doi.org/{DOI}": to(PAGE)}),
        (record(*EMBARGO), datacite()),
        (record(*EMBARGO), {f"https://doi.org/{DOI}": to(PAGE)}),  # of neither Crossref nor DataCite
    ],
)
def test_an_embargo_of_a_record_counts_behind_its_handle_and_its_doi(about: Work, own: dict[str, Answer]) -> None:
    """The page at a resolver was visited, and a file with a licence was published before its day."""
    assert result_of(about, {**OPEN_PAGE, **own}) == WITHHELD


def test_an_embargo_of_a_record_does_not_count_for_the_copy_of_its_publisher() -> None:
    own = {**crossref(), **unpaywall(place(f"{PUBLISHER}/a.pdf")), f"{PUBLISHER}/a.pdf": PDF, **OPEN_PAGE}
    for address in (PAGE, f"https://doi.org/{DOI}", HANDLE):
        assert result_of(record(*EMBARGO, page=address), own).verdict == ACCEPT


@each_row("rights", [
    "info:eu-repo/semantics/restrictedAccess", "info:eu-repo/semantics/closedAccess",
    "Embargoed until 9999-12-31", "Embargo: 12 months",
])  # fmt: skip
def test_restricted_files_of_a_record_have_no_licence_behind_a_handle(rights: str) -> None:
    own = {**OPEN_PAGE, HANDLE: to(PAGE)}
    assert result_of(record(("rights", rights), page=HANDLE, doi=""), own).verdict == REVIEW
    assert result_of(record(("rights", rights)), {**OPEN_PAGE, **datacite()}).verdict == REVIEW
    assert result_of(record(page=HANDLE, doi=""), own).verdict == ACCEPT


SYNDICATED = {
    "link": [{"URL": FILE, "content-type": "application/pdf", "content-version": "vor"}],
    "license": [{"URL": BY, "content-version": "vor", "start": {"date-time": "2020-01-01T00:00:00Z"}}],
}


@each_row("about, own", [
    (record(), unpaywall(place(), embargoed=(place(oa_date=DAY),))),
    (record(), {**crossref(**SYNDICATED), **unpaywall(embargoed=(place(license_="", oa_date=DAY),))}),
    (record(page=PAGE), unpaywall(embargoed=(place(FILE.replace("https", "http"), oa_date=DAY),))),
    (record(page=PAGE), unpaywall(embargoed=(place(FILE.replace("repo", "Repo"), oa_date=DAY),))),
    (record(page=PAGE), unpaywall(embargoed=(place("", url_for_landing_page=f"{PAGE}/#x", oa_date=DAY),))),
])  # fmt: skip
def test_an_embargo_of_an_address_counts_whoever_names_it(about: Work, own: dict[str, Answer]) -> None:
    assert result_of(about, {**OPEN_PAGE, **own}) == WITHHELD


@each_row("rights", [
    [{"rights": "All rights reserved"}], [{"rights": "In Copyright", "rightsUri": IN_COPYRIGHT}],
    [{"rights": "CC BY-NC", "rightsUri": OTHER}], [{"rights": "Accès restreint"}],
    [{"rightsUri": "info:eu-repo/semantics/embargoedAccess"}], [{"rightsUri": "info:eu-repo/semantics/closedAccess"}],
    [{"rightsUri": "info:eu-repo/semantics/restrictedAccess"}],
])  # fmt: skip
def test_a_licence_of_datacite_does_not_count_beside_other_rights(rights: list[dict[str, str]]) -> None:
    own = {**datacite(rightsList=[{"rightsUri": BY}, *rights], contentUrl=[FILE]), FILE: PDF}
    assert result_of(record(), own).verdict == REVIEW


ITEM = f'<{FILE}>; rel="item"; type="application/pdf", <{BY}>; rel="license"'


@each_row("more, verdict", [
    ("", ACCEPT), (f'<{BY}>; rel="license"; anchor="{FILE}"', ACCEPT),
    ('<info:eu-repo/semantics/openAccess>; rel="license"', ACCEPT), (f'<{OTHER}>; rel="license"', REVIEW),
    (f'<{IN_COPYRIGHT}>; rel="license"', REVIEW), (f'<{OTHER}>; rel="license"; anchor="{FILE}"', REVIEW),
    (f'<{OTHER}>; rel="license"; anchor="{HOME}/files/2.pdf"', ACCEPT),
])  # fmt: skip
def test_different_licences_in_typed_links_are_a_doubt(more: str, verdict: str) -> None:
    own = {PAGE: page("", ", ".join(filter(None, (ITEM, more)))), FILE: PDF}
    assert result_of(record(page=PAGE, doi=""), own).verdict == verdict


UUID = "11111111-2222-3333-4444-555555555555"


def dspace(**metadata: str) -> dict[str, Answer]:
    """Return an item of DSpace 7 with a file and a licence; names have `_` for a full stop."""
    stated = {name.replace("_", "."): [{"value": text}] for name, text in metadata.items()}
    known = {"dc.title": [{"value": TITLE}], "dc.rights.uri": [{"value": BY}], **stated}
    bitstreams = {"_embedded": {"bitstreams": [{"uuid": UUID, "name": "thesis.pdf"}]}}
    bundles = {"bundles": [{"name": "ORIGINAL", "_embedded": {"bitstreams": bitstreams}}]}
    item = {"uuid": UUID, "metadata": known, "_embedded": {"bundles": {"_embedded": bundles}}}
    return {
        f"{HOME}/items/{UUID}": answer("<title>DSpace</title><ds-app></ds-app>"),
        f"{HOME}/server/api/core/items/{UUID}?embed=bundles/bitstreams": as_json(item),
        f"{HOME}/server/api/core/bitstreams/{UUID}/content": PDF,
    }


@each_row("metadata, result", [
    ({}, Result(ACCEPT)), ({"dc_date_available": "2020-01-01"}, Result(ACCEPT)),
    ({"dc_rights": "info:eu-repo/semantics/openAccess"}, Result(ACCEPT)), ({"dc_date_available": DAY}, WITHHELD),
    ({"dc_rights": "info:eu-repo/semantics/embargoedAccess", "dc_date_embargo": DAY}, WITHHELD),
    ({"dc_rights_accessRights": f"Embargoed until {DAY}"}, WITHHELD),
    ({"dc_rights": "info:eu-repo/semantics/embargoedAccess"}, Result(REVIEW)),
    ({"dc_rights": "info:eu-repo/semantics/restrictedAccess"}, Result(REVIEW)),
    ({"dc_rights_accessRights": "closed access"}, Result(REVIEW)),
    ({"dc_rights_accessRights": "metadata only access"}, Result(REVIEW)),
    ({"dc_rights_license": "CC BY-NC 4.0"}, Result(REVIEW)), ({"dc_rights_license": "CC BY 4.0"}, Result(ACCEPT)),
    ({"dc_rights": "© The author. All rights reserved."}, Result(REVIEW)),
])  # fmt: skip
def test_the_metadata_of_an_item_of_dspace_count(metadata: dict[str, str], result: Result) -> None:
    """Its interface was asked for the files and the licence only."""
    assert result_of(record(page=f"{HOME}/items/{UUID}", doi=""), dspace(**metadata)) == result
