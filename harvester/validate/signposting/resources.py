"""Checks of the content and the metadata that a landing page links to, by HEAD, and by GET for metadata."""

from collections.abc import Callable, Iterator

from harvester.validate.check import Checks, Finding, Findings, Rows, Undecided, Wrong
from harvester.validate.client import essence
from harvester.validate.signposting.declared import is_same, of_header
from harvester.validate.signposting.landing import other_links
from harvester.validate.signposting.site import HTML, RULES, Site, Target, accepted
from harvester.validate.signposting.syntax import MEDIA_TYPE

_BACK = {"item": "collection", "describedby": "describes"}
_MOST_LINKSETS = 2  # that a resource has for itself
_RESTRICTED = (401, 402, 403, 451)  # the resource is there, and not for everybody
CHECKS = Checks[Site](RULES)


def _targets(site: Site, rel: str) -> tuple[Target, ...]:
    targets = site.targets(rel)
    if not targets:
        raise Undecided(f"The page has no {rel} link.")
    return targets


def _own(site: Site, rel: str) -> list[Target]:
    targets = site.own(rel)
    if not targets:
        raise Undecided(f"No target of {rel} on the host of the page answered.")
    return targets


def _each_target(rel: str) -> Rows[Site, Target]:
    return CHECKS.each(lambda site: ((target.head, target) for target in _targets(site, rel)))


def _each_own(rel: str) -> Rows[Site, Target]:
    return CHECKS.each(lambda site: ((target.head, target) for target in _own(site, rel)))


def _failed(target: Target) -> Wrong:
    is_wrong = target.head.is_failure and target.head.status not in _RESTRICTED
    return is_wrong and f"{target.declared.words} brings {target.head.ended}."


def _other_type(target: Target) -> Wrong:
    stated, sent = essence(target.declared.link.type), target.head.media_type
    is_wrong = target.head.is_success and MEDIA_TYPE.fullmatch(stated) and stated != sent
    return bool(is_wrong) and f"{target.declared.words} has the type {stated}, and Content-Type is {sent}."


def _without(back: str) -> Callable[[Target], Wrong]:
    return lambda target: (
        back not in [one.link.rel for one in of_header(target.head)]
        and f"<{target.declared.href}> has no {back} link in its headers."
    )


def _back_wrong(rel: str) -> Callable[[Site], Findings]:
    back = _BACK[rel]

    def check(site: Site) -> Findings:
        for target in _own(site, rel):
            links = _back_links(target, back)
            if links and not any(map(site.is_page, (*links, *_in_own_linksets(site, target, back)))):
                yield Finding(target.head, f"{back} of <{target.declared.href}> leads to {', '.join(links)}.")

    return check


def _back_links(target: Target, back: str) -> tuple[str, ...]:
    """Return where the links of a relation in the headers of a resource lead."""
    return tuple(dict.fromkeys(one.link.href for one in of_header(target.head) if one.link.rel == back))


def _in_own_linksets(site: Site, target: Target, back: str) -> Iterator[str]:
    """Yield where the links of a relation lead in the first link sets that a resource names itself.

    A file of very many objects leads to all of them only there.
    """
    known = {one.declared.link.href for one in site.linksets}
    named = [one for one in of_header(target.head) if one.link.rel == "linkset" and one.link.href not in known]
    for declared in named[:_MOST_LINKSETS]:
        for one in site.linkset_at(declared).links:
            if one.link.rel == back and is_same(one.link.anchor, target.head.url):
                yield one.link.href


_each_target("item")("item.works")(_failed)
_each_target("item")("item.content-type")(_other_type)
_each_own("item")("item.collection")(_without("collection"))
CHECKS.add("item.collection-page")(_back_wrong("item"))


@CHECKS.add("item.collection-others")
def _items_of_others(site: Site) -> Findings:
    for target in _own(site, "item"):
        links_back = _back_links(target, "collection")
        others = [url for url in links_back if not site.is_page(url)]
        if len(others) == len(links_back):
            continue  # another check says so
        for url in others[: site.conversation.limits.links]:
            other = site.conversation.ask(url, method="HEAD", accept=HTML)
            links = [one.link for one in of_header(other)]
            has_more = any(link.rel == "linkset" for link in links)
            if not has_more and not any(link.rel == "item" and is_same(link.href, target.head.url) for link in links):
                yield Finding(
                    other, f"collection of <{target.declared.href}> also leads to {url}, which has no such item."
                )


@CHECKS.add("item.repeats")
def _repeats(site: Site) -> Findings:
    of_page = {(one.link.rel, one.link.href) for one in site.level1() if one.link.rel in ("cite-as", "license")}
    for target in _own(site, "item"):
        for one in of_header(target.head):
            if (one.link.rel, one.link.href) in of_page and not site.is_page(target.head.url):
                yield Finding(target.head, f"{one.link.rel} of <{target.declared.href}> is that of the whole object.")


_each_target("describedby")("metadata.works")(_failed)
_each_target("describedby")("metadata.content-type")(_other_type)
_each_own("describedby")("metadata.describes")(_without("describes"))
CHECKS.add("metadata.describes-page")(_back_wrong("describedby"))
_each_own("describedby")("metadata.describes-one")(
    lambda target: (
        len(links := _back_links(target, "describes")) > 1
        and f"describes of <{target.declared.href}> leads to {', '.join(links)}."
    )
)


@CHECKS.add("metadata.head")
def _metadata_head(site: Site) -> Findings:
    for target in _own(site, "describedby"):
        visit = site.conversation.ask(target.declared.link.href, accept=accepted(target.declared))
        if visit.is_success and (sentence := other_links(visit, target.head)):
            yield Finding(target.head, sentence)


@CHECKS.add("resource.linkset")
def _linkset(site: Site) -> Findings:
    known = {one.declared.link.href for one in site.linksets}
    for rel, back in _BACK.items():
        for target in site.own(rel):
            if known.intersection(_back_links(target, "linkset")):
                continue
            if not any(map(site.is_page, _in_own_linksets(site, target, back))):
                yield Finding(target.head, f"<{target.declared.href}> does not name the link set in its headers.")


@CHECKS.add("resource.named")
def _named(site: Site) -> Findings:
    if site.part is None:
        return
    known = [one.link.href for rel in _BACK for one in site.links(rel)]
    if not any(is_same(href, url) for href in known for url in (site.part.request.url, site.part.url)):
        yield Finding(site.part, f"Neither {site.address} nor its link sets have an item or describedby link to it.")
