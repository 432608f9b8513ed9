"""The ledger of an export: what is the same node in many publications, in a temporary file and not in memory."""

import json
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from gateway.store.queries import load_file
from gateway.store.sqlite.working_file import WorkingFile
from harvester.graph.model import Author, Node, Publisher, SameName, Subject

SQL = load_file(Path(__file__).with_name("ledger.sql"))
_SCHEMA = Path(__file__).with_name("ledger_schema.sql").read_text("utf-8")


class Shared(NamedTuple):
    """What one publication shares with others: persons, subjects, its publisher, and (name, author) of its authors.

    `searched_at` says when the policy of the publisher was asked for.
    """

    persons: tuple[Author, ...] = ()
    subjects: tuple[Subject, ...] = ()
    publisher: Publisher | None = None
    searched_at: str = ""
    namesakes: tuple[tuple[str, str], ...] = ()


class Ledger(WorkingFile):
    """The file of one export. Use it in a `with` block. Its methods raise StoreError when the file cannot be used."""

    def __init__(self, path: Path) -> None:
        super().__init__(_SCHEMA, path)

    def add(self, shared: Iterable[Shared]) -> None:
        """Note what some publications share."""
        rows = tuple(shared)
        publishers = [(one.publisher, one.searched_at) for one in rows if one.publisher]
        with self._writing() as database:
            database.executemany(SQL["person_add"], (person[:2] for one in rows for person in one.persons))
            database.executemany(SQL["subject_add"], (subject for one in rows for subject in one.subjects))
            database.executemany(SQL["namesake_add"], (pair for one in rows for pair in one.namesakes))
            database.executemany(
                SQL["publisher_add"], ((publisher.id, at, json.dumps(publisher)) for publisher, at in publishers)
            )

    def nodes(self) -> Iterator[tuple[str, Node]]:
        """Yield (label, node) of every shared node, once."""
        for orcid, name in self._walked(SQL["persons"]):
            yield "Author", Author(orcid, name, orcid)
        for (fields,) in self._walked(SQL["publishers"]):
            yield "Publisher", Publisher(*json.loads(fields))
        for row in self._walked(SQL["subjects"]):
            yield "Subject", Subject(*row)

    def candidates(self) -> Iterator[SameName]:
        """Yield the relationships between authors of the same name, as chains."""
        for (key, author), (other_key, other) in pairwise(self._walked(SQL["namesakes"])):
            if key == other_key:
                yield SameName(author, other, key)
