"""Arrows point one way: who may import whom, as a table, and every import in the house compared with it."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache
from graphlib import TopologicalSorter
from typing import NamedTuple

from tests.conftest import ROOT

# A row says what the modules below some names may import: of ours (with all below it), and after `+`, which libraries.
# The longest name that a module's own begins with decides; `.*` is what lies below a package. Capitals name a group.
TABLE = """
GROUND <- gateway.{model, errors, xmltext, addresses, special_addresses, address_rules, digests, secret_arguments,
  typed_links, spdx, spreadsheets, work_dates, normal_forms}
PROGRAM <- gateway.{clocks, contract, program, signals, statuses, streams, terminal}
CORE <- GROUND gateway.{permissions, sandbox, settings, logs, xmlio, registry}
PUBLICATION <- gateway.{unattended, publish, rebuild, rebuild_processes, publish_files, apply_takedowns, recovery,
  items, indexing, versions, known_files, mapping, names, provenance, resourcesync_abouts, namespaces, takedowns,
  takedown_targets, withholding}
MESSAGES <- harvester.http.{archives, dates, json_answers, links, messages, urls}
WORKS <- gateway.fulltext.{licenses, policies, search_result, identification} harvester.fulltext.{access_rights,
  identifiers, known_copies, license_hosts, match_titles, match_work, page_ranges, prohibitions, retractions,
  rights_words}
# The ground first: each may import those before it that its row names.
ROOMS <- harvester.{runtime, xml, http, sources, fulltext, validate, harvest, dump, mirror, offer, schedule, audit,
  graph, commands, cli, __main__}

gateway.model <- gateway.model
gateway.{errors, xmltext, addresses, digests, secret_arguments, spreadsheets, work_dates, normal_forms, sandbox,
  durable, special_addresses, index_process} <-
gateway.typed_links <- gateway.{addresses, xmltext}
gateway.{permissions, rebuild_processes} <- gateway.errors
gateway.settings <- GROUND gateway.settings_table
gateway.settings_table <- gateway.address_rules
gateway.address_rules <- gateway.{errors, special_addresses}
gateway.{registry, takedowns, names, unattended} <- GROUND
gateway.logs <- GROUND gateway.{settings, terminal}
gateway.xmlio <- GROUND + lxml
gateway.didl_items <- GROUND gateway.xmlio
# Formats and store never see each other; publication, in its eight files, is where they meet.
gateway.formats <- GROUND gateway.{xmlio, registry}
gateway.formats.* <- GROUND gateway.{xmlio, didl_items, formats} + lxml
gateway.pieces <- + isal zstandard
gateway.{takedown_targets, withholding} <- GROUND gateway.takedowns
gateway.store <- gateway.{model, errors, xmltext, durable, permissions, takedowns, pieces, store} + isal sqlite_utils
  zlib_ng zstandard
gateway.{namespaces, provenance} <- GROUND gateway.xmlio + lxml
gateway.resourcesync_abouts <- GROUND gateway.{xmlio, provenance}
gateway.known_files <- GROUND gateway.formats
gateway.mapping <- CORE gateway.{formats, known_files, names, namespaces, provenance, takedowns, withholding,
  resourcesync_abouts}
gateway.versions <- GROUND gateway.store.base
gateway.indexing <- CORE gateway.{descriptions, index_process, formats, search, store}
gateway.{items, rebuild, apply_takedowns, publish_files, recovery, publish} <- CORE gateway.{formats, store} PUBLICATION
gateway.fulltext <- GROUND gateway.{settings, fulltext}
gateway.fulltext.stored_files <- GROUND gateway.{permissions, settings, store.takedown_file}
gateway.fulltext.review <- GROUND gateway.{settings, store.base, fulltext}
gateway.fulltext.release <- GROUND gateway.{settings, publish_files, store.base, store.lock_file, store.step, fulltext}
gateway.fulltext.deciding <- GROUND gateway.{settings, store.base, takedowns, fulltext}
gateway.fulltext.withdrawing <- GROUND gateway.{settings, apply_takedowns, store.base, store.takedown_file, takedowns,
  fulltext}
