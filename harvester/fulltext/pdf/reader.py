"""The child process that reads a PDF: it gets bytes on stdin, and writes facts and text to stdout, nothing else.

It is started by `extraction` with one argument, the engine, and an empty environment. Before it reads a byte, it limits
its memory, CPU and open files, and enters the sandbox of `gateway/core/sandbox.py`. There it has no other file, no
socket, and no process. Its exit statuses are the protocol's.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import NamedTuple, TypeAlias

from gateway.core import sandbox

MEMORY_BYTES = 1 << 30
CPU_SECONDS = 20
_FILES = 64
_MOST_PAGES = 300
_MOST_CHARACTERS = 2_000_000
_FIRST_PAGES = 2
_MEASURED_TEXT, _MEASURED_LETTERS = 8_000, 5  # characters of a page, letters of a line whose height is measured
_HEAD_LINES = 6  # at the end of the text of a page, among which its running head may be
_MEASURED_PAGES = 20  # pages whose size and number of words are measured

# The exit statuses that `extraction` knows.
BROKEN, ENCRYPTED, NO_MEMORY = 10, 11, 12

# The modules of each engine: imported before the sandbox closes. Afterwards an engine may read its own folder only.
_PACKAGES = {
    "pdfium": ("pypdfium2",),
    "pdfminer": ("pdfminer.high_level", "pdfminer.pdfdocument", "pdfminer.pdfpage", "pdfminer.pdfparser"),
}
_PR_SET_PDEATHSIG = 1  # prctl(2)

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
_FORBIDDEN = ("socket.", "subprocess.", "os.system", "os.exec", "os.fork", "os.posix_spawn", "ctypes.dlsym/handle")


class _Encrypted(Exception):
    """The file needs a password."""


def _limit(engine: str) -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)  # for any end of the parent
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (_FILES, _FILES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    packages = [import_module(name) for name in _PACKAGES.get(engine, ())]
    folders = {Path(package.__file__).parent for package in packages if package.__file__}
    sandbox.enter([sandbox.standard_library(), *folders])
    sys.addaudithook(_refuse)


def _refuse(event: str, arguments: tuple[object, ...]) -> None:
    """Refuse functions that an engine does not need. The limits above restrict the C code."""
    writes = event == "open" and isinstance(arguments[2], int) and arguments[2] & _WRITING
    if writes or event.startswith(_FORBIDDEN):
        raise PermissionError(event)


class Page(NamedTuple):
    """One page: its text, and its displayed size in points; 0 if no engine knows it.

    `types` are the heights of the letters of its lines, in points; empty if they are not known, or not measured.
    """

    text: str
    width: float = 0.0
    height: float = 0.0
    types: tuple[float, ...] = ()


Box: TypeAlias = Callable[..., tuple[float, float, float, float]]


class _Line(NamedTuple):
    """A line of a page: its text, the height of its letters, and its place; 0 if they are not known.

    `bottom` and `top` are 0 for a line that is turned: its letters are one above the other.
    """

    text: str
    height: float = 0.0
    bottom: float = 0.0
    top: float = 0.0


def _lines(text: str, box: Box) -> list[_Line]:
    """Return the lines of a page. Those at its beginning and its end are measured."""
    lines, place = [], 0
    texts = text.split("\n")
    for number, line in enumerate(texts):
        is_measured = place < _MEASURED_TEXT or number >= len(texts) - _HEAD_LINES
        lines.append(_measured(line, place, box) if is_measured else _Line(line))
        place += len(line) + 1
    return lines


def _measured(line: str, place: int, box: Box) -> _Line:
    """Return a line with its measures: the median of the boxes of some of its letters."""
    letters = [place + at for at, letter in enumerate(line) if letter.isalnum()]
    boxes = [_box(box, at) for at in letters[:: max(1, len(letters) // _MEASURED_LETTERS)]]
    heights = sorted(top - bottom for bottom, top in boxes)
    height = heights[len(heights) // 2] if heights else 0.0
    is_level = bool(boxes) and abs(boxes[0][0] - boxes[-1][0]) <= height
    bottom, top = boxes[0] if is_level else (0.0, 0.0)
    return _Line(line, round(height, 1), bottom, top)


def _box(box: Box, at: int) -> tuple[float, float]:
    """Return where a letter begins and ends, from the lower edge of the page."""
    try:
        _, bottom, _, top = box(at, loose=True)
    except Exception:  # noqa: BLE001 - an engine without the place of a letter does not know its height
        return 0.0, 0.0
    return bottom, top


def _heads_first(lines: list[_Line]) -> list[_Line]:
    """Return the lines of a page with its running head first, even if the file has it last.

    The last lines that are above all others are the head.
    """
    body, last = lines[:-_HEAD_LINES], lines[-_HEAD_LINES:]
    highest = max((line.top for line in body), default=0.0)
    head = [line for line in last if line.bottom and line.bottom >= highest > 0]
    return [*head, *(line for line in lines if not any(line is other for other in head))] if head else lines


def _with_pdfium(data: bytes) -> tuple[int, Iterator[Page]]:
    import pypdfium2  # type: ignore[import-untyped] # noqa: PLC0415 - each child loads one engine

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        raise (_Encrypted if "password" in str(error).lower() else ValueError)(str(error)) from error

    def pages() -> Iterator[Page]:
        for number in range(min(len(document), _MOST_PAGES)):
            page = document[number]
            textpage = page.get_textpage()
            text = textpage.get_text_range()
            width, height = page.get_size()
            if number >= _FIRST_PAGES:
                yield Page(text, width, height)
                continue
            lines = _heads_first(_lines(text, textpage.get_charbox))
            yield Page("\n".join(line.text for line in lines), width, height, tuple(line.height for line in lines))

    return len(document), pages()


def _with_pdfminer(data: bytes) -> tuple[int, Iterator[Page]]:
    from pdfminer.high_level import extract_text  # noqa: PLC0415 - as above
    from pdfminer.pdfdocument import PDFDocument, PDFEncryptionError, PDFPasswordIncorrect  # noqa: PLC0415
    from pdfminer.pdfpage import PDFPage  # noqa: PLC0415
    from pdfminer.pdfparser import PDFParser  # noqa: PLC0415

    try:
        count = sum(1 for _ in PDFPage.create_pages(PDFDocument(PDFParser(BytesIO(data)))))
    except (PDFPasswordIncorrect, PDFEncryptionError) as error:
        raise _Encrypted(str(error)) from error

    def pages() -> Iterator[Page]:
        for number in range(min(count, _MOST_PAGES)):
            yield Page(extract_text(BytesIO(data), page_numbers=[number]))

    return count, pages()


ENGINES: dict[str, Callable[[bytes], tuple[int, Iterator[Page]]]] = {"pdfium": _with_pdfium, "pdfminer": _with_pdfminer}


def _read(engine: str, data: bytes) -> dict[str, object]:
    count, pages = ENGINES[engine](data)
    texts: list[str] = []
    sizes: list[tuple[float, float]] = []
    types: list[tuple[float, ...]] = []
    length = 0
    for page in pages:
        # The end of a page in the text of pdfminer; in old fonts of TeX the ligature `fi`.
        texts.append(page.text.replace("\f", ""))
        sizes.append((page.width, page.height))
        types.append(page.types)
        length += len(page.text)
        if length > _MOST_CHARACTERS:
            break
    first, rest = texts[:_FIRST_PAGES], texts[_FIRST_PAGES:]
    return {
        "pages": count,
        # A page break shows the page of a text: a document names itself on the first one, and ends on the last one.
        "first": "\f".join(first)[:_MOST_CHARACTERS],
        "rest": "\n\f".join(rest)[:_MOST_CHARACTERS],
        "front": "".join(first[:1])[:_MOST_CHARACTERS],
        "counts": [len(text.split()) for text in texts[:_MEASURED_PAGES]],
        "sizes": sizes[:_MEASURED_PAGES],
        "types": types[:_FIRST_PAGES],
    }


def main() -> int:
    """Read stdin with the engine that the argument names; print a line end, then a JSON object; return the status."""
    _limit(sys.argv[1])
    sys.stdout.buffer.write(b"\n")  # it has begun: from now on the file is the reason for any end
    sys.stdout.buffer.flush()
    try:
        extracted = _read(sys.argv[1], sys.stdin.buffer.read())
        sys.stdout.buffer.write(json.dumps(extracted).encode("ascii"))
    except MemoryError:
        return NO_MEMORY
    except _Encrypted:
        return ENCRYPTED
    except Exception:  # noqa: BLE001 - a PDF may break an engine in any way; that is what the child is for
        return BROKEN
    return 0


if __name__ == "__main__":
    sys.exit(main())
