"""The pages that a service calls open: where it knows no address of the file, its page leads there.

They are read before further services are asked, because one open copy is enough.
"""

from dataclasses import replace

from harvester.fulltext.steps import Known, Step, StepResult, landing_page, signposting
from harvester.fulltext.steps._pages import open_pages_of
from harvester.http.messages import Fetch


def _find(known: Known, fetch: Fetch) -> StepResult:
    pages = open_pages_of(known)
    result = signposting.follow(known, pages, fetch)
    if not result.copies:
        result = replace(landing_page.walk(pages, fetch), identifiers=result.identifiers)
    # The first copy on an open page counts as open.
    first = tuple(copy._replace(is_open=True) for copy in result.copies[:1])
    return replace(result, copies=first + result.copies[1:])


STEP = Step(
    "open_pages",
    48,
    "Follows the signposts and links of pages that a service calls open.",
    lambda known: bool(open_pages_of(known)),
    _find,
)
