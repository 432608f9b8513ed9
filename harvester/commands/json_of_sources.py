"""The JSON of the commands that harvest and show sources: a part of `json_contract.py`."""

from gateway.core.contract import Field, Objects, fields
from harvester.harvest.source_fields import FIELDS

# How the types of `sources.toml` are in JSON.
_TYPES = {"text": "text", "texts": "texts", "number": "number", "count": "integer", "claim": "claim", "table": "object"}

_NAME = fields("name | text | The name of the source.")
_ENTRY = tuple(
    Field(field.name, _TYPES.get(field.kind, "text"), field.sentence, field.name == "url") for field in FIELDS
)
_OFFER = fields("""
    repository_name? | text | The name that the source gives itself.
    base_url_of_its_own? | text | The base URL that it announces.
    granularity? | text | The granularity of its datestamps.
    earliest_datestamp? | text | Its earliest datestamp, as it writes it.
    deleted_record? | text | `no`, `transient` or `persistent`.
    formats_offered? | texts | The metadataPrefixes that it offers.
    sets_offered? | integer | How many sets it lists.
    notes? | texts | What is odd about its answers.
""")
_RUN = fields("""
    source | text | The name of the source.
    run | integer | The number of the run.
    stage | text | What the run did: `harvest`, `retry`, `sweep`, `recheck`, `discovery`, `offer` or `packages`.
    outcome | text | How it ended: `succeeded`, `succeeded_with_errors`, `stopped`, `try_later`, `refused`, `failed`, \
`misconfigured`; `running` while it lasts, `died` when its process did.
    is_complete | claim | Whether its lists ended as they should, and nothing that was compared is missing.
    compared | text | What was compared of the names of ListIdentifiers: `nothing`, `part`, `names` (all; no number \
and no date shows that these are all), `changes` (of the dates asked for), `whole`; empty: not known.
    started_at | time | When it began.
    ended_at | time? | When it ended.
    counts | counts | How many records were announced and received, and became published, unchanged, quarantined, \
ignored, older_versions, held_back; how many are missing, and how many deletions are waiting. After a full harvest, \
how many stored records it did not list, if many (unlisted). How many names were compared, as `compared_` and what was.
    reasons | texts | Why it did not simply succeed.
""")
_STATE = fields("""
    state | object | The same in words: name, shape (`good`, `neutral`, `caution`, `bad`), headline, sentence and \
next_step.
""")
_SWEPT = (
    *_RUN[:-2],
    *fields("""
        counts | counts | How many records were named, held, vanished, deleted, returned, never_held, fetched, \
missing, unusable (in quarantine), in_other_formats; and how many headers were received, and records published.
    """),
    _RUN[-1],
)
_DONE = fields("""
    source | text | The name of the source.
    counts? | counts | How many records were received, published, stamped.
""")
_SUBSCRIPTION = fields("""
    source | text | The name of the source.
    topic | text | The address whose changes are announced.
    hub | text | The address of the hub.
    state | text | `asked`, `active`, `denied`, `ending` or `ended`.
    until | time? | When the lease ends.
    notified | time? | When the hub announced a change last.
    reason | text | Why the hub denied it.
""")

