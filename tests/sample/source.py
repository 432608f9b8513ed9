"""A small OAI-PMH 2.0 repository that serves `works.toml`: what the demo and the tests harvest.

It stands for a foreign repository, so it uses the standard library only and nothing of ours. Run it as
`python tests/sample/source.py --port 8081`; it prints the address it serves and goes on until it is ended.
"""

import argparse
import sys
import tomllib
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from time import gmtime, strftime
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from xml.sax.saxutils import escape, quoteattr

sys.path.insert(0, str(Path(__file__).parent))
from solr import served  # type: ignore[import-not-found,unused-ignore]

WORKS = Path(__file__).with_name("works.toml")
DOMAIN = "laro.example.org"

ENVELOPE = """<?xml version="1.0" encoding="UTF-8"?>
<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"\
 xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/ http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd">
<responseDate>{now}</responseDate>
<request{attributes}>{base_url}</request>
{body}
</OAI-PMH>
"""
IDENTIFY = """<Identify><repositoryName>LARO sample</repositoryName><baseURL>{base_url}</baseURL>
<protocolVersion>2.0</protocolVersion><adminEmail>librarian@laro.example.org</adminEmail>
<earliestDatestamp>{earliest}</earliestDatestamp><deletedRecord>persistent</deletedRecord>
<granularity>YYYY-MM-DDThh:mm:ssZ</granularity>
<description><oai-identifier xmlns="http://www.openarchives.org/OAI/2.0/oai-identifier"\
 xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai-identifier\
 http://www.openarchives.org/OAI/2.0/oai-identifier.xsd"><scheme>oai</scheme>\
<repositoryIdentifier>laro.example.org</repositoryIdentifier><delimiter>:</delimiter>\
<sampleIdentifier>{sample}</sampleIdentifier></oai-identifier></description></Identify>"""
SET_DESCRIPTION = """<setDescription><oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"\
 xmlns:dc="http://purl.org/dc/elements/1.1/"\
 xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai_dc/ http://www.openarchives.org/OAI/2.0/oai_dc.xsd">\
<dc:description>{text}</dc:description></oai_dc:dc></setDescription>"""
OAI_DC = """<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"\
 xmlns:dc="http://purl.org/dc/elements/1.1/"\
 xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai_dc/ http://www.openarchives.org/OAI/2.0/oai_dc.xsd">
{statements}</oai_dc:dc>"""
MODS = """<mods xmlns="http://www.loc.gov/mods/v3" version="3.8"\
 xsi:schemaLocation="http://www.loc.gov/mods/v3 http://www.loc.gov/standards/mods/v3/mods-3-8.xsd">
{elements}</mods>"""
PROVENANCE = """<about><provenance xmlns="http://www.openarchives.org/OAI/2.0/provenance"\
 xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/provenance\
 http://www.openarchives.org/OAI/2.0/provenance.xsd"><originDescription harvestDate="{datestamp}" altered="false">\
<baseURL>{origin}</baseURL><identifier>oai:origin.example.net:{number}</identifier>\
<datestamp>2019-05-05T05:05:05Z</datestamp>\
<metadataNamespace>http://www.openarchives.org/OAI/2.0/oai_dc/</metadataNamespace>\
</originDescription></provenance></about>"""
FORMATS = {
    "oai_dc": ("http://www.openarchives.org/OAI/2.0/oai_dc.xsd", "http://www.openarchives.org/OAI/2.0/oai_dc/"),
    "mods": ("http://www.loc.gov/standards/mods/v3/mods-3-8.xsd", "http://www.loc.gov/mods/v3"),
}
# For each verb, the arguments that it must and may have (OAI-PMH 2.0 §4).
ARGUMENTS = {
    "Identify": (set(), set()),
    "ListMetadataFormats": (set(), {"identifier"}),
    "ListSets": (set(), set()),
    "GetRecord": ({"identifier", "metadataPrefix"}, set()),
    "ListIdentifiers": ({"metadataPrefix"}, {"from", "until", "set"}),
    "ListRecords": ({"metadataPrefix"}, {"from", "until", "set"}),
}
Work = dict[str, Any]


class Refused(Exception):
    """An OAI-PMH error: its code and its sentence."""


def identifier(work: Work) -> str:
    """Return the OAI identifier of a work."""
    return f"oai:{DOMAIN}:{work['number']}"


def oai_dc(work: Work) -> str:
    """Return a work as oai_dc."""
    lines = []
    for element, text, *language in work["statements"]:
        attribute = f" xml:lang={quoteattr(language[0])}" if language else ""
        lines.append(f"  <dc:{element}{attribute}>{escape(text)}</dc:{element}>\n")
    return OAI_DC.format(statements="".join(lines))


