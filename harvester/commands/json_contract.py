"""The JSON that the commands of `harvester` write with --json: see `gateway.core.contract`.

The commands that harvest are in `json_of_sources.py`, those that search and decide in `json_of_files.py`, and all
others here.
"""

from gateway.core.contract import FINDING, Objects, fields
from harvester.commands import json_of_files, json_of_sources

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

OBJECTS: Objects = {
    **json_of_sources.OBJECTS,
    **json_of_files.OBJECTS,
    "harvester check": {"a finding": FINDING},
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
