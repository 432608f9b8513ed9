"""The rules of single elements, and of entries, one after the other. Pure.

A million entries take a minute at most, so each is looked at once.
"""

from collections.abc import Iterable
from typing import TypeAlias

from gateway.core.xmltext import SITEMAP
from harvester.http.urls import split
from harvester.validate.check import Shown
from harvester.validate.resourcesync import values
from harvester.validate.resourcesync.model import MOST_ENTRIES, Document, Judged
from harvester.validate.resourcesync.reading import TERMS, Attributes, Entry, Node
from harvester.validate.signposting.syntax import KNOWN, MEDIA_TYPE

_DAY = 86_400  # a clock may be wrong
OF_ENTRIES = ("loc", "lastmod", "changefreq", "priority")
_ATTRIBUTES = {"rs:md": values.MD_ATTRIBUTES, "rs:ln": values.LN_ATTRIBUTES}
# Relations of the standard (Z39.99 §6.2, §14) that are not registered, or younger than the list.
_RELATIONS = KNOWN | {"up", "index", "contents", "archives", "hub", "self", "via", "profile"}
_PRIORITIES = range(1, 1_000_000)
_CODINGS = frozenset(
    "aes128gcm br compress dcb dcz deflate exi gzip identity pack200-gzip x-compress x-gzip zstd".split()  # noqa: SIM905
)


def judge_time(judged: Judged, shown: Shown, name: str, text: str, now: float) -> float | None:
    """Judge one time, and return it in Unix time."""
    judged.applied(shown, ("times.form", "times.utc", "times.future"))
    at = values.moment(text)
    if at is None:
        judged.fault("times.form", shown, f"{name} is {text[:100]!r}.")
        return None
    if not values.is_complete(text):
        judged.fault("times.utc", shown, f"{name} is {text}.")
    if at > now + _DAY:
        judged.fault("times.future", shown, f"{name} is {text}.")
    return at


def judge_element(judged: Judged, shown: Shown, name: str, attributes: Attributes) -> None:
    """Judge the name of an element, and the names of the attributes of `rs:md` and `rs:ln`."""
    known = _ATTRIBUTES.get(name)
    if known is None:
        _judge_name(judged, shown, name)
        return
    for attribute in attributes:
        namespace, _, local = attribute.rpartition(" ")
        if not namespace and local not in known:
            sentence = values.older(f"{name} has the attribute {local[:100]!r}.", values.OLDER_ATTRIBUTES.get(local))
            judged.fault("xml.attributes", shown, sentence)
        elif namespace == TERMS:
            judged.fault("xml.prefix", shown, f"{name} has the attribute {local[:100]!r} with a prefix.")


def _judge_name(judged: Judged, shown: Shown, name: str) -> None:
    if name in OF_ENTRIES:
        return
    namespace, _, local = name.rpartition(" ")
    if local in ("md", "ln"):
        judged.fault("xml.terms", shown, f"{local} is in the namespace {namespace[:200]!r}, not {TERMS}.")
    elif namespace in ("", SITEMAP, TERMS):
        judged.fault("xml.elements", shown, f"The document has an element {local[:100]!r}.")


def judge_links(judged: Judged, shown: Shown, links: Iterable[Attributes], now: float) -> None:
    """Judge the attributes of `rs:ln` elements."""
    for link in links:
        href, rel = link.get("href", "").strip(), link.get("rel", "").strip()
        judged.applied(shown, ("link.href", "link.rel", "link.absolute", "link.relation"))
        if not href:
            judged.fault("link.href", shown, f"A link with the relation {rel[:100]!r} has no href.")
        elif not values.is_absolute(href):
            judged.fault("link.absolute", shown, f"The href {href[:200]!r} is not absolute.")
        if not rel:
            judged.fault("link.rel", shown, f"The link to {href[:200]!r} has no rel.")
        elif not (values.is_absolute(rel) if ":" in rel else rel.lower() in _RELATIONS):
            judged.fault(
                "link.relation",
                shown,
                values.older(f"The relation is {rel[:100]!r}.", values.OLDER_RELATIONS.get(rel.lower())),
            )
        if "pri" in link:
            pri = link["pri"].strip()
            is_number = values.NUMBER.fullmatch(pri) is not None and int(pri) in _PRIORITIES
            judged.faults(shown, "link.priority", not is_number and f"pri is {pri[:100]!r}.")
        if "modified" in link:
            judge_time(judged, shown, "modified", link["modified"].strip(), now)
        judge_representation(judged, shown, link)


