"""Locks of an instance: one holder at a time, and a message for those who cannot wait any longer."""

from pathlib import Path
from threading import Event, Thread

import pytest

from gateway.core.errors import StoreBusy
from gateway.core.waiting import locked


def test_one_has_the_lock_at_a_time(tmp_path: Path) -> None:
    file, taken, leave = tmp_path / "locks" / ".one", Event(), Event()

    def hold() -> None:
        with locked(file):
            taken.set()
            leave.wait(240)

    holder = Thread(target=hold)
    holder.start()
    assert taken.wait(240)
    with pytest.raises(StoreBusy, match=r"\.one for more than 0\.01 seconds"), locked(file, 0.01):
        pass
    leave.set()
    with locked(file, 240):
        holder.join()


def test_the_lock_of_a_block_that_fails_is_free(tmp_path: Path) -> None:
    for _ in range(2):
        with pytest.raises(KeyError), locked(tmp_path / ".one", 0):
            raise KeyError
