import numpy as np
import pytest

from coterie import LPBoostClassifier, TotalBoostClassifier
from tests.boosting.margin.tables import NO_MARGIN, small_tables
from tests.boosting.points import TEN_X, TEN_Y, iris_pair

TABLES = small_tables()


@pytest.mark.parametrize(
    ("tol", "edges"),
    [
        (0.1, [0.4, 0.442857, 0.55]),
        (0.05, [0.4, 0.421429, 0.475, 0.35]),
        (0.01, [0.4, 0.404286, 0.415, 0.39, 0.38, 0.37, 0.36, 0.35, 0.34]),
    ],
)
def test_ten_points(tol, edges):
    model = TotalBoostClassifier(tol=tol).fit(TEN_X, TEN_Y)
    assert model.trace_["edge"] == pytest.approx(edges, abs=1e-6)
    assert model.stop_reason_ == "infeasible"
    assert (TEN_Y * model.decision_function(TEN_X)).min() == pytest.approx(1 / 3)
    assert model.estimator_weights_[model.estimator_weights_ > 0] == pytest.approx([1 / 3] * 3)


def one_step(tol):
    X, y = iris_pair()
    return TotalBoostClassifier(tol=tol, projection="one_step", voting="soft").fit(X, y)


@pytest.mark.filterwarnings(NO_MARGIN)
def test_published_values_of_one_step_on_iris():
    model = one_step(0.3)
    edges = [0.77938808373591, 0.676485226347579, 0.363399531924414]
    weights = [0.321673618833505, 0.344387693465888, 0.333938687700607]
    assert model.trace_["edge"] == pytest.approx(edges, abs=1e-6)
    assert model.estimator_weights_ == pytest.approx(weights, abs=1e-6)


@pytest.mark.filterwarnings(NO_MARGIN)
def test_published_edges_of_many_steps_on_iris():
    published = [0.779388, 0.717802, 0.566890, 0.413012, 0.254814, 0.198535, 0.248289, 0.151914]
    published += [0.180125, 0.145076]
    assert one_step(0.1).trace_["edge"] == pytest.approx(published, abs=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_margin_is_within_its_precision_of_the_maximum(name):
    X, y = TABLES[name]
    best = LPBoostClassifier(n_estimators=400, nu=None, tol=1e-9).fit(X, y).margin_
    model = TotalBoostClassifier(n_estimators=300, tol=0.03).fit(X, y)
    assert model.stop_reason_ == "infeasible"
    margin = (np.where(y == y.max(), 1, -1) * model.decision_function(X)).min()
    assert best - 0.03 <= margin <= best + 1e-9
    assert model.margin_ == pytest.approx(margin)
    assert model.margin_bound_ >= best - 1e-9


@pytest.mark.slow
def test_weights_keep_to_all_edges_and_move_away_from_the_first():
    X, y = TABLES["wine"]
    model = TotalBoostClassifier(tol=0.05, trace="weights").fit(X, y)
    hits = np.where(y == 1, 1, -1) * model.pool_.votes(model._admit(X))[:, :, 0]
    bound = model.trace_["margin_bound"]
    entropies = [d @ np.log(d * len(y)) for d in model.trace_.weights]
    assert (np.diff(bound) <= 0).all()
    assert (np.diff(entropies) >= -1e-9).all()
    assert len(entropies) > 5
    for t in range(1, model.n_rounds_):
        assert (hits[:t] @ model.trace_.weights[t]).max() <= bound[t - 1] - 0.05 + 1e-7


@pytest.mark.filterwarnings(NO_MARGIN)
@pytest.mark.parametrize("projection", ["exact", "one_step"])
@pytest.mark.parametrize("voting", ["hard", "soft"])
def test_degenerate_tables(projection, voting):
    for X, y in [
        (np.zeros((6, 2)), [0, 1, 0, 1, 0, 1]),
        (np.zeros((6, 2)), [0, 1, 2, 0, 1, 2]),
        (np.zeros((5, 1)), [0, 0, 0, 0, 1]),
        (np.array([[0.0], [1.0]]), [0, 1]),
        (np.arange(8.0)[:, None], [0] * 4 + [1] * 4),
        (np.zeros((4, 1)), [3, 3, 3, 3]),
    ]:
        model = TotalBoostClassifier(projection=projection, voting=voting).fit(X, y)
        assert np.isfinite(model.predict_proba(X)).all()
        assert np.isfinite(model.decision_function(X)).all()
