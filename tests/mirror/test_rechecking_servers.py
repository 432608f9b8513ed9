"""A recheck among servers that are busy, lead astray, or have wrong clocks: nothing is lost, and nobody is pressed."""

import signal
import subprocess
from threading import Event
from time import sleep

import pytest

from tests.live import command, environment
from tests.mirror.conftest import NO_PAUSES, each_mirror
from tests.mirror.provider import Item, breaking_off, serving

pytestmark = pytest.mark.slow  # it asks servers


def _busy(status):
    return lambda handler: handler.send(status, b"later", {"Retry-After": "100000"}) or True


@each_mirror("status", [429, 503])
def test_a_host_that_is_busy_is_left_alone(provider, mirror, recheck, fill, status):
    fill(10, says=())
    mirror.run()
    held = mirror.held()
    for name in provider.items:
        provider.faults |= {f"{name}/{file}": _busy(status) for file in ("a.txt", "b.txt")}
    receipt = recheck(status=3)
    assert len(provider.asked) < 10
    assert "Files that could not be requested: 20 (oai:p:0 files/" in receipt["doubts"][0]
    assert (receipt["missing"], mirror.held()) == ([], held)
    provider.faults.clear()
    assert recheck()["is_whole"]
    assert len(provider.asked) == 20


def test_a_run_of_the_mirror_leaves_a_host_alone_that_is_busy(provider, mirror, fill):
    fill(10, says=())
    for name in provider.items:
        provider.faults |= {f"{name}/{file}": _busy(429) for file in ("a.txt", "b.txt")}
    assert len(mirror.run(status=3)["missing"]) == 20
    assert len(provider.asked) < 10
    provider.faults.clear()
    assert mirror.run("--retry-failed")["is_whole"]


@each_mirror("answer", [(503, {"Retry-After": "100000"}), (403, {})])
def test_a_provider_that_does_not_answer_for_its_records_holds_up_nothing(provider, mirror, recheck, fill, answer):
    fill(8, says=())
    mirror.run()
    held = mirror.held()
    for name, item in provider.items.items():
        item.document = provider._didl(name)
        del item.files["a.txt"]
    provider.items["oai:p:7"].files["b.txt"] = b"bX"
    provider.refusals["GetRecord"] = answer
    receipt = recheck(status=3)
    assert {(missing["identifier"], missing["fate"]) for missing in receipt["missing"]} == {
        (name, "not_found") for name in provider.items
    }
    assert mirror.held() == {**held, "oai:p:7": {"a.txt": b"a7", "b.txt": b"bX"}}
    assert "Records of changed files that could not be requested: 8 (oai:p:" in receipt["doubts"][0]
    assert len(provider.refused) <= 9


def test_what_leads_to_an_address_that_may_not_be_asked_makes_no_version(provider, mirror, recheck, fill):
    fill(2, says=())
    mirror.run()
    provider.faults["oai:p:0/a.txt"] = lambda handler: handler.send(302, b"", {"Location": "http://10.0.0.1/x"}) or True
    receipt = recheck(status=3)
    assert "Files that could not be requested: 1 (oai:p:0 files/a.txt)" in receipt["doubts"][0]
    assert (receipt["missing"], mirror.version("oai:p:0")) == ([], 1)


def test_a_date_in_the_future_is_no_condition(provider, mirror, recheck):
    provider.items["oai:p:0"] = Item({"a.txt": b"one"}, says=())
    provider.dates["oai:p:0/a.txt"] = "Mon, 05 Feb 2035 10:00:00 GMT"
    mirror.run()
    provider.items["oai:p:0"].files["a.txt"] = b"two"
    for text in (b"two", b"six"):
        provider.items["oai:p:0"].files["a.txt"] = text
        assert recheck()["objects"] == {"updated": 1}
        assert mirror.held() == provider.expected()


def test_a_part_that_a_stopped_recheck_has_left_is_not_joined_to_another_file(provider, mirror, recheck):
    """The rest is asked for by the validator of the part; the server has other bytes by then, or those of before."""
    provider.items["oai:p:0"] = Item({"a.txt": b"one" * 1000}, says=())
    mirror.run()

    for text in (b"one", b"six"):
        provider.faults["oai:p:0/a.txt"] = lambda handler: breaking_off(handler, b"two" * 500, 3000, '"two"')
        receipt = recheck(status=3)
        assert "could not be requested: 1" in receipt["doubts"][0]
        provider.faults.clear()
        provider.items["oai:p:0"].files["a.txt"] = text * 1000
        assert recheck()["is_whole"]
        assert mirror.held() == provider.expected()


def test_what_robots_forbid_now_is_not_asked_for_and_stays_held(provider, mirror, recheck, fill):
    fill(2, says=())
    mirror.run()
    rules = b"User-agent: *\nDisallow: /files/oai%3Ap%3A0/\n"
    provider.faults["/robots.txt"] = lambda handler: handler.send(200, rules, {"Content-Type": "text/plain"}) or True
    receipt = recheck(status=3)
    assert set(provider.asked) == {"/robots.txt", "oai:p:1/a.txt", "oai:p:1/b.txt"}
    assert "could not be requested: 2" in receipt["doubts"][0]
    assert (receipt["missing"], mirror.version("oai:p:0")) == ([], 1)


