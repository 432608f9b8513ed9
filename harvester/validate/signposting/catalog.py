"""Checks of the catalogue of a host's interfaces: /.well-known/api-catalog (RFC 9727), as FAIRiCat profiles it."""

import re

from gateway.core.typed_links import JSON
from harvester.validate.check import Checks, Finding, Findings, Undecided, Verdict
from harvester.validate.signposting.declared import of_header, of_json
from harvester.validate.signposting.linksets import document_in, is_absolute, why_no_json, wrong_structure
from harvester.validate.signposting.site import Site

_RELATIONS = ("service-doc", "service-desc", "service-meta")
_PROFILE = "https://signposting.org/FAIRiCat/"
_STATED_PROFILE = re.compile(r"(?i);\s*profile\s*=\s*\"?https://www\.rfc-editor\.org/info/rfc9727\"?")
CHECKS = Checks[Site]("FAIR Signposting Profile")


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
def _content_type(site: Site) -> Findings:
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
def _head(site: Site) -> Findings:
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
def _absolute(site: Site) -> Findings:
    for one in of_json(site.catalog):
        for reference in (one.anchor, one.href):
            if not is_absolute(reference):
                yield Finding(site.catalog, f"{reference!r} is no absolute URI.")
