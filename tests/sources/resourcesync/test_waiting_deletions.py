"""Deletions that a ResourceSync source announces beyond the share wait for a person as well."""

from __future__ import annotations

import pytest

from harvester.harvest.run_options import RunOptions
from harvester.harvest.waiting_deletions import waiting_deletions
from harvester.runtime.exit_status import Status

pytestmark = pytest.mark.slow  # it asks servers

LIST, CHANGES, AT = "resourcelist.xml", "changelist.xml", "2013-01-01T00:00:00Z"


def test_deletions_beyond_the_share_wait_until_a_person_says_so(site, run, titles, house):
    site.offer("resourcelist", "changelist")
    names = [f"{number:02}" for number in range(40)]
    site.put(LIST, "resourcelist", *map(site.metadata, names), at=AT)
    site.put(CHANGES, "changelist", from_=AT)
    assert run().status is Status.SUCCEEDED
    gone = [site.url_element(name, change="deleted", datetime="2013-01-02T00:00:00Z") for name in names]
    site.put(CHANGES, "changelist", *gone, from_=AT)
    ran = run()
    assert (ran.status, ran.run.counts["held_back"], ran.run.is_complete) == (Status.WITH_ERRORS, 35, False)
    assert sum(map(bool, titles().values())) == waiting_deletions(house, "fake") == 35
    assert run(run_options=RunOptions(is_sure=True)).status is Status.SUCCEEDED
    assert not any(titles().values())
