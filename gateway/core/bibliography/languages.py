"""Languages as BCP 47 has them, from what records have: `ger`, `en_US`, `English`, `eng fre`. Pure."""

from __future__ import annotations

import re
from functools import lru_cache

# The names of languages in records: in English, and in the language itself.
_NAMES = {
    name: tag
    for tag, names in {
        "en": "english inglés inglês anglais englisch angielski engelska engelsk englanti angličtina",
        "de": "german deutsch allemand alemán niemiecki tyska",
        "fr": "french français francés francês französisch francuski franska",
        "es": "spanish español espanol castellano espanhol espagnol spanisch castilian",
        "pt": "portuguese português portugues portugués", "it": "italian italiano italienisch",
        "nl": "dutch nederlands flemish",
        "ru": "russian русский", "pl": "polish polski", "cs": "czech čeština český", "sk": "slovak slovenčina",
        "sv": "swedish svenska", "da": "danish dansk", "no": "norwegian norsk", "nb": "bokmål", "nn": "nynorsk",
        "fi": "finnish suomi", "hu": "hungarian magyar", "tr": "turkish türkçe", "uk": "ukrainian українська",
        "el": "greek ελληνικά", "la": "latin", "ar": "arabic العربية", "he": "hebrew עברית", "zh": "chinese 中文",
        "ja": "japanese 日本語", "ko": "korean 한국어", "ca": "catalan català", "hr": "croatian hrvatski",
        "sr": "serbian srpski српски", "sl": "slovenian slovene slovenščina", "ro": "romanian română",
        "bg": "bulgarian български", "lt": "lithuanian lietuvių", "lv": "latvian latviešu", "et": "estonian eesti",
        "id": "indonesian", "ms": "malay", "fa": "persian farsi فارسی", "hi": "hindi", "eu": "basque euskara",
        "gl": "galician galego", "cy": "welsh cymraeg", "ga": "irish gaeilge", "is": "icelandic íslenska",
        "vi": "vietnamese", "th": "thai", "yi": "yiddish", "af": "afrikaans", "sq": "albanian", "mk": "macedonian",
        "hy": "armenian", "ka": "georgian", "sw": "swahili", "ta": "tamil", "ur": "urdu", "bn": "bengali",
    }.items()
    for name in names.split()
}  # fmt: skip
_TAGS = frozenset(_NAMES.values())
_NO_LANGUAGE = frozenset({"mis", "mul", "und", "zxx", "root", "x"})
_OLD = {"iw": "he", "in": "id", "ji": "yi"}
_CODE = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{1,8}){0,4}")
_TOGETHER = re.compile(r"(?:[a-z]{3}){2,6}")
_BETWEEN = re.compile(r"\s*[;,/|]\s*|\s+(?:and|und|et|y)\s+|\s+")
_LONGEST = 100


@lru_cache(maxsize=4096)
def language_tag(code: str) -> str:
    """Return the tag of a language (BCP 47), or an empty string: in HTML that is an unknown language.

    Of a tag whose further parts are wrong, the language remains. `mul`, `und` and `zxx` are no languages.
    """
    code = code.strip().replace("_", "-").lower() if len(code) <= _LONGEST else ""
    code = code.rpartition("/")[2] if code.startswith("http") else code
    if code in _TAGS:
        return code
    if name := _NAMES.get(code):
        return name
    import langcodes  # noqa: PLC0415 - a third of a second; most instances have no other language than those above

    for stated in (code, code.partition("-")[0]):
        if not _CODE.fullmatch(stated):
            continue
        try:
            tag = langcodes.standardize_tag(stated)
        except ValueError:
            continue
        primary = tag.partition("-")[0]
        if primary in _NO_LANGUAGE or not langcodes.Language.get(tag, normalize=False).is_valid():
            continue
        return tag
    return ""


@lru_cache(maxsize=4096)
def languages_in(text: str) -> tuple[str, ...]:
    """Return the tags of the languages in a text: `eng fre`, `gereng`, `English; German` have two."""
    if len(text) > _LONGEST:
        return ()
    if tag := language_tag(text):
        return (tag,)
    parts = _BETWEEN.split(text.strip().lower())
    if len(parts) == 1 and _TOGETHER.fullmatch(parts[0]):
        parts = re.findall("...", parts[0])
    tags = [tag for part in parts if (tag := language_tag(part))]
    # Of words that are no languages, a few look like codes: `in`, `is`.
    return tuple(dict.fromkeys(tags)) if len(tags) == len([part for part in parts if part not in _NO_LANGUAGE]) else ()
