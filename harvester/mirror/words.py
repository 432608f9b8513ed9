"""The words of error messages and of forms to log in, in the languages of repositories: data."""

from __future__ import annotations

import re

_ENGLISH = (
    r"(?:can(?: ?no|')t|could not|couldn't|not) (?:be )?(?:found|located?|retrieved?|opened|available|accessible)",
    r"not (?:authori[sz]ed|permitted|allowed)",
    r"(?:does|do|did)(?: not|n't) exist",
    r"no (?:such|matching) \w+",
    r"no longer (?:exists|available)",
    r"(?:temporarily )?unavailable",
    r"service is (?:down|offline)",
    r"page (?:missing|gone)",
    r"(?:access|permission) (?:is |was )?(?:denied|restricted|refused)",
    r"forbidden",
    r"unauthori[sz]ed",
    r"authentication (?:is )?(?:required|failed)",
    r"(?:please|must|need to) (?:log|sign)[ -]?(?:in|on)",
    r"(?:log|sign)[ -]?in (?:to|required|with)",
    r"session (?:has )?(?:expired|timed)",
    r"(?:bad gateway|gateway time-?out|bad request|proxy error|server error|internal error|timed out|timeout)",
    r"error (?:has )?occurr?ed",
    r"(?:unexpected|fatal|application|database|runtime|unknown|system|http) error",
    r"error ?[:#=]? ?\d{2,5}",
    r"traceback \(most recent",
    r"\.\w{0,60}(?:exception|error)",
    r"stack ?trace",
    r"sqlstate",
    r"ora-\d{5}",
    r"(?:under|down for|scheduled|undergoing) (?:\w+ )?maintenance",
    r"maintenance mode",
    r"too many (?:requests|connections)",
    r"rate limit\w*",
    r"quota (?:is )?exceeded",
    r"captcha",
    r"(?:enable|accept|allow|requires?) (?:javascript|cookies)",
    r"checking your browser",
    r"are you (?:a )?(?:human|robot)",
    r"invalid (?:request|handle|identifier|url|token|parameter|id|file)",
    r"(?:file|document|item|page|record|resource) (?:has been|was) (?:removed|withdrawn|deleted|moved)",
    r"failed to (?:\w+ ){0,2}(?:load|open|read|retrieve|fetch|connect)",
    r"could not (?:connect|open|read|load)",
    r"redirect(?:ing|ed)",
    r"under (?:an )?embargo",
    r"(?:blocked|denied|rejected) by",
    r"(?:retrieved|restored) from (?:tape|archive)",
    r"just a moment",
    r"not a (?:bot|robot)",
    r"(?:domain|\w\.\w+) is for sale",
    r"default (?:web )?page: it works",
    r"welcome to nginx",
    r"index of /\S*",
)
_DUTCH = (
    r"niet (?:gevonden|beschikbaar|toegestaan|worden gevonden)",
    r"bestaat niet",
    r"geen toegang",
    r"fout(?:melding)?",
    r"aanmelden",
    r"inloggen",
)
_GERMAN = (
    r"nicht (?:gefunden|verfügbar|vorhanden|erlaubt)",
    r"fehler",
    r"anmelden",
    r"zugriff verweigert",
)
_ROMANCE = (
    r"(?:non|pas) (?:\w+ )?(?:trouvée?|disponible|trovat[oa])",
    r"introuvable",
    r"erreur",
    r"accès refusé",
    r"no (?:encontrad[oa]|se encontró|disponible|existe)",
    r"não (?:encontrad[oa]|disponível|existe)",
    r"erro",
    r"errore",
)
_NORTHERN = (
    r"(?:kunde|kunne) (?:inte|ikke) (?:hittas|findes|finnes|bli funnet|åbnes|öppnas)",
    r"(?:finns inte|findes ikke|finnes ikke|ikke funnet|hittades inte|blev ikke fundet)",
    r"ei (?:löydy|löytynyt|saatavilla)",
)
_EASTERN = (
    r"nie (?:znaleziono|istnieje|odnaleziono)",
    r"brak dostępu",
    r"błąd",
    r"(?:nebyl\w*|nebola?) nalezen\w*",
    r"nenalezen\w*",
    r"nem található",
    r"bulunamad\u0131",
    r"не (?:найден[аоы]?|знайдено|существует)",
    r"ошибка",
    r"tidak (?:ditemukan|tersedia)",
)
_WITHOUT_SPACES = r"不存在|找不到|未找到|没有找到|無法|无法访问|見つかりません|存在しません|찾을 수 없"
# With these words a message begins; a text may use them anywhere else.
_FIRST = (
    r"\W{0,3}error",
    r"exception",
    r"warning:",
    r"fatal:",
    r"failed",
    r"oops",
    r"sorry",
    r"40[0134]",
    r"5\d\d [a-z]+",
)

_ANYWHERE = "|".join((*_ENGLISH, *_DUTCH, *_GERMAN, *_ROMANCE, *_NORTHERN, *_EASTERN)).replace(" ", r"\s")
_OF_ERRORS = re.compile(rf"\b(?:{_ANYWHERE})\b|{_WITHOUT_SPACES}|\A\s*(?:{'|'.join(_FIRST)})(?:\b|\Z)")


def tell_an_error(text: str) -> bool:
    """Tell whether a text has the words of an error, in whatever case."""
    return _OF_ERRORS.search(text.lower()) is not None
