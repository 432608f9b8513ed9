"""The addresses of items: `/items/<identifier>` with its other forms, and `/metadata/<prefix>/<identifier>`.

The identifier comes last and as it is; `gateway/pages/item_addresses.py` says how it is spelled. Another spelling is
redirected to ours (308). An ending such as `.json` counts only if no item has that very identifier.
"""

from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import TypeAlias

from flask import Blueprint, Request, Response, request
from markupsafe import Markup

from gateway.core.errors import StoreError
from gateway.core.model import Description, Selection, StoredRecord, Tried
from gateway.core.names import set_label, source_of, upstream_identifier
from gateway.core.secret_arguments import secret_argument
from gateway.core.states import of_tombstone
from gateway.core.typed_links import Link, header, in_order, linkset_json, linkset_text
from gateway.pages import item_head
from gateway.pages.answers import answer, moved, no_page, see_other, unavailable
from gateway.pages.citations import BIBTEX_TYPE, CSL_JSON_TYPE, RIS_TYPE, bibtex, csl_json, ris
from gateway.pages.item import Item, SetOfItem, ShownFile, item_of, shown_sets
from gateway.pages.item_places import FORMS, Ambiguous, Places
from gateway.pages.site import Site
from gateway.pages.templating import Pages
from gateway.store.base import Store, View

Describe: TypeAlias = Callable[[bytes], Description]
# Returns the last search for the full text of an item; None if there was none.
FindTried: TypeAlias = Callable[[str], Tried | None]

_DIDL, _DC = "oai_didl", "oai_dc"
_MOST_LISTED = 500
_MOST_SETS = 20
_XML = "application/xml; charset=UTF-8"

# The page of an item stays small: it shows at most 50 files, fewer beside long metadata. The last paragraph of an
# abstract has the rest.
_MOST_BYTES = 50_000
_MOST_FILES = 50
_MOST_FILES_LISTED = 40  # on one page of the list of all files
_MOST_SHOWN = {"abstracts": 5, "paragraphs": 20, "subjects": 20, "identifiers": 10, "supplements": 10}
_FEWEST_FILES = 5
# What the templates write around each text, and the least size of a page; all measured, and rounded up.
_FRAME, _FILE, _DIGEST, _SUBJECT, _IDENTIFIER, _TAG, _PARAGRAPH = 14_000, 540, 130, 200, 120, 40, 40


def blueprint(store: Store, describe: Describe, tried: FindTried, site: Site) -> Blueprint:
    """Return the Flask blueprint of items.

    `describe` reads a published record, `tried` returns the last search for the full text of an item.
    """
    blueprint = Blueprint("landing", __name__)
    landing = _Landing(store, describe, tried, site)

    @blueprint.route("/items/")
    @blueprint.route("/items/<path:tail>")
    def item(tail: str = "") -> Response:
        return landing.item(request, tail)

    @blueprint.route("/metadata/<prefix>/")
    @blueprint.route("/metadata/<prefix>/<path:tail>")
    def metadata(prefix: str, tail: str = "") -> Response:
        return landing.metadata(request, prefix, tail)

    blueprint.register_error_handler(StoreError, lambda error: unavailable(landing.pages, error))
    return blueprint


