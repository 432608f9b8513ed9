"""Answers of each service and page that the project wrote itself (`answers/`): they need no reference data.

`read.json` has what is read from each of them, without empty fields.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gateway.errors import GatewayError
from harvester.fulltext.known_copies import Related
from harvester.fulltext.pages import landing_page, signposting
from harvester.fulltext.services import crossref, datacite, openalex, semantic_scholar, unpaywall
from harvester.http import links
from harvester.http.messages import Fetched
from tests.rows import each_row

ANSWERS = Path(__file__).parent / "answers"
PAGE = "https://repository.example.org/12"
WORK_PAGE = "https://repository.example.org/7"


def sample(name: str, content_type: str = "application/json") -> Fetched:
    body = (ANSWERS / name).read_bytes()
    return Fetched("https://api.example.org/", 200, (("Content-Type", content_type),), body, 0)


def plain(value: Any) -> Any:
    """Return a value as JSON would have it, without what is empty."""
    if hasattr(value, "_asdict"):
        return {name: plain(field) for name, field in value._asdict().items() if field not in ("", (), None)}
    if isinstance(value, frozenset):
        return sorted(value)
    return [plain(part) for part in value] if isinstance(value, tuple) else value


def linked(name: str, content_type: str) -> tuple[Any, ...]:
    signposts = signposting.of_linkset(sample(name, content_type), PAGE)
    return signposts.copies, signposts.cite_as, signposts.described_by


READERS: dict[str, Callable[[str], Any]] = {
    "crossref-work.json": lambda name: crossref.read(sample(name)),
    "crossref-list.json": lambda name: crossref.read_list(sample(name)),
    "datacite-work.json": lambda name: datacite.read(sample(name)),
    "datacite-list.json": lambda name: datacite.read_list(sample(name)),
    "semantic-scholar-work.json": lambda name: semantic_scholar.read(sample(name)),
    "semantic-scholar-list.json": lambda name: semantic_scholar.read_list(sample(name)),
    "unpaywall-work.json": lambda name: unpaywall.read(sample(name)),
    "linkset.json": lambda name: linked(name, "application/linkset+json"),
    "linkset.txt": lambda name: linked(name, "application/linkset; charset=utf-8"),
    "page.html": lambda name: landing_page.read((ANSWERS / name).read_bytes(), WORK_PAGE),
}


@each_row("name", READERS)
def test_what_is_read_from_an_answer_is_what_it_says(name: str) -> None:
    assert plain(READERS[name](name)) == json.loads((ANSWERS / "read.json").read_bytes())[name]


def test_what_a_service_does_not_know_is_no_work() -> None:
    """Unpaywall may say it with status 200."""
    unknown = Fetched("https://api.example.org/", 404, (), b'{"error": "Paper not found"}', 0)
    assert crossref.read_list(unknown) == semantic_scholar.read_list(unknown) == ()
    assert semantic_scholar.read(unknown) is None
    assert unpaywall.read(sample("unpaywall-unknown.json")) is None


@each_row("line", [b"a line that broke off {", b'["a list"]', b""])
def test_what_is_no_object_is_no_work_of_unpaywall(line: bytes) -> None:
    with pytest.raises(GatewayError):
        unpaywall.read(Fetched("https://api.example.org/", 200, (), line, 0))


def test_a_work_of_unpaywall_is_closed_or_has_copies() -> None:
    lines = (ANSWERS / "unpaywall-snapshot.jsonl").read_bytes().splitlines()
    answers = [Fetched("https://api.example.org/", 200, (), line, 0) for line in lines if line.startswith(b'{"doi"')]
    closed, free = filter(None, map(unpaywall.read, answers))
    assert (closed.doi, closed.is_open, closed.issns, closed.copies) == ("10.5555/closed", False, (), ())
    assert (free.doi, free.is_open, [copy.license for copy in free.copies]) == ("10.5555/open", True, ["cc0"])


def test_the_typed_links_of_a_page_name_the_work_and_its_file_with_its_licence() -> None:
    page = landing_page.read((ANSWERS / "page.html").read_bytes(), WORK_PAGE)
    signposts = signposting.read(WORK_PAGE, page.links)
    assert [(copy.url, copy.license) for copy in signposts.copies] == [(f"{WORK_PAGE}/oats.pdf", "cc-by")]
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
