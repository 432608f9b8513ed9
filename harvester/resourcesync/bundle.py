"""Resources that arrived one by one, put into one page of the inbox, with what the lists say of each as abouts.

Before each resource stand its address, status and headers, then the entries that speak of it; its bytes are as they
came. A commit costs more than a small resource does, so a page holds several.
"""

from __future__ import annotations

import re

from gateway.model import Cursor, RawPage, Slice
from harvester.resourcesync.asking import headers_of
from harvester.resourcesync.plan import Item
from harvester.sources import Options
from harvester.wire.decoding import decode, is_plain
from harvester.wire.entries import Entry, entry_xml
from harvester.wire.http import Fetched

MOST_BYTES = 1 << 20

_DECLARATION = re.compile(r"^\s*<\?xml .*?\?>", re.DOTALL)
_END = b"\r\n"


class Bundle:
    """Grows by one resource or deletion after the other; `page` and `slices` are what it came to."""

    def __init__(self, options: Options, cursor: Cursor, url: str, received_at: int, most: int = 1) -> None:
        """Take what the page says of itself, the address of the list, when that arrived; and how many fill it."""
        self._most = most
        self._options, self._cursor, self._url = options, cursor, url
        self._raw: list[bytes] = []
        self._text: list[bytes] = []
        self._size = 0
        self._received_at = received_at
        self._notes: list[str] = []
        self._slices: list[Slice] = []

    @property
    def slices(self) -> tuple[Slice, ...]:
        """The records so far."""
        return tuple(self._slices)

    @property
    def is_full(self) -> bool:
        """Tell whether it should be committed now."""
        return len(self._slices) >= self._most or self._size >= MOST_BYTES

    def page(self) -> RawPage:
        """Return everything as one page."""
        body, text = b"".join(self._raw), b"".join(self._text)
        return RawPage(
            self._options.source,
            "Resource",
            self._url,
            self._received_at,
            200,
            (),
            body,
            self._cursor.metadata_prefix,
            self._cursor.set_spec,
            b"" if text == body else text,
            tuple(self._notes),
        )

    def delete(self, entry: Entry) -> None:
        """Take a resource that the source has deleted."""
        self._put(entry_xml(entry) + _END)
        self._slices.append(Slice(entry.loc, entry.changed, (), True, 0, 0))

    def refuse(self, item: Item, problem: str) -> None:
        """Take a resource that cannot be used, with the reason."""
        datestamp = item.entry.lastmod if item.entry else ""
        self._slices.append(Slice(item.uri, datestamp, (), False, 0, 0, problem=problem))

    def take(self, item: Item, own: Entry, fetched: Fetched) -> None:
        """Take a resource as it arrived, with its own entry first, and those of its content."""
        self._received_at = fetched.received_at
        self._put(_head(fetched))
        # Where in a package it lies is of no interest any more, and differs from what a list says of the same.
        abouts = [self._put(entry_xml(each._replace(path=""))) for each in (own, *item.content)]
        self._put(_END)
        text = self._plain(item.uri, fetched)
        start, stop = self._put(fetched.body, text)
        self._put(_END)
        collections = tuple(dict.fromkeys(each.href for each in own.related("collection")))
        self._slices.append(Slice(item.uri, own.lastmod, collections, False, start, stop, tuple(abouts)))

    def _plain(self, uri: str, fetched: Fetched) -> bytes:
        """Return the resource in UTF-8."""
        if is_plain(fetched.body):
            return fetched.body
        decoded = decode(fetched.body, fetched.header("Content-Type"))
        self._notes += [f"{uri}: {each}" for each in decoded.repairs]
        return _DECLARATION.sub("", decoded.text).encode("utf-8", "replace")

    def _put(self, raw: bytes, text: bytes | None = None) -> tuple[int, int]:
        """Add bytes, in UTF-8 too where they are not; return where these lie."""
        text = raw if text is None else text
        self._raw.append(raw)
        self._text.append(text)
        start, self._size = self._size, self._size + len(text)
        return start, self._size


def _head(fetched: Fetched) -> bytes:
    lines = [f"{fetched.url} {fetched.status}", *(f"{name}: {value}" for name, value in headers_of(fetched)), "", ""]
    return _END.decode().join(lines).encode("utf-8", "replace")
