"""The description of our pages and of their JSON for programs (OpenAPI 3.1). Pure."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import Any

from gateway.pages.site import Site

_TEXT = {"schema": {"type": "string"}}


def document(site: Site) -> dict[str, Any]:
    """Return the OpenAPI document of a site."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": site.name,
            "version": _version(),
            "description": f"Harvest whole records by OAI-PMH 2.0 at {site.base_url}. This describes the rest.",
            "contact": {"email": site.admin_email},
        },
        "servers": [{"url": site.url}],
        "paths": {
            "/index.json": _get("What this repository is, and its sources", "application/json"),
            "/help.json": _get("What people and robots should know", "application/json"),
            "/sources.json": _get("All sources", "application/json"),
            "/sources/{name}.json": _get(
                "One source and its harvests", "application/json", _path("name"), missing=True
            ),
            "/sets.json": _get("The sets, or those below one", "application/json", _query("set"), missing=True),
            "/formats.json": _get("The metadata formats", "application/json"),
            "/formats/{prefix}.json": _get("One metadata format", "application/json", _path("prefix"), missing=True),
            "/browse.json": _get(
                "An answer of OAI-PMH as JSON", "application/json",
                *map(_query, ("verb", "identifier", "metadataPrefix", "set", "from", "until", "resumptionToken")),
            ),
            "/search.json": _get("Items that fit a query", "application/json", _query("q")),
            "/items/": _get(
                "An item, as a page or in another form", "text/html",
                _query("identifier", required=True), _query("format"), missing=True,
            ),
            "/items/{identifier}": _get("The page of an item", "text/html", _path("identifier"), missing=True),
            "/items/{identifier}.json": _get("An item as JSON", "application/json", _path("identifier"), missing=True),
            "/metadata/{prefix}/{identifier}": _get(
                "The metadata of an item", "application/xml", _path("prefix"), _path("identifier"), missing=True
            ),
            "/resolve": _get(
                "An item by any of its identifiers", "text/html", _query("id", required=True), missing=True
            ),
            "/sitemap.xml": _get("The sitemap index", "application/xml"),
            "/robots.txt": _get("What crawlers may read", "text/plain"),
            "/.well-known/api-catalog": _get("The interfaces of this repository", "application/linkset+json"),
        },
    }  # fmt: skip


def _get(summary: str, content_type: str, *parameters: dict[str, Any], missing: bool = False) -> dict[str, Any]:
    """Return the description of an address that is only read."""
    answers: dict[str, Any] = {"200": {"description": "The answer", "content": {content_type: {}}}}
    if parameters:
        answers["400"] = answers["414"] = {"description": "The address cannot be read"}
    if missing:
        answers["303"] = answers["308"] = {"description": "It is at the address in Location"}
        answers["300"] = {"description": "Several items are meant"}
        answers["404"] = {"description": "There is no such thing"}
        answers["410"] = {"description": "The item was deleted by its source"}
        answers["451"] = {"description": "The item was taken down"}
    answers["503"] = {"description": "The repository cannot answer now; see Retry-After"}
    return {"get": {"summary": summary, "parameters": list(parameters), "responses": answers}}


def _path(name: str) -> dict[str, Any]:
    return {"name": name, "in": "path", "required": True, **_TEXT}


def _query(name: str, *, required: bool = False) -> dict[str, Any]:
    return {"name": name, "in": "query", "required": required, **_TEXT}


def _version() -> str:
    try:
        return version("oai-gateway")
    except PackageNotFoundError:
        return "0"