def judge_representation(judged: Judged, shown: Shown, attributes: Attributes) -> None:
    """Judge the values of `hash`, `length`, `type` and `encoding` of an element."""
    if "hash" in attributes:
        judged.applied(shown, ("hash.syntax", "hash.algorithm", "hash.digits", "hash.once"))
        for rule, sentence in values.hash_faults(attributes["hash"]):
            judged.fault(rule, shown, sentence)
    if "length" in attributes:
        length = attributes["length"]
        judged.faults(shown, "length.form", not values.NUMBER.fullmatch(length) and f"length is {length[:100]!r}.")
    if "type" in attributes:
        stated = attributes["type"]
        judged.faults(shown, "type.form", not is_media_type(stated) and f"type is {stated[:100]!r}.")
    if "encoding" in attributes:
        codings = attributes["encoding"].replace(",", " ").lower().split()
        others = [coding for coding in codings if coding not in _CODINGS] or ([] if codings else [""])
        judged.faults(shown, "encoding.form", (f"encoding is {coding[:100]!r}." for coding in others))


def is_media_type(stated: str) -> bool:
    """Return whether a text is a media type; it may have parameters."""
    return MEDIA_TYPE.fullmatch(stated.partition(";")[0].strip()) is not None


# --- entries ----------------------------------------------------------------------------------------------------------

Parts: TypeAlias = tuple[str, str, Attributes, list[Attributes]]  # address, lastmod, rs:md, links

_FREQUENCIES = ("always", "hourly", "daily", "weekly", "monthly", "yearly", "never")
_CHANGES = ("created", "updated", "deleted")
_ONCE = ("lastmod", "changefreq", "priority")
_WITH_A_RULE_OF_THEIR_OWN = ("change", "datetime", "path", "capability")
_LOC = ("loc.one", "loc.first", "loc.absolute", "loc.length", "loc.characters", "entry.md-once", "entry.attributes")
_OF_BYTES = ("hash", "length", "type", "encoding")
_MOST_REMEMBERED = 2 * MOST_ENTRIES


