"""The one seam to the network. `Web` is what the house sees of it; nothing else in the harvester opens a connection.

`fetching` is the whole of it: redirects, credentials. Below it `connections` (guard and watchdog), `encodings` (what
comes compressed), `faults` (what libraries raise), `pacing` (the budget of a host) and `retrying` (when to ask again).
"""

from __future__ import annotations

from harvester.web.fetching import Access, Web
from harvester.web.pacing import Pace

__all__ = ["Access", "Pace", "Web"]
