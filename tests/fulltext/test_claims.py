"""What pages and files claim of a copy: no rule accepts a copy against a claim, and right copies stay accepted."""

import json
from collections.abc import Mapping
from typing import NamedTuple

import pytest

from gateway.core.model import Outcome, SearchState, Statement, Work
from gateway.fulltext.decisions import Thresholds, decided, rule
from gateway.fulltext.explanation import explained
from gateway.fulltext.policies import Colour, Permission, Policy
from gateway.fulltext.stored_search import candidates_of, search_as_json
from harvester.fulltext.access_rights import is_shut_statement, open_from_words
from harvester.fulltext.pages.page_claims import HINTS
from harvester.fulltext.pdf.document import lines_of
from harvester.fulltext.retractions import label_in, statement_in
from harvester.fulltext.rights_words import licenses_in, prohibiting, prohibitions_in, reserved_in, spelled
from harvester.fulltext.search_work import search
from harvester.fulltext.step_order import step_of, steps
from tests.fulltext.claims import (
    ACCEPT,
    AT,
    BY,
    CC,
    DAY,
    HOME,
    LICENSED,
    REVIEW,
    TITLE,
    Claim,
    claims,
    file_of,
    outcome_of,
    result_of,
)
from tests.fulltext.web import SETTINGS, Answer, RecordedWeb, answer, to, work
from tests.rows import each_row

pytestmark = pytest.mark.usefixtures("quick_reader")


@each_row("claim", claims()[::40])
def test_a_claim_decides(claim: Claim) -> None:
    assert outcome_of(claim) == claim.wanted


@pytest.mark.slow
@pytest.mark.unmeasured
@pytest.mark.share(one_in=4)
@pytest.mark.parametrize("part", range(4))
def test_each_of_700_claims_decides(part: int) -> None:
    assert [claim for claim in claims()[part::4] if outcome_of(claim) != claim.wanted] == []


def test_what_is_a_claim_in_a_file_is_found_on_a_page_too() -> None:
    """24 of 140 statements counted in a file and not on a page: the page was not searched for their words."""
    lines = {line for claim in claims() if claim.wanted != ACCEPT for line in (*claim.file, *claim.below, *claim.end)}
    stated = [line for line in map(spelled, sorted(lines)) if _is_stated(line)]
    assert len(stated) > 100
    assert [line for line in stated if not any(hint in line for hint in HINTS)] == []


def _is_stated(line: str) -> bool:
    return any(
        (
            *prohibiting((line,)),
            *prohibitions_in(line),
            *reserved_in(line),
            is_shut_statement(line),
            open_from_words(line),
            label_in(line),
            statement_in(line)[0],
        )
    )


POLICY = Policy(
    Colour.GREEN, permissions=(Permission(versions=("published",), locations=("institutional_repository",)),)
)


@each_row("page, more, reason", [
    ("<p>Die Metadaten stehen unter {cc}.</p>", {},
     'The page names the licence cc-by for the metadata: "Die Metadaten stehen unter CC BY 4.0 .".'),
    ("<p>{cc}</p><p>All rights reserved</p>", {},
     'The page names the licence cc-by too. The page says "all rights reserved".'),
    ("<p>{cc}</p><p>Licence: CC BY-NC</p>", {}, "The page states different licences: cc-by and cc-by-nc."),
    ("<p>{cc}</p>", {"file": ("Do not distribute",)}, 'The file says "do not distribute".'),
    ("<p>{cc}</p>", {"file": ("All rights reserved.",)},
     'The licence cc-by was stated for this copy. Its text says "all rights reserved".'),
    ("<p>{cc}</p>", {"file": ("This article is licensed under CC BY-NC 4.0",)},
     "The licence cc-by was stated for this copy, and its text states cc-by-nc."),
    ("<p>{cc}</p><p>Embargoed access</p>", {}, 'The page says "embargoed access".'),
    ("<p>{cc}</p>", {"head": '<meta name="DC.rights" content="restrictedAccess">'},
     "The metadata of the page say that its access is restricted."),
])  # fmt: skip
def test_a_person_reads_why_no_rule_accepts(page: str, more: dict, reason: str) -> None:
    claim = Claim(REVIEW, page.replace("{cc}", CC), is_licensed=False, **more)
    searched, decisions = result_of(claim)
    assert [(decision.verdict, decision.reason) for decision in decisions] == [(REVIEW, reason)]
    assert searched.candidates[0].license == ("cc-by" if "do not" in reason else "")
    state = SearchState("oai:g:1", "laro", "1", "done", 0, 0, searched.outcome, AT, search_as_json(searched))
    assert candidates_of(state) == searched.candidates
    assert f"      {reason}" in list(explained(state))


