"""The small web of the demo has the files that records of the sample name, and those that are to be found."""

from __future__ import annotations

from tests.sample.source import read_works
from tests.sample.web import a_pdf, made


def test_it_has_the_files_of_the_sample_and_what_leads_to_the_others() -> None:
    there = made(read_works()[0])
    assert {kind for kind, _ in there.values()} == {
        "application/pdf",
        "application/zip",
        "application/json",
        "text/html; charset=UTF-8",
    }
    assert there["repository.example.net/LR-15-00007.pdf"][1].startswith(b"%PDF-")
    assert b"repository.example.net/LR-15-00007.pdf" in there["api.unpaywall.org/v2/10.5555/laro.2015.0007"][1]
    assert b"laro.example.org/record/71.pdf" in there["laro.example.org/record/71"][1]
    assert sum(address.startswith("laro.example.org/files/") for address in there) > 10


def test_a_pdf_is_one() -> None:
    assert b"(some words) Tj" in a_pdf("some words")
