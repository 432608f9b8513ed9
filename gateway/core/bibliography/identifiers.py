"""Identifiers in any spelling and anywhere in a text: their scheme, normal form, and check digit. Pure.

Schemes: DOI, Handle, arXiv, PMID, PMCID, ISBN (ISO 2108), ISSN (ISO 3297), URN, ARK, and addresses.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from urllib.parse import unquote

from gateway.core.addresses import address, uri_of
from gateway.core.model import Identifier, Relation

LONGEST = 2_000  # characters of a text that is one identifier
MOST = 1_000  # identifiers of one record

# --- DOIs -------------------------------------------------------------------------------------------------------------

_NEXT = r"[;,](?i:https?://(?:dx\.)?doi\.org/|doi:)?10\.\d{4,9}/"  # several DOIs without spaces between them
_DOI = re.compile(rf"(?<![\d.])10\.\d{{4,9}}(?:\.\d+)*(?:/|%2[Ff])(?:(?!{_NEXT})[^\s\"'|]){{1,500}}")
# Invisible characters from copied pages: soft hyphens, zero-width spaces.
_INVISIBLE = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]")
_AS_FILE = re.compile(r"(?i)(?<=/pdf/)(10\.\d{4,9}(?:/|%2f)[^\s?#]{1,200}?)\.pdf\b")  # Springer

# Suffixes after a DOI in URLs of publishers; Wiley, Taylor & Francis, Frontiers, IOP, PLOS.
_BEHIND = re.compile(
    r"(?i)/(?:abstract|full(?:text)?(?:/html)?|e?pdf(?:direct)?|html|references|meta|summary|asset|issuetoc)/?$"
)
_MARKUP = re.compile(r"(?is)(?:&[lg]t;|</?[a-z][^<>]*+>).*+")
_PLAIN_DOI = re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:)(10\.\d{4,9}/[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)")
_QUERY = re.compile(r"(?s)[?#&].*+")
_PAIRS = {")": "(", "]": "[", "}": "{", ">": "<"}
_STOPS = ".,;:…*\u2019\u201d»"
_TEST_PREFIX = "10.5072/"  # of DataCite


def dois_in(text: str) -> tuple[str, ...]:
    """Return the DOIs in a text, in lower case, without surrounding marks and suffixes."""
    if "10." not in text:
        return ()
    text = _AS_FILE.sub(r"\1", _INVISIBLE.sub("", text))
    dois = (_doi(match[0]) for match in _DOI.finditer(text))
    return tuple(dict.fromkeys(filter(None, dois)))


def _doi(text: str) -> str:
    text = _MARKUP.sub("", unquote(text))
    text = _QUERY.sub("", text) if "(" not in text else text  # a SICI may contain any of them
    text = _without_stops(_BEHIND.sub("", _without_stops(text)))
    return text.lower() if text.partition("/")[2] else ""


def _without_stops(text: str) -> str:
    """Return a text without the marks that end a sentence, and without closing brackets that were opened before it."""
    while text and (text[-1] in _STOPS or text.count(text[-1]) > text.count(_PAIRS.get(text[-1], text[-1]))):
        text = text[:-1]
    return text


# --- others -----------------------------------------------------------------------------------------------------------

_ARXIV_ID = r"(\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?(?!\d|\.\d)"
_ARXIV = re.compile(rf"(?i:arxiv\.org[:/](?:(?:abs|pdf|html)/)?|\barxiv(?:[:/]\s*|\s+)|10\.48550/arxiv\.){_ARXIV_ID}")
_ARXIV_ALONE = re.compile(
    r"(?i)^(?:arxiv\s?:\s?|info:arxiv/|https?://(?:www\.)?arxiv\.org/abs/)([a-z.-]+/\d{7}|\d{4}\.\d{4,5})(v\d+)?$"
)
_PMCID = re.compile(
    r"(?i)(?:\bPMC\s?|pubmedcentral\.nih\.gov:|/pmc/articles/|pubmedcentral\.nih\.gov/\S{0,50}[?&]artid=)(\d{4,9})\b"
)
_PMID = re.compile(
    r"(?i)^(?:info:)?(?:pmid[:/]?\s*|https?://(?:www\.)?(?:pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/pubmed)/)"
    r"(\d{1,9})/?$"
)
_HANDLE_PAGE = re.compile(r"(?i)^https?://[^/\s]+/(?:\w+/)?handle/((?!123456789/)\d[\d.]*/[^\s?#]+)")
_HYPHEN = r"[-\u2010-\u2013]"
_ISSN_NAMED = re.compile(
    rf"(?i)\b(?:[ep]-?)?issn(?:-l)?(?:\s*\((?:print|online|electronic|e|p)\))?[\s:.=/-]*(\d{{4}}){_HYPHEN}?(\d{{3}}[\dX])\b"
)
_ISSN_ALONE = re.compile(
    rf"(?i)^\s*(?:urn:issn:)?(\d{{4}}){_HYPHEN}(\d{{3}}[\dX])\s*+(?:\((?:print|online|e?-?issn)\))?\s*+$"
)
_ISBN_NAMED = re.compile(
    r"(?i)(?:\bisbn(?:-?1[03])?(?:\s*\([^()]{1,20}\))?:?\s*|urn:isbn:)((?:97[89][-\s]?)?(?:\d[-\s]?){9}[\dX])(?![\dX])"
)
_ISBN_ALONE = re.compile(r"(?i)\s*((?:97[89][-\s\u2010-\u2013]?)?(?:\d[-\s\u2010-\u2013]?){9}[\dX])(?:\s*[(:;,].*)?\s*")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_NO_LINK = re.compile(r"[\s<>\"]")
_URN = re.compile(r"(?i)urn:[a-z0-9][a-z0-9-]{1,31}:\S+")
_ARK = re.compile(r"(?i)(?:https?://[^/\s]+/)?(ark:/?\d{5,9}/\S+)")
_SEPARATORS = re.compile(r"[^0-9Xx]")
_ISBN_10, _ISBN_13 = 10, 13  # digits


def arxiv_in(text: str) -> tuple[str, ...]:
    """Return the arXiv identifiers in a text, without versions."""
    return tuple(dict.fromkeys(_ARXIV.findall(text)))


def pmcids_in(text: str) -> tuple[str, ...]:
    """Return the identifiers of PubMed Central in a text."""
    return tuple(dict.fromkeys(f"PMC{number}" for number in _PMCID.findall(text)))


def issns_in(text: str) -> tuple[str, ...]:
    """Return the ISSNs with a right check digit that a text labels as such, or that are the whole text."""
    alone = [pair for pair in _ISSN_ALONE.findall(text) if not _is_period(*pair)]
    named = _ISSN_NAMED.findall(text) if "ssn" in text.casefold() else []
    issns = (f"{first}-{last.upper()}" for first, last in [*named, *alone])
    return tuple(dict.fromkeys(filter(is_issn, issns)))


def _is_period(first: str, last: str) -> bool:
    """Return whether two numbers are a period of years; 2041-1723 (Nature Communications) is not."""
    return bool(_YEAR.fullmatch(first) and _YEAR.fullmatch(last)) and first <= last


def is_issn(text: str) -> bool:
    """Return whether the check digit of an ISSN, written with its hyphen, is right (ISO 3297)."""
    digits = text.replace("-", "")
    values = [10 if digit in "Xx" else int(digit) for digit in digits]
    return sum(value * weight for value, weight in zip(values, range(8, 0, -1), strict=True)) % 11 == 0


def issn_of(text: str) -> str:
    """Return an ISSN that stands in a place for ISSNs, with its hyphen; empty if its check digit is wrong."""
    match = re.search(rf"(\d{{4}}){_HYPHEN}?(\d{{3}}[\dXx])(?![\dXx])", text[:LONGEST])
    issn = f"{match[1]}-{match[2].upper()}" if match else ""
    return issn if issn and is_issn(issn) else ""


def isbn_of(text: str) -> str:
    """Return an ISBN that stands in a place for ISBNs, as digits only; empty if its check digit is wrong (ISO 2108)."""
    match = _ISBN_ALONE.fullmatch(text[:LONGEST]) or _ISBN_NAMED.search(text[:LONGEST])
    return _sound_isbn(match[1]) if match else ""


def _sound_isbn(text: str) -> str:
    isbn = _SEPARATORS.sub("", text).upper()
    if len(isbn) == _ISBN_10:
        values = [10 if digit == "X" else int(digit) for digit in isbn]
        return isbn if sum(value * (10 - place) for place, value in enumerate(values)) % 11 == 0 else ""
    if not isbn.isdecimal():
        return ""
    return isbn if sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(isbn)) % 10 == 0 else ""


def isbns_in(text: str) -> tuple[str, ...]:
    """Return the ISBNs with a right check digit that a text labels as such."""
    if "sbn" not in text.casefold():  # most texts; without the letter of which Turkish has two
        return ()
    return tuple(dict.fromkeys(filter(None, map(_sound_isbn, _ISBN_NAMED.findall(text)))))


def handles_in(text: str) -> tuple[str, ...]:
    """Return the handle in the address of a page of DSpace."""
    match = _HANDLE_PAGE.match(text)
    return (match[1].rstrip("/"),) if match else ()


# --- one identifier ---------------------------------------------------------------------------------------------------

_LOCAL = re.compile(
    r"(?i)^https?://(?:(?:dx\.)?doi\.org/10\.5072/|(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])(?=[:/]|$)"
    r"|hdl\.handle\.net/(?:123456789/|$))"
)
_SCHEMES = {
    "doi": "doi", "hdl": "handle", "handle": "handle", "isbn": "isbn", "issn": "issn", "eissn": "issn", "pissn": "issn",
    "lissn": "issn", "urn": "urn", "urnnbn": "urn", "ark": "ark", "arxiv": "arxiv", "pmid": "pmid", "pubmed": "pmid",
    "pmc": "pmcid", "pmcid": "pmcid", "url": "url", "uri": "", "purl": "url",
}  # fmt: skip


def is_test_address(text: str) -> bool:
    """Return whether an address leads nowhere: this machine, or the prefix of DSpace before it has one of its own."""
    return _LOCAL.match(text) is not None


@lru_cache(maxsize=1024)
def identifier_of(text: str, scheme: str = "") -> Identifier:
    """Return an identifier in any spelling, with the scheme that the record states (`DOI`), or that its form has.

    A check digit that is wrong makes an identifier `other`.
    """
    text = text[:LONGEST].strip()
    if "10." in text and (match := _PLAIN_DOI.fullmatch(text)):
        return Identifier("doi", match[1], f"https://doi.org/{match[1]}")
    stated = _SCHEMES.get(re.sub(r"[^a-z]", "", scheme.lower()), "") if scheme else ""
    if stated == "doi" and text[:3] == "10.":
        text = f"doi:{text}"
    elif stated == "handle" and "://" not in text and not text.lower().startswith("hdl:"):
        text = f"hdl:{text}"
    return _resolved(text) or _of_archive(text, stated) or _numbered(text, stated) or _other(text)


def _resolved(text: str) -> Identifier | None:
    """Return a DOI or a handle."""
    uri = uri_of(text)
    if not uri.startswith("https://doi.org/"):
        return Identifier("handle", unquote(uri.removeprefix("https://hdl.handle.net/")), uri) if uri else None
    whole = unquote(uri.removeprefix("https://doi.org/"))
    bare = next(iter(dois_in(whole)), "")
    doi = whole[: len(bare)] if bare and whole.lower().startswith(bare) else whole
    return Identifier("doi", doi, address(f"https://doi.org/{doi}"))


def _of_archive(text: str, stated: str) -> Identifier | None:
    """Return an identifier of arXiv, PubMed, or PubMed Central."""
    folded = text.casefold()
    if not (stated or "arx" in folded or "pm" in folded or "pub" in folded):
        return None
    if match := _ARXIV_ALONE.match(f"arxiv:{text}" if stated == "arxiv" and ":" not in text else text):
        name = match[1] + (match[2] or "")
        return Identifier("arxiv", name, f"https://arxiv.org/abs/{name}")
    if match := _PMID.match(f"pmid:{text}" if stated == "pmid" and text.isdecimal() else text):
        return Identifier("pmid", match[1], f"https://pubmed.ncbi.nlm.nih.gov/{match[1]}/")
    if stated == "pmcid" and (match := re.search(r"\d{4,9}", text)):
        return Identifier("pmcid", f"PMC{match[0]}", f"https://pmc.ncbi.nlm.nih.gov/articles/PMC{match[0]}/")
    return None


def _numbered(text: str, stated: str) -> Identifier | None:
    """Return an ISBN or an ISSN; of an unlabelled number, the 13 digits of an ISBN count."""
    if text[:4] == "http" and not stated and not ("sbn" in (folded := text.casefold()) or "ssn" in folded):
        return None
    isbn = next(iter(isbns_in(text)), "")
    if not isbn and (stated == "isbn" or len(_SEPARATORS.sub("", text)) == _ISBN_13):
        isbn = isbn_of(text)
    issn = next(iter(issns_in(text)), "") or (issn_of(text) if stated == "issn" else "")
    return Identifier("isbn", isbn) if isbn else Identifier("issn", issn) if issn else None


def _other(text: str) -> Identifier:
    if text[:4].lower() == "urn:" and _URN.fullmatch(text):
        return Identifier("urn", text)
    if "ark:" in text.lower() and (match := _ARK.fullmatch(text)):
        return Identifier("ark", match[1], address(text) if text[:4].lower() == "http" else "")
    return Identifier("url", text, text) if is_link(text) else Identifier("other", text)


def is_link(text: str) -> bool:
    """Return whether a text is an address of the web, and nothing else."""
    return text[:8].lower().startswith(("http://", "https://")) and not _NO_LINK.search(text)


def is_citation(text: str) -> bool:
    """Return whether a text among identifiers is words about the work, such as a citation."""
    return text.count(" ") > 3  # noqa: PLR2004


def own_identifiers(texts: Iterable[str]) -> Iterator[Identifier]:
    """Yield the identifiers in dc:identifier: each as itself, and the DOI in a citation or in the address of a page.

    A citation is no identifier. A DOI that stands alone is before those that are found in texts.
    """
    found, others = dict[tuple[str, str], Identifier](), list[str]()
    for text in texts:
        if is_citation(text):
            others.append(text)
            continue
        identifier = identifier_of(text)
        if identifier.scheme in ("url", "other"):
            others.append(text)
            if is_test_address(text):
                continue
        found.setdefault((identifier.scheme, identifier.text), identifier)
        if len(found) >= MOST:
            break
    inside = [(doi,) for text in others for dois in (dois_in(text),) for doi in dois[:1] if len(dois) == 1]
    for (doi,) in inside[:MOST]:
        if not any(scheme == "doi" for scheme, _ in found) and not doi.startswith(_TEST_PREFIX):
            found["doi", doi] = Identifier("doi", doi, address(f"https://doi.org/{doi}"))
    for text in others:
        for isbn in isbns_in(text):
            found.setdefault(("isbn", isbn), Identifier("isbn", isbn))
    yield from sorted(found.values(), key=lambda entry: entry.scheme != "doi")


def of_relation(identifiers: Iterable[Identifier], relation: Relation = Relation.OWN) -> tuple[Identifier, ...]:
    """Return the identifiers of the work itself, or those of its host, each once: the DOI first, then a handle."""
    kept = {(entry.scheme, entry.text): entry for entry in identifiers if entry.relation is relation}
    return tuple(sorted(kept.values(), key=lambda entry: _BEST.get(entry.scheme, len(_BEST))))


_BEST = {"doi": 0, "handle": 1}
