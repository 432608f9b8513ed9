"""The addresses of the pages about the repository: `/`, `/help`, `/browse`, `/sets`, `/formats`, `/sources`.

Each page has its data as JSON at the same address with `.json`.
"""

from collections.abc import Callable, Mapping
from http import HTTPStatus
from pathlib import Path

from flask import Blueprint, Response, request

from gateway.core.errors import StoreError
from gateway.pages.answers import no_page, unavailable
from gateway.pages.home_pages import HomePages, Years
from gateway.pages.list_pages import ListPages, ReadIdentify, SourcePages
from gateway.pages.site import Site
from gateway.pages.tables import Searched
from gateway.pages.templating import Pages
from gateway.pages.verb_pages import Explore, VerbPages
from gateway.store.base import Inbox, Store

_LONGEST_METHOD = 20


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

    `inbox` has the harvests, None: it cannot be read. `explore` answers a query string of OAI-PMH, `read_identify`
    reads the answer of a source to Identify. `years` counts the works of each year, and may raise SearchUnavailable.
    `searched` counts the items of each source that were searched for. `home_link` is the Link header of the start page.
    """
    blueprint = Blueprint("browse", __name__)
    pages = Pages(site, Path(__file__).parent / "templates")
    home = HomePages(store, inbox, pages, years, searched, home_link)
    sources = SourcePages(store, inbox, pages, read_identify, searched)
    lists = ListPages(store, pages)
    addresses: Mapping[str, Callable[..., Response]] = {
        "/": home.home,
        "/help": home.help,
        "/browse": VerbPages(store, pages, explore).verb,
        "/sets": lists.sets,
        "/formats": lists.formats,
        "/sources": sources.sources,
        "/sources/<name>": sources.source,
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
