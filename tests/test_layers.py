"""Arrows point one way: who may import whom, as a table, and every import in the house compared with it."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.conftest import ROOT, loaded_by


class Layer(NamedTuple):
    """What the modules below a name may import: of ours (with all below it), and which libraries."""

    ours: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()


GROUND = (
    "gateway.model",
    "gateway.errors",
    "gateway.xmltext",
    "gateway.addresses",
    "gateway.special_addresses",
    "gateway.address_rules",
    "gateway.digests",
    "gateway.secret_arguments",
    "gateway.typed_links",
    "gateway.spdx",
    "gateway.spreadsheets",
    "gateway.work_dates",
    "gateway.normal_forms",
)
PROGRAM = (
    "gateway.clocks",
    "gateway.contract",
    "gateway.program",
    "gateway.signals",
    "gateway.statuses",
    "gateway.streams",
    "gateway.terminal",
)
CORE = (
    *GROUND,
    "gateway.permissions",
    "gateway.sandbox",
    "gateway.settings",
    "gateway.logs",
    "gateway.xmlio",
    "gateway.registry",
)
PUBLICATION = (
    "gateway.unattended",
    "gateway.publish",
    "gateway.rebuild",
    "gateway.rebuild_processes",
    "gateway.publish_files",
    "gateway.apply_takedowns",
    "gateway.recovery",
    "gateway.items",
    "gateway.indexing",
    "gateway.versions",
    "gateway.known_files",
    "gateway.mapping",
    "gateway.names",
    "gateway.provenance",
    "gateway.resourcesync_abouts",
    "gateway.namespaces",
    "gateway.takedowns",
    "gateway.takedown_targets",
    "gateway.withholding",
)

# What is asked and what came back, and how to read it: values and parsers, which open no connection.
MESSAGES = (
    "harvester.http.archives",
    "harvester.http.dates",
    "harvester.http.json_answers",
    "harvester.http.links",
    "harvester.http.messages",
    "harvester.http.urls",
)
# What is known of a work and of the copies of it.
WORKS = (
    "gateway.fulltext.licenses",
    "gateway.fulltext.policies",
    "gateway.fulltext.search_result",
    "gateway.fulltext.identification",
    "harvester.fulltext.access_rights",
    "harvester.fulltext.identifiers",
    "harvester.fulltext.known_copies",
    "harvester.fulltext.license_hosts",
    "harvester.fulltext.match_titles",
    "harvester.fulltext.match_work",
    "harvester.fulltext.page_ranges",
    "harvester.fulltext.prohibitions",
    "harvester.fulltext.retractions",
    "harvester.fulltext.rights_words",
)
# The rooms of the harvester, the ground first: each may import those before it that its row names.
ROOMS = (
    "harvester.runtime",
    "harvester.xml",
    "harvester.http",
    "harvester.sources",
    "harvester.fulltext",
    "harvester.validate",
    "harvester.harvest",
    "harvester.dump",
    "harvester.mirror",
    "harvester.offer",
    "harvester.schedule",
    "harvester.audit",
    "harvester.graph",
    "harvester.commands",
    "harvester.cli",
    "harvester.__main__",
)

# The longest name that a module's own begins with decides; `.*` means what lies below a package, and not itself.
# The standard library is open to all.
_PAGES = Layer(
    (*GROUND, "gateway.names", "gateway.pages", "gateway.store.base", "gateway.search.query", "gateway.browse"),
    ("flask",),
)
LAYERS = {
    # What everything stands on knows nothing else of ours, and no library.
    "gateway.model": Layer(("gateway.model",)),
    "gateway.errors": Layer(),
    "gateway.xmltext": Layer(),
    "gateway.addresses": Layer(),
    "gateway.digests": Layer(),
    "gateway.secret_arguments": Layer(),
    "gateway.spreadsheets": Layer(),
    "gateway.work_dates": Layer(),
    "gateway.normal_forms": Layer(),
    "gateway.typed_links": Layer(("gateway.addresses", "gateway.xmltext")),
    "gateway.sandbox": Layer(),
    "gateway.durable": Layer(),
    "gateway.permissions": Layer(("gateway.errors",)),
    "gateway.settings": Layer((*GROUND, "gateway.settings_table")),
    "gateway.settings_table": Layer(("gateway.address_rules",)),
    "gateway.special_addresses": Layer(),
    "gateway.address_rules": Layer(("gateway.errors", "gateway.special_addresses")),
    "gateway.registry": Layer(GROUND),
    "gateway.logs": Layer((*GROUND, "gateway.settings", "gateway.terminal")),
    "gateway.xmlio": Layer(GROUND, ("lxml",)),
    "gateway.didl_items": Layer((*GROUND, "gateway.xmlio")),
    # Formats and store never see each other; publication, in its eight files, is where they meet.
    "gateway.formats": Layer((*GROUND, "gateway.xmlio", "gateway.registry")),
    "gateway.formats.*": Layer((*GROUND, "gateway.xmlio", "gateway.didl_items", "gateway.formats"), ("lxml",)),
    "gateway.takedowns": Layer(GROUND),
    # Compressed parts of answers: the store keeps them, and OAI-PMH joins them.
    "gateway.pieces": Layer((), ("isal", "zstandard")),
    "gateway.takedown_targets": Layer((*GROUND, "gateway.takedowns")),
    "gateway.store": Layer(
        (
            "gateway.model",
            "gateway.errors",
            "gateway.xmltext",
            "gateway.durable",
            "gateway.permissions",
            "gateway.takedowns",
            "gateway.pieces",
            "gateway.store",
        ),
        ("isal", "sqlite_utils", "zlib_ng", "zstandard"),
    ),
    "gateway.names": Layer(GROUND),
    "gateway.unattended": Layer(GROUND),
    "gateway.namespaces": Layer((*GROUND, "gateway.xmlio"), ("lxml",)),
    "gateway.withholding": Layer((*GROUND, "gateway.takedowns")),
    "gateway.provenance": Layer((*GROUND, "gateway.xmlio"), ("lxml",)),
    "gateway.resourcesync_abouts": Layer((*GROUND, "gateway.xmlio", "gateway.provenance")),
    "gateway.known_files": Layer((*GROUND, "gateway.formats")),
    "gateway.mapping": Layer(
        (
            *CORE,
            "gateway.formats",
            "gateway.known_files",
            "gateway.names",
            "gateway.namespaces",
            "gateway.provenance",
            "gateway.takedowns",
            "gateway.withholding",
            "gateway.resourcesync_abouts",
        )
    ),
    "gateway.versions": Layer((*GROUND, "gateway.store.base")),
    "gateway.index_process": Layer(),
    "gateway.rebuild_processes": Layer(("gateway.errors",)),
    "gateway.indexing": Layer(
        (*CORE, "gateway.descriptions", "gateway.index_process", "gateway.formats", "gateway.search", "gateway.store")
    ),
    "gateway.items": Layer((*CORE, "gateway.formats", "gateway.store", *PUBLICATION)),
    "gateway.rebuild": Layer((*CORE, "gateway.formats", "gateway.store", *PUBLICATION)),
    "gateway.apply_takedowns": Layer((*CORE, "gateway.formats", "gateway.store", *PUBLICATION)),
    "gateway.publish_files": Layer((*CORE, "gateway.formats", "gateway.store", *PUBLICATION)),
    "gateway.recovery": Layer((*CORE, "gateway.formats", "gateway.store", *PUBLICATION)),
    "gateway.publish": Layer((*CORE, "gateway.formats", "gateway.store", *PUBLICATION)),
    # What is decided of full texts, and what of them is published: the harvester decides, and so may a web face.
    "gateway.fulltext": Layer((*GROUND, "gateway.settings", "gateway.fulltext")),
    "gateway.fulltext.stored_files": Layer(
        (*GROUND, "gateway.permissions", "gateway.settings", "gateway.store.takedown_file")
    ),
    "gateway.fulltext.review": Layer((*GROUND, "gateway.settings", "gateway.store.base", "gateway.fulltext")),
    "gateway.fulltext.release": Layer(
        (
            *GROUND,
            "gateway.settings",
            "gateway.publish_files",
            "gateway.store.base",
            "gateway.store.lock_file",
            "gateway.store.step",
            "gateway.fulltext",
        )
    ),
    "gateway.fulltext.deciding": Layer(
        (*GROUND, "gateway.settings", "gateway.store.base", "gateway.takedowns", "gateway.fulltext")
    ),
    "gateway.fulltext.withdrawing": Layer(
        (
            *GROUND,
            "gateway.settings",
            "gateway.apply_takedowns",
            "gateway.store.base",
            "gateway.store.takedown_file",
            "gateway.takedowns",
            "gateway.fulltext",
        )
    ),
    # A face knows the store by its protocol only (the types in base.py). Pure parts use no library; routes know HTTP.
    "gateway.oaipmh": Layer((*GROUND, "gateway.names", "gateway.pieces", "gateway.store.base", "gateway.oaipmh")),
    "gateway.oaipmh.routes": Layer(
        (*GROUND, "gateway.names", "gateway.pieces", "gateway.store.base", "gateway.oaipmh"), ("flask", "werkzeug")
    ),
    # Pages: the frame, and the faces that use it. Faces never import each other, and are handed what reads records.
    "gateway.pages": Layer((*GROUND, "gateway.pages"), ("jinja2", "markupsafe")),
    "gateway.pages.answers": Layer((*GROUND, "gateway.pages"), ("flask",)),
    "gateway.pages.assets": Layer((*GROUND, "gateway.pages"), ("flask",)),
    "gateway.pages.appearance": Layer((*GROUND, "gateway.settings", "gateway.pages")),
    "gateway.descriptions": Layer((*GROUND, "gateway.formats", "gateway.provenance", "gateway.xmlio")),
    "gateway.landing": Layer((*GROUND, "gateway.names", "gateway.typed_links", "gateway.pages", "gateway.landing")),
    "gateway.landing.places": Layer((*GROUND, "gateway.names", "gateway.pages", "gateway.store.base")),
    "gateway.landing.copy_links": Layer(
        (*GROUND, "gateway.pages", "gateway.store.base", "gateway.landing"), ("flask",)
    ),
    "gateway.landing.resolver": Layer(
        (*GROUND, "gateway.names", "gateway.pages", "gateway.store.base", "gateway.landing"), ("flask",)
    ),
    "gateway.landing.crawlers": Layer(
        (*GROUND, "gateway.names", "gateway.pages", "gateway.store.base", "gateway.landing"), ("flask",)
    ),
    "gateway.landing.routes": Layer(
        (
            *GROUND,
            "gateway.names",
            "gateway.typed_links",
            "gateway.pages",
            "gateway.store.base",
            "gateway.landing",
        ),
        ("flask", "markupsafe"),
    ),
    "gateway.browse": Layer(
        (*GROUND, "gateway.names", "gateway.pages", "gateway.store.base", "gateway.search.query", "gateway.browse")
    ),
    "gateway.browse.answers": _PAGES,
    "gateway.browse.home_pages": _PAGES,
    "gateway.browse.list_pages": _PAGES,
    "gateway.browse.routes": _PAGES,
    "gateway.browse.source_pages": _PAGES,
    "gateway.browse.verb_pages": _PAGES,
    "gateway.browse.search_routes": Layer(
        (
            *GROUND,
            "gateway.names",
            "gateway.pages",
            "gateway.store.base",
            "gateway.search.base",
            "gateway.search.query",
            "gateway.browse",
        ),
        ("flask",),
    ),
    # The search knows neither XML nor formats: what reads a record is handed in.
    "gateway.search": Layer(
        (
            *GROUND,
            "gateway.names",
            "gateway.permissions",
            "gateway.store.base",
            "gateway.store.queries",
            "gateway.store.working_file",
            "gateway.search",
        )
    ),
    # The ResourceSync source: pure documents and windows of changes; how metadata is addressed is handed in.
    "gateway.resourcesync": Layer((*GROUND, "gateway.names", "gateway.store.base", "gateway.resourcesync")),
    "gateway.resourcesync.answers": Layer((*GROUND, "gateway.resourcesync"), ("flask", "isal")),
    "gateway.resourcesync.files": Layer((*GROUND, "gateway.store.base", "gateway.resourcesync"), ("flask",)),
    "gateway.resourcesync.batch_dump": Layer((*GROUND, "gateway.store.base", "gateway.resourcesync"), ("flask",)),
    "gateway.resourcesync.kept": Layer(
        (*GROUND, "gateway.durable", "gateway.permissions", "gateway.takedowns", "gateway.resourcesync")
    ),
    "gateway.resourcesync.keeping": Layer(
        (*GROUND, "gateway.names", "gateway.store.base", "gateway.takedowns", "gateway.resourcesync")
    ),
    **{
        f"gateway.resourcesync.{name}": Layer(
            (*GROUND, "gateway.store.base", "gateway.resourcesync"), ("flask", "werkzeug")
        )
        for name in ("archives", "dumps", "routes", "shared")
    },
    # Our hub has the open Change Lists as topics. It only stores what the harvester then does.
    "gateway.hub": Layer(
        (*GROUND, "gateway.names", "gateway.resourcesync.addresses", "gateway.resourcesync.periods", "gateway.hub")
    ),
    "gateway.hub.backlog": Layer((*GROUND, "gateway.store.base", "gateway.hub.topics")),
    "gateway.hub.routes": Layer(
        (*GROUND, "gateway.resourcesync.periods", "gateway.store.base", "gateway.hub"), ("flask",)
    ),
    "gateway.websub": Layer((*GROUND, "gateway.store.base", "gateway.websub")),
    "gateway.websub.routes": Layer((*GROUND, "gateway.store.base", "gateway.websub"), ("flask",)),
    # The people who may sign in, for the commands. The review knows their passwords, and who fails to sign in.
    "gateway.people": Layer(
        (
            *GROUND,
            "gateway.fulltext.decisions",
            "gateway.instance",
            "gateway.pages.site",
            "gateway.settings",
            "gateway.store.base",
            "gateway.store.opening",
            "gateway.store.takedown_file",
            "gateway.people",
        )
    ),
    "gateway.people.commands": Layer(
        (*GROUND, "gateway.program", "gateway.settings", "gateway.terminal", "gateway.people"), ("click",)
    ),
    "gateway.people.log_lines": Layer((*GROUND, "gateway.store.base")),
    "gateway.people.passwords": Layer(("gateway.errors",), ("argon2",)),
    "gateway.people.throttle": Layer((*GROUND, "gateway.store.base", "gateway.store.base_users")),
    # The only face that writes. It knows the databases by their protocols, and what decides is handed to it.
    "gateway.review": Layer(
        (
            *GROUND,
            "gateway.names",
            "gateway.pages",
            "gateway.settings",
            "gateway.store.base",
            "gateway.takedowns",
            "gateway.takedown_targets",
            "gateway.people.log_lines",
            "gateway.people.throttle",
            "gateway.fulltext",
            "gateway.review",
        ),
        ("flask", "flask_wtf", "werkzeug"),
    ),
    "gateway.review.login_page": Layer(
        (
            *GROUND,
            "gateway.pages",
            "gateway.store.base",
            "gateway.people.passwords",
            "gateway.people.throttle",
            "gateway.review",
        ),
        ("flask",),
    ),
    # The web server knows HTTP and WSGI, and nothing of what it serves.
    "gateway.server": Layer((*GROUND, "gateway.request_line", "gateway.server"), ("gunicorn",)),
    # What a monitoring system asks.
    "gateway.metrics": Layer(
        (*GROUND, "gateway.store.base", "gateway.store.opening", "gateway.hub", "gateway.metrics"),
        ("prometheus_client",),
    ),
    # The rim: what puts the parts together, and what people start.
    "gateway": Layer(("gateway",), ("click", "flask", "gunicorn", "tomlkit")),
    # The harvester: a row for each room, from the ground up. It uses the core of the gateway, and never a face of it.
    "harvester.runtime": Layer(
        (
            *GROUND,
            "gateway.logs",
            "gateway.permissions",
            "gateway.program",
            "gateway.statuses",
            "gateway.streams",
            "gateway.terminal",
            "harvester.runtime",
        )
    ),
    "harvester.runtime.progress": Layer((*GROUND, *PROGRAM, "gateway.logs", "harvester.runtime"), ("rich",)),
    "harvester.xml": Layer((*GROUND, "gateway.xmlio", "harvester.xml"), ("lxml",)),
    # The one seam to the network. What lies on this machine may be compressed.
    "harvester.http": Layer(
        (*GROUND, "gateway.settings", "harvester.runtime", "harvester.xml", "harvester.http"),
        ("isal", "requests", "urllib3"),
    ),
    "harvester.http.local_files": Layer((*GROUND, "harvester.runtime", "harvester.http"), ("zstandard",)),
    "harvester.http.robots_txt": Layer((*GROUND, "harvester.http"), ("protego",)),
    # Sources, services and steps are handed `fetch`. They know what is asked and answered, and never what connects.
    "harvester.sources": Layer(
        (
            *GROUND,
            "gateway.formats",
            "gateway.registry",
            "gateway.store.queries",
            "gateway.xmlio",
            *MESSAGES,
            "harvester.runtime.temporary_files",
            "harvester.xml",
            "harvester.sources",
        ),
        ("lxml",),
    ),
    "harvester.fulltext": Layer(
        (
            *CORE,
            "gateway.formats",
            "gateway.fulltext",
            "gateway.store",
            *PUBLICATION,
            "harvester.runtime.interrupts",
            "harvester.runtime.worker_pool",
            "harvester.http",
            "harvester.fulltext",
        )
    ),
    "harvester.fulltext.services": Layer(
        (
            *GROUND,
            "gateway.xmlio",
            *MESSAGES,
            "harvester.xml",
            *WORKS,
            "harvester.fulltext.pages.landing_rules",
            "harvester.fulltext.services",
        ),
        ("lxml",),
    ),
    "harvester.fulltext.pages": Layer(
        (*GROUND, "gateway.xmlio", *MESSAGES, "harvester.xml", *WORKS, "harvester.fulltext.pages"), ("bs4", "lxml")
    ),
    # What was fetched is judged without fetching anything; the engines that read PDFs are used by a child alone.
    "harvester.fulltext.pdf": Layer(
        (*GROUND, "gateway.sandbox", *WORKS, "harvester.fulltext.pages", "harvester.fulltext.pdf"), ("snowballstemmer",)
    ),
    "harvester.fulltext.pdf.reader": Layer(("gateway.sandbox",), ("pdfminer", "pypdfium2")),
    "harvester.fulltext.steps": Layer(
        (
            *GROUND,
            *MESSAGES,
            *WORKS,
            "harvester.fulltext.services",
            "harvester.fulltext.pages",
            "harvester.fulltext.pdf",
            "harvester.fulltext.steps",
        )
    ),
    "harvester.validate": Layer(
        (
            *GROUND,
            "gateway.xmlio",
            *MESSAGES,
            "harvester.runtime.exit_status",
            "harvester.runtime.temporary_files",
            "harvester.sources.resourcesync.bounded_parser",
            "harvester.sources.resourcesync.fixity",
            "harvester.sources.resourcesync.leads",
            "harvester.sources.resourcesync.package",
            "harvester.xml.parsing",
            "harvester.validate",
        )
    ),
    "harvester.harvest": Layer(
        (
            *CORE,
            *PROGRAM,
            "gateway.fulltext",
            "gateway.store",
            *PUBLICATION,
            "harvester.runtime",
            "harvester.http",
            "harvester.sources",
            "harvester.fulltext",
            "harvester.harvest",
        ),
    ),
    "harvester.harvest.sources_toml": Layer(
        (
            *GROUND,
            "gateway.permissions",
            "harvester.runtime",
            "harvester.http",
            "harvester.sources",
            "harvester.harvest",
        ),
        ("tomlkit",),
    ),
    "harvester.dump": Layer(
        (
            *GROUND,
            "harvester.runtime",
            "harvester.xml",
            "harvester.http",
            "harvester.sources",
            "harvester.harvest",
            "harvester.dump",
        )
    ),
    "harvester.mirror": Layer(
        (
            *GROUND,
            "gateway.store.queries",
            "gateway.xmlio",
            "gateway.didl_items",
            "harvester.runtime",
            "harvester.http",
            "harvester.sources",
            "harvester.fulltext.pdf",
            "harvester.harvest",
            "harvester.dump",
            "harvester.mirror",
        ),
        ("lxml",),
    ),
    "harvester.mirror.file_types": Layer((*GROUND, "harvester.mirror"), ("puremagic",)),
    # Files go back to the source of their item. The library makes the notifications, and sends nothing itself.
    "harvester.offer": Layer(
        (
            *GROUND,
            "gateway.descriptions",
            "gateway.fulltext.stored_files",
            "gateway.pages.site",
            "gateway.withholding",
            "harvester.runtime",
            "harvester.http",
            "harvester.fulltext",
            "harvester.harvest",
            "harvester.offer",
        ),
        ("coarnotify",),
    ),
    "harvester.schedule": Layer(
        (
            *GROUND,
            "gateway.durable",
            "gateway.fulltext",
            "gateway.settings",
            "gateway.apply_takedowns",
            "harvester.runtime",
            "harvester.http",
            "harvester.sources",
            "harvester.fulltext",
            "harvester.harvest",
            "harvester.mirror",
            "harvester.offer",
            "harvester.schedule",
        )
    ),
    # The files of our ResourceSync source: made as its routes make them, and never by a route.
    "harvester.schedule.kept_files": Layer(
        (
            "harvester.schedule.repeating",
            *GROUND,
            "gateway.descriptions",
            "gateway.settings",
            "gateway.landing.places",
            "gateway.pages.appearance",
            "gateway.resourcesync.addresses",
            "gateway.resourcesync.keeping",
            "gateway.resourcesync.site_resources",
            "gateway.store.step",
            "harvester.runtime",
            "harvester.harvest.instance",
        )
    ),
    # The Change Lists that our hub delivers: made as the routes of the source make them.
    "harvester.schedule.hub.change_lists": Layer(
        (
            *GROUND,
            "gateway.descriptions",
            "gateway.hub.topics",
            "gateway.landing.places",
            "gateway.pages.appearance",
            "gateway.resourcesync.addresses",
            "gateway.resourcesync.documents",
            "gateway.resourcesync.site_resources",
            "gateway.settings",
            "gateway.store.base",
        )
    ),
    # What of our hub goes out. It knows the topics, which are pure, and the protocol of the store.
    "harvester.schedule.hub": Layer(
        (
            *GROUND,
            "gateway.settings",
            "gateway.store.base",
            "gateway.hub.callbacks",
            "gateway.hub.topics",
            "gateway.hub_subscribers",
            "harvester.runtime",
            "harvester.http",
            "harvester.harvest.instance",
            "harvester.schedule.hub",
            "harvester.schedule.repeating",
        )
    ),
    "harvester.audit": Layer(
        (
            *GROUND,
            "gateway.formats",
            "gateway.names",
            "gateway.store",
            "gateway.xmlio",
            "harvester.xml",
            "harvester.http",
            "harvester.fulltext",
            "harvester.mirror",
            "harvester.audit",
        )
    ),
    # The graph is derived from what is published and decided. What a work is, it reads as the pages do.
    "harvester.graph": Layer(
        (
            *GROUND,
            "gateway.fulltext",
            "gateway.indexing",
            "gateway.names",
            "gateway.pages.reference",
            "gateway.pages.shown",
            "gateway.sandbox",
            "gateway.store",
            "gateway.takedowns",
            "harvester.http.urls",
            "harvester.runtime",
            "harvester.graph",
        )
    ),
    "harvester.graph.database": Layer((*GROUND, "harvester.runtime", "harvester.graph"), ("ladybug",)),
    "harvester.graph.query_process": Layer(("gateway.sandbox",), ("ladybug",)),
    "harvester.commands": Layer(
        (
            *CORE,
            *PROGRAM,
            "gateway.formats",
            "gateway.fulltext",
            "gateway.hub_subscribers",
            "gateway.people.caller",
            "gateway.people.log_completion",
            "gateway.store",
            *PUBLICATION,
            *ROOMS,
        ),
        ("click",),
    ),
    "harvester.__main__": Layer(("harvester.cli",)),
    "harvester.cli": Layer(
        ("gateway.permissions", "gateway.program", "gateway.settings", "harvester.commands", "harvester.runtime"),
        ("click",),
    ),
    "harvester": Layer(),
}
# Of the standard library, what opens connections.
NETWORK = ("socket", "ssl", "http.client", "urllib.request", "asyncio", "ftplib", "smtplib", "telnetlib")
MAY_CONNECT = ("harvester.http", "harvester.schedule.notifications.send", "gateway.serve", "gateway.server")
XML_PARSERS = ("XMLParser", "HTMLParser", "XMLPullParser", "iterparse", "set_default_parser")


def _modules() -> Iterator[tuple[str, Path]]:
    for package in ("gateway", "harvester"):
        for file in sorted((ROOT / package).rglob("*.py")):
            parts = file.relative_to(ROOT).with_suffix("").parts
            yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), file


MODULES = dict(_modules())


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield every statement below a node. No expression has one in it, and there are many more of those."""
    for field in ("body", "orelse", "handlers", "finalbody", "cases"):
        for statement in getattr(node, field, ()):
            yield statement
            yield from _statements(statement)


