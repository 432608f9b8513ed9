"""One test for all rows of a table says which rows fail."""

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
