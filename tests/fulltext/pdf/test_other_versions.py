"""A conference version with the title of a later article is another version of it: a person decides."""

from __future__ import annotations

from gateway.model import Outcome
from harvester.fulltext.pdf.document import Document, Facts
from harvester.fulltext.pdf.extraction import Extracted
from harvester.fulltext.pdf.other_versions import doubt_about
from harvester.fulltext.pdf.work_names import Named
from tests.rows import each_row

TITLE = "Drainage of peat meadows in the northern lowlands"
RECORD = Named((("doi", "10.5555/fens.7"),), (TITLE,), ("Turf, Ada",), ("2019",), ("Annals of Wet Land",))
TEXT = "\n".join(f"The water table of plot {number} was measured, and it fell in summer." for number in range(30))


def doubt(*lines: str, foot: str = "", named: Named = RECORD) -> str:
    """Return the doubt about a document with these lines above its title, and this one at its foot."""
    front = "\n".join((*lines, TITLE, "Ada Turf", "Abstract", TEXT, foot))
    return doubt_about(Document(Extracted(Outcome.SUCCESS, 6, front, "", "pdfium", front), Facts((TITLE,))), named)


CONFERENCES = [
    "Proceedings of the 4th Conference on Fens, Lund, 2015", "In: Workshop on Bogs (2016), pp. 11-18",
    "ISBN 978-3-12345-11-2 © 2015", "978-1-4503-1234-5 © 2017 ACM. doi: 10.1145/1234.5678",
    "Tagungsband der Moortagung 2014",
]  # fmt: skip


@each_row("line", CONFERENCES)
def test_a_conference_of_another_year_is_another_version(line: str) -> None:
    assert doubt(line) == doubt(foot=line) == f"Its first page names another year and a conference: “{line.lower()}”."


@each_row("line", CONFERENCES)
@each_row(
    "own, named",
    [
        ("Annals of Wet Land", RECORD),  # the journal of the record
        ("https://doi.org/10.5555/fens.7", RECORD),  # its DOI
        ("© 2018 The Authors", RECORD),  # about its year
        ("", RECORD._replace(years=())),  # no year is known
        ("", RECORD._replace(years=("2015", "2016", "2019"))),  # one of its years
    ],
)
def test_a_page_with_the_year_or_a_name_of_the_work_is_of_this_version(line: str, own: str, named: Named) -> None:
    assert doubt(line, own, named=named) == ""


@each_row("line", ["arXiv:1504.01234v2 [physics.geo-ph] 3 Apr 2015", "Draft of 2015", "Conference on Fens"])
def test_a_preprint_of_an_earlier_year_is_the_work(line: str) -> None:
    assert doubt(line) == ""
