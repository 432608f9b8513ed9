"""bioRxiv and medRxiv: the latest version of a preprint and its licence, from the API of the server.

Answers of 2024. Both servers share the prefix 10.1101, and 10.64898 since 2025-12-01. Genome Research and other
journals of Cold Spring Harbor have 10.1101 too, with letters behind it.
"""

import re

from gateway.fulltext.licenses import license_of
from harvester.fulltext.known_copies import Copy, Description, Related
from harvester.fulltext.steps import Known, Step, StepResult
from harvester.fulltext.steps._ask_service import address, described
from harvester.http.json_answers import Node, answered, listed, text, values
from harvester.http.messages import Fetch, Fetched


def _server(known: Known) -> str:
    return server_of(known.doi, tuple(description.container for description in known.described))


def _find(known: Known, fetch: Fetch) -> StepResult:
    url = address(f"https://api.biorxiv.org/details/{_server(known)}/", known.doi) + "/na/json"
    return described(url, fetch, lambda fetched: read(fetched, known.doi))


STEP = Step(
    "openrxiv",
    46,
    "Asks bioRxiv or medRxiv for the latest version of a preprint.",
    lambda known: bool(_server(known)),
    _find,
)

# --- Answers of bioRxiv and medRxiv (`/details/{server}/{doi}/na/json`): all versions of a preprint. Pure -------------

PREPRINT = re.compile(r"10\.(?:1101|64898)/(?:\d{4}\.\d{2}\.\d{2}\.)?(\d{6,8})")
_MEDRXIV_DIGITS = 8  # bioRxiv's numbers have six
SERVERS = ("biorxiv", "medrxiv")
_VERSION = re.compile(r"[1-9]\d{0,2}")


def server_of(doi: str, names: tuple[str, ...] = ()) -> str:
    """Return the server of a DOI, by the names of containers, else by its number; empty: none."""
    match = PREPRINT.fullmatch(doi)
    if match is None:
        return ""
    named = (name.lower() for name in names)
    by_number = SERVERS[len(match[1]) == _MEDRXIV_DIGITS]
    return next((name for name in named if name in SERVERS), by_number)


def read(fetched: Fetched, doi: str) -> Description | None:
    """Return the latest version of a preprint; None: the server does not know it. Errors: `answered`, `listed`."""
    document = answered(fetched, "bioRxiv", "collection")
    works = listed(document, "bioRxiv", "collection", named=lambda node: text(node, "doi") and _version(node))
    versions = [work for work in works if text(work, "doi").lower() == doi and _version(work)]
    return _described(max(versions, key=lambda version: int(_version(version)))) if versions else None


def _version(entry: Node) -> str:
    """Return the version of an entry, which may be a number in JSON; empty if it is invalid."""
    stated = next((str(value) for value in values(entry, "version")), "")
    return stated if _VERSION.fullmatch(stated) else ""


def _described(entry: Node) -> Description:
    doi, server = text(entry, "doi").lower(), text(entry, "server").lower()
    stated = text(entry, "license")
    copy = Copy(
        f"https://www.{server}.org/content/{doi}v{_version(entry)}.full.pdf",
        mime_type="application/pdf",
        version="submitted",
        license=license_of(stated),
        host_type="repository",
        evidence=f"openrxiv:v{_version(entry)}",
        is_open=True,
    )
    published = text(entry, "published")
    return Description(
        doi=doi,
        title=text(entry, "title"),
        authors=tuple(name.partition(",")[0].strip() for name in text(entry, "authors").split(";") if name.strip()),
        container=text(entry, "server"),
        year=text(entry, "date")[:4],
        abstract=text(entry, "abstract"),
        copies=(copy,) if server in SERVERS else (),
        is_open=True,
        kind="preprint",
        related=(Related("is-preprint-of", "doi", published.lower()),) if published.startswith("10.") else (),
    )
