"""One fault for every rule of ResourceSync documents: the right source with this one thing wrong."""

from collections.abc import Callable
from typing import NamedTuple

from tests.validate.resourcesync.site import (
    ARCHIVE,
    AT,
    BASE,
    CAPABILITIES,
    CHANGE_DUMP,
    CHANGE_PACKAGE,
    CHANGED,
    CHANGES,
    CLOSED,
    CLOSED_LIST,
    COMPLETED,
    DELETED,
    DUMP,
    FILES,
    MANIFEST,
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
    Resource,
    Site,
    document,
    entry,
    representation,
)

SECOND, DESCRIPTION = "/b/capabilitylist.xml", "/a/description.xml"


class Fault(NamedTuple):
    """A fault: the rule that finds it, and what makes a source wrong. `later` does so before a second run."""

    rule: str
    spoil: Callable[[Site], object]
    later: Callable[[Site], object] | None = None


def _packages_backwards(site: Site) -> None:
    """List another package behind the one that begins after it."""
    begin = "2026-02-28T00:00:00Z"
    site.pack_changes(begin=begin)
    other = site["/a/other.zip"] = site[CHANGE_PACKAGE]
    site.pack_changes()
    facts = {"type": "application/zip", "length": str(len(other.body)), "from": begin, "until": CLOSED}
    head = '<rs:md capability="changedump" from="2026-0'
    site.replace(CHANGE_DUMP, head + "3", head + "2")
    site.replace(CHANGE_DUMP, "</urlset>", entry("/a/other.zip", **facts) + "</urlset>")


def _text(rule: str, path: str, old: str, new: str, count: int = -1) -> Fault:
    return Fault(rule, lambda site: site.replace(path, old, new, count))


def _answer(rule: str, path: str, **changes: object) -> Fault:
    def spoil(site: Site) -> None:
        for name, value in changes.items():
            setattr(site[path], name, value)

    return Fault(rule, spoil)


def _packed(rule: str, **changes: object) -> Fault:
    return Fault(rule, lambda site: site.pack(**changes))  # type: ignore[arg-type]


def _created(when: str) -> str:
    return entry("/r/5", lastmod=CHANGED, change="created", datetime=when, **representation("/r/5"))


def _empty_capability_list(site: Site) -> None:
    """Add a Capability List of no lists."""
    up = f'<rs:ln rel="up" href="{BASE}{WELL_KNOWN}"/>'
    site[SECOND] = Resource(document(up, {"capability": "capabilitylist"}))
    site.replace(WELL_KNOWN, "</urlset>", entry(SECOND, capability="capabilitylist") + "</urlset>")


def _later(rule: str, later: Callable[[Site], object]) -> Fault:
    return Fault(rule, lambda _: None, later)


def _many(site: Site) -> None:
    """Give an old list 50,001 entries."""
    more = "".join(f"<url><loc>{BASE}/many/{number}</loc></url>" for number in range(50_000))
    site.replace(OLD, "</urlset>", f"{more}</urlset>")


def _nested(site: Site) -> None:
    """Let the index of Resource Lists list an index that lists the second part."""
    links = f'<rs:ln rel="up" href="{BASE}{CAPABILITIES}"/><rs:ln rel="index" href="{BASE}{RESOURCES}"/>'
    body = site[RESOURCES].body.decode()
    between = body.replace(f'<rs:ln rel="up" href="{BASE}{CAPABILITIES}"/>', links)
    between = between.replace(entry(PART1, "sitemap", at=AT), "")
    site["/a/between.xml"] = Resource(between.encode())
    site.replace(RESOURCES, PART2, "/a/between.xml")
    site.replace(PART2, f"{RESOURCES}", "/a/between.xml")


def _again_in_part(site: Site) -> None:
    site.replace(PART2, "</urlset>", entry("/r/1", lastmod=MODIFIED, **representation("/r/1")) + "</urlset>")


def _renamed(site: Site) -> None:
    """Let a part name an index that does not list it."""
    site.replace(PART1, f"{{base}}{RESOURCES}", f"{{base}}{CHANGES}")


def _older(site: Site) -> None:
    """Let the index of changes have a third, open list that begins later."""
    third = "/a/changelist-third.xml"
    later = "2026-03-04T00:00:00Z"
    body = (
        site[OPEN_LIST]
        .body.decode()
        .replace(CLOSED, later)
        .replace(CHANGED, "2026-03-04T10:00:00Z")
        .replace("created", "updated")
    )
    site[third] = Resource(body.encode())
    site.replace(CHANGES, "</sitemapindex>", entry(third, "sitemap", from_=later) + "</sitemapindex>")


