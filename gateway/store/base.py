"""The door of the store: nothing outside of this room imports anything else of it. `Databases` opens the databases.

There are two databases. The *inbox* has what arrived, unchanged, and the cursor of the harvest in the same transaction;
only harvesting writes it. The *store* has what is published; only publication writes it. It reads the inbox forward
from a position that it moves in the same transaction. So both can be killed at any moment.

There is a promise about datestamps (OAI-PMH 2.0 §2.7.1). A harvester uses the `horizon` of the first answer of its last
list as its next `from`. Then it misses no version of any record, even while processes publish (a low watermark; see
`Store.intend`). Times are whole seconds since 1970, in UTC. Every method may raise StoreError.
"""

from gateway.store.copying import copy as copy_databases
from gateway.store.discovery import Discovery
from gateway.store.discovery_rows import Findings
from gateway.store.inbox import Inbox
from gateway.store.opening import Databases, DiscoveryOnDemand
from gateway.store.sqlite import database_files
from gateway.store.store import TAKEDOWNS_FACT, Store
from gateway.store.subscriptions import Subscribers, Subscriptions
from gateway.store.users import Slowing, Users
from gateway.store.view import PageOfParts, View

__all__ = [
    "TAKEDOWNS_FACT",
    "Databases",
    "Discovery",
    "DiscoveryOnDemand",
    "Findings",
    "Inbox",
    "PageOfParts",
    "Slowing",
    "Store",
    "Subscribers",
    "Subscriptions",
    "Users",
    "View",
    "copy_databases",
    "database_files",
]
