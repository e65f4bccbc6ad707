import time

import numpy as np
import pytest

from coterie.data import DataError, KindError
from coterie.distributed.session import (
    NotDistributedError,
    Session,
    WorkersLostError,
    _narrowed,
)
from tests.distributed.deaths import end_worker_once, intolerant, limited


def test_without_a_client_the_error_says_how_to_start_one(monkeypatch):
    def none():
        raise ValueError("No global client found and no address provided")

    monkeypatch.setattr("distributed.get_client", none)
    with pytest.raises(ValueError, match=r"Start one first: .* client = Client\(\)"):
        Session.open()


def test_the_error_for_what_is_not_supported_names_the_cure():
    with pytest.raises(NotImplementedError, match=r"Sparse X .* X\.compute\(\)"):
        raise NotDistributedError.of("Sparse X")


def test_results_are_collected_and_taken_away(client, left):
    import dask

    parts = [dask.delayed(k) for k in (1, 2, 3)]
    with Session(client) as session:
        assert session.run(pow, parts, [2, 2, 3]) == [1, 4, 27]
        assert not left()
        session.start(pow, parts, [2, 2, 2])
        session.start(pow, parts, ["a", 2, 2])  # one of them fails
    assert not left()


def test_errors_name_the_partition(client):
    import dask

    parts = [dask.delayed(k) for k in (1, 0)]
    with Session(client) as session, pytest.raises(DataError, match=r"Partition 1 .*Zero") as info:
        session.run(_inverse, parts)
    assert isinstance(info.value.__cause__, ZeroDivisionError)
    with Session(client) as session, pytest.raises(KindError, match="Partition 0 of X: odd"):
        session.run(_odd, parts)


def _inverse(number):
    return 1 / number


def _odd(number):
    raise KindError("odd")


def test_workers_are_spoken_to_directly_where_they_are_who_they_should_be(client):
    assert client.direct_to_workers is None
    with Session(client) as session:
        session.go_direct()
        assert client.direct_to_workers is True
        session.go_direct()
    assert client.direct_to_workers is None
    known = dict.fromkeys(client.nthreads(), "another")
    assert not client.sync(session._reaches, known)
    assert not client.sync(session._reaches, {"tcp://127.0.0.1:1": "nobody"})


def test_workers_come_with_their_threads(client):
    assert list(Session(client).workers().values()) == [1, 1]


def test_workers_that_come_back_are_waited_for(client, caplog, monkeypatch):
    monkeypatch.setattr("coterie.distributed.session._UNEASE", 0.0)
    answers = [{}, {}, {"b": 1, "a": 2}]
    monkeypatch.setattr(client, "nthreads", lambda: answers.pop(0))
    assert list(Session(client).workers()) == ["a", "b"]
    assert "No worker is left on the cluster; waiting up to 300 s" in caplog.text
    assert "A worker came back" in caplog.text


def test_a_cluster_without_workers_is_not_waited_for_without_end(
    client, left, monkeypatch, tmp_path
):
    import dask

    monkeypatch.setattr("coterie.distributed.session.PATIENCE", 0.01)
    slow = dask.delayed(_wait_for)(tmp_path / "over")
    with dask.config.set({"coterie.worker-timeout": "10 ms"}), Session(client) as session:
        monkeypatch.setattr(client, "nthreads", dict)
        with pytest.raises(WorkersLostError, match=r"none came back within 0\.01 s.*scale"):
            session.run(str, [slow])
        with pytest.raises(WorkersLostError):
            session.gather(session.start(str, [slow]))
        with pytest.raises(WorkersLostError):
            session.fetch(slow)
    assert not left()
    (tmp_path / "over").touch()  # what is under way would keep the workers from other tests


def _wait_for(path):
    for _ in range(3000):
        if path.exists():
            return
        time.sleep(0.01)


def test_a_closed_client_is_named():
    from types import SimpleNamespace

    with pytest.raises(ConnectionError, match="the client is closed"):
        Session(SimpleNamespace(status="closed")).workers()


@pytest.mark.slow
def test_what_dask_gave_up_is_done_again(client, left, tmp_path):
    import dask

    parts = [dask.delayed(k) for k in (1, 2)]
    with limited(), intolerant(client), Session(client) as session:
        assert session.run(_die_at_first, parts, [str(tmp_path)] * 2) == [1, 2]
    assert not left()


def _die_at_first(number, folder):
    if number == 2:
        end_worker_once(folder)
    return number


@pytest.mark.parametrize(
    "blocks",
    [
        [[0, 1], [2, 255]],
        [[-1, 2], [200, 300], []],
        [[-(2**62), 2**62], [-1]],
        [[2**63 - 1, -1], [3]],
    ],
)
def test_integers_travel_short_and_arrive_as_they_were(client, blocks):
    da = pytest.importorskip("dask.array")
    arrays = [np.array(block, dtype=np.int64) for block in blocks]
    there = da.concatenate([da.from_array(one, chunks=-1) for one in arrays])
    with Session(client) as session:
        found = session.fetch(there)
    assert found.dtype == np.int64
    np.testing.assert_array_equal(found, np.concatenate(arrays))
    unsigned = da.from_array(np.array([0, 2**64 - 1, 1], dtype=np.uint64), chunks=1)
    with Session(client) as session:
        np.testing.assert_array_equal(session.fetch(unsigned), [0, 2**64 - 1, 1])
    assert _narrowed(np.array([0, 255])).dtype == np.uint8


def test_collections_are_fetched(client, left):
    da = pytest.importorskip("dask.array")
    with Session(client) as session:
        assert session.fetch(da.arange(5, chunks=2)).tolist() == [0, 1, 2, 3, 4]
        with pytest.raises(ZeroDivisionError):
            session.fetch(da.arange(2, chunks=1).map_blocks(_inverse_of_nothing, dtype=float))
    assert not left()


def _inverse_of_nothing(block):
    return 1 / 0
