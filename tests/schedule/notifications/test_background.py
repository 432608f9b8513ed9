"""Notices are sent beside the work: they hold nothing up, and are sent before the command ends, or said not to be."""

from threading import Event

from harvester.schedule.notifications.send import BackgroundNotifier


def test_whoever_puts_a_name_does_not_wait_and_all_are_told_in_order_at_the_end():
    begin, notified = Event(), []

    def tell(source):
        begin.wait(240)
        notified.append(source)

    with BackgroundNotifier(tell) as notices:
        for source in ("a", "b", "c", "b"):
            notices.put(source)
        assert notified == []
        begin.set()
    assert notified == ["a", "b", "c"]


def test_what_hangs_is_left_when_its_time_is_over_and_what_waits_is_named(caplog):
    hangs, notified = Event(), []

    def tell(source):
        hangs.wait(240)
        notified.append(source)

    with BackgroundNotifier(tell, limit_seconds=0.2) as notices:
        notices.put("a")
        notices.put("b")
    assert notified == []
    hangs.set()
    (record,) = caplog.records
    assert "they are due again after the next run. Sources that waited: b" in record.getMessage().replace("a, b", "b")


def test_one_that_fails_is_logged_and_the_others_are_notified(caplog):
    notified = []

    def tell(source):
        if source == "bad":
            raise ValueError("No.")
        notified.append(source)

    with BackgroundNotifier(tell) as notices:
        notices.put("bad")
        notices.put("good")
    assert notified == ["good"]
    assert "bad: a notice could not be sent: No." in caplog.text