@each_row("name, license_", [
    ("the Creative Commons Attribution-Non-Com-\nmercial License", "cc-by-nc"), ("CC BY-NC\ufffeND", "cc-by-nc-nd"),
    ("the Creative Com\ufffemons Attri\u00ad\nbution License", "cc-by"), ("CC BY-\nNC", "cc-by-nc"),
])  # fmt: skip
def test_a_licence_is_the_same_with_words_divided_at_the_ends_of_lines(name: str, license_: str) -> None:
    """A licence for non-commercial use was read as CC BY. U+FFFE is what PDFium makes of a hyphen and a line end."""
    lines = lines_of(f"This is an open access article distributed under {name}, which permits use.")
    assert set(licenses_in("\n".join(lines))) == {license_}


def test_a_policy_permits_a_file_that_reserves_all_rights_and_no_file_that_may_not_be_passed_on() -> None:
    """Publishers' own files reserve all rights; a policy permits some of them in a repository all the same."""
    for line, verdict in (("All rights reserved.", ACCEPT), ("Not for redistribution", REVIEW)):
        searched, _ = result_of(Claim(REVIEW, file=(line,)))
        candidate = searched.candidates[0]._replace(version="published", text_version="")
        assert rule(candidate, POLICY, "2020", Thresholds(), "2026-11").verdict == verdict


def test_a_retraction_on_the_works_own_page_counts_for_a_copy_elsewhere() -> None:
    """The page's own link is refused, and an address of the record has the file."""
    page, elsewhere = f"{HOME}/1", "https://elsewhere.example.net/1.pdf"
    own = {
        page: answer(f"<title>{TITLE}</title><p>This article has been retracted.</p><a href='/1.pdf'>PDF</a>"),
        f"{HOME}/1.pdf": answer(status=403),
        elsewhere: answer(file_of(Claim(ACCEPT))),
    }
    about = work(TITLE, page=page, creator="Sorbye, Anna")
    steps = (step_of("landing_page"), step_of("own_links"))
    web = RecordedWeb(own, has_recordings=False)
    searched = search(about, steps, web, SETTINGS, at=AT, most_files=6)
    assert searched.retracted == 'The work is retracted: the page states "this article has been retracted".'
    related = work(TITLE, relation=page, creator="Sorbye, Anna", source=elsewhere)
    web = RecordedWeb(own, has_recordings=False)
    assert search(related, steps, web, SETTINGS, at=AT, most_files=6).retracted == ""


DOI = "10.1234/meadow"
REPOSITORY, HANDLE, PUBLISHER = (
    "https://repo.example.org",
    "https://hdl.handle.net/20.1234/4",
    "https://pub.example.com",
)
PAGE, FILE = f"{REPOSITORY}/1", f"{REPOSITORY}/files/1.pdf"
OTHER = "https://creativecommons.org/licenses/by-nc/4.0/"
IN_COPYRIGHT = "http://rightsstatements.org/vocab/InC/1.0/"
PDF = answer(file_of(Claim("")), Content_Type="application/pdf")
EMBARGO = (("rights", "info:eu-repo/semantics/embargoedAccess"), ("date", f"info:eu-repo/date/embargoEnd/{DAY}"))


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


def _searched(about: Work, own: Mapping[str, Answer]) -> Result:
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
    assert _searched(about, {**OPEN_PAGE, **own}) == WITHHELD


