"""The fields of the objects that commands write with --json. `JSON.md` is made from it; tests check the commands."""

from collections.abc import Mapping
from typing import Final, NamedTuple, TypeAlias

# The types of values. A `?` after a type: or null.
TYPES = {
    "text": "a text",
    "texts": "a list of texts",
    "integer": "a whole number",
    "number": "a number",
    "claim": "true or false",
    "time": "a UTCdatetime, such as 2026-11-22T12:00:00Z",
    "counts": "an object: numbers by name",
    "object": "an object",
    "list": "a list of objects",
    "any": "any value",
}


class Field(NamedTuple):
    """One field of an object. `is_always`: it is in every such object."""

    name: str
    type: str
    sentence: str
    is_always: bool = True


Objects: TypeAlias = Mapping[str, Mapping[str, tuple[Field, ...]]]  # by command, and by what the object is


def fields(table: str) -> tuple[Field, ...]:
    """Return the fields of a table with one line per field: name, type and sentence, with `|` between.

    A `?` after a name says that the field may be absent. Raise ValueError for an unknown type.
    """
    messages = []
    for line in table.strip().splitlines():
        name, kind, sentence = (cell.strip() for cell in line.split("|", 2))
        if kind.removesuffix("?") not in TYPES:
            raise ValueError(f"There is no type {kind!r}: {line}")
        messages.append(Field(name.removesuffix("?"), kind, sentence, not name.endswith("?")))
    return tuple(messages)


FINDING: Final = fields("""
    level | text | `fine`, `warning` or `problem`.
    sentence | text | The finding.
""")

OBJECTS: Objects = {
    "gateway init": {
        "the instance": fields("""
            folder | text | The instance folder.
            repository_domain | text | The namespace of our identifiers.
            repository_name | text | The name of the repository, as Identify gives it.
        """)
    },
    "gateway check": {"a finding": FINDING},
    "gateway clock": {
        "the result": fields("""
            store | time | The time up to which the store serves everything.
            machine | time | The time that the clock of this machine shows.
            problem | text | Why nothing can be published; empty if records can be published.
        """)
    },
    "gateway rebuild": {
        "the result": fields("""
            changed_records | integer | How many records got a new datestamp.
            withdrawn_items? | integer | With --withdraw-non-works: how many items became tombstones.
            non_works? | texts | How many published items describe no work, a sentence for each source and format.
        """),
        "the result of --from-inbox": fields("""
            published_pages | integer | How many pages of the inbox were published.
            changed_records | integer | How many records got a new datestamp.
            sources_without_note | texts | The sources whose settings are not in the inbox.
            pages_lost_until | integer | The last page that is missing in the inbox; 0: none.
        """),
    },
    "gateway index": {
        "the index": fields("""
            items | integer | How many items can be found: those that are not deleted and not taken down.
            bytes | integer | The size of the file.
            reached | time | The index is complete up to this time.
        """)
    },
    "gateway compact": {
        "the result": fields("""
            blocks | integer | How many blocks were made anew.
            bytes | integer | How many bytes that has freed in the database; below 0: it needs more.
            damaged | integer | How many blocks are damaged and stay as they are.
            is_complete | claim | Whether nothing is left; if not, a reader keeps the log from being emptied.
            smaller_by | integer | By how many bytes the file has become smaller.
            kept_free | integer | How many bytes are free in a file that becomes smaller only with `--anew`.
        """)
    },
    "gateway backup": {
        "the backup": fields("""
            folder | text | The folder with the files of the backup.
            begun_at | time | The backup contains everything that was committed before this time.
            files | integer | The number of files, without copies of documents.
            bytes | integer | The size of these files.
            copies | integer | The number of copies of documents.
            copies_written | integer | The number of copies that were not there yet.
            damaged_copies | texts | Copies that were left out because their bytes have changed, by their SHA-256.
        """)
    },
    "gateway restore": {
        "the result": fields("""
            begun_at | time | The time when the backup was begun.
            files | texts | The restored files, without copies of documents.
            aside | text | The folder with the replaced files; empty: no file was replaced.
            copies | integer | The number of restored copies of documents.
            damaged_copies | texts | Copies that are damaged in the backup, by their SHA-256.
        """)
    },
    "gateway hub list": {
        "a subscription": fields("""
            number | integer | The number of the subscription.
            callback | text | The address that is called.
            topic | text | The address of the topic.
            is_signed | claim | Whether deliveries are signed with a secret.
            network | text | The network that asked for it; empty: it is not known.
            until | time | The end of the lease.
            delivered_until | time | Every change before this time was delivered.
            failures | integer | How many deliveries failed since the last good one.
            failing_since | time? | When the first of them failed.
            problem | text | The last failure; empty: there is none.
        """)
    },
    "gateway hub remove": {"a removed subscription": fields("number | integer | The number of the subscription.")},
    "gateway user add": {
        "the user": fields("""
            name | text | The name.
            role | text | `reviewer`, `manager` or `administrator`.
            sources | texts | The sources of a manager.
        """)
    },
    "gateway user list": {
        "a user": fields("""
            name | text | The name.
            role | text | `reviewer`, `manager` or `administrator`.
            sources | texts | The sources of a manager.
            added_at | time | When the user was added.
            signed_in_at | time? | When the user signed in last.
        """)
    },
    "gateway user password": {"the user": fields("name | text | The name.")},
    "gateway user remove": {"the removed user": fields("name | text | The name.")},
    "gateway user log": {
        "a line of the log": fields("""
            number | integer | The number of the line.
            at | time | When it was done.
            by | text | Who did it; empty: nobody had signed in.
            deed | text | What was done: `signed in`, `signed out`, `sign-in refused`, `sign-ins slowed down`, \
`user added`, `user removed`, `password set`, `decided`, `taken down` or `takedown removed`.
            about | text | To what or to whom.
            network | text | From which network; empty: on the command line, or it is not known.
        """)
    },
    "gateway settings": {
        "a setting": fields("""
            name | text | The name of the setting.
            value | any | The value; never a secret.
            origin | text | The origin of the value: `default`, a file, `environment` or `option`.
        """)
    },
}
