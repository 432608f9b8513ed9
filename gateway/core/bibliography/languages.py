"""Languages as BCP 47 has them, from what records have: `ger`, `en_US`, `English`, `eng fre`. Pure."""

import re
from functools import lru_cache

from gateway.core.words import any_of, table

_TABLE = table(__file__, "languages")
_NAMES: dict[str, str] = {name: tag for tag, names in _TABLE["names"].items() for name in names}
_TAGS = frozenset(_NAMES.values())
_NO_LANGUAGE = frozenset({"mis", "mul", "und", "zxx", "root", "x"})
_CODE = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{1,8}){0,4}")
_TOGETHER = re.compile(r"(?:[a-z]{3}){2,6}")
_BETWEEN = re.compile(rf"\s*[;,/|]\s*|\s+(?:{any_of(_TABLE['between'])})\s+|\s+")
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
        parts = [] if "und" in parts else parts  # `undefined`
    tags = [tag for part in parts if (tag := language_tag(part))]
    # Of words that are no languages, a few look like codes: `in`, `is`.
    return tuple(dict.fromkeys(tags)) if len(tags) == len([part for part in parts if part not in _NO_LANGUAGE]) else ()
