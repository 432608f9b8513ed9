"""What a walk is to do: each resource once, by its last entry, in the order of addresses."""

import pytest

from gateway.core.errors import StoreUnwritable
from harvester.sources.resourcesync.entries import Entry, Link
from harvester.sources.resourcesync.plan import Item, Plan, Role, role_of
from tests.rows import each_row

DESCRIBES, DESCRIBED = Link("describes", "f"), Link("describedby", "m")


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
