"""Who an author is: an ORCID iD in any spelling counts, and what is none never makes one person of two."""

from gateway.core.bibliography.people import agent_of
from gateway.core.model import Statement, Work
from gateway.pages.reference import reference_of
from tests.rows import each_row

ONE, OTHER = "0000-0002-1825-0097", "0000-0001-5109-3700"


@each_row(
    "text",
    [
        f"Doe, Jane ({ONE})", f"Doe, Jane [{ONE}]", f"Doe, Jane; {ONE}", f"{ONE} Doe, Jane",
        f"Doe, Jane (ORCID: {ONE})", f"Doe, Jane (ORCID iD: {ONE})", f"Doe, Jane [ORCID]: {ONE}",
        f"Doe, Jane (orcid_id={ONE})", f"Doe, Jane (ORCID: https://orcid.org/{ONE})",
        f"Doe, Jane (http://www.orcid.org/{ONE})", f"Doe, Jane https://orcid.org/{ONE}/",
        "Doe, Jane (0000\u20110002\u20111825\u20110097)", "Doe, Jane (0000\u20130002\u20131825\u20130097)",
        "Doe, Jane (https://orcid.org/0000000218250097)", "Doe, Jane (ORCID 0000000218250097)",
    ],
)  # fmt: skip
def test_orcid_in_any_spelling_is_that_of_the_author(text: str) -> None:
    author = agent_of(text)
    assert (author.family_first, author.orcid) == ("Doe, Jane", f"https://orcid.org/{ONE}")


def test_check_digit_of_an_orcid_may_be_an_x() -> None:
    assert agent_of("Doe, Jane (0000-0002-1694-233x)").orcid == "https://orcid.org/0000-0002-1694-233X"


@each_row(
    "number",
    [
        "0000-0002-1825-0098",  # the check digit is wrong
        "0000-0000-0000-0001",  # the check digit is right, and nobody has it
        "0000-0002-1825-009X",
    ],
)
def test_number_that_is_no_orcid_joins_nobody(number: str) -> None:
    author = agent_of(f"Doe, Jane (https://orcid.org/{number})")
    assert (author.family_first, author.orcid) == ("Doe, Jane", "")


@each_row(
    "text",
    [
        "Doe 10000-0002-1825-0097",
        "Doe 0000-0002-1825-0097-1",
        "Doe \u0660\u0660\u0660\u0660-\u0660\u0660\u0660\u0662-\u0661\u0668\u0662\u0665-\u0660\u0660\u0669\u0667",
        "Doe 0000000218250097",
    ],
)
def test_part_of_another_number_is_no_orcid(text: str) -> None:
    assert agent_of(text).orcid == ""
    assert agent_of(text).name == text


def _orcids(*texts: str) -> list[tuple[str, str]]:
    work = Work(tuple(Statement("creator", text) for text in texts))
    return [(author.name, author.orcid.removeprefix("https://orcid.org/")) for author in reference_of(work).authors]


def test_orcid_in_a_statement_of_its_own_belongs_to_the_author_before() -> None:
    assert _orcids("Doe, J.", ONE, "Roe, R.", f"https://orcid.org/{OTHER}") == [("Doe, J.", ONE), ("Roe, R.", OTHER)]
    assert _orcids("Doe, Jane", "Roe, R.", OTHER) == [("Doe, Jane", ""), ("Roe, R.", OTHER)]


def test_orcids_that_follow_all_names_belong_to_nobody() -> None:
    """Which is whose is not stated: the first would become that of the last author."""
    assert _orcids("Doe, Jane", "Roe, R.", ONE, OTHER) == [("Doe, Jane", ""), ("Roe, R.", "")]


def test_orcid_without_any_name_is_an_author_too() -> None:
    assert _orcids(ONE, "Roe, R.") == [(f"https://orcid.org/{ONE}", ONE), ("Roe, R.", "")]
    assert _orcids(f"Doe, Jane ({ONE})", OTHER) == [("Doe, Jane", ONE), (f"https://orcid.org/{OTHER}", OTHER)]
    assert _orcids("0000-0000-0000-0000") == []
