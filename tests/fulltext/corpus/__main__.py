"""Print, kind by kind, what rules make of the files: `python -m tests.fulltext.corpus [WORKS] [PART OF A NAME]`.

WORKS is how many, or a range: `8-12` are the works 8 to 11.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence

from tests.fulltext.corpus import kinds
from tests.fulltext.corpus.cases import Kind
from tests.fulltext.corpus.offering import Offer, Result, as_expected, results

_WORKS = 8


def table(all_results: Sequence[Result]) -> str:
    """Return a table with a line for each kind: of how many offers a rule accepted how many, and what else was said."""
    lines = [f"{'':58} {'developed':>9} {'held back':>9}  kind and version of the file; reasons of the wrong verdicts"]
    for kind in dict.fromkeys(result.kind for result in all_results):
        own = [result for result in all_results if result.kind is kind]
        halves = [[result for result in own if result.is_held_back is half] for half in (False, True)]
        shares = " ".join(f"{sum(r.is_as_it_should_be for r in half):4}/{len(half):<4}" for half in halves)
        lines.append(f"{'right' if kind.is_right else 'wrong'} {kind.name:52} {shares}  {_more(kind, own)}")
    return "\n".join([*lines, "", *summary(all_results)])


def summary(all_results: Sequence[Result]) -> list[str]:
    """Return the figures: wrong files that rules accepted, right ones that they did not, by half and by offer."""
    lines = []
    for half in (False, True):
        name = "held back" if half else "developed"
        own = [result for result in all_results if result.is_held_back is half]
        for offer in ("", *Offer):
            part = [result for result in own if offer in ("", result.offer)]
            wrong, right = (
                [result for result in part if result.kind.is_right is is_right] for is_right in (False, True)
            )
            taken, refused = (sum(not r.is_as_it_should_be for r in rows) for rows in (wrong, right))
            lines.append(
                f"{name}, {offer or 'all':14} wrong accepted {taken:4} of {len(wrong):4}   "
                f"right refused {refused:4} of {len(right):4} ({refused / max(1, len(right)):.1%})"
            )
        for fact in ("kind", "version"):
            fits, total, _ = as_expected(own, fact)
            lines.append(f"{name}, {fact} as expected: {fits} of {total}")
    return lines


def _more(kind: Kind, own: Sequence[Result]) -> str:
    seen = Counter(f"{result.candidate.kind or '-'} {result.candidate.text_version}".strip() for result in own)
    bad = Counter((str(r.offer), r.reason[:70] or str(r.candidate.outcome)) for r in own if not r.is_as_it_should_be)
    parts = [f"{kind.kind or 'any'} {kind.version}: " + ", ".join(f"{name} {n}" for name, n in seen.most_common())]
    return "; ".join(parts + [f"{count} times {offer}: {reason}" for (offer, reason), count in bad.most_common(3)])


def main(arguments: Sequence[str]) -> None:
    """Print the table."""
    first, _, last = (arguments[0] if arguments else str(_WORKS)).rpartition("-")
    part = arguments[1] if len(arguments) > 1 else ""
    print(table(list(results((kind for kind in kinds() if part in kind.name), range(int(first or 0), int(last))))))


if __name__ == "__main__":
    main(sys.argv[1:])
