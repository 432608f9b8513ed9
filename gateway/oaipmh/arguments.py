"""Reads the arguments of a request: raw bytes in, typed values and errors out (OAI-PMH 2.0 §3.1.1, §3.6, §4).

Nothing here raises an exception; every mistake of a request becomes one error. Checks that need the store (does the set
exist?) are in `verbs`.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import parse_qsl

from gateway.core.errors import BadArgument, BadVerb, OaiError
from gateway.core.xmltext import clean, is_legal, parse_utc_datetime


class Rule(NamedTuple):
    """The arguments of one verb; with the `exclusive` one, no other is allowed or required (OAI-PMH 2.0 §3.1.1)."""

    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    exclusive: str = ""

    @property
    def legal(self) -> frozenset[str]:
        """All arguments that are legal for this verb, and `verb` itself."""
        return frozenset({"verb", *self.required, *self.optional, self.exclusive} - {""})


_LIST = Rule(("metadataPrefix",), ("from", "until", "set"), "resumptionToken")

RULES: Mapping[str, Rule] = {
    "GetRecord": Rule(("identifier", "metadataPrefix")),
    "Identify": Rule(),
    "ListIdentifiers": _LIST,
    "ListMetadataFormats": Rule(optional=("identifier",)),
    "ListRecords": _LIST,
    "ListSets": Rule(exclusive="resumptionToken"),
}

# A megabyte of arguments can have half a million mistakes; nobody reads more than these.
_MOST_ERRORS = 100

_UNRESERVED = r"[A-Za-z0-9\-_.!~*'()]+"
_NAMED = r"[A-Za-z0-9\-._~!$&'()*+,;=]|%[0-9A-Fa-f]{2}"  # in names of users and hosts: no @, so one reading only
_CHARACTER = rf"{_NAMED}|@"
_AUTHORITY = rf"//(?:(?:{_NAMED}|:)*@)?(?:(?:{_NAMED})*|\[[0-9A-Fa-f:.]+\])(?::[0-9]*)?(?:/(?:{_CHARACTER}|[:/])*)?"
_SYNTAX: Mapping[str, tuple[re.Pattern[str], str]] = {
    # RFC 3986 §4.1: a URI or a relative reference, as the type anyURI of the schema allows it without escaping.
    "identifier": (
        re.compile(
            rf"(?:[A-Za-z][A-Za-z0-9+.\-]*:(?:{_AUTHORITY}|(?!//)(?:{_CHARACTER}|[:/])*)"
            rf"|{_AUTHORITY}|(?!//)(?:{_CHARACTER})*(?:/(?:{_CHARACTER}|[:/])*)?)"
            rf"(?:\?(?:{_CHARACTER}|[:/?])*)?(?:#(?:{_CHARACTER}|[:/?])*)?"
        ),
        "a URI",
    ),
    "metadataPrefix": (re.compile(_UNRESERVED), "a metadataPrefix"),
    "set": (re.compile(rf"{_UNRESERVED}(?::{_UNRESERVED})*"), "a setSpec"),
}


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of a request. Values that are missing, repeated or illegal are None; `errors` has the reasons.

    `from_` and `until` are inclusive, in seconds since 1970 (UTC); `given` are the pairs that `<request>` repeats.
    """

    verb: str = ""
    given: tuple[tuple[str, str], ...] = ()
    errors: tuple[OaiError, ...] = ()
    identifier: str | None = None
    metadata_prefix: str | None = None
    set_spec: str | None = None
    from_: int | None = None
    until: int | None = None
    resumption_token: str | None = None


def parse(raw: bytes) -> Arguments:
    """Return the arguments in the query of a GET or the body of a POST (application/x-www-form-urlencoded).

    It never raises an exception. Bytes that are not UTF-8 become lone surrogates. XML forbids these, so one check finds
    them and control characters.
    """
    text = raw.decode("utf-8", "surrogateescape")
    pairs = parse_qsl(text, keep_blank_values=True, encoding="utf-8", errors="surrogateescape")
    counts = Counter(name for name, _ in pairs)
    once = {name: value for name, value in pairs if counts[name] == 1}
    verb, errors = _verb(once.get("verb"), counts["verb"])
    errors += [BadArgument(f"The argument {_quoted(name)} is repeated.") for name in _repeated(counts)]
    errors += _illegal_characters(pairs)
    if not verb:
        return Arguments(errors=_shortened(errors))
    rule = RULES[verb]
    errors += _misplaced(rule, counts)
    values: dict[str, str | int] = {}
    errors += _values({name: value for name, value in once.items() if name in rule.legal}, values)
    return _typed(verb, tuple(pairs), _shortened(errors), values)


