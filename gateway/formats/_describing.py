"""What a reader finds in a payload, collected into a Work: values are cleaned here, so that readers only say where.

A reader walks the description of the work, calls a method for each statement, and returns `work()`. Placeholders, empty
values, and repeated ones are left out. The Dublin Core statements of the Work are made of its bibliography.
"""

from collections.abc import Iterable

from gateway.core.addresses import address, is_address, uri_of
from gateway.core.bibliography.dublin_core import statements_of
from gateway.core.bibliography.funding import funding_of, grants_in
from gateway.core.bibliography.hosts import host_of
from gateway.core.bibliography.identifiers import identifier_of, is_test_address, issn_of, of_relation
from gateway.core.bibliography.languages import languages_in
from gateway.core.bibliography.people import MOST, agent_of, is_name
from gateway.core.bibliography.texts import is_value, one_line, paragraphs
from gateway.core.bibliography.types import type_of
from gateway.core.model import (
    Agent,
    Bibliography,
    DateType,
    FileLink,
    Funding,
    Host,
    Identifier,
    Relation,
    Text,
    Title,
    TitleType,
    Work,
    WorkDate,
)
from gateway.formats._file_links import UNKNOWN, file_type, is_preview, type_named
from gateway.formats._statements import license_in

_MOST_VALUES = 5_000  # of one kind, but agents: see people.MOST


