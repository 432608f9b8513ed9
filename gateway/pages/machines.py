"""What programs ask first: FAIRiCat (`/.well-known/api-catalog`, RFC 9727) and `/openapi.json` (OpenAPI 3.1).

The latter describes our pages and their JSON.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from flask import Blueprint, Response

from gateway.core.settings import VERSION
from gateway.core.typed_links import JSON, Link, header, linkset_json
from gateway.pages.answers import answer
from gateway.pages.site import Site

_TEXT: dict[str, Any] = {"type": "string"}
_FILLED = {"type": "string", "minLength": 1, "maxLength": 8000}
_YEAR = {"type": "string", "pattern": "^[0-9]{0,4}$"}
_LIST = {"type": "array", "items": {"type": "string", "maxLength": 60}, "maxItems": 5}
_ORDER = {"enum": ["relevance", "date"]}
_FORMS = {
    "json": ("An item as JSON", "application/json"),
    "jsonld": ("An item as schema.org in JSON-LD", "application/ld+json"),
    "bib": ("An item as BibTeX", "application/x-bibtex"),
    "ris": ("An item as RIS", "application/x-research-info-systems"),
    "csl.json": ("An item as CSL JSON", "application/vnd.citationstyles.csl+json"),
    "linkset": ("The typed links of an item (RFC 9264)", "application/linkset"),
    "linkset.json": ("The typed links of an item as JSON (RFC 9264)", "application/linkset+json"),
    "authors": ("All authors of an item", "text/html"),
    "files": ("All files of an item", "text/html"),
}
_SEARCH = {"json": "application/json", "csv": "text/csv", "atom": "application/atom+xml"}
_PART = {"type": "integer", "minimum": 1}
_PARAMETER = re.compile(r"\{(\w+)\}")
_MEDIA_TYPES = {"json": "application/json", "xml": "application/xml", "zip": "application/zip"}
# The documents of ResourceSync, of a set of resources and of files, with their summaries.
_LISTS = {
    "capabilitylist.xml": "The Capability List of a set of resources",
    "resourcelist.xml": "The Resource List, or its index",
    "resourcedump.xml": "The Resource Dump: packages of all resources",
    "changelist.xml": "The Change List Index",
    "changedump.xml": "The Change Dump: packages of changes",
    "resourcelist-archive.xml": "The Resource List Archive",
    "changelist-archive.xml": "The Change List Archive",
    "changedump-archive.xml": "The Change Dump Archive",
    "resourcelist-{part}.xml": "A part of the Resource List",
    "resourcedump-{part}.xml": "A copy of the manifest of a package",
    "resourcedump-{part}.zip": "A package of the Resource Dump",
    "changelist-{period}.xml": "A Change List",
    "changedump-{period}.xml": "The Change Dump of a closed period",
    "changedump-manifest-{period}.xml": "A copy of the manifest of a package of changes",
    "changedump-{period}.zip": "A package of changes",
    "archive/{name}/resourcelist.xml": "An archived Resource List, or its index",
    "archive/{name}/resourcelist-{part}.xml": "A part of an archived Resource List",
}
_FILE_LISTS = {
    "/resourcesync/files/capabilitylist.xml": "The Capability List of files",
    "/resourcesync/files/resourcelist.xml": "The index of the Resource List of files",
    "/resourcesync/files/resourcelist-{name}.xml": "A part of the Resource List of files",  # such as 1.2
}
PROFILE = "https://signposting.org/FAIRiCat/"
# RFC 9727 §4 asks for the first one; a value may have several (RFC 9264 §5).
_PROFILES = f"https://www.rfc-editor.org/info/rfc9727 {PROFILE}"
_OAI_PMH = "http://www.openarchives.org/OAI/openarchivesprotocol.html"
_RESOURCESYNC = "http://www.openarchives.org/rs/1.1/resourcesync"
_SITEMAPS = "https://www.sitemaps.org/protocol.html"
_DAY_SECONDS = 86_400


def document(
    site: Site, *, has_files: bool = False, has_lists: bool = False, has_file_lists: bool = False
) -> dict[str, Any]:
    """Return the OpenAPI document of a site.

    `has_files`: copies of files are served. `has_lists`: it is a ResourceSync source; `has_file_lists`: also of files.
    """
    paths = {**_of_repository(), **_of_items(), **(_searches() if site.has_search else {}), **_others()}
    paths |= (_of_copies() if has_files else {}) | (_lists() if has_lists else {})
    paths |= _described(_FILE_LISTS) if has_file_lists else {}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": site.name,
            "version": VERSION,
            "description": f"Harvest whole records by OAI-PMH 2.0 at {site.base_url}. This describes the rest.",
            "contact": {"email": site.admin_email},
        },
        "servers": [{"url": site.url}],
        "paths": paths,
    }


def _of_repository() -> dict[str, Any]:
    return {
        **_get("/index.json", "What this repository is, and its sources"),
        **_get("/help.json", "What people and robots should know"),
        **_get("/sources.json", "All sources", _query("after")),
        **_get("/sources/{name}.json", "One source and its harvests"),
        **_get("/sets.json", "The sets, or those below one", _query("set"), _query("after"), missing=True),
        **_get("/formats.json", "The metadata formats"),
        **_get("/formats/{prefix}.json", "One metadata format"),
        **_get(
            "/browse.json",
            "An answer of OAI-PMH as JSON",
            *map(_query, ("verb", "identifier", "metadataPrefix", "set", "from", "until", "resumptionToken")),
        ),
    }


def _of_items() -> dict[str, Any]:
    identifier = _query("identifier", _FILLED, required=True)
    after = _query("after", {"type": "integer", "minimum": 0, "maximum": 99999999})
    paths = _get(
        "/items/",
        "An item, as a page or in the form that `format` names",
        identifier,
        _query("format", {"enum": ["html", *_FORMS]}),
        missing=True,
        others=[content_type for _, content_type in _FORMS.values()],
    )
    paths |= _get(
        "/items/{identifier}", "The page of an item, or a redirect to the form that Accept prefers", negotiated=True
    )
    for form, (summary, content_type) in _FORMS.items():
        more = (after,) if form in ("authors", "files") else ()
        paths |= _get(f"/items/{{identifier}}.{form}", summary, *more, content_type=content_type)
    return {
        **paths,
        **_get("/metadata/{prefix}/", "The metadata of an item", identifier, content_type="application/xml"),
        **_get("/metadata/{prefix}/{identifier}", "The metadata of an item", content_type="application/xml"),
        **_get("/oai:{name}", "A redirect to an item, or to a form of it by the suffixes of ERRoLs"),
        **_get("/resolve", "An item by any of its identifiers", _query("id", _FILLED, required=True), missing=True),
    }


def _searches() -> dict[str, Any]:
    arguments = [
        _query("q", {"type": "string", "maxLength": 400}),
        *(_query(name, _LIST) for name in ("source", "set", "type")),
        _query("from", _YEAR),
        _query("until", _YEAR),
        _query("file"),
        _query("order", _ORDER),
        _query("after"),
    ]
    paths: dict[str, Any] = {}
    for form, content_type in _SEARCH.items():
        paths |= _get(f"/search.{form}", "Items that fit a query", *arguments, content_type=content_type)
    return paths


def _others() -> dict[str, Any]:
    return {
        **_get("/sitemap.xml", "The sitemap index"),
        **_get("/sitemaps/{name}.xml", "One sitemap"),
        **_get("/robots.txt", "What crawlers may read", content_type="text/plain"),
        **_get("/schemas/{name}", "A schema that our records name", content_type="application/xml"),
        **_get(
            "/.well-known/api-catalog", "The interfaces of this repository", content_type="application/linkset+json"
        ),
        **_get("/openapi.json", "This description"),
    }


def _of_copies() -> dict[str, Any]:
    paths = _get("/files/{sha256}", "Our copy of a file by its SHA-256", content_type="application/octet-stream")
    for form in ("linkset", "linkset.json"):
        summary = "All items that our copy of a file belongs to (RFC 9264)"
        paths |= _get(f"/files/{{sha256}}.{form}", summary, content_type=_FORMS[form][1])
    return paths


def _lists() -> dict[str, Any]:
    description = _get(
        "/.well-known/resourcesync", "The Source Description (ResourceSync 1.1)", content_type="application/xml"
    )
    return description | _described(
        {f"/resourcesync/{{prefix}}/{{spec}}/{name}": summary for name, summary in _LISTS.items()}
    )


def _described(summaries: Mapping[str, str]) -> dict[str, Any]:
    """Return the descriptions of addresses that only need a summary."""
    paths: dict[str, Any] = {}
    for address, summary in summaries.items():
        paths |= _get(address, summary)
    return paths


def _get(
    address: str,
    summary: str,
    *arguments: dict[str, Any],
    content_type: str = "",
    missing: bool = False,
    negotiated: bool = False,
    others: Iterable[str] = (),
) -> dict[str, Any]:
    """Return the description of an address that is only read; an address with a parameter may lead to nothing."""
    parameters = [*map(_path, _PARAMETER.findall(address)), *arguments]
    media_type = content_type or _MEDIA_TYPES.get(address.rpartition(".")[2], "text/html")
    contents: dict[str, Any] = {name: {} for name in (media_type, *others)}
    answers: dict[str, Any] = {"200": {"description": "The answer", "content": contents}}
    if parameters:
        answers["400"] = answers["414"] = {"description": "The address cannot be read"}
    if missing or "{" in address:
        answers["303"] = answers["308"] = {"description": "It is at the address in Location"}
        answers["300"] = {"description": "Several items are meant"}
        answers["404"] = {"description": "There is no such thing"}
        answers["410"] = {"description": "The item was deleted by its source"}
        answers["451"] = {"description": "The item was taken down"}
    if negotiated:
        answers["406"] = {"description": "There is no form of a media type that the client accepts"}
    answers["503"] = {"description": "The repository cannot answer now; see Retry-After"}
    return {address: {"get": {"summary": summary, "parameters": parameters, "responses": answers}}}


def _path(name: str) -> dict[str, Any]:
    return {"name": name, "in": "path", "required": True, "schema": _PART if name == "part" else _TEXT}


def _query(name: str, schema: Mapping[str, Any] = _TEXT, *, required: bool = False) -> dict[str, Any]:
    return {"name": name, "in": "query", "required": required, "schema": schema}


def blueprint(site: Site, *, has_files: bool, has_lists: bool, has_file_lists: bool) -> Blueprint:
    """Return the Flask blueprint of the catalogue of interfaces, and of the description of our own.

    `has_files`: copies of files are served. `has_lists`: the site is a ResourceSync source; `has_file_lists`: also of
    files.
    """
    parts = {"has_files": has_files, "has_lists": has_lists, "has_file_lists": has_file_lists}
    blueprint = Blueprint("machines", __name__)

    @blueprint.route("/.well-known/api-catalog")
    def catalogue() -> Response:
        content = b"".join(linkset_json(catalogue_links(site, has_lists=has_lists)))
        return answer(
            content,
            f'{JSON}; profile="{_PROFILES}"',
            headers={"Link": catalogue_link(site)},
            fresh_seconds=_DAY_SECONDS,
        )

    @blueprint.route("/openapi.json")
    def openapi() -> Response:
        content = json.dumps(document(site, **parts), indent=1) + "\n"
        return answer(content, "application/json", fresh_seconds=_DAY_SECONDS)

    return blueprint


def catalogue_link(site: Site) -> str:
    """Return the Link header that leads to the catalogue, for the start page and the catalogue itself."""
    context = f"{site.url}/"
    link = Link(context, "api-catalog", f"{site.url}/.well-known/api-catalog", type=JSON, profile=PROFILE)
    return header([link], context)


def home_link(site: Site) -> str:
    """Return the Link header of the start page: to the catalogue, and to the Capability Lists of all records."""
    context = f"{site.url}/"
    lists = [Link(context, "resourcesync", address) for _, address in site.capability_lists]
    return ", ".join(filter(None, (catalogue_link(site), header(lists, context))))


def catalogue_links(site: Site, *, has_lists: bool) -> tuple[Link, ...]:
    """Return the links of the catalogue: each interface with its documentation and its description."""
    source = f"{site.url}/.well-known/resourcesync"
    return (
        Link(site.base_url, "service-doc", _OAI_PMH, type="text/html", title="OAI-PMH 2.0"),
        Link(site.base_url, "service-meta", f"{site.base_url}?verb=Identify", type="text/xml"),
        *((Link(source, "service-doc", _RESOURCESYNC, type="text/html", title="ResourceSync"),) if has_lists else ()),
        Link(f"{site.url}/sitemap.xml", "service-doc", _SITEMAPS, type="text/html", title="Sitemaps"),
        Link(f"{site.url}/", "service-desc", f"{site.url}/openapi.json", type="application/json"),
        Link(f"{site.url}/", "service-doc", f"{site.url}/browse", type="text/html"),
    )
