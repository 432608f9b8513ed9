"""Checks of the syntax of every Link header, and of the attributes of every link (RFC 8288)."""

import re
from collections import Counter
from collections.abc import Iterator

from gateway.core.typed_links import Written, extended, written
from harvester.validate.check import Checks, Finding, Findings, Verdict
from harvester.validate.signposting.declared import Declared
from harvester.validate.signposting.site import Site
from harvester.validate.signposting.visits import Visit

_ONCE = ("rel", "anchor", "type", "media", "title", "title*")  # RFC 8288 §3.3, §3.2, §3.4.1
NOT_IN_A_URI = re.compile(r"[^!-~]|[\"<>\\^`{|}]|%(?![0-9A-Fa-f]{2})")  # RFC 3986 §2
_NOT_IN_A_FIELD = re.compile(r"[^\t\r\n -~]")  # another check reports line folds
MEDIA_TYPE = re.compile(r"[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+-]+")  # RFC 6838 §4.2
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S")
_ALL_BRACKETS = re.compile(r"[<>]+")
CHECKS = Checks[Site]("FAIR Signposting Profile")


def _written(site: Site) -> Iterator[tuple[Visit, Written]]:
    """Yield every link of every header, as it is written."""
    for visit in site.with_headers:
        for link in written(visit.link_header):
            yield visit, link


def _is_nested(link: Written) -> bool:
    """Return whether a quotation mark within a quotation ended a parameter early: its rest follows at once."""
    return '"' in link.after and not link.after.startswith(",") and bool(link.parameters)


def _is_in_brackets(junk: str) -> bool:
    return _ALL_BRACKETS.fullmatch(junk) is not None


@CHECKS.add("header.syntax", "RFC 8288 §3", "A Link header has links with parameters, and commas between them.")
def _syntax(site: Site) -> Findings:
    for visit, link in _written(site):
        for junk in (link.before, "" if _is_nested(link) else link.after):
            if junk and not _is_in_brackets(junk):
                yield Finding(visit, f"{junk[:100]!r} is no part of a link.")


@CHECKS.add("header.nested-quotes", "RFC 9110 §5.6.4", "No quotation mark stands within a quotation.")
def _nested(site: Site) -> Findings:
    for visit, link in _written(site):
        if _is_nested(link):
            name, value = link.parameters[-1]
            yield Finding(visit, f"A quotation mark ends the parameter {name} of <{link.target}> after {value!r}.")


@CHECKS.add("header.brackets", "RFC 8288 §3", "A target stands in one pair of angle brackets.")
def _brackets(site: Site) -> Findings:
    for visit, link in _written(site):
        if any(map(_is_in_brackets, (link.before, link.after))):
            yield Finding(visit, f"<{link.target}> has too many angle brackets.")


@CHECKS.add("header.type-parameters", "RFC 8288 §3.4.1", "The type of a link has no parameters.")
def _type_parameters(site: Site) -> Findings:
    for visit, link in _written(site):
        if ";" in link.first("type") and not _is_nested(link):
            yield Finding(visit, f"The type of <{link.target}> has parameters: {link.first('type')!r}.")


@CHECKS.add("header.folds", "RFC 9112 §5.2", "A Link header has no line folds.")
def _folds(site: Site) -> Findings:
    for visit in site.with_headers:
        if visit.has_folds:
            yield Finding(visit, "The Link header has line folds.")


def _size(visit: Visit) -> int:
    return len(visit.link_header.encode("latin-1", "replace"))


@CHECKS.add("header.large", "practice of the field", "A Link header has at most 4 kB.", Verdict.WARNING)
def _large(site: Site) -> Findings:
    limits = site.conversation.limits
    for visit in site.with_headers:
        if limits.large_header < _size(visit) <= limits.most_header:
            yield Finding(visit, f"The Link header has {_size(visit)} bytes.")


@CHECKS.add("header.too-large", "practice of the field", "A Link header has at most 8 kB.")
def _too_large(site: Site) -> Findings:
    for visit in site.with_headers:
        if _size(visit) > site.conversation.limits.most_header:
            yield Finding(visit, f"The Link header has {_size(visit)} bytes.")


@CHECKS.add("header.ascii", "RFC 8187 §1, RFC 9110 §5.5", "A Link header is ASCII without control characters.")
def _ascii(site: Site) -> Findings:
    for visit in site.with_headers:
        if strange := _NOT_IN_A_FIELD.search(visit.link_header):
            yield Finding(visit, f"The Link header has the byte 0x{ord(strange[0]):02X}.")


