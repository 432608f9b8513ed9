"""The two ways the wire lets libxml2 read: strictly, and with recovery as last resort. Neither fetches or expands."""

from __future__ import annotations

from lxml import etree

from gateway.xmlio import hardened_parser


def strict(data: bytes) -> etree._Element:
    """Return the root of well-formed UTF-8 `data`; else raise XMLSyntaxError. Texts of any length are read."""
    return etree.fromstring(data, hardened_parser())


def lenient(data: bytes) -> tuple[etree._Element | None, tuple[str, ...]]:
    """Return what libxml2 makes of `data`, None when nothing, and its first complaints."""
    parser = hardened_parser(recover=True, encoding="utf-8")
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        return None, (error.msg or "",)
    return root, tuple(f"{entry.message} (line {entry.line})" for entry in parser.error_log[:3])
