"""The addresses of items: `/items/<identifier>` with its other forms, and `/metadata/<prefix>/<identifier>`.

The identifier comes last and as it is; `gateway/pages/item_addresses.py` says how it is spelled. Another spelling is
redirected to ours (308). An ending such as `.json` counts only if no item has that very identifier.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from http import HTTPStatus
from pathlib import Path
from typing import NamedTuple, TypeAlias

from flask import Blueprint, Request, Response, request
from markupsafe import Markup

from gateway.errors import GatewayError, StoreError
from gateway.landing import bibtex, csl_json, item_json, meta_tags, ris, schema_org, signposting
from gateway.landing.item import Item, SetOfItem, item_of, set_name, shown_sets
from gateway.model import Description, Selection, StoredRecord
from gateway.names import source_of, upstream_identifier
from gateway.pages.answers import answer, moved, no_page
from gateway.pages.item_addresses import address_of, merged, query_address
from gateway.pages.site import Site
from gateway.pages.templating import Pages
from gateway.store.base import Store, View
from gateway.typed_links import JSON, TEXT, Link, header, linkset_json, linkset_text

log = logging.getLogger("gateway.landing")

Describe: TypeAlias = Callable[[bytes], Description]

_DIDL, _DC = "oai_didl", "oai_dc"
_MOST_SHOWN = 50
_MOST_LISTED = 500
_MOST_SETS = 20
_MOST_IDENTIFIER = 10_000
_MOST_CANDIDATES = 20
_XML = "application/xml; charset=UTF-8"
# The forms of an item by the ending of their address; an ending that contains another one comes first.
_FORMS = ("linkset.json", "linkset", "csl.json", "json", "jsonld", "bib", "ris", "authors", "files", "html")


class _Place(NamedTuple):
    """What an address means: an item and one of its forms, `html` being its page."""

    identifier: str
    form: str


class _Ambiguous(Exception):
    """Several items have this spelling."""

    def __init__(self, identifiers: tuple[str, ...]) -> None:
        super().__init__()
        self.identifiers = identifiers


def blueprint(store: Store, describe: Describe, site: Site) -> Blueprint:
    """Return the Flask blueprint of items. `describe` reads a published record; it is handed in."""
    face = Blueprint("landing", __name__)
    landing = _Landing(store, describe, site)

    @face.route("/items/")
    @face.route("/items/<path:tail>")
    def item(tail: str = "") -> Response:
        return landing.item(request, tail)

    @face.route("/metadata/<prefix>/")
    @face.route("/metadata/<prefix>/<path:tail>")
    def metadata(prefix: str, tail: str = "") -> Response:
        return landing.metadata(request, prefix, tail)

    face.register_error_handler(StoreError, landing.unavailable)
    return face


class _Landing:
    """Answers for one site."""

    def __init__(self, store: Store, describe: Describe, site: Site) -> None:
        self._store = store
        self._describe = describe
        self._site = site
        self._pages = Pages(site, Path(__file__).parent / "templates")
        self._texts = self._pages.texts

    # -- addresses -----------------------------------------------------------------------------------------------

    def item(self, asked: Request, tail: str) -> Response:
        """Answer a request for an item in one of its forms."""
        with self._store.view() as view:
            try:
                place = self._place(view, asked, tail)
            except _Ambiguous as several:
                return self._ambiguous(view, several.identifiers)
            if place is None:
                return self._missing(self._texts.errors.not_found_item, tail or asked.args.get("identifier", ""))
            ours = self._path(view, place.identifier, place.form)
            if self._is_other(asked, ours):
                return moved(ours)
            record = view.record(place.identifier, _DIDL) or view.record(place.identifier, _DC)
            if record is None or record.is_deleted:
                return self._gone(place.identifier, record)
            item = self._item(view, place.identifier, record)
            last_modified = record.datestamp if record.datestamp < view.horizon else None
            return self._form(view, item, place.form, asked, last_modified)

    def metadata(self, asked: Request, prefix: str, tail: str) -> Response:
        """Answer a request for exactly the bytes between `<metadata>` and `</metadata>` of a record."""
        with self._store.view() as view:
            try:
                identifier = self._identifier(view, tail or asked.args.get("identifier", ""))
            except _Ambiguous as several:
                return self._ambiguous(view, several.identifiers)
            if identifier is None:
                return self._missing(self._texts.errors.not_found_item, tail)
            ours = self._metadata_path(view, identifier, prefix)
            if self._is_other(asked, ours):
                return moved(ours)
            record = view.record(identifier, prefix)
            if record is None:
                return self._missing(self._texts.errors.not_found_metadata, f"{prefix} {identifier}")
            if record.is_deleted:
                return self._gone(identifier, record)
            whole = view.record(identifier, _DIDL)
            item = self._item(view, identifier, whole if whole and not whole.is_deleted else record)
            content = self._describe(record.content).metadata
            links = header(signposting.links_of_metadata(item, prefix), item.metadata[prefix])
            return answer(
                content,
                _XML,
                headers={"Link": links},
                last_modified=record.datestamp if record.datestamp < view.horizon else None,
            )

    def _place(self, view: View, asked: Request, tail: str) -> _Place | None:
        """Return what an address means; None if there is no such item. Raise _Ambiguous."""
        if not tail:
            identifier = self._identifier(view, asked.args.get("identifier", ""))
            form = asked.args.get("format", "html")
            return _Place(identifier, form) if identifier is not None and form in _FORMS else None
        identifier = self._identifier(view, tail)
        if identifier is not None:
            return _Place(identifier, "html")
        for form in _FORMS:
            if tail.endswith(f".{form}"):
                identifier = self._identifier(view, tail.removesuffix(f".{form}"))
                if identifier is not None:
                    return _Place(identifier, form)
        return None

    def _identifier(self, view: View, text: str) -> str | None:
        """Return the identifier of the item that a text means: itself, or the one that differs only in slashes."""
        if not text or len(text) > _MOST_IDENTIFIER:
            return None
        if view.has_item(text):
            return text
        similar = self._similar(view, text)
        if len(similar) > 1:
            raise _Ambiguous(similar)
        return similar[0] if similar else None

    def _similar(self, view: View, text: str) -> tuple[str, ...]:
        source = source_of(merged(text))
        if not source:
            return ()
        candidates = view.merged(source, upstream_identifier(merged(text)), _MOST_CANDIDATES)
        return tuple(name for name in candidates if merged(name) == merged(text) and view.has_item(name))

    def _has_rivals(self, view: View, identifier: str) -> bool:
        return view.has_item(merged(identifier)) or len(self._similar(view, identifier)) > 1

    def _path(self, view: View, identifier: str, form: str = "html") -> str:
        """Return the path of an item in one of its forms, in our spelling."""
        path = address_of(f"{self._site.root}/items/", identifier, lambda name: self._has_rivals(view, name))
        if form == "html":
            return path
        if "?" in path or view.has_item(f"{merged(identifier)}.{form}"):
            return f"{query_address(f'{self._site.root}/items/', identifier)}&format={form}"
        return f"{path}.{form}"

    def _metadata_path(self, view: View, identifier: str, prefix: str) -> str:
        folder = f"{self._site.root}/metadata/{prefix}/"
        return address_of(folder, identifier, lambda name: self._has_rivals(view, name))

    def _is_other(self, asked: Request, ours: str) -> bool:
        """Return whether the client spelled the path otherwise than we do; a proxy has removed the root of the site."""
        path, _, _query = str(asked.environ["RAW_URI"]).partition("?")
        return path != ours.removeprefix(self._site.root).partition("?")[0]

    def _url(self, path: str) -> str:
        return self._site.url.removesuffix(self._site.root) + path

    # -- items ---------------------------------------------------------------------------------------------------

    def _item(self, view: View, identifier: str, record: StoredRecord) -> Item:
        description = self._describe(record.content)
        sources = {source.name: source for source in view.sources()}
        source = sources.get(source_of(identifier))
        formats = view.formats(identifier)
        return item_of(
            description,
            url=self._url(self._path(view, identifier)),
            source_url=source.base_url if source else "",
            sets=tuple(self._set(view, spec) for spec in shown_sets(description.sets)[:_MOST_SETS]),
            formats=formats,
            metadata={
                known.metadata_prefix: self._url(self._metadata_path(view, identifier, known.metadata_prefix))
                for known in formats
            },
            forms={form: self._url(self._path(view, identifier, form)) for form in _FORMS},
            neighbours=view.neighbours(identifier),
        )

    def _set(self, view: View, spec: str) -> SetOfItem:
        known = view.set_named(spec)
        return SetOfItem(spec, set_name(spec, known.name if known else ""), view.count(Selection(_DC, spec)))

    def _form(self, view: View, item: Item, form: str, asked: Request, last_modified: int | None) -> Response:
        if form in _EXPORTS:
            write, content_type = _EXPORTS[form]
            links = header([Link(item.forms[form], "describes", item.url, type="text/html")], item.forms[form])
            return answer(write(item), content_type, headers={"Link": links}, last_modified=last_modified)
        if form in ("linkset", "linkset.json"):
            write_links = linkset_json if form == "linkset.json" else linkset_text
            content = b"".join(write_links(signposting.link_set(item)))
            return answer(content, JSON if form == "linkset.json" else TEXT, last_modified=last_modified)
        links = header(signposting.links_of_page(item), item.url)
        if form in ("authors", "files"):
            return self._list(item, form, asked)
        before, after = (self._path(view, name) if name else "" for name in (item.before, item.after))
        is_indexed = item.has_held_file or self._site.is_indexed
        body = self._pages.render(
            "item.html",
            item=item,
            shown_files=item.files[:_MOST_SHOWN],
            statements=item.statements,
            is_indexed=is_indexed,
            canonical=item.origin if self._site.is_indexed and item.origin and not item.has_copy else item.url,
            citation_tags=tuple(meta_tags.citation_tags(item)),
            open_graph=tuple(meta_tags.open_graph(item)),
            description=meta_tags.description_of(item),
            head_links=[link for link in signposting.links_of_page(item) if link.rel == "linkset"],
            json_ld=Markup(schema_org.schema_org(item)),  # noqa: S704 - it escapes what could end the element
            authors_url=self._path(view, item.identifier, "authors"),
            files_url=self._path(view, item.identifier, "files"),
            before_url=before,
            after_url=after,
        )
        return answer(body, headers={"Link": links}, last_modified=last_modified)

    def _list(self, item: Item, form: str, asked: Request) -> Response:
        """Answer with a part of the authors or of the files; `after` is how many come before it."""
        entries = item.reference.authors if form == "authors" else item.files
        text = asked.args.get("after", "0")
        if not (text.isascii() and text.isdigit() and len(text) < 10):  # noqa: PLR2004 - no list has so many entries
            return no_page(self._pages, HTTPStatus.BAD_REQUEST, self._texts.errors.bad, asked=f"after={text}")
        start = int(text)
        part = entries[start : start + _MOST_LISTED]
        base = item.forms[form].removeprefix(self._site.url.removesuffix(self._site.root))
        mark = "&" if "?" in base else "?"
        body = self._pages.render(
            "authors.html" if form == "authors" else "all_files.html",
            item=item,
            first=start + 1,
            authors=part,
            shown_files=part,
            previous_url=f"{base}{mark}after={max(0, start - _MOST_LISTED)}" if start else "",
            next_url=f"{base}{mark}after={start + _MOST_LISTED}" if len(entries) > start + _MOST_LISTED else "",
        )
        return answer(body)

    # -- what is not there ---------------------------------------------------------------------------------------

    def _missing(self, sentence: str, asked: str) -> Response:
        return no_page(self._pages, HTTPStatus.NOT_FOUND, sentence, asked=asked)

    def _ambiguous(self, view: View, identifiers: tuple[str, ...]) -> Response:
        links = [{"href": self._path(view, name), "text": name} for name in identifiers]
        texts = self._texts.errors
        return no_page(self._pages, HTTPStatus.NOT_FOUND, texts.ambiguous, hint=texts.ambiguous_hint, links=links)

    def _gone(self, identifier: str, record: StoredRecord | None) -> Response:
        """Answer for an item that the source deleted (410), or that was taken down (451, RFC 7725)."""
        texts = self._texts.errors
        upstream = upstream_identifier(identifier)
        state = self._store.states(source_of(identifier), [upstream]).get(upstream)
        if state is not None and state.is_hidden:
            hint = texts.legal_hint.format(name=self._site.admin_email)
            body = self._pages.render("gone.html", sentence=texts.legal, hint=hint, identifier=identifier, datestamp="")
            headers = {"Link": f'<{self._site.url}/>; rel="blocked-by"'}
            return answer(body, status=HTTPStatus.UNAVAILABLE_FOR_LEGAL_REASONS, headers=headers)
        datestamp = self._describe(record.content).datestamp if record else ""
        body = self._pages.render(
            "gone.html", sentence=texts.gone, hint=texts.gone_hint, identifier=identifier, datestamp=datestamp
        )
        return answer(body, status=HTTPStatus.GONE)

    def unavailable(self, error: GatewayError) -> Response:
        """Answer 503 if the store fails."""
        log.error("A page was answered with 503 because the store failed: %s", error)
        texts = self._texts.errors
        response = no_page(self._pages, HTTPStatus.SERVICE_UNAVAILABLE, texts.busy, hint=texts.busy_hint)
        response.headers["Retry-After"] = "60"
        response.headers["Cache-Control"] = "no-store"
        return response


_EXPORTS: Mapping[str, tuple[Callable[[Item], str], str]] = {
    "json": (item_json.item_json, item_json.CONTENT_TYPE),
    "jsonld": (schema_org.schema_org, schema_org.CONTENT_TYPE),
    "bib": (lambda item: bibtex.bibtex(item.reference, item.url), bibtex.CONTENT_TYPE),
    "ris": (lambda item: ris.ris(item.reference, item.url), ris.CONTENT_TYPE),
    "csl.json": (lambda item: csl_json.csl_json(item.reference, item.url, item.identifier), csl_json.CONTENT_TYPE),
}
