"""Checks of link sets: how they are written (RFC 9264), what they have at level 2, and the catalogue of the host."""

import re
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterator, Mapping

from gateway.core.errors import AnswerTooLarge
from gateway.core.typed_links import JSON, TEXT, Link
from harvester.validate.check import Checks, Finding, Findings, Undecided, Wrong
from harvester.validate.signposting.declared import (
    Declared,
    document_of,
    is_http,
    is_same,
    normal_form,
    of_header,
    of_json,
    written_in,
)
from harvester.validate.signposting.site import RULES, LinkSet, Site
from harvester.validate.signposting.visits import Visit

_UTF_8 = ("", "utf-8", "utf8")
CHECKS = Checks[Site](RULES)
_named = CHECKS.each(lambda site: ((one.visit, one) for one in site.linksets))
_linkset = CHECKS.each(lambda site: ((one.visit, one) for one in _received(site)))
_json = CHECKS.each(lambda site: ((one.visit, one.visit) for one in _received(site, JSON)))


def _received(site: Site, form: str = "") -> Iterator[LinkSet]:
    """Yield the link sets that were received, of one form or of both. Raise Undecided when there is none."""
    received = [one for one in site.linksets if one.visit.is_success and one.form and form in ("", one.form)]
    if not received:
        raise Undecided(f"No link set was received{f' as {form}' if form else ''}.")
    yield from received


@CHECKS.add("linkset.type")
def _typed(site: Site) -> Findings:
    for one in site.linksets:
        if one.declared.link.type not in (TEXT, JSON):
            yield Finding(one.declared.visit, f"{one.declared.words} has the type {one.declared.link.type!r}.")


_named("linkset.works")(lambda one: one.visit.is_failure and f"{one.declared.words} brings {one.visit.ended}.")
_named("linkset.content-type")(
    lambda one: (
        one.visit.is_success
        and one.declared.link.type in (TEXT, JSON)
        and one.visit.media_type != one.declared.link.type
        and f"Content-Type is {one.visit.media_type!r}, and the link says {one.declared.link.type}."
    )
)


@CHECKS.add("linkset.head")
def _head(site: Site) -> Findings:
    for one in _received(site):
        head = site.conversation.ask(one.declared.link.href, method="HEAD", accept=one.form)
        if (head.status, head.media_type) != (one.visit.status, one.visit.media_type):
            yield Finding(head, f"GET brings HTTP {one.visit.status}, {one.visit.header('Content-Type')}.")


@_linkset("linkset.charset")
def _charset(one: LinkSet) -> Wrong:
    try:
        one.visit.body.decode("utf-8")
    except UnicodeDecodeError as error:
        return f"The byte at {error.start} is not UTF-8."
    return one.visit.charset not in _UTF_8 and f"Content-Type states the charset {one.visit.charset}."


@CHECKS.add("linkset.text")
def _text(site: Site) -> Findings:
    for one in _received(site, TEXT):
        try:
            links = written_in(one.visit)
        except AnswerTooLarge as error:
            raise Undecided(str(error)) from error
        for link in links:
            if link.before or link.after:
                yield Finding(one.visit, f"{(link.before or link.after)[:100]!r} is no part of a link.")
            elif not link.first("rel"):
                yield Finding(one.visit, f"The link to <{link.target}> has no relation.")


def why_no_json(visit: Visit) -> str:
    """Return why an answer is no JSON document, or an empty string. Raise Undecided for a very large one."""
    try:
        document_of(visit)
    except AnswerTooLarge as error:
        raise Undecided(str(error)) from error
    except ValueError as error:
        return str(error)
    return ""


@_json("linkset.json")
def _well_formed(visit: Visit) -> Wrong:
    reason = why_no_json(visit)
    if reason and is_utf_8(visit):
        return f"It is no JSON: {reason}"
    return visit.body.startswith(BOM_UTF8) and "It begins with a byte order mark."


def is_utf_8(visit: Visit) -> bool:
    """Return whether the body of an answer is UTF-8."""
    try:
        visit.body.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def document_in(visit: Visit) -> Mapping[str, object]:
    """Return the object of a JSON document, or an empty one."""
    document = None if why_no_json(visit) else document_of(visit)
    return document if isinstance(document, dict) else {}


_json("linkset.sole-member")(lambda visit: not why_no_json(visit) and _other_members(document_in(visit)))


