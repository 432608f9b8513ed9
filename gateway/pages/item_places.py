"""Where items are: finds the item that an address means, and writes the address of an item. Pure but for the view."""

import re
from collections.abc import Callable
from urllib.parse import quote, unquote

from gateway.core.names import source_of, upstream_identifier
from gateway.pages.site import Site
from gateway.store.base import View

_SAFE = "-_.!~*'();/:@&=+$,"
_ROW = re.compile(r"/{2,}")
_DOTS = re.compile(r"(?:^|/)\.{1,2}(?:/|$)")

# Of an identifier, the other items whose merged spelling is the same.
Rivals = Callable[[str], bool]


def merged(identifier: str) -> str:
    """Return an identifier in which each row of slashes is one slash."""
    return _ROW.sub("/", identifier)


def in_path(identifier: str) -> str:
    """Return an identifier as the end of a path."""
    return quote(identifier, safe=_SAFE)


def in_query(identifier: str) -> str:
    """Return an identifier as the value of an argument."""
    return quote(identifier, safe="-_.!~*'():/")


def address_of(folder: str, identifier: str, has_rivals: Rivals) -> str:
    """Return our spelling of the address of an item below a folder such as `/items/`.

    `has_rivals` says of an identifier with rows of slashes whether its merged spelling also means another item.
    """
    single = merged(identifier)
    if is_plain(single) and (single == identifier or not has_rivals(identifier)):
        return folder + in_path(single)
    return query_address(folder, identifier)


def plain_address(folder: str, identifier: str) -> str:
    """Return an address of an item that is right whatever other items there are: a row of slashes is in the query."""
    return address_of(folder, identifier, lambda _: True)


def query_address(folder: str, identifier: str) -> str:
    """Return an address that has the identifier in its query, where nothing changes it on the way."""
    return f"{folder}?identifier={in_query(identifier)}"


def is_plain(identifier: str) -> bool:
    """Return whether an identifier can stand in a path: browsers change dot segments (RFC 3986 §5.2.4)."""
    return not _DOTS.search(identifier)


# The forms of an item by the ending of their address; an ending that contains another one comes first.
FORMS = ("linkset.json", "linkset", "csl.json", "json", "jsonld", "bib", "ris", "authors", "files", "html")

_MOST_SIMILAR = 10_000  # characters of an identifier that is looked for by others that differ only in slashes
_PREFIX = "-_.!~*'()"  # what a metadataPrefix may have beside letters and digits
_MOST_CANDIDATES = 20
_PLAIN = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9:/._-]*")  # in an address as it is


class Ambiguous(Exception):
    """Several items have this spelling."""

    def __init__(self, identifiers: tuple[str, ...]) -> None:
        super().__init__()
        self.identifiers = identifiers


class Places:
    """The addresses of one site."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def identifier(self, view: View, text: str) -> str | None:
        """Return the identifier of the item that a text means: itself, or the one that differs only in slashes.

        Raise Ambiguous if there are several.
        """
        if not text:
            return None
        if view.has_item(text):
            return text
        similar = self._similar(view, text) if len(text) <= _MOST_SIMILAR else ()
        if len(similar) > 1:
            raise Ambiguous(similar)
        return similar[0] if similar else None

    def form(self, view: View, tail: str) -> tuple[str, str] | None:
        """Return the identifier and the form that the end of a path means, or None. Raise Ambiguous."""
        identifier = self.identifier(view, tail)
        if identifier is not None:
            return identifier, "html"
        for form in FORMS:
            if tail.endswith(f".{form}"):
                identifier = self.identifier(view, tail.removesuffix(f".{form}"))
                if identifier is not None:
                    return identifier, form
        return None

    def path(self, view: View, identifier: str, form: str = "html") -> str:
        """Return the path of an item in one of its forms, in our spelling."""
        folder = f"{self._site.root}/items/"
        path = address_of(folder, identifier, lambda name: self._has_rivals(view, name))
        if form == "html":
            return path
        if "?" in path or view.has_item(f"{merged(identifier)}.{form}"):
            return f"{query_address(folder, identifier)}&format={form}"
        return f"{path}.{form}"

    def metadata_path(self, view: View, identifier: str, prefix: str) -> str:
        """Return the path of the metadata of an item in one format, in our spelling."""
        folder = f"{self._site.root}/metadata/{quote(prefix, safe=_PREFIX)}/"
        return address_of(folder, identifier, lambda name: self._has_rivals(view, name))

    def url(self, view: View, identifier: str, form: str = "html") -> str:
        """Return the whole address of an item in one of its forms."""
        return self.whole(self.path(view, identifier, form))

    def metadata_url(self, view: View, identifier: str, prefix: str) -> str:
        """Return the whole address of the metadata of an item in one format."""
        return self.whole(self.metadata_path(view, identifier, prefix))

    def metadata_urls(self, view: View, prefix: str) -> Callable[[str], str]:
        """Return the function that does the same as `metadata_url` for many items of one format, fast for most."""
        return _for_many(lambda identifier: self.metadata_url(view, identifier, prefix))

    def page_urls(self, view: View) -> Callable[[str], str]:
        """Return the function that does the same as `url` for many items, fast for most."""
        return _for_many(lambda identifier: self.url(view, identifier))

    def metadata_named(self, view: View, url: str) -> tuple[str, str] | None:
        """Return the identifier and the prefix of the metadata at an address of ours, or None. Raise Ambiguous."""
        folder = f"{self._site.url}/metadata/"
        prefix, slash, tail = url.removeprefix(folder).partition("/")
        if not url.startswith(folder) or not slash:
            return None
        text = tail.removeprefix("?identifier=")
        identifier = self.identifier(view, unquote(text, errors="replace"))
        return None if identifier is None else (identifier, unquote(prefix))

    def persistent_url(self, identifier: str) -> str:
        """Return the whole address to cite: that of the resolver, which stays the same if pages move."""
        is_exact = is_plain(identifier) and merged(identifier) == identifier  # on any way, now and later
        return f"{self._site.url}/{in_path(identifier) if is_exact else f'resolve?id={in_query(identifier)}'}"

    def whole(self, path: str) -> str:
        """Return the whole address of a path of ours."""
        return self._site.url.removesuffix(self._site.root) + path

    def bare(self, path: str) -> str:
        """Return a path of ours as the application is asked for it: a proxy has removed the root of the site."""
        return path.removeprefix(self._site.root)

    def _similar(self, view: View, text: str) -> tuple[str, ...]:
        single = merged(text)
        source = source_of(single)
        if not source:
            return ()
        candidates = view.merged(source, upstream_identifier(single), _MOST_CANDIDATES)
        return tuple(name for name in candidates if merged(name) == single and view.has_item(name))

    def _has_rivals(self, view: View, identifier: str) -> bool:
        return view.has_item(merged(identifier)) or len(self._similar(view, identifier)) > 1


def _for_many(exact: Callable[[str], str]) -> Callable[[str], str]:
    folder = exact("x").removesuffix("x")

    def url_of(identifier: str) -> str:
        if _PLAIN.fullmatch(identifier) and "//" not in identifier and "/." not in identifier:
            return folder + identifier
        return exact(identifier)

    return url_of
