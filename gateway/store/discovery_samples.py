"""The random samples of files that rules have accepted, and what people say of them."""

from collections.abc import Iterator, Sequence

from gateway.core.model import AcceptRule, Judged, Judgement, SampledFile
from gateway.store.connector import Connector
from gateway.store.queries import load

SQL = load("discovery")


class Samples:
    """Random samples of the files that rules have accepted, and the judgements of people on them."""

    def __init__(self, file: Connector) -> None:
        self._file = file

    def accepted(self, beginning: str) -> Iterator[SampledFile]:
        """Yield the files that a rule accepted for a reason that begins so, if they have the same bytes still.

        A later decision on them does not matter.
        """
        with self._file.reading() as session:
            yield from map(SampledFile._make, session.execute(SQL["accepted_by_rule"], {"beginning": beginning}))

    def drawn_at(self, rule: AcceptRule, month: str) -> int:
        """Return the second in which the sample of a rule and a month was drawn; 0 if it was not."""
        (at,) = self._file.one(SQL["sample_drawn"], (rule, month)) or (0,)
        return int(at)

    def keep(self, rule: AcceptRule, month: str, files: Sequence[SampledFile], at: int) -> None:
        """Store the sample of a rule and a month in the place of a former one. Judgements stay."""
        with self._file.writing() as session:
            session.execute(SQL["sample_drop"], (rule, month))
            rows = [(rule, month, place, *file) for place, file in enumerate(files)]
            session.executemany(SQL["sample_put"], rows)
            session.execute(SQL["sample_drawn_put"], (rule, month, at))

    def sample(self, rule: AcceptRule, month: str) -> tuple[SampledFile, ...]:
        """Return the stored sample of a rule and a month, in its order."""
        return tuple(map(SampledFile._make, self._file.rows(SQL["sample"], (rule, month))))

    def judge(self, judgement: Judgement) -> None:
        """Store a judgement; it replaces the former one of the same person on the same bytes."""
        row = (judgement.rule, *judgement.file, judgement.judged, judgement.judged_by, judgement.at)
        self._file.change(SQL["judgement_put"], row)

    def judgements(self, since: int = 0) -> tuple[Judgement, ...]:
        """Return the judgements since a second."""
        rows = self._file.rows(SQL["judgements"], (since,))
        return tuple(
            Judgement(AcceptRule(rule), SampledFile(*file), Judged(judged), by, at)
            for rule, *file, judged, by, at in rows
        )
