"""The JSON that the commands of `harvester` write with --json: see `gateway.contract`."""

from __future__ import annotations

from gateway.contract import Field, Objects, fields
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
    is_complete | claim | Whether it is shown that every record of its lists has arrived.
    started_at | time | When it began.
    ended_at | time? | When it ended.
    counts | counts | How many records were announced and received, and became published, unchanged, quarantined, \
ignored, older_versions, held_back; how many are missing, and how many deletions are waiting. After a full harvest, \
how many stored records it did not list, if many (unlisted).
    reasons | texts | Why it did not simply succeed.
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
_DECISION = fields("""
    identifier | text | The identifier of the item here.
    url | text | The address of the copy.
    sha256 | text | The SHA-256 of the bytes that were decided on.
    verdict | text | `accept`, `reject` or `review`.
    reason | text | Why.
    decided_by | text | The name of a rule, or of a user.
    at | time | When it was decided.
    is_undoing | claim | Whether it takes back the decision before it.
""")
_DECIDED = (*_DECISION, *fields("stamped_records | integer | How many records got a new datestamp."))
_REVIEWED = (
    *_DECISION,
    *fields("""
    source | text | The name of the source.
    title | text | The title, as the record has it.
    authors | texts | The creators, as the record has them.
    year | text | The year of publication, if it is known.
    score | number? | The score of the file; none if the last search did not look at it.
    version | text | `submitted`, `accepted` or `published`, if it is known.
    kind | text | Which kind of document it is, if that is known.
    license | text | The licence that was stated for this copy, if any was.
    host | text | The host of the file.
    found_by | text | The step that found it.
    copy | text | Where the kept copy lies, if one is kept.
"""),
)
_OFFERED = fields("""
    identifier | text | The identifier of the item here.
    sha256 | text | The SHA-256 of the file.
    way | text | `inbox`: an announcement; `folder`: a package.
    source | text | The name of the source.
    outcome | text | `waiting`, `created` or `accepted` by the inbox, `packaged`, `retrying`, `refused`, `taken` \
by the source, whose record names the file now, or `withdrawn`: it was offered, and is not published any more.
    at | time? | When it was offered last.
    tries | integer | How often it was offered.
    next_at | time? | When it is offered again.
    status | integer? | The HTTP status of the inbox.
    place | text | The inbox, or the package.
    location | text | The address that the inbox gave to the announcement, if any.
    problem | text | Why it is retried or refused.
    notification | text | The `id` of the announcement: always the same for one file of an item.
""")
_SEARCH = fields("""
    identifier | text | The identifier of the item here.
    source | text | The name of the source.
    upstream | text | Its identifier at the source.
    state | text | `due`, `leased`, `waiting` or `done`.
    due | time | When the item is searched for next, if it is due or waiting.
    tries | integer | How often it was tried without an end.
    outcome | text | The outcome of the last search; `harvester outcomes` counts them.
    searched_at | time? | When the last search ended.
    story | object? | The last search: each step and each copy.
    decisions | list | What was decided of its copies, oldest first: objects as `harvester review list` writes them.
    offers | list | The offers of its files to the source: objects as `harvester offer` writes them.
    looks | list | The last look at each published file: url, sha256, is_named, outcome, looked_at, rounds, \
missing_since, due.
""")
_RECEIPT = fields("""
    command | text | `mirror`, with its option `--full` or `--retry-failed`; `import`, `recheck` or `accept`.
    base_url | text | The base URL of the provider.
    metadata_prefix | text | The format that is mirrored.
    started_at | time | When it began.
    sets | texts | The sets that are mirrored; none: everything.
    asked | texts | The request that began each list, or the package.
    ended_at | text | When it ended.
    outcome | text | As the outcome of a run of `harvester run`.
    objects | counts | How many objects were created, updated, unchanged, mended, deleted, unusable.
    files | counts | How many files were fetched, stored already, doubtful, missing.
    verified | counts | Of the files fetched: by digest, by size, by nothing.
    bytes_fetched | integer | How many bytes of files were fetched.
    missing | list | What is missing: identifier, fate, reason, and where it applies url, kept and rule.
    unread | list | Digests that documents state and that cannot be used: identifier, url, digest.
    waiting | integer | How many deletions wait for `--yes`.
    doubts | texts | Why it may not be everything.
    catalogue | object | The catalogue up to the line of this receipt: bytes, and sha256 for `mirror audit --expect`.
    broken_off | object | The run before, if it was broken off: command, at, and how many versions this one confirms.
    state | object | SHA-512 of what lies beside the objects: mirror (mirror.json without its catalogue), waiting.
    is_whole | claim | Whether nothing is missing and nothing in doubt.
""")
_TAKEDOWN = fields("""
    kind | text | What the target is: an item, an upstream identifier, a DOI, a URL, a prefix, a host or a SHA-256.
    value | text | The target.
    source | text | The name of the source, for an identifier of that source.
    reason | text | Why it was withdrawn.
    at | time | When the entry was added.
    by | text | Who added it; empty: it is not known.
    items | texts | The identifiers of the items that it hides; records that only lose an address are not among them.
    files | texts | The SHA-256 of the files that it hits, as far as they are known.
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
            counts | counts | Blocks that were made anew, and bytes that this freed; blocks that are damaged.
        """),
    },
    "harvester takedown add": {
        "the result": fields("""
            takedowns | list | The entries, as `harvester takedown list` writes them, without is_done.
            deleted_items | integer | How many items became tombstones.
            changed_items | integer | How many items lost files.
            stamped_records? | integer | How many records got a new datestamp; not with --dry-run.
            deleted_copies? | integer | How many copies of files were deleted; not with --dry-run.
            purged_items? | integer | How many items were overwritten in the inbox; with --purge.
            purged_versions? | integer | How many versions of them were overwritten; with --purge.
            is_log_empty? | claim | Whether nothing of it is left in the write-ahead log; with --purge.
        """)
    },
    "harvester takedown list": {
        "an entry": (
            *_TAKEDOWN,
            *fields("""
            is_done | claim | Whether everything that it hits is withdrawn.
            removed_at | text | When the entry was removed, as a UTCdatetime; empty: it stands.
        """),
        )
    },
    "harvester takedown remove": {
        "the result": fields("""
            takedowns | list | The entries that were removed.
            returning_items | texts | The identifiers of the items that come back.
            changed_items | integer | How many items get files back.
            purged_items | texts | The identifiers of items that come back when their source sends them again.
            returned_items? | integer | How many items were published again; not with --dry-run.
        """)
    },
    "harvester publish": {"a source": _DONE},
    "harvester status": {
        "a source": fields("""
            source | text | The name of the source.
            items | integer | How many items are stored, deleted ones included.
            deleted | integer | How many of them are deleted.
            fulltext | integer | How many of them have a full text.
            quarantined | integer | How many records are in quarantine.
            waiting | integer | How many deletions wait for `harvester run NAME --yes`.
            unpublished | claim | Whether something waits to be published.
            last_run | time? | When the last harvest began, or the run that lasts.
            outcome | text | How it ended, as `harvester log` has it; `never run`.
            is_complete | claim | Whether it was complete.
            announced | counts | Of the last run: how many records its lists announced, and how many it received.
            windows | counts | The windows of a first harvest, by what became of them.
            offers | counts | The offers of files to the source, by their outcome.
            files | object | The published files that are looked at again: known, due, missing, next (a time, or `now`).
            due | object | When each stage is due: a time, or `now`.
            identity | list | What it says otherwise than it was accepted: what, was, is_now.
            clock_ahead | integer? | By how many seconds this machine's clock is ahead of the source's, if it is known.
            problems? | texts | What is wrong with the source.
            progress | object | Of a run that lasts: received, a_second, left, ends_at; of a killed run its last counts.
        """)
    },
    "harvester log": {
        "a run": _RUN,
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
    "harvester discover": {
        "an item": fields("""
            identifier | text | The identifier of the item here.
            outcome | text | The outcome of its search.
            candidates | list | The copies that were looked at, each with its own outcome.
        """)
    },
    "harvester recheck": {
        "a look": fields("""
            identifier | text | The identifier of the item here.
            url | text | The address of the published file.
            source | text | The name of the source.
            effect | text | `unchanged`, `returned`, `changed`, `absent`, `lost`, `unseen` or `fault`.
            outcome | text | The outcome of the look.
            verdict | text | The decision in force on a found file that has changed: `accept`, `reject` or `review`.
            is_named | claim | Whether the record names the file.
            is_overtaken | claim | Whether somebody decided on the file meanwhile: it is due again.
            looked_at | time | When it was looked at.
            due | time? | When it is due again; none without a period.
        """)
    },
    "harvester outcomes": {
        "a count": fields("""
            source? | text | The name of the source; by default, or with --by source.
            step? | text | The step of the search; by default, or with --by step.
            host? | text | The host that was asked; with --by host.
            month? | text | The month in which it ended (`2026-11`), empty where that was not counted; with --by month.
            what | text | What ended: `step`, one end for each step of a search; `copy`, one for each copy \
that the step named and that was looked at; empty where an earlier release has counted both together.
            outcome | text | The outcome.
            count | integer | How often it occurred.
            share | number | Which part of all endings of the same `what`, source, step, host and month it is: 0 to 1.
        """)
    },
    "harvester alarms": {
        "an alarm": fields("""
            number | integer | The number of the alarm.
            source | text | The name of the source.
            step | text | The step of the search.
            host | text | The host that was asked.
            what | text | What ended less often with success: the `step`, or each `copy` that it named.
            opened_at | time | When the alarm was opened.
            before | counts | How many ended with each outcome in the eight weeks before.
            after | counts | How many ended with each outcome in the last week then.
            examples | texts | Identifiers of items whose search failed so.
            closed_at | time? | When the share of successes had recovered.
            acknowledged_at | time? | When a person acknowledged it.
            acknowledged_by | text | Who did that.
            comment | text | The comment of that person.
            is_open | claim | Whether it is neither closed nor acknowledged.
            sentence | text | The alarm in a sentence.
        """)
    },
    "harvester explain": {"the search": _SEARCH},
    "harvester offer": {
        "an offer": _OFFERED,
        "an inbox (--find-inbox)": fields("""
            source | text | The name of the source.
            inbox | text | The inbox that it names, if any.
        """),
    },
    "harvester review show": {
        "the search": (
            *_SEARCH,
            *fields("""
            files | list | The files that were decided on: objects as `harvester review list` writes them, with \
`lines`, the first 20 lines of the kept copy, and `unread`, which says why there are none.
        """),
        )
    },
    "harvester review list": {"a file": _REVIEWED},
    "harvester review accept": {"a decision": _DECIDED, "a selected file (--dry-run)": _REVIEWED},
    "harvester review reject": {"a decision": _DECIDED, "a selected file (--dry-run)": _REVIEWED},
    "harvester review undo": {"a decision": _DECIDED, "a selected file (--dry-run)": _REVIEWED},
    "harvester review precision": {
        "a rule": fields("""
            rule | text | `license` or `policy`: what the rule accepts files by.
            right | integer | How many sampled files people judged to be right.
            judged | integer | How many they judged to be right or wrong.
            unsure | integer | How many they were not sure about.
            least | number? | The lower end of the interval (95 %) of the share of right files.
            most | number? | The upper end of the interval.
            words | text | The figures in words.
            review_accept_score | number | The setting in force.
        """)
    },
    "harvester matches list": {
        "a DOI": fields("""
            identifier | text | The identifier of the item here.
            doi | text | The DOI that was matched.
            service | text | Who named it: `crossref`, `openalex` or `arxiv`.
            title | text | The title, as the service has it.
            similarity | number | The share of the letters of the titles that agree, from 0 to 1.
            author | text | The family name that agrees.
            year | text | The year, as the service has it.
            agrees | claim | Whether title, author and year agree with the record as it is now.
        """)
    },
    "harvester matches reject": {
        "the DOI": fields("""
            identifier | text | The identifier of the item here.
            doi | text | The DOI that is not matched with it again.
            reason | text | Why.
            decided_by | text | The name of a user.
            at | time | When it was rejected.
            files | integer | How many files that were accepted wait for review now.
            stamped_records | integer | How many records got a new datestamp.
        """)
    },
    "harvester graph export": {
        "the export": fields("""
            folder | text | The folder.
            format | text | `neo4j`, `graphml` or `csv`.
            horizon | time | Everything that was published up to this moment is in it.
            nodes | counts | How many nodes it has, by label.
            relationships | counts | How many relationships it has, by type.
        """)
    },
    "harvester graph load": {
        "the graph": fields("""
            horizon | time | Everything that was published up to this moment is in it.
            nodes | counts | How many nodes it has, by label.
            relationships | counts | How many relationships it has, by type.
        """)
    },
    "harvester graph query": {
        "a row": fields("row | object | The values of the row by the names of their columns; any values.")
    },
    "harvester dump": {
        "the result": fields("""
            records | integer | How many records the file holds.
            is_finished | claim | Whether the dump came to its end.
            problems | texts | Why it may not be whole.
        """)
    },
    "harvester mirror run": {"the receipt": _RECEIPT},
    "harvester mirror import": {"the receipt": _RECEIPT},
    "harvester mirror recheck": {"the receipt": _RECEIPT},
    "harvester mirror accept": {
        "a file": fields("""
            identifier | text | The identifier of the object.
            url | text | The address of the file.
            rule | text | The rule that doubted it.
            is_held | claim | Whether it is stored now; else its bytes were not kept, and the next run fetches them.
        """)
    },
    "harvester mirror audit": {
        "a finding": fields("""
            finding | text | corrupt, lost, strange, damaged, altered, incomplete, missing, extra or stale.
            identifier | text | The identifier of the object.
            reason | text | What is wrong.
        """)
    },
    "harvester audit": {
        "a journal and year": fields("""
            journal | text | The title of the journal, and an ISSN.
            year | text | The year of publication.
            published | integer | How many works Crossref lists.
            with_file | integer | How many of them are stored with a file.
            metadata_only | integer | How many are stored without a file.
            missing | integer | How many are not stored.
            unknown | integer | How many records are stored that Crossref does not list.
            disagrees | integer | How many have metadata that disagree.
        """),
        "a work or record": fields("""
            state | text | `with_file`, `metadata_only`, `missing` or `unknown`.
            journal | text | The title of the journal, and an ISSN.
            issn | texts | Its ISSNs.
            year | text | The year of publication.
            doi | text | The DOI.
            title | text | The title.
            type | text | The type of work, as Crossref has it.
            identifiers | texts | Its identifiers here.
            disagrees | list | What disagrees: what, ours, theirs.
        """),
    },
    "harvester validate": {
        "the report": fields("""
            base_url | text | The base URL of the provider.
            counts | counts | How many checks ended as pass, fail, warning, skipped.
            requests | integer | How many requests were made.
            seconds | number | How long it took.
            results | list | Each check: check, section, expects, verdict, evidence, reason.
        """)
    },
    "harvester lint-signposting": {
        "the report": fields("""
            url | text | The address of the landing page.
            levels | object | For `level 1`, `level 2` and `FAIRiCat`: pass, fail or skipped. A warning is no failure.
            counts | counts | How many checks ended as pass, fail, warning, skipped.
            requests | integer | How many requests were made.
            seconds | number | How long it took.
            results | list | Each check: check, section, expects, verdict, evidence, reason.
        """)
    },
    "harvester lint-resourcesync": {
        "the report": fields("""
            url | text | The address that was given.
            version | text | The version of ResourceSync that the documents can be of, such as `1.0 or 1.1`.
            documents | integer | How many documents were read.
            entries | integer | How many entries they have.
            limit | text | Why not everything was read; empty when everything was.
            counts | counts | How many rules ended as pass, fail, warning, skipped.
            requests | integer | How many requests were made.
            seconds | number | How long it took.
            results | list | Each rule: check, section, expects, verdict, evidence, reason.
        """)
    },
}
