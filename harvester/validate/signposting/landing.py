"""Checks of the landing page and of the links from it: at level 1, or at both levels."""

import re
from collections import Counter

from gateway.core.typed_links import spdx_uri
from harvester.http.urls import host_of
from harvester.validate.check import Checks, Finding, Findings, Undecided, Verdict
from harvester.validate.signposting.declared import Declared, charset_in, is_http, normal_form, of_header
from harvester.validate.signposting.site import HTML, Site
from harvester.validate.signposting.visits import Visit

_NOT_ACCEPTABLE = 406
# No server has it, so none can send it.
_IMPOSSIBLE = "application/vnd.example.impossible"
# Media types that many metadata formats share, so that only a profile says which one it is.
_GENERIC = frozenset(("text/plain", "text/xml", "application/xml", "application/json", "application/ld+json"))
_CONTENT = frozenset(("application/pdf", "application/zip", "application/octet-stream"))
_ABOUT_PAGE = ("https://schema.org/AboutPage", "http://schema.org/AboutPage")
_MOST_TYPES = 2
_SPDX_PAGE = re.compile(r"https?://spdx\.org/licenses/[^/]+\.html", re.IGNORECASE)
_ORCID = re.compile(r"https://orcid\.org/(\d{4}-\d{4}-\d{4}-\d{3}[\dX])")
_BARE_ORCID = re.compile(r"(?i)(?:orcid:?\s*)?\d{4}-\d{4}-\d{4}-\d{3}[\dX]")
CHECKS = Checks[Site]("FAIR Signposting Profile")


# --- the page itself ----------------------------------------------------------------------------------------------


@CHECKS.add("page.works", "§1.1", "The landing page answers with success.")
def _works(site: Site) -> Findings:
    if not site.asked.is_success:
        yield Finding(site.asked, "The landing page gives no answer of success.")


@CHECKS.add("page.head", "RFC 9110 §9.3.2", "HEAD has the status and the media type of GET.")
def _head_status(site: Site) -> Findings:
    if (site.head.status, site.head.media_type) != (site.page.status, site.page.media_type):
        yield Finding(site.head, f"GET brings HTTP {site.page.status}, {site.page.header('Content-Type')}.")


@CHECKS.add("page.head-links", "§1.2, RFC 9110 §9.3.2", "HEAD has the links of GET.")
def _head_links(site: Site) -> Findings:
    if site.head.is_success and (missing := missing_links(site.page, site.head)):
        yield Finding(site.head, f"HEAD has other links than GET, such as <{missing}>.")


def missing_links(one: Visit, other: Visit) -> str:
    """Return the target of a link that only one of two answers has in its headers, or an empty string."""
    links = [{declared.link for declared in of_header(visit)} for visit in (one, other)]
    return min((link.href for link in links[0] ^ links[1]), default="")


@CHECKS.add("page.charset", "RFC 9110 §8.3.2", "The charset of the page is stated.", Verdict.WARNING)
def _charset(site: Site) -> Findings:
    if site.page.media_type == "text/html" and not site.page.charset and not charset_in(site.page):
        yield Finding(site.page, "Neither Content-Type nor the page states a charset.")


@CHECKS.add(
    "page.not-acceptable", "RFC 9110 §15.5.7", "A media type that the page does not have brings 406.", Verdict.WARNING
)
def _not_acceptable(site: Site) -> Findings:
    visit = site.conversation.ask(site.address, accept=_IMPOSSIBLE)
    if visit.fetched is not None and visit.status != _NOT_ACCEPTABLE:
        yield Finding(visit, f"A media type that does not exist brings HTTP {visit.status}, not 406.")


# --- cite-as ------------------------------------------------------------------------------------------------------


def _cite_as(site: Site) -> Declared:
    links = site.level1("cite-as")
    if not links:
        raise Undecided("The page has no cite-as link.")
    return links[0]


@CHECKS.add("cite-as.one", "§2.1.1", "The page has exactly one cite-as link.")
def _one_cite_as(site: Site) -> Findings:
    if not site.level1("cite-as"):
        yield Finding(site.page, "The page has no cite-as link.")
    targets = {normal_form(one.link.href): one.link.href for one in site.links("cite-as") if is_http(one.href)}
    if len(targets) > 1:
        yield Finding(site.page, f"The page has {len(targets)} cite-as links: {', '.join(targets.values())}.")


