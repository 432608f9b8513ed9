"""Rules, as a table, that find received bytes that may not be the requested file.

They are used where no digest is stated; those on words, redirects and appended bytes not where the stated size fits.
Bytes that a rule doubts are stored aside, never as the file (`doubtful_files.py`).
"""

import re
import struct
from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import urlsplit

from harvester.mirror import file_types
from harvester.mirror.archive_ends import unpacked
from harvester.mirror.error_pages import has_error_behind, has_error_words, is_error_message
from harvester.mirror.file_facts import FileFacts, is_even, visible
from harvester.mirror.file_types import begins_rightly, has_transfer, is_base64, is_pointer


class Rule(NamedTuple):
    """A reason for doubt: its name in receipts, its test, and its sentence.

    `is_strong`: it counts also where the stated size fits.
    """

    name: str
    sees: Callable[[FileFacts], bool]
    sentence: str
    is_strong: bool = False


_AWAY = re.compile(
    r"(?i)/[\w.-]*(?:log-?in|sign-?in|logon|shibboleth|notfound|not-found|maintenance|captcha)[\w.-]*(?:/|\Z|;)|"
    r"/(?:saml2?|sso|cas|o?auth2?|authenticate|errors?(?:[._-]?(?:page|handler|document|40\d|50\d))?|40[0134]|(?:access-?)?denied|"
    r"(?:cookie-?)?consent|cookies?)(?:\.\w{2,5})?(?:/|\Z|;)"
)


def _was_led_away(facts: FileFacts) -> bool:
    """Return whether a redirect led to a home page, a form to log in, or an error page."""
    if not facts.came_from or facts.came_from == facts.url or not facts.is_text:
        return False
    asked, led = urlsplit(facts.url), urlsplit(facts.came_from)
    is_home = led.path.rstrip("/").lower() in _HOMES and not led.query and asked.path.rstrip("/").lower() not in _HOMES
    return is_home or bool(_AWAY.search(led.path) and not _AWAY.search(asked.path))


_HOMES = ("", "/index.html", "/index.php", "/home", "/index.htm", "/xmlui", "/jspui", "/en", "/index", "/default.aspx")
# Types whose files are never text. Those of `file_types.toml` are recognised by their first bytes.
_BINARY_TYPES = re.compile(
    r"(?:image/(?!svg|x-xpixmap|x-xbitmap|x-portable)|audio/|video/|font/).*|"
    r"application/(?:msword|vnd\.ms-(?:excel|powerpoint)|x-tar|x-shockwave-flash|ogg|djvu|x-dvi|mp4)"
)


def _is_text_for_binary(facts: FileFacts) -> bool:
    """Return whether text came where a type is announced whose files are never text."""
    is_meant = _BINARY_TYPES.fullmatch(facts.mime_type) is not None and not facts.is_of_office
    return is_meant and facts.is_text and not facts.known_by


_RAW = re.compile(r"image/(?:x-(?!tiff).*|vnd\..*|dng)")  # what cameras write is TIFF, and icons may be PNG


def _is_of_another_kind(facts: FileFacts) -> bool:
    """Return whether the signature of a file is that of another kind than announced."""
    families = {name for name in facts.known_by if file_types.TYPES[name].kin}
    if _is_packed_drawing(facts):
        return False
    if not families or not facts.kind or begins_rightly(facts.mime_type, facts.first):
        return False
    if facts.kind != "binary":  # text was announced
        return not facts.is_text or facts.first.startswith(b"%PDF-")
    meant = file_types.family(facts.mime_type)
    if meant in ("ole", "zip") and families & {"ole", "zip"}:  # office files of either kind go under either type
        return False
    is_media = facts.mime_type.startswith(("image/", "audio/", "video/")) and not _RAW.fullmatch(facts.mime_type)
    return meant not in families if meant else is_media


def _is_packed_drawing(facts: FileFacts) -> bool:
    """Return whether an SVG is kept in gzip, which its type allows."""
    return facts.mime_type == "image/svg+xml" and b"<svg" in unpacked(facts.data, _MOST_INSIDE)


def _holds_a_message(facts: FileFacts) -> bool:
    """Return whether a gzip file contains only an error message."""
    inside = unpacked(facts.data, _MOST_INSIDE) if facts.first.startswith(b"\x1f\x8b") else b""
    return bool(inside) and is_error_message(FileFacts(inside, "", url=_PACKED.sub("", facts.url)))


