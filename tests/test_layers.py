"""Arrows point one way: who may import whom, as a table, and every import in the house compared with it."""

import ast
import re
import sys
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache
from graphlib import TopologicalSorter
from typing import NamedTuple

import pytest

from tests.conftest import ROOT

# A row says what the modules below some names may import: of ours (with all below it), and after `+`, which libraries.
# The longest name that a module's own begins with decides; `.*` is what lies below a package. Capitals name a group.
TABLE = """
GROUND <- gateway.core.{model, errors, states, xmltext, addresses, special_addresses, address_rules, digests,
  secret_arguments, typed_links, normal_forms, bibliography, names, takedowns, registry, words}
MESSAGES <- harvester.http.{archives, dates, json_answers, messages, urls}
WORKS <- harvester.words gateway.fulltext.{licenses, policies, search_result} harvester.fulltext.{access_rights,
  identifiers, known_copies, match_titles, match_work, page_ranges, retractions, rights_words}
# The rooms of both packages, the ground first: each may import those before it that its row names.
GATEWAY <- gateway.{core, formats, store, publish, resourcesync, hub, search, fulltext, oaipmh, takedowns, pages,
  review, ops, server, app, cli, __main__}
HARVESTER <- harvester.{words, runtime, xml, http, sources, fulltext, validate, harvest, dump, mirror, offer, schedule,
  audit, graph, commands, cli, __main__}

# The core uses the standard library only, but for lxml, which one file configures, the codings of answers, and click.
gateway.core <- gateway.core
gateway.core.xmlio <- GROUND gateway.core.xmlio + lxml
gateway.core.bibliography <- GROUND
gateway.core.bibliography.languages <- GROUND + langcodes
gateway.core.pieces <- + isal zstandard
gateway.core.{finding, program} <- gateway.core + click
# Formats and store never see each other; publication is where they meet.
gateway.formats <- gateway.{core, formats}
gateway.formats.* <- gateway.{core, formats} + lxml
gateway.store <- gateway.{core, store} + isal sqlite_utils zlib_ng zstandard
gateway.store.postgres <- gateway.{core, store} + psycopg
gateway.publish <- gateway.{core, formats, store.base, publish} + lxml
gateway.search <- gateway.{core, search, store.base}
gateway.search.indexing <- gateway.{core, formats, publish.descriptions, search, store.base}
gateway.fulltext <- gateway.{core, fulltext}
gateway.fulltext.{deciding, review} <- gateway.{core, store.base, fulltext}
gateway.fulltext.{log_completion, stored_files, stored_search} <- gateway.{core, fulltext, store.base}
gateway.fulltext.release <- gateway.{core, publish.publish_files, publish.step, store.base, fulltext}
gateway.takedowns <- gateway.{core, formats, fulltext, publish, search.indexing, store.base,
  takedowns}
# Rooms that answer requests know the store by the types in base.py only. Pure parts use no library; routes know HTTP.
# They never import each other, and are handed what reads records.
gateway.oaipmh <- GROUND gateway.{core.pieces, store.base, oaipmh}
gateway.oaipmh.routes <- GROUND gateway.{core.pieces, store.base, oaipmh} + flask werkzeug
gateway.oaipmh.exploration <- GROUND gateway.{core.pieces, core.xmlio, publish.descriptions, store.base, oaipmh}
gateway.resourcesync <- GROUND gateway.{core.durable, core.permissions, store.base, resourcesync}
gateway.resourcesync.{dumps, files, routes, shared} <- GROUND gateway.{store.base,
  resourcesync} + flask isal werkzeug
gateway.hub <- gateway.{core, resourcesync.addresses, resourcesync.periods, store.base, hub}
gateway.hub.subscribers <- gateway.{core, resourcesync.addresses, store.base, hub}
gateway.hub.{routes, websub_routes} <- gateway.{core, resourcesync.periods, store.base, hub} + flask
gateway.pages <- GROUND gateway.{core.settings, store.base, search.base, pages} + jinja2 markupsafe
gateway.pages.{answers, browse_routes, copies, crawlers, item_routes, list_pages, machines,
  resolver, search_routes} <- GROUND gateway.{core.settings, store.base, search.base, pages} + flask
  markupsafe
# The only one that writes. It knows the databases by their protocols, and what decides is handed to it.
gateway.review <- gateway.{core, pages, store.base, takedowns.plans, fulltext, review} + flask
  flask_wtf werkzeug
gateway.review.users <- gateway.{core, store.base, fulltext, review} + argon2
gateway.review.throttle <- GROUND gateway.store.base
gateway.ops <- gateway.{core, formats, hub, publish, resourcesync.addresses, review.users, search, store.base,
  takedowns, ops}
gateway.ops.schemas <- GROUND gateway.store.base + flask
gateway.ops.upkeep <- gateway.{core, formats, publish, search, store.base, takedowns, ops} + tomlkit
gateway.ops.metrics <- gateway.{core, hub, store.base} + prometheus_client
gateway.server <- gateway.{core, server} + gunicorn httptools
gateway.server.serve <- gateway.{core, hub.subscribers, ops, server, store.base} + click flask gunicorn
gateway <- gateway + flask
gateway.app <- gateway + flask
gateway.__main__ <- gateway.cli
gateway.cli <- gateway + click
# The harvester: a row for each room, from the ground up. It uses the core of the gateway, never what answers.
harvester.words <- gateway.core.words harvester.words
harvester.runtime <- gateway.core harvester.runtime
harvester.runtime.progress <- gateway.core harvester.runtime + rich
harvester.xml <- GROUND gateway.core.xmlio harvester.{words, xml} + lxml
# The one seam to the network. What lies on this machine may be compressed.
harvester.http <- GROUND gateway.core.settings harvester.{runtime, xml, http} + isal requests urllib3
harvester.http.local_files <- GROUND harvester.{runtime, http} + zstandard
harvester.http.robots_txt <- GROUND harvester.http + protego
# Sources, services and steps are handed `fetch`. They know what is asked and answered, and never what connects.
harvester.sources <- GROUND gateway.{formats, core.xmlio, core.working_file} MESSAGES
  harvester.{runtime.durable_files, xml, sources} + lxml
harvester.fulltext <- gateway.{core, formats, fulltext, store.base, takedowns.withdrawing}
  harvester.{words, runtime.interrupts, runtime.worker_pool, http, fulltext} + rapidfuzz
harvester.fulltext.pages <- GROUND gateway.core.xmlio MESSAGES harvester.xml WORKS harvester.fulltext.pages + bs4 lxml
harvester.fulltext.pdf <- GROUND gateway.core.{children, sandbox} WORKS harvester.fulltext.{pages, pdf} + rapidfuzz
harvester.fulltext.pdf.reader <- gateway.core.sandbox + pdfminer pypdfium2
harvester.fulltext.steps <- GROUND MESSAGES harvester.xml WORKS harvester.fulltext.{pages, pdf, steps} + lxml
harvester.validate <- GROUND gateway.core.xmlio MESSAGES harvester.{runtime.exit_status, runtime.durable_files,
  sources.resourcesync.bounded_parser, sources.resourcesync.fixity, sources.resourcesync.leads,
  sources.resourcesync.package, xml.parsing, validate}
harvester.harvest <- gateway.{core, ops.clocks, ops.recovery, publish.publish, publish.step, publish.unused,
  search.indexing, store.base, takedowns.apply, takedowns.withdrawing}
  harvester.{runtime, http, sources, fulltext, harvest}
harvester.harvest.sources_toml <- GROUND gateway.core.{durable, permissions}
  harvester.{runtime, http, sources, harvest} + tomlkit
harvester.dump <- GROUND harvester.{runtime, xml, http, sources, harvest, dump}
harvester.mirror <- GROUND gateway.{core.xmlio, core.working_file, formats._stated} harvester.{words, runtime, http,
  sources, fulltext.pdf, harvest, dump, mirror} + isal lxml
harvester.offer <- gateway.{core, fulltext.stored_files, publish.descriptions, publish.withholding} harvester.{runtime,
  http, fulltext, harvest, offer} + coarnotify
harvester.schedule <- gateway.{core, fulltext, takedowns.apply} harvester.{runtime, http, sources, fulltext, harvest,
  mirror, offer, schedule}
# The files of our ResourceSync source and the lists of our hub: made as its routes make them, never by a route.
harvester.schedule.kept_files <- gateway.{core, pages.item_places, pages.site, publish.descriptions,
  resourcesync.addresses, resourcesync.keeping, resourcesync.site_resources, publish.step}
  harvester.{runtime, harvest.instance, schedule.rounds}
harvester.schedule.hub.news <- gateway.{core, hub.topics, pages.item_places, pages.site, publish.descriptions,
  resourcesync.addresses, resourcesync.documents, resourcesync.site_resources, store.base} harvester.{http.messages,
  schedule.hub}
harvester.schedule.hub <- gateway.{core, hub.topics, hub.subscribers, store.base} harvester.{runtime,
  http, harvest.instance, schedule.rounds, schedule.hub}
harvester.audit <- gateway.{core, formats, store.base} harvester.{xml, http, fulltext, mirror, audit}
harvester.graph <- gateway.{core, fulltext, pages.reference, pages.shown, search.indexing, store.base}
  harvester.{http.urls, runtime, graph}
harvester.graph.database <- GROUND harvester.{runtime, graph} + ladybug
harvester.graph.query_process <- gateway.core.sandbox + ladybug
harvester.commands.check <- gateway.{core, ops.health} harvester.{commands.output, harvest, mirror.instance_memory,
  schedule} + click
harvester.commands.common_words <- gateway.core.normal_forms harvester.words + snowballstemmer
harvester.commands <- gateway.{core, fulltext, hub.subscribers, publish.rebuild, publish.unused, store.base, takedowns}
  HARVESTER + click
harvester.__main__ <- harvester.cli
harvester.cli <- gateway.core harvester.{commands, runtime} + click
harvester <-
"""
# Of the standard library, what opens connections.
NETWORK = ("socket", "ssl", "http.client", "urllib.request", "asyncio", "ftplib", "smtplib", "telnetlib")
MAY_CONNECT = ("harvester.http", "harvester.schedule.notifications.send", "gateway.server")
XML_PARSERS = ("XMLParser", "HTMLParser", "XMLPullParser", "iterparse", "set_default_parser")


