"""Several received resources in one page of the inbox, with the entries of the lists as abouts.

Before each resource stand its URL, status and headers, then its entries. Its bytes are unchanged. A commit takes longer
than a small resource, so a page contains several.
"""

import json
import re
from collections.abc import Iterator

from gateway.core.errors import AnswerTooLarge
from gateway.core.model import Cursor, RawPage, Slice
from gateway.core.xmltext import JSON, clean, escape, escape_attribute
from harvester.http.messages import Fetched
from harvester.sources import Options
from harvester.sources.resourcesync.bibtex import entry_of
from harvester.sources.resourcesync.entries import Entry, entry_xml
from harvester.sources.resourcesync.plan import Item
from harvester.sources.resourcesync.request import headers_of
from harvester.xml.decoding import decode, is_plain
from harvester.xml.parsing import refuse_heavy_json

MOST_BYTES = 1 << 20

_DECLARATION = re.compile(r"^\s*<\?xml .*?\?>", re.DOTALL)
_END = b"\r\n"
_PLAIN_PATH = re.compile(r"[\w.~-][\w.~/-]*", re.ASCII)


class Bundle:
    """A growing page of resources and deletions; `page` and `slices` return the result."""

    def __init__(self, options: Options, cursor: Cursor, url: str, received_at: int, most: int = 1) -> None:
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
        """Return whether it should be committed now."""
        return len(self._slices) >= self._most or self._size >= MOST_BYTES

    def page(self) -> RawPage:
        """Return all resources as one page."""
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
        """Add a resource that the source has deleted."""
        self._put(entry_xml(entry) + _END)
        self._slices.append(Slice(entry.loc, entry.changed, (), True, 0, 0))

    def refuse(self, item: Item, problem: str) -> None:
        """Add an unusable resource, with the reason."""
        datestamp = item.entry.lastmod if item.entry else ""
        self._slices.append(Slice(item.uri, datestamp, (), False, 0, 0, problem=problem))

    def take(self, item: Item, own: Entry, fetched: Fetched) -> None:
        """Add a resource as received, with its own entry first, then those of its content."""
        self._received_at = fetched.received_at
        self._put(_head(fetched))
        # Its path in a package is no longer needed, and would differ from the entry in a list.
        abouts = [self._put(entry_xml(entry._replace(path=""))) for entry in (own, *item.content)]
        self._put(_END)
        text = self._plain(item.uri, fetched)
        start, stop = self._put(fetched.body, text)
        self._put(_END)
        collections = tuple(dict.fromkeys(_spec(link.href, own.loc) for link in own.related("collection")))
        self._slices.append(Slice(item.uri, own.lastmod, collections, False, start, stop, tuple(abouts)))

    def _plain(self, uri: str, fetched: Fetched) -> bytes:
        """Return the resource in UTF-8, and JSON or BibTeX as XML."""
        if text := as_xml(fetched.body):
            self._notes.append(f"{uri}: it is JSON, and was written as XML.")
            return text
        if fetched.body.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"@", b"%"):
            entry = entry_of(decode(fetched.body, fetched.header("Content-Type")).text)
            if entry is not None:
                self._notes.append(f"{uri}: it is BibTeX, and was written as XML.")
                return written(entry)
        if is_plain(fetched.body):
            return fetched.body
        decoded = decode(fetched.body, fetched.header("Content-Type"))
        self._notes += [f"{uri}: {repair}" for repair in decoded.repairs]
        return _DECLARATION.sub("", decoded.text).encode("utf-8", "replace")

    def _put(self, raw: bytes, text: bytes | None = None) -> tuple[int, int]:
        """Add bytes, and their UTF-8 form where it differs; return the offsets of the latter."""
        text = raw if text is None else text
        self._raw.append(raw)
        self._text.append(text)
        start, self._size = self._size, self._size + len(text)
        return start, self._size


def _spec(collection: str, resource: str) -> str:
    """Return the setSpec of a collection: of the same site its path, such as `sources:laro`; else its URL."""
    path = collection.removeprefix("/".join((*resource.split("/", 3)[:3], "")))
    return path.strip("/").replace("/", ":") if path != collection and _PLAIN_PATH.fullmatch(path) else collection


def _head(fetched: Fetched) -> bytes:
    lines = [f"{fetched.url} {fetched.status}", *(f"{name}: {value}" for name, value in headers_of(fetched)), "", ""]
    return _END.decode().join(lines).encode("utf-8", "replace")


# --- JSON as XML, in the form of XPath (F&O 3.1, §17.5), so that it is read and served like other metadata ------------

_DEEPEST = 50
_BEGINNING = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\r\n]*[{\[]")


def as_xml(body: bytes) -> bytes | None:
    """Return an object or a list of JSON as XML; None if it is something else, or too large or deep."""
    try:
        if not _BEGINNING.match(body):
            return None
        refuse_heavy_json(body)
        value = json.loads(body.decode("utf-8-sig"), parse_constant=_refused)
        return written(value)
    except (ValueError, RecursionError, AnswerTooLarge):
        return None


def written(value: object) -> bytes:
    """Return a value of JSON as XML. Raise ValueError if it is too deep."""
    return "".join(_written(value, f' xmlns="{JSON}"', 0)).encode("utf-8", "replace")


def _refused(name: str) -> None:
    """Refuse NaN and Infinity, which JSON does not have."""
    raise ValueError(name)


def _written(value: object, attributes: str, depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        raise ValueError
    if isinstance(value, dict):
        yield f"<map{attributes}>"
        for key, inner in value.items():
            yield from _written(inner, f' key="{escape_attribute(clean(key))}"', depth + 1)
        yield "</map>"
    elif isinstance(value, list):
        yield f"<array{attributes}>"
        for inner in value:
            yield from _written(inner, "", depth + 1)
        yield "</array>"
    elif value is None:
        yield f"<null{attributes}/>"
    else:
        kind = "string" if isinstance(value, str) else "boolean" if isinstance(value, bool) else "number"
        yield f"<{kind}{attributes}>{escape(clean(value if isinstance(value, str) else json.dumps(value)))}</{kind}>"
