"""JATS 1.3 (ANSI/NISO Z39.96), and NLM's article DTDs before it: read only.

Only the metadata of the article itself is read: its `front`, or `front-stub`. The text, the references, other articles
in it and reviewed books have the same elements.
"""

from collections.abc import Iterator, Mapping

from gateway.core.bibliography.people import orcid_of, organization, relator
from gateway.core.model import Agent, Work
from gateway.core.xmlio import Element, children, name_of
from gateway.formats._describing import Describing, first
from gateway.formats._paths import attribute_of, find, language, marked, one, text, texts
from gateway.formats._tables import TABLES, agents_at, format_of, read_by, with_role

_IN_COLLAB = ("contrib-group", "aff", "address", "ext-link", "xref", "fn", "sup", "email", "role")
_AS_AUTHOR = ("", "person", "collab", "group", "corresp", "contributor")
_person = agents_at({"family": ["surname"], "given": ["given-names"], "suffix": ["suffix"]})
_ORCIDS = ("contrib-id", "uri@href", "ext-link@href")


def read(root: Element, _content: bytes) -> Work | None:
    """Return the Work of an article, or of the first one in a wrapper; None if there is none."""
    for article in [root] if name_of(root)[1] == "article" else root.iter("{*}article"):
        front = one(article, "front|front-stub")
        if front is not None:
            return _work(article, (find(front, "article-meta") or [front])[0], one(front, "journal-meta"))
    return None


def _work(article: Element, meta: Element, journal: Element | None) -> Work | None:
    known = Describing("jats:self-uri")
    kind = attribute_of(article, "article-type").lower()
    known.coar_type = TABLES["types_jats"].get(kind, "journal article")
    if known.coar_type == "journal article" and find(meta, "conference"):
        known.coar_type = "conference paper"
    known.type(kind)
    known.language(language(article))
    _agents(meta, known)
    # The date of the issue goes with its volume and its pages.
    in_issue = bool(text(meta, "volume", "issue"))
    for table in ("jats_issue", "jats_online") if in_issue else ("jats_online", "jats_issue"):
        read_by(table, meta, known)
    read_by("jats_journal", journal, known)
    read_by("jats", meta, known)
    return known.work()


def _agents(meta: Element, known: Describing) -> None:
    paths = ("aff", "aff-alternatives/aff", "contrib-group/aff", "contrib-group/aff-alternatives/aff")
    places = {attribute_of(element, "id"): _line(element) for path in paths for element in find(meta, path)}
    members: list[Agent] = []
    for group in (*find(meta, "contrib-group"), meta):
        of_group = attribute_of(group, "content-type") if group is not meta else ""
        for contrib in find(group, "contrib"):
            for agent in _agents_of(contrib, places):
                known.agent(with_role(agent, _role(contrib, of_group)))
            below = contrib.iter("{*}contrib") if not members else ()
            members += [agent for inner in below if inner is not contrib for agent in _agents_of(inner, places)]
    for agent in members if not known.agents else ():
        known.agent(agent)


def _role(contrib: Element, of_group: str) -> str:
    """Return the role of a contributor: of its type, else of its group; without one it is an author."""
    stated = attribute_of(contrib, "contrib-type").lower()
    if stated in _AS_AUTHOR:
        role = relator(text(contrib, "role")) if text(contrib, "role") and not stated else ""
        return "edt" if role == "edt" or "editor" in of_group else "aut"
    if stated.startswith("author"):
        return "ctb" if "non-byline" in stated else "aut"
    return "edt" if "editor" in stated else relator(stated)


def _agents_of(contrib: Element, places: Mapping[str, str]) -> Iterator[Agent]:
    names = [*find(contrib, "name-alternatives/name|string-name"), *find(contrib, "name|string-name")]
    names.sort(key=lambda name: attribute_of(name, "name-style") not in ("western", ""))
    rids = [rid for stated in texts(contrib, "xref[ref-type=aff]@rid") for rid in stated.split()]
    stated = tuple(place for rid in rids[:20] if (place := places.get(rid))) or tuple(texts(contrib, "aff"))
    for name in names[:1]:
        agent = _person(name)
        yield agent._replace(orcid=first(map(orcid_of, texts(contrib, *_ORCIDS))), affiliations=stated)
    for collab in [*find(contrib, "collab"), *find(contrib, "collab-alternatives/collab")][:1] if not names else ():
        own = (child for child in children(collab) if name_of(child)[1] not in _IN_COLLAB)
        tails = " ".join(child.tail or "" for child in collab)
        yield organization(" ".join((collab.text or "", *map(_line, own), tails)).rstrip(" :;,\n"))


def _line(element: Element) -> str:
    return " ".join(marked(element).replace("<p>", " ").replace("</p>", " ").split())


FORMAT = format_of("jats", read=read)
