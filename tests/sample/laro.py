"""A small LARO: a Solr index of works, and a ResourceSync list over it, as its solrSync made one (Autoload, Listing 5).

Every work has an entry for its metadata. Of those with a full text, that entry describes it and a second one names it;
what has none is what a search for full text goes for. Standard library only, and nothing of ours. Run it as
`python tests/sample/laro.py`; it prints the address of the index and that of the host, where the list is found.
"""

import argparse
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from threading import Event
from xml.sax.saxutils import escape, quoteattr

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.sample.solr import Answer, Document, Index, answered, laro, served

_LIST = """<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/">
<rs:md capability="{capability}"{said}/>
{entries}</urlset>
"""
# As the repository behind LARO gave it (Autoload, Listing 6).
_RECORD = """<?xml version="1.0" encoding="UTF-8"?>
<record>
  <identifier>{recID}</identifier>
  <title>{displayTitle}</title>
  <author>{displayName}</author>
  <source>{displaySource}</source>
  <doi>{doi}</doi>
  <document_type>Journal Article</document_type>
</record>
"""


class Laro:
    """The index, and what stands at each path beside it; `place` is the address of the host, once it is served."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self.index = Index(documents)
        self.place = ""

    def answer(self, path: str) -> Answer:
        """Return what stands at a path."""
        if path.startswith("/solr/"):
            return answered(self.index, path)
        if path in _DOCUMENTS:
            return 200, _DOCUMENTS[path](self).encode(), "application/xml"
        match = re.fullmatch(r"/(metadata|lareport)/([\w-]+)", path)
        document = self.index.documents.get(f"info:lanl-repo/lareport/{match[2]}") if match else None
        if match is None or document is None or (match[1] == "lareport" and "url" not in document):
            return 404, b"<html>Not Found</html>", "text/html"
        if match[1] == "lareport":
            return 200, b"%PDF-1.4\n% a full text\n", "application/pdf"
        return 200, record(document), "application/xml"

    def description(self) -> str:
        """Return the Source Description."""
        return _written("description", [self._named("capabilitylist")])

    def capabilities(self) -> str:
        """Return the Capability List."""
        return _written("capabilitylist", [self._named("resourcelist")])

    def resources(self) -> str:
        """Return the Resource List: up to the newest document, as solrSync asked for it."""
        newest = max(document["timestamp"] for document in self.index.documents.values())
        entries = (entry for document in self.index.documents.values() for entry in self._entries(document))
        return _written("resourcelist", entries, at=newest)

    def _named(self, capability: str) -> str:
        return f'<url><loc>{self.place}/{capability}.xml</loc><rs:md capability="{capability}"/></url>\n'

    def _entries(self, document: Document) -> Iterator[str]:
        """Yield the entry of a work's metadata, and that of its full text."""
        name = document["recID"].rpartition("/")[2]
        metadata, fulltext = f"{self.place}/metadata/{name}", f"{self.place}/lareport/{name}"
        body, has_fulltext = record(document), "url" in document
        attributes = f'hash="sha-256:{sha256(body).hexdigest()}" length="{len(body)}" type="application/xml"'
        yield _entry(metadata, document, attributes, "describes", fulltext if has_fulltext else "")
        if has_fulltext:
            yield _entry(fulltext, document, 'type="application/pdf"', "describedby", metadata)


def record(document: Document) -> bytes:
    """Return the metadata of a work."""
    return _RECORD.format(**{key: escape(value) for key, value in document.items() if isinstance(value, str)}).encode()


def _entry(url: str, document: Document, attributes: str, rel: str, href: str) -> str:
    link = f'<rs:ln rel="{rel}" href={quoteattr(href)}/>' if href else ""
    return f"<url><loc>{url}</loc><lastmod>{document['timestamp']}</lastmod><rs:md {attributes}/>{link}</url>\n"


def _written(capability: str, entries: Iterable[str], **attributes: str) -> str:
    markup = "".join(f" {name}={quoteattr(value)}" for name, value in attributes.items())
    return _LIST.format(capability=capability, said=markup, entries="".join(entries))


_DOCUMENTS = {
    "/.well-known/resourcesync": Laro.description,
    "/capabilitylist.xml": Laro.capabilities,
    "/resourcelist.xml": Laro.resources,
}


def main(arguments: Iterable[str]) -> None:
    """Serve until ended."""
    parser = argparse.ArgumentParser(description="Serves a small LARO of 40 works, 12 of them with a full text.")
    parser.add_argument("--port", type=int, default=0, help="the port; 0: a free one")
    options = parser.parse_args(list(arguments))
    small = Laro(laro(40, 12))
    with served(small.answer, port=options.port) as small.place:
        print(f"A small LARO is served: {small.place}/solr/laro {small.place}", flush=True)
        with suppress(KeyboardInterrupt):
            Event().wait()


if __name__ == "__main__":
    main(sys.argv[1:])
