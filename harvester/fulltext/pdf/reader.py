"""The child process that reads a PDF: it gets bytes on stdin, and writes facts and text to stdout, nothing else.

It is started by `extraction` with one argument, the engine, and an empty environment. Before it reads a byte, it limits
its memory, CPU and open files, and enters the sandbox of `gateway/core/sandbox.py`. There it has no other file, no
socket, and no process. Its exit statuses are the protocol's.
"""

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

from gateway.core import sandbox

MEMORY_BYTES = 1 << 30
CPU_SECONDS = 20
_FILES = 64
_MOST_PAGES = 300
_MOST_CHARACTERS = 2_000_000
_FIRST_PAGES = 2

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


def _with_pdfium(data: bytes) -> tuple[int, Iterator[str]]:
    import pypdfium2  # type: ignore[import-untyped] # noqa: PLC0415 - each child loads one engine

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        raise (_Encrypted if "password" in str(error).lower() else ValueError)(str(error)) from error

    numbers = range(min(len(document), _MOST_PAGES))
    return len(document), (document[number].get_textpage().get_text_range() for number in numbers)


def _with_pdfminer(data: bytes) -> tuple[int, Iterator[str]]:
    from pdfminer.high_level import extract_text  # noqa: PLC0415 - as above
    from pdfminer.pdfdocument import PDFDocument, PDFEncryptionError, PDFPasswordIncorrect  # noqa: PLC0415
    from pdfminer.pdfpage import PDFPage  # noqa: PLC0415
    from pdfminer.pdfparser import PDFParser  # noqa: PLC0415

    try:
        count = sum(1 for _ in PDFPage.create_pages(PDFDocument(PDFParser(BytesIO(data)))))
    except (PDFPasswordIncorrect, PDFEncryptionError) as error:
        raise _Encrypted(str(error)) from error

    numbers = range(min(count, _MOST_PAGES))
    return count, (extract_text(BytesIO(data), page_numbers=[number]) for number in numbers)


ENGINES: dict[str, Callable[[bytes], tuple[int, Iterator[str]]]] = {"pdfium": _with_pdfium, "pdfminer": _with_pdfminer}


def _read(engine: str, data: bytes) -> dict[str, object]:
    count, pages = ENGINES[engine](data)
    texts: list[str] = []
    length = 0
    for text in pages:
        # The end of a page in the text of pdfminer; in old fonts of TeX the ligature `fi`.
        texts.append(text.replace("\f", ""))
        length += len(text)
        if length > _MOST_CHARACTERS:
            break
    first, rest = texts[:_FIRST_PAGES], texts[_FIRST_PAGES:]
    return {
        "pages": count,
        # A page break shows the page of a text: a document names itself on the first one, and ends on the last one.
        "first": "\f".join(first)[:_MOST_CHARACTERS],
        "rest": "\n\f".join(rest)[:_MOST_CHARACTERS],
        "front": "".join(first[:1])[:_MOST_CHARACTERS],
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
