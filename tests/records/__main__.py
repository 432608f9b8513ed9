"""Measures how records of many formats are read: `python -m tests.records CORPUS [--help]`.

CORPUS is laid out like `../shared/data/records`: `FORMAT/NAME.xml`, `INDEX.tsv`, `expected.json`. Each file is cut by
the source kind `files`, mapped, and published; what is compared is the item that its pages show.
"""

import argparse
import csv
import hashlib
import json
import re
import sys
import timeit
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

from lxml import etree

from gateway.core.errors import NotXml, UnusableRecord
from gateway.core.xmltext import clean
from gateway.pages.item import Item, item_of
from gateway.pages.shown import bare
from gateway.publish.descriptions import describe
from gateway.publish.mapping import SourceFacts, Task, prepare, record
from gateway.publish.payloads import Given, read, standing_alone
from harvester.sources.files.records import cut_document

FACTS = SourceFacts("records", "https://records.example.org/oai", "gateway.example.org")
LEAST_DIVIDED = 4  # files of a format: a smaller one is not divided
RIGHT, WRONG, MISSING = "right", "wrong", "missing"
# The fields that must be right nearly always.
LEADING = ("title", "first author", "year", "doi")


def payloads_of(path: Path) -> Iterator[tuple[str, Given | None, str]]:
    """Yield the identifier, the payload and the problem of each record of a file."""
    body = path.read_bytes()
    cut = cut_document(body, path.stem, 0)
    text = cut.repaired or body
    for slice_ in cut.slices:
        content = text[slice_.start : slice_.stop]
        given = Given("records", "", content, slice_.declarations, "2020-01-01", (), False, (), 0, False)
        is_there = not (slice_.is_deleted or slice_.problem)
        yield slice_.identifier, given if is_there else None, slice_.problem or "deleted"


def items_of(path: Path) -> Iterator[tuple[str, Item | None, str]]:
    """Yield the identifier, the item and the problem of each record of a file."""
    for identifier, given, problem in payloads_of(path):
        if given is None:
            yield identifier, None, problem
            continue
        prepared = prepare(Task(FACTS, clean(identifier), (given,)))
        fragment = next((one for one in prepared.fragments if one.metadata_prefix == "oai_didl"), None)
        if fragment is None:
            yield identifier, None, "; ".join(why for _, why in prepared.problems) or "not published"
            continue
        try:
            described = describe(record(prepared.identifier, 0, prepared.sets, fragment))
        except NotXml as error:
            yield identifier, None, str(error)
            continue
        item = item_of(
            described, url="https://records.example.org/item", persistent_url="", is_indexed=False, source_url="",
            sets=(), formats=(), metadata={}, forms={}, neighbours=("", ""),
        )  # fmt: skip
        yield identifier, item, ""


# --- comparing --------------------------------------------------------------------------------------------------------


def folded(text: str) -> str:
    """Return a text as it is compared: without markup, accents' forms, and white space."""
    text = unicodedata.normalize("NFC", bare(str(text)))
    text = text.translate({0x2018: "'", 0x2019: "'", 0x201C: '"', 0x201D: '"', 0x2010: "-", 0x2011: "-"})
    return re.sub(r"\s+", "", text).casefold()


def named(name: str) -> str:
    return re.sub(r"[.,;\s]+$", "", folded(name))


def verdict(ours: Any, is_right: bool) -> str:
    return RIGHT if is_right else WRONG if ours else MISSING


def judged(item: Item | None, expected: dict[str, Any]) -> Iterator[tuple[str, str, str, str]]:
    """Yield (field, verdict, ours, theirs) of each judged value."""
    if expected.get("is_work") is False:
        yield "is_work", RIGHT if item is None else WRONG, item.title if item else "", ""
        return
    for field, theirs in expected.items():
        if field in ("is_work", "identifier", "files_may"):
            continue
        if item is None:
            is_none = theirs in ("", [], None)
            yield field, RIGHT if is_none else MISSING, "", str(theirs)
            if field in ("creators", "creators_begin") and theirs:
                yield "first author", MISSING, "", str(theirs[0])
            continue
        yield from compared(item, field, theirs, expected.get("files_may", []))