class Layer(NamedTuple):
    """What modules may import: of ours (with all below it), and which libraries."""

    ours: tuple[str, ...]
    libraries: tuple[str, ...]


def _read(table: str) -> tuple[dict[str, tuple[str, ...]], dict[str, Layer]]:
    """Return the groups and the layers of a table."""
    groups: dict[str, tuple[str, ...]] = {}
    layers: dict[str, Layer] = {}

    def names(text: str) -> tuple[str, ...]:
        spread = re.sub(r"(\S+)\{(.*?)\}", lambda match: match[1] + match[2].replace(", ", f" {match[1]}"), text)
        return tuple(name for word in spread.split() for name in groups.get(word, (word,)))

    for row in re.sub(r"\n +", " ", re.sub(r"(?m)^#.*\n", "", table)).strip().splitlines():
        modules, _, allowed = row.partition(" <-")
        ours, _, libraries = allowed.partition("+")
        if modules.isupper():
            groups[modules] = names(ours)
            continue
        for module in names(modules):
            assert module not in layers, f"There are two rows for {module}."
            layers[module] = Layer(names(ours), tuple(libraries.split()))
    return groups, layers


GROUPS, LAYERS = _read(TABLE)
GATEWAY, HARVESTER = GROUPS["GATEWAY"], GROUPS["HARVESTER"]
MODULES = {
    ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): file
    for package in ("gateway", "harvester")
    for file in sorted((ROOT / package).rglob("*.py"))
}


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield every statement below a node. No expression has one in it, and there are many more of those."""
    for field in ("body", "orelse", "handlers", "finalbody", "cases"):
        for statement in getattr(node, field, ()):
            yield statement
            yield from _statements(statement)


@cache
def _imports(name: str) -> tuple[str, ...]:
    """Return the full name of everything a module imports, wherever in it the statement stands."""
    file, found = MODULES[name], list[str]()
    package = name if file.stem == "__init__" else name.rpartition(".")[0]
    for node in _statements(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            found += [".".join([*above, *filter(None, [node.module]), alias.name]) for alias in node.names]
    return tuple(found)


def _is_below(name: str, tops: tuple[str, ...]) -> bool:
    return any(name == top or name.startswith(f"{top}.") for top in tops)


def _module_of(imported: str) -> str:
    """Return the module of ours that an imported name lies in: that of `gateway.app.Databases` is `gateway.app`."""
    while imported not in MODULES:
        imported = imported.rpartition(".")[0]
    return imported


def _ours(module: str) -> list[str]:
    """Return the modules of ours that a module imports."""
    return [_module_of(name) for name in _imports(module) if _is_below(name, ("gateway", "harvester"))]


def _forbidden(module: str) -> list[str]:
    """Return what a module imports that its layer may not."""
    layers = [top for top in LAYERS if _is_below(module, (top,)) or fnmatchcase(module, top)]
    ours, libraries = LAYERS[max(layers, key=len)]
    # A part of a package does not want its package's `__init__`, which is loaded before it anyway and empty.
    is_top = _is_below(module, ("gateway.cli",))
    wrong = [name for name in _ours(module) if not _is_below(name, ours) or (name == "gateway" and not is_top)]
    others = [name for name in _imports(module) if not _is_below(name, ("gateway", "harvester"))]
    return wrong + [name for name in others if name.partition(".")[0] not in sys.stdlib_module_names | {*libraries}]


def _importers(imported: tuple[str, ...], allowed: tuple[str, ...]) -> set[tuple[str, str]]:
    """Return the modules that import any of these names and are not among those that may."""
    others = [module for module in MODULES if not _is_below(module, allowed)]
    return {(module, name) for module in others for name in _imports(module) if _is_below(name, imported)}


def test_the_table_names_only_what_there_is() -> None:
    named = {*LAYERS, *MAY_CONNECT, *(name for layer in LAYERS.values() for name in layer.ours)}
    assert {name for name in named if name.removesuffix(".*") not in MODULES} == set()


def test_modules_import_only_what_their_layers_may() -> None:
    assert {name: wrong for name in MODULES if (wrong := _forbidden(name))} == {}


def test_no_module_imports_itself_by_way_of_others() -> None:
    """Imports for types count too. `graphlib` raises CycleError, which names the modules."""
    TopologicalSorter({name: {*_ours(name)} - {name} for name in MODULES}).prepare()


def _rooms(package: str) -> dict[str, set[str]]:
    """Return the rooms of a package, and which others each of them imports from."""
    room = {name: ".".join(name.split(".")[:2]) for name in MODULES if name.startswith(f"{package}.")}
    imported: dict[str, set[str]] = {top: set() for top in room.values()}
    for name, top in room.items():
        imported[top] |= {room[other] for other in _ours(name) if other in room} - {top}
    return imported


@pytest.mark.parametrize("rooms", [GATEWAY, HARVESTER], ids=["gateway", "harvester"])
def test_there_are_these_rooms_and_arrows_between_them_point_down(rooms: tuple[str, ...]) -> None:
    imported = _rooms(rooms[0].partition(".")[0])
    assert set(imported) == set(rooms)
    order = rooms.index
    assert {(top, below) for top, tops in imported.items() for below in tops if order(below) > order(top)} == set()


def test_the_gateway_has_at_most_eleven_floors() -> None:
    imported, floors = _rooms("gateway"), dict[str, int]()
    for top in GATEWAY:  # from the ground up
        floors[top] = 1 + max((floors[below] for below in imported[top]), default=0)
    assert max(floors.values()) <= 11, floors


def test_the_store_has_one_door_of_at_most_fifteen_names() -> None:
    """And what answers requests is handed databases: it never opens, copies or repairs one."""
    imported = {name for _, name in _importers(("gateway.store",), ("gateway.store",))}
    assert {name for name in imported if not name.startswith("gateway.store.base.")} == set()
    assert len(imported) <= 15, imported
    openers = tuple(f"gateway.store.base.{name}" for name in ("Databases", "copy_databases", "database_files"))
    answering = tuple(f"gateway.{room}" for room in ("oaipmh", "resourcesync", "pages", "review"))
    opening = {module for module, _ in _importers(openers, ("gateway.store",)) if _is_below(module, answering)}
    assert opening == {"gateway.review.users"}


def test_the_network_and_the_harvester_are_imported_only_where_they_may_be() -> None:
    assert _importers(NETWORK, MAY_CONNECT) == set()
    assert _importers(("harvester",), ("harvester",)) == set()


# Files of one machine that are no databases of an instance: an index, a plan, a mirror's and an audit's ledgers.
WORKING_FILES = {
    "gateway.core.working_file",
    "gateway.search.sqlite_index",
    "gateway.search.sqlite_reader",
    "harvester.harvest.named_records",
    "harvester.mirror.caches",
    "harvester.sources.resourcesync.plan",
}


def test_the_driver_of_sqlite_is_imported_only_by_its_connector_and_for_working_files() -> None:
    importers = _importers(("sqlite3",), ("gateway.store.sqlite",))
    assert {module for module, _ in importers} == WORKING_FILES


def test_only_xmlio_configures_parsers() -> None:
    named = re.compile(rf"\.(?:{'|'.join(XML_PARSERS)})\b")
    assert {name for name, file in MODULES.items() if named.search(file.read_text("utf-8"))} == {"gateway.core.xmlio"}


# Patterns that read no record: of a query, a takedown, a preprint server, the text of a file, and of Crossref's list.
DOI_PATTERNS = {
    "gateway.core.addresses", "gateway.core.bibliography.identifiers", "gateway.core.takedowns", "gateway.search.words",
    "harvester.audit.compare", "harvester.audit.crossref_list", "harvester.fulltext.pdf.evidence",
    "harvester.fulltext.steps.openrxiv", "harvester.fulltext.steps.osf",
}  # fmt: skip
# Of the parts of a citation, and of a day that Crossref has.
YEAR_PATTERNS = {
    "gateway.core.bibliography.dates", "gateway.core.bibliography.hosts", "gateway.core.bibliography.identifiers",
    "gateway.formats.xmetadissplus", "harvester.audit.compare",
}  # fmt: skip


def test_identifiers_and_dates_of_records_are_read_in_one_place() -> None:
    texts = {name: file.read_text("utf-8") for name, file in MODULES.items()}
    for pattern, known in ((r"10\\\.(?:\\d|\[0-9\]|\()", DOI_PATTERNS), (r"\(\?:19?\[?5?-?9?\]?\|20\)", YEAR_PATTERNS)):
        assert {name for name, text in texts.items() if re.search(pattern, text)} == known
