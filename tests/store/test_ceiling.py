"""What an earlier store may have answered is not undercut by the next one; a clock that jumps publishes nothing."""

from contextlib import closing

import pytest

from gateway.core.ceiling import Ceiling
from gateway.core.clock import CEILING_SECONDS, HostClock
from gateway.core.errors import ClockAhead, StoreUnwritable
from gateway.core.instance_folder import Instance
from gateway.core.model import Publication
from gateway.store.store import Store
from tests.clocks import START, Clocks
from tests.opening import open_store


def test_a_store_that_was_lost_is_followed_by_one_that_answers_later_seconds_only(tmp_path, clocks) -> None:
    store = open_store(tmp_path, create=True, clock=clocks.host())
    clocks.pass_seconds(5000)
    with store.view() as view:
        answered = view.horizon
    store.close()
    for file in tmp_path.glob("store.sqlite*"):
        file.unlink()
    Instance(tmp_path).accept_losses()
    clocks.wall -= 4000
    with closing(open_store(tmp_path, create=True, clock=clocks.host())) as store, store.view() as view:
        assert view.horizon > answered


def test_an_older_copy_of_a_store_answers_later_seconds_than_the_store_it_replaces(tmp_path, clocks) -> None:
    open_store(tmp_path, create=True, clock=clocks.host()).close()
    older = (tmp_path / "store.sqlite").read_bytes()
    store = open_store(tmp_path, clock=clocks.host())
    clocks.pass_seconds(5000)
    with store.view() as view:
        answered = view.horizon
    store.close()
    (tmp_path / "store.sqlite").write_bytes(older)
    clocks.wall -= 4000
    clocks.boot = "another"
    with closing(open_store(tmp_path, clock=clocks.host())) as store:
        assert store.intend().datestamp > answered


@pytest.mark.parametrize("mode", [0o600, 0o660])
def test_the_file_has_the_mode_of_the_store_whatever_the_umask(tmp_path, clocks, mode) -> None:
    open_store(tmp_path, create=True, clock=clocks.host()).close()
    (tmp_path / "store.sqlite").chmod(mode)
    (tmp_path / "answered-until").unlink()
    open_store(tmp_path, clock=clocks.host()).close()
    assert (tmp_path / "answered-until").stat().st_mode & 0o777 == mode


def test_a_file_that_says_nothing_is_no_ceiling(tmp_path, clocks) -> None:
    open_store(tmp_path, create=True, clock=clocks.host()).close()
    (tmp_path / "answered-until").write_text("soon")
    with closing(open_store(tmp_path, clock=clocks.host())) as store, store.view() as view:
        assert view.horizon == int(clocks.wall)


@pytest.mark.parametrize("keep", [Ceiling.write, Ceiling.lift])
def test_a_folder_that_cannot_be_written_keeps_no_ceiling_and_says_so(tmp_path, keep) -> None:
    with pytest.raises(StoreUnwritable, match="answered-until cannot be written"):
        keep(Ceiling(tmp_path / "missing" / "store.sqlite"), 1)


def test_a_ceiling_is_lifted_and_never_lowered(tmp_path) -> None:
    ceiling = Ceiling(tmp_path / "store.sqlite")
    for second in (5, 3):
        ceiling.lift(second)
    assert ceiling.read() == 5


def test_a_store_of_an_earlier_release_writes_down_what_it_has_answered(tmp_path, clocks) -> None:
    open_store(tmp_path, create=True, clock=clocks.host()).close()
    (tmp_path / "answered-until").unlink()
    open_store(tmp_path, clock=clocks.host()).close()
    assert Ceiling(tmp_path / "store.sqlite").read() == int(clocks.wall) + CEILING_SECONDS


def test_an_older_file_is_no_reason_not_to_open_a_store(tmp_path, clocks, monkeypatch) -> None:
    def refuse(_self: Ceiling, _second: int) -> None:
        raise StoreUnwritable("no")

    open_store(tmp_path, create=True, clock=clocks.host()).close()
    (tmp_path / "answered-until").unlink()
    monkeypatch.setattr(Ceiling, "write", refuse)
    with closing(open_store(tmp_path, clock=clocks.host())) as store:  # raises no StoreUnwritable
        assert store.check() == ()


