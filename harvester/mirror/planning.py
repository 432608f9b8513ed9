"""What is to be done about each file of an object: kept as it is, asked whether it has changed, or fetched. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple
from urllib.parse import unquote

from gateway.digests import WEAK, Digests, is_strong
from gateway.xmltext import parse_utc_datetime
from harvester.mirror.components import Component
from harvester.mirror.doubtful import Doubt
from harvester.mirror.holding import HeldFile, by_location, stated_again, with_names
from harvester.mirror.naming import Taken, safe
from harvester.mirror.sent import Refused, Sent, settled

_QUERY = re.compile(r"[?#]")
_EXTENSIONS = {"application/pdf": ".pdf", "text/xml": ".xml", "application/xml": ".xml", "text/plain": ".txt"}


class Want(NamedTuple):
    """One file of an object: what the document says now, where it is to lie, and what was held of it before.

    `is_same`: by what the document says, the file that is held is the present one; it need not be asked for.
    """

    component: Component
    path: str
    before: HeldFile | None
    is_same: bool
    doubted: Doubt | None = None  # what is kept aside of it
    is_recheck: bool = False  # it is asked whether it has changed, whatever the document says
    sent: tuple[Sent, ...] = ()  # what its addresses sent when it was rechecked last
    refused: Refused | None = None  # what came of it just now, and contradicted what its record stated before

    @property
    def kept(self) -> HeldFile:
        """The file that is held, with what the document says of it now."""
        assert self.before is not None
        return stated_again(self.before, self.component)

    @property
    def arrived(self) -> tuple[Sent, ...]:
        """What the address sent that the file came from; nothing when what is held is an earlier state of it."""
        held = self.before
        if held is None or not held.path or held.is_stale or held.url not in held.locations:
            return ()
        received_at = parse_utc_datetime(held.received_at)[0] if held.received_at else 0
        return (Sent(held.url, held.entity_tag, settled(held.last_modified, received_at)),)

    def rechecked(self, sent: tuple[Sent, ...]) -> Want:
        """Return the same file, to be asked whether it has changed, by what its servers sent last."""
        return self._replace(is_same=False, is_recheck=True, sent=sent)

    @property
    def whole(self) -> Want:
        """The same file, to be asked for as if nothing were known of it."""
        doubted = self.doubted and self.doubted._replace(
            file=self.doubted.file._replace(entity_tag="", last_modified="")
        )
        return self._replace(sent=(), doubted=doubted)

    @property
    def again(self) -> Want:
        """The same file, to be fetched whether it has changed or not."""
        forgotten = self.before and self.before._replace(entity_tag="", last_modified="")
        return self._replace(before=forgotten, is_same=False, sent=())


def wants(
    components: Iterable[Component],
    before: Iterable[HeldFile],
    earlier_bytes: Callable[[Component], HeldFile | None] = lambda _: None,
    hashed_again: Callable[[HeldFile, Collection[str]], Digests] = lambda _file, _algorithms: (),
    *,
    is_untouched: bool = False,
) -> tuple[Want, ...]:
    """Return what each Component means for the files that are held.

    `earlier_bytes` finds what some version holds by the digests that the document states. `hashed_again` computes other
    digests of what is held. `is_untouched`: the document and its datestamp are those of before, so whatever is held is
    present.
    """
    before = tuple(before)
    held = by_location(before)
    taken = Taken(each.path for each in held.values() if each.path)
    found: list[Want] = []
    given: set[str] = set()
    for component, names in with_names(components):
        earlier = next((held[name] for name in names if name in held), None)
        path = earlier.path if earlier and earlier.path else _path(component, taken)
        if path in given:  # two Components share a location
            path, earlier = _path(component, taken), None
        taken.add(path)
        given.add(path)
        if earlier is not None and earlier.is_good and not is_untouched:
            earlier = _proven(component, earlier, hashed_again)
        is_same = earlier is not None and earlier.is_good and (is_untouched or _is_same(component, earlier))
        if not is_same and (returned := _moved(component, before) or earlier_bytes(component)):
            earlier, is_same = returned._replace(path=path), True
        found.append(Want(component, path, earlier, is_same and component.content is None))
    return tuple(found)


def _proven(
    component: Component, held: HeldFile, hashed_again: Callable[[HeldFile, Collection[str]], Digests]
) -> HeldFile:
    """Return a file that is held, with digests that are stated in other algorithms than before, if it has them.

    A document that states an MD5 where it stated nothing before is no reason to fetch the file again.
    """
    stated = tuple(each for each in component.decisive if each[0] not in WEAK)
    if not stated or component.digests == held.stated_digests or has_digests(component, held) is not None:
        return held
    found = hashed_again(held, {name for name, _ in stated})
    if set(found) != set(stated):
        return held
    verified = tuple(dict.fromkeys((*held.verified, *(name for name, _ in found))))
    return held._replace(stated_digests=held.stated_digests + found, verified=verified)


def _moved(component: Component, before: Iterable[HeldFile]) -> HeldFile | None:
    """Return a file of before that has the digests which are stated of another address now; None when none has."""
    return next((each for each in before if each.is_good and has_digests(component, each)), None)


def _is_same(component: Component, held: HeldFile) -> bool:
    """Tell whether the document means the bytes that are held: by their digest, or by all that it said of them then.

    The size alone tells nothing: what was replaced may be just as long. No more does a CRC32 or Adler-32. A date alone
    counts where the server cannot be asked whether the file has changed: another ETag outweighs it.
    """
    proven = has_digests(component, held)
    if proven is not None:
        return proven
    now = (component.size, component.digests, component.modified)
    then = (held.stated_size, held.stated_digests, held.stated_modified)
    can_ask = bool(held.entity_tag or held.last_modified)
    return now == then and bool(is_strong(component.digests) or (component.modified and not can_ask))


def has_digests(component: Component, held: HeldFile) -> bool | None:
    """Tell whether bytes that are held have the digests and the size that are stated; None when no digest can tell.

    A CRC32 or Adler-32 can only tell that they do not.
    """
    if held.size is not None and component.size not in (None, held.size):
        return False
    proven = {name: digest for name, digest in held.stated_digests if name in held.verified}
    ours = {**proven, "sha256": held.sha256, "sha512": held.sha512}
    shared = [(name, digest) for name, digest in component.decisive if name in ours]
    if any(ours[name] != digest for name, digest in shared):
        return False
    return True if is_strong(shared) else None


def path_of(location: str) -> str:
    """Return the path of an address, or of what should be one: a location may be any text. Else the text itself."""
    _, is_absolute, rest = location.partition("://")
    return unquote(_QUERY.split(rest, maxsplit=1)[0].partition("/")[2] if is_absolute else location)


def _path(component: Component, taken: Taken) -> str:
    """Return a path of its own for a file: its name as the address has it, of characters that every disk takes."""
    source = next(iter(component.addresses or component.locations), "") or component.identifier
    extension = _EXTENSIONS.get(component.mime_type.partition(";")[0].strip().lower(), "")
    return taken.free("files", safe(path_of(source).rstrip("/").rpartition("/")[2]), extension)
