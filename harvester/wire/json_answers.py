"""Answers of JSON services, read without trust: whatever stands where, a walk finds what is there or nothing. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeAlias

from gateway.errors import AnswerError, RemoteRefuses, TryLater
from gateway.xmltext import clean
from harvester.wire.http import Fetched
from harvester.wire.parsing import refuse_heavy_json

Node: TypeAlias = Mapping[str, Any]

_OK, _NOT_FOUND, _GONE, _TOO_MANY, _ILL = 200, 404, 410, 429, 500


def answered(fetched: Fetched, service: str) -> Node | None:
    """Return the document that a service answered with; None when it does not know what was asked for.

    Raise TryLater when it is busy or ill, RemoteRefuses when it wants something else (a key, another address), and
    AnswerError when it says that all is well and answers something else than a JSON object.
    """
    if fetched.status in (_NOT_FOUND, _GONE):
        return None
    if fetched.status == _TOO_MANY or fetched.status >= _ILL:
        raise TryLater(f"{service} answers {fetched.status}.")
    refuse_heavy_json(fetched.body)
    try:
        document = json.loads(fetched.body)
    except (ValueError, RecursionError):
        document = None
    if fetched.status != _OK:
        raise RemoteRefuses(f"{service} answers {fetched.status}{_reason(document)}.")
    if not isinstance(document, dict):
        raise AnswerError(f"{service} answers something else than a JSON object.")
    return document


def _reason(document: object) -> str:
    """Return what an error says of itself, as Crossref, DataCite, Unpaywall and Semantic Scholar write it."""
    node = document if isinstance(document, dict) else {}
    for path in (("message", "message"), ("message",), ("errors", "title"), ("error",), ("detail",)):
        if found := text(node, *path):
            return f": {found[:200].rstrip('.')}"
    return ""


def values(node: object, *path: str) -> list[object]:
    """Return everything at the end of a path, through all lists on the way."""
    found = [node]
    for name in path:
        found = [each.get(name) for each in _flat(found) if isinstance(each, Mapping)]
    return [each for each in _flat(found) if each is not None]


def _flat(found: list[object]) -> list[object]:
    return [inner for each in found for inner in (_flat(each) if isinstance(each, list) else [each])]


def parts(node: object, *path: str) -> list[Node]:
    """Return the objects at the end of a path."""
    return [each for each in values(node, *path) if isinstance(each, Mapping)]


def texts(node: object, *path: str) -> list[str]:
    """Return the texts at the end of a path that say something, without half surrogates, which nothing can store."""
    found = (clean(each) for each in values(node, *path) if isinstance(each, str))
    return [" ".join(each.split()) for each in found if each.strip()]


def text(node: object, *path: str) -> str:
    """Return the first text at the end of a path, or an empty string."""
    return next(iter(texts(node, *path)), "")
