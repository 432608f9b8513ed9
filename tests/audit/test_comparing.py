"""What is held is found among what was published, and what their metadata disagree about is told, nothing else."""

import pytest

from harvester.audit.compare import differences
from harvester.audit.crossref import Deposited
from harvester.audit.crossref_list import scope_of
from harvester.audit.holdings import matched_works
from harvester.audit.ledger import Ledger
from harvester.audit.report import Entry, Journals, csv_lines, entries
from tests.audit.conftest import record
from tests.audit.crossref import ELECTRONIC, ISSN
from tests.rows import each_row

TITLE = "On the completeness of a collection of journals"
WORK = Deposited(
    "10.5555/a", TITLE, "Journal of Proofs", (ISSN, ELECTRONIC), ("2020-03", "2019-12-01"), "journal-article"
)
SCOPE = scope_of((ISSN,), (), (), "")


@pytest.fixture
def listed(ledger: Ledger) -> Ledger:
    """Return a ledger with one work, and one without journal and date."""
    ledger.begin({"asked_at": "1"}, [("", "")])
    window = ledger.next_window()
    assert window is not None
    ledger.receive(window, [WORK, Deposited("10.5555/b", "Book reviews", type="book")], 2, is_done=True)
    return ledger


@each_row(
    "held, expected",
    [
        (record(TITLE, doi="10.5555/A", date="2019-12-01", source=f"ISSN {ISSN}"), []),
        (record(TITLE + ": and what it lacks", doi="10.5555/a"), []),
        (record("Another thing altogether", doi="10.5555/a"), ["title"]),
        (record(TITLE, doi="10.5555/a", date="2021"), ["date"]),
        (record(TITLE, doi="10.5555/a", date="2020-03-31T12:00:00Z"), []),
        (record(TITLE, doi="10.5555/a", date="2020-04-01"), ["date"]),
        (record(TITLE, doi="10.5555/a", date="2019-12-02"), ["date"]),
        (record(TITLE, doi="10.5555/a", date="2018-2020"), []),
        (record(TITLE, doi="10.5555/a", source="ISSN 2049-3630"), ["issn"]),
        (record(TITLE), ["doi"]),
        (record(TITLE, doi="10.5555/other"), ["doi"]),
    ],
)
def test_what_disagrees_is_reported(held, expected):
    assert [difference.what for difference in differences(held, WORK)] == expected


@each_row("text", ["doi:10.55", "https://doi.org/5555", "10.5555"])
def test_a_doi_that_is_none_is_malformed(text):
    assert record(TITLE, doi=text).malformed == (text,)
    assert differences(record(TITLE, doi=text), None)[0].theirs == "malformed"


@each_row(
    "held, work",
    [
        (record("Another", doi="10.5555/a"), WORK.doi),
        (record(TITLE), WORK.doi),
        (record(TITLE, date="2019"), WORK.doi),
        (record(TITLE, date="1999", source=f"ISSN {ISSN}"), None),
        (record(TITLE, source=f"ISSN {ISSN}"), WORK.doi),
        (record("Of this journal", source=f"ISSN {ISSN}"), None),
    ],
)
def test_a_record_is_found_by_its_doi_or_its_title(listed, held, work):
    ((_, listed_work, _),) = matched_works(iter([held]), listed, SCOPE)
    assert (listed_work.doi if listed_work else None) == work


@each_row(
    "held",
    [
        record(TITLE, date="1999"),
        record(TITLE, source="ISSN 2049-3630"),
        record("Of another journal", source="ISSN 2049-3630"),
    ],
)
def test_what_belongs_to_something_else_is_left_alone(listed, held):
    assert list(matched_works(iter([held]), listed, SCOPE)) == []


def test_a_part_of_the_list_says_nothing_of_the_rest(listed):
    since = scope_of((ISSN,), (), (), "2024-01-01")
    assert list(matched_works(iter([record("Of this journal", source=f"ISSN {ISSN}")]), listed, since)) == []


# --- the report ---------------------------------------------------------------------------------------------------


@pytest.fixture
def reported(listed: Ledger) -> list[Entry]:
    """Return a report with one of everything."""
    held = [
        record(TITLE, doi="10.5555/a", has_file=False, upstream="oai:1"),
        record("=1+1", doi="10.5555/a", upstream="oai:2"),
        record("Of this journal", source=f"ISSN {ELECTRONIC}", date="2018"),
    ]
    scope = scope_of((ISSN, ELECTRONIC), (), (), "")
    listed.hold(matched_works(iter(held), listed, scope))
    listed.hold(matched_works(iter(held), listed, scope))  # an audit that goes on finds everything again
    return list(entries(listed.rows(), Journals(listed.journals())))


def test_each_work_and_record_stands_in_its_journal(reported):
    # its other ISSN tells that the record belongs to the journal
    journal = f"Journal of Proofs {ISSN}"
    assert [(str(entry.state), entry.journal, entry.row.year, entry.row.identifiers) for entry in reported] == [
        ("missing", "(book)", "", ()),
        ("with_file", journal, "2020", ("oai:1", "oai:2")),
        ("unknown", journal, "2018", ("oai:here:Of this journal",)),
    ]
    assert [entry.is_good for entry in reported] == [False, False, False]


@each_row("title", ["=HYPERLINK(1)", "Books;=HYPERLINK(1)", "\r=HYPERLINK(1)", "\uff1dHYPERLINK(1)"])
def test_no_cell_of_a_csv_report_is_a_formula(reported, title):
    """Also not where semicolons separate cells."""
    (entry, *_) = reported
    formula = entry._replace(row=entry.row._replace(title=title))
    line = list(csv_lines([formula]))[1]
    assert f"'{title[-13:]}" in line
    assert not set("\r\n") & set(line)


# --- the ledger ---------------------------------------------------------------------------------------------------


def test_what_breaks_off_leaves_nothing_behind(listed):
    def broken():
        yield record(TITLE, source=f"ISSN {ISSN}"), None, ()
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        listed.hold(broken())
    assert [row.doi for row in listed.rows()] == ["10.5555/b", "10.5555/a"]
