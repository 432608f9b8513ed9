"""URLs of requests to a Solr index: its handler and each query (Solr Reference Guide, Common Query Parameters)."""

from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

# Arguments in copied URLs that the harvester sets itself.
_OURS = frozenset(("q", "fl", "sort", "rows", "start", "wt", "cursorMark", "indent", "_", "json.wrf"))


def select_url(address: str) -> str:
    """Return the URL of the index's `select`, from the URL of a core, of a handler, or of a copied query.

    Arguments that select documents (`fq`) or belong to the server stay.
    """
    parts = urlsplit(address.strip())
    path = parts.path.rstrip("/")
    own = [(name, value) for name, value in parse_qsl(parts.query, keep_blank_values=True) if name not in _OURS]
    is_handler = bool(parts.query) or path.rpartition("/")[2] in ("select", "query")
    return urlunsplit((parts.scheme, parts.netloc, path if is_handler else f"{path}/select", urlencode(own), ""))


@dataclass(frozen=True, slots=True)
class Index:
    """One index: its `select`, the query for the wanted documents, and the names of their identifier and timestamp.

    The values of `set_fields` are the sets of a document.
    """

    select: str
    query: str
    identifier: str
    timestamp: str
    wt: str
    set_fields: tuple[str, ...] = ()

    @property
    def read(self) -> tuple[str, ...]:
        """The fields that are read when a document arrives."""
        return (self.identifier, self.timestamp, *self.set_fields)

    def url(self, *arguments: tuple[str, str | int]) -> str:
        """Return the URL of one query."""
        parts = urlsplit(self.select)
        asked = urlencode([("q", self.query), ("wt", self.wt), *arguments])
        return urlunsplit(parts._replace(query="&".join(filter(None, (parts.query, asked)))))

    def page(self, mark: str, rows: int, *, within: str = "", fields: str = "*") -> str:
        """Return the URL of the documents after a mark, by identifier (Solr Reference Guide, Pagination of Results)."""
        limits = (("fq", within),) if within else ()
        sort = ("sort", f"{self.identifier} asc")
        return self.url(*limits, sort, ("rows", rows), ("fl", fields), ("cursorMark", mark))

    def oldest(self) -> str:
        """Return the URL of the document with the oldest timestamp."""
        return self._extreme("asc", "")

    def newest(self, until: str = "") -> str:
        """Return the URL of the document with the newest timestamp, of all or of those until a time."""
        return self._extreme("desc", until)

    def _extreme(self, order: str, until: str) -> str:
        fields = f"{self.identifier},{self.timestamp}"
        within = self.between("", until)
        return self.url(("fq", within), ("sort", f"{self.timestamp} {order}"), ("rows", 1), ("fl", fields))

    def undated(self) -> str:
        """Return the URL for the number of documents without a timestamp."""
        return self.url(("fq", f"-{self.timestamp}:[* TO *]"), ("rows", 0))

    def one(self, identifier: str) -> str:
        """Return the URL of one document."""
        quoted = identifier.replace("\\", "\\\\").replace('"', '\\"')
        return self.url(("fq", f'{self.identifier}:"{quoted}"'), ("rows", 1), ("fl", "*"))

    def between(self, first: str, last: str) -> str:
        """Return the query for timestamps between two times, both included; an empty text is no limit."""
        return f"{self.timestamp}:[{first or '*'} TO {last or '*'}]"
