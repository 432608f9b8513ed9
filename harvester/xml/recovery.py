"""The last resort: a page that is not XML is split at its records, so that one bad record affects no other. Pure.

A record that can be read by itself stays unchanged. The others go through libxml2's recovery one by one, and every
element, attribute and character of the input is searched for in the output. A truncated record is never completed: only
its header is used, with a problem.
"""

import html
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from lxml import etree

from gateway.core.errors import NotXml
from gateway.core.xmltext import escape, escape_attribute
from harvester.xml import namespaces
from harvester.xml.parsing import Broken, lenient, strict
from harvester.xml.repair import CDATA, CDATA_TEXT, COMMENT, legal_references

# Marks the place of the records when the envelope itself is recovered.
_PLACE = "<?records?>"

# Comments and CDATA, where entities have no meaning, and the entities of XML; libxml2 never drops a number.
_ENTITY = re.compile(rf"{COMMENT}|{CDATA}|&[a-z]{{2,4}};")
_NUMBERS = {"&amp;": "&#38;", "&lt;": "&#60;", "&gt;": "&#62;", "&quot;": "&#34;", "&apos;": "&#39;"}

# Characters of the start tags around the records. They are parsed again with each damaged record; real ones have 2,000.
_LONGEST_OPENING = 10_000

# Elements whose number must be the same after recovery, and their depth below the root. No entry may be lost, or moved
# into another one, without notice.
_COUNTED: Mapping[str, tuple[int, ...]] = {
    "record": (2,),
    "header": (2, 3),
    "set": (2,),
    "metadataFormat": (2,),
    "error": (1,),
    "resumptionToken": (1, 2),
}


class Recovered(NamedTuple):
    """Text that should be well-formed except for its namespaces, the repairs, and the records that cannot be repaired.

    `problems` has a sentence for each such record, by number from 0. `losses` are the notes about lost content of a
    record that is still used.
    """

    text: str
    notes: tuple[str, ...]
    problems: Mapping[int, str] = {}
    losses: tuple[str, ...] = ()


def recovered(text: str, prefix: str) -> Recovered:
    """Return the recovered text of a document that begins and ends with its root.

    `prefix` is the prefix of the protocol's elements with its colon; empty for none.

    Raise NotXml when entries of a list would be lost. Raise AnswerTooLarge when a record would take too much memory.
    """
    grammar = _Grammar(prefix)
    documents = sum(bool(match["root"]) for match in grammar.roots.finditer(text))
    if documents > 1:
        raise NotXml(f"The answer holds {documents} documents, one after the other.")
    parts = _taken_apart(text, grammar)
    if parts is None:
        return _whole(text, prefix)
    work = _Work(grammar, parts.opening, parts.closing)
    hidden = sum(len(grammar.end.findall(match[0])) for match in grammar.start.finditer(text) if not match["record"])
    if hidden:
        work.lose(f"Comments or CDATA of the damaged page contain text that looks like records: {hidden}.")
    records = [work.usable(chunk) for chunk in parts.chunks]
    head, tail = _envelope(parts, work)
    return Recovered("".join((head, *records, tail)), tuple(work.notes), work.problems, tuple(work.losses))


