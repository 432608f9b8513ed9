"""A search as a process that can be killed: every request is written to a file before it is answered.

`python killed.py FOLDER LOG SECONDS_AHEAD`: the clock is ahead so that the leases of the one killed before are over.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from gateway.settings import load
from gateway.store.sqlite import open_store
from gateway.store.sqlite_discovery import open_discovery
from harvester.search.discovering import Discovering
from harvester.search.remembering import Remembering
from harvester.search.steps import steps
from harvester.wire.http import Fetched, Request

THREADS = 2


def main(folder: Path, log: int, ahead: int) -> None:
    """Search for everything that is due."""

    def clock() -> float:
        return time.time() + ahead

    def fetch(request: Request) -> Fetched:
        os.write(log, f"{request.url}\n".encode())
        time.sleep(0.01)
        return Fetched(request.url, 404, (), b"Resource not found.", int(clock()))

    desk = open_discovery(folder)
    options = {"discover_email": "librarian@library.test", "discover_threads": THREADS}
    settings = load(folder, environ={}, options=options)
    work = Discovering(open_store(folder), desk, Remembering(fetch, desk, clock), settings, steps(), clock)
    work.enlist(["laro"])
    print("ready", flush=True)
    for each in work.run():
        print(each.identifier, each.is_lost, flush=True)


if __name__ == "__main__":
    descriptor = os.open(sys.argv[2], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    main(Path(sys.argv[1]), descriptor, int(sys.argv[3]))
