"""The rules of dumps and their packages: ZIP files with a manifest, read within limits (Z39.99 §11, §13)."""

from __future__ import annotations

import hashlib
import zipfile
from collections import Counter
from collections.abc import Callable, Container, Iterator
from contextlib import closing
from itertools import pairwise
from random import Random
from typing import NamedTuple

from gateway.core.errors import AnswerTooLarge
from harvester.http.archives import DAMAGES, opened_zip
from harvester.sources.resourcesync.bounded_parser import STEP
from harvester.sources.resourcesync.fixity import digests_of
from harvester.sources.resourcesync.package import MANIFEST, MOST_FILE_BYTES, MOST_GROWTH
from harvester.validate.check import Evidence
from harvester.validate.resourcesync.documents import judge
from harvester.validate.resourcesync.downloads import Download, Downloads
from harvester.validate.resourcesync.memory import Memory
from harvester.validate.resourcesync.model import Document, Judged, Listed, Observer
from harvester.validate.resourcesync.reading import Attributes
from harvester.validate.resourcesync.values import NUMBER, moment, other_times, relation_of, whole
from harvester.validate.signposting.declared import normal_form

_LEAST_ROOM = 10_000_000
_ALGORITHMS = {"sha-256": "sha256", "sha-1": "sha1", "md5": "md5"}


class _InPackage(NamedTuple):
    """A file in a package, as evidence."""

    download: Download
    name: str

    def evidence(self, finding: str = "") -> Evidence:
        shown = self.download.evidence(finding)
        return shown._replace(asked=f"{shown.asked}, {self.name} in it")


class _File(NamedTuple):
    """A file that the manifest names."""

    loc: str
    md: Attributes


class _Files(Observer):
    """Takes the entries of a manifest."""

    def __init__(self) -> None:
        self.by_path: dict[str, _File] = {}

    def resource(self, document: Document, loc: str, lastmod: str, md: Attributes, links: list[Attributes]) -> None:  # noqa: ARG002
        if md.get("path"):
            self.by_path.setdefault(md["path"].removeprefix("/"), _File(loc, md))


class PackageRules:
    """The rules of packages. `documents` are the manifests that were read."""

    def __init__(
        self,
        downloads: Downloads,
        judged: Judged,
        memory: Memory,
        now: float,
        taken: Callable[[str], Download] | None = None,
        wanted: Container[tuple[object, ...]] = (),
    ) -> None:
        """`taken` returns the answer of an address. The addresses of `wanted` are part of each sample."""
        self.documents: list[Document] = []
        self.judged_urls: set[str] = set()
        self._taken, self._wanted = taken or downloads.get, wanted
        self._downloads, self._judged, self._memory, self._now = downloads, judged, memory, now

    def of_dump(self, dump: Document) -> None:
        """Judge the entries of a dump, and a sample of its packages. Raise Undecided at a limit."""
        judged = self._judged
        for listed in dump.listed:
            stated = listed.md.get("type", "")
            wrong = "zip" not in stated and f"The type of {listed.loc[:200]} is {stated[:100]!r}."
            judged.faults(dump.shown, "dump.type", wrong)
            missing = not listed.md.get("length") and f"The entry of {listed.loc[:200]} has no length."
            judged.faults(dump.shown, "dump.length", missing)
        if dump.capability == "changedump":
            judged.faults(dump.shown, "dump.order", _late(dump))
        most = self._downloads.limits.fetch
        chosen = list(dump.listed)
        if most is not None and len(chosen) > most:
            wanted = [listed for listed in chosen if normal_form(listed.loc) in self._wanted]
            others = [listed for listed in chosen if listed not in wanted]
            room = max(0, min(most - len(wanted), len(others)))
            chosen = wanted + Random(7).sample(others, room)  # noqa: S311 - no secret
        for listed in chosen:
            with closing(self._taken(listed.loc)) as download:
                judged.faults(download, "dump.works", download.is_failure and f"It brings {download.ended}.")
                if download.is_success:
                    self.judge(download, listed, dump)

    def manifest(self, download: Download) -> Document | None:
        """Return the manifest of a package without verdicts; None when there is none that can be read."""
        document = Document((download.request.url,), _InPackage(download, MANIFEST))
        room = _Room(max(_LEAST_ROOM, MOST_GROWTH * download.size))
        try:
            with opened_zip(download.stream) as package:
                if MANIFEST not in package.namelist():
                    return None
                member = package.getinfo(MANIFEST)
                return judge(document, lambda: room.parts(package, member), Judged(), _Files(), self._now)
        except DAMAGES:
            return None

    def judge(self, download: Download, listed: Listed, dump: Document | None) -> None:
        """Judge one package. Raise Undecided at a limit."""
        judged = self._judged
        self.judged_urls.add(listed.loc)
        stated = download.header("Content-Type") or "missing"
        judged.faults(download, "package.type", "zip" not in download.media_type and f"Content-Type is {stated}.")
        if "length" in listed.md or "hash" in listed.md:
            wrong = fixity_faults(listed.md, download.size, download.digest)
            judged.faults(download, "dump.bytes", (sentence for _, sentence in wrong))
        try:
            with opened_zip(download.stream) as package:
                judged.applied(download, ("package.zip",))
                self._judge_zip(package, download, listed, dump)
        except DAMAGES as error:
            judged.faults(download, "package.zip", [f"It is not a readable ZIP file: {error}."])

    def _judge_zip(self, package: zipfile.ZipFile, download: Download, listed: Listed, dump: Document | None) -> None:
        judged = self._judged
        members = {member.filename: member for member in package.infolist() if not member.is_dir()}
        counts = Counter(member.filename for member in package.infolist())
        wrong = counts[MANIFEST] != 1 and f"The package has {counts[MANIFEST] or 'no'} {MANIFEST}."
        judged.faults(download, "package.manifest", wrong)
        if MANIFEST not in members:
            return
        room = _Room(max(_LEAST_ROOM, MOST_GROWTH * download.size))
        shown = _InPackage(download, MANIFEST)
        manifest = Document((listed.loc,), shown)
        files = _Files()
        judge(manifest, lambda: room.parts(package, members[MANIFEST]), judged, files, self._now)
        self.documents.append(manifest)
        self._memory.package(listed.loc, download.digest(), manifest)
        if dump is not None:
            is_wrong = manifest.capability not in ("", f"{dump.capability}-manifest")
            sentence = f"The capability of the manifest is {manifest.capability}, in a {dump.capability}."
            judged.faults(shown, "package.capability", is_wrong and sentence)
            others = other_times(listed.md, manifest.md)
            sentences = (f"{name} is {own}, and {stated} in the dump." for name, stated, own in others)
            judged.faults(shown, "package.times", sentences)
        self._judge_files(package, members, files, room, download)
        self._judge_contents(listed, manifest, download)

    def _judge_files(
        self,
        package: zipfile.ZipFile,
        members: dict[str, zipfile.ZipInfo],
        files: _Files,
        room: _Room,
        download: Download,
    ) -> None:
        judged = self._judged
        missing = [path for path in files.by_path if path not in members]
        judged.faults(download, "package.missing", (f"The package has no file {path[:200]!r}." for path in missing))
        extra = [name for name in members if name != MANIFEST and name not in files.by_path]
        judged.faults(download, "package.extra", (f"The manifest has no file {name[:200]!r}." for name in extra))
        for path, file in files.by_path.items():
            if path not in members or not ("length" in file.md or "hash" in file.md):
                continue
            wrong = room.faults(package, members[path], file.md)
            judged.faults(_InPackage(download, path[:200]), "package.bytes", (sentence for _, sentence in wrong))

    def _judge_contents(self, listed: Listed, manifest: Document, download: Download) -> None:
        for link in listed.links:
            if relation_of(link) != "contents" or not link.get("href"):
                continue
            with closing(self._downloads.get(whole(link["href"], listed.loc))) as contents:
                wrong = f"The contents link to {contents.request.url} brings {contents.ended}."
                if contents.is_success:
                    is_same = contents.digest() == manifest.digest
                    wrong = "" if is_same else f"{contents.request.url} is not the manifest in the package."
                self._judged.faults(download, "dump.contents", wrong)


