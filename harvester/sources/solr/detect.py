"""Recognition of a Solr index at an address, and of the roles of its fields by their names."""

import re
from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

from gateway.core.errors import AnswerError, NotSolr
from gateway.formats.solr import LARO
from harvester.http.messages import Fetch, Fetched, Request
from harvester.sources import Recognised
from harvester.sources.solr.answers import SolrAnswer, parse
from harvester.sources.solr.requests import Index, select_url

# Names of fields in real indexes: Blacklight, DSpace, Hydra, Islandora, VuFind. The first match wins.
_NAMES: Mapping[str, tuple[str, ...]] = {
    "identifier": ("recID", "id", "search.uniqueid", "handle", "PID", "identifier"),
    "timestamp": ("timestamp", "last_indexed", "lastModified", "SolrIndexer.lastIndexed", "system_modified_dtsi"),
    "title": ("displayTitle", "title", "title_display", "title_full", "title_tesim", "title_t", "dc.title"),
    "creator": ("displayName", "author", "creator", "author_display", "author_tesim", "creator_tesim", "dc.creator"),
    "doi": ("doi", "doi_str_mv", "dc.identifier.doi"),
    "url": ("url", "fulltext_url", "url_fulltext_display"),
    "date": ("date", "publishDate", "pub_date", "dc.date.issued"),
}
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z")
_NEEDED = ("identifier", "timestamp")


def recognise(fetched: Fetched, fetch: Fetch) -> Recognised | None:
    """Return the index from the answer, or from one document of its `select` if the URL looks like Solr; else None.

    Raise NotSolr for an index without an identifier or a timestamp: it cannot be harvested.
    """
    select = select_url(fetched.url)
    if _read(fetched) is None and not re.search(r"(?i)solr|/select$", urlsplit(fetched.url).path):
        return None
    index = Index(select, "*:*", "", "", "xml")
    answer = _read(fetch(Request(index.url(("rows", 1), ("fl", "*")))))
    if answer is None:
        return None
    held = answer.documents[0].values if answer.documents else {}
    fields = {role: _called(role, held) for role in _NAMES}
    if missing := [role for role in _NEEDED if held and not fields[role]]:
        raise NotSolr(f"{select} is a Solr index, but its documents have no {missing[0]}.")
    other = {role: name for role, name in fields.items() if name and name not in LARO[role].split()}
    table: dict[str, object] = {"url": select} | ({"fields": other} if other else {})
    return Recognised(f"A Solr index with {answer.num_found} documents.", table)


def _read(fetched: Fetched) -> SolrAnswer | None:
    try:
        return parse(fetched.body, fetched.header("Content-Type"))
    except AnswerError:
        return None


def _called(role: str, held: Mapping[str, Iterable[str]]) -> str:
    """Return the name of a field for a role; a timestamp may have any name that suggests one."""
    known = next((name for name in _NAMES[role] if name in held), "")
    if known or role != "timestamp":
        return known
    moments = [name for name, values in held.items() if all(map(_MOMENT.fullmatch, values)) and values]
    return next((name for name in moments if re.search(r"(?i)stamp|index|modif|updat", name)), "")
