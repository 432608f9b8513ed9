"""Strangers are asked politely: robots.txt, pauses, one at a time, and never where we were blocked."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

import pytest

from gateway.core.errors import NameUnknown, RobotsDenied, TryLater
from harvester.fulltext.polite_fetch import ROBOTS_HOLD, CachingFetch
from harvester.fulltext.politeness import Budget, PoliteFetch, stated_budget
from harvester.http.messages import Fetched, Request
from tests.fulltext.web import DATA, RecordedWeb, answer, exchanges, recorded
from tests.opening import open_discovery
from tests.rows import each_row
from tests.waiting import wait_until

PAGE = Request("https://journal.example.org/a")
ROBOTS = "https://journal.example.org/robots.txt"


class Clock:
    """A clock that sleeping moves."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def mannered(clock: Clock) -> Callable[..., tuple[PoliteFetch, RecordedWeb]]:
    def make(**own) -> tuple[PoliteFetch, RecordedWeb]:
        web = RecordedWeb(
            {
                PAGE.url: answer("x"),
                **{f"https://journal.example.org/{name}": response for name, response in own.items()},
            },
            has_recordings=False,
        )
        return PoliteFetch(web, 1.0, sleep=clock.sleep, monotonic=clock, clock=clock), web

    return make


def with_robots(text: str | bytes, status: int = 200) -> dict:
    return {"robots.txt": answer(text, status)}


def test_robots_are_asked_once_and_what_they_do_not_forbid_is_fetched(mannered, clock: Clock) -> None:
    manners, web = mannered(**with_robots("User-agent: *\nDisallow: /private"))
    for _ in range(3):
        manners(PAGE)
    assert web.asked == [ROBOTS, PAGE.url, PAGE.url, PAGE.url]
    assert clock.slept == [1.0, 1.0]
    with pytest.raises(RobotsDenied, match="forbids requests"):
        manners(Request("https://journal.example.org/private/a.pdf"))
    clock.now += 86_401
    manners(PAGE)
    assert web.asked.count(ROBOTS) == 2


@each_row("status", [404, 403, 410])
def test_where_there_are_no_robots_all_is_allowed(mannered, status: int) -> None:
    manners, _ = mannered(**with_robots("Disallow: /", status))
    assert manners(PAGE).body == b"x"
    manners, _ = mannered(**with_robots("#" * 512_000 + "\nUser-agent: *\nDisallow: /"))  # only the beginning counts
    assert manners(PAGE).robots == "allowed"


@each_row("robots, error", [(answer(status=503), TryLater), (NameUnknown("x"), NameUnknown)])
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


@each_row("headers, budget", [
    ({"X_Rate_Limit_Limit": "50", "X_Rate_Limit_Interval": "1s"}, Budget(0.02)),
    ({"X_Ratelimit_Limit": "3", "X_Ratelimit_Interval": "1s"}, Budget(1 / 3)),
    ({"X_Rate_Limit_Limit": "10", "X_Rate_Limit_Interval": "1s", "X_Concurrency_Limit": "3"}, Budget(0.1, 3)),
    ({"X_Rate_Limit_Limit": "10", "X_Rate_Limit_Interval": "1s", "X_Concurrency_Limit": "999"}, Budget(0.1, 16)),
    ({"X_Rate_Limit_Limit": "10", "X_Rate_Limit_Interval": "1s", "X_Concurrency_Limit": "some"}, Budget(0.1)),
    ({"X_Rate_Limit_Limit": "10", "X_Rate_Limit_Interval": "1s", "X_Concurrency_Limit": "0"}, Budget(0.1)),
    ({"X_Rate_Limit_Limit": "0", "X_Rate_Limit_Interval": "1s"}, None),
    ({"X_Rate_Limit_Limit": "5", "X_Rate_Limit_Interval": "soon"}, None),
    ({"X_Rate_Limit_Limit": "many", "X_Rate_Limit_Interval": "1s"}, None),
    ({"X_Rate_Limit_Limit": "9" * 5000, "X_Rate_Limit_Interval": "1s"}, None), ({}, None),
])  # fmt: skip
def test_a_service_may_tell_its_limit_in_its_headers(headers: dict[str, str], budget: Budget | None) -> None:
    assert stated_budget(answer("x", **headers)) == budget  # type: ignore[arg-type]


