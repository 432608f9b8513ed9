"""The six verbs (OAI-PMH 2.0 §4): a snapshot of the store and the arguments in, the parts of an answer out.

Records come from the store as they will be sent. The store is asked only what the answer needs: whether a set or a
format exists is looked up when nothing was found, to say why.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import blake2b

from gateway.errors import (
    BadArgument,
    BadResumptionToken,
    BadVerb,
    CannotDisseminateFormat,
    IdDoesNotExist,
    NoMetadataFormats,
    NoRecordsMatch,
    NoSetHierarchy,
    OaiError,
)
from gateway.model import Format, Page, Selection, SetDescription
from gateway.names import original_spec
from gateway.oaipmh import token
from gateway.oaipmh.arguments import Arguments
from gateway.oaipmh.envelope import CLOSING, element, error, opening, request, resumption_token
from gateway.oaipmh.identity import Repository, identify
from gateway.oaipmh.token import ListState, SetsState
from gateway.store.base import View
from gateway.xmltext import NO_NAMESPACE, clean


class Refused(Exception):
    """The request is answered with these errors: several at once, where one alone is raised as itself."""

    def __init__(self, *errors: OaiError) -> None:
        """Take the errors, at least one."""
        super().__init__(*errors)
        self.errors = errors


@dataclass(frozen=True, slots=True)
class Content:
    """What stands between `<request>` and the end; `last_modified` only when it is certain for ever."""

    parts: list[bytes]
    is_cacheable: bool = False
    last_modified: int | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer. Only answers that are the same until something changes are cacheable."""

    parts: list[bytes]
    is_cacheable: bool = False
    last_modified: int | None = None
    error: str = ""  # the code of the first error, where there is one

    def body(self) -> bytes:
        """Return the document."""
        return b"\n".join(self.parts)

    def tag(self) -> str:
        """Return a tag of everything but the responseDate."""
        return blake2b(b"\n".join(self.parts[1:]), digest_size=16).hexdigest()


def answer(view: View, repository: Repository, arguments: Arguments) -> Answer:
    """Answer one request from one snapshot: every error of the request, or what was asked for."""
    head = opening(view.horizon)
    try:
        content = (_refuse if arguments.errors else _VERBS[arguments.verb])(view, repository, arguments)
    except (Refused, OaiError) as refused:
        errors = refused.errors if isinstance(refused, Refused) else (refused,)
        # §3.2: after badVerb or badArgument the request is not echoed; its values may be no legal XML.
        is_unreadable = any(isinstance(mistake, (BadVerb, BadArgument)) for mistake in errors)
        echo = request(repository.base_url, () if is_unreadable else arguments.given)
        return Answer([head, echo, *map(error, errors), CLOSING], error=errors[0].code)
    echo = request(repository.base_url, arguments.given)
    return Answer([head, echo, *content.parts, CLOSING], content.is_cacheable, content.last_modified)


def _refuse(view: View, repository: Repository, arguments: Arguments) -> Content:
    raise Refused(*arguments.errors, *_vain(view, repository, arguments))


def _vain(view: View, repository: Repository, arguments: Arguments) -> list[OaiError]:
    """Return what is wrong with the arguments that could be read, each judged for itself."""
    errors: list[OaiError] = []
    if arguments.resumption_token is not None:
        read = _sets_state if arguments.verb == "ListSets" else _list_state
        try:
            read(view, repository, arguments)
        except BadResumptionToken as mistake:
            errors.append(mistake)
    if arguments.identifier is not None and not view.has_item(arguments.identifier):
        errors.append(IdDoesNotExist())
    prefix = arguments.metadata_prefix
    if prefix is not None and all(prefix != known.metadata_prefix for known in view.formats()):
        errors.append(CannotDisseminateFormat("The metadataPrefix is unknown in this repository."))
    if arguments.set_spec is not None and not view.has_set(arguments.set_spec):
        errors.append(NoRecordsMatch("The set does not exist."))
    return errors


def _identify(view: View, repository: Repository, _arguments: Arguments) -> Content:
    sample = f"oai:{repository.domain}:sample/1"
    for record in view.page(Selection("oai_dc"), None, 1).records:
        sample = record.split(b"<identifier>", 1)[1].split(b"</identifier>", 1)[0].decode()
    parts = identify(repository, view.earliest_datestamp(), sample, view.sources())
    return Content(parts, is_cacheable=True, last_modified=view.horizon)


def _list_metadata_formats(view: View, repository: Repository, arguments: Arguments) -> Content:
    formats = view.formats(arguments.identifier)
    if not formats:
        raise Refused(*(_vain(view, repository, arguments) or [NoMetadataFormats()]))
    parts = [b"<ListMetadataFormats>", *map(_format, formats), b"</ListMetadataFormats>"]
    return Content(parts, is_cacheable=True, last_modified=view.horizon)


def _format(known: Format) -> bytes:
    fields = (
        ("metadataPrefix", known.metadata_prefix),
        ("schema", known.schema or known.namespace or NO_NAMESPACE),
        ("metadataNamespace", known.namespace or NO_NAMESPACE),
    )
    return b"<metadataFormat>%b</metadataFormat>" % b"".join(element(name, text) for name, text in fields)


