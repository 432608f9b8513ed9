"""Answers of each service and page that the project wrote itself (`answers/`): they need no reference data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gateway.errors import GatewayError
from harvester.fulltext.known_copies import Copy, Related
from harvester.fulltext.pages import landing_page, signposting
from harvester.fulltext.services import crossref, datacite, openalex, semantic_scholar, unpaywall
from harvester.http import links
from harvester.http.messages import Fetched

ANSWERS = Path(__file__).parent / "answers"
PAGE = "https://repository.example.org/12"
CC_BY = ("cc-by", "https://creativecommons.org/licenses/by/4.0/")


def sample(name: str, url: str = "https://api.example.org/", content_type: str = "application/json") -> Fetched:
    return Fetched(url, 200, (("Content-Type", content_type),), (ANSWERS / name).read_bytes(), 0)


def test_a_work_of_crossref_has_its_files_and_the_licence_of_each_version() -> None:
    description = crossref.read(sample("crossref-work.json"))
    assert description is not None
    assert description.doi == "10.5555/oats.2021.7"
    assert description.title == "Oats under Avena rust: a trial"
    assert description.authors == ("Example", "Sample")
    assert (description.container, description.publisher, description.year) == (
        "Journal of Invented Agronomy",
        "Example Press",
        "2021",
    )
    assert description.abstract == "We sowed oats. They grew."
    assert description.issns == ("2049-3630", "1234-5679")
    assert description.also == ("oats-7",)
    assert [
        (copy.url.rpartition("oats/")[2], copy.is_page, copy.mime_type, copy.version) for copy in description.copies
    ] == [
        ("7.html", True, "text/html", "published"),
        ("7.pdf", False, "application/pdf", "published"),
        ("7/manuscript", False, "", "accepted"),
    ]
    assert {copy[4:9] for copy in description.copies if copy.is_page} == {
        (*CC_BY, "publisher", "crossref:link[syndication]", "2021-09-09")
    }


def test_a_list_of_crossref_has_works_of_groups_and_works_without_title_or_year() -> None:
    first, second = crossref.read_list(sample("crossref-list.json"))
    assert (first.doi, first.title, first.authors) == ("10.5555/first", "The first work", ("The Oat Consortium",))
    assert (second.doi, second.title, second.year) == ("10.5555/second", "", "")


def test_a_list_that_crossref_does_not_know_is_empty() -> None:
    assert crossref.read_list(Fetched("https://api.example.org/", 404, (), b"Resource not found.", 0)) == ()


def test_a_work_of_datacite_has_its_files_before_its_page_and_the_licence_that_says_most() -> None:
    description = datacite.read(sample("datacite-work.json"))
    assert description is not None
    assert (description.doi, description.title) == ("10.5555/field.data", "Weights of oats, by field")
    assert (description.authors, description.year) == (("Example", "Sample"), "2020")
    assert (description.container, description.publisher) == ("Fields of the North", "Invented Data Archive")
    assert (description.abstract, description.issns, description.also) == (
        "All weights of one summer.",
        ("2049-3630",),
        ("field-12",),
    )
    assert description.is_open is True
    known = Copy("", license=CC_BY[0], license_url=CC_BY[1], host_type="repository", is_open=True)
    assert description.copies == (
        known._replace(url="https://data.example.org/field-12/weights.csv", evidence="datacite:contentUrl"),
        known._replace(url="https://data.example.org/field-12", is_page=True, evidence="datacite:url"),
    )


def test_a_list_of_datacite_has_organisations_and_publishers_in_their_newer_form() -> None:
    first, second = datacite.read_list(sample("datacite-list.json"))
    assert (first.doi, first.is_open, [copy.url for copy in first.copies]) == (
        "10.5555/a",
        None,
        ["https://data.example.org/a"],
    )
    assert (second.authors, second.publisher, second.copies) == (("Oat Survey",), "Invented Data Archive", ())


def test_a_work_of_semantic_scholar_has_its_open_copy() -> None:
    description = semantic_scholar.read(sample("semantic-scholar-work.json"))
    assert description is not None
    assert (description.doi, description.year, description.is_open, description.also) == (
        "10.5555/oats.2021.7",
        "2021",
        True,
        ("7000007",),
    )
    assert [(copy.url, copy.license, copy.evidence) for copy in description.copies] == [
        ("https://repository.example.org/7.pdf", "cc-by", "semantic_scholar:green")
    ]


def test_a_list_of_semantic_scholar_has_works_without_doi_and_without_copy() -> None:
    barley, rye = semantic_scholar.read_list(sample("semantic-scholar-list.json"))
    assert (barley.doi, barley.year, barley.is_open, barley.copies) == ("", "", False, ())
    assert (rye.doi, rye.year, rye.is_open, rye.copies) == ("10.5555/rye", "1999", True, ())
    unknown = Fetched("https://api.example.org/", 404, (), b'{"error": "Paper not found"}', 0)
    assert semantic_scholar.read(unknown) is None
    assert semantic_scholar.read_list(unknown) == ()


def test_a_work_of_unpaywall_has_the_file_and_the_page_of_every_location() -> None:
    description = unpaywall.read(sample("unpaywall-work.json"))
    assert description is not None
    assert (description.doi, description.authors, description.year) == (
        "10.5555/oats.2021.7",
        ("Example", "Sample"),
        "2021",
    )
    assert (description.issns, description.is_open) == (("2049-3630", "1234-5679"), True)
    open_file = Copy(
        "https://press.example.org/oats/7.pdf",
        mime_type="application/pdf",
        version="published",
        license="cc-by",
        host_type="publisher",
        evidence="unpaywall:open (via page says license)",
        is_open=True,
    )
    assert description.copies == (
        open_file,
        open_file._replace(url="https://doi.org/10.5555/oats.2021.7", is_page=True, mime_type=""),
        Copy(
            "https://repository.example.org/7",
            is_page=True,
            version="accepted",
            host_type="repository",
            evidence="unpaywall:deprecated",
            is_open=True,
        ),
    )


def test_a_doi_that_unpaywall_does_not_know_may_come_with_status_200() -> None:
    assert unpaywall.read(sample("unpaywall-unknown.json")) is None


@pytest.mark.parametrize("line", [b"a line that broke off {", b'["a list"]', b""])
def test_what_is_no_object_is_no_work_of_unpaywall(line: bytes) -> None:
    with pytest.raises(GatewayError):
        unpaywall.read(Fetched("https://api.example.org/", 200, (), line, 0))


def test_a_work_of_unpaywall_is_closed_or_has_copies() -> None:
    lines = (ANSWERS / "unpaywall-snapshot.jsonl").read_bytes().splitlines()
    answers = [Fetched("https://api.example.org/", 200, (), line, 0) for line in lines if line.startswith(b'{"doi"')]
    closed, free = filter(None, map(unpaywall.read, answers))
    assert (closed.doi, closed.is_open, closed.issns, closed.copies) == ("10.5555/closed", False, (), ())
    assert (free.doi, free.is_open, [copy.license for copy in free.copies]) == ("10.5555/open", True, ["cc0"])


def test_both_forms_of_a_link_set_tell_the_items_of_one_page_alone() -> None:
    as_json = signposting.of_linkset(sample("linkset.json", content_type="application/linkset+json"), PAGE)
    assert [copy.url for copy in as_json.copies] == [f"{PAGE}/report.pdf", f"{PAGE}/weights.csv"]
    assert {copy.license for copy in as_json.copies} == {"cc-by"}
    assert [link.profile for link in as_json.described_by] == ["http://www.loc.gov/METS/"]
    as_text = signposting.of_linkset(sample("linkset.txt", content_type="application/linkset; charset=utf-8"), PAGE)
    assert [(copy.url, copy.mime_type) for copy in as_text.copies] == [(f"{PAGE}/weights.csv", "text/csv")]
    assert as_json.cite_as == as_text.cite_as == "https://doi.org/10.5555/field.data"


def test_the_head_of_a_page_names_the_work_its_file_and_its_licence() -> None:
    url = "https://repository.example.org/7"
    page = landing_page.read((ANSWERS / "page.html").read_bytes(), url)
    assert (page.title, page.doi, page.license) == ("Oats under Avena rust: a trial", "10.5555/oats.2021.7", "cc-by")
    assert [copy.url for copy in page.copies] == [f"{url}/oats.pdf"]
    signposts = signposting.read(url, page.links)
    assert [(copy.url, copy.license) for copy in signposts.copies] == [(f"{url}/oats.pdf", "cc-by")]
    assert signposts.cite_as == "https://doi.org/10.5555/oats.2021.7"


def test_an_anchor_that_is_no_address_has_no_link() -> None:
    assert links.from_header(['<a>; rel="item"; anchor="http://["'], PAGE) == ()


def test_a_subtitle_of_datacite_stands_behind_the_main_title() -> None:
    titles = [
        {"title": "Meadows"},
        {"title": "in winter", "titleType": "Subtitle"},
        {"title": "Wiesen", "titleType": "TranslatedTitle"},
        {"title": "Meadows", "titleType": "AlternativeTitle"},
    ]
    description = datacite.read(_json({"data": {"attributes": {"doi": "10.1234/a", "titles": titles}}}))
    assert description is not None
    assert (description.title, description.other_titles) == ("Meadows", ("Meadows: in winter", "Wiesen"))
    subtitle = [{"title": "x", "titleType": "Subtitle"}]
    only = datacite.read(_json({"data": {"attributes": {"doi": "10.1234/a", "titles": subtitle}}}))
    assert only is not None
    assert (only.title, only.other_titles) == ("x", ())


def test_crossref_names_other_versions_subtitles_and_the_works_of_which_it_is_a_notice() -> None:
    own = {
        "DOI": "10.1234/A",
        "type": "journal-article",
        "title": ["Meadows", "Wiesen"],
        "subtitle": ["in <i>winter</i>"],
        "original-title": ["Wiesen"],
        "relation": {
            "has-preprint": [{"id-type": "doi", "id": "10.1234/PRE"}, {"id-type": "uri", "id": "https://x.org"}, {}],
            "is-version-of": [{"id-type": "arxiv", "id": "2101.00001"}],
            "has-review": [{"id-type": "doi", "id": "10.1234/review"}],
        },
        "update-to": [{"DOI": "10.1234/Else", "type": "correction"}],
    }
    description = crossref.read(_json({"message": own}))
    assert description is not None
    assert (description.kind, description.other_titles) == ("journal-article", ("Meadows: in winter", "Wiesen"))
    assert description.related == (
        Related("has-preprint", "doi", "10.1234/pre"),
        Related("is-version-of", "arxiv", "2101.00001"),
        Related("update-to:correction", "doi", "10.1234/else"),
    )
    spelled = {
        "has-preprint": [
            {"id-type": "arxiv", "id": "arXiv:2101.00010v2"},
            {"id-type": "arxiv", "id": "https://arxiv.org/abs/2101.00011"},
            {"id-type": "doi", "id": "https://doi.org/10.1234/PRE"},
            {"id-type": "doi", "id": "no DOI"},
        ]
    }
    description = crossref.read(_json({"message": {"DOI": "10.1234/a", "relation": spelled}}))
    assert description is not None
    assert [related.value for related in description.related] == ["2101.00010", "2101.00011", "10.1234/pre"]
    untitled = crossref.read(_json({"message": {"DOI": "10.1234/a", "subtitle": ["x"]}}))
    assert untitled is not None
    assert (untitled.other_titles, untitled.related) == ((), ())


def test_datacite_names_other_versions_and_titles() -> None:
    related = [
        ("IsVersionOf", "DOI", "https://doi.org/10.1234/ARTICLE"),
        ("IsVariantFormOf", "arXiv", "arXiv:2101.00001"),
        ("IsIdenticalTo", "DOI", "none"),
        ("IsVersionOf", "URL", "https://x.example.org/"),
        ("Cites", "DOI", "10.1234/cited"),
    ]
    own = {
        "doi": "10.1234/a",
        "titles": [{"title": "Meadows"}, {"title": "Wiesen", "titleType": "TranslatedTitle"}],
        "types": {"resourceTypeGeneral": "Preprint"},
        "relatedIdentifiers": [
            dict(zip(("relationType", "relatedIdentifierType", "relatedIdentifier"), relation, strict=True))
            for relation in related
        ],
    }
    description = datacite.read(_json({"data": {"attributes": own}}))
    assert description is not None
    assert (description.other_titles, description.kind) == (("Wiesen",), "Preprint")
    assert description.related == (
        Related("is-version-of", "doi", "10.1234/article"),
        Related("is-version-of", "arxiv", "2101.00001"),
    )


def test_a_list_of_openalex_has_works() -> None:
    descriptions = openalex.read_list(
        _json({"results": [{"doi": "https://doi.org/10.1234/A", "type": "article"}, None]})
    )
    assert [(description.doi, description.kind) for description in descriptions] == [("10.1234/a", "article")]


def _json(document: object) -> Fetched:
    return Fetched("", 200, (), json.dumps(document).encode(), 0)
