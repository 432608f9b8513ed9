"""Checks of the syntax of every Link header, and of the attributes of every link (RFC 8288)."""

import re
from collections import Counter
from collections.abc import Iterator

from gateway.core.typed_links import Written, extended, written
from gateway.core.words import table
from harvester.validate.check import Checks, Wrong
from harvester.validate.signposting.declared import Declared, of_visits
from harvester.validate.signposting.site import RULES, Site
from harvester.validate.signposting.visits import Limits, Visit

_ONCE = ("rel", "anchor", "type", "media", "title", "title*")  # RFC 8288 §3.3, §3.2, §3.4.1
NOT_IN_A_URI = re.compile(r"[^!-~]|[\"<>\\^`{|}]|%(?![0-9A-Fa-f]{2})")  # RFC 3986 §2
_NOT_IN_A_FIELD = re.compile(r"[^\t\r\n -~]")  # another check reports line folds
MEDIA_TYPE = re.compile(r"[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+-]+")  # RFC 6838 §4.2
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S")
_ALL_BRACKETS = re.compile(r"[<>]+")
CHECKS = Checks[Site](RULES)

REGISTERED = frozenset(table(__file__, "relations")["registered"].split())  # at IANA (RFC 8288 §4.2)
KNOWN = REGISTERED | {"resourcesync"}  # Z39.99 §6.3.2

# --- every Link header ------------------------------------------------------------------------------------------------


def _written(site: Site) -> Iterator[tuple[Visit, Written]]:
    """Yield every link of every header, as it is written."""
    return ((visit, link) for visit in site.with_headers for link in written(visit.link_header))


_header = CHECKS.each(lambda site: ((visit, visit) for visit in site.with_headers))
_link = CHECKS.each(_written)


def _is_nested(link: Written) -> bool:
    """Return whether a quotation mark within a quotation ended a parameter early: its rest follows at once."""
    return '"' in link.after and not link.after.startswith(",") and bool(link.parameters)


def _is_in_brackets(junk: str) -> bool:
    return _ALL_BRACKETS.fullmatch(junk) is not None


_link("header.syntax")(
    lambda link: (
        f"{junk[:100]!r} is no part of a link."
        for junk in (link.before, "" if _is_nested(link) else link.after)
        if junk and not _is_in_brackets(junk)
    )
)
_link("header.nested-quotes")(
    lambda link: (
        f"A quotation mark ends the parameter {name} of <{link.target}> after {value!r}."
        for name, value in link.parameters[-1:]
        if _is_nested(link)
    )
)
_link("header.brackets")(
    lambda link: (
        any(map(_is_in_brackets, (link.before, link.after))) and f"<{link.target}> has too many angle brackets."
    )
)
_link("header.type-parameters")(
    lambda link: (
        ";" in link.first("type")
        and not _is_nested(link)
        and f"The type of <{link.target}> has parameters: {link.first('type')!r}."
    )
)
_header("header.folds")(lambda visit: visit.has_folds and "The Link header has line folds.")


def _sized(site: Site) -> Iterator[tuple[Visit, int, Limits]]:
    for visit in site.with_headers:
        yield visit, len(visit.link_header.encode("latin-1", "replace")), site.conversation.limits


_size = CHECKS.each(_sized)

_size("header.large")(
    lambda size, limits: limits.large_header < size <= limits.most_header and f"The Link header has {size} bytes."
)
_size("header.too-large")(lambda size, limits: size > limits.most_header and f"The Link header has {size} bytes.")
_header("header.ascii")(
    lambda visit: (
        (strange := _NOT_IN_A_FIELD.search(visit.link_header))
        and f"The Link header has the byte 0x{ord(strange[0]):02X}."
    )
)
_link("header.relation")(
    lambda link: link.target and not link.first("rel").strip() and f"The link to <{link.target}> has no relation."
)


@_link("header.once")
def _once(link: Written) -> Wrong:
    counts = Counter(name for name, _ in link.parameters)
    repeated = (name for name in _ONCE if counts[name] > 1)
    return (f"The link to <{link.target}> has the parameter {name} {counts[name]} times." for name in repeated)


_link("header.encoded-title")(
    lambda link: (
        (title := link.first("title*"))
        and extended(title) is None
        and f"The title* of <{link.target}> is not UTF-8'language'text: {title[:80]!r}."
    )
)

# --- the attributes of links -----------------------------------------------------------------------------------------


def _all(site: Site) -> Iterator[tuple[Visit, Declared]]:
    return of_visits((*site.level1(), *(one for one in site.declared if one.visit is not site.page)))


_declared, _any = CHECKS.each(lambda site: of_visits(site.declared)), CHECKS.each(_all)

_declared("link.relation")(
    lambda one: (
        ":" not in one.link.rel
        and one.link.rel not in KNOWN
        and f"The relation {one.link.rel!r} is not registered ({one.form})."
    )
)
_declared("link.uri")(
    lambda one: (
        f"<{address}> has {wrong[0]!r}, which no URI has ({one.form})."
        for address in (one.href, one.anchor)
        if (wrong := NOT_IN_A_URI.search(address))
    )
)
_any("link.media-type")(
    lambda one: (
        (stated := one.link.type)
        and ";" not in stated
        and not MEDIA_TYPE.fullmatch(stated)
        and f"{one.words} has the type {stated!r}, which is no media type."
    )
)
_any("link.profile")(
    lambda one: (
        f"{one.words} has the profile {profile!r}, which is no absolute URI."
        for profile in one.link.profile.split()
        if not _ABSOLUTE.match(profile)
    )
)
