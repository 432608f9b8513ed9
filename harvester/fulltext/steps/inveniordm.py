"""Zenodo and other sites of InvenioRDM: the files of a record, whose page does not name them without scripts.

Answers of 2026-01 (Zenodo) and 2026-07 (InvenioRDM). Zenodo has a form of its own: `metadata.access_right`, `files` as
a list. A restricted record has no files and is no error. No record under an embargo was seen.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple
from urllib.parse import quote

from gateway.fulltext.licenses import license_of, license_uri
from harvester.fulltext.access_rights import day_of
from harvester.fulltext.known_copies import Copy, Description
from harvester.fulltext.steps import Known, Step, StepResult
from harvester.fulltext.steps._ask_service import of_repository
from harvester.http.json_answers import Node, answered, parts, text, texts, values, without
from harvester.http.messages import Fetch, Fetched
from harvester.http.urls import split

_ZENODO_DOI = re.compile(r"10\.5281/zenodo\.(\d{1,12})")
_ZENODO_PAGE = re.compile(r"https?://(?:www\.)?zenodo\.org/records?/(\d{1,12})/?")
_PAGE = re.compile(r"(https?)://([a-z0-9.-]{4,100})/records/([0-9a-hjkmnp-tv-z]{5}-[0-9a-hjkmnp-tv-z]{5})/?")
_ZENODO = "https://zenodo.org"
_ID = re.compile(r"[0-9a-z-]{1,20}")
_PDF = ".pdf"


class Place(NamedTuple):
    """A record in the API: the site and its number there."""

    site: str
    number: str

    @property
    def address(self) -> str:
        """The URL of the record in the API."""
        return f"{self.site}/api/records/{self.number}"

    @property
    def is_certain(self) -> bool:
        """Return whether the site certainly has this software."""
        return self.site == _ZENODO


def place_of(doi_or_page: str) -> Place | None:
    """Return the record of a DOI or of a page, or None for any other text."""
    zenodo = _ZENODO_DOI.fullmatch(doi_or_page) or _ZENODO_PAGE.fullmatch(doi_or_page)
    if zenodo:
        return Place(_ZENODO, zenodo[1])
    page = _PAGE.fullmatch(doi_or_page)
    return Place(f"{page[1]}://{page[2]}", page[3]) if page else None


class _Access(NamedTuple):
    is_open: bool
    open_from: str  # the end of an embargo


def read(fetched: Fetched, site: str) -> Description | None:
    """Return the record; None when the site does not know it.

    Errors are those of `answered`; also raise AnswerError when access rights or names of files are missing.
    """
    service = split(site).netloc
    document = answered(fetched, service, "metadata", "title", is_text=True)
    if document is None:
        return None
    if not _right(document):
        raise without(service, "the access rights of its files")
    described = _described(document, site)
    if described.is_open and not _has_files_named(document):
        raise without(service, "the names of files")
    return described


def _described(record: Node, site: str) -> Description:
    access = _access(record)
    kinds = texts(record, "metadata", "resource_type", "subtype") + texts(record, "metadata", "resource_type", "type")
    return Description(
        doi=(text(record, "pids", "doi", "identifier") or text(record, "doi")).lower(),
        title=text(record, "metadata", "title"),
        authors=_authors(record),
        year=text(record, "metadata", "publication_date")[:4],
        copies=_copies(record, site, access),
        is_open=access.is_open,
        kind=next(iter(kinds), text(record, "metadata", "resource_type", "id")),
    )


def _access(record: Node) -> _Access:
    right = _right(record)
    until = text(record, "metadata", "embargo_date") or text(record, "access", "embargo", "until")
    is_embargoed = right == "embargoed" or True in values(record, "access", "embargo", "active")
    return _Access(is_open=right in ("open", "public"), open_from=day_of(until, is_end=True) if is_embargoed else "")


def _right(record: Node) -> str:
    """Return the access right of the files, in the term of either form."""
    return text(record, "metadata", "access_right") or text(record, "access", "files")


def _authors(record: Node) -> tuple[str, ...]:
    families = texts(record, "metadata", "creators", "person_or_org", "family_name")
    names = texts(record, "metadata", "creators", "name")
    return tuple(families or [name.partition(",")[0].strip() for name in names])


def _copies(record: Node, site: str, access: _Access) -> tuple[Copy, ...]:
    """Return the open PDFs; under an embargo, the page of the record with the end of the embargo."""
    number = next((str(value) for value in values(record, "id")), "")
    if not _ID.fullmatch(number):
        return ()
    stated = [text(part, "id") for part in parts(record, "metadata", "license")]
    rights = parts(record, "metadata", "rights")
    stated += [text(part, "props", "url") or text(part, "id") or text(part, "link") for part in rights]
    name = stated[0] if len(set(map(license_of, stated))) == 1 else ""  # several, or a right that is no licence
    copy = Copy(
        "",
        mime_type="application/pdf",
        license=license_of(name),
        license_url=license_uri(name),
        host_type="repository",
        evidence="inveniordm:files",
        is_open=access.is_open,
    )
    if access.open_from:
        page = f"{site}/records/{number}"
        return (copy._replace(url=page, open_from=access.open_from, evidence="inveniordm:embargo"),)
    keys = [key for key in _keys(record) if key.lower().endswith(_PDF)] if access.is_open else []
    files = f"{site}/api/records/{number}/files/"
    return tuple(copy._replace(url=f"{files}{quote(key, safe='')}/content") for key in dict.fromkeys(keys))


def _has_files_named(record: Node) -> bool:
    """Return whether a record lists its files by name, or states that it has none."""
    files = record.get("files")
    listing = files.get("entries", {}) if isinstance(files, Mapping) else files
    return isinstance(listing, list | Mapping) and bool(_keys(record) or not listing)


def _keys(record: Node) -> list[str]:
    """Return the names of the files, in either form."""
    entries = next(iter(parts(record, "files", "entries")), {})
    return texts(record, "files", "key") + texts(list(entries.values()), "key")


def _place(known: Known) -> Place | None:
    named = (known.doi, *(copy.url for copy in known.pages))
    return next((place for address in named if (place := place_of(address))), None)


def _find(known: Known, fetch: Fetch) -> StepResult:
    place = _place(known)
    assert place is not None
    result = of_repository(place.address, fetch, lambda fetched: read(fetched, place.site), is_certain=place.is_certain)
    own = (place_of(known.doi), place_of(known.work.landing_page))
    return result if place in own else replace(result, description=None)  # a page named by a service is of a copy


STEP = Step(
    "inveniordm",
    47,
    "Asks Zenodo or another InvenioRDM for the files of a record.",
    lambda known: bool(_place(known)),
    _find,
)