def _late(dump: Document) -> Iterator[str]:
    """Yield a sentence for each package that begins before the one that is listed before it."""
    for one, other in pairwise(dump.listed):
        first, then = moment(one.md.get("from", "")), moment(other.md.get("from", ""))
        if first is not None and then is not None and then < first:
            yield f"{other.loc[:200]} begins before {one.loc[:200]}."


class _Room:
    """The bytes that may be unpacked of one package."""

    def __init__(self, left: int) -> None:
        self._left = left

    def parts(self, package: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[bytes]:
        """Yield the bytes of a file. Raise AnswerTooLarge beyond the limits, and any of DAMAGES."""
        size = 0
        with package.open(member) as stream:
            while part := stream.read(STEP):
                size += len(part)
                self._left -= len(part)
                if size > MOST_FILE_BYTES or self._left < 0:
                    raise AnswerTooLarge(f"{member.filename[:200]!r} is too large, unpacked.")
                yield part

    def faults(self, package: zipfile.ZipFile, member: zipfile.ZipInfo, md: Attributes) -> Iterator[tuple[str, str]]:
        """Return how a file differs from what is stated of it. Raise ValueError when it is too large."""
        known = digests_of(md.get("hash", ""))
        digest = hashlib.new(_ALGORITHMS[known[0][0]] if known else "sha256", usedforsecurity=False)
        size = 0
        try:
            for part in self.parts(package, member):
                size += len(part)
                digest.update(part)
        except AnswerTooLarge as error:
            raise ValueError(str(error)) from error
        return fixity_faults(md, size, lambda _name: digest.hexdigest())


def fixity_faults(md: Attributes, size: int, digest: Callable[[str], str]) -> Iterator[tuple[str, str]]:
    """Yield (`length` or `hash`, a sentence) for every difference between bytes and what is stated of them.

    `digest` returns the digest of the bytes by the name that `hashlib` has.
    """
    stated = md.get("length", "")
    if NUMBER.fullmatch(stated) and int(stated) != size:
        yield "length", f"It has {size} bytes, and the length is {stated}."
    for name, value in digests_of(md.get("hash", ""))[:1]:
        if (own := digest(_ALGORITHMS[name])) != value:
            yield "hash", f"Its {name} is {own}, not {value}."