def compared(item: Item, field: str, theirs: Any, may: list[str]) -> Iterator[tuple[str, str, str, str]]:
    reference = item.reference
    authors = [
        {"name": author.family_first, "family": author.family, "given": author.given, "plain": author.name}
        for author in reference.authors
    ]
    if field in ("creators", "creators_begin"):
        some = authors if field == "creators" else authors[: len(theirs)]
        is_right = len(some) == len(theirs) and all(map(same_name, some, theirs))
        yield "creators", verdict(some, is_right), show(some), show(theirs)
        if theirs:
            yield "first author", verdict(some, bool(some) and same_name(some[0], theirs[0])), show(some[:1]), show(
                theirs[:1]
            )  # fmt: skip
    elif field == "contributors":
        among = [one for one in theirs if any(same_name(author, {"name": one["name"]}) for author in authors)]
        yield field, WRONG if among else RIGHT, show(among), ""
    elif field == "files":
        files = {file.url for file in item.files}
        more, fewer = files.difference(theirs, may), set(theirs) - files
        word = WRONG if more else MISSING if fewer else RIGHT
        yield field, word, show(sorted(more or files)[:4]), show(sorted(fewer or theirs)[:4])
    elif field == "other_titles":
        ours = {folded(title.text) for title in reference.other_titles}
        yield field, verdict(False, all(folded(title) in ours for title in theirs)), show([*ours]), show(theirs)
    else:
        ours = plain_value(item, field)
        yield (
            re.sub("_begins$", "", field),
            verdict(ours, same_value(field, ours, theirs)),
            str(ours)[:150],
            str(theirs)[:150],
        )


def plain_value(item: Item, field: str) -> Any:
    reference = item.reference
    schemes = {entry.scheme: entry.text for entry in reversed(reference.identifiers)}
    return {
        "title": lambda: bare(reference.title),
        "title_begins": lambda: bare(reference.title),
        "year": lambda: reference.year,
        "type": lambda: reference.type,
        "language": lambda: reference.language_tag,
        "doi": lambda: reference.doi,
        "handle": lambda: schemes.get("handle", ""),
        "isbn": lambda: reference.isbn.replace("-", ""),
        "issn": lambda: reference.issn,
        "abstract_begins": lambda: bare(reference.abstracts[0].text) if reference.abstracts else "",
        "licence": lambda: item.license.url if item.license else "",
        "landing": lambda: item.origin,
        "publisher": lambda: reference.publisher,
    }.get(field, lambda: getattr(reference, field))()


def same_value(field: str, ours: Any, theirs: Any) -> bool:
    if not theirs:
        return not ours
    if field.endswith("_begins"):
        return folded(ours).startswith(folded(theirs))
    if field == "licence":
        return re.sub(r"^https?://(www\.)?|/$", "", str(ours)) == re.sub(r"^https?://(www\.)?|/$", "", theirs)
    if field == "language":
        return str(ours).partition("-")[0] == str(theirs).partition("-")[0]
    return folded(ours) == folded(theirs) or (field == "isbn" and ours[-10:-1] == theirs.replace("-", "")[-10:-1])


def same_name(ours: dict[str, str], theirs: dict[str, str]) -> bool:
    forms = (ours["name"], ours["plain"], "" if "family" in theirs else f"{ours['given']} {ours['family']}")
    if named(theirs["name"]) not in map(named, forms):  # a name that was judged as one text may have either order
        return False
    if theirs.get("kind") == "organisation" and ours["family"]:
        return False
    return "family" not in theirs or (
        named(theirs["family"]) == named(ours["family"]) and named(theirs.get("given", "")) == named(ours["given"])
    )


def show(names: list[Any]) -> str:
    return " | ".join(str(one["name"] if isinstance(one, dict) else one) for one in names[:8])[:300]


# --- the corpus -------------------------------------------------------------------------------------------------------


