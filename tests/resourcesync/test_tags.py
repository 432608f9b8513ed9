"""A tag says which bytes there are, conditions hold as RFC 9110 has them, and closed lists stay as they are."""

import pytest

from gateway.core.takedowns import Kind, Takedown
from tests.page_house import FOUND
from tests.publish.harness import Sent, dc, pdf
from tests.resourcesync.conftest import DAY

FOLDER = "/resourcesync/oai_dc/source"
PACKAGE = f"{FOLDER}/resourcedump-1.zip"


def _packed(source):
    answer = source.get(PACKAGE)
    return answer.headers["ETag"], answer.data


@pytest.mark.parametrize("is_kept", [False, True])
def test_packages_and_lists_are_others_when_facts_of_a_file_become_known(source, house, is_kept):
    def listed():
        return source.get(f"{FOLDER}/resourcelist.xml").data, source.document("resourcelist").head.at

    source.harness.send(Sent("1", dc("A", pdf())))
    source.publish("2")
    source.harness.now += 5
    if is_kept:
        source.tend()
    tag, package = _packed(source)
    content, at = listed()
    assert b"found.pdf" not in package
    house.file("1", FOUND._replace(url="http://laro.example.org/1.pdf"))
    source.harness.now += 5
    later_tag, later_package = _packed(source)
    assert (later_tag == tag) == (later_package == package)
    assert is_kept or later_tag != tag
    assert content != listed()[0]
    assert at != listed()[1]
    if is_kept:
        source.harness.now += DAY
        source.tend()
        assert _packed(source)[0] != tag


def test_an_entry_that_a_takedown_emptied_does_not_lead_to_the_record_at_its_source(source, house):
    source.publish("1", "2")
    source.harness.now += DAY
    house.take_down(Takedown(Kind.UPSTREAM, "1", "laro"))
    source.harness.now += 5
    lists = [source.read(entry.loc) for entry in source.document("changelist")]
    emptied = [entry for one in lists for entry in one if entry.loc.endswith("/1")]
    assert [entry.change for entry in emptied] == ["created", "deleted"]
    assert not any(entry.related("via") for entry in emptied)
    assert all(entry.related("via") for one in lists for entry in one if entry.loc.endswith("/2"))


def test_if_none_match_is_compared_weakly_and_before_a_range(source):
    """RFC 9110 §13.1.2, §13.2.2."""
    source.publish("1")
    source.harness.now += 5
    tag, _ = _packed(source)
    assert source.get(PACKAGE, headers={"If-None-Match": f"W/{tag}", "Range": "bytes=0-3"}).status_code == 304
