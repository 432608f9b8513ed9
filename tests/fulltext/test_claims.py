"""What pages and files claim of a copy: no rule accepts a copy against a claim, and right copies stay accepted."""

import pytest

from gateway.core.model import SearchState
from gateway.fulltext.decisions import Thresholds, rule
from gateway.fulltext.explanation import explained
from gateway.fulltext.policies import Colour, Permission, Policy
from gateway.fulltext.stored_search import candidates_of, search_as_json
from harvester.fulltext.access_rights import is_shut_statement, open_from_words
from harvester.fulltext.pages.page_claims import HINTS
from harvester.fulltext.pdf.document import lines_of
from harvester.fulltext.retractions import label_in, statement_in
from harvester.fulltext.rights_words import licenses_in, prohibiting, prohibitions_in, reserved_in, spelled
from harvester.fulltext.search_work import search
from harvester.fulltext.step_order import step_of
from tests.fulltext.claims import (
    ACCEPT,
    AT,
    CC,
    HOME,
    REVIEW,
    TITLE,
    Claim,
    claims,
    file_of,
    outcome_of,
    result_of,
)
from tests.fulltext.web import SETTINGS, RecordedWeb, answer, work
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