@pytest.mark.needs("../shared")
def test_the_limits_of_every_recorded_answer_of_crossref_are_understood() -> None:
    budgets = Counter(stated_budget(exchange) for exchange in exchanges("crossref/http", "*api.crossref.org*"))
    assert {budget.pause for budget in budgets if budget} == {0.02, 0.1, 0.2, 1 / 3}
    assert {budget.at_once for budget in budgets if budget} == {1, 3}


CAPTCHA = answer("<title>Just a moment...</title>", 403)


@each_row("block, times", [(CAPTCHA, 3), (answer(status=429), 3), (answer(status=502), 3), (answer("<p>no", 403), 12)])
def test_a_host_that_blocks_or_refuses_everything_is_left_alone_for_a_day(mannered, clock: Clock, block, times) -> None:
    manners, web = mannered(a=block)
    for _ in range(times):
        manners(PAGE)
    with pytest.raises(TryLater, match="gets no request for a day"):
        manners(PAGE)
    assert web.asked.count(PAGE.url) == times
    clock.now += 86_401
    manners(PAGE)
    assert web.asked.count(PAGE.url) == times + 1


def test_who_blocks_us_is_left_alone_by_other_processes_too(clock: Clock, tmp_path) -> None:
    discovery = open_discovery(tmp_path)
    web = RecordedWeb({PAGE.url: CAPTCHA}, has_recordings=False)
    first, second = (
        PoliteFetch(web, 1.0, away=discovery, sleep=clock.sleep, monotonic=clock, clock=clock) for _ in range(2)
    )
    for _ in range(3):
        first(PAGE)
    with pytest.raises(TryLater, match="gets no request for a day"):
        second(PAGE)
    discovery.close()
    assert web.asked.count(PAGE.url) == 3


@each_row("begins_at", [0, 1, 43_200, 86_399, 86_400])
def test_rules_are_never_older_than_a_day_whichever_process_has_fetched_them(clock: Clock, tmp_path, begins_at) -> None:
    """A process that began later held rules that another one had stored for a day more (RFC 9309 §2.4)."""
    discovery = open_discovery(tmp_path)
    web = RecordedWeb(
        {PAGE.url: answer("x"), ROBOTS: answer("User-agent: *\nDisallow: /private")}, has_recordings=False
    )

    def process() -> PoliteFetch:
        robots = CachingFetch(web, discovery, clock, ROBOTS_HOLD)
        return PoliteFetch(web, 0.0, ask_robots=robots, sleep=clock.sleep, monotonic=clock, clock=clock)

    began = clock.now
    assert process()(PAGE).robots == "allowed"
    clock.now = began + begins_at
    later = process()
    assert later(PAGE).robots == "allowed"
    web.own = {PAGE.url: answer("x"), ROBOTS: answer("User-agent: *\nDisallow: /")}
    clock.now = began + 86_400 - 1
    if begins_at < 86_400:  # else it has just fetched them itself
        assert later(PAGE).robots == "allowed"
        clock.now = began + 86_400 + 1
        with pytest.raises(RobotsDenied):
            later(PAGE)
    discovery.close()


@pytest.mark.slow
def test_a_service_is_asked_as_many_at_once_as_it_says_and_a_page_host_once() -> None:
    """The first request of a host is answered when each thread sends another, or waits for its turn."""
    most: dict[str, int] = {}
    busy: Counter[str] = Counter()
    lock, answered = Lock(), set[str]()

    def fetch(request: Request) -> Fetched:
        name, path = request.url.split("/")[2:]
        with lock:
            busy[name] += 1
            most[name] = max(most.get(name, 0), busy[name])
        if path != "robots.txt":
            waiting = vars(manners._host(name).free)["_waiters"]
            wait_until(lambda: name in answered or busy[name] + len(waiting) == 8)
            answered.add(name)
        with lock:
            busy[name] -= 1
        return answer("x", X_Rate_Limit_Limit="1000", X_Rate_Limit_Interval="1s", X_Concurrency_Limit="3")

    manners = PoliteFetch(fetch, 0.0)
    for name in ("api.crossref.org", "journal.example.org"):
        manners(Request(f"https://{name}/robots.txt"))
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(manners, [Request(f"https://{name}/{number}") for number in range(16)]))
    assert most == {"api.crossref.org": 3, "journal.example.org": 1}


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
            PoliteFetch(web, 0.0, sleep=lambda _: None)(Request(page))
        except RobotsDenied:
            denied.add(host)
    assert denied == {"www.cell.com", "www.nature.com", "www.sciencedirect.com", "www.thelancet.com"}
