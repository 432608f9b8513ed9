# ruff: noqa: E501, RUF001 - tables have long lines, and words of many languages
"""What servers say with status 200 instead of a file, each as its kind of server says it."""

from __future__ import annotations


def portal(language: str, title: str, body: str, name: str = "Repository") -> str:
    """Return a page in the dress of a library's portal."""
    links = "".join(
        f'<li><a href="/{section}">{section}</a></li>' for section in ("browse", "search", "about", "help", "contact")
    )
    return (
        f'<!DOCTYPE html>\n<html lang="{language}"><head><meta charset="utf-8"><title>{title} - {name}</title>'
        f'<link rel="stylesheet" href="/theme.css"></head><body class="page"><header><a href="/"><img src="/logo.svg" alt="{name}"></a>'
        f"<nav><ul>{links}</ul></nav></header><main>{body}</main><footer><p>&copy; {name}</p></footer></body></html>\n"
    )


DSPACE_LOGIN = portal("en", "Log In", '<h1>Log in to DSpace</h1><form action="/password-login" method="post"><label>Email</label><input name="login_email">' '<label>Password</label><input type="password" name="login_password"><button>Log in</button></form>', "DSpace at the University")  # fmt: skip
ANGULAR = (
    '<!DOCTYPE html><html lang="en" dir="ltr"><head><meta charset="UTF-8"><base href="/"><title>DSpace</title>'
    '<meta name="viewport" content="width=device-width,minimum-scale=1"><script>window.__env={"rest":"/server"}</script>'
    '<link rel="stylesheet" href="styles.86ff.css"></head><body><ds-app></ds-app><script src="runtime.5a.js" type="module"></script>'
    '<script src="polyfills.11.js" type="module"></script><script src="main.9c.js" type="module"></script></body></html>'
)
EPRINTS_REQUEST = portal("en", "Request a copy", '<h1>Request a copy of the document</h1><p>The author has been asked.</p><form method="post"><input name="requester_email"><textarea name="reason"></textarea><input type="submit" value="Request"></form>', "EPrints")  # fmt: skip
OJS = portal("pt-BR", "Acesso ao texto", "<h1>Assinatura exigida</h1><p>É necessário ter uma assinatura para acessar este item. Para verificar sua assinatura, faça o acesso ao sistema.</p>", "Revista de História")  # fmt: skip
TOMBSTONE = "Discovered tombstone resource at /rest/prod/7d/27/8t/01/7d278t01x, departed at: 2021-06-11T09:14:52.114Z\n"
INVENIO = '{"status": 410, "message": "The persistent identifier has been deleted."}'
DATAVERSE = '{"status":"ERROR","code":403,"message":"User :guest is not permitted to perform requested action.","requestUrl":"https://data.example.edu/api/v1/access/datafile/882"}'
S3 = '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message><Key>8812.bin</Key><RequestId>4442587FB7D0A2F9</RequestId><HostId>x3V=</HostId></Error>'
GLACIER = '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>InvalidObjectState</Code><Message>The operation is not valid for the object\'s storage class</Message><StorageClass>GLACIER</StorageClass></Error>'
AZURE = '\ufeff<?xml version="1.0" encoding="utf-8"?><Error><Code>AuthenticationFailed</Code><Message>Server failed to authenticate the request. Signature not valid in the specified time frame.\nRequestId:77\nTime:2024-01-01T00:00:00Z</Message></Error>'
CAPTCHA = '<html><head><title>Access check</title><script src="https://www.google.com/recaptcha/api.js"></script></head><body><h3>Verify that you are human</h3><form method="POST"><div class="g-recaptcha" data-sitekey="6Lc"></div><button>Continue</button></form></body></html>'
SAML = '<!DOCTYPE html><html><head><meta charset="utf-8"></head><body onload="document.forms[0].submit()"><noscript><p>Since your browser does not support JavaScript, you must press the Continue button once to proceed.</p></noscript><form action="https://idp.example.edu/idp/profile/SAML2/POST/SSO" method="post"><input type="hidden" name="RelayState" value="ss:mem:aa"><input type="hidden" name="SAMLRequest" value="PHNhbWxwOkF1dGhu"></form></body></html>'
WAYF = portal("en", "Select your institution", '<h1>Find your institution</h1><form action="/wayf"><select name="origin"><option>University A</option><option>University B</option></select><input type="submit" value="Select"></form>', "Identity Federation")  # fmt: skip
EZPROXY = "<html><head><title>EZproxy - Host needed</title></head><body><p>To allow https://files.example.org to be used in a starting point URL, your EZproxy administrator must first authorize the hostname in the config.txt file.</p></body></html>"
HAL = portal("fr", "Fichier sous embargo", "<h1>Ce fichier est sous embargo</h1><p>Le texte intégral sera visible à partir du 12 janvier 2031. Vous pouvez demander une copie à l'auteur.</p>", "HAL")  # fmt: skip
PERL = "<h1>Software error:</h1>\n<pre>Can't call method &quot;path&quot; on an undefined value at /usr/share/eprints/cgi/document line 57.\n</pre>\n<p>For help, please send mail to the webmaster.</p>\n"
ORACLE = 'ORA-01403: no data found\nORA-06512: at "DIGITOOL.FILES", line 211\n'
GERMAN = portal("de", "Wartungsarbeiten", "<h1>Wartungsarbeiten</h1><p>Der Hochschulschriftenserver steht wegen Wartungsarbeiten bis 14 Uhr nicht zur Verfügung. Wir bitten um Ihr Verständnis.</p>", "Universitätsbibliothek")  # fmt: skip
SPANISH = portal("es", "Acceso restringido", '<h1>Acceso restringido</h1><p>Para ver este documento debe iniciar sesión.</p><form method="post"><input name="usuario"><input type="password" name="clave"><button>Entrar</button></form>', "Repositorio Institucional")  # fmt: skip
JAPANESE = portal("ja", "エラー", "<h1>エラー</h1><p>指定されたコンテンツは公開されていません。</p>", "学術機関リポジトリ")  # fmt: skip
CHINESE = portal("zh", "登录", '<h1>用户登录</h1><p>请登录后下载全文。</p><form method="post"><input name="user"><input type="password" name="pw"><button>登录</button></form>', "机构知识库")  # fmt: skip
RUSSIAN = portal("ru", "Ошибка", "<h1>Доступ запрещён</h1><p>Документ доступен только авторизованным пользователям.</p>", "Научная библиотека")  # fmt: skip
POLISH = portal("pl", "Publikacja chroniona", "<h1>Publikacja chroniona</h1><p>Nie masz uprawnień do wyświetlenia tej publikacji. Dostęp tylko w czytelniach biblioteki.</p>", "Biblioteka Cyfrowa")  # fmt: skip
TURKISH = portal("tr", "Erişim engellendi", "<h1>Erişim engellendi</h1><p>Bu dosyaya erişim izniniz yok. Lütfen giriş yapınız.</p>", "Açık Erişim Sistemi")  # fmt: skip
INDONESIAN = portal("id", "Masuk", '<h1>Masuk</h1><p>Silakan masuk untuk mengunduh berkas ini.</p><form method="post"><input name="nim"><input type="password" name="sandi"><button>Masuk</button></form>', "Repositori Universitas")  # fmt: skip
LFS = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 9132\n"
ANNEX = "/annex/objects/SHA256E-s9132--4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393.nc\n"
SHORTCUT = "[InternetShortcut]\r\nURL=https://repository.example.edu/files/4411.txt\r\n"
GDOC = '{"url": "https://docs.google.com/open?id=1Xa", "doc_id": "1Xa", "email": "someone@example.org"}'
CHECKSUM = "d41d8cd98f00b204e9800998ecf8427e  interviews.csv\n"
TOKEN = '{"success":false,"errorCode":"AUTH-017","description":"token expired"}'
GRAPHQL = '{"errors":[{"message":"Not authorised","path":["file"],"extensions":{"code":"UNAUTHENTICATED"}}],"data":{"file":null}}'
PRESIGNED = '{"download_url":"https://store.example.org/b/88?X-Amz-Signature=aa&X-Amz-Expires=300","expires_in":300}'
QUEUED = '{"job":"8812","state":"queued","position":14}'
HANDLE = "<?xml version='1.0'?><response><status>fail</status><code>100</code><handle>1/8812</handle></response>"
SIGN_IN_SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200"><rect width="300" height="200" fill="#eee"/><text x="60" y="100">Image not available</text></svg>'
COOKIES = portal("fr", "Cookies", "<h1>Votre navigateur n'accepte pas les cookies</h1><p>Veuillez activer les cookies pour continuer la consultation.</p>", "Bibliothèque numérique")  # fmt: skip
VIEWER = '<!DOCTYPE html><html><head><title>PDF.js viewer</title><script src="/pdfjs/build/pdf.mjs" type="module"></script></head><body><div id="outerContainer"><div id="viewerContainer"><div id="viewer" class="pdfViewer"></div></div></div></body></html>'
TERMS = portal("en", "Terms of use", '<h1>Terms of use</h1><p>You must accept the terms of use before you download data of this archive.</p><form method="post"><input type="checkbox" name="accept"> I accept <input type="submit" value="Continue"></form>', "Data Archive")  # fmt: skip
