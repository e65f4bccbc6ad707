import time

import numpy as np
import pytest

from coterie.data import Schema
from coterie.distributed import holders as holders_module
from coterie.distributed.holders import HolderLostError, Holders, share_out
from coterie.distributed.partitions import Partitions, Reading
from coterie.distributed.remote_growth import persist
from coterie.distributed.remote_table import RemoteTable
from coterie.distributed.session import Session
from coterie.native import NewtonGrowth, Slopes, find_bins
from tests.distributed.deaths import kill, limited

da = pytest.importorskip("dask.array")


def bare(sizes, rows=None):
    """A table of partitions of these sizes."""
    bins = find_bins(np.arange(4.0)[:, None])
    reading = Reading(Schema(1), np.float64, False)
    parts = Partitions(None, sizes, reading, np.cumsum([0, *sizes]))
    return RemoteTable(Schema(1), None, bins=bins, partitions=parts, rows=rows)


def test_neighbouring_partitions_are_shared_out_by_rows():
    shares = share_out(bare([10, 10, 0, 30, 50]), {"a": 2, "b": 1})
    assert [share.parts for share in shares] == [[0, 1, 3], [4]]
    assert [share.rows for share in shares] == [slice(0, 50), slice(50, 100)]
    assert [share.held.first_row for share in shares] == [0, 50]
    assert shares[0].held.n_threads == 1


def test_a_share_without_rows_is_none():
    shares = share_out(bare([10, 90]), dict.fromkeys("abcde", 1))
    assert [share.rows for share in shares] == [slice(0, 10), slice(10, 100)]
    (share,) = share_out(bare([10, 90], rows=np.array([3, 4])), {"a": 1})
    assert share.parts == [0]
    assert share.held.n_rows == 2


def test_watched_rows_go_where_their_partitions_are():
    rows = np.array([0, 3, 11, 12, 25])
    table, watched = bare([10, 10, 10], rows), bare([10, 10, 10], np.array([1, 2, 29]))
    first, second = share_out(table, {"a": 1, "b": 1}, watched)
    assert (first.parts, first.rows, first.held.n_watched) == ([0], slice(0, 2), 2)
    assert (second.parts, second.rows, second.held.n_watched) == ([1, 2], slice(2, 5), 1)
    assert second.starts == [(0, 0), (2, 0)]


@pytest.mark.slow
def test_holders_are_asked_together_and_leave_nothing(client, left):
    X = np.arange(40.0).reshape(20, 2)
    with Session(client) as session:
        parts = Partitions.open(session, da.from_array(X, chunks=(5, 2)))
        holders = Holders(RemoteTable.of(parts, None, gathers=False).bin())
        assert len(holders.actors) == 2
        assert holders.fresh == {0, 1}
        answers = holders.ask("leaf_sums", [[0], [0, 1]])
        assert [len(sums) for sums in answers] == [1, 2]
        with pytest.raises(AttributeError):
            holders.ask_one(0, "no_such_method")
        with pytest.raises(TypeError, match="positional"):
            holders.ask_one(0, "leaf_sums")
        assert not [key for known in client.has_what().values() for key in known if "codes" in key]
        again = Holders(holders.table)
        assert len(again.ask_alike("leaf_sums", [0])) == 2
        again.close()
        assert len(holders.ask_alike("leaf_sums", [0])) == 2
        holders.close()
    assert not left()


@pytest.mark.parametrize("fan", [1, 2, 8])
def test_holders_add_up_among_themselves(client, left, monkeypatch, fan):
    """Four of them, two on each worker."""
    monkeypatch.setattr("coterie.distributed.holders.FAN", fan)
    X = np.arange(40.0).reshape(20, 2)
    known = client.nthreads()
    places = [*known, *known]
    monkeypatch.setattr(Holders, "_places", lambda self, count: places[:count])
    real = holders_module.share_out
    monkeypatch.setattr(
        holders_module,
        "share_out",
        lambda table, workers, watched: real(table, dict.fromkeys(range(4), 1)),
    )
    with limited(), Session(client) as session:
        parts = Partitions.open(session, da.from_array(X, chunks=(5, 2)))
        holders = Holders(RemoteTable.of(parts, None, gathers=False).bin())
        assert len(holders.shares) == 4
        calls = "begin", NewtonGrowth(), Slopes(np.ones(5))
        assert holders.lead("add_up", *calls).rows == 20
        assert holders.lead("add_up", *calls).rows == 20
        with pytest.raises(AttributeError):
            holders.lead("add_up", "no_such_method")
    assert not left()


@pytest.mark.slow  # it ends processes
def test_a_lost_holder_is_made_again(client, left, caplog):
    X = np.arange(40.0).reshape(20, 2)
    with limited(), Session(client) as session:
        parts = Partitions.open(session, da.from_array(X, chunks=(5, 2)))
        holders = Holders(RemoteTable.of(parts, None, gathers=False).bin())
        holders.fresh.clear()
        kill(client, next(iter(session.workers())))
        with pytest.raises(HolderLostError):
            ask_on(holders)
        assert holders.lost == len(holders.fresh) == 1
        assert "10 rows were read again" in caplog.text
        assert len(holders.ask_alike("leaf_sums", [0])) == 2
    assert not left()


