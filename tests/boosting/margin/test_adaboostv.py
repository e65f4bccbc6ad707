import numpy as np
import pytest

from coterie import AdaBoostVClassifier, LPBoostClassifier
from tests.boosting.margin.tables import small_tables
from tests.boosting.points import TEN_X, TEN_Y

TABLES = small_tables()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tol", "rounds", "margin"), [(0.1, 461, 0.331903), (0.05, 1843, 0.332973)]
)
def test_ten_points(tol, rounds, margin):
    model = AdaBoostVClassifier(n_estimators=5000, tol=tol, stopping="rounds").fit(TEN_X, TEN_Y)
    assert model.n_rounds_ == rounds
    scores = model.decision_function(TEN_X) / model.estimator_weights_.sum()
    assert (TEN_Y * scores).min() == pytest.approx(margin, abs=1e-6)


def test_weights_are_the_formula():
    model = AdaBoostVClassifier(n_estimators=3, tol=0.2).fit(TEN_X, TEN_Y)
    edge = model.trace_["edge"]
    aim = np.minimum.accumulate(edge) - 0.2
    odds = np.log((1 + edge) / (1 - edge)) - np.log((1 + aim) / (1 - aim))
    assert model.estimator_weights_ == pytest.approx(odds / 2)


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_margin_is_within_its_precision_of_the_maximum(name):
    X, y = TABLES[name]
    best = LPBoostClassifier(n_estimators=400, nu=None, tol=1e-9).fit(X, y).margin_
    model = AdaBoostVClassifier(n_estimators=3000, tol=0.1).fit(X, y)
    assert model.stop_reason_ == "no_improvement"
    scores = model.decision_function(X) / model.estimator_weights_.sum()
    margin = (np.where(y == y.max(), 1, -1) * scores).min()
    assert best - 0.1 <= margin <= best + 1e-9
    assert model.trace_["margin"][-1] == pytest.approx(margin)
    assert best <= model.trace_["margin_bound"][-1] + 1e-9


def test_margin_of_many_classes_is_at_least_what_the_trace_says():
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    model = AdaBoostVClassifier(n_estimators=60).fit(X, y)
    votes = model.decision_function(X) / model.estimator_weights_.sum()
    own = votes[np.arange(len(y)), y].copy()
    votes[np.arange(len(y)), y] = -np.inf
    assert (own - votes.max(axis=1)).min() >= model.trace_["margin"][-1] - 1e-9
    assert model.score(X, y) > 0.9


@pytest.mark.parametrize("voting", ["hard", "soft"])
def test_degenerate_tables(voting):
    for X, y in [
        (np.zeros((6, 2)), [0, 1, 0, 1, 0, 1]),
        (np.zeros((6, 2)), [0, 1, 2, 0, 1, 2]),
        (np.zeros((5, 1)), [0, 0, 0, 0, 1]),
        (np.array([[0.0], [1.0]]), [0, 1]),
        (np.zeros((4, 1)), [3, 3, 3, 3]),
    ]:
        model = AdaBoostVClassifier(n_estimators=50, voting=voting).fit(X, y)
        assert np.isfinite(model.predict_proba(X)).all()
        assert np.isfinite(model.decision_function(X)).all()


def test_perfect_member_ends_it():
    model = AdaBoostVClassifier().fit(np.arange(8.0)[:, None], [0] * 4 + [1] * 4)
    assert (model.n_rounds_, model.stop_reason_) == (1, "perfect")


def test_useless_member_leaves_the_shares_of_the_classes():
    model = AdaBoostVClassifier().fit(np.zeros((8, 1)), [0, 0, 0, 0, 1, 1, 1, 1])
    assert model.stop_reason_ == "too_weak"
    assert model.predict_proba(np.zeros((1, 1))).tolist() == [[0.5, 0.5]]
