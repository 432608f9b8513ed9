"""What a page claims of the copy of its work, in words and in its metadata; other parts of the page claim nothing."""

import json

from harvester.fulltext.pages import landing_page
from harvester.fulltext.pages.page_license import Terms
from tests.rows import each_row

TITLE = "Meadows in winter"
BY = "https://creativecommons.org/licenses/by/4.0/"
HEAD_LINK = f'<link rel="license" href="{BY}">'


def terms(markup: str) -> Terms:
    """Return the terms of a page with this markup and a link to a file."""
    page = f'<title>{TITLE}</title>{markup}<a href="/a.pdf">PDF</a>'
    return landing_page.read(page.encode(), "https://repository.example.org/1").terms


LATER = "Embargoed until 1 May 2027"
A, B = '<a href="/a.pdf">Accepted PDF</a>', '<a href="/b.pdf">Preprint PDF</a>'
MET = '<meta name="citation_pdf_url" content="{}">'


def days_of(markup: str) -> dict[str, str]:
    """Return the day of each file of a page with this markup, by its name."""
    page = f"<title>{TITLE}</title><main>{markup}</main>"
    read = landing_page.read(page.encode(), "https://repository.example.org/1")
    return {copy.url.rpartition("/")[2]: copy.open_from for copy in read.copies}


@each_row("markup", [
    f"<table><tr><td>{A}</td><td>{LATER}</td></tr><tr><td>{B}</td><td>Open access</td></tr></table>",
    f"<ul><li>{A} {LATER}</li><li>{B}</li></ul>",
    f"<div><a href='/a.pdf'><img></a><p>{LATER}<br>{A}</p></div><div><a href='/b.pdf'><img></a><p>{B}</p></div>",
    f"<div><div>{A} <span>{LATER}</span></div><div>{B} <span>Open</span></div></div>{MET.format('/b.pdf')}",
])  # fmt: skip
def test_an_embargo_in_the_row_of_a_file_is_that_of_this_file(markup: str) -> None:
    """The page was left alone until that day, and the preprint beside it was missed."""
    assert days_of(markup) == {"a.pdf": "2027-05-01", "b.pdf": ""}


@each_row("markup", [
    f"<p>{LATER}</p><ul><li>{A}</li><li>{B}</li></ul>", f"<ul><li>{A} {LATER}</li></ul><p>{B}</p>",
    f"<ul><li>{A} {LATER}</li></ul>{MET.format('/b.pdf')}",  # perhaps the same file at another address
])  # fmt: skip
def test_an_embargo_in_any_other_place_is_that_of_all_files(markup: str) -> None:
    assert set(days_of(markup).values()) == {"2027-05-01"}


def test_a_restriction_in_the_row_of_a_file_takes_the_licence_from_this_file_only() -> None:
    rows = f"<ul><li>{A} <p>Restricted to registered users only</p></li><li>{B}</li></ul>"
    page = f"<title>{TITLE}</title>{HEAD_LINK}{rows}"
    read = landing_page.read(page.encode(), "https://repository.example.org/1")
    assert {copy.url[-5:]: (copy.license, bool(copy.restriction)) for copy in read.copies} == {
        "a.pdf": ("", True),
        "b.pdf": ("cc-by", False),
    }
    assert (read.terms.license, read.terms.restriction) == ("cc-by", "")


def test_a_file_without_a_link_has_the_strictest_terms_of_a_page() -> None:
    """A typed link may name a file by another address than the list of files."""
    rows = f"<ul><li>{A} {LATER}</li><li>{B}</li></ul>"
    read = landing_page.read(f"<title>{TITLE}</title>{rows}".encode(), "https://repository.example.org/1")
    addresses = ("a.pdf", "b.pdf", "c.pdf")
    days = [read.page_terms.of(f"https://repository.example.org/{name}").open_from for name in addresses]
    assert days == ["2027-05-01", "", "2027-05-01"]


HOME = "https://repository.example.org"
CC_BY = '<a rel="license" href="https://creativecommons.org/licenses/by/4.0/">CC BY</a>'


def linked(before: str, after: str = "", url: str = "https://creativecommons.org/licenses/by/4.0/") -> str:
    return f'<p>{before} <a rel="license" href="{url}">a licence</a> {after}</p>'


def plain(before: str, text: str) -> str:
    """Return a link to a licence that is not marked as one."""
    return f'<div>{before} <a href="{CC_BY_URL}">{text}</a></div>'


def ld(document: object) -> str:
    return f'<script type="application/ld+json">{json.dumps(document)}</script>'


BY_NC = "https://creativecommons.org/licenses/by-nc/4.0/"
HEAD = '<meta name="DC.rights" content="{}">'
CC_BY_URL = "https://creativecommons.org/licenses/by/4.0/"
TITLED = '<meta name="citation_title" content="Meadows in winter">'
OF_DOI = '<meta name="citation_doi" content="10.5555/bees">'
ARTICLE = {"@type": "ScholarlyArticle", "license": CC_BY_URL}
SITE = {"@type": "WebSite", "license": CC_BY_URL}