@CHECKS.add("cite-as.uri", "§2.1.1", "The target of cite-as is an absolute http or https URI.")
def _cite_as_uri(site: Site) -> Findings:
    for one in site.links("cite-as"):
        if not is_http(one.href):
            yield Finding(one.visit, f"{one.words} is no absolute http or https URI.")


@CHECKS.add(
    "cite-as.persistent",
    "§2.1.1",
    "The target of cite-as is a persistent identifier, not the address of the page.",
    Verdict.WARNING,
)
def _cite_as_persistent(site: Site) -> Findings:
    one = _cite_as(site)
    if site.is_page(one.link.href):
        yield Finding(one.visit, f"{one.words} is the address of the page itself, and no persistent identifier.")


@CHECKS.add("cite-as.resolves", "§2.1.1", "The target of cite-as leads to this page.")
def _cite_as_resolves(site: Site) -> Findings:
    one = _cite_as(site)
    if not is_http(one.link.href):
        raise Undecided("The target of cite-as is no http or https URI.")
    visit = site.conversation.ask(one.link.href, method="HEAD", accept=HTML)
    if not visit.is_success:  # some resolvers refuse HEAD
        visit = site.conversation.ask(one.link.href, accept=HTML)
    if visit.fetched is None and not visit.is_failure:
        raise Undecided(f"{one.link.href} was not requested: {visit.refusal}")
    if visit.is_failure or not site.is_page(visit.url):
        yield Finding(visit, f"{one.words} leads to {visit.url} ({visit.ended}), not to {site.address}.")


# --- describedby --------------------------------------------------------------------------------------------------


@CHECKS.add("describedby.one", "§2.1.1", "The page has a describedby link.")
def _described(site: Site) -> Findings:
    if not site.level1("describedby"):
        yield Finding(site.page, "The page has no describedby link.")


@CHECKS.add("describedby.type", "§2.1.1", "Every describedby link has a type.")
def _described_type(site: Site) -> Findings:
    yield from _without_type(site, "describedby")


def _without_type(site: Site, rel: str) -> Findings:
    for one in site.links(rel):
        if not one.link.type:
            yield Finding(one.visit, f"{one.words} has no type.")


@CHECKS.add("describedby.profile", "§2.1.1", "A describedby link with a generic type has a profile.", Verdict.WARNING)
def _described_profile(site: Site) -> Findings:
    for one in site.links("describedby"):
        stated = one.link.type
        if stated.partition(";")[0].strip() in _GENERIC and "profile=" not in stated and not one.link.profile:
            yield Finding(one.visit, f"{one.words} has the type {stated}, which many formats have, and no profile.")


@CHECKS.add(
    "describedby.address", "practice of the field", "Every metadata format has an address of its own.", Verdict.WARNING
)
def _described_twice(site: Site) -> Findings:
    counts = Counter(one.link.href for one in site.links("describedby"))
    for one in site.links("describedby"):
        if counts.pop(one.link.href, 0) > 1:
            yield Finding(one.visit, f"{one.words} is the same for several types: only negotiation tells them apart.")


@CHECKS.add("describedby.metadata", "§2.1.1", "describedby leads to metadata, not to content.")
def _described_content(site: Site) -> Findings:
    for one in site.links("describedby"):
        if one.link.type.partition(";")[0] in _CONTENT:
            yield Finding(one.visit, f"{one.words} has the type {one.link.type}: that is content, and no metadata.")


# --- type, author, license ----------------------------------------------------------------------------------------


@CHECKS.add("type.class", "§2.1.1", "A type link says what the object is.")
def _class(site: Site) -> Findings:
    if not [one for one in site.level1("type") if one.link.href not in _ABOUT_PAGE]:
        yield Finding(site.page, "No type link says what the object is.")


