"""Kinds of files as scripts: what is set on their pages, one paragraph or instruction a line.

A paragraph is `STYLE: words`: its size, `b` for bold, and `+N` for the room above it, all of which may be
missing; `¶` ends a line. `<one~two>` are several ways to say a thing. `{s}` is the work and `{o}` another one, whose title
is `{o.title}`, and `{o:7 notes}` seven sentences. `{w}` is the n-th work in the same field, and `{b}` of the same people.
Instructions are `page`, `uncover`, `columns`, `space`, `head`, `summary`, `body` and `references`, with a number or `own`,
the pages of the work, and `of s` where they are those of the work. `each 1-8` repeats the lines below it that begin with
`|`, with `{n}`. A line with `#` says what the file is.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from tests.fulltext.corpus.layout import Paper
from tests.fulltext.corpus.papers import article, body, citation, doi_line, head, plain, published, references, summary
from tests.fulltext.corpus.words import Subject

_STYLE = re.compile(r"(?P<size>[\d.]*)(?P<flags>b*)(?:\+(?P<gap>[\d.]+))?: ?(?P<words>.*)")
_WAYS = re.compile(r"<([^<>]*~[^<>]*)>")


class Case(NamedTuple):
    """A file and the work that it is offered for. `name` is the last part of its address.

    `title` is what the record says where that is not what is printed; `type` the type of the record.
    """

    subject: Subject
    file: bytes
    name: str = "download.pdf"
    title: str = ""
    type: str = "article"


class Kind(NamedTuple):
    """One kind of file, and what is right."""

    name: str
    is_right: bool
    make: Callable[[Subject], Case]


class _Number(int):
    """A number to which a format adds another one: `{year:+1}`."""

    def __format__(self, spec: str) -> str:
        return str(self + int(spec or 0))


def filled(template: str, s: Subject, o: Subject, n: int = 0) -> str:
    """Return a text with the words of a work and another one."""
    text = _WAYS.sub(lambda found: s.one_of(*found[1].split("~")), template).replace("¶", "\n")
    work = Subject(s.number + 8 * n, 1) if n else s
    more = {name: _Number(getattr(s, name)) for name in ("year", "number", "first_page")}
    fields = [word.capitalize() for word in s.topic.nouns]
    return text.format(
        s=s, o=o, w=work, b=s.another(n), n=_Number(n), n3=3 * n, n8=8 * n - 6, section=s.sections()[(n - 1) % 6],
        cite=citation(s), doi=doi_line(s), w_doi=doi_line(work), main=s.title.partition(":")[0], lower=s.title.lower(),
        authors=len(s.authors), field=fields[0], fields=fields, town=s.place.lower().replace("ø", "o"), TOWN=s.place.upper(), **more,
    )  # fmt: skip


def set_by(script: str, paper: Paper, s: Subject, o: Subject) -> Paper:
    """Set a script on a paper."""
    for n, line in _repeated(script):
        style = _STYLE.fullmatch(line)
        if style is None:
            _do(line, paper, s, s if line.endswith(" of s") else o)
        else:
            flags, words = style["flags"], filled(style["words"], s, o, n)
            paper.put(words, float(style["size"] or 0), bold="b" in flags, gap=float(style["gap"] or 0))
    return paper


def _repeated(script: str) -> Iterator[tuple[int, str]]:
    lines = [line.lstrip() for line in script.split("\n") if line.strip() and not line.lstrip().startswith("#")]
    for place, line in enumerate(lines):
        if line.startswith("each "):
            first, last = map(int, line[5:].split("-"))
            below = lines[place + 1 :]
            end = next((at for at, other in enumerate(below) if other[0] != "|"), len(below))
            yield from ((n, other[1:].lstrip()) for n in range(first, last + 1) for other in below[:end])
        elif line[0] != "|":
            yield 0, line


def _do(line: str, paper: Paper, s: Subject, own: Subject) -> None:
    verb, *words = line.removesuffix(" of s").split(" ")
    number = words[0] if words else ""
    count = int(number.removeprefix("own") or 0) if number else 0
    count += s.page_count if number.startswith("own") else len(paper.sheets) if number.startswith("+") else 0
    {
        "page": paper.page,
        "uncover": lambda: uncover(paper, s),
        "columns": lambda: paper.columns(count),
        "space": lambda: paper.space(count),
        "head": lambda: head(paper, own),
        "summary": lambda: summary(paper, own),
        "body": lambda: body(paper, own, count, *words[1:]),
        "references": lambda: references(paper, own, count or 12),
    }[verb]()


def first_pages(paper: Paper, count: int) -> Paper:
    """Return a paper with its first pages alone."""
    paper.sheets = paper.sheets[:count]
    return paper


def covered(s: Subject) -> Paper:
    """Return a paper that begins with a cover, without running heads until it is uncovered."""
    return published(s, header=_always(""), footer=_always(""))


def uncover(paper: Paper, s: Subject) -> None:
    """Begin the page behind a cover."""
    heads = published(s)
    paper.header, paper.footer = heads.header, heads.footer
    paper.page()


def _always(words: str) -> Callable[[int], str]:
    return lambda _: words


_SETTING = re.compile(r"(on|on_own|own|header|first|other|name|type|title)(?: (.*))?")
_ON: dict[str, Callable[..., Paper]] = {
    "sheets": lambda _, **more: Paper(**more), "journal": published, "covered": covered, "article": article, "plain": plain,
}  # fmt: skip
_FORMS: dict[str, Callable[[str], Any]] = {
    "on_own": lambda _: True,
    "own": lambda value: lambda s: s.titled(filled(value, s, s)),
    "other": lambda value: getattr(Subject, value),
}


def _on(words: str, header: str | None, first: str) -> Callable[[Subject], Paper]:
    """Return what makes papers: `article columns=2`, with this head on all pages, and these pages alone."""
    name, *arguments = words.split()
    given = dict(map(_argument, arguments))

    def made(s: Subject) -> Paper:
        head_ = {} if header is None else {"header": _always(filled(header, s, s))}
        paper = _ON[name](s, **given, **head_)
        return first_pages(paper, int(filled(first, s, s))) if first else paper

    return made


def _argument(words: str) -> tuple[str, Any]:
    name, _, value = words.partition("=")
    if value.replace(".", "").isdigit():
        return name, float(value) if "." in value else int(value)
    return name, {"str": str, "True": True}.get(value, value)


def read_kinds(text: str) -> Iterator[Kind]:
    """Yield the kinds of a table like `kinds.txt`."""
    for heading, lines in re.findall(r"^\[(.+)\]\n((?:.+\n)*)", text, flags=re.MULTILINE):
        of, _, name = heading.partition(": ")
        form: dict[str, Any] = {}
        script = []
        for line in lines.splitlines():
            if setting := _SETTING.fullmatch(line):
                form[setting[1]] = _FORMS.get(setting[1], str)(setting[2] or "")
            else:
                script.append(line)
        on = _on(form.pop("on", "journal"), form.pop("header", None), form.pop("first", ""))
        yield Kind(name, of == "right", _made_by("\n".join(script), on, **form))


def _made_by(
    script: str, on: Callable[[Subject], Paper], *,
    own: Callable[[Subject], Subject] = lambda s: s, other: Callable[[Subject], Subject] = lambda s: s,
    on_own: bool = False, **case: str,
) -> Callable[[Subject], Case]:  # fmt: skip
    """Return what makes files: a script on a paper `on` of the other work, or of its own, and what the `case` says."""

    def make(subject: Subject) -> Case:
        s = own(subject)
        o = other(s)
        paper = set_by(script, on(s if on_own else o), s, o)
        return Case(s, paper.pdf(), **{key: filled(value, s, s) for key, value in case.items()})

    return make
