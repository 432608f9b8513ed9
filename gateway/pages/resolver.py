"""Resolves identifiers: `/oai:<domain>:<id>` as ERRoLs did, and `/resolve?id=` for DOIs, handles, digests and others.

Every answer is a redirect (303), and only to our own addresses.
"""

import re
from collections.abc import Callable
from http import HTTPStatus
from typing import TypeAlias
from urllib.parse import quote

from flask import Blueprint, Response, request

from gateway.core.addresses import uri_of
from gateway.core.errors import SearchUnavailable, StoreError
from gateway.core.model import Description
from gateway.pages.answers import no_page, see_other, unavailable
from gateway.pages.item_places import Ambiguous, Places
from gateway.pages.site import Site
from gateway.pages.templating import Pages
from gateway.store.base import Store, View

Describe: TypeAlias = Callable[[bytes], Description]
# Returns identifiers of items that may have an identifier; it may raise SearchUnavailable.
Find: TypeAlias = Callable[[str], tuple[str, ...]]

_DIGEST = re.compile(r"(?i)(?:(?:urn:)?sha-?256:)?([0-9a-f]{64})")
_MOST_LETTERS = 10_000
_MOST = 20
# The suffixes of ERRoLs that are no metadataPrefix, with the form of the item that they lead to.
_SUFFIXES = {"html": "html", "json": "json", "ListERRoLs": "linkset.json"}


def blueprint(store: Store, describe: Describe, find: Find, site: Site) -> Blueprint:
    """Return the Flask blueprint of the resolver. `find` searches for identifiers in records."""
    blueprint = Blueprint("resolver", __name__)
    resolver = _Resolver(store, describe, find, site)

    @blueprint.route("/oai:<path:tail>")
    def item(tail: str) -> Response:
        return resolver.item(f"oai:{tail}")

    @blueprint.route("/resolve")
    def resolve() -> Response:
        return resolver.any(request.args.get("id", "").strip())

    blueprint.register_error_handler(StoreError, lambda error: unavailable(resolver.pages, error))
    return blueprint


class _Resolver:
    """Resolves for one site."""

    def __init__(self, store: Store, describe: Describe, find: Find, site: Site) -> None:
        self._store = store
        self._describe = describe
        self._find = find
        self._site = site
        self._places = Places(site)
        self.pages = Pages(site)

    def item(self, text: str) -> Response:
        """Answer for an identifier of ours, with or without a suffix; an item whose identifier ends so comes first."""
        with self._store.view() as view:
            place = self._place(view, text)
        return self._missing(text) if place is None else see_other(place)

    def any(self, text: str) -> Response:
        """Answer for any identifier of an item, or the SHA-256 of one of its files."""
        texts = self.pages.texts.errors
        if not text or len(text) > _MOST_LETTERS:
            return no_page(self.pages, HTTPStatus.BAD_REQUEST, texts.bad, asked=text)
        with self._store.view() as view:
            try:
                identifiers = self._identifiers(view, text)
            except SearchUnavailable:
                return no_page(self.pages, HTTPStatus.SERVICE_UNAVAILABLE, texts.no_search)
            places = [self._places.path(view, identifier) for identifier in identifiers]
        if len(places) == 1:
            return see_other(places[0])
        if not places:
            return self._missing(text)
        links = [{"href": place, "text": name} for place, name in zip(places, identifiers, strict=True)]
        return no_page(self.pages, HTTPStatus.MULTIPLE_CHOICES, texts.several, links=links, asked=text)

    def _place(self, view: View, text: str) -> str | None:
        """Return our address for an identifier with or without a suffix; None if it means no item, or several."""
        before, _, suffix = text.rpartition(".")
        try:
            known = self._places.form(view, text)
            identifier = None if known else self._places.identifier(view, before)
        except Ambiguous:
            return None
        if known is not None:
            return self._places.path(view, *known)
        if identifier is not None and suffix in _SUFFIXES:
            return self._places.path(view, identifier, _SUFFIXES[suffix])
        if identifier is not None and suffix == "ListMetadataFormats":
            return f"{self._site.root}/browse?verb=ListMetadataFormats&identifier={quote(identifier, safe='')}"
        if identifier is not None and suffix == "resource":
            return self._resource(view, identifier)
        return self._of_prefix(view, text)

    def _of_prefix(self, view: View, text: str) -> str | None:
        """Return the path of metadata: the suffix is a metadataPrefix, which may have full stops."""
        for known in view.formats():
            prefix = known.metadata_prefix
            if not text.endswith(f".{prefix}"):
                continue
            identifier = self._places.identifier(view, text.removesuffix(f".{prefix}"))
            if identifier is not None and view.record(identifier, prefix) is not None:
                return self._places.metadata_path(view, identifier, prefix)
        return None

    def _resource(self, view: View, identifier: str) -> str:
        """Return the address of our copy of the first file, else the files on the page of the item."""
        record = view.record(identifier, "oai_didl")
        files = self._describe(record.content).work.files if record and not record.is_deleted else ()
        copies = [file.copy_url for file in files if file.copy_url.startswith(f"{self._site.url}/")]
        return copies[0] if copies else f"{self._places.path(view, identifier)}#files"

    def _identifiers(self, view: View, text: str) -> tuple[str, ...]:
        if view.has_item(text):
            return (text,)
        digest = _DIGEST.fullmatch(text)
        if digest:
            return view.items_with(digest[1].lower(), _MOST)
        known = view.items_of(text, _MOST)
        if known:
            return tuple(name for name in known if (record := view.record(name, "oai_dc")) and not record.is_deleted)
        wanted = uri_of(text) or text
        return tuple(name for name in self._find(text) if wanted.lower() in self._names(view, name))

    def _names(self, view: View, identifier: str) -> set[str]:
        """Return what the record of an item calls it, in lower case."""
        record = view.record(identifier, "oai_dc")
        if record is None or record.is_deleted:
            return set()
        work = self._describe(record.content).work
        return {name.lower() for name in (*work.identifiers, *work.texts("identifier"), work.landing_page)}

    def _missing(self, text: str) -> Response:
        return no_page(self.pages, HTTPStatus.NOT_FOUND, self.pages.texts.errors.not_found_item, asked=text)
