"""Checks of link sets: how they are written (RFC 9264), what they have at level 2, and the catalogue of the host."""

import re
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterator, Mapping

from gateway.core.errors import AnswerTooLarge
from gateway.core.typed_links import JSON, TEXT, Link
from harvester.validate.check import Checks, Finding, Findings, Undecided, Verdict
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
from harvester.validate.signposting.site import LinkSet, Site
from harvester.validate.signposting.visits import Visit

_UTF_8 = ("", "utf-8", "utf8")
CHECKS = Checks[Site]("FAIR Signposting Profile")


def _received(site: Site, form: str = "") -> Iterator[LinkSet]:
    """Yield the link sets that were received, of one form or of both. Raise Undecided when there is none."""
    received = [one for one in site.linksets if one.visit.is_success and one.form and form in ("", one.form)]
    if not received:
        raise Undecided(f"No link set was received{f' as {form}' if form else ''}.")
    yield from received


@CHECKS.add("linkset.type", "§2.2", "A linkset link has the type of a link set.")
def _typed(site: Site) -> Findings:
    for one in site.linksets:
        if one.declared.link.type not in (TEXT, JSON):
            yield Finding(one.declared.visit, f"{one.declared.words} has the type {one.declared.link.type!r}.")


@CHECKS.add("linkset.works", "§2.2", "A linkset link leads to a link set.")
def _arrives(site: Site) -> Findings:
    for one in site.linksets:
        if one.visit.is_failure:
            yield Finding(one.visit, f"{one.declared.words} brings {one.visit.ended}.")


@CHECKS.add("linkset.content-type", "RFC 9264 §4", "A link set has the media type that the link states.")
def _content_type(site: Site) -> Findings:
    for one in site.linksets:
        stated = one.declared.link.type
        if one.visit.is_success and stated in (TEXT, JSON) and one.visit.media_type != stated:
            yield Finding(one.visit, f"Content-Type is {one.visit.media_type!r}, and the link says {stated}.")


@CHECKS.add(
    "linkset.head", "RFC 9110 §9.3.2", "HEAD of a link set has the status and the media type of GET.", Verdict.WARNING
)
def _head(site: Site) -> Findings:
    for one in _received(site):
        head = site.conversation.ask(one.declared.link.href, method="HEAD", accept=one.form)
        if (head.status, head.media_type) != (one.visit.status, one.visit.media_type):
            yield Finding(head, f"GET brings HTTP {one.visit.status}, {one.visit.header('Content-Type')}.")


@CHECKS.add("linkset.charset", "RFC 9264 §4.1, RFC 8259 §8.1", "A link set is UTF-8.")
def _charset(site: Site) -> Findings:
    for one in _received(site):
        try:
            one.visit.body.decode("utf-8")
        except UnicodeDecodeError as error:
            yield Finding(one.visit, f"The byte at {error.start} is not UTF-8.")
        else:
            if one.visit.charset not in _UTF_8:
                yield Finding(one.visit, f"Content-Type states the charset {one.visit.charset}.")


@CHECKS.add("linkset.text", "RFC 9264 §4.1", "A link set as text has the syntax of a Link header.")
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


@CHECKS.add("linkset.json", "RFC 9264 §4.2", "A link set as JSON is well-formed.")
def _json(site: Site) -> Findings:
    for one in _received(site, JSON):
        reason = why_no_json(one.visit)
        if reason and is_utf_8(one.visit):
            yield Finding(one.visit, f"It is no JSON: {reason}")
        elif one.visit.body.startswith(BOM_UTF8):
            yield Finding(one.visit, "It begins with a byte order mark.")


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


@CHECKS.add("linkset.sole-member", "RFC 9264 §4.2.1", "linkset is the only member of the document.")
def _sole_member(site: Site) -> Findings:
    for one in _received(site, JSON):
        if not why_no_json(one.visit) and (members := list(document_in(one.visit))) != ["linkset"]:
            yield Finding(one.visit, f"The members of the document are {', '.join(members) or 'none'}.")


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


@CHECKS.add(
    "linkset.structure",
    "RFC 9264 §4.2.2, §4.2.3, §4.2.4.1",
    "linkset is an array of objects; a relation is an array of objects with href and attributes.",
)
def _structure(site: Site) -> Findings:
    for one in _received(site, JSON):
        for sentence in wrong_structure(document_in(one.visit)):
            yield Finding(one.visit, sentence)


@CHECKS.add("linkset.contexts", "RFC 9264 §4.2.1", "Each anchor has one context object.")
def _contexts(site: Site) -> Findings:
    for one in _received(site, JSON):
        contexts = document_in(one.visit).get("linkset")
        known = [context for context in contexts if isinstance(context, dict)] if isinstance(contexts, list) else []
        for anchor, count in Counter(str(context.get("anchor", "")) for context in known).items():
            if count > 1:
                yield Finding(one.visit, f"{count} context objects have the anchor {anchor!r}.")


@CHECKS.add("linkset.anchors", "§1.4", "Every link of a link set has an anchor.")
def _anchors(site: Site) -> Findings:
    for one in _received(site):
        for declared in one.links:
            if not declared.anchor:
                yield Finding(one.visit, f"{declared.words} has no anchor.")


def is_absolute(reference: str) -> bool:
    """Return whether a reference has a scheme (RFC 3986 §4.3)."""
    scheme, colon, rest = reference.partition(":")
    return bool(colon and rest) and scheme.replace("+", "a").replace("-", "a").replace(".", "a").isalnum()


