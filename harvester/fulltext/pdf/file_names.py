# ruff: noqa: E501 - tables have long lines
"""The kind of a file by its name: a supplement, a peer review, front matter. Tables of publishers' forms. Pure.

`Supply_chain.pdf` and `Sisi.pdf` are names of articles: a form counts only between separators of words in a name.
"""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import unquote

from gateway.core.model import DocumentKind


class Named(NamedTuple):
    """The kind by a name. `is_certain`: it is a publisher's own form, which no article has."""

    kind: DocumentKind
    is_certain: bool


_MOST = 300  # characters of a name
_EXTENSION = re.compile(r"(?i)\.(?:pdf|docx?|aspx?|php|html?)$")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=\d)(?=Sup)")
_PARAMETER = re.compile(r"(?i)(?:^|[?&])(?:file|filename|file_name|attachment|name|id)=([^&#]{1,300})")

_S = DocumentKind.SUPPLEMENT
# On a stem in lower case, its words divided by `_` where case divides them. After each, the publisher that uses it.
_CERTAIN = (
    (
        _S,
        (
            r"(?:^|[^a-z])mmc_?\d{0,3}$"  # Elsevier
            r"|(?:^|[^a-z])moesm_?\d{1,3}(?:[^a-z]|$)|_esm$"  # Springer Nature, BMC
            r"|\.(?:sapp|sd\d{1,2}|sm\d{1,2}|st\d{1,2}|sf\d{1,2})$|\dsi$"  # PNAS
            r"|\.s\d{3}$|\d{5}[.-]s\d{1,2}$|\d{4}[.-]s\d{3}$|\d{4}-\d{3}[\dx]-\d{1,3}-\d{1,4}-s\d{1,2}$"  # PLOS, MDPI, Nature, BMC
            r"|(?:^|_)si_\d{3}$"  # ACS
            r"|-sup-\d{4}|\.supp-\d|sup\d{3}$"  # Wiley, Cambridge
            r"|^(?:data_?sheet|presentation|image|table|video)s?_?\d{1,2}$"  # Frontiers
            r"|(?:^|[^a-z])additional_?[ -]?files?_?[ -]?\d{0,3}(?:[^a-z]|$)"  # BMC
            r"|^sj-(?:pdf|docx?)-\d"  # SAGE
            r"|_sm\d{4}$|_suppl?_sm\d|(?:^|[^a-z])smaterials?$"  # Taylor & Francis
            r"|^elife-\d{5}-(?:supp|transrep|mdar|figures)"  # eLife
            r"|^peerj-[a-z0-9-]{1,20}-supp"
            r"|(?:^|[_.-])nejmo?[a-z]{1,3}\d{5,9}_(?:appendix|protocol|disclosures|data-sharing)$"  # NEJM
            r"|(?:^|[^a-z])(?:eapp|eappendix|esupplement|webappendix|web_?extra)_?\d{0,2}$"  # JAMA, Lancet, BMJ
            r"|(?:^|[^a-z])su?pp?l?_?[ -]?(?:info|inf|mat|data|doc|file|text|note|app|meth)\w{0,12}(?:[^a-z]|$)"
            r"|(?:^|[^a-z])supplement(?:ary|al)_?[ -]?(?:info|mat|data|doc|file|text|note|app|meth|fig|tab)"
            r"|(?:^|[^a-z])supporting_?[ -]?(?:info|mat|data|doc|file|text)"
            r"|^s\d{1,3}_?[ -]?(?:file|table|fig|figure|text|appendix|data_?set|video|movie|checklist|protocol)s?$"  # PLOS
            r"|^(?:tables?|figs?|figures?|texts?|data_?set|movie|file)_?[ -]?s\d{1,3}$"
            r"|^extended_?[ -]?data(?:_?[ -]?(?:fig|figure|table)s?)?_?\d{0,2}$|^(?:mbo|jvi|aem|iai|jb|aac|jcm)\d{6,12}s[tfdm]\d{1,2}$|^sdc_?\d{1,2}$"  # Nature, ASM, LWW
            r"|^[a-z]{2,5}_sm_misc\w{0,12}_information$"
            r"|^nihms_?\d{3,9}-supplement"  # author manuscripts in PMC
            r"|(?:^|[^a-z])reporting_?[ -]?summary|_checklist$"
        ),
    ),
    (
        DocumentKind.REVIEW,
        (
            r"(?:^|[^a-z])peer_?[ -]?review_?[ -]?(?:file|history|reports?|comments?|documents?|information|process)"
            r"|(?:^|[^a-z])(?:review_?history|decision_?letter|reviewers?_?comments?|referees?_?reports?)(?:[^a-z]|$)"
            r"|(?:^|[^a-z])(?:author_?)?(?:response|reply|answers?)_?to_?(?:the_)?(?:reviewers?|referees?)(?:[^a-z]|$)"
            r"|^(?:author_?)?rebuttal_?[ -]?(?:letter)?$|^review_?[ -]?reports$|(?:^|[^a-z])referees?_?[ -]?reports?$"
            r"|^[a-z]{2,8}-(?:\d{1,4}-){1,3}(?:[rae]c|sc|cc)\d{1,2}(?:-|$)"
        ),  # Copernicus
    ),
    (
        DocumentKind.FRONT_MATTER,
        (
            r"^(?:front_?[ -]?matter|back_?[ -]?matter|table_?of_?contents|toc|masthead|editorial_?board|cover_?letter)$"
            r"|^licen[sc]e(?:\.txt)?$|^(?:copyright|author|deposit|publishing)_?(?:form|transfer|agreement|licen[sc]e)"
        ),
    ),
    (DocumentKind.NOTICE, r"^(?:errat(?:um|a)|corrigend(?:um|a)|addendum)(?:[^a-z]|$)|_(?:erratum|corrigendum)$"),
)
_LIKELY = (
    (
        _S,
        (
            r"(?:^|[^a-z])(?:suppl?|supps|supplement(?:s|ary|al|aire|aires|ario)?)_?\d{0,4}(?:[^a-z]|$)"
            r"|(?:^|[^a-z])(?:si|esi|som|sm|esm)[_.-]?\d{0,3}$|(?:^|[^a-z])supporting(?:[^a-z]|$)"
            r"|(?:^|[^a-z])(?:online_?)?appendi(?:x|ces)(?:[^a-z]|$)|(?:^|[^a-z])anexos?(?:[^a-z]|$)"
        ),
    ),
    (DocumentKind.POSTER, r"(?:^|[^a-z])(?:poster|slides|diapositivas|folien)(?:[^a-z]|$)"),
    (DocumentKind.NOTICE, r"(?:^|[^a-z])(?:erratum|errata|corrigendum|retraction_?notice)(?:[^a-z]|$)"),
    (DocumentKind.PREVIEW, r"(?:^|[^a-z])(?:first_?page|preview|look_?inside)(?:[^a-z]|$)"),
)
# Folders that have only supplements: ACS, Taylor & Francis, Science; RSC; Springer Nature; old Nature; MDPI.
_FOLDERS = re.compile(
    r"(?i)/(?:suppl_file|suppdata|suppinfo|suppl?|esm|extref|mediaobjects/[^/]{0,80}_esm)/|mdpi\.com/[\d/x-]{1,40}/s\d/"
)


def _table(rows: tuple[tuple[DocumentKind, str], ...]) -> tuple[tuple[DocumentKind, re.Pattern[str]], ...]:
    return tuple((kind, re.compile(pattern)) for kind, pattern in rows)


_TABLES = ((True, _table(_CERTAIN)), (False, _table(_LIKELY)))


def named(url: str) -> Named | None:
    """Return the kind of a file by its name in an address; None: no sign."""
    path, _, query = url.partition("#")[0].partition("?")
    parameters = [match[1] for match in _PARAMETER.finditer(query[: 4 * _MOST])]
    last = path.rstrip("/").rpartition("/")[2]
    stems = [_stem(parameter) for parameter in (*parameters, last)]
    for is_certain, table in _TABLES:
        for kind, pattern in table:
            if any(pattern.search(stem) for stem in stems):
                return Named(kind, is_certain)
    return Named(_S, is_certain=True) if _FOLDERS.search(f"{path[-_MOST:]}/") else None


def _stem(name: str) -> str:
    """Return a name without extension and folders, in lower case, with `_` where the case divides words."""
    last = unquote(name[:_MOST]).rstrip("/").rpartition("/")[2]
    return _CAMEL.sub("_", _EXTENSION.sub("", last)).lower()