@CHECKS.add("header.relation", "RFC 8288 §3.3", "Every link has a relation.")
def _relation_stated(site: Site) -> Findings:
    for visit, link in _written(site):
        if link.target and not link.first("rel").strip():
            yield Finding(visit, f"The link to <{link.target}> has no relation.")


@CHECKS.add("header.once", "RFC 8288 §3.3, §3.4.1", "rel, anchor, type and title occur once in a link.")
def _once(site: Site) -> Findings:
    for visit, link in _written(site):
        counts = Counter(name for name, _ in link.parameters)
        for name in _ONCE:
            if counts[name] > 1:
                yield Finding(visit, f"The link to <{link.target}> has the parameter {name} {counts[name]} times.")


@CHECKS.add("header.encoded-title", "RFC 8187 §3.2", "title* is an encoded text.")
def _titles(site: Site) -> Findings:
    for visit, link in _written(site):
        title = link.first("title*")
        if title and extended(title) is None:
            yield Finding(visit, f"The title* of <{link.target}> is not UTF-8'language'text: {title[:80]!r}.")


@CHECKS.add("link.relation", "RFC 8288 §2.1", "A relation is registered, or a URI.", Verdict.WARNING)
def _registered(site: Site) -> Findings:
    for one in site.declared:
        if ":" not in one.link.rel and one.link.rel not in KNOWN:
            yield Finding(one.visit, f"The relation {one.link.rel!r} is not registered ({one.form}).")


@CHECKS.add("link.uri", "RFC 8288 §3.1, RFC 3986 §2", "Targets and anchors are legal URIs.")
def _addresses(site: Site) -> Findings:
    for one in site.declared:
        for address in (one.href, one.anchor):
            if wrong := NOT_IN_A_URI.search(address):
                yield Finding(one.visit, f"<{address}> has {wrong[0]!r}, which no URI has ({one.form}).")


@CHECKS.add("link.media-type", "RFC 8288 §3.4.1", "The type of a link is one media type.")
def _media_types(site: Site) -> Findings:
    for one in _all(site):
        stated = one.link.type
        if stated and ";" not in stated and not MEDIA_TYPE.fullmatch(stated):
            yield Finding(one.visit, f"{one.words} has the type {stated!r}, which is no media type.")


@CHECKS.add("link.profile", "§2.1.1", "A profile is an absolute URI.")
def _profiles(site: Site) -> Findings:
    for one in _all(site):
        for profile in one.link.profile.split():
            if not _ABSOLUTE.match(profile):
                yield Finding(one.visit, f"{one.words} has the profile {profile!r}, which is no absolute URI.")


def _all(site: Site) -> Iterator[Declared]:
    yield from site.level1()
    yield from (one for one in site.declared if one.visit is not site.page)


# --- The relation types that are registered at IANA (RFC 8288 §4.2), and one of another standard ---------------------

# https://www.iana.org/assignments/link-relations/, November 2026.
_NAMES = """
about acl alternate amphtml api-catalog appendix apple-touch-icon apple-touch-startup-image archives author
blocked-by bookmark c2pa-manifest canonical chapter cite-as collection compression-dictionary contents convertedfrom
copyright create-form current deprecation describedby describes disclosure dns-prefetch duplicate edit edit-form
edit-media enclosure external first geofeed glossary help hosts hub ice-server icon index intervalafter
intervalbefore intervalcontains intervaldisjoint intervalduring intervalequals intervalfinishedby intervalfinishes
intervalin intervalmeets intervalmetby intervaloverlappedby intervaloverlaps intervalstartedby intervalstarts item
last latest-version license linkset lrdd manifest mask-icon me media-feed memento micropub modulepreload monitor
monitor-group next next-archive nofollow noopener noreferrer opener openid2.local_id openid2.provider original p3pv1
payment pingback preconnect predecessor-version prefetch preload prerender prev preview previous prev-archive
privacy-policy profile publication rdap-active rdap-bottom rdap-down rdap-top rdap-up related replies restconf
ruleinput search section self service service-desc service-doc service-meta sip-trunking-capability sponsored start
status stylesheet subsection successor-version sunset tag terms-of-service timegate timemap type ugc up
version-history via webmention working-copy working-copy-of
"""
REGISTERED = frozenset(_NAMES.split())
KNOWN = REGISTERED | {"resourcesync"}  # Z39.99 §6.3.2
