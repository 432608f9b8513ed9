"""Other versions of a work: those that services name, and the preprint at arXiv."""

import json
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest

from gateway.core.errors import AnswerError, NotXml, RemoteRefuses, TryLater
from gateway.core.model import Outcome, Statement, Work
from harvester.fulltext.known_copies import Description, Related
from harvester.fulltext.steps import Known, arxiv, known_of
from harvester.fulltext.steps.arxiv import STEP as ARXIV
from harvester.fulltext.steps.versions import STEP as VERSIONS
from harvester.http.messages import Fetched, Request
from tests.fulltext.web import DATA, SETTINGS, RecordedWeb, answer, work
from tests.rows import each_row

DOI, OTHER = "10.1234/own", "10.5555/other"
UNPAYWALL = f"https://api.unpaywall.org/v2/{OTHER}?email=x"
TITLE = "Carrying capacity of alpine meadows under winter grazing"


def known(*related: Related, settings: dict | None = None, doi: str = DOI) -> Known:
    about = known_of(work(TITLE, doi=DOI), SETTINGS if settings is None else settings)
    return replace(about, described=(Description(doi, TITLE, related=related),))


def offline(**own) -> RecordedWeb:
    return RecordedWeb(own, has_recordings=False)


def test_an_address_that_follows_from_the_identifier_is_taken_without_a_request() -> None:
    about = known(Related("has-preprint", "doi", "10.48550/arxiv.2101.00001"), Related("is-version-of", "arxiv", "1"))
    web = offline()
    result = VERSIONS.find(about, web)
    assert [(copy.url, copy.version, copy.evidence) for copy in result.copies] == [
        (
            "https://arxiv.org/pdf/2101.00001",
            "submitted",
            "has-preprint doi:10.48550/arxiv.2101.00001, doi:10.48550/arxiv.2101.00001",
        ),
        ("https://arxiv.org/pdf/1", "submitted", "is-version-of arxiv:1, arxiv:1"),
    ]
    assert (result.description, web.asked) == (None, [])


def test_else_one_service_is_asked_for_a_version_and_no_other_one_that_has_a_file() -> None:
    location = {"url_for_pdf": "https://x.example.org/1.pdf", "host_type": "repository"}
    response = answer(json.dumps({"doi": OTHER, "is_oa": True, "oa_locations": [location]}))
    web = offline(**{UNPAYWALL: response})
    about = known(Related("has-preprint", "doi", OTHER), Related("has-version", "doi", "10.5555/more"))
    result = VERSIONS.find(about, web)
    assert [(copy.url, copy.version) for copy in result.copies] == [("https://x.example.org/1.pdf", "submitted")]
    assert result.copies[0].evidence.startswith(f"has-preprint doi:{OTHER}, ")
    assert len(web.asked) == 1
    article = VERSIONS.find(known(Related("is-preprint-of", "doi", OTHER)), web)
    assert article.copies[0].version == ""


def preprints(*numbers: int) -> Known:
    return known(*(Related("has-preprint", "doi", f"10.5555/{number}") for number in numbers))


def unpaywall_answers(number: int, url: str = "", status: int = 200, page: str = "") -> dict:
    location = {"url_for_pdf": url, "url_for_landing_page": page}
    document = {"doi": f"10.5555/{number}", "is_oa": bool(url or page), "oa_locations": [location] * bool(url or page)}
    return {f"https://api.unpaywall.org/v2/10.5555/{number}": answer(json.dumps(document), status)}


@each_row(
    "first",
    [{}, unpaywall_answers(1), unpaywall_answers(1, page="https://x.example.org/1"), unpaywall_answers(1, status=503)],
)
def test_a_second_version_is_looked_up_where_the_first_is_unknown_or_has_no_file(first: dict) -> None:
    web = offline(
        **first,
        **unpaywall_answers(2, "https://x.example.org/2.pdf"),
        **unpaywall_answers(3, "https://x.example.org/3.pdf"),
    )
    result = VERSIONS.find(preprints(1, 2, 3), web)
    assert result.outcome is Outcome.SUCCESS
    assert [copy.url for copy in result.copies if not copy.is_page] == ["https://x.example.org/2.pdf"]
    assert len(web.asked) == 2


def test_no_third_version_is_asked_for() -> None:
    web = offline(**unpaywall_answers(2), **unpaywall_answers(3, "https://x.example.org/3.pdf"))
    assert VERSIONS.find(preprints(1, 2, 3), web).outcome is Outcome.NOT_OA
    assert [url.partition("?")[0][-1] for url in web.asked] == ["1", "2"]


def test_a_service_that_has_not_answered_for_a_version_may_know_it_tomorrow() -> None:
    with pytest.raises(TryLater, match="503"):
        VERSIONS.find(preprints(1, 2), offline(**unpaywall_answers(1, status=503)))


def test_nobody_is_asked_without_a_key_or_for_what_is_no_other_version() -> None:
    assert VERSIONS.find(known(Related("has-preprint", "doi", OTHER), settings={}), offline()).outcome is (
        Outcome.NOT_FOUND
    )
    assert not VERSIONS.wants(known())
    assert not VERSIONS.wants(known(Related("update-to:correction", "doi", OTHER)))
    assert not VERSIONS.wants(known(Related("is-same-as", "doi", DOI)))
    assert not VERSIONS.wants(known(Related("has-preprint", "doi", OTHER), doi="10.1234/of-another-work"))


