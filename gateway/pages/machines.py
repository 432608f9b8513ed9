"""What programs ask first: FAIRiCat (`/.well-known/api-catalog`, RFC 9727) and `/openapi.json` (OpenAPI 3.1)."""

from __future__ import annotations

import json

from flask import Blueprint, Response

from gateway.core.typed_links import JSON, Link, header, linkset_json
from gateway.pages.answers import answer
from gateway.pages.openapi import document
from gateway.pages.site import Site

PROFILE = "https://signposting.org/FAIRiCat/"
# RFC 9727 §4 asks for the first one; a value may have several (RFC 9264 §5).
_PROFILES = f"https://www.rfc-editor.org/info/rfc9727 {PROFILE}"
_OAI_PMH = "http://www.openarchives.org/OAI/openarchivesprotocol.html"
_RESOURCESYNC = "http://www.openarchives.org/rs/1.1/resourcesync"
_SITEMAPS = "https://www.sitemaps.org/protocol.html"
_DAY_SECONDS = 86_400


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
