"""A Change List may name a patch beside a resource (Z39.99 §14.4): the resource is fetched, and the patch is not."""

from __future__ import annotations

from hashlib import md5

import pytest

from harvester.runtime.exit_status import Status
from tests.sources.resourcesync.site import DC

pytestmark = pytest.mark.slow

AT = "2013-01-03T00:00:00Z"


@pytest.mark.parametrize("relation", ["http://www.openarchives.org/rs/terms/patch", "patch"])
def test_a_resource_that_changes_by_a_patch_is_fetched_whole(site, run, titles, relation):
    site.offer("resourcelist", "changelist")
    site.put("resourcelist.xml", "resourcelist", site.metadata("1", "Old"), at=AT)
    site.put("changelist.xml", "changelist", from_=AT)
    assert run().status is Status.SUCCEEDED
    new = DC.format("New").encode()
    site.files |= {"/1": new, "/1.diff": b"@@ -1 +1 @@\n-something else\n+new\n"}
    link = site.link(relation, "1.diff", type="text/x-diff")
    digest = f"md5:{md5(new).hexdigest()}"
    entry = site.url_element("1", "2013-01-03T01:00:00Z", link, change="updated", hash=digest)
    site.put("changelist.xml", "changelist", entry, from_=AT)
    site.asked.clear()
    assert run().status is Status.SUCCEEDED
    assert titles() == {"1": "New"}
    assert [path for path in site.asked if path in ("/1", "/1.diff")] == ["/1"]