class _Landing:
    """Answers for one site."""

    def __init__(self, store: Store, describe: Describe, tried: FindTried, site: Site) -> None:
        self._store = store
        self._describe = describe
        self._tried = tried
        self._site = site
        self._places = Places(site)
        self.pages = Pages(site)
        self._texts = self.pages.texts

    # -- addresses -----------------------------------------------------------------------------------------------

    def item(self, asked: Request, tail: str) -> Response:
        """Answer a request for an item in one of its forms."""
        with self._store.view() as view:
            try:
                place = self._place(view, asked, tail)
            except Ambiguous as several:
                return self._ambiguous(view, several.identifiers)
            if place is None:
                return self._missing(self._texts.errors.not_found_item, tail or asked.args.get("identifier", ""))
            identifier, form = place
            ours = self._places.path(view, identifier, form)
            if self._is_other(asked, ours):
                return moved(ours)
            record = view.record(identifier, _DIDL) or view.record(identifier, _DC)
            if record is None or record.is_deleted:
                return self._gone(identifier, record)
            item = self._item(view, identifier, record)
            # Searches and neighbours change what the page shows, and not its record. Then only the ETag is honest.
            is_final = record.datestamp < view.horizon and item.tried is None and form != "html"
            last_modified = record.datestamp if is_final else None
            response = self._negotiated(item, asked) if form == "html" else None
            response = response or self._form(view, item, form, asked, last_modified)
            response.vary.update(("Accept",) if form == "html" else ())
            return response

    def metadata(self, asked: Request, prefix: str, tail: str) -> Response:
        """Answer a request for exactly the bytes between `<metadata>` and `</metadata>` of a record."""
        with self._store.view() as view:
            try:
                identifier = self._places.identifier(view, tail or asked.args.get("identifier", ""))
            except Ambiguous as several:
                return self._ambiguous(view, several.identifiers)
            if identifier is None:
                return self._missing(self._texts.errors.not_found_item, tail)
            ours = self._places.metadata_path(view, identifier, prefix)
            if self._is_other(asked, ours):
                return moved(ours)
            record = view.record(identifier, prefix)
            if record is None:
                return self._missing(self._texts.errors.not_found_metadata, f"{prefix} {identifier}")
            if record.is_deleted:
                return self._gone(identifier, record)
            url, page = self._places.whole(ours), self._places.url(view, identifier)
            sets = {form: self._places.url(view, identifier, form) for form in item_head.LINK_SETS}
            namespace = next((known.namespace for known in view.formats() if known.metadata_prefix == prefix), "")
            links = list(item_head.links_of_metadata(url, page, sets, namespace))
            if covering := self._site.capability_list(prefix):  # ResourceSync 1.1 §15.2
                links.insert(0, Link(url, "resourcesync", covering))
            return answer(
                self._describe(record.content).metadata,
                _XML,
                headers={"Link": header(links, url)},
                last_modified=record.datestamp if record.datestamp < view.horizon else None,
            )

    def _place(self, view: View, asked: Request, tail: str) -> tuple[str, str] | None:
        """Return the identifier and the form that an address means; None if there is no such item."""
        if tail:
            return self._places.form(view, tail)
        identifier = self._places.identifier(view, asked.args.get("identifier", ""))
        form = asked.args.get("format", "html")
        return (identifier, form) if identifier is not None and form in FORMS else None

    def _is_other(self, asked: Request, ours: str) -> bool:
        """Return whether the client spelled the address otherwise than we do; arguments after ours do not count."""
        path, _, query = str(asked.environ["RAW_URI"]).partition("?")
        our_path, _, our_query = self._places.bare(ours).partition("?")
        # Browsers escape this character in a query, also in that of a redirect.
        return path != our_path or not f"{query}&".replace("%27", "'").startswith(f"{our_query}&" if our_query else "")

    def _negotiated(self, item: Item, asked: Request) -> Response | None:
        """Return a redirect to the form of an item that a client prefers to its page, or 406; None: to the page."""
        accepted = [(media_type.partition(";")[0], quality) for media_type, quality in asked.accept_mimetypes]
        if not any("/" in media_type for media_type, _ in accepted):
            return None
        best = type(asked.accept_mimetypes)(accepted).best_match(_OFFERED)
        if best is None:
            texts, forms = self._texts.errors, [item.forms[form] for form in _OFFERED.values()]
            links = [{"href": url, "text": url} for url in forms]
            return no_page(self.pages, HTTPStatus.NOT_ACCEPTABLE, texts.not_acceptable, links=links)
        return None if _OFFERED[best] == "html" else see_other(item.forms[_OFFERED[best]])

    # -- items ---------------------------------------------------------------------------------------------------

    def _item(self, view: View, identifier: str, record: StoredRecord) -> Item:
        description = self._described(view, identifier, record)
        source = view.source(source_of(identifier))
        formats = view.formats(identifier)
        prefixes = [known.metadata_prefix for known in formats]
        return item_of(
            description,
            url=self._places.url(view, identifier),
            persistent_url=self._places.persistent_url(identifier),
            is_indexed=self._site.is_indexed,
            source_url=source.base_url if source and not secret_argument(source.base_url) else "",
            sets=tuple(self._set(view, spec) for spec in shown_sets(description.sets)[:_MOST_SETS]),
            formats=formats,
            metadata={prefix: self._places.metadata_url(view, identifier, prefix) for prefix in prefixes},
            forms={form: self._places.url(view, identifier, form) for form in FORMS},
            neighbours=view.neighbours(identifier),
            tried=None if description.work.files else self._tried(identifier),
        )

    def _described(self, view: View, identifier: str, record: StoredRecord) -> Description:
        """Return the contents of a record; the Work of one that is too large is that of its Dublin Core."""
        description = self._describe(record.content)
        plain = view.record(identifier, _DC) if description.is_too_large else None
        return description if plain is None else description._replace(work=self._describe(plain.content).work)

    def _set(self, view: View, spec: str) -> SetOfItem:
        known = view.set_named(spec)
        return SetOfItem(spec, set_label(spec, known.name if known else ""), view.count(Selection(_DC, spec)))

    def _form(self, view: View, item: Item, form: str, asked: Request, last_modified: int | None) -> Response:
        if form in _EXPORTS:
            write, content_type = _EXPORTS[form]
            links = header(item_head.links_of_export(item, form), item.forms[form])
            return answer(write(item), content_type, headers={"Link": links}, last_modified=last_modified)
        if form in item_head.LINK_SETS:
            write_links = linkset_json if form == "linkset.json" else linkset_text
            content = b"".join(write_links(in_order(item_head.link_set(item))))
            return answer(content, item_head.LINK_SETS[form], last_modified=last_modified)
        if form in ("authors", "files"):
            return self._list(item, form, asked)
        typed_links = tuple(item_head.links_of_page(item))
        before, after = (self._places.path(view, name) if name else "" for name in (item.before, item.after))
        is_indexed = item.has_held_file or self._site.is_indexed
        tags = tuple(item_head.citation_tags(item))
        json_ld = item_head.schema_org(item, item_head.IN_A_PAGE)
        body = self.pages.render(
            "item.html",
            item=item,
            most=_MOST_SHOWN,
            shown_files=_shown_files(item, tags, json_ld),
            is_indexed=is_indexed,
            canonical=item.canonical,
            citation_tags=tags,
            open_graph=tuple(item_head.open_graph(item)),
            description=item_head.description_of(item),
            head_links=[link for link in typed_links if link.rel == "linkset"],
            json_ld=Markup(json_ld),  # noqa: S704 - it escapes what could end the element
            authors_url=self._places.path(view, item.identifier, "authors"),
            files_url=self._places.path(view, item.identifier, "files"),
            before_url=before,
            after_url=after,
        )
        return answer(body, headers={"Link": header(typed_links, item.url)}, last_modified=last_modified)

    def _list(self, item: Item, form: str, asked: Request) -> Response:
        """Answer with a part of the authors or of the files; `after` is how many come before it."""
        entries = item.reference.authors if form == "authors" else (*item.files, *item.supplements)
        text = asked.args.get("after", "0")
        is_number = text.isascii() and text.isdigit() and len(text) < 10  # noqa: PLR2004 - no list has so many entries
        if not is_number or int(text) > max(0, len(entries) - 1):
            return no_page(self.pages, HTTPStatus.BAD_REQUEST, self._texts.errors.bad, asked=f"after={text}")
        start = int(text)
        most = _MOST_LISTED if form == "authors" else _MOST_FILES_LISTED
        part = entries[start : start + most]
        base = self._site.root + item.forms[form].removeprefix(self._site.url)
        mark = "&" if "?" in base else "?"
        body = self.pages.render(
            "authors.html" if form == "authors" else "all_files.html",
            item=item,
            first=start + 1,
            authors=part,
            shown_files=part,
            previous_url=f"{base}{mark}after={max(0, start - most)}" if start else "",
            next_url=f"{base}{mark}after={start + most}" if len(entries) > start + most else "",
        )
        return answer(body)

    # -- what is not there ---------------------------------------------------------------------------------------

    def _missing(self, sentence: str, asked: str) -> Response:
        return no_page(self.pages, HTTPStatus.NOT_FOUND, sentence, asked=asked)

    def _ambiguous(self, view: View, identifiers: tuple[str, ...]) -> Response:
        links = [{"href": self._places.path(view, name), "text": name} for name in identifiers]
        texts = self._texts.errors
        return no_page(self.pages, HTTPStatus.NOT_FOUND, texts.ambiguous, hint=texts.ambiguous_hint, links=links)

    def _gone(self, identifier: str, record: StoredRecord | None) -> Response:
        """Answer for an item that the source deleted (410), or that was taken down (451, RFC 7725)."""
        texts = self._texts.errors
        upstream = upstream_identifier(identifier)
        state = self._store.states(source_of(identifier), [upstream]).get(upstream)
        if state is not None and state.is_hidden:
            hint = texts.legal_hint.format(name=self._site.admin_email)
            body = self.pages.render("gone.html", sentence=texts.legal, hint=hint, identifier=identifier, datestamp="")
            headers = {"Link": f'<{self._site.url}/>; rel="blocked-by"'}
            return answer(body, status=HTTPStatus.UNAVAILABLE_FOR_LEGAL_REASONS, headers=headers)
        datestamp = self._describe(record.content).datestamp if record else ""
        with self._store.view() as view:
            source = view.source(source_of(identifier))
        why = of_tombstone(source).words
        body = self.pages.render("gone.html", sentence=texts.gone, hint=why, identifier=identifier, datestamp=datestamp)
        return answer(body, status=HTTPStatus.GONE)