def test_a_clock_that_another_process_has_made_a_moment_before_counts(tmp_path, clocks) -> None:
    open_store(tmp_path, create=True, clock=clocks.host()).close()
    with closing(open_store(tmp_path, clock=clocks.host())) as store, store._file.writing() as session:
        session.execute("delete from fact where name = 'made_at'")
    before = Ceiling(tmp_path / "store.sqlite").read()
    clocks.pass_seconds(30)
    with closing(open_store(tmp_path, clock=clocks.host())) as store:
        assert store.fact("made_at") != ""
    assert Ceiling(tmp_path / "store.sqlite").read() == before


def test_the_file_is_never_lowered(tmp_path, clocks) -> None:
    with closing(open_store(tmp_path, create=True, clock=clocks.host())) as store:
        Ceiling(tmp_path / "store.sqlite").write(int(clocks.wall) + 9000)
        clocks.pass_seconds(CEILING_SECONDS + 1)
        with store.view() as view:
            assert view.horizon == int(clocks.wall)
    assert Ceiling(tmp_path / "store.sqlite").read() == int(clocks.wall) - CEILING_SECONDS - 1 + 9000


def test_a_clock_that_jumped_while_there_was_no_store_is_not_believed_by_the_next_one(tmp_path, clocks) -> None:
    """A store that is made again has no anchor; the file knows the last second that its predecessor answered."""
    Ceiling(tmp_path / "store.sqlite").write(int(clocks.wall))
    clocks.wall += 400 * 86_400
    with closing(open_store(tmp_path, create=True, clock=clocks.host())) as store:
        with pytest.raises(ClockAhead, match=r"400\.0 days ahead"):
            store.intend()
        store.believe()
        assert store.intend().datestamp >= int(clocks.wall)


def test_a_ceiling_that_another_process_has_kept_meanwhile_is_not_kept_twice(tmp_path, clocks, monkeypatch) -> None:
    open_store(tmp_path, create=True, clock=clocks.host()).close()
    read, ceilings = Ceiling.read, iter([int(clocks.wall) + 9000])
    monkeypatch.setattr(Ceiling, "read", lambda self: next(ceilings, None) or read(self))
    with closing(open_store(tmp_path, clock=clocks.host())) as store, store.view() as view:
        assert view.horizon == int(clocks.wall)


def test_a_horizon_is_never_earlier_than_one_that_was_answered_before(path, clocks, open_furnished, make_change):
    """The watermark of an intent is read before it is committed, and a reader may come in between."""
    reader, horizons, changes = open_furnished(), list[int](), tuple(make_change(str(number)) for number in range(3))

    def look(_step: str) -> None:
        clocks.pass_seconds(3)
        with reader.view() as view:
            horizons.append(view.horizon)

    with closing(Store(path, clock=clocks.host(), step=look)) as store:
        store.publish(store.intend(), Publication("laro", changes))
    assert horizons == sorted(horizons)


DAY = 86_400


@pytest.fixture
def store(tmp_path, clocks):
    with closing(open_store(tmp_path, create=True, clock=clocks.host())) as store:
        yield store


def horizon(store: Store) -> int:
    with store.view() as view:
        return view.horizon


def shown_false_clocks(clocks: Clocks) -> HostClock:
    """Return the clocks of a process that is shown 400 days more than its host."""
    ahead = 400 * DAY
    return HostClock(
        lambda: clocks.wall + ahead,
        lambda: clocks.monotonic + ahead,
        lambda: clocks.boot,
        uptime=lambda: clocks.monotonic,
    )


def test_a_process_with_clocks_of_its_own_neither_publishes_nor_moves_the_clock_of_the_others(tmp_path, store, clocks):
    clocks.pass_seconds(100)
    with closing(open_store(tmp_path, clock=shown_false_clocks(clocks))) as other:
        assert horizon(other) <= START + 100
        with pytest.raises(ClockAhead, match="clock of this process differs from that of its host by 400"):
            other.intend()
        with pytest.raises(ClockAhead, match="clock of this process differs"):
            other.believe()
    assert store.intend().datestamp == START + 100


def test_an_older_copy_is_raised_above_what_was_answered_although_a_process_has_clocks_of_its_own(tmp_path, clocks):
    open_store(tmp_path, create=True, clock=clocks.host()).close()
    (tmp_path / "answered-until").write_text("2023-11-15T00:00:00Z\n")
    clocks.pass_seconds(10)
    open_store(tmp_path, clock=shown_false_clocks(clocks)).close()
    clocks.wall += 400 * DAY
    with closing(open_store(tmp_path, clock=clocks.host())) as store:
        assert horizon(store) == 1_700_006_400
        assert "jumped" in store.clock_problem()
