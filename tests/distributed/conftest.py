"""One small cluster for all tests here."""

import pytest

pytest.importorskip("distributed")


@pytest.fixture(scope="session")
def forked():
    """Clusters whose workers start quickly, and may take their time when they do not."""
    import dask

    from benchmarks.distributed import fork_workers

    # By itself a LocalCluster gives up workers that take longer than this to start again.
    with dask.config.set({"distributed.deploy.lost-worker-timeout": "1 hour"}):
        fork_workers()
        yield


@pytest.fixture(scope="session")
def cluster(forked, request):
    """Two processes; in the short suite two threads, which start in no time and speak TCP as well.

    Tests that end workers need processes, and are slow.
    """
    from distributed import LocalCluster

    settings = {"threads_per_worker": 1, "protocol": "tcp://", "dashboard_address": ":0"}
    processes = not request.config.getoption("--short")
    with LocalCluster(n_workers=2, processes=processes, **settings) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def connection(cluster):
    from distributed import Client

    with Client(cluster) as client:
        yield client


@pytest.fixture
def client(cluster, connection):
    """The cluster's client, once both workers are there; a test may have ended them."""
    cluster.scale(2)
    connection.wait_for_workers(2, timeout=600)
    return connection


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
