"""The part of `View` that lists of ResourceSync, feeds and followers are made of: resources, files and changes."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from gateway.core.model import ChangeLine, Content, Resource, ResourceChange, Selection
from gateway.store.connector import Session
from gateway.store.queries import load
from gateway.store.rows import EVERYTHING

SQL = load("store")

CHANGES_FACT = "changes_from"  # the migration that began to log resources writes it
EVER = 2**62 // 86_400 * 86_400  # later than any datestamp, and a whole number of days
_KINDS = ("created", "updated", "deleted")


class Snapshot:
    """One snapshot, and the numbers of the names in it."""

    def __init__(self, session: Session, made_at: int) -> None:
        self._session = session
        self._made_at = made_at

    def _place(self, selection: Selection) -> tuple[int, int] | None:
        prefix = self._number("prefix", selection.metadata_prefix)
        spec = selection.set_spec
        collection = EVERYTHING if spec is None else self._number("collection", spec)
        return None if prefix is None or collection is None else (collection, prefix)

    def _item(self, identifier: str) -> int | None:
        # SQLite would compare what is before a NUL.
        return None if "\0" in identifier else self._one(SQL["item"], {"identifier": identifier})

    def _number(self, query: str, name: str) -> int | None:
        return self._one(SQL[query], (name,))

    def _identifiers(self, query: str, wanted: dict[str, str | int]) -> tuple[str, ...]:
        try:
            rows = self._session.execute(SQL[query], wanted).fetchall()
        except UnicodeEncodeError:  # half a surrogate pair in a request
            return ()
        return tuple(row[0] for row in rows)

    def _one(self, query: str, parameters: dict[str, str] | tuple[str]) -> int | None:
        try:
            row = self._session.one(query, parameters)
        except UnicodeEncodeError:  # half a surrogate pair in a request: no name here has one
            return None
        return None if row is None else row[0]


class ResourceLists(Snapshot):
    """The resources, files and changes of one snapshot."""

    def resources(self, selection: Selection, after: int, until: int, limit: int) -> tuple[Resource, ...]:
        """Return at most `limit` living records of a list, by the numbers of their items, after `after` to `until`.

        The bounds of `selection` do not count.
        """
        place = self._place(selection)
        if place is None:
            return ()
        collection, prefix = place
        query = SQL["resources" if collection == EVERYTHING else "resources_of_set"]
        bounds = {"collection": collection, "prefix": prefix, "after": after, "until": until, "limit": limit}
        return tuple(map(Resource._make, self._session.execute(query, bounds)))

    def resource_ranges(self, selection: Selection, width: int) -> tuple[int, ...]:
        """Return the numbers, from 0, of the ranges of so many items that have living records of a list."""
        place = self._place(selection)
        if place is None:
            return ()
        collection, prefix = place
        bounds = {"collection": collection, "prefix": prefix, "width": width}
        return tuple(number for (number,) in self._session.execute(SQL["resource_ranges"], bounds))

    def contents(self, after: int, until: int) -> Iterator[tuple[int, Content]]:
        """Yield (item, file) of the files to which the DIDLs of items refer, after the number `after` to `until`.

        They are in the order of the items and of the DIDL; deleted items have none. Read them while the view is open.
        """
        return map(_content, self._session.execute(SQL["contents"], {"after": after, "until": until}))

    def cited(self, item: int) -> str:
        """Return the DOI of the work of an item, as a URI; empty: it has none."""
        row = self._session.one(SQL["cited"], (item,))
        return str(row[0]) if row else ""

    def files(self, after: int, until: int, limit: int, offset: int) -> Iterator[tuple[int, Content]]:
        """Yield (item, file) of at most `limit` files from place `offset`, one after the other, in all their items.

        These are the files whose first item has a number after `after` to `until`. Read them while the view is open.
        """
        bounds = {"after": after, "until": until, "limit": limit, "offset": offset}
        return map(_content, self._session.execute(SQL["listed_files"], bounds))

    def file_counts(self, width: int) -> tuple[tuple[int, int], ...]:
        """Return (number, how many files) of each range of so many items; numbers are from 0.

        A file counts in the range of its first item. Ranges without files are left out.
        """
        return tuple(self._session.execute(SQL["listed_file_counts"], {"width": width}).fetchall())

    def identifiers_of(self, items: Iterable[int]) -> dict[int, str]:
        """Return the identifiers of items by their numbers."""
        return dict(self._session.execute(SQL["identifiers_of"], (json.dumps(list(items)),)))

    def resource_changes(self, selection: Selection, after: tuple[int, int], limit: int) -> tuple[ResourceChange, ...]:
        """Return at most `limit` changes of a list by (datestamp, number), after the key `after`.

        A record that left the set is deleted in its list. A change below the horizon is the same in every later view,
        but for an item that is taken down. The caller limits `until` to what is below the horizon.
        """
        place = self._place(selection)
        if place is None:
            return ()
        collection, prefix = place
        datestamp, number = after
        bounds = {
            "first": max(datestamp, selection.from_ or 0),
            "last": EVER if selection.until is None else selection.until,
            "datestamp": datestamp,
            "number": number,
        }
        rows = self._session.execute(
            SQL["resource_changes"], {"collection": collection, "prefix": prefix, "limit": limit, **bounds}
        )
        return tuple(_resource_change(*row) for row in rows)

    def withheld_versions(self, metadata_prefix: str) -> tuple[tuple[int, int], ...]:
        """Return (item, datestamp) of each item of which something is taken down, by the numbers of items.

        The datestamp is that of the version in this format that is served; 0: none. No other version may be shown.
        """
        prefix = self._number("prefix", metadata_prefix)
        return tuple(self._session.execute(SQL["withheld_versions"], {"prefix": prefix}).fetchall())

    def changed_ranges(self, after: int, width: int) -> frozenset[int]:
        """Return the numbers, from 0, of the ranges of so many items that have changed after a line of the log."""
        rows = self._session.execute(SQL["changed_ranges"], {"after": after, "width": width})
        return frozenset(number for (number,) in rows)

    def change_days(self, selection: Selection) -> tuple[tuple[int, int], ...]:
        """Return (first second, how many changes) of each day in which a list has changes (`resource_changes`)."""
        place = self._place(selection)
        if place is None:
            return ()
        query = SQL["change_days" if place[0] == EVERYTHING else "change_days_of_set"]
        return tuple(self._session.execute(query, _in_log(place, selection)).fetchall())

    def change_key(self, selection: Selection, place: int) -> tuple[int, int] | None:
        """Return the key (datestamp, number) of the change at a place of a list, from 0; None if it is shorter."""
        where = self._place(selection)
        if where is None:
            return None
        row = self._session.one(SQL["change_key"], {"place": place, **_in_log(where, selection)})
        return None if row is None else (int(row[0]), int(row[1]))

    def changed_until(self, metadata_prefix: str, until: int) -> int:
        """Return the first second after the last change of a format that is not later than `until`."""
        prefix = self._number("prefix", metadata_prefix)
        (latest,) = self._session.one(SQL["change_latest"], {"prefix": prefix, "last": until}) or (None,)
        return self.changes_from() if latest is None else int(latest) + 1

    def changes_from(self) -> int:
        """Return the first second that lists of changes can begin with: an earlier release logged less."""
        (first,) = self._session.one(SQL["fact"], (CHANGES_FACT,)) or (0,)
        return max(int(first), self._made_at)

    def changes(self, after: int, limit: int) -> tuple[ChangeLine, ...]:
        """Return at most `limit` lines of the log of changes, after line `after`."""
        rows = self._session.execute(SQL["changes"], (after, limit))
        return tuple(
            ChangeLine(number, identifier, prefix, datestamp, _KINDS[kind])
            for number, identifier, prefix, datestamp, kind in rows
        )

    def last_change(self) -> int:
        """Return the number of the last line of the log of changes; 0 if it has none."""
        (last,) = self._session.one(SQL["change_last"]) or (0,)
        return int(last)


def _in_log(place: tuple[int, int], selection: Selection) -> dict[str, int]:
    collection, prefix = place
    last = EVER if selection.until is None else selection.until
    return {"collection": collection, "prefix": prefix, "first": selection.from_ or 0, "last": last}


def _resource_change(
    number: int,
    identifier: str,
    datestamp: int,
    kind: int,
    is_empty: int,
    length: int | None,
    sha256: bytes | None,
    item: int,
) -> ResourceChange:
    is_known = sha256 is not None and not is_empty and _KINDS[kind] != "deleted"
    facts = (length or 0, sha256 or b"") if is_known else (0, b"")
    return ResourceChange(number, identifier, datestamp, _KINDS[kind], *facts, item)


def _content(row: Sequence[Any]) -> tuple[int, Content]:
    item, url, mime_type, size, sha256, modified, copy_url, is_supplement = row
    return item, Content(url, mime_type, size, sha256.hex(), modified, copy_url, bool(is_supplement))
