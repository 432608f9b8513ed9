"""Pages have threads of their own: whatever readers of pages do, harvesters are answered."""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack

import pytest

from gateway.server.application import PAGE_SHARE, Answer, HarvesterThreads, PageThreads
from gateway.server.connection import Phase
from tests.server.conftest import HELLO, application, everything
from tests.server.test_server import GET, LAST, PATIENCE_SECONDS, assert_answers, phases, until

OK = Answer("200 OK", (), b"")
LONG_SECONDS = 3600.0


class Pages:
    """An application whose pages are not ready until `are_ready` is set; the rest is answered at once."""

    def __init__(self) -> None:
        self.are_ready = threading.Event()
        self.begun: list[str] = []

    def __call__(self, environ, start_response):
        path = environ["PATH_INFO"]
        if path.startswith("/pages"):
            self.begun.append(path)
            assert self.are_ready.wait(PATIENCE_SECONDS)
        return application(environ | {"PATH_INFO": path.removeprefix("/pages")}, start_response)


@pytest.fixture
def pages() -> Iterator[Pages]:
    slow = Pages()
    yield slow
    slow.are_ready.set()


# --- brief answers ---


def test_brief_answers_are_made_by_the_event_loop_itself(serving):
    threads: set[str] = set()

    def noted(environ, start_response):
        threads.add(threading.current_thread().name)
        return application(environ, start_response)

    with serving(app=noted) as served:
        assert served.ask(GET % b"/brief" + LAST % b"/brief").count(HELLO) == 2
        assert not any(name.startswith("answers") for name in threads)
        assert served.ask(LAST % b"/").endswith(HELLO)
        assert any(name.startswith("answers") for name in threads)


@pytest.mark.parametrize(("takes", "seconds_of_threads"), [(0.019, 0.0), (0.021, 2.1), (3600.0, 600.0)])
def test_after_an_answer_that_was_not_brief_threads_make_them_for_a_hundred_times_as_long(
    monkeypatch, takes, seconds_of_threads
):
    """So a slow disk, or very large records, delay everybody else for a hundredth of the time, and no more."""
    seconds = [0.0]

    async def ask(takes: float) -> str:
        made_by: list[str] = []

        def make() -> Answer:
            made_by.append(threading.current_thread().name)
            seconds[0] += takes
            return OK

        monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: seconds[0])
        assert await threads.answer(make, is_brief=True) == OK
        assert threads.are_active()
        return "thread" if made_by[0].startswith("answers") else "loop"

    async def several() -> list[str]:
        asked = [await ask(takes)]
        seconds[0] += seconds_of_threads - 0.1
        asked.append(await ask(0.0))
        seconds[0] += 0.2
        return [*asked, await ask(0.0)]

    threads = HarvesterThreads(1)
    assert asyncio.run(several()) == ["loop", "thread" if seconds_of_threads else "loop", "loop"]


# --- over real sockets ---


@pytest.mark.slow
def test_harvesters_are_answered_while_all_threads_of_pages_are_busy_and_others_wait(serving, pages):
    with serving(threads=1, app=pages, page_threads=2) as served, ExitStack() as stack:
        readers = [stack.enter_context(served.connect(LAST % b"/pages/")) for _ in range(40)]
        until(lambda: phases(served) == [Phase.PAGE] * 40)
        assert len(pages.begun) == 2
        for _ in range(20):
            assert_answers(served)
        pages.are_ready.set()
        assert all(everything(reader).endswith(HELLO) for reader in readers)


@pytest.mark.slow
def test_pages_are_made_while_all_threads_of_harvesters_are_busy(serving):
    may_answer = threading.Event()

    def waiting(environ, start_response):
        assert environ["PATH_INFO"] != "/slow" or may_answer.wait(PATIENCE_SECONDS)
        return application(environ, start_response)

    with serving(threads=1, app=waiting) as served, served.connect(LAST % b"/slow") as harvester:
        until(lambda: phases(served) == [Phase.ANSWERING])
        assert served.ask(LAST % b"/pages").endswith(HELLO)
        may_answer.set()
        assert everything(harvester).endswith(HELLO)


@pytest.mark.slow
def test_page_that_waits_too_long_is_refused_in_a_sentence_and_not_before(serving, pages):
    with serving(app=pages, page_wait_seconds=PATIENCE_SECONDS) as served, served.connect(LAST % b"/pages/") as first:
        until(lambda: pages.begun)
        served.server.pages._wait_seconds = 0.5
        refusal = served.ask(GET % b"/pages/" + LAST % b"/")
        assert refusal.startswith(b"HTTP/1.1 503 ")
        assert b"\r\nRetry-After: 1\r\n" in refusal
        assert b"Too many pages are being requested." in refusal
        assert refusal.endswith(HELLO)  # the connection stays, and is good for other requests
        assert next(entry.seconds for entry in served.entries if entry.code == 503) >= 0.5
        pages.are_ready.set()
        assert everything(first).endswith(HELLO)
    assert pages.begun == ["/pages/"]


# --- the share of the time ---


def in_pools(work: Callable[[HarvesterThreads, PageThreads], Awaitable[None]], threads: int = 1) -> None:
    """Run what takes the threads of harvesters and those of pages."""

    async def run() -> None:
        harvesters = HarvesterThreads(1)
        pages = PageThreads(threads, harvesters, LONG_SECONDS)
        await work(harvesters, pages)
        for pool in (harvesters, pages):
            pool.executor.shutdown()

    asyncio.run(run())


def computing(seconds: float, ends: list[float]) -> Callable[[], Answer]:
    """Return what computes for so long in a thread, and notes when it has ended."""

    def make() -> Answer:
        begun_at = time.thread_time()
        while time.thread_time() - begun_at < seconds:
            pass
        ends.append(time.monotonic())
        return OK

    return make


@pytest.mark.slow
def test_pages_compute_no_more_than_their_share_while_harvesters_are_answered():
    threads, count, seconds = 3, 6, 0.01
    ends: list[float] = []
    may_answer = threading.Event()

    def harvest() -> Answer:
        assert may_answer.wait(PATIENCE_SECONDS)
        return OK

    async def work(harvesters: HarvesterThreads, pages: PageThreads) -> None:
        harvest_task = asyncio.create_task(harvesters.answer(harvest))
        await asyncio.sleep(0)
        await asyncio.gather(*(pages.answer(computing(seconds, ends)) for _ in range(count)))
        may_answer.set()
        await harvest_task

    in_pools(work, threads)
    # The first pages begin together; each later one begins after the pauses for all that have ended.
    assert max(ends) - min(ends) >= (count - threads) * seconds * (1 / PAGE_SHARE - 1)


def test_page_that_fails_gives_its_thread_back():
    def fail() -> Answer:
        raise OSError("the disk")

    async def work(_harvesters: HarvesterThreads, pages: PageThreads) -> None:
        for _ in range(3):
            with pytest.raises(OSError, match="the disk"):
                await pages.answer(fail)
        assert await pages.answer(lambda: OK) is OK

    in_pools(work)
