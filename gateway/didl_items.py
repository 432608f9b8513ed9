"""Finds the elements of a DIDL that describe a Component: itself, and an Item that contains nothing else. Pure.

The Dutch profile puts the Descriptors of a file into an Item around the Component.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gateway.xmlio import Element, children, name_of

_PARTS = ("Item", "Container", "Component")


class Describer(NamedTuple):
    """An element with Descriptors. If `is_of_work`, it describes the work; only size and digests are of the file."""

    element: Element
    is_of_work: bool = False


def describers(component: Element, alone: dict[Element, bool]) -> Iterator[Describer]:
    """Yield the elements that describe a Component, the nearest first.

    An Item within an Item describes the only Component in it; the outermost Item describes the work. `alone` is a
    cache: for each Item, whether it has no other Component or Item.
    """
    yield Describer(component)
    item = component.getparent()
    if item is None or name_of(item)[1] != "Item":
        return
    if item not in alone:
        alone[item] = sum(name_of(child)[1] in _PARTS for child in children(item)) == 1
    if alone[item]:
        above = item.getparent()
        yield Describer(item, is_of_work=above is None or name_of(above)[1] != "Item")
