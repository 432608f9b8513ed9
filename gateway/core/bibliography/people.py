"""People and organizations as records write them, and which of them are the authors. Pure."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice, pairwise

from gateway.core.bibliography.texts import is_value, one_line
from gateway.core.model import Agent
from gateway.core.words import any_of, table

_ROLES = table(__file__, "relators")
_AUTHORS = frozenset(_ROLES["authors"])
_CODES = {word: code for code, words in _ROLES["words"].items() for word in words} | {
    code: code for code in (*_ROLES["words"], *_AUTHORS)
}
_WORDS = table(__file__, "people")
OTHER = "ctb"  # the code of a role that is not in the table

# An ORCID iD: with hyphens of any kind, or behind its label or host also without; `[ORCID]: https://orcid.org/…`.
_HYPHENS = "\u2010-\u2015\u2212-"
_ORCID = re.compile(
    rf"(?i)(?:\borcid(?!\.)(?:[ _-]?id)?[\])]?[\s:=/]*)?(?:https?://)?(?:(?:www\.)?orcid\.org/+)?(?<![0-9{_HYPHENS}])"
    rf"([0-9]{{4}})[{_HYPHENS}]([0-9]{{4}})[{_HYPHENS}]([0-9]{{4}})[{_HYPHENS}]([0-9]{{3}}[0-9X])(?![0-9A-Z{_HYPHENS}])/?"
)
_BARE_ORCID = re.compile(
    r"(?i)(?:\borcid(?!\.)(?:[ _-]?id)?[\])]?[\s:=/]+|(?:https?://)?(?:www\.)?orcid\.org/+)"
    r"([0-9]{4})([0-9]{4})([0-9]{4})([0-9]{3}[0-9X])\b/?"
)
_ROR = re.compile(r"(?i)(?:https?://ror\.org/)?(0[a-hj-km-np-tv-z0-9]{6}[0-9]{2})/?$")
_FOUR_DIGITS = re.compile("[0-9]{4}")
_NOBODYS = "0000-0000-"  # ORCID iDs begin at 0000-0001-5000-0007; lower ones are placeholders
MOST = 100_000  # agents of one record
_LONGEST = 1_000  # characters of a name
_YEARS = rf"(?:{any_of(_WORDS['before_years'])})?[0-9]{{3,4}}\??"
_LIFE = re.compile(
    rf"(?:, ?| )\(?(?:{_YEARS} ?[-\u2013/] ?(?:{_YEARS})?|(?:{any_of(_WORDS['before_year'])})\.? ?[0-9]{{4}}\??)\)?\.?$"
)
_ROLE_BEHIND = re.compile(rf"(?i)[,;]? ?[(\[](?:{any_of(_WORDS['role'])})\.?[)\]]$")
_SUFFIXES = frozenset(_WORDS["generations"])
PARTICLES = frozenset(_WORDS["particles"])
_INITIALS = re.compile(r"(?:\w\.?[ -]?){1,4}\.?")
# Behind a semicolon, an organization is the affiliation of the person before.
_ORGANIZATION = re.compile(
    rf"\b(?=[{''.join({word[0] for word in _WORDS['organization']})}])(?:{any_of(_WORDS['organization'])})"
)
_COMPANIES = frozenset(_WORDS["company"])
_AND_OTHERS = frozenset(_WORDS["and_others"])


def relator(stated: str) -> str:
    """Return the code of a role: from a code, a word for it in a record, or an address of either; OTHER if unknown."""
    return _relator(stated) if len(stated) <= _LONGEST else OTHER


@lru_cache(maxsize=4096)
def _relator(stated: str) -> str:
    word = re.sub(r"[\W_]+", " ", stated.rstrip("/").rpartition("/")[2].casefold()).strip()
    return _CODES.get(word) or _CODES.get(word.replace(" ", "")) or OTHER


def is_author(role: str) -> bool:
    """Return whether an agent with this code of the MARC relators is an author in citations."""
    return role in _AUTHORS


def best_role(stated: Iterable[str]) -> str:
    """Return the code of one of several roles: one that makes an author, else the first that is known."""
    codes = [relator(text) for text in stated if text.strip()]
    return next(filter(is_author, codes), "") or next((code for code in codes if code != OTHER), OTHER if codes else "")


def orcid_of(text: str) -> str:
    """Return the address of the ORCID iD in a text; an empty string if its check digit is wrong, or there is none."""
    match = _ORCID.search(text) or _BARE_ORCID.search(text)
    return _orcid_address("-".join(match.groups()).upper()) if match else ""


def ror_of(text: str) -> str:
    """Return the address of a ROR, or an empty string."""
    return f"https://ror.org/{match[1].lower()}" if (match := _ROR.match(text.strip())) else ""


def _orcid_address(orcid: str) -> str:
    digits = orcid.replace("-", "")
    total = 0
    for digit in digits[:-1]:  # ISO 7064, MOD 11-2
        total = (total + int(digit)) * 2
    is_right = digits[-1] == "0123456789X"[(12 - total % 11) % 11]
    return f"https://orcid.org/{orcid}" if is_right and not orcid.startswith(_NOBODYS) else ""


def without_life(name: str) -> str:
    """Return a name without the years of a life behind it."""
    return _LIFE.sub("", name).rstrip(" ,") if name[-1:] in "-\u2013)./?" or name[-1:].isdigit() else name


def is_organization(name: str) -> bool:
    """Return whether a name has a word that only organizations have."""
    return _is_body(name) or name.rstrip(".").rpartition(" ")[2].lower() in _COMPANIES


def _is_body(text: str) -> bool:
    return _ORGANIZATION.search(text.lower()) is not None


def agent_of(text: str, language: str = "", role: str = "aut") -> Agent:
    """Return an agent from a text of unqualified metadata: `Family, Given`, or a name without a comma.

    An ORCID, the years of a life, and a role behind it are no parts of a name. The name of an organization has no
    parts; nor have several persons in one text. An affiliation behind a semicolon is left out of the name.
    """
    name = text = one_line(text[:_LONGEST])
    orcid = (_ORCID.search(text) or _BARE_ORCID.search(text)) if _FOUR_DIGITS.search(text) else None
    address = ""
    if orcid:
        name = text[: orcid.start()].strip(" ([;,|") or text[orcid.end() :].strip(" )];,|")
        address = _orcid_address("-".join(orcid.groups()).upper())
    affiliations: tuple[str, ...] = ()
    if ";" in name:
        head, _, behind = name.partition(";")
        if behind.strip() and not (_is_body(behind) and not _is_body(head)):
            return Agent(name, "", "", address, language, "", role, is_author(role))
        affiliations = (behind.strip(),) if behind.strip() else ()
        name = head.strip()
    name = without_life(name.rstrip(" ,"))
    name = _ROLE_BEHIND.sub("", name).rstrip(" ,") if name[-1:] in ")]" else name
    family = given = suffix = ""
    is_body = is_organization(name)
    if "," in name and not is_body:
        parts = [part for part in map(str.strip, without_life(name).split(",")) if part]
        last = parts.pop() if len(parts) == 3 and parts[2].strip(".").lower() in _SUFFIXES else ""  # noqa: PLR2004
        if len(parts) == 2 and parts[1].strip(".").lower() not in _COMPANIES:  # noqa: PLR2004
            family, given, suffix = *parts, last
    return Agent(
        name, family, given, address, language, suffix, role, is_author(role), is_body, affiliations=affiliations
    )


def person(
    family: str,
    given: str = "",
    *,
    role: str = "aut",
    orcid: str = "",
    suffix: str = "",
    affiliations: tuple[str, ...] = (),
) -> Agent:
    """Return a person whose parts of the name are stated."""
    family, given, suffix = one_line(family).rstrip(" ,"), one_line(given).strip(" ,"), one_line(suffix).strip(" ,")
    if family and given:
        name = f"{family}, {given}, {suffix}" if suffix else f"{family}, {given}"
        return Agent(name, family, given, orcid, "", suffix, role, is_author(role), affiliations=affiliations)
    return Agent(family or given, "", "", orcid, "", "", role, is_author(role), affiliations=affiliations)


def organization(name: str, *, ror: str = "") -> Agent:
    """Return an organization, whose name is never divided."""
    return Agent(one_line(name), is_organization=True, ror=ror)


def agents_of(stated: Iterable[tuple[str, str]], role: str = "aut") -> Iterator[Agent]:
    """Yield the agents of texts with their languages; one that is only an ORCID belongs to the agent before it.

    If several of them follow each other, nothing says whose they are. One without a name is its own name.
    """
    agents = [agent_of(text, language, role) for text, language in islice(stated, MOST)]
    agents = [agent for agent in agents if agent.orcid or is_name(agent.name)]
    if any(not first.name and not second.name for first, second in pairwise(agents)):
        agents = [agent for agent in agents if agent.name]
    last: Agent | None = None
    for agent in agents:
        if agent.name or last is None or last.orcid:
            if last is not None:
                yield last
            last = agent if agent.name else agent._replace(name=agent.orcid)
        else:
            last = last._replace(orcid=agent.orcid)
    if last is not None:
        yield last


def is_name(text: str) -> bool:
    """Return whether a text can be a name: not empty, not `et al.`, and not a value for "unknown"."""
    return bool(text) and text.casefold() not in _AND_OTHERS and is_value(text)


def parts_of_list(text: str) -> list[str]:
    """Return the names in one text that divides them by semicolons (CONTENTdm); an affiliation stays with its name."""
    if ";" not in text:
        return [text]
    parts: list[str] = []
    for part in filter(None, map(str.strip, text.split(";"))):
        if parts and _is_body(part) and not _is_body(parts[-1]):
            parts[-1] += f"; {part}"
        else:
            parts.append(part)
    return parts


def authors_of(agents: Iterable[Agent]) -> tuple[Agent, ...]:
    """Return the authors to cite: those whose role makes an author, in the order of the record, each once."""
    return tuple({(agent.name, agent.orcid): agent for agent in agents if agent.is_author}.values())
