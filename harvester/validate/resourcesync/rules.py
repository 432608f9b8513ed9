"""The rules, and what was found: for every rule whether it applied, and its first faults.

A rule is a row of a table: a name, the section of the standard, the expectation, and the verdict of a fault. A section
that begins with § is one of ANSI/NISO Z39.99-2017 (ResourceSync 1.1). Thus a million entries need one pass.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from harvester.validate.check import Result, Shown, Verdict

_FAIL, _WARNING = Verdict.FAIL, Verdict.WARNING
SITEMAPS, FIELD, TIMES = "Sitemaps 0.9", "practice of the field", "Z39.99 Appendix A"
_FINDINGS_SHOWN = 3  # the first findings show what is wrong
_NOTHING = "Nothing that was read is of this kind."


class Rule(NamedTuple):
    """One rule. `section` is the source of `expects`, and `fault` the verdict when it is broken."""

    name: str
    section: str
    expects: str
    fault: Verdict = _FAIL


_ROWS = (
    # The answer, and its XML.
    Rule("answer.works", "§6.2", "Every document that a link or a list names can be requested."),
    Rule("answer.content-type", "RFC 7303 §9.1", "Content-Type of a document is that of XML.", _WARNING),
    Rule("answer.size", SITEMAPS, "A document has at most 50 MB."),
    Rule("xml.well-formed", "§7", "A document is well-formed XML."),
    Rule("xml.doctype", FIELD, "A document has no document type declaration."),
    Rule("xml.encoding", SITEMAPS, "A document is UTF-8."),
    Rule("xml.root", "§7", "The root of a document is urlset or sitemapindex."),
    Rule("xml.namespace", "§4", "The root is in the namespace of sitemaps."),
    Rule("xml.terms", "§4", "md and ln are in the namespace of ResourceSync."),
    Rule("xml.elements", "§7", "A document has the elements of the standard, and those of other namespaces."),
    Rule("xml.text", "schema of Sitemaps 0.9", "Between elements, a document has no text."),
    Rule("xml.attributes", "§7", "rs:md and rs:ln have the attributes of the standard."),
    Rule("xml.prefix", "§7", "The attributes of the standard have no prefix."),
    Rule("xml.entries", SITEMAPS, "urlset has url elements, and sitemapindex has sitemap elements."),
    # The head of a document.
    Rule("document.md", "§7", "A document has an rs:md."),
    Rule("document.md-once", "§7", "A document has one rs:md of its own."),
    Rule("document.first", "§7", "rs:md and rs:ln of a document are before its first entry."),
    Rule("document.capability", "§7", "rs:md of a document has a capability of the standard."),
    Rule("document.attributes", "§7", "rs:md of a document has its capability and times, and nothing else."),
    Rule("document.index", "§9, §11, §13", "Capability Lists and manifests have no index."),
    Rule("document.entries", SITEMAPS, "A document has at most 50,000 entries."),
    # Times.
    Rule("times.at", TIMES, "Resource Lists, Resource Dumps and their manifests have at."),
    Rule("times.from", TIMES, "Change Lists, Change Dumps and their manifests have from."),
    Rule("times.foreign", TIMES, "A document has only the times of its kind."),
    Rule("times.completed", "§10.1", "completed is not before at."),
    Rule("times.until", "§12.1", "until is not before from."),
    Rule("times.form", "§7", "A time is a W3C datetime."),
    Rule("times.utc", "§7", "A time is complete, and UTC.", _WARNING),
    Rule("times.future", "§7", "No time is in the future.", _WARNING),
    # Links.
    Rule("link.href", "§7", "rs:ln has an href."),
    Rule("link.rel", "§7", "rs:ln has a rel."),
    Rule("link.absolute", "§7", "The href of rs:ln is an absolute URI."),
    Rule("link.relation", "§14", "A relation is one of the standard, registered, or a URI.", _WARNING),
    Rule("link.priority", "§14.2", "pri is an integer from 1 to 999999."),
    Rule("up.stated", "§6.2", "Every document but a Source Description has an up link."),
    Rule("up.once", "§6.2", "A document has one up link."),
    Rule("up.capability-list", "§6.2", "up of a list leads to a Capability List."),
    Rule("up.listed", "§6.2, §9", "The Capability List that up leads to lists the document, or its index."),
    Rule("up.description", "§6.2, §9", "up of a Capability List leads to a Source Description."),
    Rule("up.described", "§8", "The Source Description that up leads to lists the Capability List."),
    # Entries.
    Rule("loc.one", SITEMAPS, "An entry has one loc."),
    Rule("loc.first", "schema of Sitemaps 0.9", "loc is the first element of an entry."),
    Rule("loc.absolute", SITEMAPS, "loc is an absolute URI."),
    Rule("loc.length", SITEMAPS, "loc has less than 2,048 characters."),
    Rule("loc.characters", "RFC 3986 §2", "loc has the characters of URIs alone."),
    Rule("loc.authority", SITEMAPS, "A list and the documents in it have the same authority.", _WARNING),
    Rule("loc.once", "§10.1", "A list of the present state lists an address once."),
    Rule("loc.once-in-parts", "§10.2", "The parts of a Resource List do not list the same address."),
    Rule("entry.once", SITEMAPS, "lastmod, changefreq and priority occur once in an entry."),
    Rule("entry.changefreq", SITEMAPS, "changefreq is one of seven values."),
    Rule("entry.priority", SITEMAPS, "priority is a number from 0.0 to 1.0."),
    Rule("entry.md-once", "§7", "An entry has one rs:md."),
    Rule("entry.attributes", "§7", "rs:md of an entry has the attributes of its kind of document."),
    Rule("hash.syntax", "§7", "hash is a list of algorithm, colon and digits."),
    Rule("hash.algorithm", "§7", "The algorithm of a hash is md5, sha-1 or sha-256.", _WARNING),
    Rule("hash.digits", "§7", "A hash has the hexadecimal digits of its algorithm."),
    Rule("hash.once", "§7", "hash has an algorithm once."),
    Rule("length.form", "§7", "length is a number of bytes."),
    Rule("type.form", "§7, RFC 6838 §4.2", "type is a media type."),
    Rule("encoding.form", "§7, RFC 9110 §8.4", "encoding names registered content codings.", _WARNING),
    Rule("path.foreign", "§7", "path is in manifests alone."),
    Rule("path.stated", "§11, §13", "An entry of a manifest has a path, unless it is a deletion."),
    Rule("path.slash", "§11, §13", "path begins with a slash."),
    Rule("path.safe", FIELD, "path has no backslash, and no empty or relative step."),
    Rule("path.once", "§11, §13", "Every entry of a manifest has a path of its own.", _WARNING),
    Rule("change.foreign", "§7, §12", "change and datetime are in lists of changes alone."),
    Rule("change.stated", "§12.1", "An entry of a list of changes has a change."),
    Rule("change.value", "§12.1", "change is created, updated or deleted."),
    Rule("change.time", "§12.1", "A change has a datetime, or a lastmod as in 1.0.", _WARNING),
    Rule("change.once", "§12.1", "A list of changes has a change once.", _WARNING),
    Rule("change.created", "§12.1", "A resource that was created is not created again before it is deleted.", _WARNING),
    Rule("change.deleted", "§12.1", "A deletion has no hash, length, type or encoding.", _WARNING),
    Rule("change.window", "§12.1", "datetime is not before from, and not after until."),
    Rule("change.order", "§12.1", "Changes are in the order of their datetime."),
    Rule(
        "change.lastmod-order",
        "Z39.99-2014 §12.1",
        "Changes without any datetime are in the order of lastmod, as 1.0 demands.",
        _WARNING,
    ),
    # The documents together.
    Rule("description.capability", "§8", "The entries of a Source Description are Capability Lists."),
    Rule("description.lastmod", "§8", "A Source Description has no lastmod.", _WARNING),
    Rule("capabilities.entry", "§8, §9", "A Source Description or a Capability List has an entry."),
    Rule("capabilities.stated", "§9", "An entry of a Capability List has a capability."),
    Rule("capabilities.value", "§9", "The capability of an entry is one of the standard."),
    Rule("capabilities.once", "§9", "A Capability List has a capability once."),
    Rule("capabilities.same", "§8, §9", "A document has the capability that its list names."),
    Rule("index.nested", SITEMAPS, "An index lists no index."),
    Rule("index.same", "§7", "The parts of an index have its capability."),
    Rule("index.link", "§10.2, §12.2", "A part has an index link.", _WARNING),
    Rule("index.lists", "§10.2, §12.2", "An index link leads to the index that lists the part."),
    Rule("index.times", "§10.2, §12.2", "An index has the times of its parts."),
    Rule("index.covers", TIMES, "The times of an index or a dump include those of its parts.", _WARNING),
    Rule("index.until", "§12.2", "An index has until for closed parts, and only for them."),
    Rule("index.order", "§12.2", "The parts of an index of changes are in the order of from."),
    Rule("index.open", "§12.2", "Only the last part of an index of changes is open.", _WARNING),
    Rule("changes.gap", "§12.2", "A Change List begins where the one before ends.", _WARNING),
    Rule("changes.cover", "§5.1", "The Change Lists begin before at of the Resource List.", _WARNING),
    Rule(
        "changes.deletion", "§10.1, §12.1", "A Resource List does not have a resource that was deleted before its at."
    ),
    Rule("changes.state", "§7, §12.1", "A Resource List has the hash of the last change before its at."),
    Rule("archive.same", "Archives §2", "An archive lists documents of its kind."),
    Rule("archive.times", "Archives §2", "An archive has the times of its documents."),
    # Packages.
    Rule("dump.type", "§11, §13", "A package has the type application/zip.", _WARNING),
    Rule("dump.length", "§11, §13", "A package has a length.", _WARNING),
    Rule("dump.order", "§13", "The packages of a Change Dump are in the order of from.", _WARNING),
    Rule("dump.works", "§11, §13", "Every package can be requested."),
    Rule("dump.bytes", "§7", "A package has the length and the hash that the dump states."),
    Rule("dump.contents", "§11, §13", "The manifest that a contents link leads to is the one in the package."),
    Rule("package.type", "§11, §13", "Content-Type of a package is application/zip.", _WARNING),
    Rule("package.zip", "§11, §13", "A package is a ZIP file."),
    Rule("package.manifest", "§11, §13", "A package has one manifest.xml at its top."),
    Rule("package.capability", "§11, §13", "The manifest of a package is that of its kind of dump."),
    Rule("package.times", "§11, §13", "The manifest of a package has the times that the dump states.", _WARNING),
    Rule("package.missing", "§11, §13", "A package has every file of its manifest."),
    Rule("package.extra", "§11, §13", "The manifest of a package has every file.", _WARNING),
    Rule("package.bytes", "§7", "A file of a package has the length and the hash of the manifest."),
    # Resources.
    Rule("resource.works", "§10.1", "Every resource that is listed can be requested."),
    Rule("resource.length", "§7", "A resource has the length that its list states."),
    Rule("resource.hash", "§7", "A resource has the hash that its list states."),
    Rule("resource.type", "§7", "Content-Type of a resource is the type that its list states.", _WARNING),
    Rule("resource.lastmod", "§7", "Last-Modified of a resource is the lastmod of its list.", _WARNING),
    Rule(
        "resource.document", "§10.1, §10.2", "What a Resource List or a Change List lists is no ResourceSync document."
    ),
    Rule("resource.deleted", "§12.1", "A resource that was deleted cannot be requested.", _WARNING),
    Rule("resource.describes", "§14.5", "describes and describedby between listed resources are mutual.", _WARNING),
    # Discovery.
    Rule("discovery.well-known", "§6.3.2", "The Source Description is at /.well-known/resourcesync.", _WARNING),
    Rule("discovery.description", "§6.3.2", "What is at /.well-known/resourcesync is a Source Description."),
    Rule("discovery.link", "§6.3.3", "A Link header with resourcesync leads to a Capability List."),
    Rule("discovery.page", "§6.3.3", "A link element with resourcesync leads to a Capability List."),
    Rule(
        "discovery.robots",
        "§6.3.4",
        "What robots.txt names can be requested, and ResourceSync documents there are Resource Lists.",
        _WARNING,
    ),
    # Compared with an earlier run.
    Rule("again.closed", "§12.1", "A list of changes that is closed stays the same."),
    Rule("again.package", "§11, §13", "A package of the same state stays the same.", _WARNING),
    Rule("again.at", "§10.1", "at of a list does not go back."),
    Rule("again.changes", "§12.1", "A resource that changed between two Resource Lists is in a Change List."),
    Rule("again.deletions", "§12.1", "A resource that left the Resource List is deleted in a Change List."),
)
RULES = tuple(
    rule._replace(section=f"Z39.99 {rule.section}") if rule.section.startswith("§") else rule for rule in _ROWS
)


class Judged:
    """The verdicts of all rules. A rule that never applied is skipped."""

    def __init__(self) -> None:
        self._applied: dict[str, Shown] = {}
        self._faults: dict[str, list[tuple[Shown, str]]] = {}
        self._counts: dict[str, int] = {}
        self._reasons: dict[str, str] = {}

    def applied(self, shown: Shown, rules: Iterable[str]) -> None:
        """Store that an answer has what these rules are about."""
        for rule in rules:
            self._applied.setdefault(rule, shown)

    def fault(self, rule: str, shown: Shown, sentence: str) -> None:
        """Store a fault, and the answer that has it."""
        count = self._counts[rule] = self._counts.get(rule, 0) + 1
        if count <= _FINDINGS_SHOWN:
            self._faults.setdefault(rule, []).append((shown, sentence))

    def faults(self, shown: Shown, rule: str, sentences: Iterable[str]) -> None:
        """Store that a rule applied, and all its faults."""
        self._applied.setdefault(rule, shown)
        for sentence in sentences:
            self.fault(rule, shown, sentence)

    def skip(self, rule: str, reason: str) -> None:
        """Store why a rule cannot be decided."""
        self._reasons.setdefault(rule, reason)

    def results(self, reason: str = "") -> Iterator[Result]:
        """Yield the results of all rules. `reason` says why not everything was read; empty: all was."""
        for name, section, expects, fault in RULES:
            if faults := self._faults.get(name):
                more = self._counts[name] - len(faults)
                evidence = [shown.evidence(sentence) for shown, sentence in faults]
                if more:
                    last = evidence[-1]
                    evidence[-1] = last._replace(finding=f"{last.finding} There are {more} more of these.")
                yield Result(name, section, expects, fault, tuple(evidence))
            elif name in self._applied:
                yield Result(name, section, expects, Verdict.PASS, (self._applied[name].evidence(),))
            else:
                why = self._reasons.get(name) or reason or _NOTHING
                yield Result(name, section, expects, Verdict.SKIPPED, (), why)
