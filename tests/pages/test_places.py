"""A place in a journal is read from a dc:source only if it has the form of one; anything else is no journal."""

from __future__ import annotations

from gateway.core.model import Statement, Work
from gateway.pages.places import place_of
from gateway.pages.reference import reference_of
from tests.rows import each_row


@each_row(
    "text, parts",
    [
        ("Journal of Reef Science, 12(3), 45-67", ("Journal of Reef Science", "12", "3", "45", "67")),
        ("Nature, vol. 12, no. 3, pp. 4-9, 2011", ("Nature", "12", "3", "4", "9")),
        ("Nature 171, 737\u2013738 (1953)", ("Nature", "171", "", "737", "738")),
        ("J. Chem. Phys. 123, 064507 (2005) (6 pages)", ("J. Chem. Phys.", "123", "", "064507", "")),
        ("Italian Botanist 8: 63-93", ("Italian Botanist", "8", "", "63", "93")),
        ("Reefs; Vol. 3 N\u00fam. 5 (2018); 170-178", ("Reefs", "3", "5", "170", "178")),
        ("Reefs 7, P01013 (2012). doi:10.5555/1748-0221/7/01/P01013", ("Reefs", "7", "", "P01013", "")),
        ("PLoS ONE 5(3): e9490", ("PLoS ONE", "5", "3", "e9490", "")),
        ("BMJ 2010;340:c332", ("BMJ", "340", "", "c332", "")),
    ],
)
def test_a_place_has_the_parts_that_it_states(text, parts):
    assert place_of(text) == (text, *parts)


@each_row("text",
    [
        "Map 3165", "Record Group 319", "Journal, June 18, 1909", "Family Papers, 1812-1946", "Box 13, Folder 9",
        "Photographs, fld. 5-4", '4.75" x 7" photograph', "Leather case. 4cm x 1.5cm x 1.5cm", "Papers 2012.012",
        "ISSN: 1782-3463", "9780306407536",
        "https://doi.org/10.5555/1 (2) 3-4", "a 1 " * 200,
    ],
)  # fmt: skip
def test_what_has_no_form_of_a_place_is_no_journal(text):
    reference = reference_of(Work((Statement("source", text), Statement("type", "image"))))
    assert (reference.place, reference.journal, reference.volume) == ("", "", "")


@each_row(
    "sources, kind, place, journal, issn",
    [
        (("1748-0221", "Journal of Reefs"), "article", "Journal of Reefs", "Journal of Reefs", "1748-0221"),
        (("ISSN: 1234-567X",), "article", "", "", "1234-567X"),
        (("1998-2001",), "article", "", "", ""),
        (("Reefs 2012, part 7",), "article", "Reefs 2012, part 7", "", ""),
        (("5th Workshop on Reefs, Abstracts",), "conferenceObject", *("5th Workshop on Reefs, Abstracts",) * 2, ""),
        (("Doctoral Dissertations",), "doctoralThesis", "", "", ""),
    ],
)
def test_only_what_is_in_a_journal_has_a_source_without_numbers_as_its_journal(sources, kind, place, journal, issn):
    statements = [Statement("source", text) for text in sources]
    reference = reference_of(Work((*statements, Statement("type", kind))))
    assert (reference.place, reference.journal, reference.issn) == (place, journal, issn)