def mods(work: Work) -> str:
    """Return a work as MODS: files are told by `access="raw object"`."""
    lines = [_mods_element(element, text) for element, text, *_ in work["statements"]]
    return MODS.format(elements="".join(f"  {line}\n" for line in lines if line))


def _mods_element(element: str, text: str) -> str:
    if element in ("identifier", "relation", "format") and "https://" in text:
        return _mods_address(text[text.index("https://") :])
    pattern = {
        "title": "<titleInfo><title>{}</title></titleInfo>",
        "creator": "<name><namePart>{}</namePart><role><roleTerm>author</roleTerm></role></name>",
        "subject": "<subject><topic>{}</topic></subject>",
        "description": "<abstract>{}</abstract>",
        "date": "<originInfo><dateIssued>{}</dateIssued></originInfo>",
        "language": "<language><languageTerm>{}</languageTerm></language>",
        "rights": "<accessCondition>{}</accessCondition>",
    }.get(element, "")
    return pattern.format(escape(text))


def _mods_address(url: str) -> str:
    host_and_path = url.removeprefix("https://")
    if host_and_path.startswith("doi.org/"):
        return f'<identifier type="doi">{escape(host_and_path.removeprefix("doi.org/"))}</identifier>'
    access = ' access="raw object"' if "/files/" in url else ' usage="primary"'
    return f"<location><url{access}>{escape(url)}</url></location>"


WRITERS: dict[str, Callable[[Work], str]] = {"oai_dc": oai_dc, "mods": mods}