def is_held(corpus: Path) -> dict[str, bool]:
    """Return for each file whether it is kept back from those who write readers: see README.md."""
    with (corpus / "INDEX.tsv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    held: dict[str, bool] = {}
    for format_ in {row["format"] for row in rows}:
        sizes = Counter(row["repository"] for row in rows if row["format"] == format_)
        room = sum(sizes.values()) // 3 if sum(sizes.values()) >= LEAST_DIVIDED else 0
        kept_back = set()
        for repository in sorted(sizes, key=lambda name: hashlib.sha256(name.encode()).digest()):
            if sizes[repository] <= room:
                room -= sizes[repository]
                kept_back.add(repository)
        held |= {row["file"]: row["repository"] in kept_back for row in rows if row["format"] == format_}
    return held


def times(corpus: Path) -> dict[str, list[float]]:
    """Return for each record of each format how many times as long as lxml parses its bytes it takes to read it."""
    ratios: dict[str, list[float]] = defaultdict(list)
    for path in sorted(corpus.glob("*/*.xml")):
        for _, given, _ in payloads_of(path):
            if given is None:
                continue
            content = standing_alone(given.content, given.declarations)
            try:
                ours = least(lambda given=given: read(given, True, {}))  # type: ignore[misc]
            except UnusableRecord:
                continue
            theirs = least(lambda content=content: etree.fromstring(content))  # type: ignore[misc]
            ratios[path.parent.name].append(ours / theirs)
    return ratios


def least(action: Callable[[], object]) -> float:
    """Return the seconds of an action, the least of several measurements: other processes only add to them."""
    return min(timeit.repeat(action, number=3, repeat=15))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.records", description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--held", action="store_true", help="only what is kept back")
    parser.add_argument("--all", action="store_true", help="also what is kept back")
    parser.add_argument("--show", default="", help="show what is not right, of formats that begin so; `.` for all")
    parser.add_argument("--time", action="store_true", help="the median of each format against lxml, and nothing else")
    given = parser.parse_args()
    if given.time:
        print("\n".join(f"{format_:<16}{median(ratios):>7.1f}" for format_, ratios in times(given.corpus).items()))
        return 0
    held, expected = is_held(given.corpus), json.loads((given.corpus / "expected.json").read_text("utf-8"))
    formats: dict[str, Counter[str]] = defaultdict(Counter)
    fields: dict[str, Counter[str]] = defaultdict(Counter)
    for name, records in expected.items():
        if not given.all and held.get(name, False) != given.held:
            continue
        items = list(items_of(given.corpus / name))
        by_identifier = {identifier: item for identifier, item, _ in items}
        format_ = name.partition("/")[0]
        for place, wanted in enumerate(records):
            item = items[place][1] if place < len(items) else None
            if "identifier" in wanted:
                item = by_identifier.get(wanted["identifier"])
            for field, word, ours, theirs in judged(item, wanted):
                if field != "first author":
                    formats[format_][word] += 1
                fields[field][word] += 1
                if (
                    word != RIGHT
                    and given.show
                    and format_.startswith(given.show.strip("."))
                    and field != "first author"
                ):
                    print(f"{name} {wanted.get('identifier', '')} {field} {word}\n  ours   {ours}\n  theirs {theirs}")
    table("format", formats)
    table("field", fields)
    return 0


def table(head: str, rows: dict[str, Counter[str]]) -> None:
    print(f"\n{head:<16}{'right':>7}{'wrong':>7}{'missing':>9}")
    for name, counts in sorted(rows.items()):
        print(f"{name:<16}{counts[RIGHT]:>7}{counts[WRONG]:>7}{counts[MISSING]:>9}")
    whole = sum((counts for name, counts in rows.items() if name != "first author"), Counter())
    total = sum(whole.values()) or 1
    shares = f"{whole[RIGHT] / total:.1%} right, {whole[WRONG] / total:.1%} wrong"
    print(f"{'all':<16}{whole[RIGHT]:>7}{whole[WRONG]:>7}{whole[MISSING]:>9}  {shares}")


if __name__ == "__main__":
    sys.exit(main())
