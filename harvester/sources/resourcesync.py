"""ResourceSync sources (ANSI/NISO Z39.99): their lists, and the resources in them. `harvester.resourcesync` does it."""

from __future__ import annotations

from harvester.resourcesync.auditing import audit
from harvester.resourcesync.channels import channels
from harvester.resourcesync.describing import describe, recognise
from harvester.resourcesync.sweeping import listed, single
from harvester.resourcesync.walking import changes
from harvester.sources import Option, SourceKind

SOURCE = SourceKind(
    name="resourcesync",
    sentence="A source that lists its resources and their changes by ResourceSync.",
    options=(
        Option("url", "A Source Description, a Capability List, any list, a page that links to one, or the host."),
        Option("formats", "The metadataPrefix under which its metadata is held: one."),
        Option("sets", "The addresses of the Capability Lists to harvest; none: all of them, in one list."),
    ),
    describe=describe,
    changes=changes,
    listed=listed,
    single=single,
    recognise=recognise,
    audit=audit,
    channels=channels,
)