class EntryRules:
    """The rules of the entries of one document. Call `judge` for every entry, and `end` after the last one."""

    def __init__(self, document: Document, judged: Judged, now: float) -> None:
        self.count = 0
        self.has_datetime = False
        self._document, self._judged, self._shown, self._now = document, judged, document.shown, now
        kind = document.kind
        self._kind = kind
        self._entry_name = "sitemap" if document.is_index else "url"
        attributes = () if kind is None else (kind.parts or ()) if document.is_index else kind.entries
        self._attributes = frozenset((*attributes, *_WITH_A_RULE_OF_THEIR_OWN))
        self._may_have = attributes or ("capability",) if document.is_index else attributes
        self._is_manifest = kind is not None and kind.is_manifest
        self._has_changes = kind is not None and kind.changes and not document.is_index
        self._is_plain = kind is None  # of no known kind: the attributes of entries are not judged
        self._is_once = kind is not None and not self._has_changes
        self.is_of_documents = document.is_index or (kind is not None and bool(kind.lists))
        self._authority = split(document.url).netloc.lower()
        self._addresses: set[int] = set()
        self._paths: set[int] = set()
        self._changes: set[int] = set()
        self._created: set[int] = set()
        self._from, self._until = (
            values.moment(document.md.get("from", "").strip()),
            values.latest(document.md.get("until", "").strip()),
        )
        self._last = self._last_lastmod = float("-inf")
        self._late_lastmod = ""
        judged.applied(self._shown, _LOC)

    def judge(self, entry: Entry) -> Parts:
        """Judge an entry. Return its address, lastmod, the attributes of `rs:md`, and its links."""
        self.count += 1
        name, children = entry
        if name != self._entry_name:
            self._judged.fault("xml.entries", self._shown, f"The document has a {name} element.")
        loc, lastmod, md, links = self._children(children)
        if self._has_changes:
            self._change(md, loc, lastmod, values.latest(lastmod))
        if links:
            judge_links(self._judged, self._shown, links, self._now)
        return loc, lastmod, md, links

    def _children(self, children: list[Node]) -> Parts:
        """Judge the children of an entry one by one. Return what the first of each name has."""
        loc = lastmod = ""
        md: Attributes = {}
        links: list[Attributes] = []
        counts: dict[str, int] = {}
        for child, attributes, text in children:
            counts[child] = counts.get(child, 0) + 1
            if child == "loc":
                loc = loc or text.strip()
            elif child == "rs:md":
                md = md or attributes
            elif child == "rs:ln":
                links.append(attributes)
            elif child == "lastmod":
                lastmod = text.strip()
            else:
                self._other(child, text.strip())
            if attributes:
                judge_element(self._judged, self._shown, child, attributes)
        self._counts(counts, loc, children[0].name if children else "")
        if loc:
            self._loc(loc)
        if "lastmod" in counts:
            judge_time(self._judged, self._shown, "lastmod", lastmod, self._now)
        self._md(md, loc)
        return loc, lastmod, md, links

    def _other(self, name: str, text: str) -> None:
        judged, shown = self._judged, self._shown
        if name == "changefreq":
            judged.faults(shown, "entry.changefreq", text not in _FREQUENCIES and f"changefreq is {text[:100]!r}.")
        elif name == "priority":
            judged.faults(shown, "entry.priority", not _is_share(text) and f"priority is {text[:100]!r}.")
        else:
            judge_element(judged, shown, name, {})

    def _counts(self, counts: dict[str, int], loc: str, first: str) -> None:
        judged, shown = self._judged, self._shown
        if counts.get("loc") != 1 or not loc:
            judged.fault("loc.one", shown, f"Entry {self.count} has {counts.get('loc', 0) if loc else 'no'} loc.")
        elif first != "loc":
            judged.fault("loc.first", shown, f"The first element of entry {self.count} is {first.rpartition(' ')[2]}.")
        if counts.get("rs:md", 0) > 1:
            judged.fault("entry.md-once", shown, f"The entry of {loc[:200]} has {counts['rs:md']} rs:md.")
        for name in _ONCE:
            if name in counts:
                wrong = counts[name] > 1 and f"The entry of {loc[:200]} has {counts[name]} {name}."
                judged.faults(shown, "entry.once", wrong)

    def _loc(self, loc: str) -> None:
        judged, shown = self._judged, self._shown
        if not values.is_absolute(loc):
            judged.fault("loc.absolute", shown, f"The address {loc[:200]!r} is not absolute.")
        elif strange := values.strange_in(loc):
            judged.fault("loc.characters", shown, f"The address {loc[:200]!r} has {strange!r}.")
        elif self.is_of_documents and self._authority:
            wrong = split(loc).netloc.lower() != self._authority
            sentence = f"{loc[:200]} has another authority than {self._authority}."
            judged.faults(shown, "loc.authority", wrong and sentence)
        if len(loc) >= values.MOST_ADDRESS:
            judged.fault("loc.length", shown, f"The address {loc[:100]!r} has {len(loc)} characters.")
        if self._is_once:
            self._once("loc.once", self._addresses, loc, "The address")

    def _once(self, rule: str, known: set[int], text: str, what: str) -> None:
        """Judge whether a text is new. Hashes are stored, which takes less memory."""
        key = hash(text)
        if key in known:
            self._judged.fault(rule, self._shown, f"{what} {text[:200]!r} is listed twice.")
        elif len(known) < _MOST_REMEMBERED:
            known.add(key)

    def _md(self, md: Attributes, loc: str) -> None:
        judged, shown = self._judged, self._shown
        if not self._is_plain:
            for name in md:
                # Unknown attributes have another rule.
                if name not in self._attributes and " " not in name and name in _KNOWN:
                    judged.fault("entry.attributes", shown, f"The entry of {loc[:200]} has {name}.")
        if "hash" in md or "length" in md or "type" in md or "encoding" in md:
            judge_representation(judged, shown, md)
        for name in ("datetime", "at", "completed", "from", "until"):
            if name in md:
                judge_time(judged, shown, name, md[name], self._now)
        if self._is_manifest or "path" in md:
            self._path(md, loc)
        if not self._has_changes and not self._is_plain and ("change" in md or "datetime" in md):
            judged.fault("change.foreign", shown, f"The entry of {loc[:200]} has change or datetime.")
        judged.applied(shown, ("change.foreign",))
        if "capability" in md and not self._is_plain and "capability" not in self._may_have:
            judged.fault("entry.attributes", shown, f"The entry of {loc[:200]} has capability.")

    def _path(self, md: Attributes, loc: str) -> None:
        judged, shown = self._judged, self._shown
        path = md.get("path", "")
        if not self._is_manifest:
            if not self._is_plain:
                judged.faults(shown, "path.foreign", [f"The entry of {loc[:200]} has a path."])
            return
        judged.applied(shown, ("path.stated", "path.slash", "path.safe", "path.once"))
        if not path:
            if md.get("change") != "deleted":
                judged.fault("path.stated", shown, f"The entry of {loc[:200]} has no path.")
            return
        if not path.startswith("/"):
            judged.fault("path.slash", shown, f"The path is {path[:200]!r}.")
        if wrong := values.wrong_path(path):
            judged.fault("path.safe", shown, f"The path {path[:200]!r} has {wrong}.")
        self._once("path.once", self._paths, path, "The path")

    def _change(self, md: Attributes, loc: str, lastmod: str, changed: float | None) -> None:
        judged, shown = self._judged, self._shown
        change = md.get("change", "")
        judged.applied(shown, ("change.stated", "change.value", "change.time"))
        if not change:
            judged.fault("change.stated", shown, f"The entry of {loc[:200]} has no change.")
        elif change not in _CHANGES:
            judged.fault("change.value", shown, f"The change of {loc[:200]} is {change[:100]!r}.")
        self._history(md, loc, change)
        if "datetime" not in md:
            if not lastmod and self._kind is not None and self._kind.required:
                judged.fault("change.time", shown, f"The change of {loc[:200]} has no datetime and no lastmod.")
            if changed is not None:
                if changed < self._last_lastmod and not self._late_lastmod:
                    self._late_lastmod = f"The change of {loc[:200]} at {lastmod} is after a later one."
                self._last_lastmod = max(self._last_lastmod, changed)
            return
        self.has_datetime = True
        judged.applied(shown, ("change.window", "change.order", "change.once"))
        at, at_last = values.moment(md["datetime"]), values.latest(md["datetime"])
        if at is None or at_last is None:
            return
        if (self._from is not None and at_last < self._from) or (self._until is not None and at > self._until):
            judged.fault("change.window", shown, f"The change of {loc[:200]} at {md['datetime']} is not in the window.")
        if at_last < self._last:
            judged.fault("change.order", shown, f"The change of {loc[:200]} at {md['datetime']} is after a later one.")
        self._last = max(self._last, at)

    def _history(self, md: Attributes, loc: str, change: str) -> None:
        """Judge a change by those before it, and a deletion by what it states."""
        judged, shown = self._judged, self._shown
        key, is_repeated = hash(loc), False
        if "datetime" in md:
            state = hash((loc, change, md["datetime"], md.get("hash", "")))
            is_repeated = state in self._changes
            if is_repeated:
                judged.fault("change.once", shown, f"{loc[:200]} is {change[:100]} at {md['datetime'][:100]} twice.")
            elif len(self._changes) < _MOST_REMEMBERED:
                self._changes.add(state)
        if change == "deleted":
            self._created.discard(key)
            stated = [name for name in _OF_BYTES if name in md]
            judged.faults(shown, "change.deleted", stated and f"The deletion of {loc[:200]} has {', '.join(stated)}.")
        elif change == "created":
            is_again = key in self._created and not is_repeated
            sentence = f"{loc[:200]} is created twice, and is not deleted in between."
            judged.faults(shown, "change.created", is_again and sentence)
            if len(self._created) < _MOST_REMEMBERED:
                self._created.add(key)

    def end(self) -> None:
        """Judge what is known after the last entry."""
        judged, shown = self._judged, self._shown
        wrong = self.count > MOST_ENTRIES and f"The document has {self.count} entries."
        judged.faults(shown, "document.entries", wrong)
        if self._is_once:
            judged.applied(shown, ("loc.once",))
        if not self._is_manifest:
            judged.applied(shown, ("path.foreign",))
        if self._has_changes and not self.has_datetime and self._last_lastmod != float("-inf"):
            judged.faults(shown, "change.lastmod-order", [self._late_lastmod] if self._late_lastmod else [])


_KNOWN = frozenset(("hash", "length", "type", "encoding", "at", "completed", "from", "until"))


def _is_share(text: str) -> bool:
    whole, _, fraction = text.partition(".")
    return (fraction.isdecimal() or not fraction) and (whole == "0" or (whole == "1" and not fraction.strip("0")))
