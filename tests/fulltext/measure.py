"""Measure the judge of files on a corpus: `python -m tests.fulltext.measure MANIFEST [--ablation] [--reasons]`.

MANIFEST has a JSON object a line: `file` (an address on this machine), `origin` (a repository or a publisher), `work`
(equal for files about one work), `is_work`, `title`, `authors`, `abstract`, `doi`, `date`, `venue`, `kind`, `language`;
`type`: that of the record; `name`: the last part of its address on the web. A third of the origins is held back and
reported apart. The word `generated` instead of a manifest means the corpus that the tests make.

Each file is offered for its own record, and for those of the works with the most similar titles, of which it is none.
"""

import argparse
import json
import pickle
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import NamedTuple

from gateway.core.model import Candidate, Statement, Work
from gateway.fulltext.decisions import Thresholds, rule
from harvester.fulltext.identifiers import identifiers_of
from harvester.fulltext.pdf import document, evidence, first_pages, rules, score
from harvester.fulltext.pdf import judge as judging
from harvester.fulltext.pdf.extraction import Extracted, extract
from tests.fulltext.corpus import kinds
from tests.fulltext.corpus.words import Subject

COLUMNS = ("title", "authors", "abstract", "doi")
_NEAREST, _RANDOM = 6, 2  # other works for which each file is offered
_PER = 10_000  # pairs
_MOST_GROUPS = 200  # origins, kinds or languages that have lines of their own


class File(NamedTuple):
    """A file of a corpus with the metadata of its work."""

    file: str
    origin: str
    work: str
    is_work: bool
    title: str
    authors: list[str]
    abstract: str = ""
    doi: str = ""
    date: str = ""
    venue: str = ""
    kind: str = "article"
    language: str = "en"
    type: str = ""
    name: str = "download.pdf"

    @property
    def is_held_back(self) -> bool:
        """Return whether its origin is in the third that nobody looks at while rules are written."""
        return sha256(self.origin.encode()).digest()[0] % 3 == 0

    def record(self, column: str) -> Work | None:
        """Return a record that has the metadata up to a column; None if the work has none of that column."""
        rank = COLUMNS.index(column)
        if (
            (rank and not self.authors)
            or (column == "abstract" and not self.abstract)
            or (column == "doi" and not self.doi)
        ):
            return None
        statements = [Statement("title", self.title)]
        if rank:
            statements += [Statement("creator", author) for author in self.authors]
            statements += [Statement("date", self.date)] * bool(self.date)
            statements += [Statement("source", self.venue)] * bool(self.venue)
            of_kind = self.kind if self.kind in ("thesis", "book", "report") else ""
            statements += [Statement("type", self.type or of_kind)] * bool(self.type or of_kind)
        if rank > 1 and self.abstract:
            statements.append(Statement("description", self.abstract))
        return Work(tuple(statements), (f"https://doi.org/{self.doi}",) if column == "doi" else ())


class Offer(NamedTuple):
    """A file that is offered for the work of another one (or its own), what is right, and what a rule decided."""

    file: File
    record: File
    column: str
    is_right: bool
    is_accepted: bool = False
    reason: str = ""


def corpus(manifest: str) -> tuple[list[File], dict[str, Extracted]]:
    """Return the files of a manifest, and their texts; texts are kept beside it."""
    if manifest == "generated":
        return _generated()
    names = set(File._fields)
    lines = map(json.loads, Path(manifest).read_text(encoding="utf-8").splitlines())
    files = [File(**{name: value for name, value in line.items() if name in names}) for line in lines]
    kept = Path(f"{manifest}.texts")
    texts: dict[str, Extracted] = pickle.loads(kept.read_bytes()) if kept.exists() else {}
    missing = [file.file for file in files if file.file not in texts]
    texts |= {name: extract(Path(name).read_bytes()) for name in missing}
    if missing:
        kept.write_bytes(pickle.dumps(texts))
    return files, texts


def _generated() -> tuple[list[File], dict[str, Extracted]]:
    files, texts = [], {}
    for number, kind in ((number, kind) for kind in kinds() for number in (8, 9, 10)):
        case = kind.make(Subject(number))
        made = case.subject
        name = f"{kind.name} {number}"
        texts[name] = extract(case.file)
        files.append(
            File(
                name, "generated", str(number), kind.is_right, case.title or made.title,
                [person.inverted for person in made.authors], made.abstract, made.doi, str(made.year), made.journal,
                kind.name, type=case.type, name=case.name,
            )
        )  # fmt: skip
    return files, texts


def offers(files: list[File]) -> Iterator[Offer]:
    """Yield each file with its own record, and with those of other works: near ones and some at random.

    The own record of a file that is no work is that for which it is wrong.
    """
    records = list({file.work: file for file in files if file.is_work}.values())
    words = {record.work: set(record.title.lower().split()) for record in records}
    dice = Random(7)
    for file in files:
        own = set(file.title.lower().split())
        near = sorted(records, key=lambda record: -len(own & words[record.work]) / len(own | words[record.work]))
        others = [*near[: _NEAREST + 1], *(dice.choice(records) for _ in range(_RANDOM))]
        chosen = [file, *(record for record in others if record.work != file.work)]
        for record in {record.file: record for record in chosen}.values():
            for column in COLUMNS:
                if record.record(column):
                    yield Offer(file, record, column, file.is_work and record is file)


