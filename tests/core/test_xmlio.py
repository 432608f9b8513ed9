"""The one parser: nothing is resolved, nothing is fetched, nothing too large or too odd is read."""

import pytest
from lxml import etree

from gateway.core import xmlio
from gateway.core.errors import NotXml
from tests.rows import each_row


@each_row(
    "content, sentence",
    [
        (b"<a>", "not well-formed"),
        (b"", "not well-formed"),
        (b"<a xmlns:b=''/>", "not well-formed"),
        (b"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "document type declaration"),
        (b"<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>", "document type declaration"),
        (b"<a>&undefined;</a>", "not well-formed"),
        (b"<a>" + b"x" * 100 + b"</a>", "more than the 50"),
    ],
)
def test_what_is_refused(content: bytes, sentence: str) -> None:
    with pytest.raises(NotXml, match=sentence):
        xmlio.parse(content, 50 if b"xxx" in content else xmlio.MAX_BYTES)


@pytest.mark.parametrize("is_recovering", [False, True])
def test_no_file_of_ours_is_opened_for_a_stranger(tmp_path, is_recovering: bool) -> None:
    """With `collect_ids=False`, lxml 6.1 on libxml2 2.14 opened the external DTD (2026-11-21)."""
    (tmp_path / "a.dtd").write_text("<!ATTLIST a told CDATA 'secret'>")
    content = f"<!DOCTYPE a SYSTEM '{tmp_path / 'a.dtd'}'><a/>".encode()
    assert dict(etree.fromstring(content, xmlio.hardened_parser(recover=is_recovering)).attrib) == {}
    (tmp_path / "a.dtd").write_text("no DTD")
    assert etree.fromstring(content, xmlio.hardened_parser(recover=is_recovering)).tag == "a"


def test_what_is_nested_too_deep_is_refused_before_it_breaks_a_harvester() -> None:
    def nested(depth: int) -> bytes:
        return b"<a>" * depth + b"</a>" * depth

    assert xmlio.parse(nested(xmlio.MAX_DEPTH)).tag == "a"
    assert xmlio.parse(b"<a>" + b"<b></b>" * 1000 + b"</a>").tag == "a"
    with pytest.raises(NotXml, match="nested deeper than"):
        xmlio.parse(nested(xmlio.MAX_DEPTH + 1))


@each_row(
    "unit, least, most",
    [
        pytest.param(b"<a/>", 30, 40, id="elements"),
        pytest.param(b"dGV4dA==", 2, 3, id="base64, whose equals signs are no attributes"),
        pytest.param(b"<a b=\"\" c=''/>", 30, 50, id="attributes"),
        pytest.param(b"<a>b</a>c", 40, 60, id="elements and texts"),
    ],
)
def test_memory_of_a_document_is_counted_before_it_is_parsed(unit: bytes, least: int, most: int):
    """In bytes of memory for each byte; a small document is not counted."""
    body = b"<r>" + unit * (2_000_000 // len(unit)) + b"</r>"
    assert least <= xmlio.memory_of(body) / len(body) <= most
    assert xmlio.memory_of(unit) == 0
