"""Arrows point one way: who may import whom, as a table, and every import in the house held against it."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache
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
    "gateway.digests",
    "gateway.secret_arguments",
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
    "gateway.filing",
    "gateway.obeying",
    "gateway.recovery",
    "gateway.items",
    "gateway.versions",
    "gateway.known_files",
    "gateway.mapping",
    "gateway.names",
    "gateway.provenance",
    "gateway.related",
    "gateway.namespaces",
    "gateway.takedowns",
    "gateway.withholding",
)

# The longest name that a module's own begins with decides; `.*` means what lies below a package, and not itself.
# The standard library is open to all.
LAYERS = {
    # What everything stands on knows nothing else of ours, and no library.
    "gateway.model": Layer(("gateway.model",)),
    "gateway.errors": Layer(),
    "gateway.xmltext": Layer(),
    "gateway.addresses": Layer(),
    "gateway.digests": Layer(),
    "gateway.secret_arguments": Layer(),
    "gateway.sandbox": Layer(),
    "gateway.durable": Layer(),
    "gateway.permissions": Layer(("gateway.errors",)),
    "gateway.settings": Layer(GROUND),
    "gateway.registry": Layer(GROUND),
    "gateway.logs": Layer((*GROUND, "gateway.settings", "gateway.terminal")),
    "gateway.xmlio": Layer(GROUND, ("lxml",)),
    "gateway.didl_items": Layer((*GROUND, "gateway.xmlio")),
    # Formats and store never see each other; publication, in its eight files, is where they meet.
    "gateway.formats": Layer((*GROUND, "gateway.xmlio", "gateway.registry")),
    "gateway.formats.*": Layer((*GROUND, "gateway.xmlio", "gateway.didl_items", "gateway.formats"), ("lxml",)),
    "gateway.takedowns": Layer(GROUND),
    "gateway.store": Layer(
        (
            "gateway.model",
            "gateway.errors",
            "gateway.xmltext",
            "gateway.durable",
            "gateway.permissions",
            "gateway.takedowns",
            "gateway.store",
        ),
        ("sqlite_utils", "zstandard"),
    ),
    "gateway.names": Layer(GROUND),
    "gateway.unattended": Layer(GROUND),
    "gateway.namespaces": Layer((*GROUND, "gateway.xmlio"), ("lxml",)),
    "gateway.withholding": Layer((*GROUND, "gateway.takedowns")),
    "gateway.provenance": Layer((*GROUND, "gateway.xmlio"), ("lxml",)),
    "gateway.related": Layer((*GROUND, "gateway.xmlio", "gateway.provenance")),
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
            "gateway.related",
        )
    ),
    "gateway.versions": Layer((*GROUND, "gateway.store.base")),
    "gateway.items": Layer((*CORE, "gateway.formats", "gateway.store", *PUBLICATION)),
    "gateway.rebuild": Layer((*CORE, "gateway.formats", "gateway.store", *PUBLICATION)),
    "gateway.obeying": Layer((*CORE, "gateway.formats", "gateway.store", *PUBLICATION)),
    "gateway.filing": Layer((*CORE, "gateway.formats", "gateway.store", *PUBLICATION)),
    "gateway.recovery": Layer((*CORE, "gateway.formats", "gateway.store", *PUBLICATION)),
    "gateway.publish": Layer((*CORE, "gateway.formats", "gateway.store", *PUBLICATION)),
    # A face knows the store by its protocol only (the types in base.py). Pure parts use no library; routes know HTTP.
    "gateway.oaipmh": Layer((*GROUND, "gateway.names", "gateway.store.base", "gateway.oaipmh")),
    "gateway.oaipmh.routes": Layer(
        (*GROUND, "gateway.names", "gateway.store.base", "gateway.oaipmh"), ("flask", "isal")
    ),
    "gateway.websub": Layer((*GROUND, "gateway.store.base", "gateway.websub")),
    "gateway.websub.routes": Layer((*GROUND, "gateway.store.base", "gateway.websub"), ("flask",)),
    # The web server knows HTTP and WSGI, and nothing of what it serves.
    "gateway.server": Layer((*GROUND, "gateway.request_line", "gateway.server"), ("gunicorn",)),
    # What a monitoring system asks.
    "gateway.metrics": Layer(
        (*GROUND, "gateway.store.base", "gateway.store.sqlite", "gateway.metrics"), ("prometheus_client",)
    ),
    # The rim: what puts the parts together, and what people start.
    "gateway": Layer(("gateway",), ("click", "flask", "gunicorn", "tomlkit")),
    # The harvester uses the gateway's core, and never a face of it.
    "harvester": Layer(
        (*CORE, *PROGRAM, "gateway.formats", "gateway.store", *PUBLICATION, "harvester"),
        ("click", "lxml", "rich", "tomlkit"),
    ),
    "harvester.notifying.notifying": Layer((*GROUND, "gateway.durable", "gateway.settings", "harvester")),
    "harvester.notifying.sending": Layer((*GROUND, "gateway.settings", "harvester.notifying", "harvester.wire")),
    # What lies on this machine may be compressed.
    "harvester.local": Layer((*GROUND, "harvester"), ("zstandard",)),
    # The one seam to the network.
    "harvester.web": Layer((*GROUND, "gateway.settings", "harvester"), ("isal", "requests", "urllib3")),
    # What was fetched is judged without fetching anything; the engines that read PDFs are used by a child alone.
    "harvester.verification": Layer(
        (*GROUND, "gateway.sandbox", "harvester.wire", "harvester.verification"), ("snowballstemmer",)
    ),
    "harvester.verification.reading": Layer(("gateway.sandbox",), ("pdfminer", "pypdfium2")),
    # Steps are handed `fetch`; the search hands it to them, and manners stand before the network.
    "harvester.discovery": Layer((*GROUND, "harvester.wire", "harvester.verification", "harvester.discovery")),
    "harvester.search": Layer(
        (*CORE, "gateway.formats", "gateway.store", *PUBLICATION, "harvester"), ("click", "zstandard")
    ),
    "harvester.mirror": Layer((*GROUND, "gateway.xmlio", "gateway.didl_items", "harvester"), ("lxml",)),
    "harvester.mirror.looking": Layer((*GROUND, "harvester.mirror"), ("puremagic",)),
    # Whoever interprets is handed `fetch` and never reaches for the network.
    "harvester.wire": Layer((*GROUND, "gateway.xmlio", "harvester.wire"), ("lxml",)),
    "harvester.wire.article_page": Layer((*GROUND, "harvester.wire"), ("bs4",)),
    "harvester.wire.landing_links": Layer((*GROUND, "harvester.wire"), ("bs4",)),
    "harvester.wire.page_license": Layer((*GROUND, "harvester.wire"), ("bs4",)),
    "harvester.wire.landing_page": Layer((*GROUND, "gateway.xmlio", "harvester.wire")),
    "harvester.wire.page_tree": Layer(GROUND, ("bs4",)),
    "harvester.wire.robots": Layer((*GROUND, "harvester.wire"), ("protego",)),
    "harvester.sources": Layer((*GROUND, "gateway.registry", "harvester.wire", "harvester.sources")),
    "harvester.sources.*": Layer(
        (
            *GROUND,
            "gateway.formats",
            "harvester.wire",
            "harvester.oai_pmh",
            "harvester.resourcesync",
            "harvester.sources",
            "harvester.nameless",
        )
    ),
    "harvester.nameless": Layer(GROUND),
    "harvester.oai_pmh": Layer((*GROUND, "gateway.xmlio", "harvester.wire", "harvester.sources", "harvester.oai_pmh")),
    "harvester.resourcesync": Layer(
        (*GROUND, "harvester.wire", "harvester.sources", "harvester.resourcesync", "harvester.nameless")
    ),
}
# Of the standard library, what opens connections.
NETWORK = ("socket", "ssl", "http.client", "urllib.request", "asyncio", "ftplib", "smtplib", "telnetlib")
MAY_CONNECT = ("harvester.web", "harvester.notifying.sending", "gateway.serve", "gateway.server")
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
        for each in getattr(node, field, ()):
            yield each
            yield from _statements(each)


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
