"""The WSGI application of an instance: which parts there are, and what each of them is handed.

This is the only module that knows everything. The parts below `gateway/` that answer requests never import each other.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from flask import Blueprint, Flask, Response, request

from gateway.core.address_rules import Allowed
from gateway.core.addresses import site_url
from gateway.core.errors import GatewayError, StoreError
from gateway.core.instance import check_settings, key
from gateway.core.model import Decision
from gateway.core.settings import Settings, load
from gateway.core.waiting import answer_at_once
from gateway.core.web import SECURITY_HEADERS
from gateway.fulltext.deciding import Decide, Decided, Deciding, Note, unnoted
from gateway.fulltext.stored_search import PastSearches
from gateway.hub import routes as hub
from gateway.hub import websub_routes as websub
from gateway.hub.topics import Topics
from gateway.oaipmh import routes as oaipmh
from gateway.oaipmh.exploration import explorer, identify_facts
from gateway.oaipmh.identity import Repository
from gateway.oaipmh.routes import Observe
from gateway.ops import schemas
from gateway.pages import answers, copies, crawlers, machines, resolver, search_routes
from gateway.pages import browse_routes as browse
from gateway.pages import item_routes as landing
from gateway.pages.copies import CopyLinks
from gateway.pages.item_places import Ambiguous, Places
from gateway.pages.site import Site, site_of
from gateway.publish.descriptions import describe, metadata_of
from gateway.publish.step import EPOCH_FACT, check_domain, check_finished
from gateway.resourcesync import dumps
from gateway.resourcesync import files as resourcesync_files
from gateway.resourcesync import routes as resourcesync
from gateway.resourcesync.addresses import Addresses, ResourceSet, resource_sets
from gateway.resourcesync.keeping import kept_files
from gateway.resourcesync.site_resources import SiteResources
from gateway.review import routes as review
from gateway.review.frame import review_script
from gateway.review.sessions import Sessions, configure
from gateway.review.throttle import FAILURES, Throttle
from gateway.search.base import MOST_LETTERS, Query, Reader
from gateway.search.indexing import FollowingLater
from gateway.search.sqlite_reader import open_search
from gateway.store.base import Databases, DiscoveryOnDemand, Inbox, Store, Subscribers, Subscriptions, Users, View
from gateway.takedowns.interactive import InteractiveTakedowns

# The baseURL of Identify if no other is given; `gateway serve` always gives one.
DEFAULT_BASE_URL = "http://127.0.0.1:8080/oai"
# Scripts of other sites may read every answer, and these of its headers (Fetch Standard, CORS protocol).
_READABLE = (
    ("Access-Control-Allow-Origin", "*"),
    ("Access-Control-Expose-Headers", "Link, ETag, Content-Range, Retry-After"),
)
# What browsers ask before a request with headers such as If-None-Match.
_PREFLIGHT = (
    ("Access-Control-Allow-Methods", "GET, HEAD"),
    ("Access-Control-Allow-Headers", "*"),
    ("Access-Control-Max-Age", "86400"),
)

log = logging.getLogger("gateway.probes")


class Opened(NamedTuple):
    """The databases of an instance, open. `inbox` is None if it cannot be read."""

    store: Store
    subscriptions: Subscriptions
    subscribers: Subscribers
    inbox: Inbox | None
    searches: PastSearches
    search: Reader
    discovery: DiscoveryOnDemand
    users: Users


def application_of(settings: Settings, observe: Observe | None) -> Flask:
    """Return the application; `gateway.create_app` has the promise."""
    check_settings(settings)
    index = FollowingLater(settings)
    answer_at_once()
    closed = Databases(settings)
    store = index.store = closed.store(show_departed=settings.is_on("oai_show_departed"), published=index.note)
    repository = _repository(settings, store.fact(EPOCH_FACT))
    check_domain(store, repository.domain)
    check_finished(store)
    databases = Opened(
        store,
        closed.subscriptions(),
        closed.subscribers(),
        _inbox(settings),
        PastSearches(settings),
        open_search(settings.instance, is_on=settings.is_on("browse_search")),
        DiscoveryOnDemand(settings),
        closed.users(),
    )
    app = Flask("gateway", static_folder=None)
    # A redirect to a path with one slash less or more would contain the host that the client wrote.
    app.url_map.merge_slashes = False
    app.url_map.strict_slashes = False
    app.before_request(lambda: answers.clean_conditions(request.environ))
    app.after_request(_secured)
    decide = decide_of(settings, databases)
    app.extensions.update(databases._asdict(), decide=decide, index=index)
    endpoint = oaipmh.Endpoint(store, repository, settings.number("oai_max_request_bytes"), observe)
    app.register_blueprint(endpoint.blueprint())
    for part in (*_for_harvesters(settings, databases, repository), *_pages(settings, databases, repository)):
        app.register_blueprint(part)
    withdrawals = InteractiveTakedowns(settings, store, databases.inbox, databases.discovery)
    app.extensions["withdrawals"] = withdrawals
    app.register_blueprint(_review(app, settings, databases, repository, decide, withdrawals))
    app.extensions.update(is_page=page_test(app), is_brief=oaipmh.is_brief)
    app.wsgi_app = endpoint.direct(app.wsgi_app, (*SECURITY_HEADERS, *_READABLE))  # type: ignore[assignment, method-assign]
    return app


def _for_harvesters(settings: Settings, databases: Opened, repository: Repository) -> Iterator[Blueprint]:
    """Yield the parts that machines ask besides OAI-PMH: WebSub, schemas, files, and the probes of an operator."""
    store = databases.store
    yield websub.blueprint(databases.subscriptions, settings.number("websub_lease_seconds"))
    if settings.is_on("hub"):
        yield hub.blueprint(
            store, databases.subscribers, _topics(settings, repository), _hub_bounds(settings, repository)
        )
    yield schemas.blueprint(schemas.folder())
    if settings.is_on("files_serve"):
        links = CopyLinks(site_of(settings, repository.base_url))
        yield copies.blueprint(store, settings.instance, repository.base_url, links)
    yield blueprint(store)


def _topics(settings: Settings, repository: Repository) -> Topics:
    """Return the topics of our hub."""
    url = site_url(repository.base_url, settings.text("pages_url"))
    return Topics(url, repository.base_url, resource_sets(settings.text("resourcesync_lists")))


def _hub_bounds(settings: Settings, repository: Repository) -> hub.Bounds:
    """Return what our hub accepts."""
    own = (repository.base_url, settings.text("pages_url"), settings.text("websub_url"))
    return hub.Bounds(
        settings.number("hub_lease_seconds"),
        settings.number("hub_subscriptions"),
        settings.number("hub_subscriptions_of_network"),
        tuple(filter(None, own)),
        Allowed(settings.text("hub_allow").split()),
    )


def _pages(settings: Settings, databases: Opened, repository: Repository) -> Iterator[Blueprint]:
    """Yield the parts for people and crawlers, and for machines that follow the links of pages."""
    store, search = databases.store, databases.search
    sets = resource_sets(settings.text("resourcesync_lists"))
    has_file_lists = bool(sets) and settings.is_on("resourcesync_files")
    site = _with_lists(site_of(settings, repository.base_url), sets)
    yield answers.blueprint(site, review_script())
    yield landing.blueprint(store, describe, databases.searches.tried, site)
    yield crawlers.blueprint(store, site, [Addresses(site.url).of(one, "resourcelist") for one in sets])
    yield resolver.blueprint(store, describe, _finder(search), site)
    if site.has_search:
        tried = databases.searches.tried
        yield search_routes.blueprint(store, search, describe, tried, Places(site).path, site)
    yield from _lists(settings, store, site, sets, has_file_lists=has_file_lists)
    yield machines.blueprint(
        site, has_files=settings.is_on("files_serve"), has_lists=bool(sets), has_file_lists=has_file_lists
    )
    yield browse.blueprint(
        store,
        databases.inbox,
        site,
        explore=explorer(store, repository),
        read_identify=identify_facts,
        years=search.years,
        searched=databases.searches.searched,
        home_link=machines.home_link(site),
    )


def _review(
    app: Flask,
    settings: Settings,
    databases: Opened,
    repository: Repository,
    decide: Decide,
    withdrawals: InteractiveTakedowns,
) -> Blueprint:
    """Return the part for people who have signed in. Sessions of before a restore are not valid."""
    site, store, users = site_of(settings, repository.base_url), databases.store, databases.users
    configure(app, site, key(settings, "session", store.fact(EPOCH_FACT)))
    throttle = Throttle(users, key(settings, FAILURES))
    open_discovery, sessions = databases.discovery.open, Sessions(users)
    return review.blueprint(
        review.Parts(
            site,
            settings,
            store,
            databases.inbox,
            open_discovery,
            decide,
            users,
            sessions,
            describe,
            throttle,
            withdrawals,
        )
    )


def _with_lists(site: Site, sets: Sequence[ResourceSet]) -> Site:
    """Return the site with the addresses of the Capability Lists of all records."""
    addresses = Addresses(site.url)
    whole = [resources for resources in sets if resources.selected is None]
    return replace(
        site, capability_lists=tuple((every.metadata_prefix, addresses.of(every, "capabilitylist")) for every in whole)
    )


def _lists(
    settings: Settings, store: Store, site: Site, sets: Sequence[ResourceSet], *, has_file_lists: bool
) -> Iterator[Blueprint]:
    """Yield the parts of the ResourceSync source; without sets of resources there is none."""
    if not sets:
        return
    places = Places(site)
    further = [Addresses(site.url).of_files("capabilitylist")] if has_file_lists else []
    hub_url = f"{site.url}/hub" if settings.is_on("hub") else ""
    resources = SiteResources(Addresses(site.url), places.metadata_urls, metadata_of, page_url=places.page_urls)
    kept_of = kept_files(settings.instance, resources, store, store.fact(EPOCH_FACT))
    yield resourcesync.blueprint(store, sets, resources, kept_of, further=further, hub=hub_url)
    yield dumps.batch_blueprint(store, site.url, _named(places), metadata_of)
    if has_file_lists:
        yield resourcesync_files.blueprint(store, site.url, _describing(places, sets))


def _describing(places: Places, sets: Sequence[ResourceSet]) -> resourcesync_files.DescribedBy:
    """Return the function that returns the addresses of the metadata of an item in the formats of lists."""
    prefixes = tuple(dict.fromkeys(resources.metadata_prefix for resources in sets if resources.selected is None))
    return lambda view, identifier: tuple(places.metadata_url(view, identifier, prefix) for prefix in prefixes)


def _named(places: Places) -> dumps.Named:
    """Return the function that returns which metadata an address means."""

    def named(view: View, url: str) -> tuple[str, str] | None:
        try:
            return places.metadata_named(view, url)
        except Ambiguous:
            return None

    return named


def _finder(search: Reader) -> Callable[[str], tuple[str, ...]]:
    """Return the function that finds items by an identifier of their work, through the search."""
    return lambda text: search.search(Query(text[:MOST_LETTERS], limit=20)).identifiers


def _inbox(settings: Settings) -> Inbox | None:
    """Return the inbox, for the history of harvests on the pages; None if it cannot be read."""
    try:
        return Databases(settings).inbox(only_reads=True)
    except StoreError as error:
        logging.getLogger("gateway").warning("The pages show no harvests, because the inbox cannot be read: %s", error)
        return None


def decide_of(settings: Settings, databases: Opened) -> Decide:
    """Return the function that writes decisions and publishes them at once, for the review."""

    def decide(*decisions: Decision, note: Note = unnoted) -> Decided:
        if databases.inbox is None:
            raise StoreError("Nothing was decided, because the inbox cannot be read.")
        # Without the address that `gateway serve` announces if no other is set: commands publish without it too.
        as_commands = load(settings.instance)
        return Deciding(databases.store, databases.inbox, databases.discovery.open(), as_commands)(
            *decisions, note=note
        )

    return decide


def _secured(response: Response) -> Response:
    readable = () if review.is_private() else (*_READABLE, *(_PREFLIGHT if request.method == "OPTIONS" else ()))
    for name, value in (*SECURITY_HEADERS, *readable):
        response.headers.setdefault(name, value)
    return response


def _repository(settings: Settings, epoch: str) -> Repository:
    """Return the values that the verbs need; tokens of an earlier `epoch` of the store are not valid."""
    return Repository(
        name=settings.text("repository_name"),
        base_url=settings.text("base_url") or DEFAULT_BASE_URL,
        admin_email=settings.text("admin_email"),
        domain=settings.text("repository_domain"),
        key=key(settings, "resumptionToken", epoch),
        page_size=settings.number("oai_page_size"),
        has_exact_pages=settings.is_on("oai_page_exact"),
        sets_page_size=settings.number("oai_sets_page_size"),
        token_life_seconds=settings.number("oai_token_life_seconds"),
        icon_url=settings.text("branding_icon_url"),
        icon_link=settings.text("branding_icon_link"),
        icon_title=settings.text("branding_icon_title"),
        rights_manifest=settings.text("rights_manifest"),
        friends_most=settings.number("identify_friends_most"),
    )


# --- Which paths are those of pages: the web server makes pages in threads of their own, apart from harvesters -------

# The blueprints without pages. Their paths are distinguished by the first segment.
OTHERS: Final = frozenset(
    {"hub", "oaipmh", "resourcesync", "resourcesync_files", "batch_dump", "websub", "schemas", "copies", "probes"}
)


def page_test(app: Flask) -> Callable[[str], bool]:
    """Return the function that returns whether a decoded path of an application is that of a page."""
    rules = [rule for rule in app.url_map.iter_rules() if rule.endpoint.partition(".")[0] in OTHERS]
    segments = frozenset(_first(rule.rule) for rule in rules)
    return lambda path: _first(path) not in segments


def _first(path: str) -> str:
    return path.removeprefix("/").partition("/")[0]


def blueprint(store: Store) -> Blueprint:
    """Return the Flask blueprint: `/healthz` always answers 200, `/readyz` 503 if the store cannot be read."""
    blueprint = Blueprint("probes", __name__)

    @blueprint.get("/healthz")
    def healthz() -> Response:
        return _answer(200, "This process answers.")

    @blueprint.get("/readyz")
    def readyz() -> Response:
        try:
            with store.view() as view:
                view.formats()
        except GatewayError as error:
            log.warning("/readyz answered 503: %s `gateway check` checks the instance.", error)
            return _answer(503, "The repository cannot answer now.")
        return _answer(200, "The repository can answer.")

    return blueprint


def _answer(status: int, sentence: str) -> Response:
    return Response(f"{sentence}\n", status, {"Cache-Control": "no-store"}, content_type="text/plain; charset=UTF-8")
