"""How tests wait: for a condition, with one limit that is generous enough for a busy machine."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from time import monotonic, sleep

from tests.opening import open_store

PATIENCE_SECONDS = 240.0


def wait_until(is_so: Callable[[], object], message: str = "It did not come true.") -> None:
    """Return when a condition holds; fail after a long time."""
    end = monotonic() + PATIENCE_SECONDS
    while not is_so():
        assert monotonic() < end, message
        sleep(0.01)


def wait_for_horizon(instance: Path, metadata_prefix: str = "oai_dc") -> None:
    """Return when the horizon of a store has passed its last change: readers get that, and compaction may touch it."""
    with closing(open_store(instance, only_reads=True)) as store:

        def has_passed() -> bool:
            with store.view() as view:
                return view.horizon >= view.changed_until(metadata_prefix, 10**11)

        wait_until(has_passed)
