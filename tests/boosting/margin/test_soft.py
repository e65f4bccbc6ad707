import numpy as np
import pytest

from coterie import LPBoostClassifier, SoftBoostClassifier, TotalBoostClassifier
from tests.boosting.margin.tables import NO_MARGIN, small_tables
from tests.boosting.points import TEN_X, TEN_Y

TABLES = small_tables()


@pytest.mark.slow
@pytest.mark.parametrize("nu", [0.1, 0.3])
@pytest.mark.parametrize("name", TABLES)
def test_soft_margin_is_within_its_precision_of_the_maximum(name, nu):
    X, y = TABLES[name]
    best = LPBoostClassifier(n_estimators=400, nu=nu, tol=1e-9).fit(X, y).margin_
    model = SoftBoostClassifier(nu=nu, n_estimators=300, tol=0.03).fit(X, y)
    assert model.stop_reason_ == "infeasible"
    assert best - 0.03 <= model.margin_ <= best + 1e-8
    assert model.margin_bound_ >= best - 1e-8


@pytest.mark.slow
def test_without_caps_it_is_totalboost():
    X, y = TABLES["wine"]
    total = TotalBoostClassifier(tol=0.05).fit(X, y)
    for nu in (None, 1e-6):  # a cap no weight comes near
        soft = SoftBoostClassifier(nu=nu, tol=0.05).fit(X, y)
        assert soft.trace_["edge"] == pytest.approx(total.trace_["edge"], abs=1e-6)


@pytest.mark.slow
def test_no_weight_exceeds_its_cap_and_some_reach_it():
    X, y = TABLES["wine"]
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y))
    model = SoftBoostClassifier(nu=0.2, tol=0.03, trace="weights").fit(X, y, weight)
    shares = np.array(model.trace_.weights) / (weight / weight.sum())
    assert shares.max() == pytest.approx(5)


def test_ten_points():
    assert SoftBoostClassifier(nu=0.95).fit(TEN_X, TEN_Y).margin_ == pytest.approx(
        0.368421, abs=1e-6
    )
    assert SoftBoostClassifier(nu=0.5).fit(TEN_X, TEN_Y).margin_ == pytest.approx(1 / 3)


@pytest.mark.slow
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
        model = SoftBoostClassifier(nu=nu, voting=voting).fit(X, y)
        assert np.isfinite(model.predict_proba(X)).all()
        assert np.isfinite(model.decision_function(X)).all()