_MOST_INSIDE = 64 << 10  # bytes
_PACKED = re.compile(r"(?i)\.t?gz\Z")


def _is_binary_for_text(facts: FileFacts) -> bool:
    """Return whether something other than text came where text is announced."""
    return (
        facts.kind in ("text", "html", "xml", "json")
        and b"\x00" in facts.first + facts.last
        and not facts.is_text
        and not _is_packed_drawing(facts)
    )


def _is_other_text(facts: FileFacts) -> bool:
    """Return whether other text came where XML or JSON is announced, or text without cells as a table."""
    if facts.mime_type in ("text/csv", "text/tab-separated-values") and facts.short and facts.is_text:
        is_line, has_cells = "\n" not in facts.words.strip(), is_even(facts.words)
        is_bad = is_line and not has_cells if facts.came == "text" else is_line or not has_cells
        return is_bad and not facts.has_size
    taken = {"xml": ("xml", "html"), "json": ("json", "text")}.get(facts.kind)
    return taken is not None and facts.is_text and facts.came not in taken


_CHANGED = 0.005  # of the bytes
_SOME = 8
_MANY = 1024  # bytes beyond ASCII: among so many and their like, line feeds without a carriage return stand by chance


def _is_mangled(facts: FileFacts) -> bool:
    """Return whether the characters or the line ends of a binary file were converted."""
    if facts.is_text or len(facts.data) > file_types.MOST or len(facts.data) < 1024:  # noqa: PLR2004
        return False
    sample = facts.data[: 1 << 20]
    if sample.count(b"\xef\xbf\xbd") * 3 > len(sample) * _CHANGED:
        return True
    high = len(sample) - len(sample.translate(None, file_types.HIGH))
    return high >= _MANY and sample.count(b"\n") == sample.count(b"\r\n") >= _SOME


def _is_broken(facts: FileFacts) -> bool:
    is_as_it_is = facts.is_text and facts.has_size  # the source has the same: nothing is missing
    return bool(facts.problem) and not is_as_it_is


_WINDOW = 1 << 16  # bytes that the first chunk of an answer rarely exceeds


def _is_in_letters(facts: FileFacts) -> bool:
    """Return whether a text is only base64, although its type is not one for base64."""
    is_wrapped = facts.kind in ("text", "html", "xml", "json") and facts.mime_type not in _WRAPPINGS
    return is_wrapped and facts.is_text and len(facts.data) <= file_types.MOST and is_base64(facts.data[:])


_WRAPPINGS = ("text/x-uuencode", "text/x-base64")
_LEAST_HALF = 256


def _is_twice(facts: FileFacts) -> bool:
    """Return whether a file has the same bytes twice. Files with more repetitions are made so."""
    size = len(facts.data)
    if size < 2 * _LEAST_HALF or size % 2 or size > file_types.MOST:
        return False
    half, beginning = size // 2, facts.data[:64]
    return facts.data.find(beginning, 1) == half and facts.data[:half] == facts.data[half:]


_END_OF_PAGE = re.compile(rb"(?i)</html>\s*\Z")
_PAGE_BEGINS = re.compile(rb"(?i)<!doctype html|<html\b")


def _ends_in_page(facts: FileFacts) -> bool:
    """Return whether a text ends in a page that is an error message."""
    if not facts.is_text or facts.came in ("html", "xml") or not _END_OF_PAGE.search(facts.last[-64:]):
        return False
    begun = [match.start() for match in _PAGE_BEGINS.finditer(facts.last)]
    return bool(begun) and has_error_words(visible(facts.last[begun[0] :]))


_SIDES = ((re.compile(rb"(?s)\x89PNG\r\n\x1a\n.{8}(.{8})"), ">II"), (re.compile(rb"(?s)GIF8[79]a(.{4})"), "<HH"))
_DOT = 2  # pixels


def _is_dot(facts: FileFacts) -> bool:
    """Return whether an image is a dot, a placeholder for a missing image."""
    for pattern, order in _SIDES:
        if (match := pattern.match(facts.first)) is not None:
            return all(0 < side <= _DOT for side in struct.unpack(order, match[1]))
    return False


