"""A place in a journal is read from a dc:source only if it has the form of one; anything else is no journal."""

from gateway.core.bibliography.hosts import host_of
from gateway.core.model import Statement, Work
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
        ("Reefs; N\u00fam. 14 (2021); 3-9", ("Reefs", "", "14", "3", "9")),
        ("Reefs; \u0422\u043e\u043c 12 \u2116 1 (2020); 5-6", ("Reefs", "12", "1", "5", "6")),
        ("Reefs; Vol. 12 N\u00b0 1 (2021): Special; 3-14", ("Reefs", "12", "1", "3", "14")),
        ("Reefs; ##issue.vol## 2 ##issue.no## 3 (2019); 7", ("Reefs", "2", "3", "7", "")),
        ("Reefs; Bd. 4 (2011): A: B; 1-2", ("Reefs", "4", "", "1", "2")),
        ("Reefs; 2019: Special issue (2019); e12", ("Reefs", "", "", "e12", "")),
        ("BMJ 2010;340:c332", ("BMJ", "340", "", "c332", "")),
    ],
)
def test_a_place_has_the_parts_that_it_states(text, parts):
    host = host_of(text)
    assert host is not None
    assert (host[:5], host.text) == (parts, text)


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
        (("ISSN: 1748-0221",), "article", "", "", "1748-0221"),
        (("ISSN: 1234-567X",), "article", "", "", ""),
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


@each_row(
    "text",
    [
        "Bd. 12 Nr. 1", "Vol. 12 n\u00b0 1", "v. 12 n. 1", "Vol. 12 N.\u00ba 1",
        "\u0422\u043e\u043c 12 \u2116 1", "Cilt 12 Say\u0131 1", "Ro\u010d. 12 \u010c. 1",
        "12. \u00e9vf. 1. sz\u00e1m", "\u5377 12 \u671f 1", "\u5dfb 12 \u53f7 1", "\uad8c 12 \ud638 1",
        "\u0645\u062c\u0644\u062f 12 \u0639\u062f\u062f 1",
        "God. 12 br. 1", "T\u1eadp 12 S\u1ed1 1", "##issue.vol## 12 ##issue.no## 1",
    ],
)  # fmt: skip
def test_volume_and_issue_are_read_in_every_language(text):
    host = host_of(f"Reefs; {text} (2021): A name; 3-14")
    assert host is not None
    assert host[:5] == ("Reefs", "12", "1", "3", "14")


@each_row("text", ["N\u00fam. 1", "\u2116 1", "S\u1ed1 1", "Say\u0131 1", "N.\u00ba 1"])
def test_a_number_that_is_called_an_issue_is_no_volume(text):
    host = host_of(f"Reefs; {text} (2021); 3-14")
    assert host is not None
    assert host[1:3] == ("", "1")
