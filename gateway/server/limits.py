"""What a client may cost the web server: time, bytes and connections. The defaults stand in `gateway/settings.py`."""

from __future__ import annotations

from typing import NamedTuple


class Limits(NamedTuple):
    """Limits of one worker process; times are in seconds."""

    line_bytes: int = 1_000_000
    body_bytes: int = 50_000_000
    head_seconds: float = 20.0
    body_seconds: float = 60.0
    idle_seconds: float = 75.0
    write_seconds: float = 60.0
    write_bytes_per_second: int = 500
    connections: int = 1000
    memory_bytes: int = 256_000_000
    grace_seconds: float = 28.0
