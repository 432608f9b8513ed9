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


DSPACE_LOGIN = portal(
    "en",
    "Log In",
    '<h1>Log in to DSpace</h1><form action="/password-login" method="post"><label>Email</label><input name="login_email">'
    '<label>Password</label><input type="password" name="login_password"><button>Log in</button></form>',
    "DSpace at the University",
)
DSPACE_RESTRICTED = portal(
    "en",
    "Restricted resource",
    "<h2>This resource is restricted</h2><p>The file you are attempting to access is a restricted file and requires credentials to view. "
    'Please <a href="/request-copy?bitstream=44">request a copy</a>.</p>',
)
DSPACE_7 = (
    '{"timestamp":"2024-03-01T10:12:44.120+00:00","status":404,"error":"Not Found","message":"The bitstream with id 5a1 was not found",'
    '"path":"/server/api/core/bitstreams/5a1/content"}'
)
ANGULAR = (
    '<!DOCTYPE html><html lang="en" dir="ltr"><head><meta charset="UTF-8"><base href="/"><title>DSpace</title>'
    '<meta name="viewport" content="width=device-width,minimum-scale=1"><script>window.__env={"rest":"/server"}</script>'
    '<link rel="stylesheet" href="styles.86ff.css"></head><body><ds-app></ds-app><script src="runtime.5a.js" type="module"></script>'
    '<script src="polyfills.11.js" type="module"></script><script src="main.9c.js" type="module"></script></body></html>'
)
EPRINTS = portal(
    "en",
    "Not Found",
    "<h1>Not Found</h1><p>The document you requested has been removed from this archive or never existed.</p>",
    "EPrints",
)
EPRINTS_REQUEST = portal(
    "en",
    "Request a copy",
    '<h1>Request a copy of the document</h1><p>The author has been asked.</p><form method="post"><input name="requester_email"><textarea name="reason"></textarea><input type="submit" value="Request"></form>',
    "EPrints",
)
OJS = portal(
    "pt-BR",
    "Acesso ao texto",
    "<h1>Assinatura exigida</h1><p>É necessário ter uma assinatura para acessar este item. Para verificar sua assinatura, faça o acesso ao sistema.</p>",
    "Revista de História",
)
TOMBSTONE = "Discovered tombstone resource at /rest/prod/7d/27/8t/01/7d278t01x, departed at: 2021-06-11T09:14:52.114Z\n"
INVENIO = '{"status": 410, "message": "The persistent identifier has been deleted."}'
DATAVERSE = '{"status":"ERROR","code":403,"message":"User :guest is not permitted to perform requested action.","requestUrl":"https://data.example.edu/api/v1/access/datafile/882"}'
FIGSHARE = '{"message": "Entity not found: file", "code": "EntityNotFound"}'
S3 = '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message><Key>8812.bin</Key><RequestId>4442587FB7D0A2F9</RequestId><HostId>x3V=</HostId></Error>'
GLACIER = '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>InvalidObjectState</Code><Message>The operation is not valid for the object\'s storage class</Message><StorageClass>GLACIER</StorageClass></Error>'
AZURE = '\ufeff<?xml version="1.0" encoding="utf-8"?><Error><Code>AuthenticationFailed</Code><Message>Server failed to authenticate the request. Signature not valid in the specified time frame.\nRequestId:77\nTime:2024-01-01T00:00:00Z</Message></Error>'
GATEWAY = "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx/1.24.0</center>\r\n</body>\r\n</html>\r\n"
IIS = '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd"><html xmlns="http://www.w3.org/1999/xhtml"><head><title>404 - File or directory not found.</title></head><body><div id="header"><h1>Server Error</h1></div><div id="content"><h2>404 - File or directory not found.</h2><h3>The resource you are looking for might have been removed, had its name changed, or is temporarily unavailable.</h3></div></body></html>'
LISTING = '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2 Final//EN">\n<html>\n <head>\n  <title>Index of /files/2019</title>\n </head>\n <body>\n<h1>Index of /files/2019</h1>\n<pre><a href="?C=N;O=D">Name</a> <a href="?C=M;O=A">Last modified</a> <a href="?C=S;O=A">Size</a><hr><a href="/files/">Parent Directory</a>\n<a href="a.pdf">a.pdf</a> 2019-03-02 11:02 1.2M\n</pre><hr></body></html>\n'
CLOUDFLARE = '<!DOCTYPE html><html lang="en-US"><head><title>Just a moment...</title><meta http-equiv="refresh" content="390"></head><body><div class="main-wrapper"><noscript>Enable JavaScript and cookies to continue</noscript></div><script>(function(){window._cf_chl_opt={cvId:"3",cZone:"example.org"};})();</script></body></html>'
ANUBIS = '<!doctype html><html lang="en"><head><title>Making sure you&#39;re not a bot!</title><meta name="robots" content="noindex,nofollow"></head><body id="top"><main><h1 id="title" class="centered-div">Making sure you&#39;re not a bot!</h1><p id="status">Loading...</p><script async type="module" src="/.within.website/x/cmd/anubis/static/js/main.mjs"></script></main></body></html>'
SUPPORT_ID = "<html><head><title>Request Rejected</title></head><body>The requested URL was rejected. Please consult with your administrator.<br><br>Your support ID is: 11788123456789012345<br><br><a href='javascript:history.back();'>[Go Back]</a></body></html>"
CAPTCHA = '<html><head><title>Access check</title><script src="https://www.google.com/recaptcha/api.js"></script></head><body><h3>Verify that you are human</h3><form method="POST"><div class="g-recaptcha" data-sitekey="6Lc"></div><button>Continue</button></form></body></html>'
SAML = '<!DOCTYPE html><html><head><meta charset="utf-8"></head><body onload="document.forms[0].submit()"><noscript><p>Since your browser does not support JavaScript, you must press the Continue button once to proceed.</p></noscript><form action="https://idp.example.edu/idp/profile/SAML2/POST/SSO" method="post"><input type="hidden" name="RelayState" value="ss:mem:aa"><input type="hidden" name="SAMLRequest" value="PHNhbWxwOkF1dGhu"></form></body></html>'
WAYF = portal(
    "en",
    "Select your institution",
    '<h1>Find your institution</h1><form action="/wayf"><select name="origin"><option>University A</option><option>University B</option></select><input type="submit" value="Select"></form>',
    "Identity Federation",
)
EZPROXY = "<html><head><title>EZproxy - Host needed</title></head><body><p>To allow https://files.example.org to be used in a starting point URL, your EZproxy administrator must first authorize the hostname in the config.txt file.</p></body></html>"
DRUPAL = portal(
    "en",
    "Access denied",
    '<h1>Access denied</h1><div class="content">You are not authorized to access this page.</div>',
    "Islandora",
)
WORDPRESS = "<!DOCTYPE html><html><head><title>Database Error</title></head><body><h1>Error establishing a database connection</h1></body></html>"
HAL = portal(
    "fr",
    "Fichier sous embargo",
    "<h1>Ce fichier est sous embargo</h1><p>Le texte intégral sera visible à partir du 12 janvier 2031. Vous pouvez demander une copie à l'auteur.</p>",
    "HAL",
)
TOMCAT = '<!doctype html><html lang="en"><head><title>HTTP Status 500 – Internal Server Error</title></head><body><h1>HTTP Status 500 – Internal Server Error</h1><hr class="line" /><p><b>Type</b> Exception Report</p><p><b>Exception</b></p><pre>java.lang.NullPointerException\n\torg.dspace.app.xmlui.cocoon.BitstreamReader.setup(BitstreamReader.java:212)\n</pre></body></html>'
TRACE = "java.sql.SQLException: Cannot get a connection, pool error Timeout waiting for idle object\n\tat org.apache.commons.dbcp.PoolingDataSource.getConnection(PoolingDataSource.java:112)\n\tat org.dspace.storage.rdbms.DatabaseManager.getConnection(DatabaseManager.java:629)\n\tat org.dspace.core.Context.init(Context.java:121)\nCaused by: java.util.NoSuchElementException: Timeout waiting for idle object\n\t... 31 more\n"
TRACEBACK = 'Traceback (most recent call last):\n  File "/opt/invenio/views.py", line 88, in download\n    obj = ObjectVersion.get(bucket, key)\n  File "/opt/invenio/models.py", line 1201, in get\n    return q.one()\nsqlalchemy.exc.NoResultFound: No row was found for one()\n'
PHP = "<br />\n<b>Warning</b>:  readfile(/var/www/files/8812.csv): failed to open stream: No such file or directory in <b>/var/www/html/download.php</b> on line <b>41</b><br />\n"
PERL = "<h1>Software error:</h1>\n<pre>Can't call method &quot;path&quot; on an undefined value at /usr/share/eprints/cgi/document line 57.\n</pre>\n<p>For help, please send mail to the webmaster.</p>\n"
ORACLE = 'ORA-01403: no data found\nORA-06512: at "DIGITOOL.FILES", line 211\n'
WHITELABEL = "<html><body><h1>Whitelabel Error Page</h1><p>This application has no explicit mapping for /error, so you are seeing this as a fallback.</p><div>There was an unexpected error (type=Not Found, status=404).</div></body></html>"
SQUID = '<!DOCTYPE html><html><head><title>ERROR: The requested URL could not be retrieved</title></head><body id="ERR_CONNECT_FAIL"><div id="titles"><h1>ERROR</h1><h2>The requested URL could not be retrieved</h2></div><p>Connection to 10.0.0.4 failed.</p></body></html>'
PARKED = '<!DOCTYPE html><html><head><title>repository-example.org</title></head><body><h1>repository-example.org</h1><p>This domain is for sale! Buy this domain.</p><ul><li><a href="/?q=loans">Loans</a></li><li><a href="/?q=hotels">Hotels</a></li></ul></body></html>'
GERMAN = portal(
    "de",
    "Wartungsarbeiten",
    "<h1>Wartungsarbeiten</h1><p>Der Hochschulschriftenserver steht wegen Wartungsarbeiten bis 14 Uhr nicht zur Verfügung. Wir bitten um Ihr Verständnis.</p>",
    "Universitätsbibliothek",
)
SPANISH = portal(
    "es",
    "Acceso restringido",
    '<h1>Acceso restringido</h1><p>Para ver este documento debe iniciar sesión.</p><form method="post"><input name="usuario"><input type="password" name="clave"><button>Entrar</button></form>',
    "Repositorio Institucional",
)
JAPANESE = portal(
    "ja", "エラー", "<h1>エラー</h1><p>指定されたコンテンツは公開されていません。</p>", "学術機関リポジトリ"
)
CHINESE = portal(
    "zh",
    "登录",
    '<h1>用户登录</h1><p>请登录后下载全文。</p><form method="post"><input name="user"><input type="password" name="pw"><button>登录</button></form>',
    "机构知识库",
)
RUSSIAN = portal(
    "ru",
    "Ошибка",
    "<h1>Доступ запрещён</h1><p>Документ доступен только авторизованным пользователям.</p>",
    "Научная библиотека",
)
POLISH = portal(
    "pl",
    "Publikacja chroniona",
    "<h1>Publikacja chroniona</h1><p>Nie masz uprawnień do wyświetlenia tej publikacji. Dostęp tylko w czytelniach biblioteki.</p>",
    "Biblioteka Cyfrowa",
)
TURKISH = portal(
    "tr",
    "Erişim engellendi",
    "<h1>Erişim engellendi</h1><p>Bu dosyaya erişim izniniz yok. Lütfen giriş yapınız.</p>",
    "Açık Erişim Sistemi",
)
INDONESIAN = portal(
    "id",
    "Masuk",
    '<h1>Masuk</h1><p>Silakan masuk untuk mengunduh berkas ini.</p><form method="post"><input name="nim"><input type="password" name="sandi"><button>Masuk</button></form>',
    "Repositori Universitas",
)
REFRESH = '<html><head><meta http-equiv="refresh" content="0;url=https://repo.example.org/handle/1/2"></head><body></body></html>'
VIRUS = '<!DOCTYPE html><html><head><title>Google Drive - Virus scan warning</title></head><body><p class="uc-warning-caption">Google Drive can\'t scan this file for viruses.</p><p><a href="/open?id=1">data.zip</a> (1.2G) is too large. Would you still like to download this file?</p><form id="download-form" action="/download"><input type="submit" value="Download anyway"></form></body></html>'
LFS = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 9132\n"
ANNEX = "/annex/objects/SHA256E-s9132--4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393.nc\n"
SHORTCUT = "[InternetShortcut]\r\nURL=https://repository.example.edu/files/4411.txt\r\n"
GDOC = '{"url": "https://docs.google.com/open?id=1Xa", "doc_id": "1Xa", "email": "someone@example.org"}'
CHECKSUM = "d41d8cd98f00b204e9800998ecf8427e  interviews.csv\n"
SOAP = '<?xml version="1.0"?><soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><soapenv:Body><soapenv:Fault><faultcode>soapenv:Server</faultcode><faultstring>Access to the datastream was denied</faultstring></soapenv:Fault></soapenv:Body></soapenv:Envelope>'
PROBLEM = '{"type":"about:blank","title":"Forbidden","status":403,"detail":"Access is denied","instance":"/files/3"}'
TOKEN = '{"success":false,"errorCode":"AUTH-017","description":"token expired"}'
GRAPHQL = '{"errors":[{"message":"Not authorised","path":["file"],"extensions":{"code":"UNAUTHENTICATED"}}],"data":{"file":null}}'
ELASTIC = '{"error":{"root_cause":[{"type":"index_not_found_exception","reason":"no such index [files]"}],"type":"index_not_found_exception"},"status":404}'
PRESIGNED = '{"download_url":"https://store.example.org/b/88?X-Amz-Signature=aa&X-Amz-Expires=300","expires_in":300}'
QUEUED = '{"job":"8812","state":"queued","position":14}'
HANDLE = "<?xml version='1.0'?><response><status>fail</status><code>100</code><handle>1/8812</handle></response>"
SIGN_IN_SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200"><rect width="300" height="200" fill="#eee"/><text x="60" y="100">Image not available</text></svg>'
COOKIES = portal(
    "fr",
    "Cookies",
    "<h1>Votre navigateur n'accepte pas les cookies</h1><p>Veuillez activer les cookies pour continuer la consultation.</p>",
    "Bibliothèque numérique",
)
VIEWER = '<!DOCTYPE html><html><head><title>PDF.js viewer</title><script src="/pdfjs/build/pdf.mjs" type="module"></script></head><body><div id="outerContainer"><div id="viewerContainer"><div id="viewer" class="pdfViewer"></div></div></div></body></html>'
TERMS = portal(
    "en",
    "Terms of use",
    '<h1>Terms of use</h1><p>You must accept the terms of use before you download data of this archive.</p><form method="post"><input type="checkbox" name="accept"> I accept <input type="submit" value="Continue"></form>',
    "Data Archive",
)
