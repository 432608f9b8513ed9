"""CORE: copies in repositories all over the world. Without a key its limit is very low."""

import re
from urllib.parse import urlencode

from harvester.fulltext.identifiers import BARE
from harvester.fulltext.known_copies import Copy, Description, without_repetitions
from harvester.fulltext.steps import Known, Step, StepResult
from harvester.fulltext.steps._ask_service import described, has_doi, phrase
from harvester.http.json_answers import Node, answered, listed, parts, text, texts, values
from harvester.http.messages import Fetch, Fetched

_KEY = "core_key"


def _find(known: Known, fetch: Fetch) -> StepResult:
    # Without the last slash it redirects.
    url = f"https://api.core.ac.uk/v3/search/works/?{urlencode({'q': f'doi:{phrase(known.doi)}', 'limit': 5})}"
    key = ("Authorization", f"Bearer {known.settings[_KEY]}")
    return described(url, fetch, lambda fetched: read(fetched, known.doi), (key,))


STEP = Step("core", 58, "Asks CORE for copies of the DOI in repositories.", has_doi, _find, needs=_KEY)

# --- Answers of CORE --------------------------------------------------------------------------------------------------

_FILE = re.compile(r"(?i)https?://(?:core\.ac\.uk/download/|[^?#]{1,1000}(?:\.pdf$|/bitstreams?/|/pdf/))")
_ABSTRACT = re.compile(r"https?://arxiv\.org/abs/([\w./-]{1,40})")


def read(fetched: Fetched, doi: str) -> Description | None:
    """Return the work of a DOI; None when CORE does not know it. Errors are those of `answered`, `listed`."""
    works = listed(answered(fetched, "CORE", "results"), "CORE", "results", named=_dois)
    return next((_described(work, doi) for work in works if doi in _dois(work)), None)


def _dois(work: Node) -> set[str]:
    """Return the DOIs of a work: its own, perhaps as an address, and those of the copies that it joins."""
    others = [text(part, "identifier") for part in parts(work, "identifiers") if text(part, "type") == "DOI"]
    return {BARE["doi"](named) for named in (text(work, "doi"), *others)} - {""}


def _described(work: Node, doi: str) -> Description:
    links = parts(work, "links")
    urls = texts(work, "downloadUrl") + [text(link, "url") for link in links if text(link, "type") == "download"]
    urls += texts(work, "sourceFulltextUrls")
    return Description(
        doi=doi,
        title=text(work, "title"),
        authors=tuple(name.partition(",")[0].strip() for name in texts(work, "authors", "name")),
        publisher=text(work, "publisher").strip("'"),
        year="".join(str(value) for value in values(work, "yearPublished")),
        abstract=text(work, "abstract"),
        copies=without_repetitions([_copy(url) for url in urls]),
        also=tuple(texts(work, "oaiIds")),
    )


def _copy(url: str) -> Copy:
    abstract = _ABSTRACT.fullmatch(url)
    if abstract:
        return _file(f"https://arxiv.org/pdf/{abstract[1]}")._replace(version="submitted")
    return _file(url) if _FILE.match(url) else _file(url)._replace(is_page=True, mime_type="")


def _file(url: str) -> Copy:
    return Copy(url, mime_type="application/pdf", host_type="repository", evidence="core:download", is_open=True)