_EXPORTS: Mapping[str, tuple[Callable[[Item], str], str]] = {
    "json": (item_head.item_json, "application/json"),
    "jsonld": (item_head.schema_org, item_head.JSON_LD_TYPE),
    "bib": (lambda item: bibtex(item.reference, item.url), BIBTEX_TYPE),
    "ris": (lambda item: ris(item.reference, item.url), RIS_TYPE),
    "csl.json": (lambda item: csl_json(item.reference, item.url, item.identifier), CSL_JSON_TYPE),
}
# What the page of an item may be asked for instead of HTML, by media type (RFC 9110 §12.5.1).
_OFFERED = {
    "text/html": "html",
    **{media_type: form for form, media_type in item_head.LINK_SETS.items()},
    **{content_type.partition(";")[0]: form for form, (_, content_type) in _EXPORTS.items()},
}


def _shown_files(item: Item, tags: Sequence[tuple[str, str]], json_ld: str) -> tuple[ShownFile, ...]:
    """Return the files that the page shows beside these `meta` elements and this JSON-LD."""
    reference = item.reference
    room = _MOST_BYTES - _FRAME - len(json_ld)
    room -= sum(len(name) + len(content) + _TAG for name, content in tags)
    for entry in reference.abstracts[: _MOST_SHOWN["abstracts"]]:
        room -= len(entry.text) + _PARAGRAPH * min(_MOST_SHOWN["paragraphs"], 1 + entry.text.count("\n\n"))
    room -= sum(_SUBJECT + 2 * len(entry.text) for entry in reference.subjects[: _MOST_SHOWN["subjects"]])
    room -= sum(_IDENTIFIER + 2 * len(entry.text) for entry in reference.identifiers[: _MOST_SHOWN["identifiers"]])
    shown = 0
    for file in item.files[:_MOST_FILES]:
        room -= _FILE + len(file.url) + 2 * len(file.name) + (_DIGEST if file.sha256 else 0)
        if room < 0 and shown >= _FEWEST_FILES:
            break
        shown += 1
    return item.files[:shown]
