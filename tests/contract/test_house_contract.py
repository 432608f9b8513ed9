"""What every backend promises of quarantine, formats, sources, sets and facts (gateway/store/base.py)."""

import pytest

from gateway.core.errors import StoreError
from gateway.core.model import Format, Quarantined, Source
from tests.clocks import START

# --- quarantine ---------------------------------------------------------------------------------------------------


def bad(identifier="a", page=1, slice_=0, reason="It is no XML.", source="laro", at=5):
    return Quarantined(source, "oai_dc", identifier, page, slice_, reason, at)


def test_quarantine_is_told_oldest_first(harness):
    harness.store.add_source(Source("other", "https://other.example.org/oai"))
    harness.publish(quarantined=(bad("b"), bad("a"), bad("", 1, 2)))
    harness.publish(quarantined=(bad("c", source="other"),), source="other")
    assert list(harness.store.quarantined()) == [bad("b"), bad("a"), bad("", 1, 2), bad("c", source="other")]
    assert list(harness.store.quarantined("other")) == [bad("c", source="other")]
    assert harness.store.counts("laro")["quarantined"] == 3


def test_a_record_lies_in_quarantine_once(harness):
    harness.publish(quarantined=(bad("a"), bad("", 1, 2)))
    harness.publish(quarantined=(bad("a", 4, 1, "It is worse."), bad("", 1, 2), bad("", 4, 2)))
    assert list(harness.store.quarantined()) == [bad("a", 4, 1, "It is worse."), bad("", 1, 2), bad("", 4, 2)]


def test_a_long_quarantine_is_told_whole_with_the_time_of_the_publication_where_it_has_none(harness):
    harness.publish(quarantined=tuple(bad(str(number), at=0) for number in range(1100)))
    told = list(harness.store.quarantined())
    assert [record.identifier for record in told] == [str(number) for number in range(1100)]
    assert {record.at for record in told} == {START + 1}


# --- formats, sources, facts --------------------------------------------------------------------------------------


def upstream(prefix, namespace, source, schema="s", upstream_prefix=""):
    return Format(prefix, schema, namespace, 1, source, upstream_prefix or prefix)


def test_a_format_keeps_its_name_when_that_is_free_or_means_the_same(harness):
    first = upstream("mods", "urn:mods", "laro")
    assert harness.store.add_format(first) == first
    assert harness.store.add_format(first) == first
    second = upstream("mods", "urn:mods", "other", schema="another")
    assert harness.store.add_format(second).metadata_prefix == "mods"
    with harness.view() as view:
        assert [format_ for format_ in view.formats() if format_.metadata_prefix.startswith("mods")] == [first]


def test_an_upstreams_format_may_share_ours(harness):
    added = harness.store.add_format(upstream("oai_dc", "urn:dc", "laro"))
    assert added == Format("oai_dc", "dc.xsd", "urn:dc", 1, "laro", "oai_dc")
    assert harness.store.add_format(upstream("dc", "urn:dc", "laro")).metadata_prefix == "dc"
    renamed = harness.store.add_format(Format("oai_didl.laro", "s", "urn:didl", 1, "laro", "oai_didl"))
    assert renamed.metadata_prefix == "oai_didl.laro"


def test_a_format_of_ours_is_replaced_when_its_version_grows(harness):
    harness.store.add_format(Format("oai_dc", "newer.xsd", "urn:dc", 2))
    assert harness.store.add_format(Format("oai_dc", "older.xsd", "urn:dc", 1)) == Format(
        "oai_dc", "newer.xsd", "urn:dc", 2
    )
    with harness.view() as view:
        assert view.formats()[0] == Format("oai_dc", "newer.xsd", "urn:dc", 2)


def test_a_format_of_ours_takes_over_a_name_that_means_the_same(harness):
    harness.store.add_format(upstream("mods", "urn:mods", "laro"))
    ours = Format("mods", "ours.xsd", "urn:mods")
    assert harness.store.add_format(ours) == ours
    with harness.view() as view:
        assert ours in view.formats()


def test_a_format_of_ours_does_not_take_a_name_that_means_something_else(harness):
    harness.store.add_format(upstream("mods", "urn:other", "laro"))
    with pytest.raises(StoreError, match=r"'mods'.*'laro'"):
        harness.store.add_format(Format("mods", "ours.xsd", "urn:mods"))


def test_a_source_can_be_changed_and_keeps_its_position(harness):
    harness.store.advance("laro", 0, 3)
    harness.store.add_source(Source("laro", "https://new.example.org", is_removed=True))
    assert harness.store.position("laro") == 3
    with harness.view() as view:
        assert view.sources() == (Source("laro", "https://new.example.org", is_removed=True),)


def test_facts_are_remembered(harness):
    assert harness.store.fact("domain") == ""
    harness.store.remember("domain", "a.example.org")
    harness.store.remember("domain", "b.example.org")
    assert harness.store.fact("domain") == "b.example.org"