OBJECTS: Objects = {
    "harvester source add": {"the source": (*_NAME, *_ENTRY, *_OFFER)},
    "harvester source list": {"a source": (*_NAME, *_ENTRY)},
    "harvester source show": {
        "the source": (
            *_NAME,
            *_ENTRY,
            *fields("""
                held | counts | How many items are stored, deleted, with full text, quarantined, waiting to be deleted.
                profile | object | What was learned of the source while its lists were walked.
                lists | list | Each list: format, set and state.
                subscriptions | list | Each subscription, as `source subscribe` writes it; empty fields are left out.
            """),
        )
    },
    "harvester source check": {
        "a source, by its name": (
            *fields("""
                name | text | The name of the source.
                url | text | Its address.
                formats | texts | The metadataPrefixes that its entry asks for.
                reached | claim | Whether it answered.
                problems | texts | What is wrong or odd.
                last_run | object? | The last run, as `harvester run` writes it.
            """),
            *_OFFER,
        ),
        "an address": fields("""
            url | text | The address.
            recognised | list | What it may be harvested as, best first: kind, and a sentence.
            name | text | The name that the source would have.
            entry | object | The entry for sources.toml.
        """),
    },
    "harvester source friends": {
        "a repository": fields("""
            name | text | The name that it has as a source, or would have.
            url | text | Its base URL.
            is_a_source | claim | Whether it is a source already.
            answers? | claim | Whether it answered; with --check or --add.
            says? | text | What it answered, or why it did not.
        """)
    },
    "harvester source load": {"the run": _RUN},
    "harvester source sweep": {"the run": _SWEPT},
    "harvester source remove": {
        "the result": (*_NAME, *fields("deleted_items | integer | How many items became tombstones."))
    },
    "harvester source accept-identity": {
        "the result": (
            *_NAME,
            *fields("""
                accepted | claim | Whether anything waited to be accepted.
                changes | list | What it says otherwise than it was accepted before: what, was, is_now.
                records | text | Why its records look like those of another repository; empty: they do not.
            """),
        )
    },
    "harvester source audit": {
        "a difference": fields("""
            what | text | `missing`, `changed`, `extra`, `corrupt`, or a doubt.
            identifier | text | The identifier of the resource.
            why | text | What differs.
        """)
    },
    "harvester source subscribe": {"a subscription": _SUBSCRIPTION},
    "harvester source unsubscribe": {"a subscription": _SUBSCRIPTION},
    "harvester run": {"a run": _RUN, "a rehearsal (--dry-run)": _DONE},
    "harvester tend": {
        "a run": (*fields("stage | text | The stage that the source went through."), *_RUN[:2], *_RUN[3:]),
        "another stage": (*fields("stage | text | The stage that the source went through."), *_DONE),
        "a round of our hub": fields("""
            stage | text | `hub`.
            counts | counts | Requests that were verified (subscribed, unsubscribed), postponed or refused. Deliveries \
that were delivered or failed. Subscriptions that were dropped because nothing was accepted, ended by their \
subscribers, or expired. Subscribers that were informed of the end (denied). Calls that were stopped.
        """),
        "compaction of the store": fields("""
            stage | text | `compaction`.
            counts | counts | Blocks that were made anew, and bytes that this freed; by how many bytes the file \
became smaller; blocks that are damaged.
        """),
    },
    "harvester publish": {"a source": _DONE},
    "harvester status": {
        "a source": fields("""
            source | text | The name of the source.
            items | integer | How many items are stored, deleted ones included.
            deleted | integer | How many of them are deleted.
            fulltext | integer | How many of them have a full text.
            quarantined | integer | How many records are in quarantine.
            lacking | list | What records lack: metadata_prefix, lack (`title`, `date`, `author`, or `reader`: the \
format has none here), how many items, the identifier of an example, and the sentence.
            waiting | integer | How many deletions wait for `harvester run NAME --yes`.
            unpublished | claim | Whether something waits to be published.
            last_run | time? | When the last harvest began, or the run that lasts.
            outcome | text | How it ended, as `harvester log` has it; `never run`.
            state | object | How the source stands: name, shape, headline, sentence, next_step; see `harvester log`.
            is_complete | claim | Whether its lists ended as they should; see `harvester log`.
            compared | text | What was compared with the names of the source; see `harvester log`.
            announced | counts | Of the last run: how many records its lists announced, and how many it received.
            windows | counts | The windows of a first harvest, by what became of them.
            offers | counts | The offers of files to the source, by their outcome.
            files | object | The rechecked published files: known, due, missing, unseen (no recheck was \
possible; left out if there are none), next (a time, or `now`).
            due | object | When each stage is due: a time, or `now`.
            identity | list | What it says otherwise than it was accepted: what, was, is_now.
            clock_ahead | integer? | By how many seconds this machine's clock is ahead of the source's, if it is known.
            problems? | texts | What is wrong with the source.
            progress | object | Of a run that lasts: received, a_second, left, ends_at; of a killed run its last counts.
        """)
    },
    "harvester log": {
        "a run": (*_RUN, *_STATE),
        "an event in the log of one run": fields("""
            run | integer | The number of the run.
            at | time | When it happened.
            level | text | `info`, `warning` or `error`.
            text | text | What happened.
        """),
    },
    "harvester records": {
        "an item": fields("""
            identifier | text | Its identifier here.
            upstream | text | Its identifier at the source.
            is_deleted | claim | Whether it is deleted.
            sets | texts | Its sets here.
            records | object | For each metadataPrefix `published` or `deleted`.
            payloads | list | What arrived of it: format, page, slice, is_deleted; waits: whether its deletion does.
        """)
    },
    "harvester quarantine": {
        "a record": fields("""
            source | text | The name of the source.
            identifier | text | Its identifier at the source, as far as it is known.
            format | text | Its metadataPrefix.
            page | integer | The page of the inbox that it is on.
            slice | integer | Its place on that page.
            at | time | When it was put there.
            reason | text | Why it could not be used.
        """)
    },
}