@pytest.mark.slow  # it ends processes
def test_a_worker_may_die_when_it_has_taken_its_rows(client, left, monkeypatch):
    """Dask would compute what it said again, there and nowhere else."""
    X, unless_lost, killed = np.arange(40.0).reshape(20, 2), Session._unless_lost, []

    def deadly(session, futures, look):
        if look is not None and not killed:
            killed.append(next(iter(session.workers())))
            kill(client, killed[0])
            wait_until(lambda: killed[0] not in client.nthreads())
        return unless_lost(session, futures, look)

    monkeypatch.setattr(Session, "_unless_lost", deadly)
    with limited(), Session(client) as session:
        parts = Partitions.open(session, da.from_array(X, chunks=(5, 2)))
        holders = Holders(RemoteTable.of(parts, None, gathers=False).bin())
        assert killed
        assert holders.lead("add_up", "begin", NewtonGrowth(), Slopes(np.ones(10))).rows == 20
    assert not left()


def test_a_holder_that_waits_for_a_lost_worker_is_made_on_another(client, left, monkeypatch):
    """Dask keeps it waiting if it had no worker when the chosen one was lost."""
    monkeypatch.setattr("coterie.distributed.session.PATIENCE", 0.1)
    submit, places, chosen = client.submit, Holders._places, []
    gone = "tcp://127.0.0.1:9"

    def first_there(holders, count):
        chosen.append([gone] * count if not chosen else places(holders, count))
        return chosen[-1]

    def waiting(*given, workers, **settings):
        return submit(*given, workers=workers, **settings | {"allow_other_workers": False})

    monkeypatch.setattr(Holders, "_places", first_there)
    monkeypatch.setattr(client, "submit", waiting)
    X = np.arange(40.0).reshape(20, 2)
    with limited(), Session(client) as session:
        parts = Partitions.open(session, da.from_array(X, chunks=(5, 2)))
        holders = Holders(RemoteTable.of(parts, None, gathers=False).bin())
        assert holders.lost == 2
        assert len(holders.ask_alike("leaf_sums", [0])) == 2
    assert not left()


def wait_until(true):
    while not true():
        time.sleep(0.02)


def ask_on(holders):
    for _ in range(200):
        holders.ask_alike("leaf_sums", [0])


@pytest.mark.slow
def test_holders_are_spread_over_workers(client):
    X = np.arange(40.0).reshape(20, 2)
    with limited(), Session(client) as session:
        parts = Partitions.open(session, da.from_array(X, chunks=(5, 2)))
        holders = Holders(RemoteTable.of(parts, None, gathers=False).bin())
        first, second = session.workers()
        assert sorted(holders._places(2)) == [first, second]
        holders._lose([0], OSError())
        (lonely,) = set(session.workers()) - {
            worker for where in client.who_has([holders._futures[1]]).values() for worker in where
        }
        assert holders._places(1) == [lonely]


@pytest.mark.slow
def test_bins_that_dask_gave_up_are_made_again(client, left):
    X = np.arange(40.0).reshape(20, 2)
    with limited(), Session(client) as session:
        parts = Partitions.open(session, da.from_array(X, chunks=(5, 2)))
        table = RemoteTable.of(parts, None, gathers=False).bin()
        holders = Holders(table)
        client.cancel(holders._futures, force=True)  # as a restart does
        with pytest.raises(HolderLostError):
            ask_on(holders)
        assert holders.lost == 2
        assert [len(sums) for sums in holders.ask_alike("leaf_sums", [0, 1])] == [2, 2]
    assert not left()


def test_holders_that_are_lost_unnoticed_are_no_hindrance(client, left):
    """Only the first of them is asked, and found lost; all are made again in the end."""
    X = np.arange(40.0).reshape(20, 2)
    with limited(), Session(client) as session:
        parts = Partitions.open(session, da.from_array(X, chunks=(5, 2)))
        holders = Holders(RemoteTable.of(parts, None, gathers=False).bin())
        calls = "add_up", "begin", NewtonGrowth(), Slopes(np.ones(10))
        assert holders.lead(*calls).rows == 20
        client.cancel(holders._futures, force=True)
        assert persist(lambda: holders.lead(*calls)).rows == 20
        assert holders.lost == 2
    assert not left()


@pytest.mark.slow
def test_losses_without_end_are_no_accidents(client, left, monkeypatch):
    monkeypatch.setattr("coterie.distributed.holders._MOST_LOSSES", 1)
    X = np.arange(40.0).reshape(20, 2)
    with limited(), Session(client) as session:
        parts = Partitions.open(session, da.from_array(X, chunks=(5, 2)))
        holders = Holders(RemoteTable.of(parts, None, gathers=False).bin())
        client.cancel(holders._futures, force=True)
        with pytest.raises(RuntimeError, match=r"lost 2 times before anything was finished"):
            ask_on(holders)
    assert not left()