@CHECKS.add("type.about-page", "§2.1.1", "A landing page has a type link to schema.org's AboutPage.", Verdict.WARNING)
def _about_page(site: Site) -> Findings:
    items = [one for one in site.links("item") if not site.is_page(one.link.href)]
    if items and not [one for one in site.level1("type") if one.link.href in _ABOUT_PAGE]:
        yield Finding(site.page, "The page has items, and no type link to https://schema.org/AboutPage.")


@CHECKS.add("type.most", "§2.1.1", "The page has at most two type links.", Verdict.WARNING)
def _most_types(site: Site) -> Findings:
    types = dict.fromkeys(one.link.href for one in site.level1("type"))
    if len(types) > _MOST_TYPES:
        yield Finding(site.page, f"The page has {len(types)} type links: {', '.join(types)}.")


@CHECKS.add("type.uri", "§2.1.1", "A type link leads to the URI of a class.")
def _type_uri(site: Site) -> Findings:
    for one in site.links("type"):
        if not is_http(one.href) and not one.href.startswith(("info:", "urn:")):
            yield Finding(one.visit, f"{one.words} is no absolute URI of a class.")


@CHECKS.add("type.https", "§2.1.1", "A term of schema.org begins with https.", Verdict.WARNING)
def _type_scheme(site: Site) -> Findings:
    for one in site.links("type"):
        if host_of(one.link.href) == "schema.org" and not one.link.href.startswith("https:"):
            yield Finding(one.visit, f"{one.words} is written with https in the profile.")


@CHECKS.add("author.uri", "§2.1.1", "An author is an absolute URI, not a bare ORCID.")
def _author_uri(site: Site) -> Findings:
    for one in site.links("author"):
        if not is_http(one.href):
            words = "an ORCID without https://orcid.org/" if _BARE_ORCID.fullmatch(one.href) else "no absolute URI"
            yield Finding(one.visit, f"{one.words} is {words}.")


@CHECKS.add("author.orcid", "§2.1.1", "An ORCID is valid and begins with https://orcid.org/.", Verdict.WARNING)
def _orcid(site: Site) -> Findings:
    for one in site.links("author"):
        if host_of(one.link.href).removeprefix("www.") == "orcid.org":
            match = _ORCID.fullmatch(one.link.href)
            if match is None or not _is_right(match[1]):
                yield Finding(one.visit, f"{one.words} is no ORCID as https://orcid.org/ writes it.")


def _is_right(orcid: str) -> bool:
    """Return whether the last character of an ORCID is right (ISO 7064, 11-2)."""
    digits = orcid.replace("-", "")
    total = 0
    for digit in digits[:-1]:
        total = (total + int(digit)) * 2
    return (total + (10 if digits[-1] == "X" else int(digits[-1]))) % 11 == 1


@CHECKS.add("license.one", "§2.1.1", "The page has at most one license link.")
def _one_license(site: Site) -> Findings:
    targets = dict.fromkeys(one.link.href for one in site.links("license") if is_http(one.href))
    if len(targets) > 1:
        yield Finding(site.page, f"The page has {len(targets)} license links: {', '.join(targets)}.")


@CHECKS.add("license.uri", "§2.1.1", "The licence is an absolute http or https URI.")
def _license_uri(site: Site) -> Findings:
    for one in site.links("license"):
        if not is_http(one.href):
            yield Finding(one.visit, f"{one.words} is no absolute http or https URI.")


@CHECKS.add("license.spdx-uri", "§2.1.1", "The SPDX URI of a licence has no .html.", Verdict.WARNING)
def _spdx_page(site: Site) -> Findings:
    for one in site.links("license"):
        if _SPDX_PAGE.fullmatch(one.link.href):
            yield Finding(one.visit, f"{one.words} is the page of the licence. Its URI has no .html.")


@CHECKS.add("license.spdx", "§2.1.1", "A licence that SPDX lists has its SPDX URI.", Verdict.WARNING)
def _spdx(site: Site) -> Findings:
    for one in site.links("license"):
        if listed := spdx_uri(one.link.href):
            yield Finding(one.visit, f"{one.words} has the SPDX URI {listed}.")


@CHECKS.add("item.type", "§2.1.1", "Every item link has a type.")
def _item_type(site: Site) -> Findings:
    yield from _without_type(site, "item")
