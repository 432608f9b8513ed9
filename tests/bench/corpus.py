"""A corpus of any size, always the same: records as repositories have them, fourteen or fifteen dc elements and 2 kB.

That is the mean of 9,000 recorded records of 250 repositories (15 elements, 2.1 kB), and they have these elements.

A hundred thousand works are written, in blocks of twenty thousand; a larger corpus repeats them with other identifiers,
block by block, which neither a compressor of single records nor an index can notice.
"""

from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from random import Random
from xml.sax.saxutils import escape

WORKS = 20_000  # of a block
_BLOCKS = 5  # that differ
PAGE = 500
# Stands in identifiers where the number of the block goes; as long as the number, so that pages keep their length.
BLOCK = b"zzzzz"

_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"'
    ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
    ' xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/'
    ' http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd"><responseDate>2025-01-01T00:00:00Z</responseDate>'
    "<request>http://bench.example.org/oai</request>"
)
_RECORD = """<record><header><identifier>oai:bench.example.org:zzzzz-%05d</identifier>\
<datestamp>%s</datestamp><setSpec>subject:%d</setSpec></header><metadata><oai_dc:dc \
xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/" \
xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai_dc/ http://www.openarchives.org/OAI/2.0/oai_dc.xsd">
%s</oai_dc:dc></metadata></record>"""
_DATE = "2024-%02d-%02dT10:00:00Z"
SYLLABLES = (
    *("ba", "co", "di", "fe", "gu", "ha", "in", "jo", "ka", "li", "mo", "na", "os", "pre"),
    *("qui", "ra", "sen", "tri", "um", "ver", "xis", "yl", "zo", "ter", "con", "able", "ing", "tion"),
)
_LONGEST_DESCRIPTION = 800  # with everything around it, a record of about 2 kB
_PUBLISHERS = "University of Bench, Faculty of Measures and Weights, Department %d"
_RIGHTS = (
    "This item is protected by copyright and related rights. You are free to use it in any way that is permitted by the"
    " copyright legislation that applies to your use; for other uses you need to obtain permission from the holder of"
    " the rights. Statement %d: http://rightsstatements.org/vocab/InC/1.0/"
)


def list_page(number: int, records: int, size: int = PAGE) -> bytes:
    """Return page `number` (from 0) of a ListRecords answer over a corpus of `records` records, with its token.

    `size` is how many records a page has; it divides `PAGE`.
    """
    block, first = divmod(number * size, WORKS)
    numbers = range(first, first + min(size, records - number * size))
    return _page(numbers, block, records, number * size, str(number + 1) if (number + 1) * size < records else "")


def dated_page(dates: str, first: int, records: int, size: int = PAGE) -> bytes:
    """Return the page behind `first` records of those that lie between two dates, `from/until`, with its token.

    Of a corpus of one block only. The token is `dates` and the number of records before the next page.
    """
    numbers = _between(dates, records)
    if not numbers:
        return answer('<error code="noRecordsMatch"/>')
    following = f"{dates}/{first + size}" if first + size < len(numbers) else ""
    return _page(numbers[first : first + size], 0, len(numbers), first, following)


def _page(numbers: Sequence[int], block: int, complete: int, cursor: int, following: str) -> bytes:
    written = works(block % _BLOCKS)
    body = b"".join(written[number] for number in numbers).replace(BLOCK, b"%05d" % block)
    token = f'<resumptionToken completeListSize="{complete}" cursor="{cursor}">{following}</resumptionToken>'
    return b"%s<ListRecords>%s%s</ListRecords></OAI-PMH>" % (_HEAD.encode(), body, token.encode())


@cache
def _between(dates: str, records: int) -> tuple[int, ...]:
    from_, _, until = dates.partition("/")
    return tuple(
        number
        for number in range(min(records, WORKS))
        if from_ <= _DATE % _date(number) and (not until or _DATE % _date(number) <= until)
    )


def _date(number: int) -> tuple[int, int]:
    return number % 12 + 1, number % 28 + 1


def answer(content: str) -> bytes:
    """Return an answer with `content` between the request element and the end."""
    return f"{_HEAD}{content}</OAI-PMH>".encode()


def write_works(records: int) -> None:
    """Write the works of a corpus of so many records before they are served, and timed."""
    for block in range(min(-(-records // WORKS), _BLOCKS)):
        works(block)


@cache
def works(block: int = 0) -> list[bytes]:
    """Return the `<record>` elements of the works of a block, with `BLOCK` in their identifiers."""
    random = Random(2025 + block)
    words = ["".join(random.choices(SYLLABLES, k=random.randint(1, 4))) for _ in range(20_000)]
    likelihood = list(accumulate(1 / rank for rank in range(1, len(words) + 1)))  # Zipf's law
    return [_record(number, random, words, likelihood).encode() for number in range(WORKS)]


def _record(number: int, random: Random, words: list[str], likelihood: list[float]) -> str:
    text = iter(random.choices(words, cum_weights=likelihood, k=400))

    def phrase(letters: int) -> str:
        content = next(text)
        while len(content) < letters:
            content = f"{content} {next(text)}"
        return content.capitalize()

    year = random.randint(1950, 2024)
    statements = [
        ("title", phrase(60)), *(("creator", f"{phrase(8)}, {phrase(6)}") for _ in range(2 + number % 2)),
        *(("subject", phrase(12)) for _ in range(2)),
        ("description", f"{phrase(random.randint(200, _LONGEST_DESCRIPTION))} & {phrase(10)}."),
        ("publisher", _PUBLISHERS % (number % 40)), ("date", f"{year}-{random.randint(1, 12):02}-01"),
        ("date", f"{year + 1}-02-03T10:20:30Z"), ("type", "info:eu-repo/semantics/article"), ("language", "eng"),
        ("identifier", f"https://bench.example.org/handle/zzzzz/{number:05}"),
        ("identifier", f"https://doi.org/10.5555/zzzzz.{number:05}"), ("rights", _RIGHTS % (number % 7)),
    ]  # fmt: skip
    lines = "".join(f"<dc:{element}>{escape(content)}</dc:{element}>\n" for element, content in statements)
    return _RECORD % (number, _DATE % _date(number), number % 10, lines)
