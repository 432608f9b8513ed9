"""A work without a DOI through whole searches: matched, published, and taken back by a person for good."""

import json
from dataclasses import dataclass, replace

import pytest
from click.testing import CliRunner

from gateway.core.xmltext import DII
from gateway.fulltext.stored_search import matches_of
from harvester.cli import main
from harvester.http.messages import Fetched, Request
from tests.fulltext.web import RecordedWeb, a_pdf, answer
from tests.sample.web import PAGE_BREAK

ITEM = "LR-15-00071"
IDENTIFIER = f"oai:g.example.org:laro/oai:laro.example.org:{ITEM}"
TITLE = "Gamma-ray bursts behind the Sun: a search in fourteen years of coincidences"
DOI, COPY = "10.1234/matched", "https://repository.example.net/71.pdf"
LIST = "https://api.crossref.org/works"


@dataclass
class WebWithLists(RecordedWeb):
    """A web in which every search of Crossref brings one answer."""

    def __call__(self, request: Request) -> Fetched:
        is_list = request.url.startswith(f"{LIST}?")
        return super().__call__(replace(request, url=LIST) if is_list else request)


@pytest.fixture
def matched(searching):
    """Return a search after the file of a work without a DOI was found by its title, accepted and published."""
    search = searching(web_with(TITLE), discover_named_files=False)
    assert search.run(identifier=IDENTIFIER) == {ITEM: "success"}
    search.release()
    return search


def web_with(title: str) -> WebWithLists:
    """Return a web that has a work with this title, and its file."""
    item = {
        "DOI": DOI, "title": [title], "author": [{"family": "Fenwick"}, {"family": "Marchetti"}],
        "issued": {"date-parts": [[2015]]}, "type": "proceedings-article",
    }  # fmt: skip
    place = {"url_for_pdf": COPY, "license": "cc-by", "version": "publishedVersion", "host_type": "repository"}
    words = ["No excess is found in the dead time of the instruments."] * 40
    file = a_pdf(title, "Emily Fenwick and Carla Marchetti", "Abstract", *words, PAGE_BREAK, *words, "References")
    own = {
        LIST: answer(json.dumps({"message": {"items": [item]}})),
        f"https://api.unpaywall.org/v2/{DOI}": answer(
            json.dumps({"doi": DOI, "title": title, "is_oa": True, "year": 2015, "oa_locations": [place]})
        ),
        COPY: answer(file, Content_Type="application/pdf"),
    }
    return WebWithLists(own, has_recordings=False)


@pytest.fixture
def harvester(matched):
    folder = str(matched.settings.instance)
    return lambda *arguments: CliRunner().invoke(main, ["--instance", folder, *arguments])


def named(search) -> list[str]:
    return [element.text or "" for element in search.didl(ITEM).iter(f"{{{DII}}}Identifier")]


def verdicts(search) -> list[str]:
    return [decision.verdict for decision in search.discovery.decisions(IDENTIFIER)]


def test_the_file_of_a_matched_work_whose_title_has_another_letter_waits_for_a_person(searching) -> None:
    """The title of the matched work identified the file, although the record has another one: of Plato, of Pluto."""
    search = searching(web_with(TITLE.replace("bursts", "bunsts")), discover_named_files=False)
    search.run(identifier=IDENTIFIER)
    (match,) = matches_of(search.discovery.search(IDENTIFIER))
    assert match.doi == DOI
    assert verdicts(search) == ["review"]


def test_the_file_is_published_and_the_claim_is_told_and_no_record_has_the_doi(matched, harvester) -> None:
    assert verdicts(matched) == ["accept"]
    assert COPY in named(matched)
    assert not any(DOI in name for name in named(matched))
    words = harvester("explain", IDENTIFIER).stdout
    assert f"crossref_match: crossref names the DOI {DOI}" in words
    row = json.loads(harvester("matches", "list", "--json").stdout)
    assert (row["identifier"], row["doi"], row["author"], row["year"], row["agrees"]) == (
        IDENTIFIER, DOI, "Fenwick", "2015", True,
    )  # fmt: skip


def test_a_match_that_is_rejected_withdraws_the_file_and_is_never_made_again(matched, harvester) -> None:
    done = harvester("matches", "reject", IDENTIFIER, "--reason", "It is a namesake.")
    assert done.exit_code == 0
    assert verdicts(matched) == ["accept", "review"]
    assert COPY not in named(matched)
    matched.now += 10
    matched.web.asked.clear()
    assert matched.run() != {}
    matched.release()
    assert [url for url in matched.web.asked if DOI in url] == []
    assert verdicts(matched) == ["accept", "review"]
    assert COPY not in named(matched)
    assert harvester("matches", "list", "--json").stdout == ""
    assert COPY in harvester("review", "list").stdout
    assert harvester("review", "accept", IDENTIFIER).exit_code == 0  # a person may do so nevertheless
    matched.now += 10
    matched.run(identifier=IDENTIFIER)
    matched.release()
    assert verdicts(matched)[-1] == "accept"
    assert COPY in named(matched)


@pytest.mark.parametrize("is_accepted_by_a_person", [False, True])
def test_a_match_that_its_service_names_no_more_sends_the_file_to_review_unless_a_person_accepted_it(
    matched, is_accepted_by_a_person: bool
) -> None:
    if is_accepted_by_a_person:
        (accepted,) = matched.discovery.decisions(IDENTIFIER)
        matched.discovery.decide(accepted._replace(decided_by="anna"))
    matched.web.own[LIST] = answer('{"message": {"items": []}}')
    matched.now += 100 * 86_400
    matched.discovery.renew(matched.now, (), matched.now)
    matched.run(identifier=IDENTIFIER)
    matched.release()
    assert verdicts(matched)[-1] == ("accept" if is_accepted_by_a_person else "review")
    assert (COPY in named(matched)) is is_accepted_by_a_person
