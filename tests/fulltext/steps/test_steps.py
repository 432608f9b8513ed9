"""Steps that need a word of their own: own links, signposts, Semantic Scholar, and both ways to ask for policies."""

import json

import pytest

from gateway.core.errors import RemoteRefuses, RobotsDenied
from gateway.core.model import Outcome
from harvester.fulltext.steps import semantic_scholar
from harvester.fulltext.steps._visit import visit
from harvester.fulltext.steps.own_links import STEP as OWN_LINKS
from harvester.fulltext.steps.publisher_policy import STEP as SHERPA
from harvester.fulltext.steps.recipes import STEP
from harvester.fulltext.steps.semantic_scholar import STEP as SEMANTIC_SCHOLAR
from harvester.fulltext.steps.signposting import STEP as SIGNPOSTING
from tests.fulltext.step_arguments import known, offline
from tests.fulltext.web import RecordedWeb, answer, exchanges, recorded, to, work
from tests.rows import each_row

PAGE, FILE = "https://repository.example.org/1", "https://repository.example.org/1.pdf"


def test_links_in_any_statement_are_taken_and_files_known_by_their_addresses() -> None:
    about = work(
        page=PAGE, identifier=PAGE, relation="https://other.example.org/a.pdf",
        description=f"Also at {FILE}, and (https://x.example.org/view).",
    )  # fmt: skip
    result = OWN_LINKS.find(known(about), offline())
    assert result.outcome is Outcome.SUCCESS
    assert [(copy.url, copy.is_page, copy.evidence) for copy in result.copies] == [
        ("https://other.example.org/a.pdf", False, "dc:relation"),
        (FILE, False, "dc:description"),
        ("https://x.example.org/view", True, "dc:description"),
    ]


@each_row("url", ["https://discovery.ucl.ac.uk/id/eprint/1/1/a.pdf", "https://figshare.com/articles/1"])
def test_a_repository_whose_name_holds_a_word_for_other_files_is_asked(url: str) -> None:
    """`cover` and `share` are parts of their names: nothing of them was ever looked at."""
    assert [copy.url for copy in OWN_LINKS.find(known(work(relation=url)), offline()).copies] == [url]


@each_row("address", [
    "https://doi.org/10.1234/x", "https://hdl.handle.net/1/2", "https://creativecommons.org/licenses/by/4.0/",
    "https://x.example.org/supplement.pdf", "ftp://x.example.org/a.pdf", PAGE,
])  # fmt: skip
def test_what_is_asked_elsewhere_or_is_no_file_of_the_work_is_left_out(address: str) -> None:
    assert not OWN_LINKS.wants(known(work(page=PAGE, relation=address)))


NO = RemoteRefuses("x")
ITEM = f'<{FILE}>; rel="item"; type="application/pdf"'


def test_a_page_gives_the_doi_that_it_is_cited_by() -> None:
    page = answer("<p>x", Link=f'{ITEM}, <https://doi.org/10.1234/X>; rel="cite-as"')
    result = SIGNPOSTING.find(known(work(page=PAGE)), offline(**{PAGE: page}))
    assert result.identifiers is not None
    assert (result.identifiers.value("doi"), [copy.url for copy in result.copies]) == ("10.1234/x", [FILE])
    assert result.copies[0].evidence == "signposting:item"
    about = work(page=PAGE, doi="10.1234/y")
    assert SIGNPOSTING.find(known(about), offline(**{PAGE: page})).identifiers is None


def test_where_a_link_set_leads_is_asked_hop_by_hop() -> None:
    """What follows redirects by itself asks another host without its robots.txt."""
    links, there = f"{PAGE}/links", "https://another.example.org/links"
    page = answer("<p>x", Link=f'<{links}>; rel="linkset", <https://doi.org/10.1234/X>; rel="cite-as"')
    linkset = answer(f'<{FILE}>; rel="item"; anchor="{PAGE}"', Content_Type="application/linkset")
    web = offline(**{PAGE: page, links: to(there), there: linkset})
    follows: list[bool] = []
    web.before = lambda request: follows.append(request.follows)
    assert [copy.url for copy in SIGNPOSTING.find(known(work(page=PAGE)), web).copies] == [FILE]
    assert (web.asked, follows) == ([PAGE, links, there], [False] * 3)
    web.own = {PAGE: page, links: to(there), there: RobotsDenied("x")}
    result = SIGNPOSTING.find(known(work(page=PAGE)), web)
    assert result.identifiers is not None
    assert (result.outcome, result.host) == (Outcome.ROBOTS_DENIED, "another.example.org")
    assert result.identifiers.value("doi") == "10.1234/x"