def _gap(site: Site) -> None:
    for path in (CHANGES, OPEN_LIST):
        site.replace(path, f'from="{CLOSED}"', 'from="2026-03-03T05:00:00Z"')


def _uncovered(site: Site) -> None:
    """Let the Change Lists begin after the Resource List was made."""
    late = "2026-03-02T12:00:00Z"
    site.replace(CHANGES, 'from="2026-03-01T00:00:00Z"', f'from="{late}"')
    site.replace(CLOSED_LIST, 'from="2026-03-01T00:00:00Z"', f'from="{late}"')
    site.replace(CLOSED_LIST, f'datetime="{MODIFIED}"', 'datetime="2026-03-02T13:00:00Z"')
    site.replace(CLOSED_LIST, 'datetime="2026-03-01T09:00:00Z"', 'datetime="2026-03-02T14:00:00Z"')


def _without_datetime(site: Site) -> None:
    """Let the closed Change List be one of version 1.0, in a wrong order."""
    site.replace(CLOSED_LIST, f' datetime="{MODIFIED}"', "")
    site.replace(CLOSED_LIST, ' datetime="2026-03-01T09:00:00Z"', "")
    site.replace(CLOSED_LIST, f"{DELETED}</loc>", f"{DELETED}</loc><lastmod>2026-03-01T07:00:00Z</lastmod>")


def _changed_later(site: Site, path: str = "/r/2") -> None:
    """Let a resource change without a Change List that has it."""
    site[path].body = b"changed"
    site.replace(PART1, f'length="{len(FILES[path])}"', 'length="7"')
    body = representation(path, b"changed")["hash"]
    site.replace(PART1, representation(path)["hash"], body)
    site[path].headers = {}


def _left(site: Site) -> None:
    site.replace(PART2, entry("/r/4", lastmod=MODIFIED, **representation("/r/4")), "")


def _goes_back(site: Site) -> None:
    for path in (RESOURCES, PART1, PART2):
        site.replace(path, f'at="{AT}"', 'at="2026-03-01T12:00:00Z"')


def _index_of(site: Site) -> None:
    """Let the Capability List be an index."""
    for old, new in (("<urlset", "<sitemapindex"), ("</urlset", "</sitemapindex"), ("url>", "sitemap>")):
        site.replace(CAPABILITIES, old, new)


def _second(site: Site) -> None:
    """Add a second Capability List, which lists an old Resource List."""
    up = f'<rs:ln rel="up" href="{BASE}{WELL_KNOWN}"/>'
    site[SECOND] = Resource(document(up, {"capability": "capabilitylist"}, entry(OLD, capability="resourcelist")))
    site.replace(WELL_KNOWN, "</urlset>", entry(SECOND, capability="capabilitylist") + "</urlset>")


def _up_to_second(site: Site) -> None:
    _second(site)
    site.replace(OPEN_LIST, CAPABILITIES, SECOND)


def _undescribed(site: Site) -> None:
    _second(site)
    site.replace(WELL_KNOWN, entry(CAPABILITIES, capability="capabilitylist"), "")


def _elsewhere(site: Site) -> None:
    site.replace(ARCHIVE, f"{{base}}{OLD}", MIRROR + OLD)


def _dump_in_index(site: Site) -> None:
    site.replace(RESOURCES, "</sitemapindex>", entry(DUMP, "sitemap") + "</sitemapindex>")
    site.replace(DUMP, '<rs:ln rel="up"', f'<rs:ln rel="index" href="{BASE}{RESOURCES}"/><rs:ln rel="up"')


def _earlier_at_last(site: Site) -> None:
    """Add a closed Change List, which is earlier than the one before it."""
    window = {"from": "2026-02-28T00:00:00Z", "until": "2026-03-01T00:00:00Z"}
    path = "/a/changelist-0.xml"
    links = f'<rs:ln rel="up" href="{BASE}{CAPABILITIES}"/><rs:ln rel="index" href="{BASE}{CHANGES}"/>'
    site[path] = Resource(document(links, {"capability": "changelist", **window}))
    site.replace(CHANGES, 'changelist" from="2026-03-01', 'changelist" from="2026-02-28')
    open_list = entry(OPEN_LIST, "sitemap", from_=CLOSED)
    site.replace(CHANGES, open_list, entry(path, "sitemap", **window) + open_list)


