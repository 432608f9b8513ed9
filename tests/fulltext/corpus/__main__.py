"""Print, kind by kind, what rules make of the files: `python -m tests.fulltext.corpus [WORKS] [PART OF A NAME]`.

WORKS is how many, or a range: `8-12` are the works 8 to 11.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence

from tests.fulltext.corpus import kinds
from tests.fulltext.corpus.offering import as_expected, results


def main(arguments: Sequence[str]) -> None:
    """Print of how many offers of each kind a rule said what it should, the reasons elsewhere, and the figures."""
    first, _, last = (arguments[0] if arguments else "8").rpartition("-")
    part = arguments[1] if len(arguments) > 1 else ""
    every = list(results((kind for kind in kinds() if part in kind.name), range(int(first or 0), int(last))))
    for kind in dict.fromkeys(result.kind for result in every):
        own = [result for result in every if result.kind is kind]
        bad = Counter(
            (str(r.offer), r.reason[:70] or str(r.candidate.outcome)) for r in own if not r.is_as_it_should_be
        )
        reasons = "; ".join(f"{count} times {offer}: {reason}" for (offer, reason), count in bad.most_common(3))
        print(
            f"{'right' if kind.is_right else 'wrong'} {kind.name:52} {len(own) - bad.total():4}/{len(own):<4} {reasons}"
        )
    for is_held_back in (False, True):
        half = [result for result in every if result.is_held_back is is_held_back]
        for is_right, words in ((False, "wrong accepted"), (True, "right refused")):
            rows = [result for result in half if result.kind.is_right is is_right]
            bad_ones = sum(not result.is_as_it_should_be for result in rows)
            print(f"{'held back' if is_held_back else 'developed'}: {words} {bad_ones} of {len(rows)}")
        for fact in ("kind", "version"):
            print(f"  {fact} as expected: {as_expected(half, fact)[:2]}")


if __name__ == "__main__":
    main(sys.argv[1:])
