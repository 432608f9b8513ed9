"""A patch is applied when its media type is known and the digest says that it was right; else the whole is fetched."""

from __future__ import annotations

from hashlib import md5

import pytest

from harvester.outcomes import Status
from tests.resourcesync.site import DC

pytestmark = pytest.mark.slow

AT = "2013-01-03T00:00:00Z"
NO_END = b"\n\\ No newline at end of file\n"
PATCH = "http://www.openarchives.org/rs/terms/patch"


@pytest.fixture
def changed(site, run, titles):
    """Return a function that lets a resource change by a patch, and harvests it; it returns what was asked for."""

    def changed(patch=None, kind="text/x-diff", rel=PATCH, **said):
        site.offer("resourcelist", "changelist")
        site.put("resourcelist.xml", "resourcelist", site.metadata("1", "Old"), at=AT)
        site.put("changelist.xml", "changelist", from_=AT)
        assert run().status is Status.SUCCEEDED
        old, new = site.files["/1"], DC.format("New").encode()
        made = b"@@ -1 +1 @@\n-" + old + NO_END + b"+" + new + NO_END
        site.files["/1"] = new
        site.files["/1.diff"] = patch or made
        link = site.link(rel, "1.diff", type=kind)
        said = {"hash": f"md5:{md5(new).hexdigest()}", **said}
        entry = site.url_element("1", "2013-01-03T01:00:00Z", link, change="updated", **said)
        site.put("changelist.xml", "changelist", entry, from_=AT)
        site.asked.clear()
        assert run().status is Status.SUCCEEDED
        assert titles() == {"1": "New"}
        return [path for path in site.asked if path in ("/1", "/1.diff")]

    return changed


@pytest.mark.parametrize("rel", [PATCH, "patch"])
def test_a_patch_brings_the_next_version_and_the_resource_is_not_fetched(changed, rel):
    assert changed(kind="text/x-diff; charset=utf-8", rel=rel) == ["/1.diff"]


@pytest.mark.parametrize("patch", [b"@@ -1 +1 @@\n-something else\n+new\n", b"@@ -1,0 +2 @@\n+<!-- more -->\n"])
def test_a_patch_of_another_version_is_not_believed(changed, patch):
    assert changed(patch) == ["/1.diff", "/1"]


def test_a_patch_of_an_unknown_type_is_not_asked_for(changed):
    assert changed(kind="application/json-patch") == ["/1"]


def test_where_no_digest_can_say_whether_it_is_right_no_patch_is_applied(changed):
    assert changed(hash="") == ["/1"]


def test_a_patch_that_cannot_be_had_costs_nothing_but_the_question(changed, site):
    site.before = lambda path: path == "/1.diff" and site.files.pop(path, None)
    assert changed() == ["/1.diff", "/1"]
