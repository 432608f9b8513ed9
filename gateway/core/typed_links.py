"""Typed links: reads and writes `Link` headers (RFC 8288), and link sets in both forms (RFC 9264). Pure.

Everything that is written is ASCII: addresses are made legal, and a title that needs more is encoded as RFC 8187 says.
No value can end a header, a quotation or a link. A reader leaves out an unreadable link and returns the others.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import NamedTuple
from urllib.parse import quote, unquote, urljoin

from gateway.core.addresses import any_uri, is_address
from gateway.core.xmltext import clean

TEXT, JSON = "application/linkset", "application/linkset+json"
# The relation of a work to a supplement (FRBR Core), and the type of such a file (FaBiO).
SUPPLEMENT = "http://purl.org/vocab/frbr/core#supplement"
SUPPLEMENT_FILE = "http://purl.org/spar/fabio/SupplementaryInformationFile"

# Large headers make proxies fail: DSpace's of 8 kB was an error 502 of Apache, and CloudFront refuses 10 kB.
MOST_BYTES = 4000


class Link(NamedTuple):
    """One link from `anchor` to `href`; `rel` is one relation, in lower case unless it is a URI.

    `type` and `hreflang` are hints of the media type and the language of the target. `profile` is a URI that says more
    than the type. `title_language` is the language tag of the title. An empty text: not known.
    """

    anchor: str
    rel: str
    href: str
    type: str = ""
    profile: str = ""
    title: str = ""
    hreflang: str = ""
    title_language: str = ""


# --- writing ------------------------------------------------------------------------------------------------------

# The relations of a header, the most important first, and the most links of each; the link set has all.
_IN_ORDER = "cite-as linkset type license collection describes api-catalog canonical describedby item author"
_ORDER = {name: place for place, name in enumerate(_IN_ORDER.split())}
_MOST = {"author": 10, "item": 20}
_MOST_OF_OTHERS = 100
_LAST = len(_ORDER)

_RELATION = re.compile(r"[a-z][a-z0-9.-]*")
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^#]")
_MEDIA_TYPE = re.compile(
    r"(?i)(?:application|audio|example|font|image|message|model|multipart|text|video)/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}"
)
_LANGUAGE = re.compile(r"[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*")
_PLAIN_TITLE = re.compile(r"[A-Za-z0-9 .:!?'()/&+_-]*")  # no character at which a careless client ends a link
_SPACES = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")
_UNKNOWN = "und"  # the tag of an unknown language; some clients need one in an encoded title
_ATTRIBUTE_CHARACTERS = "!#$&+-.^_`|~"  # of RFC 8187 §3.2.1, besides letters and digits


def uri(text: str) -> str:
    """Return a text as an absolute URI in ASCII (RFC 3986 §4.3), or an empty string if it cannot be one."""
    made = any_uri(text.strip())
    if not _ABSOLUTE.match(made) or (made[:5].lower() in ("http:", "https") and not is_address(made)):
        return ""
    return made


def legal(link: Link) -> Link | None:
    """Return a link as it may be written, or None if its anchor or its target is no absolute URI.

    Addresses are percent-encoded, parameters of a media type are removed, and white space in a title becomes one blank.
    A type of no registered tree is removed, and so is a profile or a language that is not legal. Raise ValueError for a
    relation that is neither a name nor a URI: our own code chooses it.
    """
    rel = link.rel if _RELATION.fullmatch(link.rel) else uri(link.rel)
    if not rel:
        raise ValueError(f"{link.rel!r} is not a relation type (RFC 8288 §2.1).")
    anchor, href = uri(link.anchor), uri(link.href)
    if not anchor or not href:
        return None
    media_type = link.type.partition(";")[0].strip()
    title = _SPACES.sub(" ", link.title).strip()
    return Link(
        anchor,
        rel,
        href,
        media_type if _MEDIA_TYPE.fullmatch(media_type) else "",
        uri(link.profile) if link.profile else "",
        title,
        link.hreflang if _LANGUAGE.fullmatch(link.hreflang) else "",
        link.title_language if title and _LANGUAGE.fullmatch(link.title_language) else "",
    )


def header(links: Iterable[Link], context: str, limit_bytes: int = MOST_BYTES) -> str:
    """Return the value of the `Link` header of the resource at `context`; empty when there is no link to write.

    It has at most `limit_bytes` bytes, is ASCII, has no line folds, and lists the most important relations first. It
    has at most ten authors and twenty items. What does not fit is left to the link set, which should be one of the
    links; so are the links of other anchors. Raise ValueError as `legal` does.
    """
    parts: list[str] = []
    size = 0
    for link in _important(links, uri(context)):
        part = _written(link, "")
        needed = len(part) + (2 if parts else 0)
        if size + needed <= limit_bytes:
            parts.append(part)
            size += needed
    return ", ".join(parts)


def _important(links: Iterable[Link], context: str) -> list[Link]:
    """Return the first links of each relation from the context, in the order of a header."""
    by_relation: defaultdict[str, list[Link]] = defaultdict(list)
    for link in links:
        chosen = by_relation[link.rel]
        if len(chosen) >= _MOST.get(link.rel, _MOST_OF_OTHERS):
            continue
        made = legal(link)
        if made is not None and made.anchor == context:
            chosen.append(made)
    in_order = sorted(by_relation, key=lambda rel: _ORDER.get(rel, _LAST))
    return [link for rel in in_order for link in dict.fromkeys(by_relation[rel])]


def linkset_text(links: Iterable[Link]) -> Iterator[bytes]:
    """Yield an application/linkset document in parts (RFC 9264 §4.1); every link has its anchor.

    Raise ValueError as `legal` does.
    """
    mark = ""
    for link in filter(None, map(legal, links)):
        yield f"{mark}{_written(link, link.anchor)}".encode("ascii")
        mark = ",\n"
    yield b"\n"


def linkset_json(links: Iterable[Link]) -> Iterator[bytes]:
    """Yield an application/linkset+json document in parts (RFC 9264 §4.2), in ASCII.

    Links of one anchor follow each other, and so do those of one relation; `in_order` sorts them. Then it needs little
    memory for any number of links. Raise ValueError when a relation or an anchor comes back, and as `legal` does.
    """
    anchors: set[str] = set()
    yield b'{"linkset":['
    for anchor, of_anchor in groupby(filter(None, map(legal, links)), key=lambda link: link.anchor):
        if anchor in anchors:
            raise ValueError(f"The links of {anchor} do not follow each other.")
        yield f'{"," if anchors else ""}{{"anchor":{json.dumps(anchor)}'.encode("ascii")
        anchors.add(anchor)
        relations: set[str] = set()
        for rel, of_relation in groupby(of_anchor, key=lambda link: link.rel):
            if rel in relations:
                raise ValueError(f"The links {rel} of {anchor} do not follow each other.")
            relations.add(rel)
            yield from _targets(rel, of_relation)
        yield b"}"
    yield b"]}"


def in_order(links: Iterable[Link]) -> list[Link]:
    """Return links as `linkset_json` needs them: by anchor and relation, in the order of their first appearance.

    They are legal, and none is there twice. Raise ValueError as `legal` does.
    """
    anchors: dict[str, dict[str, dict[Link, None]]] = {}
    for link in filter(None, map(legal, links)):
        anchors.setdefault(link.anchor, {}).setdefault(link.rel, {})[link] = None
    return [link for relations in anchors.values() for of_relation in relations.values() for link in of_relation]


def _targets(rel: str, links: Iterable[Link]) -> Iterator[bytes]:
    mark = f",{json.dumps(rel)}:["
    for link in links:
        yield (mark + json.dumps(_target(link), separators=(",", ":"))).encode("ascii")
        mark = ","
    yield b"]"


def _target(link: Link) -> dict[str, object]:
    """Return a link target object (RFC 9264 §4.2.4): only hreflang and an encoded title are lists."""
    target: dict[str, object] = {"href": link.href}
    target |= {name: value for name, value in (("type", link.type), ("profile", link.profile)) if value}
    if link.hreflang:
        target["hreflang"] = [link.hreflang]
    if _is_plain(link):
        return target | ({"title": link.title} if link.title else {})
    language = {"language": link.title_language} if link.title_language else {}
    title = link.title.encode("utf-8", "replace").decode("utf-8")  # half of a surrogate pair, as in an encoded title
    return target | {"title*": [{"value": title, **language}]}


def _is_plain(link: Link) -> bool:
    return not link.title_language and _PLAIN_TITLE.fullmatch(link.title) is not None


def _written(link: Link, anchor: str) -> str:
    named = (
        ("rel", link.rel),
        ("anchor", anchor),
        ("type", link.type),
        ("profile", link.profile),
        ("hreflang", link.hreflang),
    )
    parts = [f"<{link.href}>", *(f'{name}="{value}"' for name, value in named if value)]
    if link.title and _is_plain(link):
        parts.append(f'title="{link.title}"')
    elif link.title:
        encoded = quote(link.title, safe=_ATTRIBUTE_CHARACTERS, errors="replace")
        parts.append(f"title*=UTF-8'{link.title_language or _UNKNOWN}'{encoded}")
    return "; ".join(parts)


# --- reading ------------------------------------------------------------------------------------------------------


class Written(NamedTuple):
    """One link as it is written in a header or a text: its target, its parameters, and what is no part of a link.

    Names of parameters are in lower case, and their values without quotation marks. `before` and `after` are empty when
    the syntax is that of RFC 8288.
    """

    target: str
    parameters: tuple[tuple[str, str], ...]
    before: str = ""
    after: str = ""

    def first(self, name: str) -> str:
        """Return the first value of a parameter: only that counts (RFC 8288 §3.3); empty when there is none."""
        return next((value for key, value in self.parameters if key == name), "")


NO_COMMA = "no comma"  # what is after a link that should have one there

_TARGET = re.compile(r"<([^<>]*+)>")
_BRACKETS = re.compile(r">*+")
_PARAMETER = re.compile(r"\s*+;\s*+([^\s=;,]++)\s*+(?:=\s*+(?:\"((?>(?:[^\"\\]|\\.)*))\"|([^\s;,\"]++)))?")
_WHOLE = re.compile(r"(?i)https?://[!-~]+")
_ESCAPED = re.compile(r"\\(.)")
_SEPARATOR = re.compile(r"[\s,]*")  # empty elements of a list are legal (RFC 9110 §5.6.1)
_EXTENDED = re.compile(r"(?i)UTF-8'([A-Za-z0-9-]*)'((?:[A-Za-z0-9!#$&+.^_`|~-]|%[0-9a-f]{2})*)")


def written(value: str) -> Iterator[Written]:
    """Yield the links of the value of a `Link` header, or of the text of a link set, as they are written.

    What lies before the first link and has none is yielded as a link without a target and parameters.
    """
    place, begin = 0, _TARGET.search(value)
    before = _junk(value[: begin.start()]) if begin else _junk(value)
    if begin is None and before:
        yield Written("", (), before)
    while begin is not None:
        place = begin.end()
        brackets = _BRACKETS.match(value, place)
        place = brackets.end() if brackets else place
        parameters: list[tuple[str, str]] = []
        while parameter := _PARAMETER.match(value, place):
            given = _ESCAPED.sub(r"\1", parameter[2]) if parameter[2] is not None else parameter[3] or ""
            parameters.append((parameter[1].lower(), given.strip()))
            place = parameter.end()
        following = _TARGET.search(value, place)
        rest = value[place : following.start() if following else len(value)]
        after, comma, later = rest.rpartition(",") if "," in rest else (rest, "", "")
        junk = (brackets[0] if brackets else "") + _junk(after)
        yield Written(begin[1], tuple(parameters), before, junk or ("" if comma or not following else NO_COMMA))
        begin, before = following, _junk(later)


def _junk(text: str) -> str:
    return "" if _SEPARATOR.fullmatch(text) else text.strip()


def extended(value: str) -> tuple[str, str] | None:
    """Return the text and the language of an encoded value in UTF-8 (RFC 8187 §3.2), or None for another form."""
    match = _EXTENDED.fullmatch(value)
    try:
        return (unquote(match[2], errors="strict"), match[1]) if match else None
    except UnicodeDecodeError:
        return None


def links_of_header(values: Iterable[str], base: str) -> Iterator[Link]:
    """Yield the links of all `Link` headers of an answer from the URL `base`, absolute (RFC 8288 §3)."""
    for value in values:
        for link in written(value):
            yield from resolved(link, base)


def links_of_text(text: str, base: str) -> Iterator[Link]:
    """Yield the links of an application/linkset document from the URL `base`, absolute (RFC 9264 §4.1)."""
    return links_of_header((" ".join(text.split()),), base)


def resolved(link: Written, base: str) -> Iterator[Link]:
    """Yield a written link once for each of its relations, with addresses made absolute; none if one is invalid."""
    given = dict(reversed(link.parameters))
    title, language = extended(given.get("title*", "")) or (given.get("title", ""), "")
    known = "" if language == _UNKNOWN else language
    yield from _links({**given, "title": title, "title_language": known}, link.target, base)


def links_of_json(document: object, base: str) -> Iterator[Link]:
    """Yield the links of a parsed application/linkset+json document from the URL `base`, absolute (RFC 9264 §4.2)."""
    contexts = document.get("linkset") if isinstance(document, Mapping) else None
    for context in _objects(contexts):
        for rel, targets in context.items():
            for target in _objects(targets):
                if href := _text(target.get("href")):
                    yield from _links(_given(target, str(rel), _text(context.get("anchor"))), href, base)


def links_of_elements(elements: Iterable[Mapping[str, str]], base: str) -> Iterator[Link]:
    """Yield the links of the `link` elements of a page, given as their attributes."""
    for element in elements:
        if element.get("href"):
            yield from _links(element, element["href"].strip(), base)


def _given(target: Mapping[str, object], rel: str, anchor: str) -> dict[str, str]:
    given = {name: _text(target.get(name)) for name in ("type", "profile", "title", "hreflang")}
    for title in _objects(target.get("title*")):
        given |= {"title": _text(title.get("value")), "title_language": _text(title.get("language"))}
    return given | {"rel": rel, "anchor": anchor}


def _links(given: Mapping[str, str], target: str, base: str) -> Iterator[Link]:
    href, anchor = _joined(base, target), _joined(base, given.get("anchor", ""))
    others = [given.get(name, "") for name in ("profile", "title", "hreflang", "title_language")]
    for rel in given.get("rel", "").split():
        if href and anchor:
            yield Link(anchor, rel if ":" in rel else rel.lower(), href, given.get("type", "").lower(), *others)


def _joined(base: str, target: str) -> str:
    if _WHOLE.fullmatch(target) and is_address(target):
        return target  # `urljoin` drops an empty query, and takes its time
    try:
        return urljoin(base, target)
    except ValueError:  # `http://[`
        return ""


def _objects(value: object) -> Iterator[Mapping[str, object]]:
    """Yield the objects in a value, through all lists."""
    left = [value]
    while left:
        match left.pop():
            case Mapping() as inner:
                yield inner
            case list() as inner:
                left.extend(reversed(inner))


def _text(value: object) -> str:
    """Return a text, or the first of a list, with single blanks; empty for anything else."""
    value = value[0] if isinstance(value, list) and value else value
    return " ".join(clean(value).split()) if isinstance(value, str) else ""


# --- Licences of Creative Commons as SPDX names them (SPDX License List 3.27, https://spdx.org/licenses/) ------------

_BASE = "https://spdx.org/licenses/"
_LICENSE = re.compile(
    r"(?i)https?://(?:www\.)?creativecommons\.org/licenses/([a-z-]{2,8})/(\d\.\d)(?:/([a-z]{2,3}))?(?:[/#?]|$)"
)
_ZERO = re.compile(r"(?i)https?://(?:www\.)?creativecommons\.org/publicdomain/(zero|mark)/1\.0(?:[/#?]|$)")
_PUBLIC_DOMAIN = {"zero": "CC0-1.0", "mark": "CC-PDM-1.0"}
# The order of the conditions in SPDX is not that of the addresses of version 1.0.
_CONDITIONS = {
    "by": "BY", "by-sa": "BY-SA", "by-nc": "BY-NC", "by-nd": "BY-ND", "by-nc-sa": "BY-NC-SA", "by-nc-nd": "BY-NC-ND",
    "by-nd-nc": "BY-NC-ND",
}  # fmt: skip
_VERSIONS = ("1.0", "2.0", "2.5", "3.0", "4.0")
# The licences of single countries that SPDX lists; it has no name for the others.
_OF_COUNTRIES = frozenset((
    "CC-BY-2.5-AU", "CC-BY-3.0-AT", "CC-BY-3.0-AU", "CC-BY-3.0-DE", "CC-BY-3.0-IGO", "CC-BY-3.0-NL", "CC-BY-3.0-US",
    "CC-BY-NC-3.0-DE", "CC-BY-NC-ND-3.0-DE", "CC-BY-NC-ND-3.0-IGO", "CC-BY-NC-SA-2.0-DE", "CC-BY-NC-SA-2.0-FR",
    "CC-BY-NC-SA-2.0-UK", "CC-BY-NC-SA-3.0-DE", "CC-BY-NC-SA-3.0-IGO", "CC-BY-ND-3.0-DE", "CC-BY-SA-2.0-UK",
    "CC-BY-SA-2.1-JP", "CC-BY-SA-3.0-AT", "CC-BY-SA-3.0-DE", "CC-BY-SA-3.0-IGO",
))  # fmt: skip


def spdx_uri(url: str) -> str:
    """Return the SPDX URI of a Creative Commons licence at this address, or an empty string if SPDX lists none."""
    if match := _ZERO.match(url):
        return _BASE + _PUBLIC_DOMAIN[match[1].lower()]
    match = _LICENSE.match(url)
    conditions = _CONDITIONS.get(match[1].lower()) if match else None
    if match is None or conditions is None:
        return ""
    country = (match[3] or "").upper()
    name = f"CC-{conditions}-{match[2]}"
    if country and f"{name}-{country}" in _OF_COUNTRIES:
        return f"{_BASE}{name}-{country}"
    return "" if country or match[2] not in _VERSIONS else _BASE + name
