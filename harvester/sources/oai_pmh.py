"""OAI-PMH repositories: what they say of themselves, and their lists. `harvester.oai_pmh` does the asking."""

from __future__ import annotations

from harvester.oai_pmh.beginning import asks_for_all, begins_anew
from harvester.oai_pmh.describing import describe
from harvester.oai_pmh.ending import left
from harvester.oai_pmh.headers import is_elsewhere, listed, single
from harvester.oai_pmh.profile import OPTIONS, learned, profile
from harvester.oai_pmh.recognising import recognise
from harvester.oai_pmh.walking import changes
from harvester.sources import Option, SourceKind

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
    changes=changes,
    listed=listed,
    single=single,
    is_elsewhere=is_elsewhere,
    left=left,
    learned=learned,
    profile=profile,
    recognise=recognise,
    begins_anew=begins_anew,
    asks_for_all=asks_for_all,
)
