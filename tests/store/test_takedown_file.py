"""The list of takedowns as a file, and what must be gone from the databases for good."""

from contextlib import closing
from pathlib import Path

import pytest

from gateway.core.errors import StoreUnwritable, TakedownsUnreadable
from gateway.core.model import RawPage, Slice
from gateway.core.takedown_file import TakedownFile
from gateway.core.takedowns import Kind, Takedown
from tests.opening import open_inbox

ENTRY = Takedown(Kind.DOI, "10.1234/x")


def test_there_is_no_list_at_first(tmp_path: Path) -> None:
    file = TakedownFile(tmp_path)
    assert file.read().is_empty
    file.change(lambda listed: listed)
    assert not file.path.exists()
    file.change(lambda _: (ENTRY,))
    assert file.read().entries == (ENTRY,)


def test_what_is_in_the_way_of_the_list_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(TakedownsUnreadable, match="Not a directory"):
        TakedownFile(tmp_path / "file").read()
    (tmp_path / "takedowns.json").mkdir()
    with pytest.raises(TakedownsUnreadable, match="Is a directory"):
        TakedownFile(tmp_path).read()
    with pytest.raises(StoreUnwritable, match="cannot be written"):
        TakedownFile(tmp_path / "nowhere").change(lambda _: (ENTRY,))


def test_a_page_is_overwritten_where_it_must_be_and_nowhere_else(tmp_path: Path) -> None:
    body = b"<a>one</a><b>about</b><a>two</a>"
    slices = (
        Slice("1", "2020", ("s",), False, 0, 10, ((10, 22),), (("x", "urn:x"),)),
        Slice("2", "2020", (), False, 22, 32),
    )
    with closing(open_inbox(tmp_path, create=True)) as inbox:
        number = inbox.receive(RawPage("laro", "ListRecords", "http://x", 1, 200, (), body), slices, None)
        mended = RawPage("laro", "ListRecords", "http://x", 1, 200, (), b"\xff" + body, repaired=body, repairs=("x",))
        repaired = inbox.receive(mended, slices, None)
        for page_number in (number, repaired):
            inbox.overwrite(page_number, (0,))
        assert inbox.finish_erasure()
        stored = inbox.page(number)
        assert stored.page.body == b" " * 22 + b"<a>two</a>"
        assert stored.slices == (Slice("1", "2020", ("s",), True, 0, 0), slices[1])
        assert (inbox.page(repaired).page.body, inbox.page(repaired).page.repaired) == (b"", stored.page.body)
