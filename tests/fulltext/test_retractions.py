"""What titles and services say of works that were retracted."""

from harvester.fulltext.retractions import UPDATES, by_title, label_in, statement_in, update_of
from tests.rows import each_row


@each_row("title, is_retracted", [
    ("RETRACTED ARTICLE: A study of hope", True), ("Retracted: A study of hope", True),
    ("[Retracted] A study of hope", True), ("Article Withdrawn: A study of hope", True),
    ("WITHDRAWN: A study of hope", True), ("A retracted article: what remains", False),
    ("Retracted canines: a case report", False), ("Retraction notice to: A study of hope", False),
    ("Removed tonsils", False), ("TEMPORARY REMOVAL: A study of hope", True),
    ("Removed article: A study of hope", True), ("Temporarily withdrawn: A study of hope", True),
    ("WITHDRAWN-A study of hope", True), ("Retracted and replaced: A study of hope", True),
    ("EXPRESSION OF CONCERN: A study of hope", True), ("[Expression of concern] A study of hope", True),
    ("Temporary removal of dentures: a trial", False), ("Removal: what we know", False),
    ("Withdrawn - not alone: a survey of adolescents", False), ("Expressions of concern: a survey of editors", False),
    ("", False),
])  # fmt: skip
def test_titles_that_begin_with_it_are_those_of_retracted_works(title: str, is_retracted: bool) -> None:
    assert bool(by_title(title, "Crossref")) is is_retracted


RETRACTING = ["Retraction", "partial-retraction", "WITHDRAWAL", "Temporary removal", "Expression of Concern"]
OTHERS = ["correction", "erratum", "new_version", ""]


@each_row("word", [*RETRACTING, *OTHERS])
def test_types_of_updates_that_retract_are_recognised_in_any_spelling(word: str) -> None:
    assert (update_of(word) in UPDATES) is (word in RETRACTING)


@each_row("line, update", [
    ("temporary removal", "removal"), ("article removed", "removal"), ("removal notice", "removal"),
    ("article status: removed", "removal"), ("partially retracted", "retraction"),
    ("statement of concern", "expression_of_concern"), ("removal", ""), ("removed", ""), ("removed from cart", ""),
    ("areas of concern", ""),
])  # fmt: skip
def test_labels_of_removals_and_concerns_are_recognised(line: str, update: str) -> None:
    assert label_in(line) == update


@each_row("text, update", [
    ("the publisher has temporarily removed this article.", "removal"),
    ("this article has been temporarily removed.", "removal"),
    ("this preprint has been removed from the server by its authors", "removal"),
    ("this paper has been removed: please see the policy on article withdrawal", "removal"),
    ("readers are alerted that concerns have been raised about the data in this article", "expression_of_concern"),
    ("this article has been removed from your cart", ""), ("the tumour was removed by the surgeon", ""),
    ("concerns have been raised about vaccines", ""),
])  # fmt: skip
def test_statements_on_removals_and_concerns_are_recognised(text: str, update: str) -> None:
    assert statement_in(text)[0] == update
