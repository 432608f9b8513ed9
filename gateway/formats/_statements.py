"""Makes a Work of Dublin Core statements: finds its identifiers, its landing page, its files and its licence."""

import re
from collections.abc import Collection, Iterable

from gateway.core.addresses import ALSO_KNOWN_AS, address, is_address, uri_of
from gateway.core.bibliography.identifiers import dois_in, is_test_address
from gateway.core.model import FileLink, Statement, Work
from gateway.formats._file_links import file_type, is_preview, type_named

ELEMENTS = (
    "contributor", "coverage", "creator", "date", "description", "format", "identifier", "language",
    "publisher", "relation", "rights", "source", "subject", "title", "type",
)  # fmt: skip

_TYPED_ADDRESS = re.compile(r"(?is)^([a-z0-9.+/-]{2,80})[\s:;,]+(https?://\S.*)$")
# The address of a licence, or of a statement of rights; alone, or in a text.
_LICENSE = re.compile(
    r"(?i)https?://(?:creativecommons\.org/(?:licenses|publicdomain)/|(?:www\.)?rightsstatements\.org/|opensource\.org/licenses/"
    r"|(?:www\.)?(?:creativecommons|opendatacommons)\.org/licenses/)[^\s\"'<>]+"
)
_ANY_LICENSE = re.compile(r"(?i)https?://\S{1,300}licen[cs]e\S*")
_NO_ACCESS = re.compile(r"(?i)(?:openaire|eu-repo|coar-)[^/]*/|access_right")


def license_in(text: str) -> str:
    """Return the address of a licence that a statement of rights is or contains, or an empty string."""
    scheme = text.find("://")
    if scheme < 0:
        return ""
    if match := _LICENSE.search(text, max(0, scheme - len("https"))):
        return address(match[0].rstrip(".,;)"))
    return address(text) if _ANY_LICENSE.fullmatch(text) and not _NO_ACCESS.search(text) else ""


_OWN_PAGE = re.compile(r"/handle/\d[\d.]*/|/items/[0-9a-f-]{36}")  # DSpace


class _Names:
    """The identifiers, addresses, files and the licence in the statements, collected in one walk."""

    __slots__ = ("_only", "files", "identifiers", "inside", "license", "pages", "related", "resolvers")

    def __init__(self, leading: Collection[tuple[str, str]]) -> None:
        self.identifiers: dict[str, None] = {}
        self.inside: list[str] = []  # DOIs within other identifiers
        self.pages: list[str] = []  # addresses of the work that lead neither to a file nor to a resolver
        self.resolvers: list[str] = []
        self.related: list[str] = []  # addresses in relations: the work's page, or anything else
        self.files: dict[str, FileLink] = {}
        self.license = ""
        stated = {type_ for element, text in leading if element == "format" and (type_ := type_named(text))}
        self._only = stated.pop() if len(stated) == 1 else ""
        for element, text in leading:
            _LEADING[element](self, element, text)
        if self.inside and not any(uri.startswith("https://doi.org/") for uri in self.identifiers):
            self.identifiers = {self.inside[0]: None, **self.identifiers}

    def locator(self, element: str, text: str) -> None:
        """Take an identifier, relation or source: an address, a DOI or handle, or neither."""
        uri = uri_of(text)
        if uri and (element == "identifier" or text.startswith(ALSO_KNOWN_AS)):
            self.identifiers[uri] = None
        elif element == "identifier" and "10." in text and len(dois := dois_in(text)) == 1:
            self.inside.append(address(f"https://doi.org/{dois[0]}"))  # of a citation, or of a page
        if text[:4].lower() != "http" or is_test_address(text) or is_preview(text):
            return
        text = text.replace("&amp;", "&")  # Digital Commons escapes twice
        if not is_address(text):
            return
        url = address(text)
        mime_type = "" if uri else file_type(url, self._only)
        if mime_type:
            self.files.setdefault(url, FileLink(url, mime_type, found_in=f"dc:{element}"))
        elif element == "identifier":
            (self.resolvers if uri else self.pages).append(url)
        elif element == "relation" and not uri:
            self.related.append(url)

    def typed_address(self, element: str, text: str) -> None:
        """Take a format with the type before the address: `pdf http://…` (EPrints)."""
        match = _TYPED_ADDRESS.match(text) if "://" in text else None
        mime_type = type_named(match[1]) if match else ""
        if not match or not mime_type or uri_of(match[2]):
            return
        spaced = match[2].replace("&amp;", "&")
        stated = spaced.replace(" ", "%20")
        if not is_address(stated) or (stated != spaced and not file_type(stated)):
            return  # text after an address belongs to it only if it ends like the name of a file
        url = address(stated)
        self.files.setdefault(url, FileLink(url, mime_type, found_in=f"dc:{element}"))

    def rights(self, _element: str, text: str) -> None:
        """Take the address of a license."""
        self.license = self.license or license_in(text)

    def page(self) -> str:
        """Return the landing page, or an empty string.

        It is the first address in `identifier` that leads neither to a file nor to a resolver. The next choices are a
        related address on the host of a file, as in EPrints, that of a resolver, and any related one.
        """
        if len(self.pages) > 1:  # DSpace has the work's own page last
            self.pages.sort(key=lambda url: _OWN_PAGE.search(url) is None)
        if not self.related:
            return next(iter(self.pages or self.resolvers), "")
        hosts = {_host(url) for url in self.files}
        beside = [url for url in self.related if _host(url) in hosts]
        return next(iter(self.pages or beside or self.resolvers or self.related), "")


