"""The page of an item as data, for programs: the same facts as on the page. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from gateway.model import Decision
from gateway.review.copy_rows import facts_of, row_of
from gateway.review.differences import Part
from gateway.review.item_view import Explained, File, Step
from gateway.review.received import Received, Text
from gateway.xmltext import utc_datetime


def item_data(values: Mapping[str, Any]) -> dict[str, object]:
    """Return the values of the page as an object for JSON; `next` is the address of further files, or None."""
    return {
        "identifier": values["identifier"],
        "source": values["source"],
        "title": values["title"],
        "is_deleted": values["is_deleted"],
        "standing": values["standing"],
        "retracted": values["retracted"],
        "policy": values["policy"],
        "count": values["count"],
        "files": [_file(file) for file in values["files"]],
        "next": values["next_url"] or None,
        "steps": [step_data(step) for step in values["steps"]],
        "provenance": [hop._asdict() for hop in values["hops"]],
        "received": [_received(record) for record in values["received"]],
        "published": [
            {
                "format": record.metadata_prefix,
                "datestamp": record.datestamp,
                "is_deleted": record.is_deleted,
                **_text(record.text),
            }
            for record in values["published"]
        ],
    }


def files_data(values: Mapping[str, Any]) -> Iterator[dict[str, object]]:
    """Yield the files of a page as rows of the list of all files."""
    for file in values["files"]:
        yield facts_of(row_of(file.listed, file.candidate))


def _file(file: File) -> dict[str, object]:
    copy = file.listed.copy
    return {
        **decision_data(file.decision),
        "step": copy.step,
        "score": copy.score,
        "colour": copy.colour,
        "license": copy.license,
        "version": copy.version,
        "kind": copy.kind,
        "size": copy.size or None,
        "has_copy": file.is_kept,
        "differences": [
            {"fact": row.name, "record": _words(row.record), "file": _words(row.file), "differs": row.differs}
            for row in file.rows
        ],
        "first_page": file.text,
        "explained": _explained(file.explained) if file.explained else None,
        "history": [decision_data(decision) for decision in file.history],
    }


def decision_data(decision: Decision) -> dict[str, object]:
    """Return a decision as data."""
    return {**decision._asdict(), "at": utc_datetime(decision.at)}


def _words(parts: Iterable[Part]) -> str:
    return " ".join(part.text for part in parts)


def _explained(explained: Explained) -> dict[str, object]:
    return {**explained._asdict(), "facts": dict(explained.facts)}


def step_data(step: Step) -> dict[str, Any]:
    """Return a step of the search as data."""
    return {**step._asdict(), "files": [_explained(explained) for explained in step.files]}


def _received(record: Received) -> dict[str, object]:
    return {
        "format": record.metadata_prefix,
        "datestamp": record.datestamp,
        "received_at": utc_datetime(record.received_at) if record.received_at else None,
        "is_deleted": record.is_deleted,
        "is_withheld": record.is_withheld,
        "repairs": list(record.repairs),
        **_text(record.text),
    }


def _text(text: Text | None) -> dict[str, object]:
    return {"text": text.text if text else None, "bytes": text.size if text else None}
