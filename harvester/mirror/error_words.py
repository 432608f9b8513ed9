"""Words of error messages and of forms to log in, in the languages of repositories."""

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
    r"(?:under|down for|scheduled|undergoing) (?:\w+ )?maintenance",
    r"maintenance mode",
    r"captcha",
    r"(?:enable|accept|allow|requires?) (?:javascript|cookies)",
    r"checking your browser",
    r"are you (?:a )?(?:human|robot)",
    r"(?:file|document|item|page|record|resource|object|dataset) (?:\w+ ){0,4}(?:is|was) (?:removed|restricted)",
    r"(?:file|document|item|page|record|resource|object|dataset) (?:has been|was) (?:removed|withdrawn|deleted|moved)",
    r"under (?:an )?embargo",
    r"(?:blocked|denied|rejected|deleted|removed|quarantined) by",
    r"(?:request|access|connection) (?:was |has been |is )?(?:rejected|blocked)",
    r"(?:do|does) not have (?:permission|access|sufficient)",
    r"(?:insufficient|no) (?:permissions?|privileges|rights)",
    r"(?:requires?|needs?) (?:a |an |your )?(?:subscription|login|registration|authentication|credentials|password)",
    r"(?:subscription|registration|login) (?:is )?required",
    r"please (?:wait|try again|verify)",
    r"try again later",
    r"(?:your|the|system|site) (?:\w+ )?administrator",
    r"tombstone (?:page|record|resource)",
    r"(?:virus|malware) (?:was |has been )?(?:found|detected)",
    r"just a moment",
    r"not a (?:bot|robot)",
    r"(?:domain|\w\.\w+) (?:name )?(?:is|may be|could be) (?:for sale|available)",
)
_PROGRAMS = (  # what servers and programs say in English
    r"(?:bad gateway|gateway time-?out|bad request|proxy error|server error|internal error|timed out|timeout)",
    r"error (?:has )?occurr?ed",
    r"(?:unexpected|fatal|application|database|runtime|unknown|system|http) error",
    r"error ?[:#=]? ?\d{2,5}",
    r"traceback \(most recent",
    r"\.\w{0,60}(?:exception|error)",
    r"stack ?trace",
    r"sqlstate",
    r"ora-\d{5}",
    r"too many (?:requests|connections)",
    r"rate limit\w*",
    r"quota (?:is )?exceeded",
    r"invalid (?:request|handle|identifier|url|token|parameter|id|file)",
    r"failed to (?:\w+ ){0,2}(?:load|open|read|retrieve|fetch|connect)",
    r"could not (?:connect|open|read|load)",
    r"redirect(?:ing|ed)",
    r"(?:token|link|url|signature) (?:has |is )?expired",
    r"(?:software|script|parse|syntax|connection) error",
    r"(?:retrieved|restored) from (?:tape|archive)",
    r"exceed(?:s|ed) (?:the|your|its) (?:\w+ ){0,3}(?:limit|quota)",
    r"request (?:was )?unsuccessful",
    r"default (?:web )?page: it works",
    r"welcome to nginx",
    r"index of /\S*",
)
# Sentences on pages of repositories, by language: not found, access denied, log in, removed, come later.
_DUTCH = (
    r"niet (?:gevonden|beschikbaar|toegestaan|gemachtigd|bevoegd|worden gevonden)",
    r"bestaat niet",
    r"geen toegang",
    r"toegang (?:geweigerd|verboten)",
    r"fout(?:melding)?",
    r"aanmelden",
    r"inloggen",
    r"(?:is|werd) verwijderd",
    r"onder embargo",
)
_GERMAN = (
    r"(?:nicht|keine?) (?:\w+ ){0,2}(?:gefunden|verfügbar|vorhanden|erlaubt|berechtig\w+|zugänglich|erreichbar)",
    r"existiert nicht",
    r"fehler",
    r"anmelden",
    r"melden sie sich",
    r"(?:zugriff|zugang) (?:\w+ )?(?:verweigert|gesperrt|verboten|beschränkt|nicht)",
    r"kein (?:zugriff|zugang)",
    r"wurde (?:\w+ )?(?:gelöscht|entfernt|gesperrt|zurückgezogen)",
    r"wartungs(?:arbeiten|modus)",
    r"sperrfrist",
)
_FRENCH = (
    r"(?:non|pas|plus) (?:\w+ )?(?:trouvée?|disponible|accessible|autorisée?|publiée?)",
    r"introuvable",
    r"indisponible",
    r"erreur",
    r"accès (?:refusé|interdit|restreint|réservé|limité)",
    r"n'existe (?:pas|plus)",
    r"(?:a été|est) (?:supprimé|retiré|déplacé)e?",
    r"sous embargo",
    r"(?:veuillez|devez) (?:vous )?(?:connecter|identifier|authentifier|activer|accepter|réessayer)",
    r"en (?:cours de )?maintenance",
)
_ROMANCE = (
    r"no (?:encontrad[oa]|disponible|existe|autorizad[oa]|permitid[oa]|se (?:ha )?(?:encontr\w+|pud\w+))",
    r"no (?:está|tiene) (?:disponible|autorizad[oa]|permisos?|acceso)",
    r"acceso (?:denegado|restringido|prohibido)",
    r"(?:iniciar|inicie) sesi[óo]n",
    r"(?:ha sido|fue) (?:eliminad[oa]|retirad[oa]|borrad[oa])",
    r"n[ãa]o (?:\w+ ){0,2}(?:encontrad[oa]|dispon[íi]vel|existe|autorizad[oa]|permitid[oa]|localizad[oa])",
    r"acesso (?:negado|restrito|proibido)",
    r"(?:foi|est[áa]) (?:removid[oa]|eliminad[oa]|retirad[oa]|exclu[íi]d[oa]|indispon[íi]vel)",
    r"(?:fa[çc]a|fazer|efetue) (?:o )?login",
    r"assinatura (?:exigida|necess[áa]ria|requerida)",
    r"(?:en|em|in) (?:mantenimiento|manuten[çc][ãa]o|manutenzione)",
    r"(?:bajo|sob|sotto|en) embargo",
    r"non (?:\w+ )?(?:trovat[oa]|disponibile|autorizzat[oa]|esiste)",
    r"accesso (?:negato|vietato|riservato)",
    r"erro",
    r"errore",
    r"nu (?:a fost găsit\w*|există|este disponibil\w*)",
    r"acces (?:interzis|refuzat)",
)
_NORTHERN = (
    r"(?:kunde|kunne) (?:inte|ikke) (?:hittas|findes|finnes|bli funnet|åbnes|öppnas)",
    r"(?:finns inte|findes ikke|finnes ikke|ikke funnet|hittades inte|blev ikke fundet)",
    r"(?:åtkomst nekad|adgang nægtet|ingen tilgang|saknar behörighet|logga in|logg inn|log ind)",
    r"ei (?:löydy|löytynyt|saatavilla)",
    r"pääsy (?:estetty|kielletty)",
)
_EASTERN = (
    r"nie (?:znaleziono|istnieje|odnaleziono)",
    r"nie (?:masz|posiadasz) (?:uprawnień|dostępu)",
    r"brak (?:dostępu|uprawnień)",
    r"(?:dostęp|publikacja|plik|dokument) (?:\w+ )?(?:zabronion|chronion|zastrzeżon|ograniczon|niedostępn|usunięt)\w*",
    r"zaloguj się",
    r"błąd",
    r"(?:nebyl\w*|nebola?) nalezen\w*",
    r"nenalezen\w*",
    r"přístup (?:odepřen|zamítnut)",
    r"přihlaste se",
    r"nem (?:található|elérhető|létezik|engedélyezett)",
    r"hozzáférés megtagadva",
    r"nije (?:pronađen|dostup)\w*",
    r"pristup (?:odbijen|zabranjen)",
    r"bulunamad\u0131",
    r"mevcut değil",
    r"erişim (?:engel|redd|k\u0131s\u0131t|izn)\w*",
    r"giriş yap\w*",
    r"(?:kald\u0131r\u0131ld\u0131|silindi)",
    r"не (?:найден[аоы]?|знайдено|существует|опубликован\w*)",
    r"доступ (?:\w+ )?(?:запрещ[её]н|ограничен|закрыт|заборонено)",
    r"(?:нет|отказано в) доступ\w*",
    r"(?:требуется|необходима) авторизация",
    r"(?:файл|документ|страница) (?:\w+ )?(?:удал[её]н\w*|недоступ\w*)",
    r"ошибка",
    r"помилка",
    r"tidak (?:ditemukan|tersedia|diizinkan|memiliki (?:akses|izin))",
    r"akses ditolak",
    r"silakan (?:masuk|login)",
    r"telah dihapus",
    r"không (?:tìm thấy|tồn tại|có quyền)",
    r"δεν (?:βρέθηκε|υπάρχει)",
)
_WITHOUT_SPACES = (
    r"不存在|找不到|未找到|没有找到|無法|无法(?:访问|打开|下载|显示)|(?:没有|沒有)(?:权限|權限)|无权|(?:禁止|拒绝)访问|访问被拒绝|"
    r"请先?登录|請先?登入|"
    r"已被?(?:删除|刪除)|(?:访问|请求|訪問|請求)\w{0,4}被(?:阻断|拦截|禁止|拒绝|阻斷|攔截)|(?:系统|正在)维护|服务器错误|"
    r"見つかり(?:ません|ませんでした)|存在しません|公開されて(?:いません|おりません)|アクセス(?:が|は)?(?:拒否|禁止|制限)|権限が(?:ない|あり)|"
    r"ログインして|メンテナンス中|エラーが発生|(?:閲覧|表示|利用)できません|削除され(?:ました|ています)|"
    r"찾을 수 없|존재하지 않|권한이 없|로그인|접근이 (?:거부|제한)|삭제되었|"
    r"غير موجود|لم يتم العثور|تسجيل الدخول|غير مسموح"
)
# Words at the begin of a message; a text may use them elsewhere.
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

# One expression for each group of languages: tried one after another they cost as much as one, and each can be judged.
_LANGUAGES = (_ENGLISH, _PROGRAMS, _DUTCH, _GERMAN, _FRENCH, _ROMANCE, _NORTHERN, _EASTERN)
_WITHIN = (
    *(re.compile(rf"\b(?:{'|'.join(words)})\b".replace(" ", r"\s")) for words in _LANGUAGES),
    re.compile(_WITHOUT_SPACES),
)
_AT_FIRST = re.compile(rf"\s*(?:{'|'.join(_FIRST)})(?:\b|\Z)")


def has_error_words(text: str) -> bool:
    """Return whether a text has the words of an error, in any case."""
    return has_error_words_within(text) or _AT_FIRST.match(text.lower()) is not None


def has_error_words_within(text: str) -> bool:
    """Return whether a text has words of an error that no title has: the title of a study may begin with `Error`."""
    lowered = text.lower()
    return any(words.search(lowered) for words in _WITHIN)
