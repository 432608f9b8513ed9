"""Every verb of OAI-PMH as a page: its form, and its answer."""

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, TypeAlias
from urllib.parse import urlencode

from flask import Response, request

from gateway.core.model import OaiAnswer
from gateway.pages.answers import answer, no_page
from gateway.pages.browse_answers import as_json, plain
from gateway.pages.templating import Pages
from gateway.store.base import Store

# Answers a query string of OAI-PMH.
Explore: TypeAlias = Callable[[bytes], OaiAnswer]

_MOST_QUERY = 8_000


class VerbPages:
    """`/browse`."""

    def __init__(self, store: Store, pages: Pages, explore: Explore) -> None:
        self._store = store
        self._pages = pages
        self._explore = explore

    def verb(self, *, is_json: bool) -> Response:
        """Answer with a verb of OAI-PMH as a page: its form, and its answer if there are arguments."""
        query = request.query_string
        if len(query) > _MOST_QUERY:
            return no_page(self._pages, HTTPStatus.REQUEST_URI_TOO_LONG, self._pages.texts.errors.bad)
        if not query:
            if is_json:
                return as_json({"verbs": {name: list(fields) for name, fields in FORMS.items()}})
            body = self._pages.render("verbs.html", place="browse", forms=FORMS, formats=self._prefixes())
            return answer(body)
        explored = self._explore(_filled(query))
        if is_json:
            return as_json(_answered(explored))
        given = request.args.to_dict()
        following = next_query(given.get("verb", ""), explored.token)
        body = self._pages.render(
            "verb.html",
            place="browse",
            forms=FORMS,
            formats=self._prefixes(),
            verb=given.get("verb", ""),
            given=without_token(given),
            answer=explored,
            asked=_filled(query).decode("ascii", "replace"),
            previous_url="",
            next_url=f"{self._pages.site.root}/browse?{following}" if explored.token else "",
        )
        return answer(body)

    def _prefixes(self) -> list[str]:
        with self._store.view() as view:
            return [known.metadata_prefix for known in view.formats()]


def _filled(query: bytes) -> bytes:
    """Return a query without its empty arguments: a form sends every field."""
    return b"&".join(part for part in query.split(b"&") if part.partition(b"=")[1:] != (b"=", b""))


def _answered(explored: OaiAnswer) -> dict[str, Any]:
    return {
        "verb": explored.verb,
        "responseDate": explored.response_date,
        "errors": [{"code": code, "text": text} for code, text in explored.errors],
        "facts": [{"name": name, "text": text} for name, text in explored.facts],
        "formats": plain(explored.formats),
        "sets": [{"setSpec": entry.spec, "setName": entry.name} for entry in explored.sets],
        "records": [
            {
                "identifier": record.identifier,
                "datestamp": record.datestamp,
                "deleted": record.is_deleted,
                "sets": record.sets,
                "titles": record.work.texts("title"),
            }
            for record in explored.records
        ],
        "resumptionToken": explored.token or None,
        "completeListSize": explored.total,
    }


# --- The forms of the verbs: the legal arguments of each, and links to the next part of a list. Pure -----------------

# The arguments of each verb that a person fills in (OAI-PMH 2.0 §4); the token is behind the link "next".
FORMS: Mapping[str, tuple[str, ...]] = {
    "Identify": (),
    "ListMetadataFormats": ("identifier",),
    "ListSets": (),
    "ListIdentifiers": ("metadataPrefix", "set", "from", "until"),
    "ListRecords": ("metadataPrefix", "set", "from", "until"),
    "GetRecord": ("identifier", "metadataPrefix"),
}


def without_token(given: Mapping[str, str]) -> dict[str, str]:
    """Return the arguments of a request that its form shows again."""
    return {name: value for name, value in given.items() if name != "resumptionToken"}


def next_query(verb: str, token: str) -> str:
    """Return the query of the next part of a list."""
    return urlencode({"verb": verb, "resumptionToken": token})
