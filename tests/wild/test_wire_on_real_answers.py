"""Every recorded answer of `../shared/data/oai/responses` through the parsers, its records counted by other means."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

import pytest
from lxml import etree

from gateway.errors import AnswerError, NotOaiPmh, NotXml, RemoteError
from gateway.model import Slice
from gateway.xmltext import escape_attribute
from harvester.sources.oai_pmh.answers import parse_formats, parse_identify, parse_list, parse_sets
from tests.rows import each_row

ANSWERS = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "oai" / "responses"

pytestmark = [pytest.mark.slow, pytest.mark.needs("../shared/data/oai/responses")]

# Answers that no strict parser reads: how many records they have nevertheless, and what is told of the damage.
DAMAGED = {
    "CenterForOpenScience+scrapi/pcurio.00.xml": (5, "Characters that XML forbids were removed: 1."),
    "timbrody+perl-oai-lib/badbytes.xml": (1, "Bytes that are not UTF-8 were read as windows-1252: 11."),
    "kata-csc+ckanext-oaipmh/ida_invalid.xml": (1, "Record 1 of the page: it is not well-formed"),
    "europeana+metis-framework/oaiListIdentifiersIncorrectMetadataPrefix.xml": (0, ""),
}
UNUSABLE = {
    "mloesch+sickle/ListRecords4.xml": "The record has no identifier.",
    "wellcomecollection+oai-pmh/record_no_header.xml": "The record has no header.",
}


def _files() -> list[Path]:
    return sorted(file for file in ANSWERS.rglob("*") if file.is_file() and file.suffix != ".json")


def _name(file: Path) -> str:
    return str(file.relative_to(ANSWERS))


def _counted(body: bytes) -> int | None:
    """Return the number of records in a tree, or None when no strict parser makes one."""
    try:
        root = etree.fromstring(body, etree.XMLParser(huge_tree=True, resolve_entities=False))
    except etree.XMLSyntaxError:
        return None
    lists = root.xpath(
        "/*[local-name()='OAI-PMH']/*[local-name()='ListRecords' or local-name()='ListIdentifiers' or "
        "local-name()='GetRecord']/*[local-name()='record' or local-name()='header']"
    )
    return len(lists)  # type: ignore[arg-type]


def _stands_alone(text: bytes, slice_: Slice) -> bool:
    declared = "".join(
        f' xmlns{":" * bool(prefix)}{prefix}="{escape_attribute(uri)}"' for prefix, uri in slice_.declarations
    )
    root = etree.fromstring(
        f"<alone{declared}>".encode() + text[slice_.start : slice_.stop] + b"</alone>", etree.XMLParser(huge_tree=True)
    )
    return len(root) == 1


def test_every_record_of_every_answer_is_a_slice_whose_payload_stands_alone() -> None:
    total, problems = 0, {}
    for file in _files():
        body = file.read_bytes()
        try:
            answer = parse_list(body)
        except (NotXml, NotOaiPmh):
            assert not _counted(body), file
            continue
        expected = _counted(body)
        if expected is None:
            expected = len(re.findall(rb"<header[\s>]", body))
        assert len(answer.slices) == expected, file
        total += expected
        problems.update({_name(file): slice_.problem for slice_ in answer.slices if slice_.problem})
        text = answer.repaired or body
        for slice_ in answer.slices:
            if slice_.stop > slice_.start:
                assert _stands_alone(text, slice_), (file, slice_.identifier)
            else:
                assert slice_.is_deleted or slice_.problem or answer.verb == "ListIdentifiers", (file, slice_)
    assert total > 10_000
    assert problems == UNUSABLE


@each_row("name", DAMAGED)
def test_damaged_answer_is_repaired_and_reported(name: str) -> None:
    count, report = DAMAGED[name]
    answer = parse_list((ANSWERS / name).read_bytes())
    assert len(answer.slices) == count
    assert "".join(answer.repairs).startswith(report)
    assert answer.repaired


def test_descriptions_are_read_from_every_answer_that_has_them_and_all_others_are_refused() -> None:
    """No error but AnswerError may be raised."""
    verbs = {"Identify": parse_identify, "ListMetadataFormats": parse_formats, "ListSets": parse_sets}
    seen = dict.fromkeys(verbs, 0)
    for file in _files():
        body = file.read_bytes()
        for verb, parse in verbs.items():
            is_answer = (
                re.search(rb"<OAI-PMH.*<" + verb.encode() + rb"[\s>]", body, re.DOTALL) and b"<error" not in body
            )
            with suppress(NotOaiPmh, RemoteError) if is_answer else suppress(AnswerError):
                parse(body)
                seen[verb] += bool(is_answer)
    assert min(seen.values()) > 10
