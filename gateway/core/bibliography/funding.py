"""Who paid for a work, as records state it: a funder and the number of its grant. Pure."""

import re
from collections.abc import Iterable, Iterator
from urllib.parse import unquote

from gateway.core.bibliography.identifiers import identifier_of
from gateway.core.bibliography.texts import is_value, one_line
from gateway.core.model import Funding
from gateway.core.xmltext import clean

# OpenAIRE Guidelines for Literature Repositories 3, project identifier: funder, programme, number, jurisdiction, name,
# acronym.
_GRANT_AGREEMENT = re.compile(r"(?i)(?:https?://purl\.org/)?info:eu-repo/grantAgreement/([^\s<>]*)")


def funding_of(funder: str, funder_id: str = "", grant: str = "", url: str = "", title: str = "") -> Funding | None:
    """Return who paid; None if neither the funder nor the grant has a value.

    A number or an address in the form of OpenAIRE gives what the other texts lack.
    """
    funder, funder_id, grant, url, title = (
        one_line(text) if is_value(text) else "" for text in (funder, funder_id, grant, url, title)
    )
    agreement = next(grants_in((grant, url)), Funding())
    if grant.lower().startswith("info:eu-repo/"):
        grant, url = agreement.grant, url or agreement.url
    stated = Funding(
        funder or agreement.funder,
        (funder_id and identifier_of(funder_id).url) or funder_id,
        grant or agreement.grant,
        url,
        title or agreement.title,
    )
    return stated if stated.funder or stated.grant else None


def grants_in(texts: Iterable[str]) -> Iterator[Funding]:
    """Yield the grants that texts name in the form of OpenAIRE, `info:eu-repo/grantAgreement/EC/FP7/608166`."""
    for text in texts:
        if match := _GRANT_AGREEMENT.fullmatch(text.strip()):
            parts = [one_line(clean(unquote(part))) for part in match[1].split("/")] + [""] * 6
            if parts[2]:
                yield Funding(parts[0], "", parts[2], text.strip(), parts[4] or parts[5])