class Describing:
    """What is known of one work so far. `found_in` names the element in the provenance of files: `mods:url`."""

    def __init__(self, found_in: str = "") -> None:
        self.found_in = found_in
        self.titles: list[Title] = []
        self.agents: list[Agent] = []
        self.dates: list[WorkDate] = []
        self.identifiers: list[Identifier] = []
        self.types: list[str] = []
        self.descriptions: list[Text] = []
        self.subjects: list[Text] = []
        self.publishers: list[str] = []
        self.languages: list[str] = []
        self.all_rights: list[str] = []
        self.sources: list[str] = []
        self.relations: list[str] = []
        self.places: list[str] = []
        self.formats: list[str] = []
        self.files: list[FileLink] = []
        self.pages: list[str] = []
        self.funding: list[Funding] = []
        self.license = ""
        self.coar_type = ""
        self._host: dict[str, str] = {}

    # --- statements ---------------------------------------------------------------------------------------------------

    def title(self, text: str, type_: TitleType = TitleType.MAIN, language: str = "") -> None:
        """Add a title; one with a subtitle is `Title: subtitle`."""
        if text := one_line(text):
            self.titles.append(Title(text, type_, language))

    def agent(self, agent: Agent) -> None:
        """Add an agent that `people.person`, `organization` or `agent_of` has made, if it has a name."""
        if is_name(agent.name) and len(self.agents) < MOST:
            self.agents.append(agent)

    def name(self, text: str, role: str = "aut", language: str = "") -> None:
        """Add an agent from one text, `Family, Given`, of which nothing says whether it is a person."""
        self.agent(agent_of(text, language, role))

    def date(self, text: str, type_: DateType = DateType.ISSUED) -> None:
        """Add a date; one without a year is none."""
        if is_value(text):
            self.dates.append(WorkDate(one_line(text), type_))

    def identifier(self, text: str, scheme: str = "", relation: Relation = Relation.OWN) -> None:
        """Add an identifier with the scheme that the record states; an ISSN is always that of the host or a serial."""
        if (text := one_line(text)) and len(self.identifiers) < _MOST_VALUES:
            identifier = identifier_of(text, scheme)
            if identifier.scheme in ("url", "handle") and is_test_address(text):
                return
            self.identifiers.append(identifier._replace(relation=relation))

    def host(self, **values: str) -> None:
        """Set fields of the Host, such as `title` or `first_page`; of several values, the first one stays."""
        for name, stated in values.items():
            if text := issn_of(stated) if name == "issn" else one_line(stated):
                self._host.setdefault(name, text)

    def source(self, text: str, kind: str = "sources") -> None:
        """Set the Host if a text has the form of one: a journal with its numbers; else add it as one of this kind."""
        if host := host_of(text):
            self.host(**host._asdict())
        elif kind:
            self.more(kind, text)

    def type(self, *words: str) -> None:
        """Add the words of the record for the type; `coar_type` replaces what they mean."""
        for word in map(one_line, words):
            _add(self.types, word)

    def description(self, text: str, type_: str = "", language: str = "") -> None:
        """Add a text; with the type `abstract` it is before all others."""
        if is_value(text) and (parts := paragraphs(text)):
            self.descriptions.append(Text("\n\n".join(parts), language, type_))

    def subject(self, text: str, language: str = "") -> None:
        """Add a subject."""
        if (text := one_line(text)) and len(self.subjects) < _MOST_VALUES:
            self.subjects.append(Text(text, language))

    def publisher(self, text: str) -> None:
        """Add a publisher, without the punctuation of ISBD around it."""
        _add(self.publishers, one_line(text.strip(" ,:;[]")))

    def language(self, text: str) -> None:
        """Add the languages in a text."""
        self.languages += [tag for tag in languages_in(text) if tag not in self.languages]

    def rights(self, text: str, url: str = "") -> None:
        """Add a statement of rights: its address, its text, or both. An address of a licence is the licence."""
        for entry in (url.strip(), one_line(text)):
            _add(self.all_rights, entry)
            self.license = self.license or license_in(entry)

    def more(self, name: str, text: str) -> None:
        """Add a text to `sources`, `relations`, `places` (coverage) or `formats`."""
        _add(getattr(self, name), one_line(text))

    def fund(self, funder: str, funder_id: str = "", grant: str = "", url: str = "", title: str = "") -> None:
        """Add who paid for the work: a funder, its identifier, the number of the grant, its address and its title."""
        if (stated := funding_of(funder, funder_id, grant, url, title)) and len(self.funding) < _MOST_VALUES:
            self.funding.append(stated)

    # --- addresses ----------------------------------------------------------------------------------------------------

    def link(self, url: str, stated: str = "", *, may_be_page: bool = True) -> None:
        """Add an address of the work: a file if it looks like one or has a stated MIME type, else its page."""
        mime_type = type_named(stated) if stated else ""
        if not self._is_usable(url):
            return
        known = "" if uri_of(url) else file_type(url) or mime_type
        if known:
            self.file(url, mime_type or known)
        elif may_be_page:
            self.page(url)

    def file(self, url: str, mime_type: str = "", size: int | None = None, **more: object) -> None:
        """Add a file; `more` are fields of FileLink. The first link with an address counts."""
        if not self._is_usable(url):
            return
        known = type_named(mime_type) or file_type(url) or UNKNOWN
        self.files.append(FileLink(address(url), known, found_in=self.found_in, size=size)._replace(**more))  # type: ignore[arg-type]

    def page(self, url: str) -> None:
        """Add an address of a page about the work; the first one is the landing page."""
        if self._is_usable(url):
            self.pages.append(address(url))

    def _is_usable(self, url: str) -> bool:
        is_web = url[:8].lower().startswith(("http://", "https://")) and is_address(url)
        return is_web and not is_test_address(url) and not is_preview(url)

    # --- the result ---------------------------------------------------------------------------------------------------

    def bibliography(self) -> Bibliography:
        """Return what was added."""
        order = {"abstract": 0, "": 1}
        related = (*self.relations, *(entry.text for entry in self.identifiers if entry.relation is Relation.OTHER))
        return Bibliography(
            titles=tuple(dict.fromkeys(self.titles)),
            agents=tuple(self.agents),
            dates=tuple(dict.fromkeys(self.dates)),
            identifiers=tuple(dict.fromkeys(self.identifiers)),
            host=Host(**self._host),
            type=self.coar_type or type_of(self.types),
            types=tuple(self.types),
            descriptions=tuple(sorted(dict.fromkeys(self.descriptions), key=lambda text: order.get(text.type, 2))),
            subjects=tuple(dict.fromkeys(self.subjects)),
            publishers=tuple(self.publishers),
            languages=tuple(self.languages),
            rights=tuple(self.all_rights),
            sources=tuple(self.sources),
            relations=tuple(self.relations),
            coverage=tuple(self.places),
            formats=tuple(self.formats),
            funding=tuple(dict.fromkeys((*self.funding, *grants_in(related)))),
        )

    def work(self) -> Work | None:
        """Return the Work, or None if nothing was found."""
        known = self.bibliography()
        own = of_relation(known.identifiers) if known.identifiers else ()
        resolved = [entry.url for entry in own if entry.scheme in ("doi", "handle")]
        others = [entry.url for entry in own if entry.scheme == "url" and not file_type(entry.url)]
        page = next((url for url in (*self.pages, *others, *resolved) if not is_test_address(url)), "")
        statements = statements_of(known, page)
        if not statements and not self.files:
            return None
        files: dict[str, FileLink] = {}
        for file in self.files:
            files.setdefault(file.url, file if file.license else file._replace(license=self.license))
        return Work(statements, tuple(resolved), page, tuple(files.values()), self.license, bibliography=known)


def _add(texts: list[str], text: str) -> None:
    if text and len(texts) < _MOST_VALUES and text not in texts:
        texts.append(text)


def first(texts: Iterable[str]) -> str:
    """Return the first text that is not empty, or an empty one."""
    return next(filter(None, texts), "")
