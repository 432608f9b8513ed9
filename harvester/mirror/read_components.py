"""Read the Components of a complex object from its document: DIDL (ISO/IEC 21000-2) or METS. Pure."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from gateway.core.errors import GatewayError, UnusableRecord, unforeseen
from gateway.core.xmlio import Element, name_of, parse
from harvester.mirror import didl, mets
from harvester.mirror.component import Component

START_PAGE = "info:eu-repo/semantics/humanStartPage"
METADATA = "info:eu-repo/semantics/descriptiveMetadata"
_SEMANTICS = "info:eu-repo/semantics/"

READERS: Final[Mapping[tuple[str, str], Callable[[Element], Iterator[Component]]]] = {
    **{(namespace, "DIDL"): didl.read for namespace in didl.NAMESPACES},
    **{(namespace, "mets"): mets.read for namespace in mets.NAMESPACES},
}  # by namespace and name of the root


def components(document: bytes) -> tuple[Component, ...]:
    """Return the Components of a DIDL or METS document, in its order.

    Raise NotXml when it is not XML, UnusableRecord when it is another kind of document.
    """
    root = parse(document)
    reader = READERS.get(name_of(root))
    if reader is None:
        namespace, local = name_of(root)
        raise UnusableRecord(
            f"Its root element is not that of a DIDL or METS document: {local} of {namespace or 'nothing'}."
        )
    try:
        return tuple(reader(root))
    except GatewayError:
        raise
    except Exception as error:
        raise UnusableRecord(unforeseen(error)) from error


def files(components: Iterable[Component]) -> tuple[Component, ...]:
    """Return the Components that are mirrored as files, each location once: all except web pages for people.

    In a document with info:eu-repo types, a Component without a type is also a page, whatever its MIME type. Documents
    of the Dutch profile begin with such a link.
    """
    everything = tuple(components)
    is_typed = any(component.type.startswith(_SEMANTICS) for component in everything)
    kept: dict[object, Component] = {}
    for component in everything:
        if component.is_by_value or not _is_page(component, is_typed=is_typed):
            kept.setdefault(component.locations or (component.identifier, component.content or len(kept)), component)
    return tuple(kept.values())


def _is_page(component: Component, *, is_typed: bool) -> bool:
    if component.type:
        return component.type == START_PAGE
    return is_typed or "html" in component.mime_type.lower()
