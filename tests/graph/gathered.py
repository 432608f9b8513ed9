"""A small instance with works, searches and decisions, whose graph can be counted by hand."""

import json
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

from click.testing import CliRunner, Result

from gateway.cli.main import main as gateway
from gateway.core.model import Candidate, Decision, Outcome
from gateway.fulltext.policies import Colour, Permission, Policy
from gateway.fulltext.search_result import SearchResult
from gateway.fulltext.stored_search import search_as_json
from harvester.cli import main as harvester
from tests.opening import open_discovery

ROE, DOE = "0000-0002-1825-0097", "0000-0001-5109-3700"
# A spreadsheet would run it, XML and CSV must quote it, and a terminal must not turn it round.
HOSTILE = '=HYPERLINK("http://evil.example/","<b>&amp;\' ,;\\")\u202e\u200f\u2028]]>'
GREEN = Policy(
    Colour.GREEN,
    "Journal of Green",
    ("Green Press",),
    ("2049-3630", "1234-5679"),
    (Permission(("accepted",), embargo_months=12), Permission(("submitted",))),
    address="https://policies.example/green",
)
LATE = Policy(Colour.GREEN, "Late", ("Late Press",), ("0378-5955",), (Permission(("accepted",), embargo_months=24),))
WHITE = Policy(Colour.WHITE, "White", ("White Press",), ("0317-8471",))
LOW = Candidate(
    "https://files.example/low.pdf", "unpaywall", outcome=Outcome.LOW_SCORE, likeness=0.12, judge=1, sha256="ab" * 32,
    mime_type="application/pdf", size=9, version="accepted", license="cc-by", at=5, final_url="https://files.example/low.pdf",
)  # fmt: skip
HIGH = LOW._replace(
    url="https://files.example/high.pdf", final_url="https://files.example/high.pdf", sha256="cd" * 32, likeness=0.9,
    outcome=Outcome.SUCCESS,
)  # fmt: skip
REJECTED = LOW._replace(url="https://files.example/no.pdf", final_url="https://files.example/no.pdf", sha256="ef" * 32)


class Sample(NamedTuple):
    """One work: its record, and its search."""

    statements: tuple[tuple[str, str], ...]
    search: SearchResult | None = None
    verdicts: tuple[tuple[Candidate, str], ...] = ()


def _of(title: str, year: str, *more: tuple[str, str]) -> tuple[tuple[str, str], ...]:
    return (("title", title), ("date", year), *more)


WORKS: dict[str, Sample] = {
    "reefs": Sample(
        _of("Coral reefs", "2025", ("creator", "Doe, Jane"), ("creator", f"Roe, Richard (ORCID: {ROE})"),
            ("subject", "Corals"), ("subject", "ecology"), ("identifier", "https://doi.org/10.5555/reefs")),
        SearchResult(Outcome.NOT_FOUND, policy=GREEN, published="2025", subjects=("Ecology", "Oceanography")),
    ),
    "tides": Sample(
        _of("Tides", "2024", ("creator", f"Roe, Richard ({ROE})"), ("creator", "Doe, Jane"), ("creator", "DOE,  Jane")),
        SearchResult(Outcome.SUCCESS, candidates=(LOW, HIGH), policy=GREEN, published="2024"),
        ((LOW, "accept"), (HIGH, "accept")),
    ),
    "winds": Sample(
        _of("Winds", "2025", ("creator", f"Doe, Jane ({DOE})")),
        SearchResult(Outcome.NOT_FOUND, policy=GREEN, published="2025"),
    ),
    "white": Sample(
        _of("White", "2020", ("creator", "Poe, Edgar")),
        SearchResult(Outcome.LOW_SCORE, candidates=(REJECTED,), policy=WHITE, published="2020"),
        ((REJECTED, "reject"),),
    ),
    "late": Sample(_of("Late", "2023"), SearchResult(Outcome.NOT_FOUND, policy=LATE, published="2023")),
    "local": Sample(
        _of("Local", "2019", ("publisher", "University Press"), ("subject", "Corals"), ("language", "nn"),
            ("source", "ISSN 2434-561X"))
    ),
    "hostile": Sample(
        _of(HOSTILE, "2001", ("creator", "=cmd|' /C calc'!A0"), ("subject", "+1"), ("publisher", "@SUM(1)"))
    ),
    "gone": Sample(_of("Withdrawn", "2000", ("creator", "Doe, Jane"))),
}  # fmt: skip


def identifier(name: str) -> str:
    """Return the identifier of a work here."""
    return f"oai:g.example.org:s/oai:x:{name}"


def called(command, folder: Path, *arguments: str) -> Result:
    """Run a command in this process."""
    return CliRunner().invoke(command, ["--instance", str(folder), *arguments])


def done(folder: Path, *arguments: str, command=harvester) -> Result:
    """Run a command that must succeed."""
    result = called(command, folder, *arguments)
    assert result.exit_code == 0, result.output
    return result


def fill(folder: Path) -> None:
    """Make the instance: everything is published, and one work is taken down."""
    done(folder, "init", "--domain", "g.example.org", command=gateway)
    lines = [json.dumps(_line(name, sample)) for name, sample in WORKS.items()]
    dump = folder / "works.jsonl"
    dump.write_text("\n".join(lines))
    done(folder, "source", "add", "s", str(dump), "--kind", "files")
    done(folder, "run", "s")
    with closing(open_discovery(folder)) as discovery:
        discovery.enlist("s", [(identifier(name), f"oai:x:{name}") for name in WORKS], 1, 1)
        for name, sample in WORKS.items():
            if sample.search is not None:
                lease = discovery.lease(2, 60, identifier=identifier(name))
                decisions = [
                    Decision(identifier(name), copy.url, copy.sha256, verdict, "It is so.", "a person", 3)
                    for copy, verdict in sample.verdicts
                ]
                search = search_as_json(sample.search)
                assert discovery.done(lease, str(sample.search.outcome), search, 3, partial(_decided, decisions))
    done(folder, "publish")
    done(folder, "takedown", "add", identifier("gone"))


def _decided(decisions: list[Decision], _: object) -> list[Decision]:
    return decisions


def _line(name: str, sample: Sample) -> dict[str, str]:
    statements = "".join(f"<dc:{element}>{escape(text)}</dc:{element}>" for element, text in sample.statements)
    metadata = (
        '<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" '
        f'xmlns:dc="http://purl.org/dc/elements/1.1/">{statements}</oai_dc:dc>'
    )
    return {"identifier": f"oai:x:{name}", "datestamp": "2020-01-01", "metadata": metadata}
