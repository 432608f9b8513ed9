"""The JSON of the commands that search for files, decide on them and offer them: a part of `json_contract.py`."""

from gateway.core.contract import Objects, fields

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
    standing | object | The same in words: name, shape, headline, sentence, next_step.
    decisions | list | What was decided of its copies, oldest first: objects as `harvester review list` writes them.
    offers | list | The offers of its files to the source: objects as `harvester offer` writes them.
    looks | list | The last recheck of each published file: url, sha256, is_named, outcome, looked_at, rounds, \
missing_since, unseen_since (no recheck was possible since then), due.
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
    "harvester takedown add": {
        "the result": fields("""
            takedowns | list | The entries, as `harvester takedown list` writes them, without is_done and state.
            deleted_items | integer | How many items became tombstones.
            changed_items | integer | How many items lost files.
            stamped_records? | integer | How many records got a new datestamp; not with --dry-run.
            deleted_copies? | integer | How many copies of files were deleted; not with --dry-run.
            damaged_blocks? | integer | How many damaged blocks may still have what was withdrawn; not with --dry-run.
            is_erasure_open? | claim | Whether a reader keeps what was withdrawn in the files of the store; not with \
--dry-run.
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
            state | object | How it stands: name, shape, headline, sentence, next_step; see `harvester log`.
            removed_at | text | When the entry was removed, as a UTCdatetime; empty: it stands.
            removed_by | text | Who removed it; empty: it stands, or it is not known.
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
    "harvester discover": {
        "an item": fields("""
            identifier | text | The identifier of the item here.
            outcome | text | The outcome of its search.
            candidates | list | The copies that were looked at, each with its own outcome.
        """)
    },
    "harvester recheck": {
        "a recheck": fields("""
            identifier | text | The identifier of the item here.
            url | text | The address of the published file.
            source | text | The name of the source.
            effect | text | `unchanged`, `returned`, `changed`, `absent`, `lost`, `unseen` or `fault`.
            outcome | text | The outcome of the recheck.
            verdict | text | The decision in force on a found file that has changed: `accept`, `reject` or `review`.
            is_named | claim | Whether the record names the file.
            is_overtaken | claim | Whether somebody decided on the file meanwhile: it is due again.
            looked_at | time | When it was rechecked.
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
}
