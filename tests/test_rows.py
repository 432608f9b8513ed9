"""One test for all rows of a table says which rows fail."""

from __future__ import annotations

import pytest

from tests.rows import each_row


def test_every_row_that_fails_is_named(tmp_path) -> None:
    @each_row("word, length", [("a", 1), ("bb", 1), pytest.param("ccc", 3, id="three"), ("dddd", 5)])
    def lengths(word: str, length: int, tmp_path) -> None:
        (tmp_path / "same").mkdir()
        assert len(word) == length

    with pytest.raises(BaseExceptionGroup, match="2 of 4 rows fail") as raised:
        lengths(tmp_path=tmp_path)
    notes = [note for failure in raised.value.exceptions for note in failure.__notes__]
    assert notes == ["Row 1: {'word': 'bb', 'length': 1}", "Row 3: {'word': 'dddd', 'length': 5}"]


def test_tables_multiply() -> None:
    seen = []

    @each_row("letter", "ab")
    @each_row("number", [1, 2])
    def note(letter: str, number: int) -> None:
        seen.append((letter, number))

    note()
    assert seen == [("a", 1), ("a", 2), ("b", 1), ("b", 2)]


@each_row("number", [1, 2])
@pytest.mark.parametrize("letter", ["a", "b"])
def test_fixtures_and_parameters_are_handed_on(tmp_path, letter: str, number: int) -> None:
    assert tmp_path.name == f"row-{number - 1}"
    assert letter in "ab"


def test_a_table_without_rows_or_of_other_names_is_refused() -> None:
    with pytest.raises(AssertionError, match="without rows"):
        each_row("letter", [])
    with pytest.raises(AssertionError, match="does not take"):
        each_row("letter", ["a"])(lambda other: other)
