"""Which notice is due: one a day, and one when all is well again."""

from harvester.schedule.notifications.notices import DAY_SECONDS, Concern, Need, SentNotice, due
from tests.rows import each_row

FAILING = Concern(Need.FAILING, "The last 3 runs failed.")
CLOCK = Concern(Need.CLOCK, "The clock is wrong.")
NOW = 1_700_000_000


@each_row(
    "concerns, last_notice, is_due",
    [
        ((), None, False),
        ((FAILING,), None, True),
        ((FAILING,), SentNotice(NOW - 1, ("failing",)), False),
        ((CLOCK,), SentNotice(NOW - 1, ("failing",)), False),
        ((FAILING,), SentNotice(NOW - DAY_SECONDS, ("failing",)), True),
        ((FAILING,), SentNotice(NOW + 1000, ("failing",)), True),
        ((), SentNotice(NOW - 1, ("failing",)), True),
        ((), SentNotice(NOW - 1, ()), False),
        ((FAILING,), SentNotice(NOW - 1, ()), False),
    ],
)
def test_one_notice_a_day_and_one_when_it_is_well_again(concerns, last_notice, is_due):
    notice = due("laro", concerns, last_notice, NOW)
    assert (notice is not None) is is_due
    assert notice is None or notice.is_well is not bool(concerns)
