"""Strangers are asked politely: robots.txt, pauses, one at a time, and never where we were blocked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from gateway.errors import ConfigurationError, ConnectionFailed, NameUnknown, RobotsDenied, TryLater
from harvester.search.manners import Manners, told_delay
from harvester.wire.http import Request
from tests.discovery.recorded import DATA, exchanges
from tests.discovery.web import RecordedWeb, answer, recorded

PAGE = Request("https://journal.example.org/a")
ROBOTS = "https://journal.example.org/robots.txt"


class Clock:
    """A clock that sleeping moves."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def mannered(clock: Clock) -> Callable[..., tuple[Manners, RecordedWeb]]:
    def make(**own) -> tuple[Manners, RecordedWeb]:
        web = RecordedWeb(
            {PAGE.url: answer("x"), **{f"https://journal.example.org/{name}": each for name, each in own.items()}},
            has_recordings=False,
        )
        return Manners(web, 1.0, sleep=clock.sleep, monotonic=lambda: clock.now), web

    return make


def with_robots(text: str | bytes, status: int = 200) -> dict:
    return {"robots.txt": answer(text, status)}


def test_robots_are_asked_once_and_what_they_do_not_forbid_is_fetched(mannered, clock: Clock) -> None:
    manners, web = mannered(**with_robots("User-agent: *\nDisallow: /private"))
    for _ in range(3):
        manners(PAGE)
    assert web.asked == [ROBOTS, PAGE.url, PAGE.url, PAGE.url]
    assert clock.slept == [1.0, 1.0]
    with pytest.raises(RobotsDenied, match="asks us to stay away"):
        manners(Request("https://journal.example.org/private/a.pdf"))


def test_after_a_day_robots_are_asked_again(mannered, clock: Clock) -> None:
    manners, web = mannered()
    manners(PAGE)
    clock.now += 86_401
    manners(PAGE)
    assert web.asked.count(ROBOTS) == 2


@pytest.mark.parametrize("status", [404, 403, 410])
def test_where_there_are_no_robots_all_is_allowed(mannered, status: int) -> None:
    manners, _ = mannered(**with_robots("Disallow: /", status))
    assert manners(PAGE).body == b"x"


@pytest.mark.parametrize(("robots", "error"), [(answer(status=503), TryLater), (NameUnknown("x"), NameUnknown)])
def test_where_robots_cannot_be_had_nothing_is_asked_today(mannered, robots, error) -> None:
    """It is no refusal: tomorrow may be otherwise."""
    manners, web = mannered(**{"robots.txt": robots})
    for _ in range(2):
        with pytest.raises(error):
            manners(PAGE)
    assert web.asked == [ROBOTS]


def test_the_crawl_delay_is_kept_and_a_long_one_parks_the_host(mannered, clock: Clock) -> None:
    manners, _ = mannered(**with_robots("User-agent: *\nCrawl-delay: 15"))
    manners(PAGE)
    manners(PAGE)
    assert clock.slept == [15.0]
    manners, _ = mannered(**with_robots("User-agent: *\nCrawl-delay: 3600"))
    with pytest.raises(TryLater, match="asks for 3600 seconds"):
        manners(PAGE)


def test_services_have_their_own_pause_and_no_robots(mannered, clock: Clock) -> None:
    manners, web = mannered()
    for _ in range(2):
        manners(Request("https://api.crossref.org/works/10.1234/x"))
    assert (len(web.asked), clock.slept) == (2, [pytest.approx(0.34)])


@pytest.mark.parametrize(
    ("headers", "delay"),
    [
        ({"X_Rate_Limit_Limit": "50", "X_Rate_Limit_Interval": "1s"}, 0.02),
        ({"X_Ratelimit_Limit": "3", "X_Ratelimit_Interval": "1s"}, 1 / 3),
        ({"X_Rate_Limit_Limit": "0", "X_Rate_Limit_Interval": "1s"}, None),
        ({"X_Rate_Limit_Limit": "5", "X_Rate_Limit_Interval": "soon"}, None),
        ({"X_Rate_Limit_Limit": "many", "X_Rate_Limit_Interval": "1s"}, None),
        ({}, None),
    ],
)
def test_a_service_may_tell_its_limit_in_its_headers(headers: dict[str, str], delay: float | None) -> None:
    assert told_delay(answer("x", **headers)) == delay


def test_what_a_service_told_counts_from_then_on(clock: Clock) -> None:
    url = "https://api.crossref.org/works/10.1234/x"
    web = RecordedWeb({url: answer("x", X_Rate_Limit_Limit="1", X_Rate_Limit_Interval="2s")}, has_recordings=False)
    manners = Manners(web, 1.0, sleep=clock.sleep, monotonic=lambda: clock.now)
    for _ in range(3):
        manners(Request(url))
    assert clock.slept == [pytest.approx(0.34), 2.0]


@pytest.mark.needs("../shared")
def test_the_limits_of_every_recorded_answer_of_crossref_are_understood() -> None:
    told = Counter(told_delay(each) for each in exchanges("crossref/http", "*api.crossref.org*"))
    assert told.keys() == {None, 0.02, 0.1, 0.2, 1 / 3}
    assert told[0.02] == 28


@pytest.mark.parametrize("block", [answer(status=403), answer(status=429), answer(status=502)])
def test_a_host_that_blocks_three_times_is_left_alone_for_a_day(mannered, clock: Clock, block) -> None:
    manners, web = mannered(a=block)
    for _ in range(3):
        manners(PAGE)
    with pytest.raises(TryLater, match="left alone for a day"):
        manners(PAGE)
    assert web.asked.count(PAGE.url) == 3
    clock.now += 86_401
    manners(PAGE)
    assert web.asked.count(PAGE.url) == 4


def test_broken_connections_count_and_an_answer_forgives(mannered) -> None:
    manners, web = mannered(a=ConnectionFailed("x"), b=answer("fine"))
    for _ in range(2):
        with pytest.raises(ConnectionFailed):
            manners(PAGE)
    manners(Request("https://journal.example.org/b"))
    with pytest.raises(ConnectionFailed):
        manners(PAGE)
    assert web.asked.count(PAGE.url) == 3


def test_what_is_wrong_with_us_blames_no_host(mannered) -> None:
    manners, web = mannered(a=ConfigurationError("x"))
    for _ in range(4):
        with pytest.raises(ConfigurationError):
            manners(PAGE)
    assert web.asked.count(PAGE.url) == 4


@pytest.mark.needs("../shared")
def test_every_recorded_robots_is_read_and_the_strict_ones_are_kept() -> None:
    denied = set()
    for file in sorted((DATA / "robots").glob("*.robots.txt")):
        host = file.name.removesuffix(".robots.txt")
        page = f"https://{host}/science/article/1.pdf"
        web = RecordedWeb(
            {f"https://{host}/robots.txt": recorded(f"robots/{file.name}"), page: answer("x")}, has_recordings=False
        )
        try:
            Manners(web, 0.0, sleep=lambda _: None)(Request(page))
        except RobotsDenied:
            denied.add(host)
    assert denied == {"www.cell.com", "www.nature.com", "www.sciencedirect.com", "www.thelancet.com"}
