"""What programs ask first: FAIRiCat (`/.well-known/api-catalog`, RFC 9727) and `/openapi.json` (OpenAPI 3.1).

The latter describes our pages and their JSON.
"""

import json
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
    return {
        "openapi": "3.1.0",
        "info": {
            "title": site.name,
            "version": VERSION,
            "description": f"Harvest whole records by OAI-PMH 2.0 at {site.base_url}. This describes the rest.",
            "contact": {"email": site.admin_email},
        },
        "servers": [{"url": site.url}],
        "paths": {
            **_of_repository(),
            **_of_items(),
            **(_searches() if site.has_search else {}),
            **_others(has_files),
            **(_lists() if has_lists else {}),
            **(_file_lists() if has_file_lists else {}),
        },
    }


def _of_repository() -> dict[str, Any]:
    return {
        "/index.json": _get("What this repository is, and its sources", "application/json"),
        "/help.json": _get("What people and robots should know", "application/json"),
        "/sources.json": _get("All sources", "application/json", _query("after")),
        "/sources/{name}.json": _get("One source and its harvests", "application/json", _path("name"), missing=True),
        "/sets.json": _get(
            "The sets, or those below one", "application/json", _query("set"), _query("after"), missing=True
        ),
        "/formats.json": _get("The metadata formats", "application/json"),
        "/formats/{prefix}.json": _get("One metadata format", "application/json", _path("prefix"), missing=True),
        "/browse.json": _get(
            "An answer of OAI-PMH as JSON",
            "application/json",
            *map(_query, ("verb", "identifier", "metadataPrefix", "set", "from", "until", "resumptionToken")),
        ),
    }


def _of_items() -> dict[str, Any]:
    identifier = _query("identifier", _FILLED, required=True)
    paths = {
        "/items/": _get(
            "An item, as a page or in the form that `format` names",
            "text/html",
            identifier,
            _query("format", {"enum": ["html", *_FORMS]}),
            missing=True,
            others=[content_type for _, content_type in _FORMS.values()],
        ),
        "/items/{identifier}": _get(
            "The page of an item, or a redirect to the form that Accept prefers",
            "text/html",
            _path("identifier"),
            missing=True,
            negotiated=True,
        ),
        **{
            f"/items/{{identifier}}.{form}": _get(summary, content_type, _path("identifier"), missing=True)
            for form, (summary, content_type) in _FORMS.items()
        },
        "/metadata/{prefix}/": _get(
            "The metadata of an item", "application/xml", _path("prefix"), identifier, missing=True
        ),
        "/metadata/{prefix}/{identifier}": _get(
            "The metadata of an item", "application/xml", _path("prefix"), _path("identifier"), missing=True
        ),
        "/oai:{name}": _get(
            "A redirect to an item, or to a form of it by the suffixes of ERRoLs",
            "text/html",
            _path("name"),
            missing=True,
        ),
        "/resolve": _get(
            "An item by any of its identifiers", "text/html", _query("id", _FILLED, required=True), missing=True
        ),
    }
    for form in ("authors", "files"):
        paths[f"/items/{{identifier}}.{form}"]["get"]["parameters"].append(
            _query("after", {"type": "integer", "minimum": 0, "maximum": 99999999})
        )
    return paths


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
    return {
        f"/search.{form}": _get("Items that fit a query", content_type, *arguments)
        for form, content_type in _SEARCH.items()
    }


def _others(has_files: bool) -> dict[str, Any]:
    copies = _get("Our copy of a file by its SHA-256", "application/octet-stream", _path("sha256"), missing=True)
    of_copies = {
        f"/files/{{sha256}}.{form}": _get(
            "All items that our copy of a file belongs to (RFC 9264)", _FORMS[form][1], _path("sha256"), missing=True
        )
        for form in ("linkset", "linkset.json")
    }
    return {
        "/sitemap.xml": _get("The sitemap index", "application/xml"),
        "/sitemaps/{name}.xml": _get("One sitemap", "application/xml", _path("name"), missing=True),
        "/robots.txt": _get("What crawlers may read", "text/plain"),
        "/schemas/{name}": _get("A schema that our records name", "application/xml", _path("name"), missing=True),
        "/.well-known/api-catalog": _get("The interfaces of this repository", "application/linkset+json"),
        "/openapi.json": _get("This description", "application/json"),
        **({"/files/{sha256}": copies, **of_copies} if has_files else {}),
    }


