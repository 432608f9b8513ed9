"""The page of an item in the review: why there is a file or none, and what a person needs to decide on its files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from http import HTTPStatus
from itertools import islice
from typing import Any, Final, NamedTuple

from flask import Response, request

from gateway.core.errors import PageLost, QueryRefused
from gateway.core.model import Decision, Description, ItemState, ListedCopy, Payload, SearchState
from gateway.core.names import source_of, upstream_identifier
from gateway.core.takedowns import Takedowns
from gateway.core.xmltext import utc_datetime
from gateway.fulltext.explanation import policy_sentence, standing_of
from gateway.fulltext.stored_search import candidates_in, parsed_search
from gateway.pages.item_places import plain_address
from gateway.review.copy_rows import COLUMNS, facts_of, row_of
from gateway.review.frame import (
    DATA,
    ReviewPages,
    address_in_list,
    csv_answer,
    item_address,
    json_answer,
    number_in,
    page,
    refused,
)
from gateway.review.item_view import MOST_FILES, Describe, Explained, File, Files, Part, described_in, steps_shown
from gateway.review.list_arguments import Asked, asked_of, filter_query, query_of
from gateway.review.listing import Listing, status_of
from gateway.review.sessions import signed_in
from gateway.store.base import Discovery, Inbox, Store

_PUBLISHED: Final = ("oai_dc", "oai_didl")
MOST_BYTES: Final = 50_000  # that are shown of one record


class Published(NamedTuple):
    """A record as it is published. `text` is None if it is not shown, because it is deleted."""

    metadata_prefix: str
    datestamp: str
    is_deleted: bool
    text: Text | None
    url: str


class Place(NamedTuple):
    """The place of a page of the files of an item: the numbers of decisions on the files around it; 0: none."""

    after: int
    before: int


class ItemPage:
    """Answers with the pages of items. `inbox` is None if it cannot be read.

    `describe` reads a published record, `has_copy` says whether a copy with a SHA-256 is stored.
    """

    def __init__(
        self,
        store: Store,
        inbox: Inbox | None,
        discovery: Callable[[], Discovery],
        describe: Describe,
        has_copy: Callable[[str], bool],
        pages: ReviewPages,
    ) -> None:
        self._store, self._inbox, self._discovery = store, inbox, discovery
        self._describe, self._has_copy, self._pages = describe, has_copy, pages
        self._listing = Listing(store, discovery)
        self._root = pages.site.root

    def item(self, tail: str = "") -> Response:
        """Answer with the page of an item; its identifier is the end of the path, or an argument."""
        identifier = tail or request.args.get("identifier", "")
        form = request.args.get("format", "")
        if identifier.endswith(DATA) and self._known(identifier) == (None, None):
            identifier, _, form = identifier.rpartition(".")
        try:
            asked, place = asked_of(request.args), _place_of(request.args)
        except QueryRefused as error:
            return refused(self._pages, HTTPStatus.BAD_REQUEST, str(error))
        texts = self._pages.texts
        search, state = self._known(identifier)
        if search is None and state is None:
            return refused(self._pages, HTTPStatus.NOT_FOUND, texts.errors.not_found_item)
        source = search.source if search else source_of(identifier)
        if not signed_in().may_decide(source):
            return refused(self._pages, HTTPStatus.FORBIDDEN, texts.review_item.other_source.format(source=source))
        upstream = search.upstream if search else upstream_identifier(identifier)
        if (state and state.is_hidden) or self._store.takedowns().names_item(identifier, source, upstream):
            return refused(self._pages, HTTPStatus.UNAVAILABLE_FOR_LEGAL_REASONS, texts.errors.legal)
        search = search or SearchState(identifier, source, upstream)
        return self._in_form(self._values(search, state, asked, place), form)

    def _in_form(self, values: dict[str, Any], form: str) -> Response:
        """Answer with the values of the page as the page, or as data."""
        shown: Sequence[File] = values["files"]
        if form == "json":
            return json_answer(item_data(values))
        if form == "csv":
            following = str(values["next_url"])
            rows = (facts_of(row_of(file.listed, file.candidate)) for file in shown)
            return csv_answer("files", COLUMNS, rows, following and _with(following, "format=csv"))
        return page(self._pages.render("item.html", **values))

    def _known(self, identifier: str) -> tuple[SearchState | None, ItemState | None]:
        """Return the search for an item, and its state in the store."""
        if not identifier:
            return None, None
        upstream = upstream_identifier(identifier)
        states = self._store.states(source_of(identifier), [upstream])
        return self._discovery().search(identifier), states.get(upstream)

    def _values(self, search: SearchState, state: ItemState | None, asked: Asked, place: Place) -> dict[str, object]:
        """Return everything that the page of an item shows."""
        identifier, takedowns, discovery = search.identifier, self._store.takedowns(), self._discovery()
        described, published = self._published(identifier)
        is_living = described is not None and not described.is_deleted
        work = described.work if described is not None and is_living else None
        parsed = parsed_search(search)
        candidates = candidates_in(parsed)
        files = Files(search, parsed, candidates, work, discovery.decisions(identifier))
        decisions = files.last(takedowns)
        start = files.start(decisions, *place)
        listed = asked.after or (files.listed(decisions[0]) if decisions else None)
        before, after = self._neighbours(asked, listed, identifier)
        here = item_address(self._root, identifier, query_of(asked))
        shown = [
            files.file(number, one, discovery.first_page, self._has_copy)
            for number, one in enumerate(decisions[start : start + MOST_FILES], start + 1)
        ]
        first, last = (shown[0].decision.number, shown[-1].decision.number) if shown else (0, 0)
        can_take_down = signed_in().may_take_down(search.source)
        unread = self._unread(state, takedowns) if state and can_take_down else ()
        titles = [one for one in work.statements if one.element == "title"] if work else []
        return {
            "tab": "copies",
            "identifier": identifier,
            "source": search.source,
            "title": titles[0].text if titles else "",
            "title_language": titles[0].language if titles else "",
            "is_deleted": not is_living,
            "standing": standing_of(search, decisions),
            "retracted": parsed.get("retracted", ""),
            "policy": policy_sentence(parsed),
            "steps": tuple(steps_shown(parsed, candidates, takedowns)),
            "files": shown,
            "count": len(decisions),
            "waiting": sum(decision.verdict == "review" for decision in decisions),
            "work": work,
            "hops": described.hops if described else (),
            "received": tuple(record_of(self._inbox, payload, takedowns) for payload in state.payloads)
            if state
            else (),
            "published": published,
            "status": status_of(self._discovery, self._listing, signed_in(), request.args.get("done", "")),
            "status_next": here,
            "public_url": plain_address(f"{self._root}/items/", identifier),
            "here": here,
            "forms": [(name.upper(), _with(here, f"format={name}")) for name in ("json", "csv")],
            "list_url": f"{self._root}/review?{filter_query(asked)}".rstrip("?"),
            "before_url": before,
            "after_url": after,
            "previous_url": _with(here, f"files_before={first}") if start and shown else "",
            "next_url": _with(here, f"files_after={last}") if len(decisions) > start + MOST_FILES else "",
            "can_take_down": can_take_down,
            "unread": unread[:MOST_FILES],
            "has_more_unread": len(unread) > MOST_FILES,
            "moment_text": utc_datetime,
        }

    def _unread(self, state: ItemState, takedowns: Takedowns) -> Sequence[str]:
        """Return addresses of published files of which nobody knows the bytes; at most one more than a page shows."""
        with self._store.view() as view:
            files = (file for _, file in view.contents(state.number - 1, state.number) if not file.sha256)
            return list(islice((file.url for file in files if not takedowns.names_address(file.url)), MOST_FILES + 1))

    # -- the record ----------------------------------------------------------------------------------------------

    def _published(self, identifier: str) -> tuple[Description | None, tuple[Published, ...]]:
        """Return what the Dublin Core of an item says (None: there is none), and its records as they are published."""
        described, records = None, []
        with self._store.view() as view:
            for prefix in _PUBLISHED:
                record = view.record(identifier, prefix)
                if record is None:
                    continue
                described = described or described_in(self._describe, record.content)
                url = plain_address(f"{self._root}/metadata/{prefix}/", identifier)
                text = None if record.is_deleted else beginning_of(record.content)
                records.append(Published(prefix, utc_datetime(record.datestamp), record.is_deleted, text, url))
        return described, tuple(records)

    # -- neighbours in the list ----------------------------------------------------------------------------------

    def _neighbours(self, asked: Asked, place: ListedCopy | None, identifier: str) -> tuple[str, str]:
        """Return the addresses of the items before and after this one in the list; empty if there is none."""
        if place is None:
            return "", ""
        lists = (asked._replace(after=None, before=place), asked._replace(after=place, before=None))
        before, after = (self._nearest(wanted, identifier) for wanted in lists)
        return before, after

    def _nearest(self, wanted: Asked, identifier: str) -> str:
        other = self._listing.nearest(wanted, signed_in(), identifier)
        return "" if other is None else address_in_list(self._root, wanted, other)


def _place_of(arguments: Mapping[str, str]) -> Place:
    """Return the place of a page of files. Raise QueryRefused."""
    numbers = [arguments.get(f"files_{name}", "") for name in Place._fields]
    if any(text and not number_in(text) for text in numbers):
        raise QueryRefused("The number of a decision is none. Leave it out to get the first files.")
    return Place(*map(number_in, numbers))


def _with(address: str, argument: str) -> str:
    return f"{address}{'&' if '?' in address else '?'}{argument}"


# --- The page of an item as data, for programs: the same facts as on the page. Pure ----------------------------------


_AS_THEY_ARE: Final = ("identifier", "source", "title", "is_deleted", "standing", "retracted", "policy", "count")


def item_data(values: Mapping[str, Any]) -> dict[str, object]:
    """Return the values of the page as an object for JSON; `next` is the address of further files, or None."""
    return {
        **{name: values[name] for name in _AS_THEY_ARE},
        "files": [_file(file) for file in values["files"]],
        "next": values["next_url"] or None,
        "steps": [{**step._asdict(), "files": list(map(_explained, step.files))} for step in values["steps"]],
        "provenance": [hop._asdict() for hop in values["hops"]],
        "received": [_received(record) for record in values["received"]],
        "published": [
            {
                "format": record.metadata_prefix,
                "datestamp": record.datestamp,
                "is_deleted": record.is_deleted,
                **_text(record.text),
            }
            for record in values["published"]
        ],
    }


def _file(file: File) -> dict[str, object]:
    copy = file.listed.copy
    return {
        **decision_data(file.decision),
        **{name: getattr(copy, name) for name in ("step", "score", "colour", "license", "version", "kind")},
        "size": copy.size or None,
        "has_copy": file.is_kept,
        "differences": [
            {"fact": row.name, "record": _words(row.record), "file": _words(row.file), "differs": row.differs}
            for row in file.rows
        ],
        "first_page": file.text,
        "explained": _explained(file.explained) if file.explained else None,
        "history": [decision_data(decision) for decision in file.history],
    }


def decision_data(decision: Decision) -> dict[str, object]:
    """Return a decision as data."""
    return {**decision._asdict(), "at": utc_datetime(decision.at)}


def _words(parts: Iterable[Part]) -> str:
    return " ".join(part.text for part in parts)


def _explained(explained: Explained) -> dict[str, object]:
    return {**explained._asdict(), "facts": dict(explained.facts)}


def _received(record: Received) -> dict[str, object]:
    return {
        "format": record.metadata_prefix,
        "datestamp": record.datestamp,
        "received_at": utc_datetime(record.received_at) if record.received_at else None,
        "is_deleted": record.is_deleted,
        "is_withheld": record.is_withheld,
        "repairs": list(record.repairs),
        **_text(record.text),
    }


def _text(text: Text | None) -> dict[str, object]:
    return {"text": text.text if text else None, "bytes": text.size if text else None}


class Text(NamedTuple):
    """A text that may be long: its beginning, its size in bytes, and whether it is cut."""

    text: str
    size: int

    @property
    def is_cut(self) -> bool:
        """Return whether it is cut."""
        return self.size > MOST_BYTES


class Received(NamedTuple):
    """A record in one format as it was received.

    `received_at` is the second of its answer, `datestamp` that of the source. `text` is None if the record was a
    deletion, if its page is lost, or if it names something that is taken down (`is_withheld`).
    """

    metadata_prefix: str
    datestamp: str = ""
    received_at: int = 0
    is_deleted: bool = False
    text: Text | None = None
    repairs: tuple[str, ...] = ()
    is_withheld: bool = False


def beginning_of(content: bytes) -> Text:
    """Return the beginning of a text in UTF-8."""
    return Text(content[:MOST_BYTES].decode("utf-8", "replace"), len(content))


def record_of(inbox: Inbox | None, payload: Payload, takedowns: Takedowns) -> Received:
    """Return the last received record of an item in one format. Raise StoreError."""
    prefix = payload.metadata_prefix
    try:
        stored = inbox.page(payload.page) if inbox is not None else None
    except PageLost:
        stored = None
    if stored is None or payload.slice >= len(stored.slices):
        return Received(prefix, is_deleted=payload.is_deleted)
    page, cut = stored.page, stored.slices[payload.slice]
    content = (page.repaired or page.body)[cut.start : cut.stop]
    is_withheld = not takedowns.is_empty and takedowns.may_concern(content)
    text = beginning_of(content) if content and not is_withheld else None
    is_deleted = payload.is_deleted or cut.is_deleted
    return Received(prefix, cut.datestamp, page.received_at, is_deleted, text, page.repairs, is_withheld)