def _other_members(document: Mapping[str, object]) -> str:
    """Return a sentence unless linkset is the only member of a document."""
    members = list(document)
    return "" if members == ["linkset"] else f"The members of the document are {', '.join(members) or 'none'}."


def wrong_structure(document: Mapping[str, object]) -> Iterator[str]:
    """Yield a sentence for each part of a link set in JSON that has another form than RFC 9264 §4.2 says."""
    contexts = document.get("linkset", [])
    if not isinstance(contexts, list):
        yield "linkset is no array."
        return
    for context in contexts:
        if not isinstance(context, dict):
            yield f"A member of linkset is no object: {str(context)[:80]}"
            continue
        for name, targets in context.items():
            if name == "anchor":
                if not isinstance(targets, str):
                    yield f"An anchor is no text: {str(targets)[:80]}"
            elif not isinstance(targets, list) or not all(isinstance(target, dict) for target in targets):
                yield f"{name!r} is no array of objects: {str(targets)[:80]}"
            elif not all(isinstance(target.get("href"), str) for target in targets):
                yield f"A target of {name!r} has no href."
            else:
                yield from (sentence for target in targets for sentence in _wrong_attributes(name, target))


_TEXTS, _LISTS = ("type", "media", "title"), {"hreflang": str, "title*": dict}


def _wrong_attributes(relation: str, target: Mapping[str, object]) -> Iterator[str]:
    for name in _TEXTS:
        if not isinstance(target.get(name, ""), str):
            yield f"{name} of a target of {relation!r} is no text."
    for name, kind in _LISTS.items():
        values = target.get(name, [])
        if not isinstance(values, list) or not all(isinstance(value, kind) for value in values):
            yield f"{name} of a target of {relation!r} is no array of {'texts' if kind is str else 'objects'}."


_json("linkset.structure")(lambda visit: wrong_structure(document_in(visit)))


@_json("linkset.contexts")
def _contexts(visit: Visit) -> Wrong:
    contexts = document_in(visit).get("linkset")
    known = [context for context in contexts if isinstance(context, dict)] if isinstance(contexts, list) else []
    counts = Counter(str(context.get("anchor", "")) for context in known)
    return (f"{count} context objects have the anchor {anchor!r}." for anchor, count in counts.items() if count > 1)


_linkset("linkset.anchors")(
    lambda one: (f"{declared.words} has no anchor." for declared in one.links if not declared.anchor)
)


def is_absolute(reference: str) -> bool:
    """Return whether a reference has a scheme (RFC 3986 §4.3)."""
    scheme, colon, rest = reference.partition(":")
    return bool(colon and rest) and scheme.replace("+", "a").replace("-", "a").replace(".", "a").isalnum()


_linkset("linkset.absolute")(
    lambda one: (
        f"<{reference}> is no absolute URI ({declared.form})."
        for declared in one.links
        for reference in filter(None, (declared.href, declared.anchor))
        if not is_absolute(reference)
    )
)


@CHECKS.add("linkset.same")
def _same(site: Site) -> Findings:
    by_form: dict[str, set[Link]] = {}
    for one in _received(site):
        if not all(declared.anchor for declared in one.links):
            raise Undecided("Links without an anchor cannot be compared.")
        if one.links:
            by_form.setdefault(one.form, set()).update(declared.link for declared in one.links)
    if set(by_form) != {TEXT, JSON}:
        raise Undecided("There are not two forms of the link set with links.")
    for form, other in ((TEXT, JSON), (JSON, TEXT)):
        visit = next(one.visit for one in _received(site, other))
        for link in sorted(by_form[form] - by_form[other]):
            yield Finding(visit, f"{form} has the link {link.rel} to <{link.href}>, and {other} has not the same.")


@CHECKS.add("linkset.page")
def _landing(site: Site) -> Findings:
    for one in _received(site):
        is_empty = document_in(one.visit) == {"linkset": []} if one.form == JSON else not one.visit.body.strip()
        if (one.links or is_empty) and not any(site.is_page(declared.link.anchor) for declared in one.links):
            yield Finding(one.visit, f"No link has the anchor {site.address}.")


@CHECKS.add("linkset.complete")
def _comprehensive(site: Site) -> Findings:
    for one in _received(site):
        own = [item for item in one.links if not item.anchor or site.is_page(item.link.anchor)]
        known = {(item.link.rel, normal_form(item.link.href)) for item in own}
        if not known:
            continue  # another check says so
        for declared in site.level1():
            link = declared.link
            if link.rel in _PROFILED and (link.rel, normal_form(link.href)) not in known and is_judged(declared):
                yield Finding(one.visit, f"The link set lacks the link {link.rel} to <{link.href}>.")


