"""What the faults distort is well-behaved itself: the strict check of providers says so."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from harvester.harvest.instance import Instance
from harvester.http.access import Access
from harvester.http.fetching import Web
from harvester.validate.run import Limits, Verdict, validate
from tests.faults.site import Asked, Site
from tests.faults.source import DAY, SECONDS


@pytest.mark.slow
@pytest.mark.parametrize("granularity", [DAY, SECONDS])
def test_source_keeps_to_the_standard(house: Instance, site: Callable[[], tuple[str, Site]], granularity: str) -> None:
    name, served = site()
    served.source.granularity = granularity
    with Web(house.settings, {name: Access(served.url)}) as web:
        report = validate(served.url, web.fetcher(name), limits=Limits(least_page=10))
    wrong = [result for result in report.results if result.verdict in (Verdict.FAIL, Verdict.WARNING)]
    # It tells one reason to refuse a request, not all of them; no fault depends on that.
    assert {result.check for result in wrong} <= {"errors.all"}


def test_token_goes_on_behind_the_last_record_whatever_changes(site: Callable[[], tuple[str, Site]]) -> None:
    _, served = site()
    source = served.source
    first = served.plainly(Asked("verb=ListRecords&metadataPrefix=oai_dc")).body.decode()
    gone, eleventh = next(iter(source.held)), list(source.held)[10]
    assert (f">{gone}<" in first, f">{eleventh}<" in first) == (True, False)
    token = first.partition('cursor="0">')[2].partition("<")[0]
    source.put(source.held[gone])
    second = served.plainly(Asked("verb=ListRecords").with_arguments(resumptionToken=token)).body.decode()
    assert f">{eleventh}<" in second
