"""Records and answers that stopped a source, or the whole program: named by what was in them."""

from __future__ import annotations

from harvester.sources.resourcesync import leads


def test_page_that_pythons_reader_gives_up_at_tells_what_came_before():
    body = b'<link rel="resourcesync" href="/a"><![OCTYPE b>'
    assert leads.leads_of_page(body, "http://x.org/") == ("http://x.org/a",)