class _Grammar:
    """The patterns of the protocol's elements under one prefix."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        p = re.escape(prefix)
        self.start = re.compile(
            rf"{COMMENT}|{CDATA}|(?P<record><{p}record(?:\s[^<>]*)?>)(?=\s*(?:{COMMENT}\s*)?<{p}header[\s/>])",
            re.DOTALL,
        )
        self.roots = re.compile(rf"{COMMENT}|{CDATA}|(?P<root><{p}OAI-PMH[\s>])", re.DOTALL)
        self.token = f"<{prefix}resumptionToken"
        self.end = re.compile(rf"</{p}record\s*>")
        self.whole = re.compile(
            rf"(?:</{p}(?:metadata|about|header)\s*>|<{p}(?:metadata|about|header)(?:\s[^<>]*)?/>)"
            rf"\s*(?:{COMMENT}\s*)*</{p}record\s*>\Z",
            re.DOTALL,
        )
        self.after = re.compile(rf"<{p}resumptionToken[\s/>]|</{p}(?:ListRecords|GetRecord)\s*>")
        self.verb = re.compile(rf"<{p}(ListRecords|GetRecord)(?:\s[^<>]*)?>")
        self.root = re.compile(rf"<{p}OAI-PMH(?:\s[^<>]*)?>")
        self.identifier = re.compile(rf"<{p}identifier[^<>]*>([^<]+)</")
        self.datestamp = re.compile(rf"<{p}datestamp[^<>]*>([^<]+)</")
        self.set_spec = re.compile(rf"<{p}setSpec[^<>]*>([^<]+)</")
        self.header_end = re.compile(rf"</{p}header\s*>|<{p}metadata[\s/>]")
        self.deleted = re.compile(rf"<{p}header\s[^<>]*\bstatus\s*=\s*[\"']\s*deleted\s*[\"']", re.IGNORECASE)


class _Parts(NamedTuple):
    head: str
    chunks: tuple[str, ...]
    tail: str
    opening: str  # start tags that a record needs around it
    closing: str


def _taken_apart(text: str, grammar: _Grammar) -> _Parts | None:
    """Return a page of records in parts, or None without records. Raise NotXml when its start tags are too long."""
    starts = [match.start() for match in grammar.start.finditer(text) if match["record"]]
    if not starts:
        return None
    head = text[: starts[0]]
    root, verb = grammar.root.search(head), grammar.verb.search(head)
    if root is None or verb is None:
        return None
    last = text[starts[-1] :]
    ends = list(grammar.end.finditer(last))
    after = grammar.after.search(last)
    stop = ends[-1].end() if ends else after.start() if after else len(last)
    # Text between the list's start tag and its first record may be a damaged record.
    gap = head[verb.end() :]
    chunks = (
        [gap] * bool(gap.strip()) + [text[start:following] for start, following in pairwise(starts)] + [last[:stop]]
    )
    opening = root[0] + verb[0]
    if len(opening) > _LONGEST_OPENING:
        raise NotXml(
            f"The answer is not XML, and the start tags around its records have {len(opening)} characters. Damaged "
            f"records can be read by themselves only where these have at most {_LONGEST_OPENING}."
        )
    closing = f"</{grammar.prefix}{verb[1]}></{grammar.prefix}OAI-PMH>"
    return _Parts(head[: verb.end()], tuple(chunks), last[stop:], opening, closing)


@dataclass
class _Work:
    """The recovery of the records of one page, in order."""

    grammar: _Grammar
    opening: str
    closing: str
    notes: list[str] = field(default_factory=list)
    problems: dict[int, str] = field(default_factory=dict)
    losses: list[str] = field(default_factory=list)
    number: int = 0

    def lose(self, sentence: str) -> None:
        """Note a loss."""
        self.notes.append(sentence)
        self.losses.append(sentence)

    def usable(self, chunk: str) -> str:
        """Return one record in a readable form: unchanged, recovered, or its header only."""
        ends = list(self.grammar.end.finditer(chunk))
        record, beside = (chunk[: ends[-1].end()], chunk[ends[-1].end() :]) if ends else (chunk, "")
        if beside.strip():
            self._refuse_token(beside)
            self.lose(self._note(f"text after it was removed: {beside.strip()[:100]!r}"))
        count, complaint = self._reads(record)
        if count is not None:
            self.number += count
            return record
        self._refuse_token(record)
        return self._recovered(record, complaint)

    def _refuse_token(self, text: str) -> None:
        if self.grammar.token in text:
            raise NotXml("The answer is not XML, and its resumptionToken stands among the records.")

    def _recovered(self, record: str, complaint: str) -> str:
        if not self.grammar.whole.search(record):
            return self._header_only(record, "it is truncated")
        root, complaints = _leniently(self.opening + record + self.closing)
        children = [] if root is None else [child for verb in root for child in verb if isinstance(child.tag, str)]
        text = "".join(etree.tostring(element, encoding="unicode", with_tail=False) for element in children)
        if len(children) != 1 or self._reads(text)[0] != 1 or "Excessive depth" in complaint:
            return self._header_only(record, f"it is not XML, even after repair: {complaint}")
        lost = _lost(record, text)
        tell = self.lose if lost else self.notes.append
        tell(self._note(f"it is not well-formed ({'; '.join(complaints[:1]) or complaint}); it was recovered{lost}"))
        self.number += 1
        return text

    def _reads(self, record: str) -> tuple[int | None, str]:
        """Return the number of records when read strictly with repaired namespaces; None and the error otherwise."""
        try:
            data, _ = namespaces.mended((self.opening + record + self.closing).encode())
            verb = strict(data)[0]
        except (Broken, etree.XMLSyntaxError) as error:
            return None, str(error)
        return sum(1 for _ in verb.iterchildren("{*}record")), ""

    def _header_only(self, record: str, problem: str) -> str:
        self.problems[self.number] = f"The record cannot be used: {problem}."
        self.notes.append(self._note(problem))
        self.number += 1
        p, grammar = self.grammar.prefix, self.grammar
        header = record[: end.start()] if (end := grammar.header_end.search(record)) else record
        fields = [
            f"<{p}{name}>{escape(_plain(text))}</{p}{name}>"
            for name, pattern in (
                ("identifier", grammar.identifier),
                ("datestamp", grammar.datestamp),
                ("setSpec", grammar.set_spec),
            )
            for text in pattern.findall(header)
        ]
        status = ' status="deleted"' if grammar.deleted.search(header) else ""
        return f"<{p}record><{p}header{status}>{''.join(fields)}</{p}header></{p}record>"

    def _note(self, sentence: str) -> str:
        return f"Record {self.number + 1} of the page: {sentence}."


def _plain(text: str) -> str:
    """Return the text of an element's content; unreadable content stays as written."""
    try:
        return etree.fromstring(f"<a>{text}</a>").text or ""
    except etree.XMLSyntaxError:
        return text


