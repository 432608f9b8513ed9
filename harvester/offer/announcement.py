"""The announcement of a discovered file to its source: COAR Notify 1.0.1, Announce Service Result. Pure.

The `context` is the work, the `object` the file. The same file of an item has always the same notification, with the
same `id`, so an inbox can recognize a repetition.
"""

from typing import Final, NamedTuple
from urllib.parse import urlencode

from coarnotify import validate
from coarnotify.core.notify import NotifyActor, NotifyObject, NotifyService
from coarnotify.patterns import AnnounceServiceResult

from gateway.core.addresses import address, is_address
from gateway.core.errors import ConfigurationError
from gateway.core.model import FileLink, Work
from harvester.offer.files import notification_id

# The vocabulary of versions of COAR, https://vocabularies.coar-repositories.org/version_types/.
_VERSIONS: Final = {
    "submitted": "http://purl.org/coar/version/c_71e4c1898caa6e32",
    "accepted": "http://purl.org/coar/version/c_ab4af688f83e57aa",
    "published": "http://purl.org/coar/version/c_970fb48d4fbd8a85",
}


class Sender(NamedTuple):
    """The repository that announces: its baseURL, its site, its name, and its own inbox (empty: it has none)."""

    base_url: str
    site_url: str
    name: str
    inbox: str = ""


class Receiver(NamedTuple):
    """The source: its address, and its inbox."""

    url: str
    inbox: str


def announcement(
    identifier: str, link: FileLink, work: Work, sender: Sender, receiver: Receiver
) -> AnnounceServiceResult:
    """Return the notification about a file of an item. Raise ConfigurationError if the sender has no baseURL.

    `work` is what the record says. `ietf:` and `sorg:` are prefixes of COAR Notify's own context.
    """
    if not sender.base_url:
        raise ConfigurationError("Announcements name this repository. Set base_url, which ends in /oai.")
    notification = AnnounceServiceResult()
    notification.id = notification_id(identifier, link.sha256)
    notification.actor = NotifyActor(
        {"id": sender.site_url, "type": "Service", "name": sender.name}, validate_stream_on_construct=False
    )
    notification.origin = _service(sender.base_url, sender.inbox)
    notification.target = _service(receiver.url, receiver.inbox)
    notification.context = _part(_context(identifier, work, sender))
    notification.object = _part(_object(identifier, link, sender))
    return notification


def _service(url: str, inbox: str) -> NotifyService:
    """Return a service. The library knows no host without a dot, such as those of a local network."""
    stream = {"id": url, "type": "Service", **({"inbox": inbox} if inbox else {})}
    return NotifyService(stream, validate_stream_on_construct=False, validate_properties=False)


def _part(stream: dict[str, object]) -> NotifyObject:
    return NotifyObject(stream, validate_stream_on_construct=False, validate_properties=False)


def _context(identifier: str, work: Work, sender: Sender) -> dict[str, object]:
    """Return the work: its page at the source, else the address of its DOI, else our record of it."""
    pages = (work.landing_page, *work.identifiers, work.upstream)
    page = next(filter(_is_valid, map(address, pages)), _record(identifier, sender, "oai_dc"))
    cited = next((uri for uri in work.identifiers if is_address(uri)), "")
    return {
        "id": page,
        "type": ["Page", "sorg:AboutPage"],
        **({"ietf:cite-as": cited} if cited else {}),
        "sorg:identifier": work.upstream,
    }


def _is_valid(url: str) -> bool:
    """Return whether the library takes a URL for the id of a context."""
    try:
        return bool(validate.url(None, url))
    except ValueError:
        return False


def _object(identifier: str, link: FileLink, sender: Sender) -> dict[str, object]:
    facts = {
        "sorg:sha256": link.sha256,
        "sorg:contentSize": "" if link.size is None else f"{link.size} B",
        "sorg:contentUrl": link.copy_url,
        "sorg:license": link.license,
        "sorg:creativeWorkStatus": _VERSIONS.get(link.version, link.version),
        "ietf:describedby": _record(identifier, sender, "oai_didl"),
        "summary": link.retracted,
    }
    known: dict[str, object] = {name: fact for name, fact in facts.items() if fact}
    return {"id": link.url, "type": ["Document", "sorg:MediaObject"], "mediaType": link.mime_type, **known}


def _record(identifier: str, sender: Sender, prefix: str) -> str:
    """Return the address of our record of an item (OAI-PMH 2.0 §4.1)."""
    arguments = {"verb": "GetRecord", "metadataPrefix": prefix, "identifier": identifier}
    return f"{sender.base_url}?{urlencode(arguments)}"
