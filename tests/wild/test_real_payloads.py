"""Every record of the recorded repositories, mapped alone: what we make of it is well-formed and valid."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator

import pytest
from lxml import etree

from gateway.mapping import Given, SourceFacts, Task, is_legal_identifier, prepare, record
from gateway.xmltext import OAI_PMH
from tests.conftest import ROOT, SHARED

pytestmark = [pytest.mark.slow, pytest.mark.needs("../shared")]
FACTS = SourceFacts("wild", "http://wild.example.org/oai", "gateway.example.org", rights="http://r.example.org/a b")
EVERY = 7  # of 66,000 records, most alike; each test of the recorded repositories goes through all of them


def payloads() -> Iterator[tuple[str, Given]]:
    with gzip.open(SHARED / "data" / "oai" / "records-all.jsonl.gz", "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            row = json.loads(line) if number % EVERY == 0 else {}
            if row.get("metadata") and is_legal_identifier(row.get("identifier") or ""):
                content = row["metadata"].encode("utf-8", "replace")
                header = (row["datestamp"] or "", tuple(row["sets"] or ()))
                yield row["identifier"], Given("x", "x", content, (), *header, False, (), 0, False)


def answer(records: list[bytes]) -> bytes:
    head = (
        f'<OAI-PMH xmlns="{OAI_PMH}"><responseDate>2026-11-21T00:00:00Z</responseDate><request verb="ListRecords" '
        'metadataPrefix="oai_dc">http://gateway.example.org/oai</request><ListRecords>'
    )
    return head.encode() + b"".join(records) + b"</ListRecords></OAI-PMH>"


def test_whatever_came_what_we_make_of_it_is_valid() -> None:
    judge = etree.XMLSchema(file=str(ROOT / "schemas" / "OAI-PMH.xsd"))
    batch: list[bytes] = []
    outcomes: Counter[str] = Counter()
    for upstream, given in payloads():
        prepared = prepare(Task(FACTS, upstream, (given,)))
        outcomes["bad" if prepared.problems else "good"] += 1
        for fragment in prepared.fragments:
            whole = record(prepared.identifier, 0, prepared.sets, fragment)
            if fragment.metadata_prefix != "x":
                batch.append(whole)
            else:
                etree.fromstring(answer([whole]))
        if len(batch) > 1000:
            judge.assertValid(etree.fromstring(answer(batch)))
            batch.clear()
    judge.assertValid(etree.fromstring(answer(batch)))
    assert outcomes["good"] > 5000
    assert outcomes["bad"] <= outcomes["good"] // 100, outcomes
