"""A small web in which the files of the sample can be found: what the search of the demo and of tests asks.

It answers for every host, by the path: `/api.unpaywall.org/v2/…`. It uses the standard library only, as the sample's
repository does. Run it as `python tests/sample/web.py`; it prints the address it serves and goes on until it is ended.
"""

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import unquote, urlsplit

sys.path.insert(0, str(Path(__file__).parent))
from solr import served  # type: ignore[import-not-found,unused-ignore]
from source import read_works  # type: ignore[import-not-found,unused-ignore]

Work = dict[str, Any]
COPIES = "https://repository.example.net"
# Works of which another repository has a copy that Unpaywall knows, and works whose page leads to a file.
WITH_COPY = ("LR-15-00007",)
WITH_PAGE = ("LR-15-00071",)
KINDS = {".pdf": "application/pdf", ".zip": "application/zip"}
PDF, HTML, JSON = "application/pdf", "text/html; charset=UTF-8", "application/json"


PAGE_BREAK = "\f"


def a_pdf(*lines: str) -> bytes:
    """Return a PDF with these lines, with references; the line `PAGE_BREAK` begins another page."""
    pages: list[list[str]] = [[]]
    for line in lines:
        if line == PAGE_BREAK:
            pages.append([])
        else:
            pages[-1].append(line)
    pages[-1].append("References")
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Kids[{' '.join(f'{4 + 2 * number} 0 R' for number in range(len(pages)))}]/Count {len(pages)}>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    drawn = "/MediaBox[0 0 600 800]/Resources<</Font<</F1 3 0 R>>>>"
    for number, page in enumerate(pages):
        text = "BT /F1 9 Tf 20 700 Td 12 TL " + " ".join(f"({line}) Tj T*" for line in page) + " ET"
        objects += [
            f"<</Type/Page/Parent 2 0 R{drawn}/Contents {5 + 2 * number} 0 R>>",
            f"<</Length {len(text)}>>stream\n{text}\nendstream\n",
        ]
    body = "%PDF-1.4\n" + "".join(f"{number} 0 obj{content}endobj\n" for number, content in enumerate(objects, 1))
    return (body + f"trailer<</Root 1 0 R/Size {len(objects) + 1}>>\n%%EOF").encode()


def _text(work: Work, *elements: str) -> str:
    return " ".join(text for element, text, *_ in work["statements"] if element in elements)


def file_of(work: Work) -> bytes:
    """Return the file of a work: its title, its authors, and what the record says of it several times."""
    head = [line for element in ("title", "creator") for line in _lines(_text(work, element))]
    text = _lines(_text(work, "title", "creator", "description"))
    return a_pdf(*head, "Abstract", *text, PAGE_BREAK, *text * 4)


def _lines(text: str) -> list[str]:
    """Return the plain words of a text, twelve in a line."""
    words = text.encode("ascii", "ignore").decode()
    plain = "".join(word if word.isalnum() else " " for word in words).split()
    return [" ".join(plain[start : start + 12]) for start in range(0, len(plain), 12)]


def _statements(work: Work, *elements: str) -> Iterator[str]:
    yield from (text for element, text, *_ in work["statements"] if element in elements)


def _files_named(work: Work) -> Iterator[str]:
    """Return the addresses of files that a record names itself, without their scheme."""
    for text in _statements(work, "identifier", "relation", "format", "source"):
        _, separator, address = text.partition("https://laro.example.org/files/")
        if separator and address.split()[0].endswith(tuple(KINDS)):
            yield f"laro.example.org/files/{address.split()[0]}"


def made(works: Iterable[Work]) -> dict[str, tuple[str, bytes]]:
    """Return everything that there is in this web: (type, body) by address without scheme."""
    answers: dict[str, tuple[str, bytes]] = {}
    for work in works:
        if work.get("deleted"):
            continue
        number = work["number"]
        for address in _files_named(work):
            kind = KINDS[address[-4:]]
            answers[address] = kind, file_of(work) if kind == PDF else b"PK\x03\x04 and what else was measured"
        if number in WITH_COPY:
            doi = _text(work, "identifier").partition("doi.org/")[2].split()[0]
            copy = f"{COPIES}/{number}.pdf"
            place = {"url_for_pdf": copy, "license": "cc-by", "version": "acceptedVersion", "evidence": "a title"}
            known = {"doi": doi, "title": _text(work, "title"), "is_oa": True, "oa_locations": [place]}
            answers[f"api.unpaywall.org/v2/{doi}"] = JSON, json.dumps(known).encode()
            answers[copy.removeprefix("https://")] = PDF, file_of(work)
        if number in WITH_PAGE:
            page = next(text for text in _statements(work, "identifier") if "/record/" in text)
            meta = f'<meta name="citation_pdf_url" content="{page}.pdf">'
            answers[page.removeprefix("https://")] = (
                HTML,
                f"<html><head>{meta}</head><body>A work</body></html>".encode(),
            )
            answers[f"{page.removeprefix('https://')}.pdf"] = PDF, file_of(work)
    return answers


def main() -> None:
    """Serve until ended."""
    there = made(read_works()[0])

    def answer(path: str) -> tuple[int, bytes, str]:
        kind, body = there.get(unquote(urlsplit(path).path)[1:], (HTML, b""))
        return 200 if body else 404, body, kind

    with served(answer) as place, suppress(KeyboardInterrupt):
        print(f"A small web is served at {place}", flush=True)
        Event().wait()


if __name__ == "__main__":
    main()
