"""Readers of JSON answers that trust no form: a path returns the values at its end, or none. Pure."""

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from gateway.core.errors import AnswerError, AnswerTooLarge, RemoteRefuses, TryLater
from gateway.core.typed_links import Link, links_of_json
from gateway.core.xmltext import clean
from harvester.http.messages import Fetched
from harvester.xml.parsing import refuse_heavy_json

Node: TypeAlias = Mapping[str, Any]

_OK, _NOT_FOUND, _GONE, _TOO_MANY, _FAILING = 200, 404, 410, 429, 500


def answered(fetched: Fetched, service: str, *path: str, is_text: bool = False) -> Node | None:
    """Return the JSON object that a service answered; None for the statuses 404 and 410.

    `path` leads to a list or an object that every answer of the service has; with `is_text`, to a text. Raise TryLater
    for 429 and statuses from 500, RemoteRefuses for any other status than 200. Raise AnswerTooLarge when the document
    would take too much memory, and AnswerError when it is no JSON object with that path.
    """
    if fetched.status in (_NOT_FOUND, _GONE):
        return None
    if fetched.status == _TOO_MANY or fetched.status >= _FAILING:
        raise TryLater(f"{service} answers {fetched.status}.")
    refuse_heavy_json(fetched.body)
    try:
        document = json.loads(fetched.body)
    except (ValueError, RecursionError):
        document = None
    if fetched.status != _OK:
        raise RemoteRefuses(f"{service} answers {fetched.status}{_reason(document)}.")
    if not isinstance(document, dict):
        raise AnswerError(f"{service} answers, but not with a JSON object.")
    if not _has(document, path, is_text=is_text):
        raise AnswerError(f"{service} answers without {'.'.join(path)}{_reason(document)}.")
    return document


def listed(document: Node | None, service: str, *path: str, named: Callable[[Node], object]) -> list[Node]:
    """Return the works that an answer lists at the end of a path; none without an answer.

    `named` returns the identifier of a work, such as its DOI. Raise AnswerError when works are listed and none has one:
    the form of the answer has changed.
    """
    end: object = document
    for name in path:
        end = end.get(name) if isinstance(end, Mapping) else None
    works = parts(end)
    if end and not any(map(named, works)):
        raise AnswerError(f"{service} lists works in {'.'.join(path)}, but none has an identifier.")
    return works


def linkset(body: bytes, base: str) -> tuple[Link, ...]:
    """Return the links of an application/linkset+json document (RFC 9264 §4.2); none when it is unreadable."""
    try:
        refuse_heavy_json(body)
        return tuple(links_of_json(json.loads(body), base))
    except (AnswerTooLarge, ValueError, RecursionError):
        return ()


def without(service: str, what: str) -> AnswerError:
    """Return the error for an answer of a service that lacks `what`."""
    return AnswerError(f"{service} answers without {what}.")


def _has(node: object, path: tuple[str, ...], *, is_text: bool) -> bool:
    """Return whether a path of objects ends in a list or an object; with `is_text`, in a text that is not empty."""
    for name in path:
        node = node.get(name) if isinstance(node, Mapping) else None
    return isinstance(node, str) and bool(node.strip()) if is_text else isinstance(node, list | Mapping)


def _reason(document: object) -> str:
    """Return the text of an error, as Crossref, DataCite, Unpaywall and Semantic Scholar write it."""
    node = document if isinstance(document, dict) else {}
    for path in (("message", "message"), ("message",), ("errors", "title"), ("error",), ("detail",)):
        if value := text(node, *path):
            return f": {value[:200].rstrip('.')}"
    return ""


def values(node: object, *path: str) -> list[object]:
    """Return all values at the end of a path, through all lists on the way; none where the path breaks."""
    nodes = [node]
    for name in path:
        nodes = [node.get(name) for node in _flat(nodes) if isinstance(node, Mapping)]
    return [node for node in _flat(nodes) if node is not None]


def _flat(nodes: list[object]) -> list[object]:
    return [inner for node in nodes for inner in (_flat(node) if isinstance(node, list) else [node])]


def parts(node: object, *path: str) -> list[Node]:
    """Return the objects at the end of a path."""
    return [value for value in values(node, *path) if isinstance(value, Mapping)]


def texts(node: object, *path: str) -> list[str]:
    """Return the texts at the end of a path that are not empty, with single spaces and without half surrogates."""
    texts_ = (clean(value) for value in values(node, *path) if isinstance(value, str))
    return [" ".join(string.split()) for string in texts_ if string.strip()]


def text(node: object, *path: str) -> str:
    """Return the first text at the end of a path, or an empty string."""
    return next(iter(texts(node, *path)), "")
