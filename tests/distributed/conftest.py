"""One small cluster of real processes for all tests here."""

import pytest

pytest.importorskip("distributed")


@pytest.fixture(scope="session")
def client():
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture
def left(client):
    """What is on the cluster beyond what was there before the test."""
    before = tasks(client)
    return lambda: settled(client, before)


def tasks(client):
    return set(client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.tasks)))


def settled(client, before):
    """What is left once the scheduler has had time to forget."""
    import time

    for _ in range(100):
        found = tasks(client) - before
        if not found:
            return found
        time.sleep(0.05)
    return found
