"""A search as a process that can be killed: every request is written to a file before it is answered.

`python killed.py FOLDER LOG SECONDS_AHEAD`: the clock is ahead so that the leases of the one killed before are over.
What is found in the small web of the sample is published after each search.
"""

import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from gateway.core.settings import load
from gateway.fulltext.release import Releaser
from harvester.fulltext.polite_fetch import CachingFetch
from harvester.fulltext.run import FullTextSearch
from harvester.fulltext.step_order import steps
from harvester.http.messages import Fetched, Request
from tests.opening import open_discovery, open_inbox, open_store
from tests.sample.source import read_works
from tests.sample.web import made

THREADS = 2


def main(folder: Path, log: int, ahead: int) -> None:
    """Search for everything that is due, and publish it."""
    there = made(read_works()[0])

    def clock() -> float:
        return time.time() + ahead

    def fetch(request: Request) -> Fetched:
        os.write(log, f"{request.url}\n".encode())
        time.sleep(0.01)
        kind, body = there.get(request.url.partition("://")[2].partition("?")[0], ("", b""))
        return Fetched(request.url, 200 if body else 404, (("Content-Type", kind),), body, int(clock()))

    discovery, store = open_discovery(folder), open_store(folder)
    options = {"discover_email": "librarian@library.test", "discover_threads": THREADS}
    settings = load(folder, environ={}, options=options)  # type: ignore[arg-type]
    work = FullTextSearch(store, discovery, CachingFetch(fetch, discovery, clock), settings, steps(), clock)
    releasing = Releaser(store, open_inbox(folder), discovery, settings)
    work.enlist(["laro"])
    print("ready", flush=True)
    for result in work.run():
        print(result.identifier, result.is_lost, flush=True)
        releasing.release()
    releasing.release()


if __name__ == "__main__":
    descriptor = os.open(sys.argv[2], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    main(Path(sys.argv[1]), descriptor, int(sys.argv[3]))