def refused(sentence: str) -> Arguments:
    """Return the arguments of a request that was not read, with a badArgument error with this sentence."""
    return Arguments(errors=(BadArgument(sentence),))


def _verb(value: str | None, count: int) -> tuple[str, list[OaiError]]:
    if value is not None and value in RULES:
        return value, []
    if count == 0:
        return "", [BadVerb("The verb is missing.")]
    if count > 1:
        return "", [BadVerb("The verb is repeated.")]
    return "", [BadVerb(f"{_quoted(value or '')} is not a verb of OAI-PMH 2.0.")]


def _repeated(counts: Counter[str]) -> Iterator[str]:
    return (name for name, count in counts.items() if count > 1 and name != "verb")


def _illegal_characters(pairs: Sequence[tuple[str, str]]) -> list[OaiError]:
    sentence = "The argument {} has a character that XML forbids, or is not UTF-8."
    bad = {name for name, value in pairs if name != "verb" and not is_legal(name + value)}
    return [BadArgument(sentence.format(_quoted(name))) for name in sorted(bad)]


def _misplaced(rule: Rule, counts: Mapping[str, int]) -> list[OaiError]:
    illegal = [name for name in counts if name not in rule.legal]
    errors: list[OaiError] = [
        BadArgument(f"The argument {_quoted(name)} is not legal for this verb.") for name in illegal
    ]
    if rule.exclusive and rule.exclusive in counts:
        if any(name in counts for name in rule.required + rule.optional):
            errors.append(BadArgument(f"The argument {rule.exclusive} is exclusive: nothing may stand beside it."))
        return errors
    missing = [name for name in rule.required if name not in counts]
    return errors + [BadArgument(f"The argument {name} is missing.") for name in missing]


def _values(given: Mapping[str, str], values: dict[str, str | int]) -> list[OaiError]:
    """Fill `values` with the legal values of `given`; return the errors of the others."""
    errors: list[OaiError] = []
    for name, value in given.items():
        if name in ("verb", "from", "until") or not is_legal(value):
            continue
        pattern, kind = _SYNTAX.get(name, (None, ""))
        if not value:
            errors.append(BadArgument(f"The argument {name} is empty."))
        elif pattern and not pattern.fullmatch(value):
            errors.append(BadArgument(f"The {name} {_quoted(value)} is not {kind}."))
        else:
            values[name] = value
    return errors + _bounds(given, values)


def _bounds(given: Mapping[str, str], values: dict[str, str | int]) -> list[OaiError]:
    errors: list[OaiError] = []
    granularities = set()
    for name in ("from", "until"):
        value = given.get(name)
        if value is None or not is_legal(value):
            continue
        try:
            second, is_day = _second(value)
        except ValueError:
            what = f"The {name} {_quoted(value)} is not a date or UTC time that exists" if value else f"{name} is empty"
            errors.append(BadArgument(f"{what}: YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ is wanted."))
            continue
        values[name] = second + 86_399 if is_day and name == "until" else second  # until includes its whole day
        granularities.add(is_day)
    if len(granularities) > 1:
        errors.append(BadArgument("The arguments from and until have different granularities."))
    elif "from" in values and "until" in values and values["from"] > values["until"]:  # type: ignore[operator]
        errors.append(BadArgument("The argument from is later than until."))
    return errors


def _second(text: str) -> tuple[int, bool]:
    """Read a UTCdatetime. The library accepts the seconds 60 and 61, which the dateTime of XML Schema forbids."""
    if text[17:19] > "59":
        raise ValueError(text)
    return parse_utc_datetime(text)


def _typed(
    verb: str, given: tuple[tuple[str, str], ...], errors: tuple[OaiError, ...], values: Mapping[str, str | int]
) -> Arguments:
    def text(name: str) -> str | None:
        return str(values[name]) if name in values else None

    def second(name: str) -> int | None:
        return int(values[name]) if name in values else None

    return Arguments(
        verb,
        given,
        errors,
        identifier=text("identifier"),
        metadata_prefix=text("metadataPrefix"),
        set_spec=text("set"),
        from_=second("from"),
        until=second("until"),
        resumption_token=text("resumptionToken"),
    )


def _shortened(errors: Sequence[OaiError]) -> tuple[OaiError, ...]:
    if len(errors) <= _MOST_ERRORS:
        return tuple(errors)
    rest = len(errors) - _MOST_ERRORS
    return (*errors[:_MOST_ERRORS], BadArgument(f"There are {rest} more errors."))


def _quoted(text: str) -> str:
    """Return text of a client in quotes, without illegal characters and at most 60 characters long."""
    text = clean(text)
    return f"'{text[:60]}…'" if len(text) > 60 else f"'{text}'"  # noqa: PLR2004 - one line of a terminal
