"""Text that flows over sheets: in columns, with running heads, page and line numbers, as papers are laid out."""

from collections.abc import Callable
from dataclasses import dataclass, field

from tests.fulltext.corpus.pdf import Run, Sheet, width_of, written

_MARGIN = 54.0
_GAP = 18.0  # between columns


def _nothing(_page: int) -> str:
    return ""


@dataclass
class Paper:
    """A document that is being set. `header` and `footer` say what stands on a page of that number, from 1 on."""

    width: float = 595.0
    height: float = 842.0
    font: str = "Times"
    size: float = 10.0
    header: Callable[[int], str] = _nothing
    footer: Callable[[int], str] = _nothing
    has_line_numbers: bool = False
    hyphenates: bool = False
    writes_heads_last: bool = False  # in the file; on the page they are where they are
    leading: float = 1.25
    sheets: list[Sheet] = field(default_factory=list)
    _heads: list[int] = field(default_factory=list)  # how many lines of each sheet are running heads
    _columns: int = 1
    _column: int = 0
    _top: float = 0.0  # where columns begin on this page
    _y: float = 0.0
    _lines: int = 0

    def page(self) -> None:
        """Begin a page, with its running head and foot."""
        self.sheets.append(Sheet(self.width, self.height))
        number = len(self.sheets)
        for text, y in ((self.header(number), self.height - 36), (self.footer(number), 30.0)):
            for place, line in enumerate(filter(None, text.split("\n"))):
                self.run(line, _MARGIN, y - 9 * place, 8.0)
        self._heads.append(len(self.sheets[-1].runs))
        self._column, self._top = 0, self.height - _MARGIN - 14
        self._y = self._top

    def run(self, text: str, x: float, y: float, size: float, font: str = "") -> None:
        """Write a line at a place of this page."""
        self.sheets[-1].runs.append(Run(x, y, size, text, font or self.font))

    def columns(self, count: int) -> None:
        """Go on in so many columns, below what is there."""
        self._columns, self._column, self._top = count, 0, self._y

    def put(self, text: str, size: float = 0.0, *, bold: bool = False, gap: float = 0.0) -> None:
        """Set a paragraph; a line end in the text ends a line."""
        if not self.sheets:
            self.page()
        size = size or self.size
        self._y -= gap
        for paragraph in text.split("\n"):
            for line in self._broken(paragraph, size):
                self._line(line, size, self.font + ("Bold" if bold else ""))

    def space(self, points: float) -> None:
        """Leave some room."""
        self._y -= points

    @property
    def _line_width(self) -> float:
        whole = self.width - 2 * _MARGIN
        return (whole - _GAP * (self._columns - 1)) / self._columns

    def _line(self, text: str, size: float, font: str) -> None:
        self._y -= size * self.leading
        if self._y < _MARGIN:
            self._next_column()
            self._y -= size * self.leading
        left = _MARGIN + self._column * (self._line_width + _GAP)
        if self.has_line_numbers:
            self._lines += 1
            self.run(str(self._lines), 28, self._y, 7)
        self.sheets[-1].runs.append(Run(left, self._y, size, text, font))

    def _next_column(self) -> None:
        if self._column + 1 < self._columns:
            self._column += 1
            self._y = self._top
        else:
            self.page()

    def _broken(self, text: str, size: float) -> list[str]:
        lines, line = [], ""
        for word in text.split(" "):
            longer = f"{line} {word}" if line else word
            if width_of(longer, size) <= self._line_width:
                line = longer
            elif self.hyphenates and len(word) > 8 and word.isalpha():
                lines.append(f"{line} {word[:4]}-")
                line = word[4:]
            else:
                lines.append(line)
                line = word
        return [*lines, line]

    def pdf(self) -> bytes:
        """Return the file."""
        if self.writes_heads_last:
            for sheet, count in zip(self.sheets, self._heads, strict=False):
                sheet.runs = sheet.runs[count:] + sheet.runs[:count]
        return written(self.sheets)