def decide(all_offers: Iterable[Offer], texts: dict[str, Extracted]) -> tuple[list[Offer], float]:
    """Return the offers with the decisions of rules, and the processor time that judging them took."""
    known: dict[tuple[str, str], judging.Expected] = {}
    decided, began = [], time.process_time()
    for offer in all_offers:
        key = (offer.record.file, offer.column)
        if key not in known:
            work = offer.record.record(offer.column)
            assert work is not None
            known[key] = judging.expected(work, identifiers_of(work))
        verdict = judging.judge(texts[offer.file.file], known[key], f"https://x.example.org/{offer.file.name}")
        facts = {name: value for name, value in verdict._asdict().items() if name in Candidate._fields}
        facts |= {"sha256": "0" * 64, "license": "cc-by", "kind_doubt": verdict.doubt, "judge": judging.JUDGE}
        ruling = rule(Candidate("https://x.example.org/a.pdf", "x", **facts), None, "", Thresholds(), "2026-11")
        reason = f"{verdict.outcome} {verdict.kind} {ruling.reason}"
        decided.append(offer._replace(is_accepted=ruling.verdict == "accept", reason=reason))
    return decided, time.process_time() - began


def table(decided: list[Offer], name: str) -> list[str]:
    """Return the lines of a table: right and wrong offers accepted in each column; wrong ones by distinct document."""
    lines = []
    for column in COLUMNS:
        rows = [offer for offer in decided if offer.column == column]
        right, wrong = [o for o in rows if o.is_right], [o for o in rows if not o.is_right]
        if rows:
            good, bad = sum(o.is_accepted for o in right), len({o.file.file for o in wrong if o.is_accepted})
            share, per = 100 * good / max(1, len(right)), _PER * bad / max(1, len(wrong))
            figures = f"right {good:4} of {len(right):4} ({share:5.1f} %)   wrong {bad:3} of {len(wrong):6}"
            lines.append(f"{name:28} {column:9} {figures} ({per:4.1f} per 10,000)")
    return lines


def ablation(all_offers: list[Offer], texts: dict[str, Extracted], decided: list[Offer]) -> list[str]:
    """Return a line for each rule: how many right offers it costs, and how many wrong documents it stops.

    Only offers that some rule stops are decided again without each rule.
    """
    bare = decide_with({}, all_offers, texts)
    triples = zip(all_offers, bare, decided, strict=True)
    stopped = [offer for offer, without, own in triples if without.is_accepted and not own.is_accepted]
    lines = [_effect("all rules", [offer for offer in bare if offer.is_accepted], decided)]
    for name in rules.RULES:
        without = decide_with({other: rule for other, rule in rules.RULES.items() if other != name}, stopped, texts)
        lines.append(_effect(name, [offer for offer in without if offer.is_accepted], []))
    return lines


def _effect(name: str, accepted: list[Offer], own: list[Offer]) -> str:
    """Return what is accepted without a rule, less what is accepted with it."""
    right = sum(offer.is_right for offer in accepted) - sum(offer.is_right and offer.is_accepted for offer in own)
    before = {offer.file.file for offer in own if offer.is_accepted and not offer.is_right}
    wrong = len({offer.file.file for offer in accepted if not offer.is_right} - before)
    return f"without {name:24} {right:4} right offers more, {wrong:4} wrong documents more"


def decide_with(chosen: dict[str, rules.Rule], all_offers: Iterable[Offer], texts: dict[str, Extracted]) -> list[Offer]:
    """Return the decisions with these rules alone."""
    kept = rules.RULES
    rules.RULES = chosen
    try:
        return decide(all_offers, texts)[0]
    finally:
        rules.RULES = kept


def remember() -> None:
    """Remember what is read in a document, because each is offered for many works."""
    document.spelled_lines = cache(document.spelled_lines)
    judging.version_in = cache(judging.version_in)
    for module in (evidence, score):
        setattr(module, "fronts", cache(first_pages.fronts))  # noqa: B010 - they import it
    setattr(Extracted, "word_count", property(cache(vars(Extracted)["word_count"].fget)))  # noqa: B010 - a property


def main() -> None:
    """Print the tables of a corpus."""
    parser = argparse.ArgumentParser(prog="python -m tests.fulltext.measure")
    parser.add_argument("manifest", help="a file with a JSON object a line, or `generated`")
    parser.add_argument("--ablation", action="store_true", help="leave out each rule in turn")
    parser.add_argument("--reasons", action="store_true", help="print wrong decisions on files not held back")
    given = parser.parse_args()
    remember()
    files, texts = corpus(given.manifest)
    halves = {"developed": [f for f in files if not f.is_held_back], "held back": [f for f in files if f.is_held_back]}
    for half, own in ((half, own) for half, own in halves.items() if own):
        all_offers = list(offers(own))
        decided, seconds = decide(all_offers, texts)
        print(f"\n{half}: {len(own)} files, {1000 * seconds / max(1, len(decided)):.1f} ms of processor time an offer")
        print("\n".join(table(decided, "all")))
        for attribute in ("origin", "kind", "language"):
            groups = Counter(getattr(offer.file, attribute) for offer in decided)
            for group in sorted(groups) if 1 < len(groups) <= _MOST_GROUPS else ():
                print("\n".join(table([o for o in decided if getattr(o.file, attribute) == group], group)))
        if given.ablation:
            print("\n".join(ablation(all_offers, texts, decided)))
        if given.reasons and half == "developed":
            bad = [offer for offer in decided if offer.is_accepted is not offer.is_right]
            for offer in bad:
                print(offer.column, offer.is_right, offer.file.file, repr(offer.record.title[:60]), offer.reason[:150])


if __name__ == "__main__":
    main()
