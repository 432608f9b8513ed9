"""A ResourceSync source of as many records as one likes, made while it is asked: its lists, its records, its dumps."""

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import md5
from io import BytesIO

from tests.bench import runs

AT = "2013-01-03T09:00:00Z"
IN_A_LIST, IN_A_PACKAGE = 50_000, 10_000
_NAMESPACES = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/"'
_RECORD = (
    '<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Work {}</dc:title><dc:creator>Nobody</dc:creator>'
    f"<dc:date>2013</dc:date><dc:description>{'What it is about. ' * 20}</dc:description></oai_dc:dc>"
)


class Source:
    """Knows every answer by its path."""

    def __init__(self, records: int, url: str, *, has_dump: bool) -> None:
        """Take how many records there are, where, and whether they come in packages too."""
        self.records, self.has_dump, self.url = records, has_dump, url

    def answer(self, path: str) -> bytes | None:
        """Return the answer at a path; None when there is none."""
        name, _, number = path.removeprefix("/").partition("/")
        known = {"": self._capabilities, "list.xml": self._index, "dump.xml": self._dump}
        if not number:
            return known[name]() if name in known else None
        made = {"r": self._record, "list": self._list, "dump": self._package}
        return made[name](int(number)) if name in made else None

    def _record(self, number: int) -> bytes:
        return _RECORD.format(number).encode()

    def _capabilities(self) -> bytes:
        names = {"resourcelist": "list.xml", **({"resourcedump": "dump.xml"} if self.has_dump else {})}
        entries = (self._entry(path, f'capability="{name}"') for name, path in names.items())
        return self._document("capabilitylist", entries)

    def _index(self) -> bytes:
        parts = (self._entry(f"list/{number}", "", "sitemap") for number in self._parts(IN_A_LIST))
        return self._document("resourcelist", parts, "sitemapindex")

    def _list(self, number: int) -> bytes:
        return self._document("resourcelist", map(self._listed, self._numbers(number, IN_A_LIST)))

    def _dump(self) -> bytes:
        return self._document("resourcedump", (self._entry(f"dump/{part}", "") for part in self._parts(IN_A_PACKAGE)))

    def _package(self, number: int) -> bytes:
        stream, numbers = BytesIO(), self._numbers(number, IN_A_PACKAGE)
        entries = (self._listed(record_number, f' path="/{record_number}"') for record_number in numbers)
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as package:
            package.writestr("manifest.xml", self._document("resourcedump-manifest", entries))
            for record_number in numbers:
                package.writestr(str(record_number), self._record(record_number))
        return stream.getvalue()

    def _parts(self, size: int) -> range:
        return range(-(-self.records // size))

    def _numbers(self, part: int, size: int) -> range:
        return range(part * size, min(self.records, (part + 1) * size))

    def _listed(self, number: int, more: str = "") -> str:
        body = self._record(number)
        attributes = f'hash="md5:{md5(body).hexdigest()}" length="{len(body)}" type="application/xml"{more}'
        return self._entry(f"r/{number}", attributes)

    def _entry(self, path: str, attributes: str, name: str = "url") -> str:
        return (
            f"<{name}><loc>{self.url}/{path}</loc><lastmod>2013-01-02T00:00:00Z</lastmod><rs:md {attributes}/></{name}>"
        )

    def _document(self, capability: str, entries: Iterator[str], root: str = "urlset") -> bytes:
        head = f'<rs:md capability="{capability}" at="{AT}"/>'
        return f"<{root} {_NAMESPACES}>{head}{''.join(entries)}</{root}>".encode()


@contextmanager
def serving(records: int, *, has_dump: bool = False) -> Iterator[str]:
    """Serve a source from a process of its own as long as the context lasts; return its address."""

    class Handler(runs.Quiet):
        def answer(self) -> None:
            source = Source(records, f"http://127.0.0.1:{self.connection.getsockname()[1]}", has_dump=has_dump)
            body = source.answer(self.path)
            self.reply(body or b"", 404 if body is None else 200)

    with runs.serving(Handler) as port:
        yield f"http://127.0.0.1:{port}"
