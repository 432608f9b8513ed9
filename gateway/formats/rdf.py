"""RDF/XML: the Europeana Data Model (EDM 5.2.8), and BIBO, FaBiO or Dublin Core terms of catalogues; read only.

In EDM the provided object is the work, and the provider's proxy describes it. Elsewhere it is the node with a title and
a bibliographic class, not the document about it. A value that is a node of the same document is its label.
"""

import re
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from gateway.core.bibliography.dates import year_of
from gateway.core.bibliography.people import agent_of
from gateway.core.bibliography.types import type_of
from gateway.core.model import TitleType, Work
from gateway.core.xmlio import Element, children, name_of, text_of
from gateway.core.xmltext import RDF, XML
from gateway.formats._describing import Describing, first
from gateway.formats._paths import attribute_of, find, text, texts
from gateway.formats._tables import TABLES, TARGETS, format_of, with_role

_Label: TypeAlias = tuple[str, str]  # a text, and its language
_AGENTS = {"creator": "aut", "author": "aut", "aut": "aut", "contributor": "ctb"}
# Statements whose values must be words, and not the address of something that this document does not describe.
_IN_WORDS = frozenset(TABLES["rdf"]["in_words"])
_LABELS = ("prefLabel", "name", "label", "title", "begin")
_RESPONSIBILITY = re.compile(r" / .*$")  # `Title / by somebody` (ISBD)
_RULES = {name: rule for rule in (*TABLES["dc"]["rules"], *TABLES["rdf"]["rules"]) for name in rule[0].split("|")}


def read(root: Element, _content: bytes) -> Work | None:
    """Return the Work that a graph describes; None if no node has a title or a description."""
    if name_of(root) != (RDF, "RDF"):
        return None
    nodes: dict[str, list[Element]] = {}
    for node in root.iter("{*}*"):
        if about := node.get(f"{{{RDF}}}about"):
            nodes.setdefault(about, []).append(node)
    is_edm = bool(find(root, "ProvidedCHO"))
    known = Describing("edm:isShownBy" if is_edm else "rdf")
    labels: dict[str, _Label] = {}
    described = list(_provided(root) if is_edm else _bibliographic(root))
    for node in described:
        for element in children(node):
            for words, language in _values(element, nodes, labels):
                _add(known, element, words, language, in_catalogue=not is_edm)
    classes = [label for node in described for label in _classes(node)]
    kinds = [TABLES["types_edm"].get(words, "") for node in described for words in texts(node, "type")]
    known.coar_type = first((*classes[:1], type_of(known.types), *kinds))
    known.types = [word for word in known.types if word not in ("TEXT", "IMAGE", "SOUND", "VIDEO", "3D")]
    _aggregated(root, known)
    known.dates = [date for date in known.dates if year_of(date.text)]
    return known.work() if known.titles or known.descriptions else None


def _provided(root: Element) -> Iterator[Element]:
    """Yield the nodes that describe the first object: what the provider says, in its proxy or on the object itself."""
    provided = find(root, "ProvidedCHO")[0]
    for proxy in find(root, "Proxy"):
        targets = list(texts(proxy, "proxyFor@resource"))
        if text(proxy, "europeanaProxy").lower() != "true" and (
            not targets or attribute_of(provided, "about") in targets
        ):
            yield proxy
    yield provided


def _bibliographic(root: Element) -> list[Element]:
    topics = set(texts(root, "*/primaryTopic@resource"))
    named = [node for node in children(root) if text(node, "title")]
    return sorted(named, key=lambda node: (attribute_of(node, "about") not in topics, not any(_classes(node))))[:1]


def _classes(node: Element) -> Iterator[str]:
    """Yield the COAR labels of the classes of a node."""
    for uri in (name_of(node)[1], *texts(node, "type@resource")):
        if label := TABLES["types_rdf"].get(re.split(r"[/#]", uri)[-1]):
            yield label


def _values(element: Element, nodes: Mapping[str, list[Element]], labels: dict[str, _Label]) -> Iterator[_Label]:
    """Yield the text of a statement with its language: its own, or the label of the node that it names or contains."""
    resource = element.get(f"{{{RDF}}}resource")
    if resource:
        if resource not in labels:
            labels[resource] = _label(nodes[resource]) if resource in nodes else (resource, "")
        yield labels[resource]
    else:
        yield _label(list(children(element))) if len(element) else (text_of(element), _language(element))


def _label(places: list[Element]) -> _Label:
    """Return the best label of a node: of the first kind that it has, in English or without a language."""
    for name in _LABELS:
        if labels := [label for place in places for label in find(place, name) if text_of(label)]:
            best = next((label for label in labels if _language(label)[:2] in ("", "en")), labels[0])
            return text_of(best), _language(best)
    return "", ""


def _language(element: Element) -> str:
    return element.get(f"{{{XML}}}lang", "")


def _add(known: Describing, element: Element, words: str, language: str, *, in_catalogue: bool) -> None:
    namespace, name = name_of(element)
    is_reference = words[:4] == "http" or words == element.get(f"{{{RDF}}}resource")
    if not words or (name in _IN_WORDS and (is_reference or namespace == RDF)):
        return
    if name == "title":
        kind = TitleType.TRANSLATED if known.titles else TitleType.MAIN
        known.title(_RESPONSIBILITY.sub("", words) if in_catalogue else words, kind, language)
    elif name in _AGENTS:
        known.agent(with_role(agent_of(words, language), _AGENTS[name]))
    elif name in ("abstract", "description"):
        known.description(words, "abstract" if name == "abstract" else "", language)
    elif name == "publisher" and in_catalogue:  # `Place : Name , year`
        known.publisher(re.sub(r" ?, ?\[?\d{4}\]?$", "", words.partition(" : ")[2] or words))
    elif rule := _RULES.get(name):
        TARGETS[rule[1]](known, element, words, *rule[2:])


def _aggregated(root: Element, known: Describing) -> None:
    """Add the page, the files and the licence that the provider's aggregation states; never the thumbnail."""
    mime_types = {attribute_of(node, "about"): text(node, "hasMimeType") for node in find(root, "WebResource")}
    for aggregation in find(root, "Aggregation"):
        for url in texts(aggregation, "isShownAt@resource", "isShownAt"):
            known.page(url)
        for url in texts(aggregation, "isShownBy@resource", "hasView@resource"):
            known.link(url, mime_types.get(url, ""), may_be_page=not known.pages)
        for element in find(aggregation, "rights"):
            known.rights(text_of(element), attribute_of(element, "resource"))


FORMAT = format_of("rdf", read=read)
