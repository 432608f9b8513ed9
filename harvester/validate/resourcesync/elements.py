"""The rules of single elements: their names, their attributes, and links. Pure."""

from collections.abc import Iterable

from gateway.core.xmltext import SITEMAP
from harvester.validate.check import Shown
from harvester.validate.resourcesync.kinds import LN_ATTRIBUTES, MD_ATTRIBUTES, OLDER_ATTRIBUTES, OLDER_RELATIONS, older
from harvester.validate.resourcesync.reading import TERMS, Attributes
from harvester.validate.resourcesync.rules import Judged
from harvester.validate.resourcesync.values import NUMBER, hash_faults, is_absolute, is_complete, moment
from harvester.validate.signposting.syntax import KNOWN, MEDIA_TYPE

_DAY = 86_400  # a clock may be wrong
OF_ENTRIES = ("loc", "lastmod", "changefreq", "priority")
_ATTRIBUTES = {"rs:md": MD_ATTRIBUTES, "rs:ln": LN_ATTRIBUTES}
# Relations of the standard (Z39.99 §6.2, §14) that are not registered, or younger than the list.
_RELATIONS = KNOWN | {"up", "index", "contents", "archives", "hub", "self", "via", "profile"}
_PRIORITIES = range(1, 1_000_000)
_CODINGS = frozenset(
    "aes128gcm br compress dcb dcz deflate exi gzip identity pack200-gzip x-compress x-gzip zstd".split()  # noqa: SIM905
)


def judge_time(judged: Judged, shown: Shown, name: str, text: str, now: float) -> float | None:
    """Judge one time, and return it in Unix time."""
    judged.applied(shown, ("times.form", "times.utc", "times.future"))
    at = moment(text)
    if at is None:
        judged.fault("times.form", shown, f"{name} is {text[:100]!r}.")
        return None
    if not is_complete(text):
        judged.fault("times.utc", shown, f"{name} is {text}.")
    if at > now + _DAY:
        judged.fault("times.future", shown, f"{name} is {text}.")
    return at


def judge_element(judged: Judged, shown: Shown, name: str, attributes: Attributes) -> None:
    """Judge the name of an element, and the names of the attributes of `rs:md` and `rs:ln`."""
    known = _ATTRIBUTES.get(name)
    if known is None:
        _judge_name(judged, shown, name)
        return
    for attribute in attributes:
        namespace, _, local = attribute.rpartition(" ")
        if not namespace and local not in known:
            sentence = older(f"{name} has the attribute {local[:100]!r}.", OLDER_ATTRIBUTES.get(local))
            judged.fault("xml.attributes", shown, sentence)
        elif namespace == TERMS:
            judged.fault("xml.prefix", shown, f"{name} has the attribute {local[:100]!r} with a prefix.")


def _judge_name(judged: Judged, shown: Shown, name: str) -> None:
    if name in OF_ENTRIES:
        return
    namespace, _, local = name.rpartition(" ")
    if local in ("md", "ln"):
        judged.fault("xml.terms", shown, f"{local} is in the namespace {namespace[:200]!r}, not {TERMS}.")
    elif namespace in ("", SITEMAP, TERMS):
        judged.fault("xml.elements", shown, f"The document has an element {local[:100]!r}.")


def judge_links(judged: Judged, shown: Shown, links: Iterable[Attributes], now: float) -> None:
    """Judge the attributes of `rs:ln` elements."""
    for link in links:
        href, rel = link.get("href", "").strip(), link.get("rel", "").strip()
        judged.applied(shown, ("link.href", "link.rel", "link.absolute", "link.relation"))
        if not href:
            judged.fault("link.href", shown, f"A link with the relation {rel[:100]!r} has no href.")
        elif not is_absolute(href):
            judged.fault("link.absolute", shown, f"The href {href[:200]!r} is not absolute.")
        if not rel:
            judged.fault("link.rel", shown, f"The link to {href[:200]!r} has no rel.")
        elif not _is_relation(rel):
            judged.fault(
                "link.relation", shown, older(f"The relation is {rel[:100]!r}.", OLDER_RELATIONS.get(rel.lower()))
            )
        if "pri" in link:
            pri = link["pri"].strip()
            is_number = NUMBER.fullmatch(pri) is not None and int(pri) in _PRIORITIES
            judged.faults(shown, "link.priority", [] if is_number else [f"pri is {pri[:100]!r}."])
        if "modified" in link:
            judge_time(judged, shown, "modified", link["modified"].strip(), now)
        judge_representation(judged, shown, link)


def _is_relation(rel: str) -> bool:
    return rel.lower() in _RELATIONS if ":" not in rel else is_absolute(rel)


def judge_representation(judged: Judged, shown: Shown, attributes: Attributes) -> None:
    """Judge the values of `hash`, `length`, `type` and `encoding` of an element."""
    if "hash" in attributes:
        judged.applied(shown, ("hash.syntax", "hash.algorithm", "hash.digits", "hash.once"))
        for rule, sentence in hash_faults(attributes["hash"]):
            judged.fault(rule, shown, sentence)
    if "length" in attributes:
        length = attributes["length"]
        wrong = [] if NUMBER.fullmatch(length) else [f"length is {length[:100]!r}."]
        judged.faults(shown, "length.form", wrong)
    if "type" in attributes:
        judged.faults(shown, "type.form", [] if is_media_type(attributes["type"]) else _type(attributes["type"]))
    if "encoding" in attributes:
        codings = attributes["encoding"].replace(",", " ").lower().split()
        others = [coding for coding in codings if coding not in _CODINGS] or ([] if codings else [""])
        judged.faults(shown, "encoding.form", (f"encoding is {coding[:100]!r}." for coding in others))


def _type(stated: str) -> list[str]:
    return [f"type is {stated[:100]!r}."]


def is_media_type(stated: str) -> bool:
    """Return whether a text is a media type; it may have parameters."""
    return MEDIA_TYPE.fullmatch(stated.partition(";")[0].strip()) is not None
