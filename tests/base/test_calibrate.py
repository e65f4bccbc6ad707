import pickle
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import expit
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.metrics import log_loss

from coterie import BaggingClassifier, RandomForestClassifier, RandomForestRegressor
from coterie.base.calibrate import CalibratedVotes, Sigmoid
from coterie.data import Target


def test_a_distorted_probability_is_put_right():
    rng = np.random.default_rng(0)
    z = rng.normal(size=20_000)
    truth = rng.random(20_000) < expit(z)
    found = Sigmoid.learn(expit(3 * z - 1), truth, np.ones(20_000), 1e-9)
    assert found.slope == pytest.approx(1 / 3, rel=0.05)
    assert found.shift == pytest.approx(1 / 3, rel=0.15)
    np.testing.assert_allclose(found(expit(3 * z[:99] - 1)), expit(z[:99]), atol=0.03)


def test_weights_are_repetitions():
    rng = np.random.default_rng(0)
    p, times = rng.random(200), rng.integers(1, 4, 200)
    truth = rng.random(200) < p**2
    weighted = Sigmoid.learn(p, truth, times.astype(float), 0.01)
    repeated = Sigmoid.learn(
        np.repeat(p, times), np.repeat(truth, times), np.ones(times.sum()), 0.01
    )
    assert weighted.slope == pytest.approx(repeated.slope, rel=1e-3)


def test_rows_of_no_weight_do_not_count():
    rng = np.random.default_rng(0)
    p, heavy = rng.uniform(0.1, 0.9, 400), np.arange(400) < 200
    y = (rng.random(400) < np.where(heavy, p, 1 - p)).astype(int)

    def learnt(rows, weight):
        votes = SimpleNamespace(
            covered=np.ones(len(rows), dtype=bool),
            n_votes=np.full(len(rows), 20),
            mean=np.column_stack([1 - p, p])[rows],
        )
        return CalibratedVotes.learn(None, votes, Target.labels(y[rows]), weight, "sigmoid").maps[0]

    some = learnt(np.flatnonzero(heavy), None)
    assert learnt(np.arange(400), heavy.astype(float)).slope == pytest.approx(some.slope, rel=1e-6)


def test_hopeless_votes_become_the_base_rate():
    truth = np.arange(100) < 30
    found = Sigmoid.learn(np.full(100, 0.9), truth, np.ones(100), 0.01)
    assert found(np.array([0.9]))[0] == pytest.approx(0.3, abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
@pytest.mark.parametrize("load", [load_breast_cancer, load_digits])
def test_probabilities_become_better(load, method):
    X, y = load(return_X_y=True)
    model = RandomForestClassifier(60, random_state=0).fit(X[::2], y[::2])
    calibrated = model.calibrated(X[::2], y[::2], method=method)
    given, mapped = model.predict_proba(X[1::2]), calibrated.predict_proba(X[1::2])
    np.testing.assert_allclose(mapped.sum(axis=1), 1)
    brier = [((p - np.eye(p.shape[1])[y[1::2]]) ** 2).sum(axis=1).mean() for p in (mapped, given)]
    # A step function has more to learn from 285 rows than a sigmoid.
    assert brier[0] < brier[1] + (0.002 if method == "sigmoid" else 0.008)
    if load is load_digits and method == "sigmoid":
        assert log_loss(y[1::2], mapped) < 0.6 * log_loss(y[1::2], given)
    assert calibrated.score(X[1::2], y[1::2]) > model.score(X[1::2], y[1::2]) - 0.02


@pytest.mark.slow
def test_labels_pickling_and_refusals():
    X, y = load_breast_cancer(return_X_y=True)
    names = np.array(["bad", "good"])[y]
    model = BaggingClassifier(n_estimators=30, random_state=0).fit(X, names)
    calibrated = model.calibrated(X, names)
    assert calibrated.classes_.tolist() == ["bad", "good"]
    again = pickle.loads(pickle.dumps(calibrated))
    np.testing.assert_array_equal(again.predict(X), calibrated.predict(X))
    with pytest.raises(ValueError, match="'sigmoid' or 'isotonic'"):
        model.calibrated(X, names, method="beta")
    with pytest.raises(ValueError, match="Only a single-output classifier"):
        RandomForestRegressor(20, random_state=0).fit(X, y).calibrated(X, y)