def test_an_address_that_was_allowed_before_and_is_not_now_makes_no_version(provider, mirror, recheck, fill):
    with serving() as other:
        fill(2, says=())
        ours = provider.file_url
        provider.file_url = lambda name: (other.file_url if name.endswith("b.txt") else ours)(name)
        other.items = provider.items
        allowed = ("--allow", other.url.removeprefix("http://"))
        mirror.run(*allowed)
        receipt = recheck(status=3)
        assert "Files that could not be requested: 2 (oai:p:" in receipt["doubts"][0]
        assert "--allow" in receipt["doubts"][0]
        assert (receipt["missing"], mirror.version("oai:p:0")) == ([], 1)
        assert recheck(*allowed)["is_whole"]


ONE_AT_ONCE = {"mirror_host_connections": 1}
DAY = 86_400
ONE, TWO = ({name: f"{name} {text}".encode() for name in ("a", "b", "c")} for text in ("one", "two"))


_PATIENCE = 240  # seconds; a busy machine is no defect


def _until(condition):
    """Wait until something is so."""
    for _ in range(_PATIENCE * 100):
        if condition():
            return
        sleep(0.01)
    pytest.fail("It never was so.")


@pytest.fixture
def killed_at(provider, mirror):
    """Return a function that kills a recheck when it asks for a file, and a condition holds."""

    def killed(name, condition):
        reached, left = Event(), Event()

        def hangs(_handler):
            reached.set()
            left.wait(_PATIENCE)
            return False

        provider.faults[name] = hangs
        line = command("harvester", mirror.folder.parent / "nowhere", "mirror", "recheck", str(mirror.folder))
        given = {**ONE_AT_ONCE, "fetch_delay_seconds": 0}
        with subprocess.Popen(line, env={**environment(given), **NO_PAUSES}, stderr=subprocess.PIPE) as process:
            assert reached.wait(_PATIENCE)
            _until(condition)
            process.kill()
            left.set()
        provider.faults.clear()

    return killed


@pytest.fixture
def stops(provider, send_signal):
    """Return a function that lets SIGTERM come while a file is asked for, once; the answer comes when it is noted."""

    def stopping(name):
        def fault(_handler):
            del provider.faults[name]
            send_signal(signal.SIGTERM)
            return False

        provider.faults[name] = fault

    return stopping


def test_what_came_before_it_was_asked_to_stop_is_held_and_the_rest_is_due(provider, mirror, recheck, stops):
    provider.items["oai:p:0"] = Item(ONE.copy(), says=())
    mirror.run()
    recheck("--all", "--every", "30d")
    provider.items["oai:p:0"].files.update(TWO)
    stops("oai:p:0/a")
    provider.sent.clear()
    receipt = recheck(status=130, later=31 * DAY, **ONE_AT_ONCE)
    assert "run the same command again" in mirror.stderr
    assert (receipt["outcome"], provider.asked) == ("stopped", ["oai:p:0/a"])
    assert mirror.held()["oai:p:0"] == {**ONE, "a": TWO["a"]}
    assert recheck(later=31 * DAY + 1)["is_whole"]
    assert sorted(provider.sent) == ["oai:p:0/a", "oai:p:0/b", "oai:p:0/c"]
    assert mirror.held() == provider.expected()
    recheck(later=31 * DAY + 2)
    assert provider.asked == []


def test_a_round_over_everything_goes_on_where_it_was_stopped(provider, mirror, recheck, stops):
    provider.has_validators = False
    for number in range(6):
        provider.items[f"oai:p:{number}"] = Item({"a": b"%d" % number}, says=())
    mirror.run()
    provider.sent.clear()
    stops("oai:p:2/a")
    recheck(status=130, **ONE_AT_ONCE)
    assert len(provider.sent) == 3
    assert recheck()["objects"] == {"unchanged": 3}
    assert "is continued" in mirror.stderr
    assert len(provider.sent) == 6
    assert recheck()["objects"] == {"unchanged": 6}


def test_a_recheck_that_is_killed_goes_on(provider, mirror, recheck, fill, killed_at):
    """What its memory had not kept is asked for once more, and nothing of it is sent."""
    fill(8, says=())
    mirror.run()
    for number in range(8):
        provider.items[f"oai:p:{number}"].files["a.txt"] = b"other %d" % number
    killed_at("oai:p:7/b.txt", lambda: mirror_is_locked(mirror, recheck))
    assert recheck()["is_whole"]
    assert mirror.held() == provider.expected()
    assert mirror.version("oai:p:0") == 2
    assert list((mirror.folder / "aside").iterdir()) == []
    provider.sent.clear()
    recheck()
    assert provider.sent == []


def mirror_is_locked(mirror, recheck):
    """Tell whether neither a recheck nor a run may work on the mirror now."""
    asked = mirror.provider.asked[:]
    outcomes = []
    for tried in (recheck, mirror.run):
        tried(status=6)
        outcomes.append("Another process works on" in mirror.stderr)
    mirror.provider.asked[:] = asked
    return all(outcomes)
