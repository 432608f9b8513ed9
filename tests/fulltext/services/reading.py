"""Answers of services as they are sent, and what readers make of them."""

import json
from typing import TypeVar

from gateway.core.model import Outcome
from harvester.fulltext.known_copies import Copy, Description
from harvester.fulltext.steps import (
    Known,
    StepResult,
    base_search,
    core,
    crossref,
    datacite,
    doaj,
    dspace,
    europe_pmc,
    fatcat,
    hal,
    inveniordm,
    openalex,
    openrxiv,
    osf,
    semantic_scholar,
    unpaywall,
)
from harvester.http.messages import Fetched

DOI = "10.1234/a"
CC_BY = "https://creativecommons.org/licenses/by/4.0/"
_T = TypeVar("_T")

# Those that answer for one work, those that list works, and repositories that are asked for their own files.
OF_A_WORK = {
    "crossref": crossref.read, "unpaywall": unpaywall.read, "openalex": openalex.read, "datacite": datacite.read,
}  # fmt: skip
OF_A_DOI = {
    "europe_pmc": lambda response: europe_pmc.read(response, DOI), "hal": lambda response: hal.read(response, DOI),
    "doaj": lambda response: doaj.read(response, DOI), "core": lambda response: core.read(response, DOI),
    "base": lambda response: base_search.read(response, DOI), "fatcat": lambda response: fatcat.read(response, DOI),
}  # fmt: skip
OF_REPOSITORIES = {
    "openrxiv": lambda response: openrxiv.read(response, DOI), "osf": osf.read,
    "inveniordm": lambda response: inveniordm.read(response, "https://zenodo.org"),
    "dspace": lambda response: dspace.read(response, dspace.Place("https://repository.example.org", "1")),
}  # fmt: skip
READERS = {**OF_A_WORK, "semantic_scholar": semantic_scholar.read, **OF_A_DOI, **OF_REPOSITORIES}


def sent(document: object, status: int = 200) -> Fetched:
    """Return an answer with a JSON document, or with these bytes."""
    content = document if isinstance(document, bytes) else json.dumps(document).encode()
    return Fetched("https://api.example.org/", status, (), content, 0)


def some(description: _T | None) -> _T:
    """Return what a reader found, which is something."""
    assert description is not None
    return description


def with_(about: Known, description: Description | None = None, *pages: str) -> Known:
    """Return what is known when a service has told more."""
    return about.with_(StepResult(Outcome.SUCCESS, tuple(Copy(url, is_page=True) for url in pages), description))