@each_row("markup, license_", [
    (linked("The metadata and text of this website are under"), ""),
    (linked("All content on this site is licensed under"), ""),
    (linked("This work is licensed under"), "cc-by"),
    ("<p>This is an open-access article distributed under the terms of the Creative Commons Attribution License.</p>",
     "cc-by"),
    ("<p>All content on this site is licensed under a Creative Commons Attribution 4.0 license.</p>", ""),
    ("<figure><p>This work is licensed under CC BY-NC 4.0</p></figure>", ""),
    ("<blockquote><p>This paper is licensed under a Creative Commons Attribution License.</p></blockquote>", "cc-by"),
    (plain("This work is distributed under", "these terms"), "cc-by"),
    (plain("Photo by A. Smith,", "CC BY"), ""), (plain("All content of this site is under", "CC BY"), ""),
    (f"<ul><li>{plain('This article is licensed under', 'CC BY')}</li></ul>", ""),
    (f'<div class="footer"><main>PDF <p><a class="has_license" href="{CC_BY_URL}"><img></a></main></div>', "cc-by"),
    (linked("Except where otherwise noted, this item's license is described as"), "cc-by"),
    (linked("This article, as all of this website, is under"), "cc-by"),
    (f'<div><a rel="license" href="{CC_BY_URL}"><img></a></div>', "cc-by"),
    (f"<footer><p>The content of this site: {CC_BY}</p></footer>", ""),
    (f"<figure><figcaption>Photo: {CC_BY}</figcaption></figure>", ""), (f'<div class="related">{CC_BY}</div>', ""),
    (HEAD.format("Metadata: CC0") + HEAD.format("All rights reserved"), ""),
    (f'<div class="item copyright">{CC_BY}</div>', "cc-by"),
    (f"<ul><li>One {CC_BY}</li><li>Two {CC_BY}</li></ul>", ""),
    (f"<ul><li>Volume 2</li><li>{CC_BY}</li></ul>", "cc-by"),
    (linked("This work:") + linked("This work:", url=BY_NC), ""), (linked("This work:") + HEAD.format(BY_NC), ""),
    (linked("This work:") + HEAD.format("info:eu-repo/semantics/openAccess"), "cc-by"),
    (linked("This work:") + HEAD.format("info:eu-repo/semantics/restrictedAccess"), ""),
    (HEAD.format("info:eu-repo/semantics/openAccess"), "other-oa"), (ld(ARTICLE), "cc-by"),
    (ld([{"@graph": [SITE, {**ARTICLE, "license": {"url": CC_BY_URL}}]}]), "cc-by"), (ld(SITE), ""),
    ('<script type="application/ld+json">{</script>', ""),
    (TITLED + ld({**ARTICLE, "headline": "Bees: their work"}), ""),
    (TITLED + ld({**ARTICLE, "headline": "MEADOWS in Winter"}), "cc-by"),
    (f"<title>R | Bees in winter</title>{ld({**ARTICLE, 'name': 'Bees in winter'})}", "cc-by"),
    (f"<h1>Meadows in winter</h1>{ld({**ARTICLE, 'name': 'Bees in winter'})}", ""),
    (OF_DOI + ld({**ARTICLE, "name": "A", "@id": "https://doi.org/10.5555/Bees"}), "cc-by"),
    (OF_DOI + ld({**ARTICLE, "name": "A", "sameAs": "https://doi.org/10.5555/b"}), ""),
    (HEAD.format("The content of this website is licensed under CC BY 4.0"), ""),
    (HEAD.format("Abstract: CC BY 4.0; full text: all rights reserved"), ""),
    (linked("Comments by readers are licensed under"), ""),
    (linked("This article and its figures are licensed under"), "cc-by"),
    (f"<p>{'<b>x</b>' * 300}{CC_BY} for this website</p>", "cc-by"), (f"{'<div>' * 5}{CC_BY}{'</div>' * 5}", "cc-by"),
])  # fmt: skip
def test_only_what_is_said_of_the_work_is_its_licence(markup: str, license_: str) -> None:
    page = landing_page.read(f'{markup}<a href="/a.pdf">PDF</a>'.encode(), f"{HOME}/page/1")
    assert (page.license, [copy.license for copy in page.copies]) == (license_, [license_])


def test_no_page_of_a_host_that_is_distrusted_states_a_licence() -> None:
    markup = f'{CC_BY}<a href="/a.pdf">PDF</a>'.encode()
    assert landing_page.read(markup, "https://www.scientific.net/AMR.1").license == ""
    assert landing_page.read(markup, "https://example.net/AMR.1").license == "cc-by"
