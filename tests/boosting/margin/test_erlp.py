import numpy as np
import pytest

from coterie import ERLPBoostClassifier, LPBoostClassifier
from tests.boosting.margin.tables import NO_MARGIN, small_tables
from tests.boosting.points import TEN_X, TEN_Y

TABLES = small_tables()


@pytest.mark.slow
@pytest.mark.parametrize("nu", [0.1, 0.3])
@pytest.mark.parametrize("name", TABLES)
def test_soft_margin_is_within_its_precision_of_the_maximum(name, nu):
    X, y = TABLES[name]
    best = LPBoostClassifier(n_estimators=400, nu=nu, tol=1e-9).fit(X, y).margin_
    model = ERLPBoostClassifier(nu=nu, n_estimators=300, tol=0.03).fit(X, y)
    assert model.stop_reason_ == "no_improvement"
    assert best - 0.03 <= model.margin_ <= best + 1e-8
    assert model.margin_bound_ >= best - 1e-8


def test_weights_minimise_the_regularised_edge():
    X, y = TABLES["wine"]
    model = ERLPBoostClassifier(nu=0.2, tol=0.1, n_estimators=6, trace="weights").fit(X, y)
    hits = np.where(y == 1, 1, -1) * model.pool_.votes(model._admit(X))[:, :, 0]
    rate, even = np.log(5) / 0.05, np.full(len(y), 1 / len(y))

    def objective(d, t):
        return (hits[:t] @ d).max() + (d @ np.log(d / even)) / rate

    rng = np.random.default_rng(0)
    for t in range(1, model.n_rounds_):
        d = model.trace_.weights[t]
        best = objective(d, t)
        assert best <= objective(even, t) + 1e-9
        for _ in range(50):  # no distribution near it within the caps does better
            other = np.clip(d * np.exp(0.05 * rng.normal(size=len(d))), 1e-12, 5 / len(y))
            other = 0.999 * d + 0.001 * np.minimum(other / other.sum(), 5 / len(y))
            assert best <= objective(other / other.sum(), t) + 1e-9


@pytest.mark.slow
def test_no_weight_exceeds_its_cap_and_some_reach_it():
    X, y = TABLES["wine"]
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y))
    model = ERLPBoostClassifier(nu=0.2, tol=0.03, trace="weights").fit(X, y, weight)
    shares = np.array(model.trace_.weights) / (weight / weight.sum())
    assert shares.max() == pytest.approx(5)


def test_ten_points():
    model = ERLPBoostClassifier(nu=None, tol=0.02).fit(TEN_X, TEN_Y)
    assert model.margin_ == pytest.approx(1 / 3)
    assert model.estimator_weights_[model.estimator_weights_ > 0] == pytest.approx([1 / 3] * 3)


@pytest.mark.slow
def test_ends_when_the_regularised_gap_is_closed():
    X, y = TABLES["cancer"]
    gaps = ERLPBoostClassifier(tol=0.05).fit(X, y).trace_
    assert (gaps["regularised_gap"][:-1] > 0.025).all()
    assert gaps["regularised_gap"][-1] <= 0.025 or gaps["gap"][-1] <= 0.05


@pytest.mark.filterwarnings(NO_MARGIN)
@pytest.mark.parametrize("voting", ["hard", "soft"])
@pytest.mark.parametrize("nu", [None, 0.5, 1.0])
def test_degenerate_tables(nu, voting):
    for X, y in [
        (np.zeros((6, 2)), [0, 1, 0, 1, 0, 1]),
        (np.zeros((6, 2)), [0, 1, 2, 0, 1, 2]),
        (np.zeros((5, 1)), [0, 0, 0, 0, 1]),
        (np.array([[0.0], [1.0]]), [0, 1]),
        (np.arange(8.0)[:, None], [0] * 4 + [1] * 4),
        (np.zeros((4, 1)), [3, 3, 3, 3]),
    ]:
        model = ERLPBoostClassifier(nu=nu, voting=voting).fit(X, y)
        assert np.isfinite(model.predict_proba(X)).all()
        assert np.isfinite(model.decision_function(X)).all()
