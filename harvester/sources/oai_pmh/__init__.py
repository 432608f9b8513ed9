"""OAI-PMH repositories: what they say of themselves, and their lists."""

from __future__ import annotations

from harvester.sources import Option, SourceKind
from harvester.sources.oai_pmh.description import channels, describe, recognise, with_sets
from harvester.sources.oai_pmh.end_of_list import left
from harvester.sources.oai_pmh.headers import is_elsewhere, listed, single
from harvester.sources.oai_pmh.next_list import asks_for_all, begins_anew
from harvester.sources.oai_pmh.profile import OPTIONS, learned, profile, taught
from harvester.sources.oai_pmh.walk_list import changes

SOURCE = SourceKind(
    name="oai_pmh",
    sentence="A repository that speaks OAI-PMH 2.0, 1.1 or 1.0.",
    options=(
        Option("url", "The base URL; arguments of the protocol in it are dropped, the server's own are kept."),
        Option("formats", "The metadataPrefixes to harvest, each as a list of its own."),
        Option("sets", "The setSpecs to harvest, each as a list of its own; none: the whole repository."),
        Option("from", "Nothing older is asked for."),
        Option("until", "Nothing newer is asked for."),
        Option("overlap_seconds", "How far a harvest reaches back before the first answer of the last complete one."),
        *OPTIONS,
    ),
    describe=describe,
    sets=with_sets,
    taught=taught,
    changes=changes,
    listed=listed,
    is_listed_anew=True,
    single=single,
    is_elsewhere=is_elsewhere,
    left=left,
    learned=learned,
    profile=profile,
    recognise=recognise,
    channels=channels,
    begins_anew=begins_anew,
    asks_for_all=asks_for_all,
)