@dataclass
class Repository:
    """The works behind one base URL, `page_size` records a page."""

    base_url: str
    works: list[Work]
    sets: list[dict[str, str]]
    page_size: int = 10

    def answer(self, arguments: list[tuple[str, str]]) -> bytes:
        """Return the whole answer to a request, errors included."""
        try:
            body = self._body(arguments)
            attributes = "".join(f" {name}={quoteattr(value)}" for name, value in arguments)
        except Refused as error:
            code, sentence = error.args
            body, attributes = f'<error code="{code}">{escape(sentence)}</error>', ""
        now = strftime("%Y-%m-%dT%H:%M:%SZ", gmtime())
        text = ENVELOPE.format(now=now, attributes=attributes, base_url=escape(self.base_url), body=body)
        return text.encode()

    def _body(self, arguments: list[tuple[str, str]]) -> str:
        given = dict(arguments)
        verb = given.pop("verb", "")
        if verb not in ARGUMENTS or len(arguments) != len(given) + 1:
            raise Refused("badVerb" if verb not in ARGUMENTS else "badArgument", "See OAI-PMH 2.0 §4.")
        required, optional = ARGUMENTS[verb]
        if set(given) != {"resumptionToken"} and not required <= set(given) <= required | optional:
            raise Refused("badArgument", f"{verb} takes {sorted(required | optional)}.")
        if verb == "Identify":
            return IDENTIFY.format(
                base_url=escape(self.base_url), earliest=self.works[0]["datestamp"], sample=identifier(self.works[0])
            )
        handlers = {"ListMetadataFormats": self._formats, "ListSets": self._sets, "GetRecord": self._get_record}
        return handlers[verb](given) if verb in handlers else self._list(verb, given)

    def _formats(self, given: dict[str, str]) -> str:
        prefixes = self._prefixes(self._work(given["identifier"])) if "identifier" in given else tuple(FORMATS)
        return "<ListMetadataFormats>{}</ListMetadataFormats>".format(
            "".join(
                f"<metadataFormat><metadataPrefix>{prefix}</metadataPrefix><schema>{FORMATS[prefix][0]}</schema>"
                f"<metadataNamespace>{FORMATS[prefix][1]}</metadataNamespace></metadataFormat>"
                for prefix in prefixes
            )
        )

    def _sets(self, given: dict[str, str]) -> str:
        if given:
            raise Refused("badResumptionToken", "The sets come in one answer.")
        return "<ListSets>{}</ListSets>".format("".join(map(self._set, self.sets)))

    def _set(self, entry: dict[str, str]) -> str:
        described = SET_DESCRIPTION.format(text=escape(entry["description"])) if "description" in entry else ""
        return f"<set><setSpec>{entry['spec']}</setSpec><setName>{escape(entry['name'])}</setName>{described}</set>"

    def _get_record(self, given: dict[str, str]) -> str:
        work, prefix = self._work(given["identifier"]), given["metadataPrefix"]
        if prefix not in self._prefixes(work):
            raise Refused("cannotDisseminateFormat", f"There is no {prefix} of this item.")
        return f"<GetRecord>{self._record(work, prefix)}</GetRecord>"

    def _list(self, verb: str, given: dict[str, str]) -> str:
        wanted, start = self._resumed(given["resumptionToken"]) if "resumptionToken" in given else (given, 0)
        works = self._selected(wanted)
        shown, rest = works[start : start + self.page_size], works[start + self.page_size :]
        write = self._record if verb == "ListRecords" else self._header
        token = ""
        if start or rest:
            text = self._token(wanted, start + self.page_size) if rest else ""
            token = f'<resumptionToken completeListSize="{len(works)}" cursor="{start}">{text}</resumptionToken>'
        return f"<{verb}>{''.join(write(work, wanted['metadataPrefix']) for work in shown)}{token}</{verb}>"

    def _selected(self, wanted: dict[str, str]) -> list[Work]:
        if wanted["metadataPrefix"] not in FORMATS:
            raise Refused("cannotDisseminateFormat", "See ListMetadataFormats.")
        first, last = wanted.get("from", ""), wanted.get("until", "9999")
        if len(last) == len("2000-01-01"):
            last += "T99"  # a day stands for all its seconds; as text, dates compare as in time
        works = [
            work
            for work in self.works
            if wanted["metadataPrefix"] in self._prefixes(work)
            and first <= work["datestamp"] <= last
            and ("set" not in wanted or any(f"{spec}:".startswith(f"{wanted['set']}:") for spec in work["sets"]))
        ]
        if not works:
            raise Refused("noRecordsMatch", "Nothing matches.")
        return works

    def _token(self, wanted: dict[str, str], start: int) -> str:
        return ",".join([*(wanted.get(name, "") for name in ("metadataPrefix", "from", "until", "set")), str(start)])

    def _resumed(self, token: str) -> tuple[dict[str, str], int]:
        *values, start = token.split(",")
        if len(values) != len(("metadataPrefix", "from", "until", "set")) or not start.isdigit():
            raise Refused("badResumptionToken", "This token is not ours.")
        named = zip(("metadataPrefix", "from", "until", "set"), values, strict=True)
        return {name: value for name, value in named if value}, int(start)

    def _work(self, name: str) -> Work:
        for work in self.works:
            if identifier(work) == name:
                return work
        raise Refused("idDoesNotExist", "There is no such item.")

    def _prefixes(self, work: Work) -> tuple[str, ...]:
        return ("oai_dc", "mods") if work.get("mods") else ("oai_dc",)

    def _header(self, work: Work, _prefix: str) -> str:
        status = ' status="deleted"' if work.get("deleted") else ""
        sets = "".join(f"<setSpec>{spec}</setSpec>" for spec in work["sets"])
        return (
            f"<header{status}><identifier>{escape(identifier(work))}</identifier>"
            f"<datestamp>{work['datestamp']}</datestamp>{sets}</header>"
        )

    def _record(self, work: Work, prefix: str) -> str:
        if work.get("deleted"):
            return f"<record>{self._header(work, prefix)}</record>\n"
        about = PROVENANCE.format_map(work) if "origin" in work else ""
        return f"<record>{self._header(work, prefix)}<metadata>{WRITERS[prefix](work)}</metadata>{about}</record>\n"


def read_works(file: Path = WORKS) -> tuple[list[Work], list[dict[str, str]]]:
    """Return the works and the sets of the sample."""
    with file.open("rb") as stream:
        content = tomllib.load(stream)
    return content["work"], content["set"]


def main(arguments: Iterable[str]) -> None:
    """Serve until ended."""
    parser = argparse.ArgumentParser(description="Serves the bundled sample as an OAI-PMH 2.0 repository.")
    parser.add_argument("--port", type=int, default=0, help="the port; 0: a free one")
    repository = Repository("", *read_works())

    def answer(path: str) -> tuple[int, bytes, str]:
        arguments = parse_qsl(urlsplit(path).query, keep_blank_values=True)
        return 200, repository.answer(arguments), "text/xml; charset=UTF-8"

    with served(answer, parser.parse_args(list(arguments)).port) as place, suppress(KeyboardInterrupt):
        repository.base_url = f"{place}/oai"
        print(f"The sample is served at {repository.base_url}", flush=True)
        Event().wait()


if __name__ == "__main__":
    main(sys.argv[1:])
