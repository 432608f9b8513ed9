"""Answers of services as they are sent, and what readers make of them."""

from __future__ import annotations

import json
from typing import TypeVar

from gateway.model import Outcome
from harvester.fulltext.known_copies import Copy, Description
from harvester.fulltext.steps import Known, StepResult
from harvester.http.messages import Fetched

DOI = "10.1234/a"
CC_BY = "https://creativecommons.org/licenses/by/4.0/"
_T = TypeVar("_T")


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
