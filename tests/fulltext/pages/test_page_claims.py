"""What a page claims of the copy of its work, in words and in its metadata; other parts of the page claim nothing."""

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