def entry(identifier: str = "2101.00001v3", title: str = TITLE, doi: str = "", year: str = "2010") -> str:
    own = f"<arxiv:doi>{doi}</arxiv:doi>" if doi else ""
    return (
        f"<entry><id>http://arxiv.org/abs/{identifier}</id><title>{title}</title><published>{year}-01-02T00:00:00Z"
        f"</published><author><name>Anna Rossi</name></author><author><name> </name></author>{own}</entry>"
    )


def feed(*entries: str, status: int = 200) -> Fetched:
    names = 'xmlns="http://www.w3.org/2005/Atom" xmlns:arxiv="http://arxiv.org/schemas/atom"'
    return answer(f"<feed {names}>{''.join(entries)}</feed>", status)


def record(doi: str = "", **more: str) -> Known:
    stated = {"title": TITLE, "creator": "Rossi, Anna", "date": "2012", **more}
    own = (f"https://doi.org/{doi}",) if doi else ()
    about = Work(tuple(Statement(name, text) for name, text in stated.items()), own)
    return known_of(about, SETTINGS)


def asked(about: Known, fetched: Fetched):
    requests: list[Request] = []

    def fetch(request: Request) -> Fetched:
        requests.append(request)
        return fetched

    return ARXIV.find(about, fetch), parse_qs(urlsplit(requests[0].url).query)


def test_arxiv_is_asked_for_the_title_as_a_phrase_and_the_first_author() -> None:
    result, query = asked(record(), feed(entry()))
    assert query == {"search_query": [f'ti:"{TITLE}" AND au:Rossi'], "max_results": ["5"]}
    assert [(copy.url, copy.version, copy.is_open) for copy in result.copies] == [
        ("https://arxiv.org/pdf/2101.00001", "submitted", True)
    ]
    assert result.match is not None
    assert (result.match.doi, result.match.year) == ("10.48550/arxiv.2101.00001", "2010")
    assert result.note == (
        f"arXiv names 10.48550/arxiv.2101.00001: '{TITLE}' agrees by 1.00, the author Rossi and the year 2010 too."
    )


def test_an_entry_with_the_doi_of_the_work_is_taken_and_one_with_another_is_not() -> None:
    result, _ = asked(record(DOI), feed(entry("1", doi="10.9/x"), entry(title="Grazing of meadows", doi=DOI.upper())))
    assert (result.outcome, result.match) == (Outcome.SUCCESS, None)
    assert result.note == f"arXiv names the DOI {DOI} of 10.48550/arxiv.2101.00001."
    result, _ = asked(record(DOI), feed(entry(doi="10.9999/another")))
    assert result.outcome is Outcome.NOT_FOUND


@each_row("fetched", [
    feed(), feed(status=404), feed(entry(title="Another title of another work")), feed(entry(year="2005")),
    feed(entry("x")),
])  # fmt: skip
def test_what_is_not_the_work_is_not_taken(fetched: Fetched) -> None:
    assert asked(record(), fetched)[0].outcome is Outcome.NOT_FOUND


@each_row("about", [
    record(date="1980"), record(type="Doctoral thesis"), record(creator=""), record(identifier="arXiv:2101.00001"),
])  # fmt: skip
def test_arxiv_is_not_asked_where_it_cannot_have_the_work(about: Known) -> None:
    assert ARXIV.wants(record())
    assert not ARXIV.wants(about)


@each_row("fetched, error", [
    (feed(status=503), TryLater), (feed(status=429), TryLater), (feed(entry(), status=400), RemoteRefuses),
    (answer("<other/>"), AnswerError), (answer("<feed"), NotXml), (answer(""), NotXml),
])  # fmt: skip
def test_other_answers_of_arxiv_are_errors(fetched: Fetched, error: type[Exception]) -> None:
    with pytest.raises(error):
        arxiv.read_list(fetched)


@pytest.mark.needs("../shared")
def test_the_recorded_answers_of_arxiv() -> None:
    works = arxiv.read_list(answer((DATA / "services/arxiv/search-all-words.xml").read_bytes()))
    assert (works[0].doi, works[0].year, works[0].authors) == (
        "10.48550/arxiv.2002.00741", "2020", ("Wu", "Cai", "Wang"),
    )  # fmt: skip
    counts = {}
    for file in sorted((DATA / "services/arxiv").glob("*.json")):
        recording = json.loads(file.read_text(encoding="utf-8"))
        if recording["status_code"] == 200:
            descriptions = arxiv.read_list(answer(recording["body"]))
            counts[file.name.partition("_s0")[0]] = (
                len(descriptions),
                sum(bool(description.also) for description in descriptions),
            )
    assert counts == {
        "id_0000.0000": (0, 0), "id_0808.05394_1707.08567": (1, 0), "id_1605.08386": (1, 0), "id_1707.08567": (1, 0),
        "id_astro-ph_0601001": (1, 0), "q_testing": (10, 6),
    }  # fmt: skip


def test_arxiv_states_withdrawals_in_comments_and_abstracts() -> None:
    withdrawn = "<arxiv:comment>This paper has been withdrawn by the author due to an error</arxiv:comment>"
    entries = [
        entry().replace("</entry>", f"{more}</entry>") for more in (
            withdrawn, "<summary>This article has been withdrawn.</summary>", "<arxiv:comment>12 pages</arxiv:comment>",
        )
    ]  # fmt: skip
    stated = [described.retracted for described in arxiv.read_list(feed(*entries))]
    assert stated == [
        'The work is withdrawn: arXiv states "this paper has been withdrawn".',
        'The work is withdrawn: arXiv states "this article has been withdrawn".',
        "",
    ]