_PROFILED = ("author", "cite-as", "describedby", "item", "license", "type")
_URIS = ("author", "cite-as", "license", "type")  # of these, other checks report what is no absolute URI


def is_judged(declared: Declared) -> bool:
    """Return whether a link can be compared with those of a link set."""
    return declared.link.rel not in _URIS or is_http(declared.href)


def _back(rel: str, back: str) -> None:
    """Declare the check that every target of a relation leads back to the page in the link sets."""

    @CHECKS.add(f"linkset.{back}")
    def _(site: Site) -> Findings:
        for one in _received(site):
            known: dict[str, set[str]] = {}
            for item in one.links:
                if item.link.rel == back:
                    known.setdefault(item.link.anchor, set()).add(item.link.href)
            for item in one.links:
                if item.link.rel == rel and site.is_page(item.link.anchor):
                    targets = known.get(item.link.href, set())
                    if len(targets) != 1 or not is_same(next(iter(targets)), site.address):
                        words = ", ".join(sorted(targets)) or "nothing"
                        yield Finding(one.visit, f"{back} of <{item.link.href}> leads to {words}.")


_back("item", "collection")
_back("describedby", "describes")


# --- the catalogue of a host: a link set, as FAIRiCat profiles it (RFC 9727) ------------------------------------------

_RELATIONS = ("service-doc", "service-desc", "service-meta")
_PROFILE = "https://signposting.org/FAIRiCat/"
_STATED_PROFILE = re.compile(r"(?i);\s*profile\s*=\s*\"?https://www\.rfc-editor\.org/info/rfc9727\"?")


@CHECKS.add("catalog.works")
def _works(site: Site) -> Findings:
    for one in of_header(site.page):
        if one.link.rel == "api-catalog":
            visit = site.conversation.ask(one.link.href, accept=JSON)
            if visit.is_failure:
                yield Finding(visit, f"{one.words} brings {visit.ended}.")
            return
    raise Undecided("The page has no api-catalog link.")


_catalog = CHECKS.each(lambda site: ((site.catalog, site.catalog),))
_in_catalog = CHECKS.each(lambda site: ((one.visit, one) for one in of_json(site.catalog)))

_catalog("catalog.content-type")(lambda visit: visit.media_type != JSON and f"Content-Type is {visit.media_type!r}.")


@_catalog("catalog.profile")
def _profile(visit: Visit) -> Wrong:
    stated = visit.header("Content-Type")
    is_wrong = visit.media_type == JSON and not _STATED_PROFILE.search(stated)
    return is_wrong and f"Content-Type is {stated!r}, without the profile of RFC 9727."


@CHECKS.add("catalog.head")
def _catalog_head(site: Site) -> Findings:
    site.catalog  # noqa: B018 - without a catalogue there is nothing to check
    if "api-catalog" not in [one.link.rel for one in of_header(site.catalog_head)]:
        yield Finding(site.catalog_head, "HEAD brings no api-catalog link.")


@CHECKS.add("catalog.link")
def _link(site: Site) -> Findings:
    site.catalog  # noqa: B018 - without a catalogue there is nothing to check
    if not site.catalog_links:
        raise Undecided("There is no api-catalog link.")
    for one in site.catalog_links:
        if one.link.type != JSON or one.link.profile != _PROFILE:
            yield Finding(
                one.visit, f"{one.words} has the type {one.link.type!r} and the profile {one.link.profile!r}."
            )


@_catalog("catalog.document")
def _document(visit: Visit) -> Wrong:
    if reason := why_no_json(visit):
        return f"It is no JSON: {reason}"
    document = document_in(visit)
    return (*filter(None, (_other_members(document),)), *wrong_structure(document))


_in_catalog("catalog.relations")(
    lambda one: one.link.rel not in _RELATIONS and f"The relation of the link to <{one.href}> is {one.link.rel}."
)
_in_catalog("catalog.types")(lambda one: not one.link.type and f"{one.words} has no type.")
_in_catalog("catalog.absolute")(
    lambda one: (
        f"{reference!r} is no absolute URI." for reference in (one.anchor, one.href) if not is_absolute(reference)
    )
)
