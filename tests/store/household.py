"""Publishers and compaction as processes that are killed and stopped, and stores whose horizon is wrong.

They are for tests of the promise about datestamps.
"""

import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path

from gateway.store.store import Store
from tests.seeds import SEED
from tests.store import publisher

SCRIPT = Path(publisher.__file__)
_PATIENCE_SECONDS = 1_800.0  # a busy machine is no defect
_AHEAD_OF_ALL_SECONDS = 3 * publisher.MOST_STEP_SECONDS


class HastyStore(Store):
    """Shows every change as soon as it is written, whatever is being published."""

    @contextmanager
    def view(self):
        with super().view() as view:
            view._horizon = max(view.horizon, view.changed_until("oai_dc", 10**11))
            yield view


class Household:
    """The publishers, and one that only tidies up: processes that are started again when they die.

    Those that stop go on after a while.
    """

    def __init__(self, folder: Path, publishers: int, seed: int = SEED, most: int = publisher.MOST) -> None:
        """Take how many publishers there are, and how many items one publication has at most."""
        self.happened: Counter[str] = Counter()
        self._folder = folder
        self._wanted = [0, *[most] * publishers]  # how many items a publication of each process has at most
        self._random = random.Random(seed)
        self._stopped: dict[int, float] = {}
        self._processes: dict[int, int] = {}  # by their numbers: how many items they publish at most

    def tend(self) -> None:
        for most in (Counter(self._wanted) - Counter(self._processes.values())).elements():
            script, seed = str(SCRIPT), str(self._random.getrandbits(30))
            arguments = [sys.executable, script, str(self._folder), seed, str(most)]
            self._processes[os.posix_spawn(sys.executable, arguments, os.environ)] = most
        for process in list(self._processes):
            number, status = os.waitpid(process, os.WNOHANG | os.WUNTRACED)
            if number and os.WIFSTOPPED(status):
                self.happened["stopped"] += 1
                self._stopped[process] = time.monotonic() + self._random.uniform(0.1, 1.7 * publisher.INTENT_SECONDS)
            elif number:
                assert os.WIFSIGNALED(status), "a publisher failed by itself"
                self.happened["killed" if self._processes[process] else "killed while it tidied"] += 1
                self._forget(process)
        for process, until in list(self._stopped.items()):
            if time.monotonic() > until:
                del self._stopped[process]
                os.kill(process, signal.SIGCONT)

    def tend_until(self, is_enough: Callable[[], bool]) -> None:
        """Tend the publishers until there is enough. Raise TimeoutError if there is not after a long time."""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while not is_enough():
            for _ in range(10):
                self.tend()
                time.sleep(0.02)
            if time.monotonic() > deadline:
                raise TimeoutError(f"The publishers are not done: {dict(self.happened)}.")

    def kill_all(self) -> None:
        for process in list(self._processes):
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            self._forget(process)

    def settle(self) -> None:
        """Step the clocks until the horizon has passed every change; all publishers must be dead.

        What they intended expires. The wall clock is set ahead of all that it ever was: the clock of a store that is
        ahead of the wall clock stands at each ceiling for a minute, and hides the changes of that second.
        """
        passed = publisher.host_of(self._folder)["monotonic"] - publisher.INTENT_SECONDS - 1
        publisher.set_host(self._folder, wall=_AHEAD_OF_ALL_SECONDS, monotonic=passed)

    def _forget(self, process: int) -> None:
        self._processes.pop(process, None)
        self._stopped.pop(process, None)