_LEADING = {
    "identifier": _Names.locator,
    "relation": _Names.locator,
    "source": _Names.locator,
    "format": _Names.typed_address,
    "rights": _Names.rights,
}
LEADING = tuple(_LEADING)  # the elements that can have a link: to the work, a file, a licence


def leading_of(statements: Iterable[Statement]) -> list[tuple[str, str]]:
    """Return (element, text) of the statements that can have a link."""
    return [(element, text) for element, text, _ in statements if element in _LEADING]


def _host(url: str) -> str:
    return url.split("/", 3)[2].lower()


def work_of(
    statements: tuple[Statement, ...],
    files: tuple[FileLink, ...] = (),
    landing_page: str = "",
    oai_dc: bytes = b"",
    leading: Collection[tuple[str, str]] | None = None,
) -> Work:
    """Return the Work of these statements, with the files and the landing page that a richer format has.

    `leading` are the statements (element, text) with links of the work itself, if other statements have links of other
    works.
    """
    names = _Names(leading_of(statements) if leading is None else leading)
    links = tuple(names.files.values())
    if files:
        links = tuple({**names.files, **{link.url: link for link in files if is_address(link.url)}}.values())
    if names.license:
        links = tuple(link if link.license else link._replace(license=names.license) for link in links)
    page = landing_page if is_address(landing_page) else names.page()
    return Work(
        statements=statements,
        identifiers=tuple(names.identifiers),
        landing_page=page,
        files=links,
        license=names.license,
        oai_dc=oai_dc,
    )


def completed(
    inner: Work, statements: tuple[Statement, ...] = (), files: tuple[FileLink, ...] = (), landing_page: str = ""
) -> Work:
    """Return the Work of metadata in a container, with the facts of the container itself, which come first."""
    own = work_of(statements, files, landing_page)
    links = {file.url: file for file in (*own.files, *inner.files)}.values()
    licensed = own.license or inner.license
    return Work(
        statements=inner.statements + statements,
        identifiers=tuple(dict.fromkeys(inner.identifiers + own.identifiers)),
        landing_page=landing_page if is_address(landing_page) else inner.landing_page or own.landing_page,
        files=tuple(file if file.license else file._replace(license=licensed) for file in links),
        license=licensed,
        bibliography=inner.bibliography,
    )
