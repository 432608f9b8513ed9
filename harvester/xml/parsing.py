"""The two ways to parse with libxml2: strictly, and with recovery as the last resort. Neither fetches or expands."""

from lxml import etree

from gateway.core.errors import AnswerTooLarge
from gateway.core.xmlio import hardened_parser, memory_of

MOST_MEMORY = 320 << 20  # of a document and its tree; with the program and its results, 512 MiB
_CONTAINER, _VALUE = 600, 100  # bytes of memory for an object or a list of JSON, and for each value in it
ELEMENT = 320  # bytes of memory for an element that also has a Python object


def strict(data: bytes) -> etree._Element:
    """Return the root of well-formed UTF-8 `data`, with texts of any length. Raise XMLSyntaxError for other data.

    Raise AnswerTooLarge when its tree would take more memory than there is for one document.
    """
    refuse_heavy(data)
    return etree.fromstring(data, hardened_parser())


def refuse_heavy(data: bytes, element: int = ELEMENT) -> None:
    """Raise AnswerTooLarge when a document would take too much memory; `element` is the bytes for each element."""
    needed = memory_of(data, element)
    if needed > MOST_MEMORY:
        raise AnswerTooLarge(
            f"The document of {len(data)} bytes needs about {needed >> 20} MiB of memory to be read, "
            f"more than the {MOST_MEMORY >> 20} MiB that one document may take."
        )


def refuse_heavy_json(body: bytes) -> None:
    """Raise AnswerTooLarge when a JSON document would take more memory than there is for one."""
    needed = 3 * len(body) + _CONTAINER * (body.count(b"{") + body.count(b"[")) + _VALUE * body.count(b",")
    if needed > MOST_MEMORY:
        raise AnswerTooLarge(
            f"The JSON document of {len(body)} bytes needs about {needed >> 20} MiB of memory to be read, "
            f"more than the {MOST_MEMORY >> 20} MiB that one document may take."
        )


def lenient(data: bytes) -> tuple[etree._Element | None, tuple[str, ...]]:
    """Return the tree that libxml2 recovers from `data` (None: nothing), and its first three messages."""
    parser = hardened_parser(recover=True, encoding="utf-8")
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        return None, (error.msg or "",)
    return root, tuple(f"{entry.message} (line {entry.line})" for entry in parser.error_log[:3])
