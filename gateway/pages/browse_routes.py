"""The addresses of the pages about the repository: `/`, `/help`, `/browse`, `/sets`, `/formats`, `/sources`.

Each page has its data as JSON at the same address with `.json`.
"""

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, TypeAlias
from urllib.parse import urlencode

from flask import Blueprint, Response, request

from gateway.core.errors import StoreError
from gateway.core.model import OaiAnswer
from gateway.pages.answers import answer, as_json, no_page, plain, unavailable
from gateway.pages.list_pages import ListPages, ReadIdentify, Years
from gateway.pages.site import Site
from gateway.pages.tables import Searched
from gateway.pages.templating import Pages
from gateway.store.base import Inbox, Store

_LONGEST_METHOD = 20

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
        following = urlencode({"verb": given.get("verb", ""), "resumptionToken": explored.token})
        body = self._pages.render(
            "verb.html",
            place="browse",
            forms=FORMS,
            formats=self._prefixes(),
            verb=given.get("verb", ""),
            given={name: value for name, value in given.items() if name != "resumptionToken"},
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


def blueprint(
    store: Store,
    inbox: Inbox | None,
    site: Site,
    *,
    explore: Explore,
    read_identify: ReadIdentify,
    years: Years,
    searched: Searched,
    home_link: str = "",
) -> Blueprint:
    """Return the Flask blueprint of these pages.

    `explore` answers a query string of OAI-PMH; `ListPages` says what the others are.
    """
    blueprint = Blueprint("browse", __name__)
    pages = Pages(site)
    lists = ListPages(store, inbox, pages, read_identify, years, searched, home_link)
    addresses: Mapping[str, Callable[..., Response]] = {
        "/": lists.home,
        "/help": lists.help,
        "/browse": VerbPages(store, pages, explore).verb,
        "/sets": lists.sets,
        "/formats": lists.formats,
        "/sources": lists.sources,
        "/sources/<name>": lists.source,
    }
    for address, page in addresses.items():
        blueprint.add_url_rule(address, page.__name__, page, defaults={"is_json": False})
        twin = "/index.json" if address == "/" else f"{address}.json"
        blueprint.add_url_rule(twin, f"{page.__name__}_json", page, defaults={"is_json": True})
    # A prefix may end in `.json`, if a source has that name; an ending counts only if it has not.
    blueprint.add_url_rule("/formats/<prefix>", lists.format.__name__, lists.format)
    blueprint.register_error_handler(StoreError, lambda error: unavailable(pages, error))
    blueprint.app_errorhandler(HTTPStatus.NOT_FOUND)(
        lambda _error: no_page(pages, HTTPStatus.NOT_FOUND, pages.texts.errors.no_page, asked=request.path)
    )
    blueprint.app_errorhandler(HTTPStatus.METHOD_NOT_ALLOWED)(lambda error: _refused_method(pages, error))
    return blueprint


def _refused_method(pages: Pages, error: Exception) -> Response:
    """Answer that an address does not take a method, and which it takes (RFC 9110 §15.5.6)."""
    methods = ", ".join(sorted(getattr(error, "valid_methods", None) or ()))
    response = no_page(
        pages,
        HTTPStatus.METHOD_NOT_ALLOWED,
        pages.texts.errors.method.format(method=request.method[:_LONGEST_METHOD]),
        hint=pages.texts.errors.method_hint.format(methods=methods),
    )
    response.headers["Allow"] = methods
    return response
