import numpy as np
import pytest
from sklearn.metrics import (
    accuracy_score,
    f1_score,
    log_loss,
    make_scorer,
    r2_score,
    roc_auc_score,
)

import coterie
from coterie.base.oob_votes import collect_votes, score_votes, warn_if_uncovered
from coterie.core import Pool
from coterie.data import Table, Target


class Says:
    """A member that gives the row of number x a known vote."""

    def __init__(self, votes):
        self.votes = np.asarray(votes, dtype=float)

    def predict(self, table):
        return self.votes[table.values[:, 0].astype(int)]


ROWS = Table.read(np.arange(4.0)[:, None])
# By hand: counts of four rows in three bags, and the label each member gives them.
BAGS = np.array([[2, 1, 0, 1], [0, 1, 2, 1], [1, 0, 1, 2]])
LABELS = np.array([[0, 0, 1, 1], [0, 1, 1, 1], [0, 0, 1, 0]])
TRUTH = Target.labels([0, 0, 1, 1])


@pytest.fixture
def votes():
    pool = Pool.of([Says(np.eye(2)[labels]) for labels in LABELS])
    return collect_votes(pool, ROWS, TRUTH, BAGS)


def test_votes_by_hand(votes):
    np.testing.assert_array_equal(votes.n_votes, [1, 1, 1, 0])
    np.testing.assert_array_equal(votes.mean, [[1, 0], [1, 0], [0, 1], [np.nan, np.nan]])
    np.testing.assert_array_equal(votes.covered, [True, True, True, False])
    assert score_votes(True, TRUTH, votes, None) == 1


def test_curve_by_hand(votes):
    curve = votes.curve
    np.testing.assert_array_equal(curve.n_members, [1, 2, 3])
    np.testing.assert_array_equal(curve.coverage, [0.25, 0.5, 0.75])
    np.testing.assert_array_equal(curve.error, [0, 0, 0])
    np.testing.assert_array_equal(curve.class_errors, [[np.nan, 0], [0, 0], [0, 0]])


def test_uncovered_rows_are_no_errors(votes):
    with pytest.warns(UserWarning, match=r"1 of 4 rows are in every bag"):
        warn_if_uncovered(votes.covered)
    warn_if_uncovered(np.ones(3, dtype=bool))
    nobody = collect_votes(Pool.of([Says(np.eye(2)[LABELS[0]])]), ROWS, TRUTH, np.ones((1, 4)))
    assert np.isnan(score_votes(True, TRUTH, nobody, None))
    assert np.isnan(nobody.curve.error[0])


def test_curve_of_numbers_and_weights():
    truth = Target.numbers([0.0, 0.0, 1.0, 1.0])
    pool = Pool.of([Says(labels[:, None]) for labels in LABELS])
    nowhere = np.zeros((3, 4))
    curve = collect_votes(pool, ROWS, truth, nowhere).curve
    means = LABELS.cumsum(axis=0) / np.arange(1, 4)[:, None]
    np.testing.assert_allclose(curve.error, ((means - truth.values.T) ** 2).mean(axis=1))
    assert curve.class_errors is None
    weight = np.array([1.0, 2.0, 1.0, 4.0])
    curve = collect_votes(pool, ROWS, truth, nowhere, weight=weight).curve
    expected = np.average((means - truth.values.T) ** 2, axis=1, weights=weight)
    np.testing.assert_allclose(curve.error, expected)


@pytest.fixture(scope="module")
def noise():
    rng = np.random.default_rng(0)
    return rng.normal(size=(400, 5)), rng.integers(0, 2, 400)


def test_noise_is_seen_as_noise(noise):
    forest = coterie.RandomForestClassifier(30, oob_score=True, random_state=0).fit(*noise)
    assert forest.score(*noise) > 0.95
    assert 0.4 < forest.oob_score_ < 0.6
    assert forest.oob_coverage_ == 1


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        (True, lambda y, p: accuracy_score(y, p.argmax(axis=1))),
        (f1_score, lambda y, p: f1_score(y, p.argmax(axis=1))),
        ("f1", lambda y, p: f1_score(y, p.argmax(axis=1))),
        ("neg_log_loss", lambda y, p: -log_loss(y, p)),
        ("roc_auc", lambda y, p: roc_auc_score(y, p[:, 1])),
        (make_scorer(log_loss, response_method="predict_proba"), log_loss),
    ],
    ids=["default", "metric", "label scorer", "probability scorer", "rank scorer", "own scorer"],
)
def test_any_metric(noise, metric, expected):
    X, y = noise
    forest = coterie.RandomForestClassifier(40, oob_score=metric, random_state=0).fit(X, y)
    assert forest.oob_score_ == pytest.approx(expected(y, forest.oob_decision_function_))


@pytest.mark.slow
def test_metric_gets_labels_and_weights():
    X = np.random.default_rng(0).normal(size=(100, 3))
    y = np.where(X[:, 0] > 0, "yes", "no")
    weight = np.random.default_rng(1).integers(1, 4, 100)
    calls = []

    def metric(y_true, y_pred, sample_weight=None):
        calls.append(sample_weight)
        assert set(y_true) | set(y_pred) == {"yes", "no"}
        return 7.0

    forest = coterie.RandomForestClassifier(200, oob_score=metric, draw="repeats", random_state=0)
    assert forest.fit(X, y, weight).oob_score_ == 7
    np.testing.assert_array_equal(calls[0], weight)
    # Rows drawn by their weights count alike out of bags.
    forest.set_params(draw=None).fit(X, y, weight)
    assert calls[1] is None


@pytest.mark.parametrize("metric", ["accuracy", make_scorer(accuracy_score), accuracy_score])
def test_scorers_get_weights_as_the_default_does(metric):
    X = np.random.default_rng(0).normal(size=(60, 3))
    y, weight = (X[:, 0] + X[:, 1] > 0).astype(int), np.linspace(0.1, 9, 60)
    scores = [
        coterie.RandomForestClassifier(25, oob_score=score, random_state=0).fit(X, y, weight)
        for score in (True, metric)
    ]
    assert scores[0].oob_score_ == scores[1].oob_score_ < 1


def test_regression():
    X = np.random.default_rng(0).normal(size=(200, 3))
    Y = np.column_stack([X[:, 0], X[:, 1] * X[:, 2]])
    forest = coterie.RandomForestRegressor(40, oob_score=True, random_state=0).fit(X, Y)
    assert forest.oob_prediction_.shape == (200, 2)
    assert forest.oob_score_ == pytest.approx(r2_score(Y, forest.oob_prediction_))
    single = coterie.RandomForestRegressor(40, oob_score="neg_mean_squared_error", random_state=0)
    single.fit(X, Y[:, 0])
    error = ((single.oob_prediction_ - Y[:, 0]) ** 2).mean()
    assert single.oob_score_ == pytest.approx(-error)
    assert single.oob_curve_.error[-1] == pytest.approx(error)
