"""Each accepted file is announced once; what may pass is repeated, and what is withdrawn is shown."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from hashlib import sha256

import pytest

from gateway.model import FileLink
from gateway.publish_files import file_all
from gateway.store.takedown_file import TakedownFile
from gateway.takedowns import Kind, Takedown, place_of
from harvester.harvest.instance import opened
from harvester.offer.run import pause_after
from harvester.runtime.locks import lock
from harvester.schedule.notifications.reasons import concerns_of
from tests import live
from tests.fulltext.conftest import NAME
from tests.http.server import ok, until_gone
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
    for status in (200, 204, 301, 307, 400, 403, 404, 409, 410, 422):
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
    for status in (408, 425, 429, 500, 502, 503, 504):
        place.server.say("/inbox", ok(b"", status, Retry_After="7200"), ok(b"", 202))
        assert place.offer("--again", status=5) == [(A, "retrying")], status
        assert place.offer() == [], "its pause is not over"
    place.later()
    assert place.offer() == [(A, "accepted")]
    first, *others = place.notifications
    assert others == [first] * 7


def test_pauses_grow_up_to_a_day() -> None:
    assert [pause_after(tries) for tries in (1, 2, 3, 8, 1000)] == [900, 1800, 3600, 86_400, 86_400]


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


def test_a_withdrawn_file_that_is_published_again_is_offered_again(place: Place) -> None:
    digest = place.accept(A)
    place.offer()
    place.withdraw(A, digest)
    place.offer()
    place.accept(A)
    assert place.offer() == [(A, "created")]
    first, second = place.notifications
    assert first["id"] == second["id"]


def test_the_offer_of_an_item_that_was_taken_down_is_withdrawn(place: Place) -> None:
    place.accept(A)
    place.offer()
    place.call("takedown", "add", PREFIX + upstream(A), "--reason", "A notice.")
    assert place.offer() == [(A, "withdrawn")]


def test_a_dry_run_sends_nothing_and_lists_what_waits(place: Place) -> None:
    place.accept(A)
    assert place.offer("--dry-run") == [(A, "waiting")]
    assert place.notifications == []
    assert place.offer("--limit", "1") == [(A, "created")]
    assert place.offer("--dry-run") == []
    assert place.offer("--list") == [(A, "created")]


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


def test_tend_waits_after_a_failure(place: Place) -> None:
    place.accept(A)
    place.server.say("/inbox", ok(b"", 500))
    place.data("tend", status=5)
    due = place.data("status")[0]["due"]["offer"]
    assert due != "now"
    asked = len(place.server.asked)
    place.data("tend")
    assert len(place.server.asked) == asked


def test_a_source_without_an_inbox_is_a_mistake_in_the_command(place: Place) -> None:
    file = place.folder / "sources.toml"
    file.write_text("\n".join(line for line in file.read_text().splitlines() if "notify_inbox" not in line))
    assert "notify_inbox" in place.call("offer", NAME, status=2)
    assert "offer" not in place.data("status")[0]["due"]


def test_two_addresses_with_the_same_bytes_are_one_file(place: Place) -> None:
    place.accept(A)
    place.accept(A, url="https://b.example.org/2.pdf")
    place.accept(A, url="https://c.example.org/3.pdf", body=b"%PDF another version")
    assert place.offer() == [(A, "created"), (A, "created")]


def test_an_inbox_that_never_answers_is_tried_again(place: Place) -> None:
    place.accept(A)
    with (place.folder / "config.toml").open("a") as config:
        config.write("fetch_file_deadline_seconds = 1.0\n")
    place.server.say("/inbox", until_gone)
    assert place.offer(status=5) == [(A, "retrying")]
    assert place.explained(A)[0]["problem"]


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


def test_people_are_notified_of_an_inbox_that_stays_away(place: Place) -> None:
    place.accept(A)
    with (place.folder / "config.toml").open("a") as config:
        config.write("notify_after_failures = 2\n")
    place.server.say("/inbox", ok(b"", 500))
    for _ in range(2):
        place.offer("--again", status=5)
    with opened(str(place.folder)) as instance:
        (concern,) = concerns_of(instance, NAME)
    assert concern.sentence.startswith("The last 2 rounds of offers failed.")


def test_a_source_with_hours_is_not_announced_to_outside_of_them(place: Place) -> None:
    place.accept(A)
    now = time.gmtime()
    file = place.folder / "sources.toml"
    file.write_text(file.read_text() + f'hours = "{(now.tm_hour + 2) % 24:02}:00-{(now.tm_hour + 3) % 24:02}:00"\n')
    assert place.offer() == []
    assert place.server.asked == []
    assert place.data("status")[0]["offers"] == {"waiting": 1}


def test_a_repository_that_has_no_address_says_so_and_sends_nothing(place: Place) -> None:
    place.accept(A)
    file = place.folder / "config.toml"
    file.write_text("\n".join(line for line in file.read_text().splitlines() if not line.startswith("base_url")))
    place.offer(status=2)
    assert place.server.asked == []
    assert "base_url" in place.call("log", "2")


def test_several_sources_are_offered_to_and_the_worst_result_counts(place: Place) -> None:
    place.accept(A)
    file = place.folder / "sources.toml"
    file.write_text(f'{file.read_text()}\n[other]\nurl = "https://o.example.org/"\nnotify_inbox = "{place.inbox}"\n')
    with lock(place.folder, "other"):
        offers = place.data("offer", NAME, "other", status=6)
    assert [offer["outcome"] for offer in offers] == ["created"]


def test_people_read_lines(place: Place) -> None:
    place.accept(A)
    place.server.say("/inbox", ok(b"", 404))
    assert "refused  The inbox answers with HTTP status 404." in place.call("offer", NAME, status=3)
    explained = place.call("explain", PREFIX + upstream(A))
    assert f"offered to {place.inbox}: refused, HTTP status 404, The inbox answers" in explained
    place.server.say("/inbox", ok(b"", 500))
    place.call("offer", NAME, "--again", status=5)
    assert "next try at" in place.call("explain", PREFIX + upstream(A))


def test_before_the_first_search_nothing_is_listed(place: Place) -> None:
    assert not (place.folder / "discovery.sqlite").exists()
    assert place.offer("--list") == []
    assert place.offer("--dry-run") == []
    assert not (place.folder / "discovery.sqlite").exists()


def test_a_file_that_is_withdrawn_during_a_round_is_not_sent(place: Place) -> None:
    place.accept(A)
    digest = place.accept(B)

    def withdraw(request) -> None:
        place.withdraw(B, digest)
        created(request)

    place.server.say("/inbox", withdraw, ok(b"", 201))
    assert place.offer() == [(A, "created")]
    assert len(place.notifications) == 1


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


def test_a_takedown_whose_command_was_killed_is_carried_out_before_offers(place: Place) -> None:
    place.accept(B)
    entry = Takedown(Kind.IDENTIFIER, PREFIX + upstream(B))._replace(at="2026-01-01T00:00:00Z")
    TakedownFile(place.folder).change(lambda entries: (*entries, entry))
    assert place.offer() == []
    assert place.notifications == []


def test_a_corrected_entry_is_tried_at_once(place: Place) -> None:
    place.accept(A)
    inbox = place.inbox
    place.configure("http://127.0.0.1:9/inbox", allow="127.0.0.1:9")
    for _ in range(3):
        place.call("offer", NAME, "--again", status=5)
    assert [line for line in place.data("tend") if line["stage"] == "offer"] == [], "it waits"
    place.configure(inbox)
    assert [line["outcome"] for line in place.data("tend") if line["stage"] == "offer"] == ["succeeded"]
    assert [offer["outcome"] for offer in place.explained(A)] == ["created"]


def test_an_inbox_that_is_allowed_by_now_is_tried_at_once(place: Place) -> None:
    place.accept(A)
    place.configure(allow="192.0.2.1")
    for _ in range(2):
        place.call("offer", NAME, status=4)
    assert [line for line in place.data("tend") if line["stage"] == "offer"] == [], "it waits"
    place.configure()
    assert [line["outcome"] for line in place.data("tend") if line["stage"] == "offer"] == ["succeeded"]
