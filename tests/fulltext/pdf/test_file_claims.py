"""What a file claims of itself: its licence, that it may not be passed on, reserved rights, a retraction."""

from __future__ import annotations

from gateway.model import Outcome
from harvester.fulltext.pdf.extraction import Extracted
from harvester.fulltext.pdf.file_claims import FileClaims, claims_of
from tests.rows import each_row

TITLE = "Meadows of the northern uplands in winter"
_BODY = "Snow lies on the meadows, and sheep wait for spring in the valleys below them.\n" * 40


def claims(front: str, second: str = "", end: str = "", title: str = TITLE) -> FileClaims:
    """Return the claims of a file with this text above the title, on the second page and at the end."""
    page = f"{front}\n{title}\nAbstract\n{_BODY}"
    return claims_of(Extracted(Outcome.SUCCESS, 3, f"{page}{second}", end, front=page), [title])


@each_row("front, retracted", [
    ("RETRACTED", 'The work is retracted: the file states "retracted".'),
    ("A page of the journal RETRACTED", 'The work is retracted: the file states "RETRACTED".'),
    ("This article was withdrawn.", 'The work is withdrawn: the file states "this article was withdrawn".'),
    ("Whether this article was withdrawn. This paper is retracted.", "this paper is retracted"),
])  # fmt: skip
def test_a_file_states_a_retraction(front: str, retracted: str) -> None:
    stated = claims(front).retracted
    assert stated == retracted or (retracted and retracted in stated)


def test_a_label_on_the_second_page_counts_behind_a_cover_and_a_mark_of_retraction_always() -> None:
    """`Withdrawn` may be a box of a figure."""
    assert claims("", "\nWithdrawn").retracted == ""
    assert claims("", "\nRetracted article").retracted != ""
    cover = Extracted(Outcome.SUCCESS, 3, f"A repository\nWithdrawn\n{TITLE}", "", front="A repository\n")
    assert claims_of(cover, [TITLE]).retracted == 'The work is withdrawn: the file states "withdrawn".'


@each_row("front, end, restriction", [
    ("Do not distribute", "", 'The file says "do not distribute".'),
    ("", "This copy is for personal use only.", 'The file says "this copy is for personal use only.".'),
    (
        'The copy is not to be "used for any purpose other than private study, scholarship, or research".', "",
        'The file says "not to be "used for any purpose other than private study".',
    ),
    ("Data are confidential.", "", ""),
])  # fmt: skip
def test_a_file_forbids_to_pass_it_on(front: str, end: str, restriction: str) -> None:
    assert claims(front, end=end).restriction == restriction


@each_row("front, stated, doubt", [
    ("This article is licensed under CC BY 4.0.", "cc-by", ""),
    ("This article is licensed under CC BY-NC 4.0.", "cc-by", "its text states cc-by-nc."),
    ("All rights reserved.", "cc-by", 'Its text says "all rights reserved".'),
    ("All rights reserved.", "publisher-specific", ""),
    ("Reuse restricted to noncommercial and no derivative uses.", "cc-by", 'restricted to noncommercial".'),
    ("For non-commercial purposes only.", "cc-by-nc", ""),
    ("The market of non-commercial forests.", "cc-by", ""),
    ("The corpus of Smith is under CC BY-NC 4.0.", "cc-by", ""),
    ("", "cc-by", ""),
])  # fmt: skip
def test_a_licence_counts_unless_the_file_contradicts_it(front: str, stated: str, doubt: str) -> None:
    why = claims(front).doubt(stated)
    assert why.endswith(doubt)
    assert bool(why) is bool(doubt)