# A face knows the store by its protocol only (the types in base.py). Pure parts use no library; routes know HTTP.
gateway.oaipmh <- GROUND gateway.{names, pieces, store.base, oaipmh}
gateway.oaipmh.routes <- GROUND gateway.{names, pieces, store.base, oaipmh} + flask werkzeug
# Pages: the frame, and the faces that use it. Faces never import each other, and are handed what reads records.
gateway.pages <- GROUND gateway.pages + jinja2 markupsafe
gateway.pages.{answers, assets} <- GROUND gateway.pages + flask
gateway.pages.appearance <- GROUND gateway.{settings, pages}
gateway.descriptions <- GROUND gateway.{formats, provenance, xmlio}
gateway.landing <- GROUND gateway.{names, typed_links, pages, landing}
gateway.landing.places <- GROUND gateway.{names, pages, store.base}
gateway.landing.copy_links <- GROUND gateway.{pages, store.base, landing} + flask
gateway.landing.{resolver, crawlers} <- GROUND gateway.{names, pages, store.base, landing} + flask
gateway.landing.routes <- GROUND gateway.{names, typed_links, pages, store.base, landing} + flask markupsafe
gateway.browse <- GROUND gateway.{names, pages, store.base, search.query, browse}
gateway.browse.{answers, home_pages, list_pages, routes, source_pages, verb_pages} <- GROUND gateway.{names, pages,
  store.base, search.query, browse} + flask
gateway.browse.search_routes <- GROUND gateway.{names, pages, store.base, search.base, search.query, browse} + flask
gateway.search <- GROUND gateway.{names, permissions, store.base, store.queries, store.working_file, search}
gateway.resourcesync <- GROUND gateway.{names, store.base, resourcesync}
gateway.resourcesync.answers <- GROUND gateway.resourcesync + flask isal
gateway.resourcesync.{files, batch_dump} <- GROUND gateway.{store.base, resourcesync} + flask
gateway.resourcesync.kept <- GROUND gateway.{durable, permissions, takedowns, resourcesync}
gateway.resourcesync.keeping <- GROUND gateway.{names, store.base, takedowns, resourcesync}
gateway.resourcesync.{archives, dumps, routes, shared} <- GROUND gateway.{store.base, resourcesync} + flask werkzeug
gateway.hub <- GROUND gateway.{names, resourcesync.addresses, resourcesync.periods, hub}
gateway.hub.backlog <- GROUND gateway.{store.base, hub.topics}
gateway.hub.routes <- GROUND gateway.{resourcesync.periods, store.base, hub} + flask
gateway.websub <- GROUND gateway.{store.base, websub}
gateway.websub.routes <- GROUND gateway.{store.base, websub} + flask
gateway.people <- GROUND gateway.{fulltext.decisions, instance, pages.site, settings, store.base, store.opening,
  store.takedown_file, people}
gateway.people.commands <- GROUND gateway.{program, settings, terminal, people} + click
gateway.people.log_lines <- GROUND gateway.store.base
gateway.people.passwords <- gateway.errors + argon2
gateway.people.throttle <- GROUND gateway.store.{base, base_users}
# The only face that writes. It knows the databases by their protocols, and what decides is handed to it.
gateway.review <- GROUND gateway.{names, pages, settings, store.base, takedowns, takedown_targets, people.log_lines,
  people.throttle, fulltext, review} + flask flask_wtf werkzeug
gateway.review.login_page <- GROUND gateway.{pages, store.base, people.passwords, people.throttle, review} + flask
gateway.server <- GROUND gateway.{request_line, server} + gunicorn
gateway.metrics <- GROUND gateway.{store.base, store.opening, hub, metrics} + prometheus_client
gateway <- gateway + click flask gunicorn tomlkit
# The harvester: a row for each room, from the ground up. It uses the core of the gateway, and never a face of it.
harvester.runtime <- GROUND gateway.{logs, permissions, program, statuses, streams, terminal} harvester.runtime
harvester.runtime.progress <- GROUND PROGRAM gateway.logs harvester.runtime + rich
harvester.xml <- GROUND gateway.xmlio harvester.xml + lxml
# The one seam to the network. What lies on this machine may be compressed.
harvester.http <- GROUND gateway.settings harvester.{runtime, xml, http} + isal requests urllib3
harvester.http.local_files <- GROUND harvester.{runtime, http} + zstandard
harvester.http.robots_txt <- GROUND harvester.http + protego
# Sources, services and steps are handed `fetch`. They know what is asked and answered, and never what connects.
harvester.sources <- GROUND gateway.{formats, registry, store.queries, xmlio} MESSAGES
  harvester.{runtime.temporary_files, xml, sources} + lxml
harvester.fulltext <- CORE gateway.{formats, fulltext, store} PUBLICATION harvester.{runtime.interrupts,
  runtime.worker_pool, http, fulltext}
harvester.fulltext.services <- GROUND gateway.xmlio MESSAGES harvester.xml WORKS
  harvester.fulltext.{pages.landing_rules, services} + lxml
harvester.fulltext.pages <- GROUND gateway.xmlio MESSAGES harvester.xml WORKS harvester.fulltext.pages + bs4 lxml
harvester.fulltext.pdf <- GROUND gateway.sandbox WORKS harvester.fulltext.{pages, pdf} + snowballstemmer
harvester.fulltext.pdf.reader <- gateway.sandbox + pdfminer pypdfium2
harvester.fulltext.steps <- GROUND MESSAGES WORKS harvester.fulltext.{services, pages, pdf, steps}
harvester.validate <- GROUND gateway.xmlio MESSAGES harvester.{runtime.exit_status, runtime.temporary_files,
  sources.resourcesync.bounded_parser, sources.resourcesync.fixity, sources.resourcesync.leads,
  sources.resourcesync.package, xml.parsing, validate}
