import pytest

from coterie.data import DataError, KindError
from coterie.distributed.session import NotDistributedError, Session


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


def test_workers_come_with_their_threads(client):
    assert list(Session(client).workers().values()) == [1, 1]
