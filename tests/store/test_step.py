"""A store that has published something is not used without the inbox that it came from."""

import pytest

from gateway.core.errors import StoreMissing
from gateway.core.model import Source
from gateway.store.instance import Instance
from gateway.store.step import check_inbox


def test_an_inbox_that_is_lost_is_told_and_one_that_was_never_there_is_not(tmp_path, open_furnished) -> None:
    store, inbox = open_furnished(), tmp_path / "inbox.sqlite"
    check_inbox(store, Instance(tmp_path))
    store.add_source(Source("filled", "http://filled.example.org/oai"))
    store.advance("filled", 0, 7)
    with pytest.raises(StoreMissing, match="restore --missing"):
        check_inbox(store, Instance(tmp_path))
    inbox.write_bytes(b"")  # SQLite makes an empty file before it makes a database
    with pytest.raises(StoreMissing):
        check_inbox(store, Instance(tmp_path))
    inbox.write_bytes(b"SQLite")
    check_inbox(store, Instance(tmp_path))
