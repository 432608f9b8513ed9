"""Tables of the addresses that lead to a file; every row names the system that it was seen in. Pure.

An address that matches no row does not count as a file, so that a landing page never does.
"""

import re

# File name extensions that mean a file at the end of any path. Extensions of web pages are left out on purpose.
EXTENSIONS = {
    "pdf": "application/pdf",
    "ps": "application/postscript",
    "eps": "application/postscript",
    "djvu": "image/vnd.djvu",
    "epub": "application/epub+zip",
    "doc": "application/msword",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "odt": "application/vnd.oasis.opendocument.text",
    "rtf": "application/rtf",
    "tex": "application/x-tex",
    "txt": "text/plain",
    "csv": "text/csv",
    "xls": "application/vnd.ms-excel",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "ods": "application/vnd.oasis.opendocument.spreadsheet",
    "ppt": "application/vnd.ms-powerpoint",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "odp": "application/vnd.oasis.opendocument.presentation",
    "zip": "application/zip",
    "gz": "application/gzip",
    "tgz": "application/gzip",
    "bz2": "application/x-bzip2",
    "xz": "application/x-xz",
    "7z": "application/x-7z-compressed",
    "tar": "application/x-tar",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "png": "image/png",
    "gif": "image/gif",
    "tif": "image/tiff",
    "tiff": "image/tiff",
    "jp2": "image/jp2",
    "svg": "image/svg+xml",
    "mp3": "audio/mpeg",
    "wav": "audio/x-wav",
    "flac": "audio/flac",
    "mp4": "video/mp4",
    "mov": "video/quicktime",
    "avi": "video/x-msvideo",
    "webm": "video/webm",
    "nc": "application/x-netcdf",
    "hdf5": "application/x-hdf5",
}

# Words for a type in dc:format, besides MIME types (EPrints writes `pdf http://…`).
_WORDS = {**EXTENSIONS, "postscript": "application/postscript", "text": "text/plain", "word": "application/msword"}

# Addresses of files without an extension: a pattern of path and query, the type if the program delivers only one, and
# the program.
SHAPES: tuple[tuple[re.Pattern[str], str, str], ...] = (
    (re.compile(r"/cgi/viewcontent\.cgi\?(?:[^#]*&)?article=\d+"), "application/pdf", "Digital Commons"),
    (
        re.compile(r"^https?://[^/]+/pdf/(?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?$"),
        "application/pdf",
        "arXiv",
    ),
    (re.compile(r"/article/\d+/type/native/viewcontent$"), "", "Digital Commons, additional files"),
    (re.compile(r"/article/(?:download|viewFile|downloadSuppFile)/[^/]+/[^/]+"), "", "OJS"),
    (re.compile(r"/article/\d+/download/pdf/?"), "application/pdf", "ARPHA"),
    (re.compile(r"/publication/\d+/file/\d+$"), "", "LibreCat, Ghent"),
    (re.compile(r"^https?://[^/]+/download/\d+/\d+$"), "", "LibreCat"),
    (re.compile(r"/pmc/articles/PMC\d+/pdf/?$"), "application/pdf", "PubMed Central"),
    (re.compile(r"/bitstreams?/[0-9a-f-]{36}/(?:download|content)$"), "", "DSpace 7"),
    (re.compile(r"/bitstream/(?:id/[^/]+|(?:handle/)?[^/]+/[^/]+)/[^?]+"), "", "DSpace 1 to 6"),
    (re.compile(r"/id/eprint/\d+/\d+/[^/?]+\.\w{1,5}$"), "", "EPrints"),
    (re.compile(r"/records?/[\w-]+/files/[^/?]+(?:/content)?(?:\?.*)?$"), "", "Invenio, Zenodo"),
    (re.compile(r"/islandora/object/[^/]+/datastream/(?:OBJ|PDF)/(?:view|download)"), "", "Islandora"),
    (re.compile(r"/ws/(?:portal)?files/(?:portal/)?\d+/[^/?]+"), "", "Pure"),
    (re.compile(r"/ndownloader/files/\d+|//ndownloader\.figshare\.com/files/\d+"), "", "figshare"),
    (re.compile(r"/frontdoor/deliver/index/docId/\d+/file/[^?]+"), "", "OPUS 4"),
    (re.compile(r"/api/access/datafile/(?:\d+|:persistentId\?)"), "", "Dataverse"),
    (re.compile(r"/show\.cgi\?fid=\d+$"), "", "ARNO"),
    (re.compile(r"/(?:hal|tel|halshs|inria|cel|insu)-\d+(?:v\d+)?/(?:document|file/.+)$"), "application/pdf", "HAL"),
)

# Pages about a file, whose addresses end like that of a file.
PAGES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"/wiki/[^/]+:"), "MediaWiki: /wiki/File:Name.jpg"),
    (re.compile(r"^https?://(?:www\.)?(?:github|gitlab)\.com/.+/blob/"), "GitHub, GitLab"),
)
_ANY_PAGE = re.compile(r"/wiki/|/blob/")

_ANY_SHAPE = re.compile(
    r"/(?:cgi/viewcontent|pdf|article|bitstreams?|document|download|file|files|portalfiles|eprint|islandora|datafile|show\.cgi)\b"
)  # a quick no for most addresses
_MIME_TYPE = re.compile(r"(?i)^(?:application|audio|font|image|model|text|video)/[a-z0-9][a-z0-9.+-]*$")
_PAGE_EXTENSIONS = frozenset(("html", "htm", "xhtml", "shtml", "php", "jsp", "asp", "aspx"))
_PAGE_TYPES = ("text/html", "application/xhtml+xml")
_EXTENSION = re.compile(r"\.([A-Za-z0-9]{1,5})$")
UNKNOWN = "application/octet-stream"


def type_named(text: str) -> str:
    """Return the MIME type in a word or statement, without parameters; empty if it is none, or that of a web page."""
    word = text.split(";", maxsplit=1)[0].strip().lower()
    mime_type = _WORDS.get(word.removeprefix("."), word)
    return mime_type if _MIME_TYPE.match(mime_type) and mime_type not in _PAGE_TYPES else ""


def file_type(url: str, stated: str = "") -> str:
    """Return the MIME type of the file at an http address; empty if the address is not known to lead to a file.

    `stated` is the type that the record states for its only file; it is used if the address itself has no type.
    """
    place = url.partition("#")[0]
    if _ANY_PAGE.search(place) and any(pattern.search(place) for pattern, _ in PAGES):
        return ""
    path, _, _ = place.partition("?")
    extension = _EXTENSION.search(path)
    if extension and path.count("/") > 2:  # noqa: PLR2004 - http://host/path: a host may end in .zip as well
        known_type = EXTENSIONS.get(extension[1].lower())
        if known_type:
            return known_type
        if extension[1].lower() in _PAGE_EXTENSIONS:
            return ""
    if _ANY_SHAPE.search(place):
        for pattern, mime_type, _ in SHAPES:
            if pattern.search(place):
                return stated or mime_type or UNKNOWN
    return ""
