"""Records and answers that stopped a source, or the whole program: named by what was in them."""

import pytest

from gateway.core.errors import UnusableRecord
from harvester.fulltext.pdf.file_type import mime_type
from harvester.mirror.component import Component
from harvester.mirror.read_components import components
from harvester.mirror.verify import Bytes, Fate, verdict


def test_fault_in_one_complex_object_is_told_of_that_object(monkeypatch: pytest.MonkeyPatch):
    def broken(_: object) -> None:
        raise ValueError("x")

    monkeypatch.setattr("harvester.mirror.read_components.READERS", {("urn:x", "a"): broken})
    with pytest.raises(UnusableRecord, match="This program has a fault: ValueError"):
        components(b'<a xmlns="urn:x"/>')


def test_file_that_begins_with_many_comments_is_judged_at_once():
    """1 kB took for ever, with the interpreter's lock held."""
    body = b"<!---->" * 146 + b"x"
    assert verdict(Component(mime_type="application/pdf"), Bytes(len(body), {}, body, body)).fate is Fate.WRONG_TYPE
    assert mime_type(body * 60) == "text/plain"
