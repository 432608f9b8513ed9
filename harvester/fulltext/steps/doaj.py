"""DOAJ: articles of open journals, and their pages.

It is not asked for a work that a service calls closed: Unpaywall knows the journals of DOAJ.
"""

from urllib.parse import quote

from harvester.fulltext.known_copies import Copy, Description, without_repetitions
from harvester.fulltext.steps import Known, Step, StepResult
from harvester.fulltext.steps._ask_service import described, phrase
from harvester.http.json_answers import Node, answered, listed, parts, text, texts
from harvester.http.messages import Fetch, Fetched


def _find(known: Known, fetch: Fetch) -> StepResult:
    query = quote(f"doi:{phrase(known.doi)}", safe="")
    url = f"https://doaj.org/api/v4/search/articles/{query}?pageSize=5"
    return described(url, fetch, lambda fetched: read(fetched, known.doi))


STEP = Step(
    "doaj",
    64,
    "Asks DOAJ for the article of the DOI in an open journal.",
    lambda known: bool(known.doi) and all(description.is_open is not False for description in known.described),
    _find,
)

# --- Answers of DOAJ (`/api/v4/search/articles/{query}`): articles of open journals, mostly their pages. Pure --------

_PDF = "application/pdf"


def read(fetched: Fetched, doi: str) -> Description | None:
    """Return the article of a DOI; None when DOAJ does not know it. Errors: `answered`, `listed`."""
    works = listed(answered(fetched, "DOAJ", "results"), "DOAJ", "results", named=_dois)
    own = (article for work in works if doi in _dois(work) for article in parts(work, "bibjson"))
    return next((_described(article, doi) for article in own), None)


def _dois(work: Node) -> list[str]:
    named = parts(work, "bibjson", "identifier")
    dois = (text(identifier, "id").lower() for identifier in named if text(identifier, "type").lower() == "doi")
    return [doi for doi in dois if doi]


def _described(article: Node, doi: str) -> Description:
    links = [part for part in parts(article, "link") if text(part, "type").lower() == "fulltext"]
    return Description(
        doi=doi,
        title=text(article, "title"),
        authors=tuple(name.split()[-1] for name in texts(article, "author", "name")),
        container=text(article, "journal", "title"),
        publisher=text(article, "journal", "publisher"),
        year=text(article, "year"),
        abstract=text(article, "abstract"),
        issns=tuple(dict.fromkeys(texts(article, "journal", "issns"))),
        copies=without_repetitions([_copy(link) for link in links]),
        is_open=True,
    )


def _copy(link: Node) -> Copy:
    stated = text(link, "content_type").lower()
    is_file = stated in ("pdf", _PDF)
    return Copy(
        text(link, "url"),
        is_page=not is_file,
        mime_type=_PDF if is_file else "",
        version="published",
        host_type="publisher",
        evidence=f"doaj:{stated or 'link'}",
        is_open=True,
    )
