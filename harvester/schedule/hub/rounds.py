"""The rounds of our hub, which `tend` runs: each delivers what is new, and verifies the requests that wait.

It delivers first, and then once more to those whose subscription has just begun.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from time import monotonic, time
from traceback import format_exception
from typing import Final

from gateway.errors import GatewayError
from gateway.hub_subscribers import topics_of
from harvester.harvest.instance import Instance
from harvester.runtime.exit_status import SourceLocked
from harvester.runtime.interrupts import Stop
from harvester.runtime.locks import lock
from harvester.runtime.progress import Progress
from harvester.schedule.hub.calls import Calls
from harvester.schedule.hub.change_lists import ChangeLists
from harvester.schedule.hub.deliver import Delivery
from harvester.schedule.hub.networks import Shares
from harvester.schedule.hub.news import Contents, News
from harvester.schedule.hub.reach import to_subscribers, to_topic
from harvester.schedule.hub.verify import Verification
from harvester.schedule.repeating import repeated

_LOCK: Final = "hub.round"  # no name of a source has a dot
_PAUSE_SECONDS: Final = 5.0
_LONGEST_SECONDS: Final = 60.0


class Rounds:
    """The rounds of the hub of one instance."""

    def __init__(
        self,
        instance: Instance,
        progress: Progress,
        stop: Stop,
        clock: Callable[[], float] = time,
        ended: Callable[[Counter[str]], None] = lambda _: None,
    ) -> None:
        """Take the instance. `clock` returns seconds since 1970; `ended` gets the counts of each round that has any."""
        self._instance, self._progress, self._stop, self._clock = instance, progress, stop, clock
        topics = topics_of(instance.settings)
        self._news = None if topics is None else News(instance.store, topics)
        self._ended = ended
        self._complaint = ""

    def run(self) -> Counter[str]:
        """Run one round; return how many requests and deliveries ended how. An error is reported, and ends nothing.

        Nothing is done while another process runs a round.
        """
        counts: Counter[str] = Counter()
        complaint = ""
        try:
            if self._news is not None and self._has_subscribers():
                with lock(self._instance.folder, _LOCK):
                    counts = self._ran(self._news)
        except SourceLocked:
            pass
        except GatewayError as error:
            complaint = str(error)
        except Exception as error:  # noqa: BLE001 - a fault of the hub never stops harvests
            complaint = f"a fault of this program.\n{''.join(format_exception(error)).rstrip()}"
        if complaint and complaint != self._complaint:
            self._progress.fail(f"hub: {complaint}")
        self._complaint = complaint
        if counts:
            self._progress.say(f"hub: {', '.join(f'{name} {count}' for name, count in sorted(counts.items()))}.")
            self._ended(counts)
        return counts

    def run_all(self) -> None:
        """Run rounds until no call is left for the next one, or for a minute."""
        end = monotonic() + _LONGEST_SECONDS
        while self.run()["left"] and monotonic() < end and not self._stop.is_asked:
            pass

    @contextmanager
    def repeated(self) -> Iterator[None]:
        """Run rounds in a thread, as long as the block lasts."""
        if self._news is None:
            yield
            return
        with repeated(lambda: bool(self.run()["left"]), self._stop, "hub", _PAUSE_SECONDS):
            yield

    def _has_subscribers(self) -> bool:
        subscribers = self._instance.subscribers
        return bool(subscribers.requests(int(self._clock()), 1) or subscribers.denials(1) or subscribers.all())

    def _ran(self, news: News) -> Counter[str]:
        subscribers, settings = self._instance.subscribers, self._instance.settings
        reporting = (self._progress, self._stop, self._clock)
        verification = Verification(subscribers, *reporting)
        delivery = Delivery(subscribers, news, *reporting, settings.number("hub_give_up_after"))
        lists = ChangeLists(self._instance.store, settings, news.topics)
        contents_at = partial(Contents, partial(to_topic, settings, self._stop), lists)
        own = (news.topics.hub, *filter(None, map(settings.text, ("base_url", "websub_url"))))
        threads = settings.number("hub_threads")
        with (
            to_subscribers(settings, own, self._stop) as fetch,
            ThreadPoolExecutor(threads, "hub") as pool,
        ):
            calls = Calls(pool, self._stop, Shares(threads))
            counts = Counter(expired=subscribers.expire(int(self._clock())))
            counts += delivery.deliver(fetch, calls, contents_at)
            counts += verification.verify(fetch, calls)
            counts += verification.inform(fetch, calls)
            again = Calls(pool, self._stop, calls.shares)
            if counts["subscribed"]:
                counts += delivery.deliver(fetch, again, contents_at)
            counts += Counter(left=max(calls.left, again.left))
        return counts
