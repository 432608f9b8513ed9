"""The door of the databases: nothing outside of this room imports their classes from elsewhere. `opening` opens them.

There are two databases. The *inbox* has what arrived, unchanged, and the cursor of the harvest in the same transaction;
only harvesting writes it. The *store* has what is published; only publication writes it. It reads the inbox forward
from a position that it moves in the same transaction. So both can be killed at any moment.

There is a promise about datestamps (OAI-PMH 2.0 §2.7.1). A harvester uses the `horizon` of the first answer of its last
list as its next `from`. Then it misses no version of any record, even while processes publish (a low watermark; see
`Store.intend`). Times are whole seconds since 1970, in UTC. Every method may raise StoreError.
"""

from gateway.store.discovery import Discovery
from gateway.store.discovery_lists import Rechecks
from gateway.store.discovery_rows import Conclude, Decide, Findings
from gateway.store.inbox import Inbox
from gateway.store.store import TAKEDOWNS_FACT, ReadResource, Store
from gateway.store.subscriptions import Subscribers, Subscriptions
from gateway.store.users import Attempt, Slowing, Users
from gateway.store.view import SMALL_PAGE, PageOfParts, View

__all__ = [
    "SMALL_PAGE",
    "TAKEDOWNS_FACT",
    "Attempt",
    "Conclude",
    "Decide",
    "Discovery",
    "Findings",
    "Inbox",
    "PageOfParts",
    "ReadResource",
    "Rechecks",
    "Slowing",
    "Store",
    "Subscribers",
    "Subscriptions",
    "Users",
    "View",
]
