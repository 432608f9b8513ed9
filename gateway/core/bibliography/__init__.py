"""What a record says about a work, read once for everybody: pages, citations, search, full text, graph and audit.

`of` returns it for any Work. One function each says what is shown and cited: `texts.title_of`, `people.authors_of`,
`dates.date_of`, `identifiers.of_relation`.
"""

from gateway.core.bibliography import dublin_core
from gateway.core.model import Bibliography, Work


def of(work: Work) -> Bibliography:
    """Return the bibliography of a work: that of its format, else what its Dublin Core statements say."""
    return work.bibliography if work.bibliography is not None else dublin_core.read(work.statements)
