"""What every backend promises of quarantine, formats, sources, sets and facts (gateway/store/base.py)."""

from __future__ import annotations

import pytest

from gateway.core.errors import StoreError
from gateway.core.model import Format, Quarantined, Source
from tests.clocks import START

# --- quarantine ---------------------------------------------------------------------------------------------------


def bad(identifier="a", page=1, slice_=0, reason="It is no XML.", source="laro", at=5):
    return Quarantined(source, "oai_dc", identifier, page, slice_, reason, at)


def test_quarantine_is_told_oldest_first(desk):
    desk.store.add_source(Source("other", "https://other.example.org/oai"))
    desk.publish(quarantined=(bad("b"), bad("a"), bad("", 1, 2)))
    desk.publish(quarantined=(bad("c", source="other"),), source="other")
    assert list(desk.store.quarantined()) == [bad("b"), bad("a"), bad("", 1, 2), bad("c", source="other")]
    assert list(desk.store.quarantined("other")) == [bad("c", source="other")]
    assert desk.store.counts("laro")["quarantined"] == 3


def test_a_record_lies_in_quarantine_once(desk):
    desk.publish(quarantined=(bad("a"), bad("", 1, 2)))
    desk.publish(quarantined=(bad("a", 4, 1, "It is worse."), bad("", 1, 2), bad("", 4, 2)))
    assert list(desk.store.quarantined()) == [bad("a", 4, 1, "It is worse."), bad("", 1, 2), bad("", 4, 2)]


def test_a_long_quarantine_is_told_whole_with_the_time_of_the_publication_where_it_has_none(desk):
    desk.publish(quarantined=tuple(bad(str(number), at=0) for number in range(1100)))
    told = list(desk.store.quarantined())
    assert [record.identifier for record in told] == [str(number) for number in range(1100)]
    assert {record.at for record in told} == {START + 1}


# --- formats, sources, facts --------------------------------------------------------------------------------------


def upstream(prefix, namespace, source, schema="s", upstream_prefix=""):
    return Format(prefix, schema, namespace, 1, source, upstream_prefix or prefix)


def test_a_format_keeps_its_name_when_that_is_free_or_means_the_same(desk):
    first = upstream("mods", "urn:mods", "laro")
    assert desk.store.add_format(first) == first
    assert desk.store.add_format(first) == first
    second = upstream("mods", "urn:mods", "other", schema="another")
    assert desk.store.add_format(second).metadata_prefix == "mods"
    with desk.view() as view:
        assert [format_ for format_ in view.formats() if format_.metadata_prefix.startswith("mods")] == [first]


def test_an_upstreams_format_may_share_ours(desk):
    added = desk.store.add_format(upstream("oai_dc", "urn:dc", "laro"))
    assert added == Format("oai_dc", "dc.xsd", "urn:dc", 1, "laro", "oai_dc")
    assert desk.store.add_format(upstream("dc", "urn:dc", "laro")).metadata_prefix == "dc"
    renamed = desk.store.add_format(Format("oai_didl.laro", "s", "urn:didl", 1, "laro", "oai_didl"))
    assert renamed.metadata_prefix == "oai_didl.laro"


def test_a_format_of_ours_is_replaced_when_its_version_grows(desk):
    desk.store.add_format(Format("oai_dc", "newer.xsd", "urn:dc", 2))
    assert desk.store.add_format(Format("oai_dc", "older.xsd", "urn:dc", 1)) == Format(
        "oai_dc", "newer.xsd", "urn:dc", 2
    )
    with desk.view() as view:
        assert view.formats()[0] == Format("oai_dc", "newer.xsd", "urn:dc", 2)


def test_a_format_of_ours_takes_over_a_name_that_means_the_same(desk):
    desk.store.add_format(upstream("mods", "urn:mods", "laro"))
    ours = Format("mods", "ours.xsd", "urn:mods")
    assert desk.store.add_format(ours) == ours
    with desk.view() as view:
        assert ours in view.formats()


def test_a_format_of_ours_does_not_take_a_name_that_means_something_else(desk):
    desk.store.add_format(upstream("mods", "urn:other", "laro"))
    with pytest.raises(StoreError, match=r"'mods'.*'laro'"):
        desk.store.add_format(Format("mods", "ours.xsd", "urn:mods"))


def test_a_source_can_be_changed_and_keeps_its_position(desk):
    desk.store.advance("laro", 0, 3)
    desk.store.add_source(Source("laro", "https://new.example.org", is_removed=True))
    assert desk.store.position("laro") == 3
    with desk.view() as view:
        assert view.sources() == (Source("laro", "https://new.example.org", is_removed=True),)


def test_facts_are_remembered(desk):
    assert desk.store.fact("domain") == ""
    desk.store.remember("domain", "a.example.org")
    desk.store.remember("domain", "b.example.org")
    assert desk.store.fact("domain") == "b.example.org"
