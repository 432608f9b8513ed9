"""The six verbs (OAI-PMH 2.0 §4): a snapshot of the store and the arguments in, the parts of an answer out.

Records come from the store exactly as they are sent. If a list is empty, the set or format is looked up to choose the
error.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import blake2b

from gateway.core.errors import (
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
from gateway.core.model import Format, Selection, SetDescription
from gateway.core.names import original_spec
from gateway.core.pieces import Part, identity
from gateway.core.xmltext import NO_NAMESPACE, clean
from gateway.oaipmh import token
from gateway.oaipmh.arguments import Arguments
from gateway.oaipmh.envelope import CLOSING, element, error, opening, request, resumption_token
from gateway.oaipmh.identity import Repository, identify
from gateway.oaipmh.token import ListState, SetsState
from gateway.store.base import PageOfParts, View


class Refused(Exception):
    """The request is answered with these errors; a single OaiError can also be raised itself."""

    def __init__(self, *errors: OaiError) -> None:
        super().__init__(*errors)
        self.errors = errors


@dataclass(frozen=True, slots=True)
class Content:
    """The part of an answer after `<request>`. `last_modified` is a second since 1970, None if it may still change."""

    parts: list[Part]
    is_cacheable: bool = False
    last_modified: int | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer. It is cacheable if it stays the same until something is published.

    `parts` are lines, and pieces of lines as the store has them.
    """

    parts: list[Part]
    is_cacheable: bool = False
    last_modified: int | None = None
    error: str = ""  # the code of the first error, or empty

    def body(self) -> bytes:
        """Return the document in UTF-8."""
        return identity(self.parts)

    def tag(self) -> str:
        """Return the value of the ETag: a digest of everything except the responseDate (RFC 9110 §8.8.3)."""
        return blake2b(identity(self.parts[1:]), digest_size=16).hexdigest()


def answer(view: View, repository: Repository, arguments: Arguments) -> Answer:
    """Return the answer to one request from one snapshot: all errors of the request, or its result.

    Raise StoreError if the store fails.
    """
    head = opening(view.horizon)
    try:
        content = (_refuse if arguments.errors else _VERBS[arguments.verb])(view, repository, arguments)
    except (Refused, OaiError) as refused:
        errors = refused.errors if isinstance(refused, Refused) else (refused,)
        # §3.2: after badVerb or badArgument, `<request>` has no attributes; the values may not be legal in XML.
        is_unreadable = any(isinstance(mistake, (BadVerb, BadArgument)) for mistake in errors)
        echo = request(repository.base_url, () if is_unreadable else arguments.given)
        return Answer(_lines(head, echo, *map(error, errors), CLOSING), error=errors[0].code)
    echo = request(repository.base_url, arguments.given)
    parts = [*_lines(head, echo), *content.parts, *_lines(CLOSING)]
    return Answer(parts, content.is_cacheable, content.last_modified)


def _lines(*texts: bytes) -> list[Part]:
    return [text + b"\n" for text in texts]


def _refuse(view: View, repository: Repository, arguments: Arguments) -> Content:
    raise Refused(*arguments.errors, *_vain(view, repository, arguments))


def _vain(view: View, repository: Repository, arguments: Arguments) -> list[OaiError]:
    """Return the errors of the arguments that could be read, each checked alone against the store."""
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
    for header in view.parts(Selection("oai_dc"), None, 1, only_headers=True, is_exact=True).parts:
        assert isinstance(header, bytes)  # those of a small page lie apart
        sample = header.split(b"<identifier>", 1)[1].split(b"</identifier>", 1)[0].decode()
    parts = identify(repository, view.earliest_datestamp(), sample, view.friends(repository.friends_most))
    return Content(_lines(*parts), is_cacheable=True, last_modified=view.horizon)