def _has_more(facts: FileFacts) -> bool:
    """Return whether other data follow after the end of a file."""
    rest = facts.tail.strip(b"\x00\r\n\t \x1a")
    if _COMMENT.fullmatch(rest):
        return False  # servers sign pages, and sometimes files; readers ignore that
    if facts.first.startswith(_JPEG):
        return rest.startswith(b"<") or b"<html" in rest.lower()  # cameras store films and previews after images
    return bool(rest) and (rest.startswith(b"<") or len(rest) > _REST or b"<html" in rest.lower())


_COMMENT = re.compile(rb"<!--[^<>]{0,200}-->")
_JPEG = b"\xff\xd8\xff"
_WHITE = b" \t\r\n\x0b\x0c\xef\xbb\xbf\xfe\xff"
_REST = 64  # bytes after the end of a file that some programs write


def _has_only(facts: FileFacts, signs: bytes) -> bool:
    """Return whether a file has no other bytes than these."""
    parts = (facts.data[at : at + (1 << 20)] for at in range(0, len(facts.data), 1 << 20))
    return bool(facts.data) and not facts.first.strip(signs) and not any(part.strip(signs) for part in parts)


_ALWAYS = True  # also where the stated size fits
_OTHER_TYPE = "Its first bytes are those of another type than the document states."
RULES = (
    Rule("empty", lambda facts: not facts.data and facts.stated_size != 0, "It is empty.", _ALWAYS),
    Rule("empty", lambda facts: _has_only(facts, _WHITE), "It contains only white space."),
    Rule("zeros", lambda facts: _has_only(facts, b"\x00"), "All its bytes are zeros.", _ALWAYS),
    Rule(
        "transfer",
        lambda facts: has_transfer(facts.first, facts.data[:_WINDOW]),
        "It begins with parts of its transfer: headers, or the length of a chunk.",
    ),
    Rule(
        "pointer",
        lambda facts: bool(facts.short) and is_pointer(facts.short),
        "It contains only the address or the digest of a file.",
    ),
    Rule("led_away", _was_led_away, "A redirect led to the home page, to a form to log in or to an error page."),
    Rule(
        "error_message", is_error_message, "It is short, and has the words of an error message or of a form to log in."
    ),
    Rule("error_message", _holds_a_message, "It is an archive of an error message or of a form to log in."),
    Rule("wrong_type", _is_of_another_kind, _OTHER_TYPE, _ALWAYS),
    Rule("wrong_type", _is_text_for_binary, _OTHER_TYPE, _ALWAYS),
    Rule(
        "wrong_type",
        lambda facts: begins_rightly(facts.mime_type, facts.first) is False and not facts.is_of_office,
        "It does not begin like files of the stated type.",
        _ALWAYS,
    ),
    Rule("wrong_type", _is_binary_for_text, "It is not text, although the document states a text type.", _ALWAYS),
    Rule("wrong_type", _is_other_text, "It is text of another kind than the document states.", _ALWAYS),
    Rule("broken", _is_broken, "{problem}", _ALWAYS),
    Rule("mangled", _is_mangled, "Its characters or line ends were converted, which destroys a binary file.", _ALWAYS),
    Rule("mangled", _is_in_letters, "It is in base64."),
    Rule("placeholder", _is_dot, "It is an image of a dot."),
    Rule("appended", _is_twice, "It contains the same bytes twice."),
    Rule("appended", _ends_in_page, "A page with an error message follows after its end."),
    Rule("appended", has_error_behind, "It ends with the error output of a program."),
    Rule("appended", _has_more, "Other data follow after its end."),
    Rule("appended", lambda facts: facts.tail.count(0) >= _REST, "Zeros follow after its end."),
    Rule(
        "older",
        lambda facts: facts.is_older,
        "Its Last-Modified is older than that of an earlier answer from this address.",
        _ALWAYS,
    ),
)


def doubt(facts: FileFacts) -> tuple[str, str] | None:
    """Return the name of the first rule that fits, and its sentence; None when the bytes are beyond doubt."""
    rule = next((rule for rule in RULES if (rule.is_strong or not facts.has_size) and rule.sees(facts)), None)
    return None if rule is None else (rule.name, rule.sentence.format(problem=facts.problem))
