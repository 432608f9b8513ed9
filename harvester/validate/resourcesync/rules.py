"""The rules: a name, the section of the standard, the expectation, and the verdict of a fault. A table.

"§" alone is a section of ANSI/NISO Z39.99-2017 (ResourceSync 1.1).
"""

from __future__ import annotations

from typing import NamedTuple

from harvester.validate.report import Verdict

_FAIL, _WARNING = Verdict.FAIL, Verdict.WARNING
SITEMAPS, FIELD, TIMES = "Sitemaps 0.9", "practice of the field", "Z39.99 Appendix A"


class Rule(NamedTuple):
    """One rule. `section` is the source of `expects`, and `fault` the verdict when it is broken."""

    name: str
    section: str
    expects: str
    fault: Verdict = _FAIL


RULES: tuple[Rule, ...] = (
    # The answer, and its XML.
    Rule("answer.works", "Z39.99 §6.2", "Every document that a link or a list names can be requested."),
    Rule("answer.content-type", "RFC 7303 §9.1", "Content-Type of a document is that of XML.", _WARNING),
    Rule("answer.size", SITEMAPS, "A document has at most 50 MB."),
    Rule("xml.well-formed", "Z39.99 §7", "A document is well-formed XML."),
    Rule("xml.doctype", FIELD, "A document has no document type declaration."),
    Rule("xml.encoding", SITEMAPS, "A document is UTF-8."),
    Rule("xml.root", "Z39.99 §7", "The root of a document is urlset or sitemapindex."),
    Rule("xml.namespace", "Z39.99 §4", "The root is in the namespace of sitemaps."),
    Rule("xml.terms", "Z39.99 §4", "md and ln are in the namespace of ResourceSync."),
    Rule("xml.elements", "Z39.99 §7", "A document has the elements of the standard, and those of other namespaces."),
    Rule("xml.text", "schema of Sitemaps 0.9", "Between elements, a document has no text."),
    Rule("xml.attributes", "Z39.99 §7", "rs:md and rs:ln have the attributes of the standard."),
    Rule("xml.prefix", "Z39.99 §7", "The attributes of the standard have no prefix."),
    Rule("xml.entries", SITEMAPS, "urlset has url elements, and sitemapindex has sitemap elements."),
    # The head of a document.
    Rule("document.md", "Z39.99 §7", "A document has an rs:md."),
    Rule("document.md-once", "Z39.99 §7", "A document has one rs:md of its own."),
    Rule("document.first", "Z39.99 §7", "rs:md and rs:ln of a document are before its first entry."),
    Rule("document.capability", "Z39.99 §7", "rs:md of a document has a capability of the standard."),
    Rule("document.attributes", "Z39.99 §7", "rs:md of a document has its capability and times, and nothing else."),
    Rule("document.index", "Z39.99 §9, §11, §13", "Capability Lists and manifests have no index."),
    Rule("document.entries", SITEMAPS, "A document has at most 50,000 entries."),
    # Times.
    Rule("times.at", TIMES, "Resource Lists, Resource Dumps and their manifests have at."),
    Rule("times.from", TIMES, "Change Lists, Change Dumps and their manifests have from."),
    Rule("times.foreign", TIMES, "A document has only the times of its kind."),
    Rule("times.completed", "Z39.99 §10.1", "completed is not before at."),
    Rule("times.until", "Z39.99 §12.1", "until is not before from."),
    Rule("times.form", "Z39.99 §7", "A time is a W3C datetime."),
    Rule("times.utc", "Z39.99 §7", "A time is complete, and UTC.", _WARNING),
    Rule("times.future", "Z39.99 §7", "No time is in the future.", _WARNING),
    # Links.
    Rule("link.href", "Z39.99 §7", "rs:ln has an href."),
    Rule("link.rel", "Z39.99 §7", "rs:ln has a rel."),
    Rule("link.absolute", "Z39.99 §7", "The href of rs:ln is an absolute URI."),
    Rule("link.relation", "Z39.99 §14", "A relation is one of the standard, registered, or a URI.", _WARNING),
    Rule("link.priority", "Z39.99 §14.2", "pri is an integer from 1 to 999999."),
    Rule("up.stated", "Z39.99 §6.2", "Every document but a Source Description has an up link."),
    Rule("up.once", "Z39.99 §6.2", "A document has one up link."),
    Rule("up.capability-list", "Z39.99 §6.2", "up of a list leads to a Capability List."),
    Rule("up.listed", "Z39.99 §6.2, §9", "The Capability List that up leads to lists the document, or its index."),
    Rule("up.description", "Z39.99 §6.2, §9", "up of a Capability List leads to a Source Description."),
    Rule("up.described", "Z39.99 §8", "The Source Description that up leads to lists the Capability List."),
    # Entries.
    Rule("loc.one", SITEMAPS, "An entry has one loc."),
    Rule("loc.first", "schema of Sitemaps 0.9", "loc is the first element of an entry."),
    Rule("loc.absolute", SITEMAPS, "loc is an absolute URI."),
    Rule("loc.length", SITEMAPS, "loc has less than 2,048 characters."),
    Rule("loc.characters", "RFC 3986 §2", "loc has the characters of URIs alone."),
    Rule("loc.authority", SITEMAPS, "A list and the documents in it have the same authority.", _WARNING),
    Rule("loc.once", "Z39.99 §10.1", "A list of the present state lists an address once."),
    Rule("loc.once-in-parts", "Z39.99 §10.2", "The parts of a Resource List do not list the same address."),
    Rule("entry.once", SITEMAPS, "lastmod, changefreq and priority occur once in an entry."),
    Rule("entry.changefreq", SITEMAPS, "changefreq is one of seven values."),
    Rule("entry.priority", SITEMAPS, "priority is a number from 0.0 to 1.0."),
    Rule("entry.md-once", "Z39.99 §7", "An entry has one rs:md."),
    Rule("entry.attributes", "Z39.99 §7", "rs:md of an entry has the attributes of its kind of document."),
    Rule("hash.syntax", "Z39.99 §7", "hash is a list of algorithm, colon and digits."),
    Rule("hash.algorithm", "Z39.99 §7", "The algorithm of a hash is md5, sha-1 or sha-256.", _WARNING),
    Rule("hash.digits", "Z39.99 §7", "A hash has the hexadecimal digits of its algorithm."),
    Rule("hash.once", "Z39.99 §7", "hash has an algorithm once."),
    Rule("length.form", "Z39.99 §7", "length is a number of bytes."),
    Rule("type.form", "Z39.99 §7, RFC 6838 §4.2", "type is a media type."),
    Rule("encoding.form", "Z39.99 §7, RFC 9110 §8.4", "encoding names registered content codings.", _WARNING),
    Rule("path.foreign", "Z39.99 §7", "path is in manifests alone."),
    Rule("path.stated", "Z39.99 §11, §13", "An entry of a manifest has a path, unless it is a deletion."),
    Rule("path.slash", "Z39.99 §11, §13", "path begins with a slash."),
    Rule("path.safe", FIELD, "path has no backslash, and no empty or relative step."),
    Rule("path.once", "Z39.99 §11, §13", "Every entry of a manifest has a path of its own.", _WARNING),
    Rule("change.foreign", "Z39.99 §7, §12", "change and datetime are in lists of changes alone."),
    Rule("change.stated", "Z39.99 §12.1", "An entry of a list of changes has a change."),
    Rule("change.value", "Z39.99 §12.1", "change is created, updated or deleted."),
    Rule("change.time", "Z39.99 §12.1", "A change has a datetime, or a lastmod as in 1.0.", _WARNING),
    Rule("change.once", "Z39.99 §12.1", "A list of changes has a change once.", _WARNING),
    Rule(
        "change.created",
        "Z39.99 §12.1",
        "A resource that was created is not created again before it is deleted.",
        _WARNING,
    ),
    Rule("change.deleted", "Z39.99 §12.1", "A deletion has no hash, length, type or encoding.", _WARNING),
    Rule("change.window", "Z39.99 §12.1", "datetime is not before from, and not after until."),
    Rule("change.order", "Z39.99 §12.1", "Changes are in the order of their datetime."),
    Rule(
        "change.lastmod-order",
        "Z39.99-2014 §12.1",
        "Changes without any datetime are in the order of lastmod, as 1.0 demands.",
        _WARNING,
    ),
    # The documents together.
    Rule("description.capability", "Z39.99 §8", "The entries of a Source Description are Capability Lists."),
    Rule("description.lastmod", "Z39.99 §8", "A Source Description has no lastmod.", _WARNING),
    Rule("capabilities.entry", "Z39.99 §8, §9", "A Source Description or a Capability List has an entry."),
    Rule("capabilities.stated", "Z39.99 §9", "An entry of a Capability List has a capability."),
    Rule("capabilities.value", "Z39.99 §9", "The capability of an entry is one of the standard."),
    Rule("capabilities.once", "Z39.99 §9", "A Capability List has a capability once."),
    Rule("capabilities.same", "Z39.99 §8, §9", "A document has the capability that its list names."),
    Rule("index.nested", SITEMAPS, "An index lists no index."),
    Rule("index.same", "Z39.99 §7", "The parts of an index have its capability."),
    Rule("index.link", "Z39.99 §10.2, §12.2", "A part has an index link.", _WARNING),
    Rule("index.lists", "Z39.99 §10.2, §12.2", "An index link leads to the index that lists the part."),
    Rule("index.times", "Z39.99 §10.2, §12.2", "An index has the times of its parts."),
    Rule("index.covers", TIMES, "The times of an index or a dump include those of its parts.", _WARNING),
    Rule("index.until", "Z39.99 §12.2", "An index has until for closed parts, and only for them."),
    Rule("index.order", "Z39.99 §12.2", "The parts of an index of changes are in the order of from."),
    Rule("index.open", "Z39.99 §12.2", "Only the last part of an index of changes is open.", _WARNING),
    Rule("changes.gap", "Z39.99 §12.2", "A Change List begins where the one before ends.", _WARNING),
    Rule("changes.cover", "Z39.99 §5.1", "The Change Lists begin before at of the Resource List.", _WARNING),
    Rule(
        "changes.deletion",
        "Z39.99 §10.1, §12.1",
        "A Resource List does not have a resource that was deleted before its at.",
    ),
    Rule("changes.state", "Z39.99 §7, §12.1", "A Resource List has the hash of the last change before its at."),
    Rule("archive.same", "Archives §2", "An archive lists documents of its kind."),
    Rule("archive.times", "Archives §2", "An archive has the times of its documents."),
    # Packages.
    Rule("dump.type", "Z39.99 §11, §13", "A package has the type application/zip.", _WARNING),
    Rule("dump.length", "Z39.99 §11, §13", "A package has a length.", _WARNING),
    Rule("dump.order", "Z39.99 §13", "The packages of a Change Dump are in the order of from.", _WARNING),
    Rule("dump.works", "Z39.99 §11, §13", "Every package can be requested."),
    Rule("dump.bytes", "Z39.99 §7", "A package has the length and the hash that the dump states."),
    Rule("dump.contents", "Z39.99 §11, §13", "The manifest that a contents link leads to is the one in the package."),
    Rule("package.type", "Z39.99 §11, §13", "Content-Type of a package is application/zip.", _WARNING),
    Rule("package.zip", "Z39.99 §11, §13", "A package is a ZIP file."),
    Rule("package.manifest", "Z39.99 §11, §13", "A package has one manifest.xml at its top."),
    Rule("package.capability", "Z39.99 §11, §13", "The manifest of a package is that of its kind of dump."),
    Rule("package.times", "Z39.99 §11, §13", "The manifest of a package has the times that the dump states.", _WARNING),
    Rule("package.missing", "Z39.99 §11, §13", "A package has every file of its manifest."),
    Rule("package.extra", "Z39.99 §11, §13", "The manifest of a package has every file.", _WARNING),
    Rule("package.bytes", "Z39.99 §7", "A file of a package has the length and the hash of the manifest."),
    # Resources.
    Rule("resource.works", "Z39.99 §10.1", "Every resource that is listed can be requested."),
    Rule("resource.length", "Z39.99 §7", "A resource has the length that its list states."),
    Rule("resource.hash", "Z39.99 §7", "A resource has the hash that its list states."),
    Rule("resource.type", "Z39.99 §7", "Content-Type of a resource is the type that its list states.", _WARNING),
    Rule("resource.lastmod", "Z39.99 §7", "Last-Modified of a resource is the lastmod of its list.", _WARNING),
    Rule(
        "resource.document",
        "Z39.99 §10.1, §10.2",
        "What a Resource List or a Change List lists is no ResourceSync document.",
    ),
    Rule("resource.deleted", "Z39.99 §12.1", "A resource that was deleted cannot be requested.", _WARNING),
    Rule(
        "resource.describes", "Z39.99 §14.5", "describes and describedby between listed resources are mutual.", _WARNING
    ),
    # Discovery.
    Rule("discovery.well-known", "Z39.99 §6.3.2", "The Source Description is at /.well-known/resourcesync.", _WARNING),
    Rule("discovery.description", "Z39.99 §6.3.2", "What is at /.well-known/resourcesync is a Source Description."),
    Rule("discovery.link", "Z39.99 §6.3.3", "A Link header with resourcesync leads to a Capability List."),
    Rule("discovery.page", "Z39.99 §6.3.3", "A link element with resourcesync leads to a Capability List."),
    Rule(
        "discovery.robots",
        "Z39.99 §6.3.4",
        "What robots.txt names can be requested, and ResourceSync documents there are Resource Lists.",
        _WARNING,
    ),
    # Compared with an earlier run.
    Rule("again.closed", "Z39.99 §12.1", "A list of changes that is closed stays the same."),
    Rule("again.package", "Z39.99 §11, §13", "A package of the same state stays the same.", _WARNING),
    Rule("again.at", "Z39.99 §10.1", "at of a list does not go back."),
    Rule("again.changes", "Z39.99 §12.1", "A resource that changed between two Resource Lists is in a Change List."),
    Rule("again.deletions", "Z39.99 §12.1", "A resource that left the Resource List is deleted in a Change List."),
)
BY_NAME = {rule.name: rule for rule in RULES}