def _no_length(site: Site) -> None:
    size = len(site[CHANGE_PACKAGE].body)
    site.replace(CHANGE_DUMP, f' length="{size}"', "")


def _moved(site: Site) -> None:
    site[DESCRIPTION] = site.pop(WELL_KNOWN)
    site.replace(CAPABILITIES, WELL_KNOWN, DESCRIPTION)


def _capabilities_at_well_known(site: Site) -> None:
    _second(site)
    _moved(site)
    site.replace(DESCRIPTION, SECOND, WELL_KNOWN)
    site[WELL_KNOWN] = site.pop(SECOND)
    site.replace(WELL_KNOWN, WELL_KNOWN, DESCRIPTION)


def _no_time(site: Site) -> None:
    site.replace(OPEN_LIST, f"<lastmod>{CHANGED}</lastmod>", "")
    site.replace(OPEN_LIST, f' datetime="{CHANGED}"', "")


_LATER = '"resourcelist" at="2026-03-02T00:00:01Z"'
_DELETION = entry(DELETED, change="deleted", datetime="2026-03-01T09:00:00Z")
_FIRST = f"<url><loc>{{base}}/r/3</loc><lastmod>{MODIFIED}</lastmod>"
_MD5_1 = representation("/r/3")["hash"].split()[0]
_RL = 'capability="resourcelist"'

