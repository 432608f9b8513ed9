"""ResourceSync sources (ANSI/NISO Z39.99): their lists, and the resources in them."""

from harvester.sources import Option, SourceKind
from harvester.sources.resourcesync.audit import audit, listed, single
from harvester.sources.resourcesync.find_lists import channels, describe, recognise
from harvester.sources.resourcesync.harvest_sets import changes

SOURCE = SourceKind(
    name="resourcesync",
    sentence="A source that lists its resources and their changes by ResourceSync.",
    options=(
        Option("url", "A Source Description, a Capability List, any list, a page that links to one, or the host."),
        Option("formats", "The metadataPrefix under which its metadata is stored: one."),
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