def _list_metadata_formats(view: View, repository: Repository, arguments: Arguments) -> Content:
    formats = view.formats(arguments.identifier)
    if not formats:
        raise Refused(*(_vain(view, repository, arguments) or [NoMetadataFormats()]))
    parts = [b"<ListMetadataFormats>", *map(_format, formats), b"</ListMetadataFormats>"]
    return Content(_lines(*parts), is_cacheable=True, last_modified=view.horizon)


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
    # Before this second ends, the record may be published again with the same datestamp.
    last_modified = record.datestamp if record.datestamp < view.horizon else None
    parts = _lines(b"<GetRecord>", record.content, b"</GetRecord>")
    return Content(parts, is_cacheable=True, last_modified=last_modified)


def _list_records(view: View, repository: Repository, arguments: Arguments) -> Content:
    return _list(view, repository, arguments, only_headers=False)


def _list_identifiers(view: View, repository: Repository, arguments: Arguments) -> Content:
    return _list(view, repository, arguments, only_headers=True)


def _list(view: View, repository: Repository, arguments: Arguments, *, only_headers: bool) -> Content:
    """Return a page of the requested list, and its resumptionToken unless the list is complete in one answer."""
    state, verb = _list_state(view, repository, arguments), arguments.verb
    is_exact = repository.has_exact_pages
    page = view.parts(state.selection, state.after, repository.page_size, only_headers=only_headers, is_exact=is_exact)
    if not page.size and state.cursor:
        page = _moved(view, repository, state, only_headers=only_headers)
    if not page.size:
        raise Refused(*(_vain(view, repository, arguments) or [NoRecordsMatch()]))
    return Content([*_lines(b"<%b>" % verb.encode()), *page.parts, *_rest(view, repository, verb, state, page)])


def _rest(view: View, repository: Repository, verb: str, state: ListState, page: PageOfParts) -> list[Part]:
    """Return what follows the records of a page: the resumptionToken, if there is one, and the end of the list."""
    end, count = b"</%b>" % verb.encode(), state.cursor + page.size
    if page.next is None:
        total = max(state.total, count)
        return _lines(resumption_token("", state.cursor, total, 0), end) if state.cursor else _lines(end)
    # Records of the second of the horizon may still join the list, so the size may grow but never shrinks.
    total = max(state.total or view.count(state.selection), count + 1)
    following = state._replace(datestamp=page.next.datestamp, number=page.next.number, cursor=count, total=total)
    return _lines(_token(view, repository, verb, following, state.cursor), end)


def _moved(view: View, repository: Repository, state: ListState, *, only_headers: bool) -> PageOfParts:
    """Return the rest of a list whose remaining records all have later datestamps by now: those records.

    A list must not end with an empty answer (the schema requires a record). These records are within the request of the
    harvester; only the `until` that was fixed at the first answer excludes them.
    """
    selection = Selection(state.metadata_prefix, state.set_spec, state.from_, state.asked_until)
    rest = min(repository.page_size, max(1, state.total - state.cursor))
    page = view.parts(selection, state.after, rest, only_headers=only_headers, is_exact=True)
    return page._replace(next=None)


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
    sets = view.sets(state.after, size + 1)
    if not sets:
        raise NoSetHierarchy
    parts = [b"<ListSets>", *map(_set, sets[:size])]
    if len(sets) > size:
        following = SetsState(sets[size - 1].spec, state.cursor + size, state.total or _count_sets(view))
        parts.append(_token(view, repository, "ListSets", following, state.cursor))
    elif state.cursor:
        parts.append(resumption_token("", state.cursor, state.total, 0))
    return Content(_lines(*parts, b"</ListSets>"), is_cacheable=True, last_modified=view.horizon)


def _set(described: SetDescription) -> bytes:
    has_name = described.name not in ("", described.spec)
    name = described.name if has_name else clean(original_spec(described.spec)) or described.spec
    names = element("setSpec", described.spec) + element("setName", name)
    if described.description:
        names += b"<setDescription>%b</setDescription>" % described.description
    return b"<set>%b</set>" % names


def _count_sets(view: View) -> int:
    total, after = 0, None
    while sets := view.sets(after, 1000):
        total, after = total + len(sets), sets[-1].spec
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
