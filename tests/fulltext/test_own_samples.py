"""Answers of each service and page that the project wrote itself (`answers/`): they need no reference data.

`read.json` has what is read from each of them, without empty fields.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from harvester.fulltext.pages import landing_page
from harvester.fulltext.steps import crossref, datacite, semantic_scholar, signposting, unpaywall
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
