"""One fault for every check of typed links: the right site with this one thing wrong."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from gateway.core.typed_links import Link
from tests.validate.signposting.site import (
    AS_JSON,
    AS_TEXT,
    BIBTEX,
    CATALOG,
    CC_BY,
    CSV,
    DC,
    NOTE,
    OAI_DC,
    ORCID,
    OTHER,
    PAGE,
    PDF,
    PID,
    Site,
)

LONELY = "/files/lonely.pdf"
ARTICLE = "https://schema.org/ScholarlyArticle"


class Fault(NamedTuple):
    """A fault: the check that finds it, and what makes a site wrong."""

    check: str
    spoil: Callable[[Site], object]
    path: str = PAGE  # what is given


def _link(check: str, edit: Callable[[Link, str], Link | None]) -> Fault:
    """Return the fault of links that are edited or removed in the page header and both link sets."""
    return Fault(check, lambda site: site.everywhere(lambda link: edit(link, site.base)))


def _without(check: str, rel: str) -> Fault:
    return _link(check, lambda link, _: None if link.rel == rel else link)


def _changed(check: str, rel: str, ending: str, **changes: str) -> Fault:
    """Return the fault of links whose target ends so, with other values."""
    return _link(
        check,
        lambda link, _: link._replace(**changes) if (link.rel, link.href.endswith(ending)) == (rel, True) else link,
    )


def _added(check: str, made: Callable[[str], Link]) -> Fault:
    """Return the fault of one more link in the page header and both link sets."""
    return Fault(check, lambda site: site.rewrite(lambda links: [*links, made(site.base)]))


def _header(check: str, old: str, new: str, path: str = PAGE) -> Fault:
    """Return the fault of another text in a header; `{base}` is the address of the site."""

    def spoil(site: Site) -> None:
        site.in_header(old.replace("{base}", site.base), new.replace("{base}", site.base), path)

    return Fault(check, spoil)


def _resource(check: str, path: str, **changes: object) -> Fault:
    return Fault(check, lambda site: site.change(path, **changes))


def _in_targets(document: dict, attributes: dict[str, object]) -> None:
    """Give the target that is a table other attributes."""
    for target in document["linkset"][0]["item"]:
        if target["href"].endswith(CSV):
            target.update(attributes)


def _shared(site: Site, path: str, rel: str) -> None:
    """Let a resource lead to a second page, which knows nothing of it."""
    site.change(path, link=f'{site[path].link}, <{site.base}{OTHER}>; rel="{rel}"')


def _document(check: str, edit: Callable[[dict], object], path: str = AS_JSON) -> Fault:
    return Fault(check, lambda site: site.in_json(path, edit))


def _padded(check: str, size: int) -> Fault:
    return _header(check, f'<{CC_BY}>; rel="license"', f'<{CC_BY}>; rel="license"; title="{"x" * size}"')


def _of_page(document: dict) -> dict:
    return next(context for context in document["linkset"] if context["anchor"].endswith(PAGE))


def _divided(document: dict) -> None:
    context = _of_page(document)
    document["linkset"].append({"anchor": context["anchor"], "author": context.pop("author")})


def _drop_in_text(site: Site) -> None:
    """Remove the third file, which no header has, from the items of the text."""
    page, note = site.base + PAGE, site.base + NOTE
    site.in_body(AS_TEXT, f'<{note}>; rel="item"; anchor="{page}"; type="text/plain",\n', "")


def _other_page(site: Site) -> None:
    page, other = f'"{site.base}{PAGE}"', f'"{site.base}{OTHER}"'
    site.in_body(AS_TEXT, f"anchor={page}", f"anchor={other}")
    site.in_json(AS_JSON, lambda document: _of_page(document).update(anchor=json.loads(other)))


def _no_anchor(site: Site) -> None:
    site.in_body(AS_TEXT, f'rel="license"; anchor="{site.base}{PAGE}"', 'rel="license"')


def _relative(site: Site) -> None:
    site.in_body(AS_TEXT, f"<{site.base}{PDF}>", f"<{PDF}>")


def _one_address(site: Site) -> None:
    """Let both metadata formats have one address, with negotiation."""
    site.everywhere(lambda link: link._replace(href=site.base + BIBTEX) if link.href == site.base + DC else link)
    site.change(BIBTEX, by_accept={"application/xml": "application/xml"})


def _lonely(site: Site) -> None:
    """Add a file that says that it belongs to the page, which does not know it."""
    site[LONELY] = replace(site[PDF], link=site[PDF].link.replace(PDF, LONELY))


def _print(site: Site) -> None:
    """Call a PDF metadata."""
    site.everywhere(lambda link: link._replace(type="application/pdf") if link.href == site.base + BIBTEX else link)
    site.change(BIBTEX, content_type="application/pdf")


def _without_back(rel: str, path: str) -> Callable[[Site], object]:
    return lambda site: site.everywhere(
        lambda link: None if (link.rel, link.anchor) == (rel, site.base + path) else link, page=False
    )


def _repeating(site: Site) -> None:
    site.change(PDF, link=f'{site[PDF].link}, <{CC_BY}>; rel="license"')


def _more_by_get(site: Site) -> None:
    link = site[DC].link
    site.change(DC, link=f'{link}, <{CC_BY}>; rel="license"', head_link=link)


_MORE = f'<{CC_BY}>; rel="license", <https://e.org/x>; '
_LICENSE = f'<{CC_BY}>; rel="license"'

FAULTS: tuple[Fault, ...] = (
    _resource("page.works", PAGE, status=404),
    _resource("page.head", PAGE, head_status=405, head_link=""),
    _resource("page.head-links", PAGE, head_link=""),
    _resource("page.charset", PAGE, content_type="text/html"),
    _resource("page.not-acceptable", PAGE, refuses=False),
    _without("cite-as.one", "cite-as"),
    _header("cite-as.uri", f"<{{base}}{PID}>", "<doi:10.5555/1>"),
    _link("cite-as.persistent", lambda link, base: link._replace(href=base + PAGE) if link.rel == "cite-as" else link),
    _resource("cite-as.resolves", PID, status=404),
    _without("describedby.one", "describedby"),
    _changed("describedby.type", "describedby", BIBTEX, type=""),
    _changed("describedby.profile", "describedby", DC, profile=""),
    Fault("describedby.address", _one_address),
    Fault("describedby.metadata", _print),
    _link("type.class", lambda link, _: None if link.href == ARTICLE else link),
    _link("type.about-page", lambda link, _: None if link.href.endswith("AboutPage") else link),
    _added("type.most", lambda base: Link(base + PAGE, "type", "https://schema.org/Thesis")),
    _header("type.uri", f"<{ARTICLE}>", "<ScholarlyArticle>"),
    _changed("type.https", "type", "ScholarlyArticle", href="http://schema.org/ScholarlyArticle"),
    _header("author.uri", f"<{ORCID}>", "<mailto:a@example.org>"),
    _changed("author.orcid", "author", ORCID, href=f"{ORCID[:-1]}8"),
    _added("license.one", lambda base: Link(base + PAGE, "license", "https://spdx.org/licenses/MIT")),
    _header("license.uri", f"<{CC_BY}>", "<CC-BY-4.0>"),
    _changed("license.spdx-uri", "license", CC_BY, href=f"{CC_BY}.html"),
    _changed("license.spdx", "license", CC_BY, href="https://creativecommons.org/licenses/by/4.0/"),
    _changed("item.type", "item", CSV, type=""),
    _resource("item.works", CSV, status=404),
    _resource("item.content-type", CSV, content_type="text/plain"),
    _header("item.collection", 'rel="collection"', 'rel="related"', PDF),
    _header("item.collection-page", f"<{{base}}{PAGE}>", f"<{{base}}{OTHER}>", PDF),
    Fault("item.collection-others", lambda site: _shared(site, PDF, "collection")),
    Fault("item.repeats", _repeating),
    _resource("metadata.works", DC, status=500),
    _resource("metadata.content-type", DC, content_type="text/html"),
    _header("metadata.describes", 'rel="describes"', 'rel="related"', BIBTEX),
    _header("metadata.describes-page", f"<{{base}}{PAGE}>", f"<{{base}}{OTHER}>", BIBTEX),
    Fault("metadata.describes-one", lambda site: _shared(site, BIBTEX, "describes")),
    Fault("metadata.head", _more_by_get),
    _header("resource.linkset", 'rel="linkset"', 'rel="related"', PDF),
    Fault("resource.named", _lonely, path=LONELY),
    _header("linkset.type", '; type="application/linkset+json", ', ", "),
    _resource("linkset.works", AS_JSON, status=404),
    _resource("linkset.content-type", AS_JSON, content_type="application/json"),
    _resource("linkset.head", AS_TEXT, head_status=405),
    _resource("linkset.charset", AS_TEXT, content_type="application/linkset; charset=iso-8859-1"),
    Fault("linkset.text", lambda site: site.in_body(AS_TEXT, f'{PAGE}",\n', f'{PAGE}" x,\n')),
    Fault("linkset.json", lambda site: site.change(AS_JSON, body=site[AS_JSON].body[:-4])),
    _document("linkset.structure", lambda document: _in_targets(document, {"type": ["text/csv"]})),
    _document("linkset.sole-member", lambda document: document.update(uniqueType=1)),
    _document("linkset.contexts", _divided),
    Fault("linkset.anchors", _no_anchor),
    Fault("linkset.absolute", _relative),
    Fault("linkset.same", _drop_in_text),
    Fault("linkset.page", _other_page),
    Fault(
        "linkset.complete",
        lambda site: site.everywhere(lambda link: None if link.rel == "author" else link, page=False),
    ),
    Fault("linkset.collection", _without_back("collection", CSV)),
    Fault("linkset.describes", _without_back("describes", DC)),
    _resource("catalog.works", CATALOG, status=404),
    _resource("catalog.content-type", CATALOG, content_type="application/json"),
    _resource("catalog.profile", CATALOG, content_type="application/linkset+json"),
    _resource("catalog.head", CATALOG, head_link=""),
    _header("catalog.link", '; profile="https://signposting.org/FAIRiCat/"', ""),
    _document("catalog.document", lambda document: document.update(more=1), CATALOG),
    Fault("catalog.relations", lambda site: site.in_body(CATALOG, "service-doc", "item")),
    Fault("catalog.types", lambda site: site.in_body(CATALOG, ',"type":"text/html"', "")),
    Fault("catalog.absolute", lambda site: site.in_body(CATALOG, f"{site.base}/oai", "/oai")),
    _header("header.syntax", _LICENSE, f"{_LICENSE} x y"),
    _header("header.nested-quotes", '"application/x-bibtex"', '"application/x-bibtex;charset="utf-8""'),
    _header("header.brackets", f"<{ORCID}>", f"<{ORCID}>>"),
    _header("header.type-parameters", '"application/x-bibtex"', '"application/x-bibtex; charset=utf-8"'),
    _header("header.folds", _LICENSE, f"{_LICENSE}\r\n "),
    _padded("header.large", 4_000),
    _padded("header.too-large", 9_000),
    _header("header.ascii", _LICENSE, f'{_LICENSE}; title="é"'),
    _header("header.relation", _LICENSE, f'{_MORE}title="x"'),
    _header("header.once", _LICENSE, f"{_LICENSE}; rel=author"),
    _header("header.encoded-title", _LICENSE, f"{_LICENSE}; title*=iso-8859-1'en'%E9"),
    _header("link.relation", _LICENSE, f'{_MORE}rel="describe-by"'),
    _header("link.uri", _LICENSE, f"{_LICENSE}, <https://e.org/a b>; rel=related"),
    _header("link.media-type", 'type="text/csv"', 'type="text/csv, text/csv"'),
    _header("link.profile", f'"{OAI_DC}"', '"oai_dc"'),
)
