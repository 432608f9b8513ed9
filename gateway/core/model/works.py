"""The contents of a record: the work, its statements and its files."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final, NamedTuple


class Statement(NamedTuple):
    """One of the fifteen Dublin Core statements: `element` is the local name (`title`), `language` an xml:lang."""

    element: str
    text: str
    language: str = ""


class FileOrigin(StrEnum):
    """The origin of a link to a file: the source's record, or a search."""

    UPSTREAM = "upstream"
    DISCOVERED = "discovered"


class FileLink(NamedTuple):
    """A link that leads to a file. Empty strings and None mean: not known.

    `found_at` is the UTCdatetime at which we found or fetched it. `content` are the bytes of the file, if they are
    embedded in the DIDL. `is_named`: oai_dc also has its address. `copy_url` is the address of our copy, if served.
    `is_supplement`: it accompanies the work, and is not its full text.
    """

    url: str
    mime_type: str = "application/octet-stream"
    origin: FileOrigin = FileOrigin.UPSTREAM
    found_in: str = ""  # the element that names it: `dc:format`, `didl:Resource`
    size: int | None = None  # bytes
    sha256: str = ""
    modified: str = ""
    license: str = ""
    version: str = ""
    found_at: str = ""
    is_named: bool = False
    copy_url: str = ""
    content: bytes = b""
    retracted: str = ""  # a sentence about the retraction of the work: who states it, and which notice
    missing: str = ""  # why a file that the record names is not there, and since when
    is_supplement: bool = False
    digests: tuple[tuple[str, str], ...] = ()  # that the source states: (algorithm as hashlib names it, hexadecimal)

    @property
    def fixity(self) -> tuple[tuple[str, str, bool], ...]:
        """All known digests: algorithm, hexadecimal digits, and whether we computed it (else the source states it).

        If the file was not fetched, its SHA-256 is that of the source too.
        """
        if not self.sha256:
            return tuple((*digest, False) for digest in self.digests)
        is_stated = "sha256" in dict(self.digests)
        first = (("sha256", self.sha256, bool(self.found_at)),) if not is_stated else ()
        return *first, *((*digest, False) for digest in sorted(self.digests, key=lambda digest: digest[0] != "sha256"))


class TitleType(StrEnum):
    """What a title is (MODS 3.8 titleInfo/@type; DataCite 4.6 titleType); a subtitle is a part of its title."""

    MAIN = "main"
    TRANSLATED = "translated"
    ALTERNATIVE = "alternative"
    ABBREVIATED = "abbreviated"


class Title(NamedTuple):
    """A title of the work; `language` is an xml:lang, as the record has it."""

    text: str
    type: TitleType = TitleType.MAIN
    language: str = ""


class Agent(NamedTuple):
    """A person or an organization with a role, in the order of the record.

    `role` is a code of the MARC relators; `is_author` says whether a citation names it as an author. `family` and
    `given` are empty for an organization, and where the record does not divide the name. `suffix` is a part such as
    `Jr.`. `orcid` and `ror` are addresses.
    """

    name: str
    family: str = ""
    given: str = ""
    orcid: str = ""
    language: str = ""
    suffix: str = ""
    role: str = "aut"
    is_author: bool = True
    is_organization: bool = False
    ror: str = ""
    affiliations: tuple[str, ...] = ()

    @property
    def family_first(self) -> str:
        """The name as `Family, Given, Suffix`, without the years of a life; one without parts as it is."""
        return ", ".join(filter(None, (self.family, self.given, self.suffix))) or self.name


class DateType(StrEnum):
    """What happened at a date (DataCite 4.6 dateType); the order is the one in which dates are cited."""

    ISSUED = "issued"
    COPYRIGHTED = "copyrighted"
    CREATED = "created"
    AVAILABLE = "available"
    ACCEPTED = "accepted"
    SUBMITTED = "submitted"
    EMBARGO_END = "embargo end"
    OTHER = "other"  # of the record, the copy, or the subject: never cited


