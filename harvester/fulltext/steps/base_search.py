"""BASE: open copies in repositories that few others list. It needs a key, and allows no commercial use."""

from urllib.parse import urlencode

from gateway.fulltext.licenses import license_of, license_uri
from harvester.fulltext.known_copies import Copy, Description, without_repetitions
from harvester.fulltext.steps import Known, Step, StepResult
from harvester.fulltext.steps._ask_service import described, has_doi, phrase
from harvester.http.json_answers import Node, answered, listed, text, texts, values
from harvester.http.messages import Fetch, Fetched
from harvester.http.urls import split

_KEY = "base_key"
_ADDRESS = "https://api.base-search.net/cgi-bin/BaseHttpSearchInterface.fcgi"


def _find(known: Known, fetch: Fetch) -> StepResult:
    query = {"func": "PerformSearch", "query": f"dcdoi:{phrase(known.doi)}", "hits": 5, "format": "json"}
    url = f"{_ADDRESS}?{urlencode({**query, 'apikey': known.settings[_KEY]})}"
    return described(url, fetch, lambda fetched: read(fetched, known.doi))


STEP = Step("base", 62, "Asks BASE for open copies of the DOI in repositories.", has_doi, _find, needs=_KEY)

# --- Answers of BASE (`PerformSearch`). Pure --------------------------------------------------------------------------

_OPEN = "1"


def read(fetched: Fetched, doi: str) -> Description | None:
    """Return the work of a DOI with all its open copies; None when BASE knows none. Errors: `answered`, `listed`."""
    document = answered(fetched, "BASE", "response", "docs")
    works = listed(document, "BASE", "response", "docs", named=_dois)
    own = [work for work in works if doi in _dois(work)]
    copies = without_repetitions([copy for work in own for copy in _copies(work)])
    return _described(own[0], doi)._replace(copies=copies, is_open=True if copies else None) if own else None


def _dois(document: Node) -> list[str]:
    return [named.lower() for named in texts(document, "dcdoi")]


def _described(document: Node, doi: str) -> Description:
    return Description(
        doi=doi,
        title=text(document, "dctitle"),
        authors=tuple(name.partition(",")[0].strip() for name in texts(document, "dccreator")),
        publisher=text(document, "dcpublisher"),
        year="".join(str(value) for value in values(document, "dcyear")[:1]),
        abstract=text(document, "dcdescription"),
        kind=text(document, "dctype"),
    )


def _copies(document: Node) -> list[Copy]:
    """Return the files and the page of an open copy, the files first."""
    if [str(value) for value in values(document, "dcoa")] != [_OPEN]:
        return []
    stated = text(document, "dcrightsnorm") or text(document, "dcrights")
    copy = Copy(
        "",
        license=license_of(stated),
        license_url=license_uri(stated) if license_of(stated) else "",
        host_type="repository",
        evidence=f"base:{text(document, 'dccollection')}",
        is_open=True,
    )
    named = [url for url in texts(document, "dcidentifier") if split(url).path.lower().endswith(".pdf")]
    files = [copy._replace(url=url, mime_type="application/pdf") for url in named]
    return files + [copy._replace(url=url, is_page=True) for url in texts(document, "dclink")]