def _envelope(parts: _Parts, work: _Work) -> tuple[str, str]:
    """Return head and tail, recovered where they do not fit. Raise NotXml when the token would be lost."""
    try:
        strict(namespaces.mended((parts.head + parts.tail).encode())[0])
    except (Broken, etree.XMLSyntaxError):
        made, complaint, lost = _whole_text(parts.head + _PLACE + parts.tail, work.grammar.prefix)
        tell = work.lose if lost else work.notes.append
        tell(f"The text around the records is not well-formed ({complaint}); it was recovered{lost}.")
        head, _, tail = made.partition(_PLACE)
        verbs = list(work.grammar.verb.finditer(head))
        if not tail or not verbs or head[verbs[-1].end() :].strip():
            raise NotXml(f"The answer is not XML, and its records have no place: {complaint}.") from None
        return head, tail
    return parts.head, parts.tail


def _whole(text: str, prefix: str) -> Recovered:
    made, complaint, lost = _whole_text(text, prefix)
    notes = (f"The answer is not well-formed ({complaint}); it was recovered{lost}.",)
    return Recovered(made, notes, losses=notes if lost else ())


def _whole_text(text: str, prefix: str) -> tuple[str, str, str]:
    """Return the text recovered as a whole, the parser's message, and the losses. Raise NotXml as `recovered` does."""
    root, complaints = _leniently(text)
    complaint = "; ".join(complaints[:1])
    if root is None:
        raise NotXml(f"The answer is not XML, even after repair: {escape_attribute(complaint)}.")
    for name, depths in _COUNTED.items():
        before = len(re.findall(rf"<{re.escape(prefix)}{name}[\s/>]", text))
        after = sum(sum(1 for _ in element.iterancestors()) in depths for element in root.iter("{*}" + name))
        if after < before:
            raise NotXml(f"The answer is not XML ({complaint}); {before - after} of {before} {name} would be lost.")
    if _tokens(text, prefix) != [str(token.xpath("string()")).strip() for token in root.iter("{*}resumptionToken")]:
        raise NotXml(f"The answer is not XML ({complaint}); its resumptionToken would be lost.")
    made = etree.tostring(root, encoding="unicode")
    return made, complaint, _lost(text, made)


