"""Why bytes may not be the file that was asked for, although nothing that is stated of them says so: rules, as a table.

They are asked where no digest is stated. What one of them sees is kept aside, never as the file (`mirror/doubtful.py`).
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import urlsplit

from harvester.mirror import looking
from harvester.mirror.beginnings import begins_rightly, has_transfer, is_base64, is_pointer
from harvester.mirror.look import PAGE, TABLE_TYPES, Look, is_even, visible
from harvester.mirror.looking import Content
from harvester.mirror.messages import has_error_behind, tells_an_error
from harvester.mirror.packed import members, unpacked
from harvester.mirror.words import tell_an_error


class Rule(NamedTuple):
    """A reason for doubt: its name in receipts, what it sees, and its sentence."""

    name: str
    sees: Callable[[Look], bool]
    sentence: str


_AWAY = re.compile(
    r"(?i)/[\w.-]*(?:log-?in|sign-?in|logon|shibboleth|notfound|not-found|maintenance|captcha)[\w.-]*(?:/|\Z|;)|"
    r"/(?:saml2?|sso|cas|o?auth2?|authenticate|errors?(?:[._-]?(?:page|handler|document|40\d|50\d))?|40[0134]|(?:access-?)?denied|"
    r"(?:cookie-?)?consent|cookies?)(?:\.\w{2,5})?(?:/|\Z|;)"
)


def _was_led_away(look: Look) -> bool:
    """Tell whether a redirect led to a home page, a form to log in, or an error page."""
    if not look.came_from or look.came_from == look.url or not look.is_text or look.has_size:
        return False
    asked, led = urlsplit(look.url), urlsplit(look.came_from)
    is_home = led.path.rstrip("/").lower() in _HOMES and not led.query and asked.path.rstrip("/").lower() not in _HOMES
    return is_home or bool(_AWAY.search(led.path) and not _AWAY.search(asked.path))


_HOMES = ("", "/index.html", "/index.php", "/home", "/index.htm", "/xmlui", "/jspui", "/en", "/index", "/default.aspx")
_UNTOLD = re.compile(
    r"image/(?:svg.*|x-xpixmap|x-xbitmap|x-portable-.*)|application/(?:postscript|rtf|x-.*script|.*script|.*xml.*|.*json.*|.*tex.*|.*text.*|mbox|sgml|sparql.*|.*turtle.*|n-triples|n-quads|trig|pgp-.*|x-pem.*|.*patch.*|x-httpd.*|edi.*|sdp|x-subrip|.*yaml.*|.*csv.*|marc.*)|chemical/.*|message/.*|model/.*|multipart/.*|x-.*"
)
_BINARY_TYPES = re.compile(
    r"(?:image|audio|video|font)/.*|application/(?:pdf|zip|gzip|x-gzip|x-tar|x-7z-compressed|vnd\.rar|x-rar-compressed|x-bzip2|x-xz|"
    r"epub\+zip|java-archive|msword|vnd\.ms-(?:excel|powerpoint)|vnd\.openxmlformats-officedocument\..*|vnd\.oasis\.opendocument\..*|"
    r"x-hdf5?|x-netcdf|x-sqlite3|vnd\.sqlite3|x-shockwave-flash|ogg|djvu|x-dvi|mp4)"
)


def _is_text_for_binary(look: Look) -> bool:
    """Tell whether text came where a type is announced whose files are never text."""
    mime_type = look.mime_type
    is_meant = bool(_BINARY_TYPES.fullmatch(mime_type)) and not _UNTOLD.fullmatch(mime_type)
    is_meant = is_meant and not look.is_of_office
    return is_meant and look.is_text and not looking.signatures(look.first) and not _PDF.match(look.first)


_PDF = looking.BINARY[0][0]
# Signatures that tell of another kind whenever one of the others is announced; families that share a beginning.
_FAMILIES = (
    ("pdf", re.compile(r"application/pdf")),
    ("png", re.compile(r"image/png")),
    ("jpeg", re.compile(r"image/(?:jpe?g|pjpeg)")),
    ("gif", re.compile(r"image/gif")),
    ("tiff", re.compile(r"image/(?:x-)?tiff?(?:-fx)?")),
    ("gzip", re.compile(r"application/(?:x-)?(?:gzip|tgz|gtar|compressed-tar).*|.*\+gzip")),
    ("ole", re.compile(r"application/(?:x-ole-storage|msword|vnd\.ms-.*|vnd\.visio|x-msi)")),
    ("zip", re.compile(r"application/(?:x-)?(?:zip(?:-compressed)?|java-archive|vnd\.openxml.*|vnd\.oasis.*)|.*\+zip")),
)


_RAW = re.compile(r"image/(?:x-(?!tiff).*|vnd\..*|dng)")  # what cameras write is TIFF, and icons may be PNG


def _family(mime_type: str) -> str:
    return next((name for name, pattern in _FAMILIES if pattern.fullmatch(mime_type)), "")


def _is_of_another_kind(look: Look) -> bool:
    """Tell whether the signature of a file is that of another kind than announced."""
    found = {_family(each) for each in looking.signatures(look.first)} - {""}
    if _PDF.match(look.first):
        found.add("pdf")
    if _is_packed_drawing(look):
        return False
    if not found or not look.kind or begins_rightly(look.mime_type, look.first):
        return False
    if look.kind != "binary":  # text was announced
        return not look.is_text or look.first.startswith(b"%PDF-")
    meant = _family(look.mime_type)
    if meant in ("ole", "zip") and found & {"ole", "zip"}:  # office files of either kind go under either type
        return False
    is_media = look.mime_type.startswith(("image/", "audio/", "video/")) and not _RAW.fullmatch(look.mime_type)
    return meant not in found if meant else is_media


def _is_packed_drawing(look: Look) -> bool:
    """Tell whether an SVG is kept in gzip, which its type allows."""
    return look.mime_type == "image/svg+xml" and b"<svg" in unpacked(look.data, _MOST_INSIDE)


def _holds_a_message(look: Look) -> bool:
    """Tell whether nothing but an error message is in a file of gzip, or in the only file of a ZIP."""
    if look.has_size:
        return False
    if look.first.startswith(b"PK\x03\x04"):
        return any(
            tells_an_error(Look(each, "", url=name)) for name, each in members(look.data, _MOST_INSIDE, 1).items()
        )
    inside = unpacked(look.data, _MOST_INSIDE) if look.first.startswith(b"\x1f\x8b") else b""
    return bool(inside) and tells_an_error(Look(inside, "", url=_PACKED.sub("", look.url)))


_MOST_INSIDE = 64 << 10  # bytes
_PACKED = re.compile(r"(?i)\.t?gz\Z")


def _has_other_type(look: Look) -> bool:
    return _is_of_another_kind(look) or _is_text_for_binary(look)


def _begins_wrongly(look: Look) -> bool:
    """Tell whether a file does not begin as all files of its type do."""
    return begins_rightly(look.mime_type, look.first) is False and not look.is_of_office


def _is_binary_for_text(look: Look) -> bool:
    """Tell whether something other than text came where text is announced."""
    return (
        look.kind in ("text", "html", "xml", "json")
        and b"\x00" in look.first + look.last
        and not look.is_text
        and not _is_packed_drawing(look)
    )


def _has_page(look: Look) -> bool:
    """Tell whether a web page came where none is announced."""
    is_page = look.came == "html" and bool(PAGE.match(look.first))
    if look.kind == "html" or not is_page or look.is_of_office:
        return False
    return look.kind not in ("xml", "") or look.served == "text/html"


_TEX = re.compile(r"(?:application|text)/(?:x-)?(?:la)?tex")


def _is_other_text(look: Look) -> bool:
    """Tell whether text of another kind came where XML, JSON, LaTeX or a table is announced."""
    if look.kind in ("xml", "json"):
        return look.is_text and look.came not in _TAKEN[look.kind]
    if look.has_size or not look.short or not look.is_text:
        return False
    if _TEX.fullmatch(look.mime_type):
        return look.came in ("html", "xml") or not _OF_TEX.search(look.short)
    return look.mime_type in TABLE_TYPES and look.kind == "text" and _is_no_table(look)


_TAKEN = {"xml": ("xml", "html"), "json": ("json", "text")}
_OF_TEX = re.compile(rb"[\\%${}]")
_FEW_LINES, _MANY_WORDS, _LONG, _PROSE = 6, 4, 24, 8
_CELLS = re.compile(r",[^\s]")  # a comma of prose has a space behind it


def _is_no_table(look: Look) -> bool:
    """Tell whether a text has no cells: markup, JSON, one word, or a few lines of words or of one long name."""
    lines = look.words.splitlines()
    if look.came in ("html", "xml", "json"):
        return len(lines) == 1 or not is_even(look.words)
    if len(lines) > _FEW_LINES or any(mark in look.words for mark in (";", "\t", "|")):
        return False
    if any(_CELLS.search(line) or ("," in line and len(line.split()) < _PROSE) for line in lines):
        return False
    return len(lines) == 1 or any(len(line.split()) >= _MANY_WORDS or len(line) > _LONG for line in lines)


_CHANGED = 0.005  # of the bytes
_SOME = 8
_MANY = 1024  # bytes beyond ASCII: among so many and their like, line feeds without a carriage return stand by chance


def _is_mangled(look: Look) -> bool:
    """Tell whether a binary file went through a change of its letters or of the ends of its lines."""
    if look.is_text or len(look.data) > looking.MOST or len(look.data) < 1024:  # noqa: PLR2004
        return False
    sample = look.data[: 1 << 20]
    if sample.count(b"\xef\xbf\xbd") * 3 > len(sample) * _CHANGED:
        return True
    high = len(sample) - len(sample.translate(None, looking.HIGH))
    return high >= _MANY and sample.count(b"\n") == sample.count(b"\r\n") >= _SOME


def _is_broken(look: Look) -> bool:
    is_as_it_is = look.is_text and look.has_size  # the source has it so: nothing is missing
    return bool(look.problem) and not is_as_it_is


_WINDOW = 1 << 16  # bytes that the first chunk of an answer rarely exceeds


def _is_of_the_way(look: Look) -> bool:
    """Tell whether a file begins with what belongs to its transfer."""
    return not look.has_size and has_transfer(look.first, look.data[:_WINDOW])


def _is_pointer(look: Look) -> bool:
    """Tell whether a short file only says where another is."""
    return bool(look.short) and not look.has_size and is_pointer(look.short)


def _is_in_letters(look: Look) -> bool:
    """Tell whether a text is nothing but base64, where its type is no wrapping."""
    is_wrapped = look.kind in ("text", "html", "xml", "json") and look.mime_type not in _WRAPPINGS and not look.has_size
    return is_wrapped and look.is_text and len(look.data) <= looking.MOST and is_base64(look.data[:])


_WRAPPINGS = ("text/x-uuencode", "text/x-base64")
_LEAST_HALF = 256


def _is_twice(look: Look) -> bool:
    """Tell whether a file came twice, one behind the other; what repeats itself more often is made so."""
    size = len(look.data)
    if size < 2 * _LEAST_HALF or size % 2 or size > looking.MOST or look.has_size:
        return False
    half, beginning = size // 2, look.data[:64]
    return look.data.find(beginning, 1) == half and look.data[:half] == look.data[half:]


_ENTRIES = re.compile(
    rb"WARC/\d|From \S|(?:Received|Return-Path|MIME-Version|Message-ID|From): "
)  # pages are parts of them
_END_OF_PAGE = re.compile(rb"(?i)</html>\s*\Z")
_PAGE_BEGINS = re.compile(rb"(?i)<!doctype html|<html\b")


def _ends_in_page(look: Look) -> bool:
    """Tell whether a text ends in a page that is an error message."""
    if not look.is_text or look.came in ("html", "xml") or _ENTRIES.match(look.first):
        return False
    if look.has_size or not _END_OF_PAGE.search(look.last[-64:]):
        return False
    begun = [match.start() for match in _PAGE_BEGINS.finditer(look.last)]
    return bool(begun) and tell_an_error(visible(look.last[begun[0] :]))


_SIDES = (
    (re.compile(rb"(?s)\x89PNG\r\n\x1a\n.{8}(.{8})"), ">II"),
    (re.compile(rb"(?s)GIF8[79]a(.{4})"), "<HH"),
)
_DOT = 2  # pixels


def _is_dot(look: Look) -> bool:
    """Tell whether an image is a dot, which pages have where there is none."""
    for pattern, order in _SIDES:
        if (match := pattern.match(look.first)) is not None and not look.has_size:
            return all(0 < side <= _DOT for side in struct.unpack(order, match[1]))
    return False


def _has_more(look: Look) -> bool:
    """Tell whether something else stands behind the end of a file."""
    rest = b"" if look.has_size else look.tail.strip(b"\x00\r\n\t \x1a")
    if _COMMENT.fullmatch(rest):
        return False  # servers sign pages, and do it behind files too; a reader takes no notice
    if look.first.startswith(_JPEG):
        return rest.startswith(b"<") or b"<html" in rest.lower()  # cameras leave films and previews behind images
    return bool(rest) and (rest.startswith(b"<") or len(rest) > _REST or b"<html" in rest.lower())


def _has_zeros_behind(look: Look) -> bool:
    return look.tail.count(0) >= _REST and not look.has_size


_COMMENT = re.compile(rb"<!--[^<>]{0,200}-->")
_JPEG = b"\xff\xd8\xff"
_WHITE = b" \t\r\n\x0b\x0c\xef\xbb\xbf\xfe\xff"
_REST = 64  # bytes behind the end of a file that some writers leave there


def _is_blank(look: Look) -> bool:
    is_blank = bool(look.data) and not look.has_size and not look.first.strip(_WHITE)
    return is_blank and all(
        not look.data[at : at + (1 << 20)].strip(_WHITE) for at in range(0, len(look.data), 1 << 20)
    )


RULES = (
    Rule("empty", lambda look: not look.data and look.stated_size != 0, "It is empty."),
    Rule("empty", _is_blank, "There is nothing in it but white space."),
    Rule(
        "zeros",
        lambda look: bool(look.data) and not look.first.strip(b"\x00") and _is_zero(look.data),
        "All its bytes are zeros.",
    ),
    Rule("transfer", _is_of_the_way, "It begins with what belongs to its transfer: headers, or the length of a part."),
    Rule("pointer", _is_pointer, "It only says where the file is, or what its digest is."),
    Rule("led_away", _was_led_away, "A redirect led to the home page, to a form to log in or to an error page."),
    Rule("web_page", _has_page, "A web page came in its place."),
    Rule("error_message", tells_an_error, "It is short, and reads like an error message or a form to log in."),
    Rule("error_message", _holds_a_message, "What is packed in it is an error message or a form to log in."),
    Rule("wrong_type", _has_other_type, "Its first bytes are those of another type than the document states."),
    Rule("wrong_type", _begins_wrongly, "It does not begin as files of the type do that the document states."),
    Rule("wrong_type", _is_binary_for_text, "It is no text, and the document states that it is."),
    Rule("wrong_type", _is_other_text, "It is text of another kind than the document states."),
    Rule("broken", _is_broken, "{problem}"),
    Rule("mangled", _is_mangled, "Its letters or the ends of its lines were changed, which no binary file survives."),
    Rule("mangled", _is_in_letters, "It is in base64."),
    Rule("placeholder", _is_dot, "It is an image of a dot."),
    Rule("appended", _is_twice, "It came twice, one behind the other."),
    Rule("appended", _ends_in_page, "A page with an error message stands behind its end."),
    Rule("appended", has_error_behind, "It ends in what a program printed when it failed."),
    Rule("appended", _has_more, "Something else stands behind its end."),
    Rule("appended", _has_zeros_behind, "Zeros stand behind its end."),
    Rule("older", lambda look: look.is_older, "The server dates it before what it sent from this address earlier."),
)


def _is_zero(data: Content) -> bool:
    return all(not data[at : at + (1 << 20)].strip(b"\x00") for at in range(0, len(data), 1 << 20))


def doubt(look: Look) -> tuple[str, str] | None:
    """Return the name of the first rule that fits, and its sentence; None when the bytes are beyond doubt."""
    rule = next((each for each in RULES if each.sees(look)), None)
    return None if rule is None else (rule.name, rule.sentence.format(problem=look.problem))