FAULTS: tuple[Fault, ...] = (
    _answer("answer.works", OPEN_LIST, status=404),
    _answer("answer.content-type", PART1, content_type="text/plain"),
    Fault("answer.size", lambda site: site.replace(PART2, "</urlset>", " " * 52_500_000 + "</urlset>")),
    _text("xml.well-formed", PART2, "</urlset>", ""),
    _text("xml.doctype", PART2, "<urlset", "<!DOCTYPE urlset [<!ENTITY a 'b'>]>\n<urlset"),
    _text("xml.encoding", PART1, "UTF-8", "ISO-8859-1"),
    _text("xml.root", OLD, "urlset", "list"),
    _text("xml.namespace", OLD, "schemas/sitemap/0.9", "schemas/sitemap/0.84"),
    _text("xml.terms", PART2, "openarchives.org/rs/terms/", "openarchives.org/rs/terms"),
    _text("xml.elements", PART2, "<lastmod>", "<size>5</size><lastmod>"),
    _text("xml.text", PART2, "</url>", "</url>stray"),
    _text("xml.attributes", PART2, 'length="5"', 'length="5" size="5"'),
    _text("xml.prefix", PART2, ' length="5"', ' rs:length="5"'),
    _text("xml.entries", CHANGE_DUMP, "url>", "sitemap>"),
    _text("document.md", PART2, f'<rs:md {_RL} at="{AT}" completed="{COMPLETED}"/>', ""),
    _text("document.md-once", PART2, f"<rs:md {_RL}", f'<rs:md {_RL} at="{AT}"/><rs:md {_RL}'),
    _text("document.first", PART2, "</urlset>", f'<rs:ln rel="describedby" href="{BASE}/x"/></urlset>'),
    _text("document.capability", OLD, _RL, 'capability="list"'),
    _text("document.attributes", PART2, _RL, f'{_RL} length="5"'),
    Fault("document.index", _index_of),
    Fault("document.entries", _many),
    _text("times.at", PART2, f' at="{AT}" completed', " completed"),
    _text("times.from", CHANGE_DUMP, ' from="2026-03-01T00:00:00Z"/>', "/>", count=1),
    _text("times.foreign", PART2, _RL, f'{_RL} from="{AT}"'),
    _text("times.completed", PART2, COMPLETED, "2026-03-01T23:00:00Z"),
    _text("times.until", CHANGE_DUMP, "<rs:md cap", '<rs:md until="2026-02-01T00:00:00Z" cap'),
    _text("times.form", PART2, MODIFIED, "01.03.2026 08:00"),
    _text("times.utc", PART1, MODIFIED, "2026-03-01T09:00:00+01:00"),
    _text("times.future", CAPABILITIES, "</loc>", "</loc><lastmod>2027-03-01T08:00:00Z</lastmod>", count=1),
    _text("link.href", PART1, 'rel="describes"', 'rel="alternate"/><rs:ln rel="describes"'),
    _text("link.rel", PART1, 'rel="describes"', f'href="{BASE}/x"/><rs:ln rel="describes"'),
    _text("link.absolute", PART1, 'rel="describes"', 'rel="alternate" href="x"/><rs:ln rel="describes"'),
    _text("link.relation", PART1, 'rel="describes"', f'rel="describe" href="{BASE}/x"/><rs:ln rel="describes"'),
    _text("link.priority", PART1, 'rel="describes"', 'pri="0" rel="describes"'),
    _text("up.stated", PART2, f'<rs:ln rel="up" href="{{base}}{CAPABILITIES}"/>', ""),
    _text("up.once", PART2, '<rs:ln rel="up"', f'<rs:ln rel="up" href="{BASE}{CAPABILITIES}"/><rs:ln rel="up"'),
    _text("up.capability-list", PART1, CAPABILITIES, RESOURCES),
    Fault("up.listed", _up_to_second),
    _text("up.description", CAPABILITIES, WELL_KNOWN, RESOURCES),
    Fault("up.described", _undescribed),
    _text("loc.one", PART2, "<url><loc>{base}/r/4</loc>", "<url>"),
    _text("loc.first", PART2, _FIRST, f"<url><lastmod>{MODIFIED}</lastmod><loc>{{base}}/r/3</loc>"),
    _text("loc.absolute", PART2, "{base}/r/4", "/r/4"),
    _text("loc.length", OLD, "/r/1", f"/r/{'1' * 2048}"),
    _text("loc.characters", OLD, "/r/1", "/r/1 2"),
    Fault("loc.authority", _elsewhere),
    _text("loc.once", PART2, "</urlset>", entry("/r/3", **representation("/r/3")) + "</urlset>"),
    Fault("loc.once-in-parts", _again_in_part),
    _text("entry.once", PART2, f"<lastmod>{MODIFIED}</lastmod>", f"<lastmod>{MODIFIED}</lastmod>" * 2),
    _text("entry.changefreq", PART2, "</lastmod>", "</lastmod><changefreq>often</changefreq>"),
    _text("entry.priority", PART2, "</lastmod>", "</lastmod><priority>2</priority>"),
    _text("entry.md-once", PART2, "</lastmod>", '</lastmod><rs:md type="application/xml"/>'),
    _text("entry.attributes", PART2, ' length="5"', f' length="5" at="{AT}"'),
    _text("hash.syntax", PART2, _MD5_1, _MD5_1.partition(":")[2]),
    _text("hash.algorithm", PART2, _MD5_1, f"sha-512:{'0' * 128}"),
    _text("hash.digits", PART2, _MD5_1, _MD5_1[:-1]),
    _text("hash.once", PART2, _MD5_1, f"{_MD5_1} {_MD5_1}"),
    _text("length.form", PART2, 'length="5"', 'length="5 bytes"'),
    _text("type.form", OLD, "application/xml", "xml"),
    _text("encoding.form", OLD, ' length="', ' encoding="utf-8" length="'),
    _text("path.foreign", PART2, ' length="5"', ' length="5" path="/x"'),
    _packed("path.stated", entries=entry("/r/1", **representation("/r/1")), files={}),
    _packed("path.slash", entries=entry("/r/1", path="res/1"), files={"res/1": b"x"}),
    _packed("path.safe", entries=entry("/r/1", path="/../1"), files={"../1": b"x"}),
    _packed("path.once", entries=entry("/r/1", path="/res/1") + entry("/r/2", path="/res/1"), files={"res/1": b"x"}),
    _text("change.foreign", PART2, ' length="5"', ' length="5" change="updated"'),
    _text("change.stated", OPEN_LIST, ' change="created"', ""),
    _text("change.value", OPEN_LIST, '"created"', '"new"'),
    Fault("change.time", _no_time),
    _text("change.once", OPEN_LIST, "</urlset>", _created(CHANGED) + "</urlset>"),
    _text("change.created", OPEN_LIST, "</urlset>", _created("2026-03-04T00:00:00Z") + "</urlset>"),
    _text("change.deleted", CLOSED_LIST, '"deleted"', '"deleted" hash="md5:00000000000000000000000000000000"'),
    _text("change.window", OPEN_LIST, f'datetime="{CHANGED}"', 'datetime="2026-03-02T10:00:00Z"'),
    _text("change.order", CLOSED_LIST, 'datetime="2026-03-01T09:00:00Z"', 'datetime="2026-03-01T07:00:00Z"'),
    Fault("change.lastmod-order", _without_datetime),
    _text(
        "description.capability", WELL_KNOWN, '<rs:md capability="capabilitylist"', '<rs:md capability="resourcelist"'
    ),
    _text("description.lastmod", WELL_KNOWN, "</loc>", f"</loc><lastmod>{MODIFIED}</lastmod>"),
    Fault("capabilities.entry", _empty_capability_list),
    _text("capabilities.stated", CAPABILITIES, '<rs:md capability="resourcedump"/>', ""),
    _text("capabilities.value", CAPABILITIES, '<rs:md capability="resourcedump"/>', '<rs:md capability="dump"/>'),
    _text("capabilities.once", CAPABILITIES, "</urlset>", entry(OLD, capability="resourcelist") + "</urlset>"),
    _text("capabilities.same", CAPABILITIES, '"resourcelist-archive"', '"changelist-archive"'),
    Fault("index.nested", _nested),
    Fault("index.same", _dump_in_index),
    _text("index.link", PART2, f'<rs:ln rel="index" href="{{base}}{RESOURCES}"/>', ""),
    Fault("index.lists", _renamed),
    _text("index.times", RESOURCES, f'<rs:md at="{AT}"', '<rs:md at="2026-03-02T01:00:00Z"', count=1),
    Fault("index.covers", lambda site: site.replace(RESOURCES, f'"resourcelist" at="{AT}"', _LATER)),
    _text("index.until", CHANGES, f' until="{CLOSED}"', ""),
    Fault("index.order", _earlier_at_last),
    Fault("index.open", _older),
    Fault("changes.gap", _gap),
    Fault("changes.cover", _uncovered),
    _text("changes.deletion", CLOSED_LIST, DELETED, "/r/2"),
    _text("changes.state", CLOSED_LIST, representation("/r/1")["hash"], representation("/r/2")["hash"]),
    _text("archive.times", ARCHIVE, 'at="2025-03-02', 'at="2025-03-03'),
    Fault("dump.order", _packages_backwards),
    Fault("package.times", lambda site: site.pack_changes(stated="2026-03-01T01:00:00Z")),
    Fault("archive.same", lambda site: site.replace(ARCHIVE, OLD, CLOSED_LIST)),
    _text("dump.type", DUMP, ' type="application/zip"', "", count=1),
    Fault("dump.length", _no_length),
    _answer("dump.works", CHANGE_PACKAGE, status=500),
    _text("dump.bytes", DUMP, 'length="', 'length="1'),
    Fault("dump.contents", lambda site: site.replace(MANIFEST, "/r/2", "/r/3")),
    _answer("package.type", PACKAGE, content_type="text/html"),
    _packed("package.zip", body=b"PK\x03\x04 no package"),
    _packed("package.manifest", name="folder/manifest.xml"),
    _packed(
        "package.capability",
        md={"capability": "changedump-manifest", "from": MODIFIED},
        entries=entry("/r/1", change="created", datetime=MODIFIED, path="/res/1"),
        files={"res/1": b"x"},
    ),
    _packed("package.missing", files={"res/1": FILES["/r/1"]}),
    _packed("package.extra", files={"res/1": FILES["/r/1"], "res/2": FILES["/r/2"], "res/3": b"x"}),
    _packed("package.bytes", files={"res/1": FILES["/r/1"], "res/2": b"2" * len(FILES["/r/2"])}),
    _answer("resource.works", "/r/4", status=404),
    _text("resource.length", PART2, 'length="5"', 'length="50"'),
    _answer("resource.hash", "/r/4", body=b"FOUR"),
    _answer("resource.type", "/r/4", content_type="text/plain"),
    _answer("resource.lastmod", "/r/4", headers={"Last-Modified": "Sun, 01 Mar 2026 07:00:00 GMT"}),
    _text("resource.document", PART2, "</urlset>", entry(OPEN_LIST) + "</urlset>"),
    Fault("resource.deleted", lambda site: site.__setitem__(DELETED, Resource(b"x"))),
    _text("resource.describes", PART1, '<rs:ln rel="describedby" href="{base}/m/1"/>', ""),
    Fault("discovery.well-known", _moved),
    Fault("discovery.description", _capabilities_at_well_known),
    _answer("discovery.link", PAGE, headers={"Link": f'<{BASE}{RESOURCES}>; rel="resourcesync"'}),
    _text("discovery.page", PAGE, CAPABILITIES, RESOURCES),
    _text("discovery.robots", ROBOTS, RESOURCES, CHANGES),
    _later("again.closed", lambda site: site.replace(CLOSED_LIST, _DELETION, "")),
    _later("again.package", lambda site: site.pack_changes("<!-- again -->")),
    _later("again.at", _goes_back),
    _later("again.changes", _changed_later),
    _later("again.deletions", _left),
)
