"""Each accepted file is announced once; what may pass is repeated, and what is withdrawn is shown."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from hashlib import sha256

import pytest

from gateway.core.model import FileLink
from gateway.core.takedown_file import TakedownFile
from gateway.core.takedowns import Kind, Takedown, place_of
from gateway.publish.publish_files import file_all
from tests import live
from tests.fulltext.conftest import NAME
from tests.http.server import ok
from tests.offer.conftest import PREFIX, Place, created, pdf, upstream

pytestmark = pytest.mark.slow  # real servers, and an instance for each test

A, B, C = "LR-15-00007", "LR-15-00071", "LR-18-00002"


def test_each_accepted_file_is_announced_once(place: Place) -> None:
    place.accept(A)
    place.accept(B)
    assert place.offer() == [(A, "created"), (B, "created")]
    assert place.offer() == []
    place.accept(C)
    assert place.offer() == [(C, "created")]
    assert len({notification["id"] for notification in place.notifications}) == 3


def test_nothing_is_offered_that_is_rejected_deleted_or_taken_down(place: Place) -> None:
    place.accept(A)
    digest = place.accept(B)
    place.accept(C)
    place.withdraw(B, digest)
    place.call("takedown", "add", PREFIX + upstream(C), "--reason", "A notice.")
    assert place.offer() == [(A, "created")]


def test_a_file_that_the_record_names_itself_is_not_offered(place: Place) -> None:
    digest = place.accept(A)
    _taken_in(place, A, digest)
    assert place.offer() == []
    assert place.notifications == []


def _taken_in(place: Place, item: str, digest: str) -> None:
    """Let the record of the source name a file with these bytes, besides the one that was found."""
    named = FileLink("https://laro.example.org/files/1.pdf", sha256=digest)
    with place.databases() as (store, inbox, _):
        file_all(store, inbox, NAME, (upstream(item),), lambda state: (*state.files, named))


def test_an_offer_is_taken_when_the_record_names_the_file(place: Place) -> None:
    digest = place.accept(A)
    place.accept(B)
    place.server.say("/inbox", ok(b"", 201), ok(b"", 500))
    assert place.offer(status=5) == [(A, "created"), (B, "retrying")]
    _taken_in(place, A, digest)
    _taken_in(place, B, sha256(pdf(B)).hexdigest())
    assert place.offer("--list") == [(A, "taken"), (B, "taken")]
    place.later()
    assert place.offer() == [], "not even what was not answered"
    assert [offer["outcome"] for offer in place.explained(B)] == ["taken"]
    assert "offer" not in place.data("status")[0]["due"]


def test_a_final_answer_is_shown_and_not_repeated(place: Place) -> None:
    place.accept(A)
    for status in (200, 307, 400, 404, 410):
        place.server.say("/inbox", ok(b"no", status, Location="/elsewhere"))
        assert place.offer("--again", status=3) == [(A, "refused")], status
        assert place.offer() == [], status
        (offer,) = place.explained(A)
        assert (offer["status"], offer["outcome"], str(status) in offer["problem"]) == (status, "refused", True)
    assert {asked.path for asked in place.server.asked} == {"/inbox"}, "no redirect is followed"
    place.server.say("/inbox", ok(b"", 202))
    assert place.offer("--again") == [(A, "accepted")]


def test_an_answer_that_may_pass_is_repeated_after_a_pause_with_the_same_id(place: Place) -> None:
    place.accept(A)
    for status in (408, 429, 500, 503):
        place.server.say("/inbox", ok(b"", status, Retry_After="7200"), ok(b"", 202))
        assert place.offer("--again", status=5) == [(A, "retrying")], status
        assert place.offer() == [], "its pause is not over"
    place.later()
    assert place.offer() == [(A, "accepted")]
    first, *others = place.notifications
    assert others == [first] * 4


def test_an_inbox_that_is_away_ends_the_round_and_the_other_files_wait(place: Place) -> None:
    items = [A, B, C, "LR-16-00003", "LR-16-00012"]
    for item in items:
        place.accept(item)
    place.server.say("/inbox", ok(b"", 500))
    assert [outcome for _, outcome in place.offer(status=5)] == ["retrying"] * 3
    (status,) = place.data("status")
    assert status["offers"] == {"waiting": 2, "retrying": 3}
    assert "offer" in status["due"]
    place.server.say("/inbox", ok(b"", 201))
    assert [outcome for _, outcome in place.offer()] == ["created"] * 2


def test_a_round_that_is_killed_between_sending_and_storing_sends_the_same_again(place: Place) -> None:
    place.accept(A)
    processes: list[subprocess.Popen[bytes]] = []

    def kill(request) -> None:
        os.kill(processes[0].pid, signal.SIGKILL)
        processes[0].wait()
        request.close_connection = True

    place.server.say("/inbox", kill, ok(b"", 201))
    command = live.command("harvester", place.folder, "offer", NAME)
    processes.append(subprocess.Popen(command, env=live.unmeasured(os.environ)))
    processes[0].wait(240)
    assert place.offer() == [(A, "created")]
    first, second = place.notifications
    assert first == second
    assert place.offer() == []


def test_a_file_that_is_withdrawn_after_it_was_offered_is_shown(place: Place) -> None:
    digest = place.accept(A)
    assert place.offer() == [(A, "created")]
    place.withdraw(A, digest)
    assert place.data("status")[0]["offers"] == {"withdrawn": 1}
    assert [offer["outcome"] for offer in place.explained(A)] == ["withdrawn"]
    assert place.offer() == [(A, "withdrawn")]
    assert place.offer() == []
    assert place.offer("--list") == [(A, "withdrawn")]
    assert len(place.notifications) == 1, "COAR Notify has no pattern for that"
    assert "is not published any more" in place.call("log", "3")


def test_a_limit_leaves_the_rest_for_the_next_round(place: Place) -> None:
    for item in (A, B, C):
        place.accept(item)
    assert place.offer("--limit", "2") == [(A, "created"), (B, "created")]
    assert place.data("status")[0]["due"]["offer"] == "now"
    assert place.offer() == [(C, "created")]


def test_tend_announces_when_something_was_published_and_then_rests(place: Place) -> None:
    place.accept(A)
    tended = {line["stage"]: line for line in place.data("tend")}
    assert tended["offer"]["counts"] == {"created": 1}
    assert [line for line in place.data("tend") if line["stage"] == "offer"] == []
    assert "offer" not in place.data("status")[0]["due"]
    place.accept(B)
    assert place.data("status")[0]["due"]["offer"] == "now"


def test_two_addresses_with_the_same_bytes_are_one_file(place: Place) -> None:
    place.accept(A)
    place.accept(A, url="https://b.example.org/2.pdf")
    place.accept(A, url="https://c.example.org/3.pdf", body=b"%PDF another version")
    assert place.offer() == [(A, "created"), (A, "created")]


def test_a_stop_keeps_what_was_sent_and_the_rest_waits(place: Place, send_signal: Callable[[int], None]) -> None:
    place.accept(A)
    place.accept(B)

    def stop(request) -> None:
        send_signal(signal.SIGTERM)
        created(request)

    place.server.say("/inbox", stop, ok(b"", 201))
    assert place.offer(status=130) == [(A, "created")]
    assert place.offer() == [(B, "created")]
    assert len(place.notifications) == 2


def test_a_source_with_hours_is_not_announced_to_outside_of_them(place: Place) -> None:
    place.accept(A)
    now = time.gmtime()
    file = place.folder / "sources.toml"
    file.write_text(file.read_text() + f'hours = "{(now.tm_hour + 2) % 24:02}:00-{(now.tm_hour + 3) % 24:02}:00"\n')
    assert place.offer() == []
    assert place.server.asked == []
    assert place.data("status")[0]["offers"] == {"waiting": 1}


def test_a_dry_run_lists_what_the_command_without_it_would_offer(place: Place) -> None:
    place.accept(A)
    place.accept(B)
    place.server.say("/inbox", ok(b"", 404), ok(b"", 500))
    place.offer(status=5)
    assert place.offer("--dry-run") == []
    assert place.offer("--dry-run", "--again") == [(A, "refused"), (B, "retrying")]
    assert place.offer("--dry-run", "--again", "--limit", "1") == [(A, "refused")]
    place.later()
    assert place.offer("--dry-run") == [(B, "retrying")]


def test_what_is_taken_down_during_a_round_is_not_sent(place: Place) -> None:
    """Its entry counts at once, before any record was published again."""
    by_identifier, by_record, by_address, by_bytes = "LR-15-00055/B", "LR-16-00003", "LR-16-00012", "LR-16-00018"
    entries = (
        Takedown(Kind.IDENTIFIER, PREFIX + upstream(by_identifier)),
        Takedown(Kind.UPSTREAM, upstream(by_record), NAME),
        Takedown(Kind.URL, place_of("https://laro.example.org/record/71")),
        Takedown(Kind.URL, place_of(f"https://a.example.org/{by_address}.pdf")),
        Takedown(Kind.SHA256, sha256(pdf(by_bytes)).hexdigest()),
    )
    for item in (A, B, by_identifier, by_record, by_address, by_bytes):
        place.accept(item)

    def take_down(request) -> None:
        dated = [entry._replace(at="2026-01-01T00:00:00Z") for entry in entries]
        TakedownFile(place.folder).change(lambda _: tuple(dated))
        created(request)

    place.server.say("/inbox", take_down, ok(b"", 201))
    assert place.offer() == [(A, "created")]
    assert len(place.notifications) == 1
    assert place.offer() == [], "the takedowns are carried out first"


def test_an_inbox_that_is_allowed_by_now_is_tried_at_once(place: Place) -> None:
    place.accept(A)
    place.configure(allow="192.0.2.1")
    for _ in range(2):
        place.call("offer", NAME, status=4)
    assert [line for line in place.data("tend") if line["stage"] == "offer"] == [], "it waits"
    place.configure()
    assert [line["outcome"] for line in place.data("tend") if line["stage"] == "offer"] == ["succeeded"]
