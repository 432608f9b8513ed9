"""What commands write with --json: the fields of their objects. `JSON.md` is made of this, and tests hold us to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

# What a value may be. `?` behind a type: or null.
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
    """Return the fields of a table: name, type and sentence, a line each. `?` behind a name: it may be left out.

    Raise ValueError for a type that there is not.
    """
    found = []
    for line in table.strip().splitlines():
        name, kind, sentence = (cell.strip() for cell in line.split("|", 2))
        if kind.removesuffix("?") not in TYPES:
            raise ValueError(f"There is no type {kind!r}: {line}")
        found.append(Field(name.removesuffix("?"), kind, sentence, not name.endswith("?")))
    return tuple(found)


OBJECTS: Objects = {
    "gateway init": {
        "the instance": fields("""
            folder | text | The instance folder.
            repository_domain | text | The namespace of our identifiers.
            repository_name | text | The name of the repository, as Identify gives it.
        """)
    },
    "gateway check": {
        "a finding": fields("""
            level | text | `fine`, `warning` or `problem`.
            sentence | text | What was found.
        """)
    },
    "gateway clock": {
        "the result": fields("""
            store | time | Up to when the store tells everything.
            machine | time | What the clock of this machine shows.
            problem | text | Why nothing can be published; empty: it can.
        """)
    },
    "gateway rebuild": {
        "the result": fields("changed_records | integer | How many records got a new datestamp."),
        "the result of --from-inbox": fields("""
            published_pages | integer | How many pages of the inbox were published.
            changed_records | integer | How many records got a new datestamp.
            sources_without_note | texts | The sources whose settings the inbox does not know.
            pages_lost_until | integer | The last page that the inbox has lost; 0: none.
        """),
    },
    "gateway backup": {
        "the backup": fields("""
            folder | text | Where the files of the backup lie.
            begun_at | time | What was committed until then is in the backup.
            files | integer | How many files there are, but for copies of documents.
            bytes | integer | How many bytes these files have.
            copies | integer | How many copies of documents there are.
            copies_written | integer | How many of them were not there yet.
            damaged_copies | texts | Copies that were left out because their bytes have changed, by their SHA-256.
        """)
    },
    "gateway restore": {
        "the result": fields("""
            begun_at | time | When the backup was begun.
            files | texts | The files that were restored, but for copies of documents.
            aside | text | Where the files lie that were replaced; empty: none was.
            copies | integer | How many copies of documents were restored.
            damaged_copies | texts | Copies that are damaged in the backup, by their SHA-256.
        """)
    },
    "gateway settings": {
        "a setting": fields("""
            name | text | The name of the setting.
            value | any | Its value; never a secret.
            origin | text | Where the value comes from: `default`, a file, `environment` or `option`.
        """)
    },
}
