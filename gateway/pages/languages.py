"""Languages of texts as HTML names them (BCP 47), from what records have: `ger`, `en_US`, `English`. Pure."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from gateway.pages.shown import number

# ISO 639-1, and the codes of ISO 639-2 for the same: BCP 47 has only the shortest one of a language.
_CODES = """
aa=aar ab=abk ae=ave af=afr ak=aka am=amh an=arg ar=ara as=asm av=ava ay=aym az=aze ba=bak be=bel bg=bul bi=bis bm=bam
bn=ben bo=bod,tib br=bre bs=bos ca=cat ce=che ch=cha co=cos cr=cre cs=ces,cze cu=chu cv=chv cy=cym,wel da=dan
de=deu,ger dv=div dz=dzo ee=ewe el=ell,gre en=eng eo=epo es=spa et=est eu=eus,baq fa=fas,per ff=ful fi=fin fj=fij
fo=fao fr=fra,fre fy=fry ga=gle gd=gla gl=glg gn=grn gu=guj gv=glv ha=hau he=heb,iw hi=hin ho=hmo hr=hrv ht=hat hu=hun
hy=hye,arm hz=her ia=ina id=ind,in ie=ile ig=ibo ii=iii ik=ipk io=ido is=isl,ice it=ita iu=iku ja=jpn jv=jav
ka=kat,geo kg=kon ki=kik kj=kua kk=kaz kl=kal km=khm kn=kan ko=kor kr=kau ks=kas ku=kur kv=kom kw=cor ky=kir la=lat
lb=ltz lg=lug li=lim ln=lin lo=lao lt=lit lu=lub lv=lav mg=mlg mh=mah mi=mri,mao mk=mkd,mac ml=mal mn=mon mr=mar
ms=msa,may mt=mlt my=mya,bur na=nau nb=nob nd=nde ne=nep ng=ndo nl=nld,dut nn=nno no=nor nr=nbl nv=nav ny=nya oc=oci
oj=oji om=orm or=ori os=oss pa=pan pi=pli pl=pol ps=pus pt=por qu=que rm=roh rn=run ro=ron,rum ru=rus rw=kin sa=san
sc=srd sd=snd se=sme sg=sag sh=hbs si=sin sk=slk,slo sl=slv sm=smo sn=sna so=som sq=sqi,alb sr=srp ss=ssw st=sot su=sun
sv=swe sw=swa ta=tam te=tel tg=tgk th=tha ti=tir tk=tuk tl=tgl tn=tsn to=ton tr=tur ts=tso tt=tat tw=twi ty=tah ug=uig
uk=ukr ur=urd uz=uzb ve=ven vi=vie vo=vol wa=wln wo=wol xh=xho yi=yid,ji yo=yor za=zha zh=zho,chi zu=zul
"""
_SHORTEST = {
    code: short for short, _, others in (entry.partition("=") for entry in _CODES.split()) for code in others.split(",")
}
_KNOWN = frozenset(_SHORTEST.values())
_NO_LANGUAGE = frozenset({"mis", "mul", "und", "zxx"})
_TAG = re.compile(r"[a-z]{2,3}(?P<more>-.*)?")
_MORE = re.compile(r"(?:-[a-z]{4})?(?:-(?:[a-z]{2}|[0-9]{3}))?(?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*")


def language_tag(code: str) -> str:
    """Return the tag of a language in lower case, or an empty string: in HTML that is an unknown language.

    Of a tag whose further parts are wrong, the language remains.
    """
    code = code.strip().lower().replace("_", "-")
    match = _TAG.fullmatch(code)
    if match is None:
        return ""
    primary, more = code.partition("-")[0], match["more"] or ""
    primary = _SHORTEST.get(primary, primary)
    if primary in _NO_LANGUAGE or (len(primary) == 2 and primary not in _KNOWN):  # noqa: PLR2004
        return ""
    return primary + (more if _MORE.fullmatch(more) else "")


# --- All texts of the pages, from `texts.toml`: one place to read and to translate them ------------------------------

_FILE = Path(__file__).with_name("texts.toml")


def texts() -> SimpleNamespace:
    """Return the texts as a tree of attributes."""
    return _tree(tomllib.loads(_FILE.read_text("utf-8")))


def counted(count: int, forms: tuple[str, str]) -> str:
    """Return a text with a number in it; `forms` are the one for a single thing and the one for all other numbers."""
    return forms[count != 1].format(n=number(count))


def _tree(entries: dict[str, Any]) -> SimpleNamespace:
    return SimpleNamespace(
        **{name: _tree(value) if isinstance(value, dict) else value for name, value in entries.items()}
    )