@cache
def _imports(name: str, file: Path) -> tuple[str, ...]:
    """Return the full name of everything a module imports, wherever in it the statement stands."""
    return tuple(_named_by_imports(name, file))


def _named_by_imports(name: str, file: Path) -> Iterator[str]:
    package = name if file.stem == "__init__" else name.rpartition(".")[0]
    for node in _statements(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield from (f"{base}.{alias.name}" for alias in node.names)


def _is_below(name: str, tops: tuple[str, ...]) -> bool:
    return any(name == top or name.startswith(f"{top}.") for top in tops)


def _layer(module: str) -> Layer:
    fitting = [top for top in LAYERS if _is_below(module, (top,)) or fnmatchcase(module, top)]
    return LAYERS[max(fitting, key=len)]


def _module_of(imported: str) -> str:
    """Return the module of ours that an imported name lies in: `gateway.model.Work` lies in `gateway.model`."""
    while imported not in MODULES:
        imported = imported.rpartition(".")[0]
    return imported


def test_the_table_names_only_what_there_is() -> None:
    named = {*LAYERS, *MAY_CONNECT, *(name for layer in LAYERS.values() for name in layer.ours)}
    assert {name for name in named if name.removesuffix(".*") not in MODULES} == set()


def test_modules_import_only_what_their_layers_may() -> None:
    assert {name: wrong for name in MODULES if (wrong := _forbidden(name))} == {}


def _forbidden(module: str) -> list[str]:
    layer = _layer(module)
    wrong = []
    for imported in _imports(module, MODULES[module]):
        top = imported.partition(".")[0]
        if top in ("gateway", "harvester"):
            allowed = _is_below(_module_of(imported), layer.ours) and not _reaches_up(module, _module_of(imported))
        else:
            allowed = top in sys.stdlib_module_names or top in layer.libraries
        if not allowed:
            wrong.append(imported)
    return wrong


def _reaches_up(module: str, imported: str) -> bool:
    """Tell whether a part of a package wants its package's `__init__`, which is loaded before it anyway and empty."""
    return imported == "gateway" and not _is_below(module, ("gateway.cli", "gateway.serve"))


def test_no_module_imports_itself_by_way_of_others() -> None:
    """Imports for types count too. `graphlib` raises CycleError, which names the modules."""
    graph = {
        name: {
            _module_of(imported) for imported in _imports(name, file) if _is_below(imported, ("gateway", "harvester"))
        }
        for name, file in MODULES.items()
    }
    TopologicalSorter({name: imported - {name} for name, imported in graph.items()}).prepare()


def test_the_harvester_has_these_rooms_and_arrows_between_them_point_down() -> None:
    room = {name: ".".join(name.split(".")[:2]) for name in MODULES if name.startswith("harvester.")}
    assert set(room.values()) == set(ROOMS)
    upward = {
        (name, imported)
        for name in room
        for imported in map(_module_of, filter(lambda module: _is_below(module, ROOMS), _imports(name, MODULES[name])))
        if ROOMS.index(room[imported]) > ROOMS.index(room[name])
    }
    assert upward == set()


def test_only_the_opener_of_the_store_names_a_backend() -> None:
    wrong = {
        module: [name for name in _imports(module, file) if name.startswith("gateway.store.sqlite")]
        for module, file in MODULES.items()
        if not _is_below(module, ("gateway.store",))
    }
    assert {module: names for module, names in wrong.items() if names} == {}


@pytest.mark.slow  # it reads every module
def test_sql_stands_in_sql_files() -> None:
    """Transactions begin and end in the room of the store; every other statement is in a `.sql` file."""
    wrong = {
        module: statements
        for module, file in MODULES.items()
        if not _is_below(module, ("gateway.store",))
        and (statements := [text for text in _texts(file) if _is_sql(text)])
    }
    assert wrong == {}


@pytest.mark.parametrize(
    "text",
    [
        "begin",
        "BEGIN IMMEDIATE",
        "PRAGMA synchronous = OFF",
        "select 1",
        " insert or ignore into window values (?)",
        "update x set a = 1",
        "delete from x",
        "drop table if exists x",
        "vacuum",
    ],
)
def test_sql_is_noticed(text: str) -> None:
    assert _is_sql(text)


def test_sentences_are_no_sql() -> None:
    sentences = (
        "Commit.",
        "Begin behind the page.",
        "Delete from the list what is gone.",
        "Select one:",
        "update",
        "commit",
    )
    assert not [text for text in sentences if _is_sql(text)]


def test_only_the_seams_open_connections() -> None:
    wrong = {
        module: [name for name in _imports(module, file) if _is_below(name, NETWORK)]
        for module, file in MODULES.items()
        if not _is_below(module, MAY_CONNECT)
    }
    assert {module: names for module, names in wrong.items() if names} == {}


def test_only_xmlio_configures_parsers() -> None:
    named = re.compile(rf"\.(?:{'|'.join(XML_PARSERS)})\b")
    wrong = {module for module, file in MODULES.items() if named.search(file.read_text(encoding="utf-8"))}
    assert wrong == {"gateway.xmlio"}


@pytest.mark.slow
def test_serving_oai_pmh_loads_no_xml_library() -> None:
    modules, _ = loaded_by("import gateway.oaipmh.routes")
    assert modules & {"lxml", "xml", "bs4"} == set()


def test_the_gateway_has_never_heard_of_the_harvester() -> None:
    for module, file in MODULES.items():
        if _is_below(module, ("gateway",)):
            assert not [name for name in _imports(module, file) if _is_below(name, ("harvester",))], module


def _texts(file: Path) -> Iterator[str]:
    """Return the texts in a module, without those of `__all__`."""
    tree = ast.parse(file.read_text("utf-8"))
    lists = (node for node in tree.body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__")
    public = {id(name) for node in lists for name in ast.walk(node)}
    constants = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in public)
    return (node.value for node in constants if isinstance(node.value, str))


_IS_SQL = re.compile(
    r"\s*(?:begin(?: (?:immediate|exclusive|deferred))?|rollback|vacuum|pragma \w+.*|attach .* as \w+|select .*\w"
    r"|insert (?:or \w+ )?into .*[\w)]|update \w+ set .*|delete from \w+(?: where .*)?"
    r"|(?:create|drop|alter) (?:table|index) .*)"
    r"\s*;?\s*",
    re.IGNORECASE | re.DOTALL,
)


def _is_sql(text: str) -> bool:
    return _IS_SQL.fullmatch(text) is not None
