"""The clocks of a host that stands still until a test moves it."""

from dataclasses import dataclass

from gateway.core.clock import HostClock

START = 1_700_000_000


@dataclass
class Clocks:
    """What the clocks show now."""

    wall: float = float(START)
    monotonic: float = 1000.0
    boot: str = "first"

    def host(self) -> HostClock:
        return HostClock(lambda: self.wall, lambda: self.monotonic, lambda: self.boot)

    def pass_seconds(self, seconds: float) -> None:
        self.wall += seconds
        self.monotonic += seconds