def _get_record(view: View, repository: Repository, arguments: Arguments) -> Content:
    identifier, prefix = arguments.identifier or "", arguments.metadata_prefix or ""
    record = view.record(identifier, prefix)
    if record is None:
        raise Refused(*(_vain(view, repository, arguments) or [CannotDisseminateFormat()]))
    # Until its second is over, the record may be published again with the same datestamp.
    last_modified = record.datestamp if record.datestamp < view.horizon else None
    return Content([b"<GetRecord>", record.content, b"</GetRecord>"], is_cacheable=True, last_modified=last_modified)


def _list_records(view: View, repository: Repository, arguments: Arguments) -> Content:
    page, last = _page(view, repository, arguments)
    return Content([b"<ListRecords>", *page.records, *last, b"</ListRecords>"])


def _list_identifiers(view: View, repository: Repository, arguments: Arguments) -> Content:
    page, last = _page(view, repository, arguments)
    return Content([b"<ListIdentifiers>", *map(_header, page.records), *last, b"</ListIdentifiers>"])


def _header(record: bytes) -> bytes:
    return record[record.index(b"<header") : record.index(b"</header>") + len(b"</header>")]


def _page(view: View, repository: Repository, arguments: Arguments) -> tuple[Page, list[bytes]]:
    """Return a page of the list asked for, and its resumptionToken unless the list is complete in one answer."""
    state = _list_state(view, repository, arguments)
    page = view.page(state.selection, state.after, repository.page_size)
    if not page.records and state.cursor:
        page = _moved(view, repository, state)
    if not page.records:
        raise Refused(*(_vain(view, repository, arguments) or [NoRecordsMatch()]))
    told = state.cursor + len(page.records)
    if page.next is None:
        total = max(state.total, told)
        return page, [resumption_token("", state.cursor, total, 0)] if state.cursor else []
    # Records of the horizon's own second may still join the list: it never tells less than it has told.
    total = max(state.total or view.count(state.selection), told + 1)
    following = state._replace(datestamp=page.next.datestamp, item=page.next.item, cursor=told, total=total)
    return page, [_token(view, repository, arguments.verb, following, state.cursor)]


def _moved(view: View, repository: Repository, state: ListState) -> Page:
    """Return the rest of a list whose last records have all got later datestamps since: those records, as they are.

    A list may not end without a record (the schema wants one), and the harvester waits for these. They are not beyond
    what it asked for, only beyond the frozen `until`.
    """
    selection = Selection(state.metadata_prefix, state.set_spec, state.from_, state.asked_until)
    rest = min(repository.page_size, max(1, state.total - state.cursor))
    return Page(view.page(selection, state.after, rest).records, None)


def _list_state(view: View, repository: Repository, arguments: Arguments) -> ListState:
    if arguments.resumption_token is not None:
        return token.open_list(arguments.resumption_token, arguments.verb, view.horizon, repository.key)
    asked = arguments.until
    until = view.horizon if asked is None else min(asked, view.horizon)
    return ListState(arguments.metadata_prefix or "", arguments.set_spec, arguments.from_, until, asked, 0, 0, 0, 0)


def _sets_state(view: View, repository: Repository, arguments: Arguments) -> SetsState:
    if arguments.resumption_token is not None:
        return token.open_sets(arguments.resumption_token, view.horizon, repository.key)
    return SetsState(None, 0, 0)


def _list_sets(view: View, repository: Repository, arguments: Arguments) -> Content:
    state = _sets_state(view, repository, arguments)
    size = repository.sets_page_size
    found = view.sets(state.after, size + 1)
    if not found:
        raise NoSetHierarchy
    parts = [b"<ListSets>", *map(_set, found[:size])]
    if len(found) > size:
        following = SetsState(found[size - 1].spec, state.cursor + size, state.total or _count_sets(view))
        parts.append(_token(view, repository, "ListSets", following, state.cursor))
    elif state.cursor:
        parts.append(resumption_token("", state.cursor, state.total, 0))
    return Content([*parts, b"</ListSets>"], is_cacheable=True, last_modified=view.horizon)


def _set(described: SetDescription) -> bytes:
    has_name = described.name not in ("", described.spec)
    name = described.name if has_name else clean(original_spec(described.spec)) or described.spec
    names = element("setSpec", described.spec) + element("setName", name)
    if described.description:
        names += b"<setDescription>%b</setDescription>" % described.description
    return b"<set>%b</set>" % names


def _count_sets(view: View) -> int:
    total, after = 0, None
    while found := view.sets(after, 1000):
        total, after = total + len(found), found[-1].spec
    return total


def _token(view: View, repository: Repository, verb: str, state: ListState | SetsState, cursor: int) -> bytes:
    life = repository.token_life_seconds
    expires = view.horizon + life if life else 0
    return resumption_token(token.seal(verb, state, expires, repository.key), cursor, state.total, expires)


_VERBS: Mapping[str, Callable[[View, Repository, Arguments], Content]] = {
    "GetRecord": _get_record,
    "Identify": _identify,
    "ListIdentifiers": _list_identifiers,
    "ListMetadataFormats": _list_metadata_formats,
    "ListRecords": _list_records,
    "ListSets": _list_sets,
}
