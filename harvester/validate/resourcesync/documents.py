"""The rules of one document: its head, then its entries as a stream. The memory does not grow with the entries.

Entries that are documents or packages are returned; resources are passed to an observer.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256

from gateway.core.errors import AnswerTooLarge, NotXml
from gateway.core.xmltext import SITEMAP
from harvester.validate.resourcesync import values
from harvester.validate.resourcesync.entries import OF_ENTRIES, EntryRules, judge_element, judge_links, judge_time
from harvester.validate.resourcesync.model import MOST_ENTRIES, Document, Judged, Listed, Observer
from harvester.validate.resourcesync.reading import ROOTS, Entry, Reading

_LEGAL_BYTES = 52_428_800  # 50 MB (Sitemaps 0.9)
_ENCODINGS = ("", "utf-8", "utf8", "us-ascii")
_READ_BYTES = 200_000_000
_SHARED_RULES = ("xml.entries", "document.entries", "xml.elements", "xml.attributes", "xml.prefix", "xml.terms")


def judge(
    document: Document, parts: Callable[[], Iterable[bytes]], judged: Judged, observer: Observer, now: float
) -> Document:
    """Read a document, store the verdicts of its rules, and return it with what was read.

    `now` is the Unix time that no time of the document is after.
    """
    reading, content = Reading(), _Counted(parts)
    rules = _DocumentRules(document, judged, reading, now)
    fault = ""
    entries: EntryRules | None = None
    listed: list[Listed] = []
    try:
        for entry in reading.entries(iter(content), _READ_BYTES):
            if entries is None:
                rules.head()
                entries = EntryRules(document, judged, now)
            _take(entries, entry, listed, observer, document)
        document.is_whole = True
    except NotXml as error:
        fault = str(error)
    except AnswerTooLarge:
        judged.fault("answer.size", document.shown, f"The document has more than {_READ_BYTES} bytes.")
    rules.xml(fault)
    if not reading.root:
        return document
    if entries is None:
        rules.head()
    wrong = content.size > _LEGAL_BYTES and f"The document has {content.size} bytes."
    judged.faults(document.shown, "answer.size", wrong)
    rules.tail()
    if entries is not None:
        entries.end()
        document.size, document.has_datetime = entries.count, entries.has_datetime
    document.listed, document.digest = tuple(listed), content.digest.hexdigest()
    _judge_listed(document, judged)
    return document


class _Counted:
    """The bytes of a document, which are counted while they are read."""

    def __init__(self, parts: Callable[[], Iterable[bytes]]) -> None:
        self.size, self.digest = 0, sha256()
        self._parts = parts

    def __iter__(self) -> Iterator[bytes]:
        for part in self._parts():
            self.size += len(part)
            self.digest.update(part)
            yield part


def _judge_listed(document: Document, judged: Judged) -> None:
    """Judge the entries of a Source Description or a Capability List."""
    shown, listed = document.shown, document.listed
    if document.capability in ("description", "capabilitylist") and document.is_whole:
        judged.faults(shown, "capabilities.entry", not document.size and "The document has no entry.")
    if document.capability == "description":
        expected = "description" if document.is_index else "capabilitylist"
        wrong = [one for one in listed if one.md.get("capability", expected) != expected]
        sentences = (f"The capability of {one.loc[:200]} is {one.md['capability'][:100]!r}." for one in wrong)
        judged.faults(shown, "description.capability", sentences)
        dated = (f"The entry of {one.loc[:200]} has a lastmod." for one in listed if one.lastmod)
        judged.faults(shown, "description.lastmod", dated)
    elif document.capability == "capabilitylist" and not document.is_index:
        stated = [one.md.get("capability", "") for one in listed]
        silent = (f"The entry of {one.loc[:200]} has no capability." for one in listed if not one.md.get("capability"))
        judged.faults(shown, "capabilities.stated", silent)
        others = (name for name in stated if name and name not in values.KINDS)
        judged.faults(
            shown,
            "capabilities.value",
            (
                values.older(f"The capability is {name[:100]!r}.", values.OLDER_CAPABILITIES.get(name))
                for name in others
            ),
        )
        counts = Counter(filter(None, stated))
        repeated = (
            f"The capability {name[:100]!r} is listed {count} times." for name, count in counts.items() if count > 1
        )
        judged.faults(shown, "capabilities.once", repeated)


def _take(entries: EntryRules, entry: Entry, listed: list[Listed], observer: Observer, document: Document) -> None:
    loc, lastmod, md, links = entries.judge(entry)
    if not entries.is_of_documents:
        observer.resource(document, loc, lastmod, md, links)
    elif loc and len(listed) < MOST_ENTRIES:
        listed.append(Listed(values.whole(loc, document.url), md, tuple(links), lastmod))


class _DocumentRules:
    """The rules of everything but the entries."""

    def __init__(self, document: Document, judged: Judged, reading: Reading, now: float) -> None:
        self.document, self.judged, self.reading, self.now = document, judged, reading, now

    @property
    def is_sitemap(self) -> bool:
        """Return whether the root is that of a sitemap or a list of sitemaps, in any namespace."""
        return self.reading.root.rpartition(" ")[2] in ("urlset", "sitemapindex")

    def xml(self, fault: str) -> None:
        """Judge the XML as such, at the end."""
        shown, judged, reading = self.document.shown, self.judged, self.reading
        judged.applied(shown, ("xml.well-formed", "xml.doctype"))
        if fault:
            judged.fault("xml.doctype" if reading.has_doctype else "xml.well-formed", shown, fault)
        if reading.root:
            wrong = reading.encoding.lower() not in _ENCODINGS
            judged.faults(shown, "xml.encoding", wrong and f"The encoding is {reading.encoding[:40]!r}.")

    def head(self) -> None:
        """Judge the root, and what is before the first entry."""
        shown, judged, reading, document = self.document.shown, self.judged, self.reading, self.document
        root = reading.root
        judged.faults(shown, "xml.root", not self.is_sitemap and f"The root is {root[:200]!r}.")
        if not self.is_sitemap:
            return
        namespace = root.rpartition(" ")[0]
        judged.faults(
            shown, "xml.namespace", root not in ROOTS and f"The namespace is {namespace[:200]!r}, not {SITEMAP}."
        )
        document.is_index = root.endswith("sitemapindex")
        own = [top.attributes for top in reading.tops if top.name == "rs:md" and not top.is_late]
        document.md = own[0] if own else {}
        stated = document.md.get("capability", "")
        document.capability = stated if stated in values.KINDS else values.OLDER_CAPABILITIES.get(stated, ("", ""))[0]
        self._md(stated, has_md=bool(own))

    def _md(self, stated: str, *, has_md: bool) -> None:
        shown, judged, document = self.document.shown, self.judged, self.document
        if not has_md:
            return
        if not stated:
            judged.faults(shown, "document.capability", ["rs:md of the document has no capability."])
        elif stated not in values.KINDS:
            sentence = values.older(f"The capability is {stated[:100]!r}.", values.OLDER_CAPABILITIES.get(stated))
            judged.faults(shown, "document.capability", [sentence])
        else:
            judged.applied(shown, ("document.capability",))
        others = [
            name
            for name in document.md
            if name not in values.TIMES and name != "capability" and " " not in name and name in values.MD_ATTRIBUTES
        ]
        judged.faults(shown, "document.attributes", (f"rs:md of the document has {name}." for name in others))
        if document.kind is not None:
            self._times(document.kind)
            has_no_index = document.kind.parts is None
            is_wrong = has_no_index and document.is_index
            judged.faults(shown, "document.index", is_wrong and f"It is an index of a {document.kind.name}.")

    def _times(self, kind: values.Kind) -> None:
        shown, judged, md = self.document.shown, self.judged, self.document.md
        if kind.required:
            older_time = values.OLDER_ATTRIBUTES["modified"] if "modified" in md else None
            missing = not md.get(kind.required) and values.older(f"The {kind.name} has no {kind.required}.", older_time)
            judged.faults(shown, f"times.{kind.required}", missing)
        foreign = [name for name in values.TIMES if name in md and name not in kind.times]
        sentences = (values.older(f"A {kind.name} has no {name}.", values.OLDER_TIMES.get(name)) for name in foreign)
        judged.faults(shown, "times.foreign", sentences)
        for first, last in (("at", "completed"), ("from", "until")):
            one, other = values.moment(md.get(first, "").strip()), values.latest(md.get(last, "").strip())
            if one is not None and other is not None and last in kind.times:
                is_wrong = other < one
                sentence = f"{last} ({md[last]}) is before {first} ({md[first]})."
                judged.faults(shown, f"times.{last}", is_wrong and sentence)
        for name in values.TIMES:
            if name in md and (md[name] or name != kind.required):
                judge_time(judged, shown, name, md[name], self.now)

    def tail(self) -> None:
        """Judge what is known at the end only: elements after the first entry, and how many there are."""
        if not self.is_sitemap:
            return
        shown, judged, document = self.document.shown, self.judged, self.document
        judged.applied(shown, _SHARED_RULES)
        own = [top for top in self.reading.tops if top.name == "rs:md"]
        if not document.md and own:
            document.md = own[0].attributes  # after the first entry
            stated = document.md.get("capability", "")
            document.capability = stated if stated in values.KINDS else ""
            self._md(stated, has_md=True)
        has_strange_md = any(top.name.rpartition(" ")[2] == "md" for top in self.reading.tops)
        judged.faults(shown, "document.md", not (own or has_strange_md) and "The document has no rs:md.")
        judged.faults(shown, "document.md-once", len(own) > 1 and f"The document has {len(own)} rs:md.")
        late = [top.name for top in self.reading.tops if top.is_late and top.name in ("rs:md", "rs:ln")]
        judged.faults(shown, "document.first", (f"{name} is after the first entry." for name in late))
        for top in self.reading.tops:
            judge_element(judged, shown, top.name, top.attributes)
            if top.name in OF_ENTRIES:
                judged.fault("xml.elements", shown, f"{top.name} is outside of an entry.")
        links = [top.attributes for top in self.reading.tops if top.name == "rs:ln"]
        judged.faults(shown, "xml.elements", self.reading.nested)
        judged.faults(
            shown, "xml.text", (f"The text {text!r} is in no element of its own." for text in self.reading.texts)
        )
        judge_links(judged, shown, links, self.now)
        document.links = tuple(links)
        if document.kind is not None and document.kind.up:
            self._up(document.kind)

    def _up(self, kind: values.Kind) -> None:
        shown, judged = self.document.shown, self.judged
        count = sum(values.relation_of(link) == "up" for link in self.document.links)
        has_none = f"The {kind.name} has no up link."
        if any(values.relation_of(link) == "resourcesync" for link in self.document.links):
            has_none = f"{has_none} ResourceSync 0.5 and 0.9 had the relation resourcesync for it."
        judged.faults(shown, "up.stated", not count and has_none)
        judged.faults(shown, "up.once", count > 1 and f"The document has {count} up links.")
