"""The order of the dates in a list of identifiers, and where a list that broke off may go on."""

from __future__ import annotations

from gateway.model import Slice
from harvester.sources.oai_pmh.date_order import DateOrder
from harvester.sources.oai_pmh.date_ranges import Window
from tests.rows import each_row

EARLY, LATE = "2024-01-01", "2024-01-02T03:04:05Z"
WINDOW = Window("2020-01-01T00:00:00Z", "2030-01-01T00:00:00Z")


def _rest(*answers):
    order = DateOrder()
    for stamps in answers:
        order.add(tuple(Slice(f"oai:x:{number}", stamp, (), False, 0, 0) for number, stamp in enumerate(stamps)))
    return order.rest(WINDOW)


def test_list_that_begins_with_the_oldest_goes_on_with_newer_dates():
    assert _rest([EARLY, EARLY], [LATE]) == Window(LATE, WINDOW.until)
    assert _rest([EARLY]) == Window("2024-01-01T00:00:00Z", WINDOW.until)


def test_list_that_begins_with_the_newest_goes_on_with_older_dates():
    assert _rest([LATE], [LATE, EARLY]) == Window(WINDOW.from_, "2024-01-01T00:00:00Z")


@each_row("answers", [([EARLY, LATE], [EARLY]), ([LATE, EARLY, LATE],), ([EARLY, "soon", LATE],), ([],), ()])
def test_list_without_an_order_goes_on_nowhere(answers):
    assert _rest(*answers) is None