@CHECKS.add("linkset.absolute", "§1.4", "Anchors and targets of a link set are absolute URIs.")
def _absolute(site: Site) -> Findings:
    for one in _received(site):
        for declared in one.links:
            for reference in filter(None, (declared.href, declared.anchor)):
                if not is_absolute(reference):
                    yield Finding(one.visit, f"<{reference}> is no absolute URI ({declared.form}).")


@CHECKS.add("linkset.same", "RFC 9264 §4", "Both forms of a link set have the same links.")
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


@CHECKS.add("linkset.page", "§2.2.1", "A link set has links from the page.")
def _landing(site: Site) -> Findings:
    for one in _received(site):
        is_empty = document_in(one.visit) == {"linkset": []} if one.form == JSON else not one.visit.body.strip()
        if (one.links or is_empty) and not any(site.is_page(declared.link.anchor) for declared in one.links):
            yield Finding(one.visit, f"No link has the anchor {site.address}.")


@CHECKS.add("linkset.complete", "§2.2", "A link set has all links of level 1.")
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


def _back(section: str, rel: str, back: str) -> None:
    """Declare the check that every target of a relation leads back to the page in the link sets."""

    @CHECKS.add(f"linkset.{back}", section, f"Every target of {rel} has one {back} link to the page.")
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


_back("§2.2.2", "item", "collection")
_back("§2.2.3", "describedby", "describes")


# --- the catalogue of a host: a link set, as FAIRiCat profiles it (RFC 9727) ------------------------------------------

_RELATIONS = ("service-doc", "service-desc", "service-meta")
_PROFILE = "https://signposting.org/FAIRiCat/"
_STATED_PROFILE = re.compile(r"(?i);\s*profile\s*=\s*\"?https://www\.rfc-editor\.org/info/rfc9727\"?")


@CHECKS.add("catalog.works", "RFC 9727 §3", "An api-catalog link leads to a catalogue.")
def _works(site: Site) -> Findings:
    for one in of_header(site.page):
        if one.link.rel == "api-catalog":
            visit = site.conversation.ask(one.link.href, accept=JSON)
            if visit.is_failure:
                yield Finding(visit, f"{one.words} brings {visit.ended}.")
            return
    raise Undecided("The page has no api-catalog link.")


@CHECKS.add("catalog.content-type", "RFC 9727 §4, FAIRiCat §2.3", "A catalogue is application/linkset+json.")
def _catalog_content_type(site: Site) -> Findings:
    if site.catalog.media_type != JSON:
        yield Finding(site.catalog, f"Content-Type is {site.catalog.media_type!r}.")


@CHECKS.add("catalog.profile", "RFC 9727 §4", "Content-Type of a catalogue has its profile.", Verdict.WARNING)
def _profile(site: Site) -> Findings:
    stated = site.catalog.header("Content-Type")
    if site.catalog.media_type == JSON and not _STATED_PROFILE.search(stated):
        yield Finding(site.catalog, f"Content-Type is {stated!r}, without the profile of RFC 9727.")


@CHECKS.add(
    "catalog.head", "RFC 9727 §2, FAIRiCat §2.3", "HEAD of the catalogue brings an api-catalog link.", Verdict.WARNING
)
def _catalog_head(site: Site) -> Findings:
    site.catalog  # noqa: B018 - without a catalogue there is nothing to check
    if "api-catalog" not in [one.link.rel for one in of_header(site.catalog_head)]:
        yield Finding(site.catalog_head, "HEAD brings no api-catalog link.")


@CHECKS.add("catalog.link", "FAIRiCat §2.3", "An api-catalog link has its type and profile.")
def _link(site: Site) -> Findings:
    site.catalog  # noqa: B018 - without a catalogue there is nothing to check
    if not site.catalog_links:
        raise Undecided("There is no api-catalog link.")
    for one in site.catalog_links:
        if one.link.type != JSON or one.link.profile != _PROFILE:
            yield Finding(
                one.visit, f"{one.words} has the type {one.link.type!r} and the profile {one.link.profile!r}."
            )


@CHECKS.add("catalog.document", "RFC 9264 §4.2", "A catalogue is a link set.")
def _document(site: Site) -> Findings:
    if reason := why_no_json(site.catalog):
        yield Finding(site.catalog, f"It is no JSON: {reason}")
        return
    document = document_in(site.catalog)
    if list(document) != ["linkset"]:
        yield Finding(site.catalog, f"The members of the document are {', '.join(document) or 'none'}.")
    for sentence in wrong_structure(document):
        yield Finding(site.catalog, sentence)


@CHECKS.add("catalog.relations", "FAIRiCat §2.1", "A catalogue has links to descriptions alone.")
def _relations(site: Site) -> Findings:
    for one in of_json(site.catalog):
        if one.link.rel not in _RELATIONS:
            yield Finding(site.catalog, f"The relation of the link to <{one.href}> is {one.link.rel}.")


@CHECKS.add("catalog.types", "FAIRiCat §2.1", "Every link of a catalogue has a type.")
def _types(site: Site) -> Findings:
    for one in of_json(site.catalog):
        if not one.link.type:
            yield Finding(site.catalog, f"{one.words} has no type.")


@CHECKS.add("catalog.absolute", "FAIRiCat §2.1", "All addresses of a catalogue are absolute.")
def _catalog_absolute(site: Site) -> Findings:
    for one in of_json(site.catalog):
        for reference in (one.anchor, one.href):
            if not is_absolute(reference):
                yield Finding(site.catalog, f"{reference!r} is no absolute URI.")
