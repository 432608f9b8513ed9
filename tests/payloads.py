"""Many texts that a record may have, and that must stay texts: for every field, in every form of an item.

A script that runs calls `alert`, which a browser shows, or sets `window.ran`.
"""

FIELDS = (
    "title", "creator", "contributor", "subject", "description", "publisher", "date", "type", "format", "identifier",
    "source", "language", "relation", "coverage", "rights",
)  # fmt: skip

PAYLOADS = [
    # HTML: elements, also in other contexts, and in comments
    "<script>alert(1)</script>", "</script><script>alert(1)</script>", "</title><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>', "' onmouseover='alert(1)", "<img src=x onerror=alert(1)>",
    "&#60;script&#62;alert(1)", "javascript:alert(1)", "data:text/html,<script>alert(1)</script>",
    "<i onclick=alert(1)>x</i>", "<sub><script>alert(1)</script></sub>", "<!--<script>alert(1)-->",
    "<style>*{display:none}</style>", "<base href=//evil.example>",
    "<meta http-equiv=refresh content=0;url=//evil.example>", "<iframe srcdoc='<script>alert(1)</script>'>",
    "<form action=//evil.example><input>", "{{ 7*7 }}{% raw %}", "${7*7}", "\u202eevil\u202c", "\u2028\u2029",
    "a}\n@article{evil,\ntitle={x}}", "a\\input{/etc/passwd}", "a\r\nTY  - EVIL\r\nER  - ",
    "line\nSet-Cookie: evil=1", "x\u0085y", "%0d%0aSet-Cookie:%20evil=1", "<a href='javascript:alert(1)'>x</a>",
    '{"@type": "evil"}', "]]>", "<?php echo 1 ?>", "=cmd|'/C calc'!A0", "{format} {0} {n} {date}", "%s %d %(x)s",
    "a" * 5000, "\N{GRINNING FACE}\N{CJK UNIFIED IDEOGRAPH-4E00}", "e\u0301\u0302\u0303",
    # further elements and attributes that run scripts
    "<body onload=alert(1)>", "<details open ontoggle=alert(1)>", "<video><source onerror=alert(1)>",
    "<a href=javascript:alert(1) id=x>x</a>", "<button formaction=javascript:alert(1)>x</button>",
    "<link rel=stylesheet href=data:text/css,*%7bdisplay:none%7d>", "<template><script>alert(1)</script></template>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>", "<textarea><script>alert(1)</script></textarea>",
    "</textarea><script>alert(1)</script>", "</style><script>alert(1)</script>", "--><script>alert(1)</script><!--",
    # attributes: quotes of each kind, none, and grave accents
    " onmouseover=alert(1) x=", '"/><script>alert(1)</script>',
    # SVG and MathML
    "<svg><script>alert(1)</script></svg>", "<svg><animate onbegin=alert(1) attributeName=x dur=1s>",
    "<svg><a xlink:href=javascript:alert(1)><text>x</text></a></svg>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "<math><a xlink:href=javascript:alert(1)>x</a></math>",
    # schemes of addresses, and how browsers spell them
    "JaVaScRiPt:alert(1)", "java\tscript:alert(1)", "\u0085javascript:alert(1)", "javascript&colon;alert(1)",
    "vbscript:msgbox(1)", "data:image/svg+xml,<svg onload=alert(1)>", "//evil.example/x.js",
    'http://evil.example/"onmouseover=alert(1)//', 'https://doi.org/10.1/"><script>alert(1)</script>',
    # the markup that titles may keep, misused
    "<i><b><sub><sup></i></b>", "<sub style='position:fixed'>x</sub>", "<em/onmouseover=alert(1)>x</em>",
    "<i" + " " * 500 + ">",
    # TeX
    "$\\href{javascript:alert(1)}{x}$", "$\\unicode{<img src=x onerror=alert(1)>}$", "\\def\\x{\\x}\\x",
    # JSON, JSON-LD and templates
    '"}</script><script>alert(1)</script>', "\\u003cscript\\u003ealert(1)", "\\",
    "{{constructor.constructor('alert(1)')()}}", "#{7*7}<%= 7*7 %>",
    # CSV, BibTeX and RIS
    # headers, and text that is shown in another order than it is read
    "<https://evil.example>; rel=cite-as", '"; rel="license"; x="', "\u2066\u202dabc\u2069",
]  # fmt: skip
