"""Bags, good and bad, in every way in which the tests of the Library of Congress's library make them."""

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path
from unicodedata import normalize

NUNEZ = "data/Núñez Papers.txt"


def bagged(folder: Path, *algorithms: str) -> Path:
    """Make a bag of a folder, in place."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    for entry in files:
        target = folder / "data" / entry.relative_to(folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        entry.rename(target)
    payload = _payload(folder)
    oxum = f"{sum(file.stat().st_size for file in payload)}.{len(payload)}"
    (folder / "bagit.txt").write_text("BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n")
    (folder / "bag-info.txt").write_text(f"Bagging-Date: 2024-01-05\nPayload-Oxum: {oxum}\nNote: long\n  line\n")
    listed(folder, *(algorithms or ("sha256",)))
    for entry in folder.iterdir():
        if entry.is_dir() and entry.name != "data":
            shutil.rmtree(entry)
    return folder


def _payload(folder: Path) -> list[Path]:
    return sorted(path for path in (folder / "data").rglob("*") if path.is_file())


def listed(folder: Path, *algorithms: str, change: Callable[[str], str] = lambda text: text) -> None:
    """Write the manifests of a bag again, changed by `change`, and those of its tag files."""
    for name in folder.glob("*manifest-*.txt"):
        name.unlink()
    (folder / "data").mkdir(exist_ok=True)
    for algorithm in algorithms:
        (folder / f"manifest-{algorithm}.txt").write_bytes(change(_lines(folder, _payload(folder), algorithm)).encode())
    tags = sorted(path for path in folder.iterdir() if path.suffix == ".txt")
    for algorithm in algorithms:
        (folder / f"tagmanifest-{algorithm}.txt").write_text(_lines(folder, tags, algorithm))


def _lines(folder: Path, files: list[Path], algorithm: str) -> str:
    return "".join(
        f"{hashlib.new(algorithm, file.read_bytes()).hexdigest()}  {file.relative_to(folder)}\n" for file in files
    )


def _rewrite(name: str, change: Callable[[str], str]) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_text(change((folder / name).read_text()))


def _tag(change: Callable[[Path], object]) -> Callable[[Path], None]:
    """Let tag files be listed as they are after a change."""

    def changed(folder: Path) -> None:
        change(folder)
        listed(folder, "sha256")

    return changed


def _declared(text: str) -> Callable[[Path], None]:
    return _tag(lambda folder: (folder / "bagit.txt").write_text(text))


def _version(number: str) -> Callable[[Path], None]:
    return _declared(f"BagIt-Version: {number}\nTag-File-Character-Encoding: UTF-8\n")


def _fetch(line: str) -> Callable[[Path], None]:
    return _tag(lambda folder: (folder / "fetch.txt").write_text(line))


def _added(path: str, content: str = "x") -> Callable[[Path], object]:
    def added(folder: Path) -> None:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(content)

    return added


def _named(line: str) -> Callable[[Path], None]:
    return lambda folder: listed(folder, "md5", change=lambda text: text + f"{'0' * 32} {line}\n")


def _precomposed(folder: Path) -> None:
    """Let the file have its name in the one form of Unicode, and the manifest in the other."""
    _added(normalize("NFD", NUNEZ))(folder)
    _forget_oxum(folder)
    listed(folder, "sha256", change=lambda text: normalize("NFC", text))


def _forget_oxum(folder: Path) -> None:
    (folder / "bag-info.txt").unlink()


def _with_line_end(folder: Path) -> None:
    _added("data/new\rline")(folder)
    _forget_oxum(folder)
    listed(folder, "sha256", change=lambda text: text.replace("\r", "%0D"))


def _linked(folder: Path) -> None:
    (folder / "data/link.txt").symlink_to("/etc/hostname")
    _forget_oxum(folder)
    listed(folder, "sha256")


def _with_tag_folder(digest: str) -> Callable[[Path], None]:
    def made(folder: Path) -> None:
        _added("tags/deep/tagfile", "test")(folder)
        with (folder / "tagmanifest-sha256.txt").open("a") as stream:
            stream.write(f"{digest} tags/deep/tagfile\n")

    return made


# Named after what they are in test.py of bagit-python (1.9), or in the conformance suite.
GOOD: dict[str, Callable[[Path], object]] = {
    "none": lambda _: None,
    "md5, sha1 and sha256": lambda folder: listed(folder, "md5", "sha1", "sha256"),
    "sha512": lambda folder: listed(folder, "sha512"),
    "extraneous files in base": _added("IGNOREFILE"),
    "mixed case checksums": lambda folder: listed(folder, "md5", change=lambda text: text[:32].upper() + text[32:]),
    "an optional tag file": _with_tag_folder(hashlib.sha256(b"test").hexdigest()),
    "no tag manifest": lambda folder: (folder / "tagmanifest-sha256.txt").unlink(),
    "no bag-info": _tag(_forget_oxum),
    "carriage return in a name": _with_line_end,
    "names in another form of Unicode": _precomposed,
    "0.97": _version("0.97"),
    "0.97 with a file that one of two manifests names": lambda folder: [
        _version("0.97")(folder),
        listed(folder, "md5", "sha256"),
        _rewrite("manifest-md5.txt", lambda text: text.partition("\n")[2])(folder),
        [path.unlink() for path in folder.glob("tagmanifest-*")],
    ],
    "something to be fetched": _fetch("https://example.org/PIA21390.jpg - data/nasa/PIA21390.jpg\n"),
    "UTF-16 tag files": lambda folder: [
        _declared("BagIt-Version: 0.97\nTag-File-Character-Encoding: UTF-16\n")(folder),
        [path.write_bytes(path.read_text().encode("utf-16")) for path in folder.glob("*manifest-*.txt")],
        [path.write_bytes(path.read_text().encode("utf-16")) for path in folder.glob("bag-info.txt")],
        [path.unlink() for path in folder.glob("tagmanifest-*")],
    ],
}

# Of these the library takes two (STRICTER): it warns of such lines, and is lenient where the RFC is not.
BAD: dict[str, Callable[[Path], object]] = {
    "a digest that does not fit": lambda folder: (folder / "data/records.xml").write_text("x"),
    "a file that is not there": lambda folder: (folder / "data/records.xml").unlink(),
    "a file in no manifest": lambda folder: (folder / "data/new.txt").touch(),
    "no manifest": lambda folder: (folder / "manifest-sha256.txt").unlink(),
    "no payload": lambda folder: shutil.rmtree(folder / "data"),
    "no bagit.txt": lambda folder: (folder / "bagit.txt").unlink(),
    "a byte order mark in bagit.txt": _tag(_rewrite("bagit.txt", lambda text: "\ufeff" + text)),
    "version 2.0": _version("2.0"),
    "unknown encoding": _declared("BagIt-Version: 0.97\nTag-File-Character-Encoding: WTF-8\n"),
    "a changed tag file": _rewrite("bag-info.txt", lambda text: text + "More: x\n"),
    "an optional tag file with another digest": _with_tag_folder("0" * 64),
    "a path out of the bag": _named("data/../../x"),
    "a path of the machine": _named("/dev/null"),
    "a link out of the bag": _linked,
    "another Payload-Oxum": _tag(
        _rewrite("bag-info.txt", lambda text: text.replace("Payload-Oxum: ", "Payload-Oxum: 1"))
    ),
    "an unsafe path to be fetched": _fetch("https://example.org/PIA21390.jpg - /etc/passwd\n"),
    "a malformed address to be fetched": _fetch("//example.org/PIA21390.jpg - data/nasa/PIA21390.jpg\n"),
    "a line that is none": lambda folder: listed(folder, "sha256", change=lambda text: text + "?\n"),
    "an unknown algorithm": lambda folder: [
        (folder / "tagmanifest-sha256.txt").unlink(),
        (folder / "manifest-sha256.txt").rename(folder / "manifest-crc32.txt"),
    ],
    "whitespace before the colon of bagit.txt": _declared("BagIt-Version : 1.0\nTag-File-Character-Encoding : UTF-8\n"),
}
STRICTER = frozenset(("a line that is none", "whitespace before the colon of bagit.txt"))