def _file_lists() -> dict[str, Any]:
    folder = "/resourcesync/files"
    return {
        f"{folder}/capabilitylist.xml": _get("The Capability List of files", "application/xml"),
        f"{folder}/resourcelist.xml": _get("The index of the Resource List of files", "application/xml"),
        f"{folder}/resourcelist-{{part}}.xml": _get(
            "A part of the Resource List of files", "application/xml", _path("part"), missing=True
        ),
    }


def _lists() -> dict[str, Any]:
    folder = "/resourcesync/{prefix}/{spec}"
    where = (_path("prefix"), _path("spec"))
    part = {"name": "part", "in": "path", "required": True, "schema": {"type": "integer", "minimum": 1}}
    summaries = {
        "capabilitylist.xml": "The Capability List of a set of resources",
        "resourcelist.xml": "The Resource List, or its index",
        "resourcedump.xml": "The Resource Dump: packages of all resources",
        "changelist.xml": "The Change List Index",
        "changedump.xml": "The Change Dump: packages of changes",
        "resourcelist-archive.xml": "The Resource List Archive",
        "changelist-archive.xml": "The Change List Archive",
        "changedump-archive.xml": "The Change Dump Archive",
    }
    return {
        "/.well-known/resourcesync": _get("The Source Description (ResourceSync 1.1)", "application/xml"),
        **{
            f"{folder}/{name}": _get(summary, "application/xml", *where, missing=True)
            for name, summary in summaries.items()
        },
        f"{folder}/resourcelist-{{part}}.xml": _get(
            "A part of the Resource List", "application/xml", *where, part, missing=True
        ),
        f"{folder}/resourcedump-{{part}}.xml": _get(
            "A copy of the manifest of a package", "application/xml", *where, part, missing=True
        ),
        f"{folder}/resourcedump-{{part}}.zip": _get(
            "A package of the Resource Dump", "application/zip", *where, part, missing=True
        ),
        f"{folder}/changelist-{{period}}.xml": _get(
            "A Change List", "application/xml", *where, _path("period"), missing=True
        ),
        f"{folder}/changedump-{{period}}.xml": _get(
            "The Change Dump of a closed period", "application/xml", *where, _path("period"), missing=True
        ),
        f"{folder}/changedump-manifest-{{period}}.xml": _get(
            "A copy of the manifest of a package of changes", "application/xml", *where, _path("period"), missing=True
        ),
        f"{folder}/changedump-{{period}}.zip": _get(
            "A package of changes", "application/zip", *where, _path("period"), missing=True
        ),
        f"{folder}/archive/{{name}}/resourcelist.xml": _get(
            "An archived Resource List, or its index", "application/xml", *where, _path("name"), missing=True
        ),
        f"{folder}/archive/{{name}}/resourcelist-{{part}}.xml": _get(
            "A part of an archived Resource List", "application/xml", *where, _path("name"), part, missing=True
        ),
    }


def _get(
    summary: str,
    content_type: str,
    *parameters: dict[str, Any],
    missing: bool = False,
    negotiated: bool = False,
    others: Iterable[str] = (),
) -> dict[str, Any]:
    """Return the description of an address that is only read."""
    contents: dict[str, Any] = {media_type: {} for media_type in (content_type, *others)}
    answers: dict[str, Any] = {"200": {"description": "The answer", "content": contents}}
    if parameters:
        answers["400"] = answers["414"] = {"description": "The address cannot be read"}
    if missing:
        answers["303"] = answers["308"] = {"description": "It is at the address in Location"}
        answers["300"] = {"description": "Several items are meant"}
        answers["404"] = {"description": "There is no such thing"}
        answers["410"] = {"description": "The item was deleted by its source"}
        answers["451"] = {"description": "The item was taken down"}
    if negotiated:
        answers["406"] = {"description": "There is no form of a media type that the client accepts"}
    answers["503"] = {"description": "The repository cannot answer now; see Retry-After"}
    return {"get": {"summary": summary, "parameters": list(parameters), "responses": answers}}


def _path(name: str) -> dict[str, Any]:
    return {"name": name, "in": "path", "required": True, "schema": _TEXT}


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