@each_row("own, outcome", [
    ({PAGE: answer("<p>nothing")}, Outcome.NO_PDF_LINK),
    ({PAGE: answer(b"PK\x03\x04")}, Outcome.WRONG_MIMETYPE), ({PAGE: answer("", 410)}, Outcome.GONE),
    ({PAGE: answer("<p>x", Link=f'<{PAGE}/links>; rel="linkset"'), f"{PAGE}/links": NO}, Outcome.BAD_STATUS),
    ({PAGE: to(FILE), FILE: answer(b"%PDF-1.4")}, Outcome.SUCCESS),
])  # fmt: skip
def test_pages_without_signposts_have_their_outcome(own: dict, outcome: Outcome) -> None:
    assert SIGNPOSTING.find(known(work(page=PAGE)), offline(**own)).outcome is outcome


@pytest.mark.needs("../shared")
def test_the_recorded_answers_of_semantic_scholar() -> None:
    recorded_ = {(one.status, "search" in one.url): one for one in exchanges("other/semanticscholar/http", "*_paper_*")}
    assert semantic_scholar.read(recorded_[404, False]) is None
    with pytest.raises(RemoteRefuses, match=r"answers 400: Unrecognized or unsupported fields: \[unknown\]\."):
        semantic_scholar.read(recorded_[400, False])
    assert semantic_scholar.read(recorded_[200, False]).title == "Computing Machinery and Intelligence"
    assert semantic_scholar.read_list(recorded_[200, True])


@pytest.mark.needs("../shared")
def test_open_copies_are_told_with_their_status() -> None:
    (exchange,) = exchanges("other/semanticscholar/http", "*openAccessPdf*")
    descriptions = semantic_scholar.read_list(exchange)
    assert len(descriptions) == 100
    assert descriptions[0].copies[0][:3] == ("https://mededu.jmir.org/2023/1/e46939/PDF", False, "application/pdf")
    assert {copy.evidence for work in descriptions for copy in work.copies} >= {
        "semantic_scholar:gold",
        "semantic_scholar:green",
    }


def test_semantic_scholar_is_asked_with_its_key() -> None:
    copy = {"url": FILE, "status": "GREEN", "license": "CCBY"}
    document = {"title": "T", "isOpenAccess": True, "externalIds": {"DOI": "10.1234/X"}, "openAccessPdf": copy}
    asked = []
    url = f"https://api.semanticscholar.org/graph/v1/paper/DOI:10.1234/x?fields={semantic_scholar.FIELDS}"
    web = RecordedWeb({url: answer(json.dumps(document))}, has_recordings=False, before=asked.append)
    result = SEMANTIC_SCHOLAR.find(known(work(doi="10.1234/x")), web)
    assert result.outcome is Outcome.SUCCESS
    assert result.copies[0].evidence == "semantic_scholar:green"
    assert result.description is not None
    assert (result.description.doi, result.description.is_open) == ("10.1234/x", True)
    assert ("x-api-key", "k") in asked[0].headers


@pytest.mark.needs("../shared")
def test_a_policy_is_told_with_versions_embargoes_and_conditions() -> None:
    address = "https://policies.example.org/retrieve"
    asked = f'{address}?item-type=publication&format=Json&filter=[["issn","equals","0140-6736"]]'
    web = offline(**{asked: recorded("sherpa/v2/DSpace__thelancet.json")})
    result = SHERPA.find(known(work(source="ISSN 0140-6736"), policy_url=address), web)
    assert result.note.startswith("The Lancet is green. Into a repository: submitted not; accepted after 12 months (")
    assert result.note.endswith("published not.")


