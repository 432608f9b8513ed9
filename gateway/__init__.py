"""The gateway: one OAI-PMH 2.0 repository made of many sources."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flask import Flask, Response

    from gateway.oaipmh.identity import Repository
    from gateway.oaipmh.routes import Observe
    from gateway.search.base import Reader
    from gateway.settings import Settings, Value
    from gateway.store.base import Inbox, Store

# The baseURL of Identify if no other is given; `gateway serve` always gives one.
DEFAULT_BASE_URL = "http://127.0.0.1:8080/oai"


def create_app(
    instance: Path | None = None, options: Mapping[str, Value] | None = None, observe: Observe | None = None
) -> Flask:
    """Return the WSGI application of an instance, with all its addresses.

    `instance` is the folder (else `GATEWAY_INSTANCE`, else `instance`). `options` override all other settings.
    `observe` is called after each answer of OAI-PMH.
    Raise ConfigurationError if a setting is wrong, StoreError if the store cannot be served. Imports are in here
    because everything imports `gateway`, and most of it must not wait for Flask.
    """
    from flask import Flask  # noqa: PLC0415

    from gateway import copies, machines, probes, schemas  # noqa: PLC0415
    from gateway.browse import routes as browse  # noqa: PLC0415
    from gateway.browse import search_routes  # noqa: PLC0415
    from gateway.descriptions import describe  # noqa: PLC0415
    from gateway.exploration import explorer, identify_facts  # noqa: PLC0415
    from gateway.instance import check_domain, check_settings  # noqa: PLC0415
    from gateway.landing import crawlers, resolver  # noqa: PLC0415
    from gateway.landing import routes as landing  # noqa: PLC0415
    from gateway.landing.copy_links import CopyLinks  # noqa: PLC0415
    from gateway.landing.places import Places  # noqa: PLC0415
    from gateway.oaipmh import routes  # noqa: PLC0415
    from gateway.pages import assets  # noqa: PLC0415
    from gateway.pages.appearance import site_of  # noqa: PLC0415
    from gateway.past_searches import PastSearches  # noqa: PLC0415
    from gateway.search.opening import open_search  # noqa: PLC0415
    from gateway.settings import instance_folder, load  # noqa: PLC0415
    from gateway.store.opening import open_store, open_subscriptions  # noqa: PLC0415
    from gateway.store.step import EPOCH_FACT, check_finished  # noqa: PLC0415
    from gateway.websub import routes as websub  # noqa: PLC0415

    settings = load(instance or instance_folder(), options=options)
    check_settings(settings)
    store = open_store(
        settings.instance,
        show_departed=settings.is_on("oai_show_departed"),
        max_jump_seconds=settings.number("clock_max_jump_seconds"),
    )
    repository = _repository(settings, store.fact(EPOCH_FACT))
    check_domain(store, repository.domain)
    check_finished(store)
    app = Flask("gateway", static_folder=None)
    # A redirect to a path with one slash less would contain the host that the client wrote.
    app.url_map.merge_slashes = False
    app.after_request(_secured)
    app.extensions["store"] = store
    app.register_blueprint(routes.blueprint(store, repository, settings.number("oai_max_request_bytes"), observe))
    subscriptions = app.extensions["subscriptions"] = open_subscriptions(settings.instance)
    app.register_blueprint(websub.blueprint(subscriptions, settings.number("websub_lease_seconds")))
    app.register_blueprint(schemas.blueprint(schemas.folder()))
    searches = app.extensions["searches"] = PastSearches(settings.instance)
    site = site_of(settings, repository.base_url)
    if settings.is_on("files_serve"):
        app.register_blueprint(copies.blueprint(store, settings.instance, repository.base_url, CopyLinks(site)))
    app.register_blueprint(assets.blueprint(site))
    app.register_blueprint(landing.blueprint(store, describe, searches.tried, site))
    app.register_blueprint(crawlers.blueprint(store, site))
    search = open_search(settings.instance, is_on=settings.is_on("browse_search"))
    app.register_blueprint(resolver.blueprint(store, describe, _finder(search), site))
    if site.has_search:
        app.register_blueprint(search_routes.blueprint(store, search, describe, Places(site).path, site))
    app.register_blueprint(machines.blueprint(site))
    app.register_blueprint(probes.blueprint(lambda: _read(store)))
    inbox = app.extensions["inbox"] = _inbox(settings.instance)
    app.register_blueprint(
        browse.blueprint(
            store,
            inbox,
            site,
            explore=explorer(store, repository),
            read_identify=identify_facts,
            years=search.years,
            home_link=machines.catalogue_link(site),
        )
    )
    return app


def _finder(search: Reader) -> Callable[[str], tuple[str, ...]]:
    """Return the function that finds items by an identifier of their work, through the search."""
    from gateway.search.query import MOST_LETTERS, Query  # noqa: PLC0415

    return lambda text: search.search(Query(text[:MOST_LETTERS], limit=20)).identifiers


def _inbox(folder: Path) -> Inbox | None:
    """Return the inbox, for the history of harvests on the pages; None if it cannot be read."""
    from gateway.errors import StoreError  # noqa: PLC0415
    from gateway.store.opening import open_inbox  # noqa: PLC0415

    try:
        return open_inbox(folder, only_reads=True)
    except StoreError as error:
        logging.getLogger("gateway").warning("The pages show no harvests, because the inbox cannot be read: %s", error)
        return None


def _read(store: Store) -> None:
    with store.view() as view:
        view.formats()


def _secured(response: Response) -> Response:
    from gateway.server.answer import SECURITY_HEADERS  # noqa: PLC0415

    for name, value in SECURITY_HEADERS:
        response.headers.setdefault(name, value)
    return response


def _repository(settings: Settings, epoch: str) -> Repository:
    """Return the values that the verbs need; tokens of an earlier `epoch` of the store are not valid."""
    from gateway.instance import key  # noqa: PLC0415
    from gateway.oaipmh.identity import Repository  # noqa: PLC0415

    return Repository(
        name=settings.text("repository_name"),
        base_url=settings.text("base_url") or DEFAULT_BASE_URL,
        admin_email=settings.text("admin_email"),
        domain=settings.text("repository_domain"),
        key=key(settings, "resumptionToken", epoch),
        page_size=settings.number("oai_page_size"),
        sets_page_size=settings.number("oai_sets_page_size"),
        token_life_seconds=settings.number("oai_token_life_seconds"),
        icon_url=settings.text("branding_icon_url"),
        icon_link=settings.text("branding_icon_link"),
        icon_title=settings.text("branding_icon_title"),
        rights_manifest=settings.text("rights_manifest"),
    )