class WorkDate(NamedTuple):
    """A date of the work, as the record has it."""

    text: str
    type: DateType = DateType.ISSUED


class Relation(StrEnum):
    """Whose identifier it is: of the work, of the journal, book or series with it, or of another work."""

    OWN = "own"
    HOST = "host"
    OTHER = "other"


SCHEMES: Final = ("doi", "handle", "arxiv", "pmid", "pmcid", "isbn", "issn", "urn", "ark", "url", "other")


class Identifier(NamedTuple):
    """An identifier: its scheme, its text without the scheme, the address that resolves it, if any; and whose it is.

    The scheme is one of `SCHEMES`.
    """

    scheme: str
    text: str
    url: str = ""
    relation: Relation = Relation.OWN


class Host(NamedTuple):
    """Where the work was published: a journal, a book, or proceedings; `text` says it as the record does.

    `first_page` is the article number if there are no pages.
    """

    title: str = ""
    volume: str = ""
    issue: str = ""
    first_page: str = ""
    last_page: str = ""
    issn: str = ""
    isbn: str = ""
    text: str = ""


class Text(NamedTuple):
    """A text about the work, such as an abstract or a subject; `type` is empty, or says which kind of text."""

    text: str
    language: str = ""
    type: str = ""


class Funding(NamedTuple):
    """Who paid for the work: a funder and its identifier; the number of the grant, its address and its title.

    The funder or the number is there. The identifier is an address if there is one.
    """

    funder: str = ""
    funder_id: str = ""
    grant: str = ""
    url: str = ""
    title: str = ""


class Bibliography(NamedTuple):
    """What a record states about a work. Empty means: not stated.

    `type` is the label of a COAR resource type, `types` are the words of the record. `languages` are tags of BCP 47.
    `rights` are addresses and texts, licences first. `sources`, `relations`, `coverage` and `formats` are as stated.
    """

    titles: tuple[Title, ...] = ()
    agents: tuple[Agent, ...] = ()
    dates: tuple[WorkDate, ...] = ()
    identifiers: tuple[Identifier, ...] = ()
    host: Host = Host()
    type: str = ""
    types: tuple[str, ...] = ()
    descriptions: tuple[Text, ...] = ()
    subjects: tuple[Text, ...] = ()
    publishers: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    rights: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    coverage: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    funding: tuple[Funding, ...] = ()


class Work(NamedTuple):
    """The work that an item is about, read from the richest of its payloads.

    A work that was read by `glance` has only statements with links; `oai_dc` has all of them. `bibliography` is what a
    format with more than Dublin Core states; None: `bibliography.of` reads it from the statements. `supplements` are
    files that accompany the work; none of `files` is one.
    """

    statements: tuple[Statement, ...] = ()
    identifiers: tuple[str, ...] = ()  # DOIs and handles as URIs, best first
    landing_page: str = ""
    files: tuple[FileLink, ...] = ()
    license: str = ""  # a URI
    modified: str = ""  # the source's own UTCdatetime of the last change
    upstream: str = ""  # the identifier in the source's protocol
    oai_dc: bytes = b""  # a valid oai_dc as it arrived, standing alone; empty: one must be made
    bibliography: Bibliography | None = None
    supplements: tuple[FileLink, ...] = ()

    @property
    def all_files(self) -> tuple[FileLink, ...]:
        """The files of the work, and its supplements."""
        return *self.files, *self.supplements

    def with_files(self, files: Iterable[FileLink]) -> "Work":
        """Return the work with the first of these files at each address; supplements are kept apart."""
        known: dict[str, FileLink] = {}
        for file in files:
            known.setdefault(file.url, file)
        return self._replace(
            files=tuple(file for file in known.values() if not file.is_supplement),
            supplements=tuple(file for file in known.values() if file.is_supplement),
        )

    def texts(self, *elements: str) -> tuple[str, ...]:
        """Return the texts of all statements of these Dublin Core elements, in the order of the record."""
        return tuple(statement.text for statement in self.statements if statement.element in elements)