@each_row("url", ["http://[", "http://[::1", "http://ex\u2100mple.org/", f"{PAGE}/{'x' * 4096}"])
def test_an_address_that_is_none_ends_in_its_outcome(url: str) -> None:
    assert visit(url, offline()).outcome is Outcome.BAD_SCHEME


OF_DOIS = {
    "10.48550/arxiv.1109.1201": "https://arxiv.org/pdf/1109.1201",
    "10.21203/rs.3.rs-132152/v1": "https://www.researchsquare.com/article/rs-132152/v1.pdf",
    "10.7717/peerj.4375": "https://peerj.com/articles/4375.pdf",
    "10.1371/journal.pone.0000030": "https://journals.plos.org/plosone/article/file?id=10.1371/journal.pone.0000030&type=printable",
    "10.1371/journal.pdig.0000001": "https://journals.plos.org/digitalhealth/article/file?id=10.1371/journal.pdig.0000001&type=printable",
    "10.3389/fonc.2022.814667": "https://www.frontiersin.org/articles/10.3389/fonc.2022.814667/pdf",
    "10.1186/1471-2164-7-187": "https://link.springer.com/content/pdf/10.1186/1471-2164-7-187.pdf",
    "10.5194/acp-21-1-2021": "https://acp.copernicus.org/articles/21/1/2021/acp-21-1-2021.pdf",
    "10.5194/hessd-6-1247-2009": "https://hess.copernicus.org/preprints/6/1247/2009/hessd-6-1247-2009.pdf",
    "10.5194/acp-2021-781": "https://acp.copernicus.org/preprints/acp-2021-781/acp-2021-781.pdf",
}


@each_row("doi, url", OF_DOIS.items())
def test_the_address_of_a_file_follows_from_its_doi(doi: str, url: str) -> None:
    result = STEP.find(known(work(doi=doi)), offline())
    assert [(copy.url, copy.license) for copy in result.copies] == [(url, "")]


def test_a_recipe_says_what_it_went_by_and_which_version_it_is() -> None:
    (copy,) = STEP.find(known(work(doi="10.7717/peerj.4375")), offline()).copies
    assert (copy.version, copy.evidence, copy.is_open) == ("published", "doi:10.7717/peerj.4375", True)


LEFT_OUT = {
    "its server and version must be asked for": "10.1101/2024.05.27.24307989 10.64898/2025.12.01.691234",
    "a journal, a notice, a figure": "10.1101/gr.279093.124 10.1371/annotation/53374aad-bc04-4c64-b313-8ff9b881d0da "
    "10.1371/journal.pone.0000030.g001 10.7717/peerj.4375/supp-1",
    "an abstract, the registration of a trial": "10.3389/conf.fnins.2010.06.00001 10.1186/isrctn12345678",
    "it does not name its file, or volume and number": "10.31234/osf.io/hq8sd_v1 10.12688/f1000research.161261.2 "
    "10.7554/elife.01567 10.26434/chemrxiv-2022-w0jzh-v2 10.5281/zenodo.48440 10.3390/plants10040775 "
    "10.21203/rs.1.1/v2 10.5194/egusphere-egu21-1",
}


@each_row("doi", " ".join(LEFT_OUT.values()).split())
def test_what_has_no_address_of_its_own_is_left_out(doi: str) -> None:
    assert not STEP.wants(known(work(doi=doi)))


@each_row("page, url", [
    ("https://f1000research.com/articles/14-157/v2", "https://f1000research.com/articles/14-157/v2/pdf"),
    ("http://verixiv.org/articles/1-7/v1/", "https://verixiv.org/articles/1-7/v1/pdf"),
    (
        "https://www.medrxiv.org/content/10.1101/2024.05.27.24307989v2.full",
        "https://www.medrxiv.org/content/10.1101/2024.05.27.24307989v2.full.pdf",
    ),
])  # fmt: skip
def test_the_address_of_a_file_follows_from_that_of_its_page(page: str, url: str) -> None:
    assert [copy.url for copy in STEP.find(known(work(page=page)), offline()).copies] == [url]
