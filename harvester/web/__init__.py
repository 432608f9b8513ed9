"""The one seam to the network. `Web` is what the house sees of it; nothing else in the harvester opens a connection.

`fetching` is the whole of it: redirects, credentials. Below it `access` (how a source is reached), `guard` (where a
request may go), `proxies`, `urls`, `certificates` (private authorities), `connections` (and a watchdog), `encodings`
(what comes compressed), `faults` (what libraries raise), `pacing` (the budget of a host) and `retrying` (when to ask
again).
"""

from __future__ import annotations

from harvester.web.access import Access
from harvester.web.fetching import Web, most_bytes
from harvester.web.guard import address_class, ports_of
from harvester.web.pacing import Pace

__all__ = ["Access", "Pace", "Web", "address_class", "most_bytes", "ports_of"]
