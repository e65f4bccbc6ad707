import os
import signal
import threading

import numpy as np
import pytest
from sklearn.base import clone

from benchmarks import distributed_bits
from benchmarks.distributed import cluster as benchmark_cluster
from coterie import (
    BoostedTreesClassifier,
    BoostedTreesRegressor,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from coterie.distributed import NotDistributedError, holders
from coterie.distributed.remote_table import RemoteTable
from tests.distributed.deaths import fatal_exchanges, kill_before, limited, processes
from tests.distributed.models import same_forest, table

da = pytest.importorskip("dask.array")
QUICK = {"max_iter": 2, "max_leaf_nodes": 6, "random_state": 0}
CASES = {
    "plain": (HistGradientBoostingRegressor, {}),
    "logistic": (HistGradientBoostingClassifier, {"early_stopping": True}),
    "symmetric": (HistGradientBoostingRegressor, {"growth": "symmetric", "max_depth": 3}),
    "level": (HistGradientBoostingRegressor, {"growth": "level", "max_depth": 3}),
    "median": (HistGradientBoostingRegressor, {"loss": "absolute_error"}),
    "huber": (HistGradientBoostingRegressor, {"loss": "huber"}),
    "goss": (
        HistGradientBoostingRegressor,
        {"boosting": "goss", "learning_rate": 1.0, "top_rate": 0.2, "other_rate": 0.1},
    ),
    "dart": (
        HistGradientBoostingRegressor,
        {"boosting": "dart", "drop_rate": 0.5, "skip_drop": 0.0},
    ),
    "drawn": (
        HistGradientBoostingClassifier,
        {"subsample": 0.4, "colsample_bytree": 0.5, "max_features": 0.7},
    ),
    "monotone": (HistGradientBoostingRegressor, {"monotonic_cst": [1, 0, 0, 0, 0]}),
}


def fitted(cls, settings, X, y, **given):
    classes = cls.__name__.endswith("Classifier")
    return cls(**QUICK | settings).fit(X, (y > y.mean()).astype(int) if classes else y, **given)


def both(cls, settings, X, y, chunks=400):
    given = da.from_array(X, chunks=(chunks, -1)), da.from_array(y, chunks=(chunks + 100,))
    return fitted(cls, settings, X, y), fitted(cls, settings, *given)


@pytest.mark.slow
@pytest.mark.parametrize("case", ["logistic", "median"])
def test_models_are_those_of_memory(client, left, case):
    assert same_forest(*both(*CASES[case], *table()))
    assert not left()


@pytest.mark.slow
@pytest.mark.parametrize("case", sorted(CASES))
@pytest.mark.parametrize("rows", [1500, 12_000])
@pytest.mark.parametrize("chunks", [12_000, 700])
def test_models_are_those_of_memory_in_every_way(client, case, rows, chunks):
    cls, settings = CASES[case]
    settings = settings | {"categorical_features": [3]} if case != "monotone" else settings
    assert same_forest(*both(cls, settings, *table(rows), chunks))


@pytest.mark.slow
@pytest.mark.parametrize("workers", distributed_bits.WORKERS)
def test_models_do_not_depend_on_workers_and_partitions(forked, workers):
    """Some losses and ways of growth each; `benchmarks.distributed_bits` tries all of them."""
    with benchmark_cluster(workers):
        for partitions in distributed_bits.PARTITIONS:
            for case in distributed_bits.thinned(workers, partitions, step=12):
                assert distributed_bits.agrees(case, str(partitions)), (case, partitions)


@pytest.mark.slow
def test_many_classes_weights_and_averaged_models(client):
    X, y = table()
    labels = np.digitize(y, [0.0, 1.0, 2.0])
    weight = np.random.default_rng(0).integers(0, 4, len(y)).astype(float)
    there = [da.from_array(a, chunks=(400, *a.shape[1:])) for a in (X, labels, weight)]
    for cls, settings in (
        (HistGradientBoostingClassifier, {}),
        (HistGradientBoostingClassifier, {"early_stopping": True, "class_weight": "balanced"}),
        (GradientBoostingClassifier, {"max_iter": None, "n_estimators": 2, "subsample": 0.5}),
        (BoostedTreesClassifier, {"n_folds": 2, "high_cardinality": "split"}),
    ):
        settings = {k: v for k, v in (QUICK | settings).items() if v is not None}
        one = cls(**settings).fit(X, labels, sample_weight=weight)
        other = cls(**settings).fit(there[0], there[1], sample_weight=there[2])
        assert same_forest(one, other)


@pytest.mark.parametrize("boosting", ["plain", "dart"])
def test_rows_that_are_held_out_stay_on_the_workers(client, left, monkeypatch, boosting):
    X, y = table()
    settings = {**QUICK, "n_folds": 2, "high_cardinality": "split", "calibrate": False}
    model = BoostedTreesRegressor(**settings, boosting=boosting)
    whole = clone(model).fit(X, y)
    monkeypatch.setattr(RemoteTable, "blocks", None)  # nobody asks for them
    other = clone(model).fit(*there(X, y))
    assert same_forest(whole, other)
    np.testing.assert_array_equal(whole.validation_score_, other.validation_score_)
    assert not left()


@pytest.mark.slow
def test_a_warm_start_goes_on_there(client):
    X, y = table()
    rows, target = da.from_array(X, chunks=(400, -1)), da.from_array(y, chunks=400)
    model = HistGradientBoostingRegressor(**QUICK, warm_start=True).fit(rows, target)
    model.set_params(max_iter=4).fit(rows, target)
    assert same_forest(model, fitted(HistGradientBoostingRegressor, {"max_iter": 4}, X, y))


def there(X, y, chunks=400):
    return da.from_array(X, chunks=(chunks, -1)), da.from_array(y, chunks=chunks)


@pytest.mark.slow
@pytest.mark.parametrize("case", ["plain", "median"])
def test_a_worker_that_dies_between_rounds_changes_nothing(client, left, case):
    X, y = table()
    cls, settings = CASES[case]
    settings = settings | {"max_iter": 6}
    killed = []

    def shoot(number, trace):
        if number in (2, 4):
            # One that has just been killed may still be on the list.
            worker, pid = next(iter(processes(client).items()))
            os.kill(pid, signal.SIGKILL)
            killed.append(worker)

    with limited():
        other = fitted(cls, settings | {"callbacks": [shoot]}, *there(X, y))
    assert len(killed) == 2
    assert same_forest(fitted(cls, settings, X, y), other)
    assert not left()


@pytest.mark.slow
# The first exchanges tell holders what they have and whom they speak for; then rounds draw rows, or
# send slopes, and grow trees.
@pytest.mark.parametrize(
    ("case", "moments"),
    [
        *(("plain", {n}) for n in (1, 2, 3, 4, 5, 6, 7)),
        *(("median", {n}) for n in (1, 2, 3, 4, 5)),
        *(("drawn", {n}) for n in (5, 6, 7, 9)),
        ("goss", {6}),
        ("dart", {6}),
        ("logistic", {3, 6, 9}),
    ],
    ids=str,
)
def test_a_worker_may_die_before_any_exchange(client, left, monkeypatch, case, moments):
    X, y = table()
    killed = kill_before(monkeypatch, client, moments)
    with limited():
        other = fitted(*CASES[case], *there(X, y))
    assert len(killed) == len(moments)
    monkeypatch.undo()
    assert same_forest(fitted(*CASES[case], X, y), other)
    assert not left()


@pytest.mark.slow
# Holders begin a tree, open it, count and part, and sum up leaves; then the next tree begins.
@pytest.mark.parametrize(
    ("case", "moments"),
    [*(("plain", {n}) for n in (1, 2, 3, 4, 5, 6, 7)), ("median", {1, 2, 4}), ("drawn", {2, 8})],
    ids=str,
)
def test_a_worker_may_die_while_holders_add_up(client, left, tmp_path, case, moments):
    X, y = table()
    with limited(), fatal_exchanges(client, tmp_path, moments) as died:
        other = fitted(*CASES[case], *there(X, y))
        assert died() == sorted(moments)
    assert same_forest(fitted(*CASES[case], X, y), other)
    assert not left()


@pytest.mark.slow
def test_holders_that_speak_for_others_may_die(forked, tmp_path, monkeypatch):
    """Of five holders the first speaks for two, and the second of all for two more."""
    monkeypatch.setattr(holders, "FAN", 2)
    X, y = table()
    whole = fitted(*CASES["plain"], X, y)
    with benchmark_cluster(5) as client, limited():
        assert same_forest(whole, fitted(*CASES["plain"], *there(X, y, 150)))
        with fatal_exchanges(client, tmp_path, {2, 5, 9}) as died:
            assert same_forest(whole, fitted(*CASES["plain"], *there(X, y, 150)))
            assert died() == [2, 5, 9]


@pytest.mark.slow
def test_all_workers_may_die_if_one_comes_back(client, left, monkeypatch):
    X, y = table()
    killed = kill_before(monkeypatch, client, {6}, how=lambda pids: pids)
    with limited():
        other = fitted(*CASES["plain"], *there(X, y))
    assert len(killed) == 2
    assert same_forest(fitted(*CASES["plain"], X, y), other)
    assert not left()


@pytest.mark.slow
def test_a_cluster_may_shrink_and_grow(client, cluster, left):
    X, y = table()
    cls, settings = CASES["plain"]
    settings = settings | {"max_iter": 8}

    def scale(number, trace):
        if number in (2, 5):
            cluster.scale(1 if number == 2 else 3)

    with limited():
        other = fitted(cls, settings | {"callbacks": [scale]}, *there(X, y))
    assert same_forest(fitted(cls, settings, X, y), other)
    assert not left()


@pytest.mark.slow
def test_a_restart_of_all_workers_changes_nothing(client, left):
    X, y = table()
    cls, settings = CASES["plain"]
    settings = settings | {"max_iter": 4}

    def restart(number, trace):
        if number == 2:
            client.restart(wait_for_workers=False)

    with limited():
        other = fitted(cls, settings | {"callbacks": [restart]}, *there(X, y))
    assert same_forest(fitted(cls, settings, X, y), other)
    assert not left()


@pytest.mark.slow
@pytest.mark.parametrize("case", ["plain", "median"])
def test_a_worker_may_die_at_random_moments(client, left, case):
    X, y = table()
    cls, settings = CASES[case]
    settings = settings | {"max_iter": 8}
    whole, rng = fitted(cls, settings, X, y), np.random.default_rng(0)
    for _ in range(4):
        victim = int(rng.choice(list(processes(client).values())))
        shot = threading.Timer(rng.uniform(0, 3), os.kill, (victim, signal.SIGKILL))
        shot.start()
        with limited():
            assert same_forest(whole, fitted(cls, settings, *there(X, y)))
        shot.join()
        client.wait_for_workers(2, timeout=600)
    assert not left()


@pytest.mark.slow
@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_nothing_is_left_when_a_fit_ends_early(client, left, error):
    X, y = table(300)

    def stop(number, trace):
        raise error

    with pytest.raises(error):
        fitted(
            HistGradientBoostingRegressor,
            {"callbacks": [stop]},
            da.from_array(X, chunks=(100, -1)),
            da.from_array(y, chunks=100),
        )
    assert not left()


@pytest.mark.slow
def test_one_tree_for_all_scores_is_refused(client, left):
    X, y = table(300)
    there = da.from_array(X, chunks=(100, -1)), np.digitize(y, [0.0, 1.0])
    with pytest.raises(NotDistributedError, match=r"multiclass='vector'.*compute\(\)"):
        HistGradientBoostingClassifier(**QUICK, multiclass="vector").fit(*there)
    assert not left()
