"""What a walk is to do: each resource once, by its last entry, in the order of addresses."""

from __future__ import annotations

import pytest

from gateway.errors import StoreUnwritable
from harvester.sources.resourcesync.entries import Entry, Link
from harvester.sources.resourcesync.plan import Item, Plan, Role, role_of
from tests.rows import each_row

DESCRIBES, DESCRIBED = Link("describes", "f"), Link("describedby", "m")


def test_of_several_entries_of_a_resource_the_last_counts():
    with Plan() as plan:
        for lastmod in ("1", "2"):
            plan.add(Entry("m", lastmod, digests=(("md5", "a"), ("sha-1", "b")), links=(Link("via", "x", length=1),)))
        last = Entry("m", "2", digests=(("md5", "a"), ("sha-1", "b")), links=(Link("via", "x", length=1),))
        assert list(plan.items()) == [Item("m", Role.METADATA, last)]


def test_items_come_in_the_order_of_addresses_with_their_content():
    content = Entry("f", links=(DESCRIBED,))
    with Plan() as plan:
        for entry in (Entry("z", change="deleted"), content, Entry("a"), Entry("g.pdf")):
            plan.add(entry)
        assert [item.uri for item in plan.items()] == ["a", "m", "z"]
        assert [item.uri for item in plan.items("a")] == ["m", "z"]
        assert (plan.size(), plan.size("a"), plan.undescribed()) == (3, 2, 1)
        assert next(plan.items("a")) == Item("m", Role.METADATA, None, (content,))
        assert [plan.has_item(uri) for uri in ("a", "m", "z", "f", "x")] == [True, True, False, False, False]
        plan.tick("a")
        assert list(plan.unticked()) == ["m"]


def test_what_a_later_entry_does_not_describe_any_more_is_no_content_of_it():
    first, second = (Entry("m", str(at), links=(Link("describes", f"{at}.pdf"),)) for at in (1, 2))
    files = (Entry("1.pdf"), Entry("2.pdf"))
    with Plan() as plan:
        for entry in (first, *files, second):
            plan.add(entry)
        assert list(plan.items()) == [Item("m", Role.METADATA, second, (files[1],))]
        plan.add(Entry("1.pdf", links=(DESCRIBED,)))
        plan.add(Entry("2.pdf", links=(Link("describedby", "other"),)))
        assert plan.item("m") == Item(
            "m", Role.METADATA, second, (Entry("1.pdf", links=(DESCRIBED,)), plan.entry("2.pdf"))
        )
        plan.add(files[0])
        assert plan.item("m") == Item("m", Role.METADATA, second, (plan.entry("2.pdf"),))
        assert plan.item("1.pdf") is None


@each_row(
    "entry, role",
    [
        (Entry("a"), Role.METADATA),
        (Entry("a", type="application/mods+xml; charset=utf-8"), Role.METADATA),
        (Entry("a.xml"), Role.METADATA),
        (Entry("a.pdf"), Role.CONTENT),
        (Entry("a.pdf", type="text/xml"), Role.METADATA),
        (Entry("a", type="application/xhtml+xml"), Role.CONTENT),
        (Entry("a.html"), Role.CONTENT),
        (Entry("a.pdf", links=(DESCRIBES,)), Role.METADATA),
        (Entry("a.xml", links=(DESCRIBED,)), Role.CONTENT),
        (Entry("a.xml", change="deleted", links=(DESCRIBES,)), Role.DELETED),
    ],
)
def test_what_a_resource_is_follows_from_its_links_then_its_type_then_its_name(entry, role):
    assert role_of(entry) is role


def test_a_disk_that_is_full_is_told_in_words_of_ours():
    def fill():
        with Plan() as plan:
            plan._database.execute("PRAGMA max_page_count = 20")
            for number in range(1000):
                plan.add(Entry(f"{number}" * 100))

    with pytest.raises(StoreUnwritable, match="need more space for temporary files: database or disk is full"):
        fill()