harvester.harvest <- CORE PROGRAM gateway.{fulltext, store} PUBLICATION harvester.{runtime, http, sources, fulltext,
  harvest}
harvester.harvest.sources_toml <- GROUND gateway.permissions harvester.{runtime, http, sources, harvest} + tomlkit
harvester.dump <- GROUND harvester.{runtime, xml, http, sources, harvest, dump}
harvester.mirror <- GROUND gateway.{store.queries, xmlio, didl_items} harvester.{runtime, http, sources, fulltext.pdf,
  harvest, dump, mirror} + lxml
harvester.mirror.file_types <- GROUND harvester.mirror + puremagic
harvester.offer <- GROUND gateway.{descriptions, fulltext.stored_files, pages.site, withholding} harvester.{runtime,
  http, fulltext, harvest, offer} + coarnotify
harvester.schedule <- GROUND gateway.{durable, fulltext, settings, apply_takedowns} harvester.{runtime, http, sources,
  fulltext, harvest, mirror, offer, schedule}
# The files of our ResourceSync source and the lists of our hub: made as its routes make them, never by a route.
harvester.schedule.kept_files <- harvester.schedule.repeating GROUND gateway.{descriptions, settings, landing.places,
  pages.appearance, resourcesync.addresses, resourcesync.keeping, resourcesync.site_resources, store.step}
  harvester.{runtime, harvest.instance}
harvester.schedule.hub.change_lists <- GROUND gateway.{descriptions, hub.topics, landing.places, pages.appearance,
  resourcesync.addresses, resourcesync.documents, resourcesync.site_resources, settings, store.base}
harvester.schedule.hub <- GROUND gateway.{settings, store.base, hub.callbacks, hub.topics, hub_subscribers}
  harvester.{runtime, http, harvest.instance, schedule.hub, schedule.repeating}
harvester.audit <- GROUND gateway.{formats, names, store, xmlio} harvester.{xml, http, fulltext, mirror, audit}
harvester.graph <- GROUND gateway.{fulltext, indexing, names, pages.reference, pages.shown, sandbox, store, takedowns}
  harvester.{http.urls, runtime, graph}
harvester.graph.database <- GROUND harvester.{runtime, graph} + ladybug
harvester.graph.query_process <- gateway.sandbox + ladybug
harvester.commands <- CORE PROGRAM gateway.{formats, fulltext, hub_subscribers, people.caller, people.log_completion,
  store} PUBLICATION ROOMS + click
harvester.__main__ <- harvester.cli
harvester.cli <- gateway.{permissions, program, settings} harvester.{commands, runtime} + click
harvester <-
"""
# Of the standard library, what opens connections.
NETWORK = ("socket", "ssl", "http.client", "urllib.request", "asyncio", "ftplib", "smtplib", "telnetlib")
MAY_CONNECT = ("harvester.http", "harvester.schedule.notifications.send", "gateway.serve", "gateway.server")
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
GROUND, PROGRAM, CORE, PUBLICATION, MESSAGES, WORKS, ROOMS = GROUPS.values()
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
    """Return the module of ours that an imported name lies in: `gateway.model.Work` lies in `gateway.model`."""
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
    is_top = _is_below(module, ("gateway.cli", "gateway.serve"))
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


def test_the_harvester_has_these_rooms_and_arrows_between_them_point_down() -> None:
    room = {name: ".".join(name.split(".")[:2]) for name in MODULES if name.startswith("harvester.")}
    assert set(room.values()) == set(ROOMS)
    arrows = {(name, imported) for name in room for imported in _ours(name) if imported in room}
    assert {arrow for arrow in arrows if ROOMS.index(room[arrow[1]]) > ROOMS.index(room[arrow[0]])} == set()


def test_a_backend_the_network_and_the_harvester_are_imported_only_where_they_may_be() -> None:
    backends = tuple(name for name in MODULES if name.startswith("gateway.store.sqlite"))
    assert backends
    assert _importers(backends, ("gateway.store",)) == set()
    assert _importers(NETWORK, MAY_CONNECT) == set()
    assert _importers(("harvester",), ("harvester",)) == set()


def test_only_xmlio_configures_parsers() -> None:
    named = re.compile(rf"\.(?:{'|'.join(XML_PARSERS)})\b")
    assert {name for name, file in MODULES.items() if named.search(file.read_text("utf-8"))} == {"gateway.xmlio"}
