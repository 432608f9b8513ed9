"""Checks of the landing page and of the links from it: at level 1, or at both levels."""

import re
from collections import Counter

from gateway.core.typed_links import spdx_uri
from harvester.http.urls import host_of
from harvester.validate.check import Checks, Finding, Findings, Undecided, Wrong
from harvester.validate.signposting.declared import Declared, charset_in, is_http, normal_form, of_header, of_visits
from harvester.validate.signposting.site import HTML, RULES, Site
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
CHECKS = Checks[Site](RULES)
_page = CHECKS.each(lambda site: ((site.page, site.page),))
_cited, _described, _typed, _author, _licence, _item = (
    CHECKS.each(lambda site, rel=rel: of_visits(site.links(rel)))  # type: ignore[misc]  # the default binds it
    for rel in ("cite-as", "describedby", "type", "author", "license", "item")
)


def _no_http(one: Declared) -> Wrong:
    return not is_http(one.href) and f"{one.words} is no absolute http or https URI."


def _without_type(one: Declared) -> Wrong:
    return not one.link.type and f"{one.words} has no type."


# --- the page itself ----------------------------------------------------------------------------------------------


CHECKS.each(lambda site: ((site.asked, site.asked),))("page.works")(
    lambda visit: not visit.is_success and "The landing page gives no answer of success."
)


CHECKS.each(lambda site: ((site.head, site.head, site.page),))("page.head")(
    lambda head, page: (
        (head.status, head.media_type) != (page.status, page.media_type)
        and f"GET brings HTTP {page.status}, {page.header('Content-Type')}."
    )
)


@CHECKS.add("page.head-links")
def _head_links(site: Site) -> Findings:
    if site.head.is_success and (sentence := other_links(site.page, site.head)):
        yield Finding(site.head, sentence)


def other_links(one: Visit, head: Visit) -> str:
    """Return a sentence if the answers to GET and HEAD have other links in their headers, else an empty string."""
    links = [{declared.link for declared in of_header(visit)} for visit in (one, head)]
    other = min((link.href for link in links[0] ^ links[1]), default="")
    return other and f"HEAD has other links than GET, such as <{other}>."


_page("page.charset")(
    lambda page: (
        page.media_type == "text/html"
        and not (page.charset or charset_in(page))
        and "Neither Content-Type nor the page states a charset."
    )
)


@CHECKS.add("page.not-acceptable")
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


@CHECKS.add("cite-as.one")
def _one_cite_as(site: Site) -> Findings:
    if not site.level1("cite-as"):
        yield Finding(site.page, "The page has no cite-as link.")
    targets = {normal_form(one.link.href): one.link.href for one in site.links("cite-as") if is_http(one.href)}
    if len(targets) > 1:
        yield Finding(site.page, f"The page has {len(targets)} cite-as links: {', '.join(targets.values())}.")


_cited("cite-as.uri")(_no_http)


@CHECKS.add("cite-as.persistent")
def _cite_as_persistent(site: Site) -> Findings:
    one = _cite_as(site)
    if site.is_page(one.link.href):
        yield Finding(one.visit, f"{one.words} is the address of the page itself, and no persistent identifier.")


@CHECKS.add("cite-as.resolves")
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


CHECKS.each(lambda site: ((site.page, site),))("describedby.one")(
    lambda site: not site.level1("describedby") and "The page has no describedby link."
)


_described("describedby.type")(_without_type)


@_described("describedby.profile")
def _profile(one: Declared) -> Wrong:
    stated = one.link.type
    is_wrong = stated.partition(";")[0].strip() in _GENERIC and "profile=" not in stated and not one.link.profile
    return is_wrong and f"{one.words} has the type {stated}, which many formats have, and no profile."


@CHECKS.add("describedby.address")
def _described_twice(site: Site) -> Findings:
    counts = Counter(one.link.href for one in site.links("describedby"))
    for one in site.links("describedby"):
        if counts.pop(one.link.href, 0) > 1:
            yield Finding(one.visit, f"{one.words} is the same for several types: only negotiation tells them apart.")


_described("describedby.metadata")(
    lambda one: (
        one.link.type.partition(";")[0] in _CONTENT
        and f"{one.words} has the type {one.link.type}: that is content, and no metadata."
    )
)


# --- type, author, license ----------------------------------------------------------------------------------------


@CHECKS.add("type.class")
def _class(site: Site) -> Findings:
    if not [one for one in site.level1("type") if one.link.href not in _ABOUT_PAGE]:
        yield Finding(site.page, "No type link says what the object is.")


@CHECKS.add("type.about-page")
def _about_page(site: Site) -> Findings:
    items = [one for one in site.links("item") if not site.is_page(one.link.href)]
    if items and not [one for one in site.level1("type") if one.link.href in _ABOUT_PAGE]:
        yield Finding(site.page, "The page has items, and no type link to https://schema.org/AboutPage.")


@CHECKS.add("type.most")
def _most_types(site: Site) -> Findings:
    types = dict.fromkeys(one.link.href for one in site.level1("type"))
    if len(types) > _MOST_TYPES:
        yield Finding(site.page, f"The page has {len(types)} type links: {', '.join(types)}.")


_typed("type.uri")(
    lambda one: (
        not is_http(one.href)
        and not one.href.startswith(("info:", "urn:"))
        and f"{one.words} is no absolute URI of a class."
    )
)
_typed("type.https")(
    lambda one: (
        host_of(one.link.href) == "schema.org"
        and not one.link.href.startswith("https:")
        and f"{one.words} is written with https in the profile."
    )
)


@_author("author.uri")
def _author_uri(one: Declared) -> Wrong:
    words = "an ORCID without https://orcid.org/" if _BARE_ORCID.fullmatch(one.href) else "no absolute URI"
    return not is_http(one.href) and f"{one.words} is {words}."


@_author("author.orcid")
def _orcid(one: Declared) -> Wrong:
    match = _ORCID.fullmatch(one.link.href)
    is_wrong = match is None or not _is_right(match[1])
    is_orcid = host_of(one.link.href).removeprefix("www.") == "orcid.org"
    return is_orcid and is_wrong and f"{one.words} is no ORCID as https://orcid.org/ writes it."


def _is_right(orcid: str) -> bool:
    """Return whether the last character of an ORCID is right (ISO 7064, 11-2)."""
    digits = orcid.replace("-", "")
    total = 0
    for digit in digits[:-1]:
        total = (total + int(digit)) * 2
    return (total + (10 if digits[-1] == "X" else int(digits[-1]))) % 11 == 1


@CHECKS.add("license.one")
def _one_license(site: Site) -> Findings:
    targets = dict.fromkeys(one.link.href for one in site.links("license") if is_http(one.href))
    if len(targets) > 1:
        yield Finding(site.page, f"The page has {len(targets)} license links: {', '.join(targets)}.")


_licence("license.uri")(_no_http)
_licence("license.spdx-uri")(
    lambda one: _SPDX_PAGE.fullmatch(one.link.href) and f"{one.words} is the page of the licence. Its URI has no .html."
)
_licence("license.spdx")(lambda one: (listed := spdx_uri(one.link.href)) and f"{one.words} has the SPDX URI {listed}.")
_item("item.type")(_without_type)