def test_an_embargo_of_a_record_does_not_count_for_the_copy_of_its_publisher() -> None:
    own = {**crossref(), **unpaywall(place(f"{PUBLISHER}/a.pdf")), f"{PUBLISHER}/a.pdf": PDF, **OPEN_PAGE}
    for address in (PAGE, f"https://doi.org/{DOI}", HANDLE):
        assert _searched(record(*EMBARGO, page=address), own).verdict == ACCEPT


@each_row("rights", [
    "info:eu-repo/semantics/restrictedAccess", "info:eu-repo/semantics/closedAccess",
    "Embargoed until 9999-12-31", "Embargo: 12 months",
])  # fmt: skip
def test_restricted_files_of_a_record_have_no_licence_behind_a_handle(rights: str) -> None:
    own = {**OPEN_PAGE, HANDLE: to(PAGE)}
    assert _searched(record(("rights", rights), page=HANDLE, doi=""), own).verdict == REVIEW
    assert _searched(record(("rights", rights)), {**OPEN_PAGE, **datacite()}).verdict == REVIEW
    assert _searched(record(page=HANDLE, doi=""), own).verdict == ACCEPT


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
    assert _searched(about, {**OPEN_PAGE, **own}) == WITHHELD


@each_row("rights", [
    [{"rights": "All rights reserved"}], [{"rights": "In Copyright", "rightsUri": IN_COPYRIGHT}],
    [{"rights": "CC BY-NC", "rightsUri": OTHER}], [{"rights": "Accès restreint"}],
    [{"rightsUri": "info:eu-repo/semantics/embargoedAccess"}], [{"rightsUri": "info:eu-repo/semantics/closedAccess"}],
    [{"rightsUri": "info:eu-repo/semantics/restrictedAccess"}],
])  # fmt: skip
def test_a_licence_of_datacite_does_not_count_beside_other_rights(rights: list[dict[str, str]]) -> None:
    own = {**datacite(rightsList=[{"rightsUri": BY}, *rights], contentUrl=[FILE]), FILE: PDF}
    assert _searched(record(), own).verdict == REVIEW


ITEM = f'<{FILE}>; rel="item"; type="application/pdf", <{BY}>; rel="license"'


@each_row("more, verdict", [
    ("", ACCEPT), (f'<{BY}>; rel="license"; anchor="{FILE}"', ACCEPT),
    ('<info:eu-repo/semantics/openAccess>; rel="license"', ACCEPT), (f'<{OTHER}>; rel="license"', REVIEW),
    (f'<{IN_COPYRIGHT}>; rel="license"', REVIEW), (f'<{OTHER}>; rel="license"; anchor="{FILE}"', REVIEW),
    (f'<{OTHER}>; rel="license"; anchor="{REPOSITORY}/files/2.pdf"', ACCEPT),
])  # fmt: skip
def test_different_licences_in_typed_links_are_a_doubt(more: str, verdict: str) -> None:
    own = {PAGE: page("", ", ".join(filter(None, (ITEM, more)))), FILE: PDF}
    assert _searched(record(page=PAGE, doi=""), own).verdict == verdict


UUID = "11111111-2222-3333-4444-555555555555"


def dspace(**metadata: str) -> dict[str, Answer]:
    """Return an item of DSpace 7 with a file and a licence; names have `_` for a full stop."""
    stated = {name.replace("_", "."): [{"value": text}] for name, text in metadata.items()}
    known = {"dc.title": [{"value": TITLE}], "dc.rights.uri": [{"value": BY}], **stated}
    bitstreams = {"_embedded": {"bitstreams": [{"uuid": UUID, "name": "thesis.pdf"}]}}
    bundles = {"bundles": [{"name": "ORIGINAL", "_embedded": {"bitstreams": bitstreams}}]}
    item = {"uuid": UUID, "metadata": known, "_embedded": {"bundles": {"_embedded": bundles}}}
    return {
        f"{REPOSITORY}/items/{UUID}": answer("<title>DSpace</title><ds-app></ds-app>"),
        f"{REPOSITORY}/server/api/core/items/{UUID}?embed=bundles/bitstreams": as_json(item),
        f"{REPOSITORY}/server/api/core/bitstreams/{UUID}/content": PDF,
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
    assert _searched(record(page=f"{REPOSITORY}/items/{UUID}", doi=""), dspace(**metadata)) == result