def _leniently(text: str) -> tuple[etree._Element | None, tuple[str, ...]]:
    """Return the tree and the messages of libxml2 in recovery mode.

    After the first error it would silently drop `&amp;` and similar entities. It would also make unreadable characters
    of references to surrogates (`&#xD800;`). Both are replaced first.
    """
    return lenient(legal_references(_ENTITY.sub(lambda match: _NUMBERS.get(match[0], match[0]), text)).encode())


def _tokens(text: str, prefix: str) -> list[str]:
    """Return the texts of the resumptionTokens. A token that lost its text would end the list too early."""
    start = rf"<{re.escape(prefix)}resumptionToken(?:\s[^<>]*[^<>/]|\s*)"
    content = rf"(?>(?:[^<]++|{CDATA})*)"
    return [_plain(text).strip() for text in re.findall(rf"{start}(?:/>|>({content}))", text, re.DOTALL)]


def _lost(before: str, after: str) -> str:
    lost = missing(before, after)
    return f", and {lost}" if lost else ""


# --- Losses of recovery -----------------------------------------------------------------------------------------------

# Every quantifier is possessive, so that no text takes more than linear time.
_MARKUP = re.compile(
    rf"""
    {COMMENT}
  | <!\[CDATA\[(?P<cdata>{CDATA_TEXT})\]\]>
  | <\?[^<>]*+>
  | </[^<>]*+>
  | <(?P<element>[^\s<>/!?]++)(?P<attributes>[^<>]*+)>
    """,
    re.VERBOSE | re.DOTALL,
)
_ATTRIBUTE = re.compile(r"""(?<=\s)([^\s=<>"'/]++)\s*+=\s*+("[^"]*+"|'[^']*+')""")


class _Content(NamedTuple):
    """The names, attributes and text of a piece of markup, which may not be XML."""

    elements: Counter[str]
    attributes: Counter[tuple[str, str]]
    text: str


def _content(markup: str) -> _Content:
    elements: Counter[str] = Counter()
    attributes: Counter[tuple[str, str]] = Counter()
    text: list[str] = []
    end = 0
    for match in _MARKUP.finditer(markup):
        inside = match["attributes"] or ""
        text += (
            html.unescape(markup[end : match.start()]),
            match["cdata"] or "",
            _ATTRIBUTE.sub("", inside).strip("/ "),
        )
        end = match.end()
        elements.update(filter(None, (match["element"],)))
        for name, value in _ATTRIBUTE.findall(inside):
            if not name.startswith("xmlns"):  # recovery copies declarations from outer elements
                attributes[name, _squeezed(html.unescape(value[1:-1]))] += 1
    return _Content(elements, attributes, _squeezed("".join(text) + html.unescape(markup[end:])))


def missing(before: str, after: str) -> str:
    """Return a clause about the content of `before` that `after` lacks; empty when nothing is missing."""
    was, now = _content(before), _content(after)
    counts = (
        ("elements", (was.elements - now.elements).total(), was.elements.total()),
        ("attributes", (was.attributes - now.attributes).total(), was.attributes.total()),
        ("characters", (Counter(was.text) - Counter(now.text)).total(), len(was.text)),
    )
    lost = [f"{number} of {all_} {what}" for what, number, all_ in counts if number]
    if lost:
        return f"{' and '.join(lost)} were lost"
    return "" if was.text == now.text else "its text is no longer the same"


def _squeezed(text: str) -> str:
    return "".join(text.split())
