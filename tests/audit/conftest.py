"""Records that are held, and a Crossref to hold them against."""

from collections.abc import Callable
from pathlib import Path

import pytest

from gateway.core.model import Statement, Work
from harvester.audit.compare import HeldWork, held_of
from harvester.audit.crossref_list import Listing, scope_of
from harvester.audit.ledger import Ledger
from tests.audit.crossref import ISSN, Crossref


@pytest.fixture
def crossref() -> Crossref:
    """Return a Crossref that has nothing."""
    return Crossref()


@pytest.fixture
def ledger(tmp_path: Path):
    """Return an empty ledger."""
    with Ledger(tmp_path / "audits" / "one.sqlite") as ledger:
        yield ledger


@pytest.fixture
def listing(crossref: Crossref, ledger: Ledger) -> Callable[..., Listing]:
    """Return a function that makes a listing of the journal, or of something else."""

    def made(issns=(ISSN,), members=(), prefixes=(), since="", rows=1000) -> Listing:
        scope = scope_of(issns, members, prefixes, since)
        return Listing(crossref, ledger, scope, "https://api.crossref.org", "https://doi.org", "a@b.test", rows=rows)

    return made


def record(title: str = "", *, doi: str = "", has_file: bool = True, upstream: str = "", **more: str) -> HeldWork:
    """Return what a record says of itself."""
    statements = [Statement("title", title)] if title else []
    statements += [Statement("identifier", doi)] if doi else []
    statements += [Statement(name, text) for name, text in more.items()]
    return held_of(
        upstream or f"oai:here:{doi or title}", Work(tuple(statements), upstream=upstream), has_file=has_file
    )
