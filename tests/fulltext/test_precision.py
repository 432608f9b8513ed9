"""How often rules are right: the sample, the judgements on it, and the interval."""

from collections import Counter

from gateway.core.model import AcceptRule, Judged, Judgement, SampledFile
from gateway.fulltext.precision import interval, precisions_of, sample_of
from tests.rows import each_row

FILES = [SampledFile(f"oai:x:laro/{number}", f"https://h.example/{number}.pdf", "ab" * 32) for number in range(400)]


def judgement(number: int, judged: Judged, by: str = "ada", rule: AcceptRule = AcceptRule.LICENSE) -> Judgement:
    return Judgement(rule, FILES[number], judged, by, 1)


@each_row("right, judged, expected", [
    (47, 50, (84, 98)), (50, 50, (93, 100)), (0, 10, (0, 28)), (1, 1, (21, 100)), (0, 1, (0, 79)),
    (81, 263, (26, 37)),
])  # fmt: skip
def test_interval_is_that_of_wilson(right, judged, expected):
    """The last one is an example of Newcombe, Statistics in Medicine 17 (1998), table I: 0.2553 to 0.3662."""
    assert tuple(round(100 * bound) for bound in interval(right, judged)) == expected


def test_a_file_counts_once_and_a_disagreement_counts_as_wrong():
    judgements = [
        judgement(1, Judged.RIGHT), judgement(1, Judged.RIGHT, "ito"), judgement(2, Judged.RIGHT),
        judgement(2, Judged.WRONG, "ito"), judgement(3, Judged.UNSURE), judgement(3, Judged.RIGHT, "ito"),
        judgement(4, Judged.WRONG, rule=AcceptRule.POLICY),
    ]  # fmt: skip
    licence, policy = precisions_of(judgements)
    assert (licence.right, licence.judged, licence.unsure) == (2, 3, 0)
    assert (policy.right, policy.judged) == (0, 1)


def test_every_file_is_as_likely_in_the_sample():
    counts = Counter(
        file for month in range(200) for file in sample_of(FILES, AcceptRule.LICENSE, f"month {month}", 40)
    )
    assert len(counts) == 400
    assert max(counts.values()) < 45  # 20 on average, with a standard deviation of 4.2
    assert min(counts.values()) > 3
