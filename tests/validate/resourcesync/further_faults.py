"""Faults that were written after the rules, as other people may make them, and all rules that each of them breaks."""

from __future__ import annotations

from collections.abc import Callable

from tests.validate.resourcesync.site import (
    AT,
    BASE,
    CAPABILITIES,
    CHANGE_DUMP,
    CHANGES,
    CLOSED,
    CLOSED_LIST,
    DELETED,
    DUMP,
    FILES,
    MIRROR,
    MODIFIED,
    OLD,
    OPEN_LIST,
    PACKAGE,
    PAGE,
    PART1,
    PART2,
    RESOURCES,
    ROBOTS,
    WELL_KNOWN,
    Site,
    entry,
    representation,
)


def _text(path: str, old: str, new: str, count: int = -1) -> Callable[[Site], object]:
    return lambda site: site.replace(path, old, new, count)


FURTHER: tuple[tuple[set[str], Callable[[Site], object]], ...] = (
    ({"length.form"}, _text(PART2, 'length="5"', 'length="-5"')),
    ({"length.form"}, _text(PART2, 'length="5"', 'length=""')),
    ({"length.form"}, _text(PART2, 'length="5"', 'length="5.0"')),
    ({"change.value"}, _text(OPEN_LIST, '"created"', '"Created"')),
    ({"times.at"}, _text(PART2, f'at="{AT}"', 'at=""')),
    ({"type.form"}, _text(OLD, "application/xml", "application/xml, text/xml")),
    ({"hash.digits"}, _text(PART2, "sha-256:", "sha-256:0")),
    ({"hash.algorithm"}, _text(OLD, "md5:", "MD5:")),
    ({"hash.algorithm"}, _text(OLD, "sha-256:", "sha256:")),
    (
        {"loc.once", "capabilities.same"},
        _text(CAPABILITIES, "</urlset>", entry(DUMP, capability="changedump-archive") + "</urlset>"),
    ),
    ({"times.form"}, _text(PART1, f"<lastmod>{MODIFIED}</lastmod>", "<lastmod></lastmod>")),
    ({"times.form"}, _text(PART1, MODIFIED, "2026-03-01 08:00:00Z")),
    ({"times.utc"}, _text(PART1, MODIFIED, "2026-03-01")),
    ({"xml.prefix", "change.stated"}, _text(OPEN_LIST, " change=", " rs:change=")),
    ({"xml.terms"}, _text(OLD, "http://www.openarchives.org/rs/terms/", "https://www.openarchives.org/rs/terms/")),
    ({"xml.namespace"}, _text(OLD, "http://www.sitemaps", "https://www.sitemaps")),
    ({"xml.elements"}, _text(PART2, "<url><loc>", "<rs:url/><url><loc>", 1)),
    ({"xml.attributes"}, _text(CAPABILITIES, 'capability="resourcelist"', 'capability="resourcelist" rel="x"')),
    ({"up.capability-list"}, _text(PART2, f"{BASE}{CAPABILITIES}", f"{BASE}{WELL_KNOWN}")),
    ({"loc.authority"}, _text(RESOURCES, f"{BASE}{PART2}", f"{MIRROR}{PART2}")),
    ({"link.relation", "index.link"}, _text(PART1, 'rel="index"', 'rel="Index-Of"')),
    ({"link.priority"}, _text(PART1, 'rel="describes"', 'pri="high" rel="describes"')),
    ({"link.priority"}, _text(PART1, 'rel="describes"', 'pri="1000000" rel="describes"')),
    ({"encoding.form"}, _text(OLD, ' length="', ' encoding="" length="')),
    (
        {"path.stated"},
        lambda site: site.pack(entries=entry("/r/1", path="") + entry("/r/2", path="/2"), files={"2": b"x"}),
    ),
    ({"path.slash", "path.safe"}, lambda site: site.pack(entries=entry("/r/1", path="./1"), files={"./1": b"x"})),
    (
        {"package.missing", "package.extra", "path.safe"},
        lambda site: site.pack(entries=entry("/r/1", path="/res/"), files={"res/1": b"x"}),
    ),
    (
        {"package.extra"},
        lambda site: site.pack(files={"res/1": FILES["/r/1"], "res/2": FILES["/r/2"], ".DS_Store": b"x"}),
    ),
    ({"package.manifest"}, lambda site: site.pack(name="Manifest.xml")),
    ({"package.zip"}, lambda site: site.pack(body=site[PACKAGE].body[:-30])),
    ({"xml.well-formed"}, lambda site: site.pack(entries="<url><loc>x</loc>", files={})),
    ({"times.from", "changes.cover"}, _text(CLOSED_LIST, '"changelist" from="2026-03-01T00:00:00Z"', '"changelist"')),
    ({"change.window"}, _text(CLOSED_LIST, f'datetime="{MODIFIED}"', 'datetime="2026-02-01T08:00:00Z"')),
    (
        {"change.order"},
        _text(
            OPEN_LIST,
            "</urlset>",
            entry("/r/5", change="updated", datetime="2026-03-03T09:59:59.9Z", **representation("/r/5")) + "</urlset>",
        ),
    ),
    (
        {"change.foreign", "changes.deletion"},
        _text(PART2, "</urlset>", entry(DELETED, change="deleted") + "</urlset>"),
    ),
    ({"index.times"}, _text(CHANGES, f'until="{CLOSED}"', 'until="2026-03-02T23:59:59Z"')),
    (
        {"capabilities.same", "loc.once"},
        _text(CAPABILITIES, entry(DUMP, capability="resourcedump"), entry(CHANGE_DUMP, capability="resourcedump")),
    ),
    ({"capabilities.value"}, _text(CAPABILITIES, '"changedump"', '"ChangeDump"')),
    ({"description.capability"}, _text(WELL_KNOWN, '<rs:md capability="capabilitylist"/>', '<rs:md capability=""/>')),
    (
        {"answer.works", "discovery.link", "discovery.page"},
        lambda site: setattr(site[CAPABILITIES], "status", 410),
    ),
    ({"answer.works"}, lambda site: setattr(site[PART2], "status", 503)),
    ({"dump.works"}, lambda site: setattr(site[PACKAGE], "status", 404)),
    ({"dump.bytes"}, lambda site: setattr(site[PACKAGE], "body", site[PACKAGE].body + b"x")),
    ({"resource.length", "resource.hash"}, lambda site: setattr(site["/m/1"], "body", b"")),
    ({"resource.hash"}, lambda site: setattr(site["/r/5"], "body", b"FIVE")),
    ({"resource.type"}, lambda site: setattr(site["/r/1"], "content_type", "")),
    ({"resource.works"}, lambda site: site.pop("/r/5")),
    ({"discovery.page"}, _text(PAGE, CAPABILITIES, WELL_KNOWN)),
    (
        {"index.nested", "xml.entries", "xml.well-formed"},
        lambda site: (
            site.replace(PART2, "<urlset", "<sitemapindex"),
            site.replace(PART2, "</urlset", "</sitemapindex"),
        ),
    ),
    ({"document.capability"}, _text(OLD, '"resourcelist"', '"ResourceList"')),
    (
        {"times.foreign"},
        _text(CAPABILITIES, '<rs:md capability="capabilitylist"', f'<rs:md from="{AT}" capability="capabilitylist"'),
    ),
    (
        {"document.attributes"},
        _text(WELL_KNOWN, '<rs:md capability="description"', '<rs:md type="application/xml" capability="description"'),
    ),
    # After a stranger's faults.
    (
        {"discovery.link"},
        lambda site: site[PAGE].headers.update(Link=f'<{BASE}{PAGE}>; rel="ResourceSync"'),
    ),
    ({"discovery.robots"}, lambda site: site.replace(ROBOTS, RESOURCES, CAPABILITIES)),
    ({"xml.text"}, _text(PART2, "</url>", "</url><![CDATA[ <url/> ]]>", 1)),
    ({"xml.elements"}, _text(PART2, "</lastmod>", '<x xmlns="urn:x"/></lastmod>', 1)),
    ({"capabilities.entry", "up.described"}, _text(WELL_KNOWN, entry(CAPABILITIES, capability="capabilitylist"), "")),
    ({"resource.document"}, _text(PART1, "</urlset>", entry(CAPABILITIES) + "</urlset>")),
    (
        {"resource.document"},
        _text(OPEN_LIST, "</urlset>", entry(DUMP, change="updated", datetime="2026-03-04T00:00:00Z") + "</urlset>"),
    ),
    (
        {"changes.state"},
        _text(
            CLOSED_LIST,
            "</urlset>",
            entry("/r/1", change="updated", datetime="2026-03-01T10:00:00Z", **representation("", b"x")) + "</urlset>",
        ),
    ),
    (
        {"changes.deletion"},
        _text(CLOSED_LIST, "</urlset>", entry("/r/1", change="deleted", datetime="2026-03-01T10:00:00Z") + "</urlset>"),
    ),
    (
        {"change.created"},
        _text(
            OPEN_LIST,
            "</urlset>",
            entry("/r/1", change="created", datetime="2026-03-04T10:00:00Z", **representation("/r/1")) + "</urlset>",
        ),
    ),
    ({"change.deleted"}, _text(CLOSED_LIST, '"deleted"', '"deleted" type="text/xml"')),
    ({"package.type"}, lambda site: setattr(site[PACKAGE], "content_type", "application/octet-stream")),
    ({"link.href"}, _text(PART1, '<rs:ln rel="index"', '<rs:ln rel="alternate" href=""/><rs:ln rel="index"')),
)
