"""One server for all faults, and instances to harvest into."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from harvester.harvest.instance import Instance, opened
from tests.faults.site import Clock, Site, Sites, serving
from tests.faults.source import Source, records
from tests.opening import open_store

# In memory where there is such a folder: these harvests commit thousands of times, and no power fails here.
_MEMORY = "/dev/shm"
# The waits that servers ask for cost no time here; what a request may wait in all stays as it is.
_SETTINGS = "publish_processes = 0\n"


@pytest.fixture(scope="module")
def sites() -> Iterator[Sites]:
    with serving() as sites:
        yield sites


@contextmanager
def _in_memory() -> Iterator[str]:
    with TemporaryDirectory(dir=_MEMORY if os.access(_MEMORY, os.W_OK) else None) as folder:
        yield folder


@pytest.fixture
def scratch() -> Iterator[Path]:
    """Return a folder; in memory, where what a process wrote before it was killed is as safe as on a disk."""
    with _in_memory() as folder:
        yield Path(folder)


@contextmanager
def _house() -> Iterator[Instance]:
    with _in_memory() as folder:
        (Path(folder) / "config.toml").write_text(_SETTINGS)
        open_store(Path(folder), create=True).close()
        with opened(folder) as house:
            yield house


@pytest.fixture(scope="module")
def house() -> Iterator[Instance]:
    """One instance for all tests of a file: every site is a source of its own in it."""
    with _house() as house:
        yield house


@pytest.fixture(scope="module")
def site(sites: Sites) -> Callable[[], tuple[str, Site]]:
    """Return a function that serves one more well-behaved source of sixty records, and returns its name with it."""
    numbers = count()

    def site() -> tuple[str, Site]:
        clock, name = Clock(), f"site{next(numbers)}"
        return name, sites.open(name, Source({record.identifier: record for record in records(60)}, clock), clock)

    return site
