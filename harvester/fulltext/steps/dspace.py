"""DSpace 7 and later: the files of an item whose page names none without scripts.

One request. Only the answer shows whether a site has this API; pages of older versions name their files. Only
the bundle ORIGINAL has the deposited files; others hold licences, texts and thumbnails. The reader is written from the
contract of the REST API (`/server/api`) and from its own tests, without recorded answers.
"""

import re
from dataclasses import replace
from typing import NamedTuple
from urllib.parse import quote

from gateway.core.bibliography.identifiers import dois_in
from gateway.fulltext.licenses import license_of, license_uri
from harvester.fulltext.access_rights import Access, access_of, day_of, end_of_embargo, open_from_words
from harvester.fulltext.known_copies import Copy, Description, without_repetitions
from harvester.fulltext.pages import landing_rules as rules
from harvester.fulltext.rights_words import is_reserving
from harvester.fulltext.steps import Known, Step, StepResult
from harvester.fulltext.steps._ask_service import of_repository
from harvester.http.json_answers import Node, answered, parts, text, texts
from harvester.http.messages import Fetch, Fetched

_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_SITE = r"(https?://[a-z0-9.-]{4,100}(?::\d{1,5})?)"
_ITEM = re.compile(rf"{_SITE}/(?:items|entities/[a-z]{{1,40}})/({_UUID})(?:/full)?/?")
_HANDLE = re.compile(rf"{_SITE}/handle/([\d.]{{1,30}}/[\w.-]{{1,60}})/?")
_RESOLVER = re.compile(r"https?://hdl\.handle\.net/")
_WHOLE_UUID = re.compile(_UUID)
# Names of the metadata that state the access to a file, and the day on which it becomes available.
_OF_RIGHTS = re.compile(r"(?i)right|access|licen[cs]e")
_OF_DAYS = re.compile(r"(?i)\.available$|embargo|lift")
_LICENSES = ("dc.rights.uri", "dc.rights.license")
_EMBED = "embed=bundles/bitstreams"
_ORIGINAL = "ORIGINAL"


class Place(NamedTuple):
    """An item in the API: the site, and its UUID or its handle there."""

    site: str
    uuid: str = ""
    handle: str = ""

    @property
    def address(self) -> str:
        """The URL of the item with its bundles and files; for a handle, of a search for it."""
        if self.uuid:
            return f"{self.site}/server/api/core/items/{self.uuid}?{_EMBED}"
        query = quote(f'handle:"{self.handle}"', safe="")
        return f"{self.site}/server/api/discover/search/objects?query={query}&dsoType=item&size=2&{_EMBED}"


def place_of(page: str) -> Place | None:
    """Return the item of a page, or None for any other address."""
    if item := _ITEM.fullmatch(page):
        return Place(item[1], uuid=item[2])
    handle = None if _RESOLVER.match(page) else _HANDLE.fullmatch(page)
    return Place(handle[1], handle=handle[2]) if handle else None


def read(fetched: Fetched, place: Place) -> Description | None:
    """Return the item; None when the site does not know it. Errors are those of `answered`."""
    document = answered(fetched, "DSpace") or {}
    listed = parts(document, "_embedded", "searchResult", "_embedded", "objects", "_embedded", "indexableObject")
    own = [item for item in listed if text(item, "handle") == place.handle] if place.handle else [document]
    return next((_described(item, place.site) for item in own if text(item, "uuid")), None)


def _described(item: Node, site: str) -> Description:
    licenses = [right for name in _LICENSES for right in texts(item, "metadata", name, "value")]
    stated = licenses[0] if len(set(map(license_of, licenses))) == 1 else ""
    copy = Copy(
        "",
        mime_type="application/pdf",
        license=license_of(stated),
        license_url=license_uri(stated),
        host_type="repository",
        evidence=f"dspace:{_ORIGINAL}",
    )
    copy = _under_terms(item, copy)
    files = [copy._replace(url=f"{site}/server/api/core/bitstreams/{uuid}/content") for uuid in _files(item)]
    return Description(
        doi=next(iter(dois_in(" ".join(texts(item, "metadata", "dc.identifier.doi", "value")))), ""),
        title=text(item, "metadata", "dc.title", "value") or text(item, "name"),
        authors=tuple(
            name.partition(",")[0].strip() for name in texts(item, "metadata", "dc.contributor.author", "value")
        ),
        year=text(item, "metadata", "dc.date.issued", "value")[:4],
        copies=without_repetitions(files),
        kind=text(item, "metadata", "dc.type", "value"),
    )


def _under_terms(item: Node, copy: Copy) -> Copy:
    """Return a copy with the end of an embargo and the restriction that the metadata of its item state.

    Its licence is removed if the item reserves all rights, or if its files are restricted.
    """
    names = [name for name in next(iter(parts(item, "metadata")), {}) if isinstance(name, str)]
    rights = [right for name in names if _OF_RIGHTS.search(name) for right in texts(item, "metadata", name, "value")]
    days = [day for name in names if _OF_DAYS.search(name) for day in texts(item, "metadata", name, "value")]
    access = access_of(rights)
    is_embargoed = access is Access.EMBARGOED
    stated = [*(day_of(day, is_end=is_embargoed) for day in days), *map(open_from_words, rights)]
    open_from = max([*stated, end_of_embargo([*rights, *days])])
    is_shut = access in (Access.RESTRICTED, Access.CLOSED) or (is_embargoed and not open_from)
    restriction = f"The metadata of the item say that its access is {access}." if is_shut else ""
    copy = copy._replace(open_from=open_from, restriction=restriction)
    return copy._replace(license="", license_url="") if is_shut or any(map(is_reserving, rights)) else copy


def _files(item: Node) -> list[str]:
    """Return the UUIDs of the PDFs that were deposited: by their names, or by their format where it is embedded.

    Parts of the work, by their names, come last; licences and supplements are left out.
    """
    bundles = parts(item, "_embedded", "bundles", "_embedded", "bundles") + parts(item, "_embedded", "bundles")
    bitstreams = []
    for bundle in bundles:
        if text(bundle, "name") == _ORIGINAL:
            listed = parts(bundle, "_embedded", "bitstreams")
            bitstreams += [
                bitstream for part in listed for bitstream in (part, *parts(part, "_embedded", "bitstreams"))
            ]
    bitstreams = [
        bitstream
        for bitstream in bitstreams
        if _is_pdf(bitstream)
        and not rules.NEVER.search(name := text(bitstream, "name"))
        and not rules.SUPPLEMENT_ADDRESS.search(name)
    ]
    bitstreams.sort(key=lambda bitstream: bool(rules.PART.search(text(bitstream, "name"))))
    return [uuid for bitstream in bitstreams if _WHOLE_UUID.fullmatch(uuid := text(bitstream, "uuid"))]


def _is_pdf(bitstream: Node) -> bool:
    stated = text(bitstream, "_embedded", "format", "mimetype")
    return stated == "application/pdf" if stated else text(bitstream, "name").lower().endswith(".pdf")


def _place(known: Known) -> Place | None:
    return next((place for copy in known.pages if (place := place_of(copy.url))), None)


def _find(known: Known, fetch: Fetch) -> StepResult:
    place = _place(known)
    assert place is not None
    result = of_repository(place.address, fetch, lambda fetched: read(fetched, place))
    is_own = place == place_of(known.work.landing_page)
    return result if is_own else replace(result, description=None)  # a page named by a service is of a copy


STEP = Step(
    "dspace",
    84,
    "Asks DSpace 7 for the files of an item whose page names none.",
    lambda known: bool(_place(known)),
    _find,
)
