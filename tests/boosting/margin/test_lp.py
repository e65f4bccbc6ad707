import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from coterie import DecisionTreeClassifier, LPBoostClassifier
from coterie.boosting.margin.program import EdgeProgram
from tests.boosting.margin.tables import NO_MARGIN, full_program, small_tables, stump_votes
from tests.boosting.points import TEN_X, TEN_Y

TABLES = small_tables()


def exact(**params):
    return LPBoostClassifier(n_estimators=400, **{"tol": 1e-9, **params})


@pytest.mark.slow
@pytest.mark.parametrize("nu", [None, 0.05, 0.3])
@pytest.mark.parametrize("name", TABLES)
def test_value_is_that_of_the_full_program(name, nu):
    X, y = TABLES[name]
    model = exact(nu=nu).fit(X, y)
    signs = np.where(y == y.max(), 1, -1)
    optimum = full_program(stump_votes(X) * signs, np.full(len(y), 1 / len(y)), nu)
    assert model.margin_ == pytest.approx(optimum, abs=1e-6)
    assert model.margin_bound_ == pytest.approx(optimum, abs=1e-6)
    assert model.stop_reason_ == "no_improvement"
    if nu is None:  # its least margin is the largest there is
        assert (signs * model.decision_function(X)).min() == pytest.approx(optimum, abs=1e-6)


@pytest.mark.slow
def test_weighted_value_is_that_of_the_full_program():
    X, y = TABLES["wine"]
    weight = np.random.default_rng(0).uniform(0.2, 2, len(y))
    model = exact(nu=0.2).fit(X, y, weight)
    U = stump_votes(X) * np.where(y == 1, 1, -1)
    assert model.margin_ == pytest.approx(full_program(U, weight / weight.sum(), 0.2), abs=1e-6)


@pytest.mark.parametrize(
    ("nu", "margin"), [(None, 1 / 3), (0.9, 1 / 3), (0.92, 0.347826), (0.95, 0.368421), (1.0, 0.4)]
)
def test_ten_points(nu, margin):
    model = exact(nu=nu).fit(TEN_X, TEN_Y)
    assert model.margin_ == pytest.approx(margin, abs=1e-6)
    if nu is None:
        assert model.estimator_weights_ == pytest.approx([1 / 3] * 3)
        assert (TEN_Y * model.decision_function(TEN_X)).min() == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("signs", "nu", "margin"),
    [
        ([1, 1, -1, 1, 1], 0.6, 1 / 3),
        ([1, 1, -1, 1, 1], 0.8, 0.5),
        ([1, 1, -1, 1, 1], 1.0, 0.6),
        ([1, -1, 1, -1], 0.75, 1 / 3),
        ([1, -1, 1, -1], 1.0, 0.5),
    ],
)
def test_points_on_a_line(signs, nu, margin):
    X = np.arange(float(len(signs)))[:, None]
    assert exact(nu=nu).fit(X, signs).margin_ == pytest.approx(margin)


def test_hand_case_of_probabilities():
    # The first member says 60 to 40; all weight moves to the others, and the second is sure.
    X, y = np.zeros((100, 1)), np.repeat([0, 1], [60, 40])
    model = LPBoostClassifier(nu=None, voting="soft", n_estimators=2).fit(X, y)
    assert model.trace_["edge"] == pytest.approx([0.04, 1.0], abs=2e-4)
    assert model.trace_["margin"] == pytest.approx([-0.2, 0.0], abs=1e-4)
    # The program's weights are the published ones, but their votes cancel out: all are ties.
    program = EdgeProgram(np.inf)
    for t, parents in ((1, [0]), (2, [])):
        hits = np.array([[-0.2, 0.2], [1.0, -1.0]])[:t]
        found = program.add(hits, np.array([0.4, 0.6]), np.array(parents, dtype=int))
    assert found.alphas == pytest.approx([5 / 6, 1 / 6])
    assert model.estimator_weights_.tolist() == [1.0, 0.0]
    assert model.score(X, y) == 0.6


@pytest.mark.slow
@pytest.mark.parametrize("nu", [None, 0.1])
def test_every_round_is_certified(nu):
    X, y = TABLES["cancer"]
    model = LPBoostClassifier(nu=nu, trace="weights").fit(X, y)
    margin, bound = model.trace_["margin"], model.trace_["margin_bound"]
    assert (np.diff(margin) >= -1e-9).all()
    assert (np.diff(bound) <= 0).all()
    assert model.trace_["gap"] == pytest.approx(bound - margin)
    assert (model.trace_["gap"][:-1] > 0.01).all()
    assert model.trace_["gap"][-1] <= 0.01
    signs = np.where(y == 1, 1, -1)
    hits = signs * model.pool_.votes(model._admit(X))[:, :, 0]
    for t in range(1, model.n_rounds_):
        d, alphas = model.trace_.weights[t], model.pool_.stage(t)
        assert alphas.sum() == pytest.approx(1)
        assert d.max() <= (np.inf if nu is None else 1 / nu / len(y) + 1e-9)
        # Complementary slackness: who weighs something has the largest edge, the program's value.
        edges = hits[:t] @ d
        assert edges.max() == pytest.approx(margin[t - 1], abs=1e-8)
        assert edges[alphas > 0] == pytest.approx(margin[t - 1], abs=1e-8)


def test_share_of_rows_below_the_soft_margin():
    X, y = TABLES["wine"]
    model = exact(nu=0.2).fit(X, y)
    margins = np.where(y == 1, 1, -1) * model.decision_function(X)
    rho = np.sort(margins)[int(0.2 * len(y))]
    assert (margins < rho - 1e-9).mean() <= 0.2 <= (margins <= rho + 1e-9).mean()


@pytest.mark.slow
def test_weights_are_sparse_and_light_members_are_not_asked():
    X, y = TABLES["cancer"]
    model = exact(nu=None).fit(X, y)
    heavy = model.estimator_weights_ > 0
    assert heavy.sum() < len(heavy)
    assert model.estimator_weights_[heavy].min() >= 1e-9
    votes = model.pool_.votes(model._admit(X))[:, :, 0]
    assert model.decision_function(X) == pytest.approx(model.estimator_weights_ @ votes)


def test_the_last_stage_is_the_whole():
    X, y = (part[::4] for part in TABLES["wine"])
    model = LPBoostClassifier(n_estimators=3).fit(X, y)
    staged = list(model.staged_decision_function(X))
    assert len(staged) == len(model.pool_)
    assert np.array_equal(staged[-1], model.decision_function(X))


@pytest.mark.slow
def test_stages_are_shorter_fits():
    X, y = TABLES["wine"]
    model = LPBoostClassifier(n_estimators=8, nu=0.1, tol=1e-6).fit(X, y)
    staged = list(model.staged_decision_function(X))
    for size in (3, 5):
        short = LPBoostClassifier(n_estimators=size, nu=0.1, tol=1e-6).fit(X, y)
        assert np.array_equal(staged[size - 1], short.decision_function(X))
    assert np.array_equal(staged[-1], model.decision_function(X))
    assert np.array_equal(list(model.staged_predict(X))[-1], model.predict(X))


@pytest.mark.slow
def test_warm_start_goes_on():
    X, y = TABLES["wine"]
    whole = LPBoostClassifier(n_estimators=9, nu=0.1, tol=1e-6, random_state=0).fit(X, y)
    parts = LPBoostClassifier(
        n_estimators=4, nu=0.1, tol=1e-6, random_state=0, warm_start=True
    ).fit(X, y)
    parts.set_params(n_estimators=9).fit(X, y)
    assert np.array_equal(parts.decision_function(X), whole.decision_function(X))


@pytest.mark.slow
def test_early_stopping_scores_with_the_weights_of_the_round():
    X, y = TABLES["wine"]
    model = LPBoostClassifier(n_estimators=6, nu=0.1, tol=1e-6).fit(
        X, y, X_val=X[::2], y_val=y[::2]
    )
    errors = [1 - score for score in model.staged_score(X[::2], y[::2])]
    assert model.trace_["validation_error"] == pytest.approx(errors)
    stopped = LPBoostClassifier(
        nu=0.1, early_stopping=True, n_iter_no_change=3, random_state=0
    ).fit(X, y)
    assert len(stopped.pool_) == stopped.n_rounds_ == len(stopped.trace_)
    assert stopped.estimator_weights_.sum() == pytest.approx(1)


@pytest.mark.slow
def test_violation_ends_when_no_member_is_better():
    X, y = TABLES["cancer"]
    model = LPBoostClassifier(nu=0.1, stopping="violation", tol=1e-3).fit(X, y)
    assert model.stop_reason_ == "no_improvement"
    assert model.trace_["edge"][-1] > model.trace_["margin"][-2] + 1e-3
    assert model.margin_bound_ <= model.margin_ + 1e-3


@pytest.mark.slow
def test_many_classes_have_at_least_the_margin_promised():
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    model = LPBoostClassifier(nu=None).fit(X, y)
    votes = model.decision_function(X)
    own = votes[np.arange(len(y)), y].copy()
    votes[np.arange(len(y)), y] = -np.inf
    assert (own - votes.max(axis=1)).min() >= model.margin_ - 1e-9
    assert model.predict_proba(X).sum(axis=1) == pytest.approx(1)


@pytest.mark.filterwarnings(NO_MARGIN)
@pytest.mark.parametrize("voting", ["hard", "soft"])
@pytest.mark.parametrize("nu", [None, 0.5])
def test_degenerate_tables(nu, voting):
    rng = np.random.default_rng(0)
    tables = [
        (np.zeros((6, 2)), [0, 1, 0, 1, 0, 1]),  # nothing to learn
        (np.zeros((6, 2)), [0, 1, 2, 0, 1, 2]),
        (np.zeros((5, 1)), [0, 0, 0, 0, 1]),
        (np.array([[0.0], [1.0]]), [0, 1]),
        (np.arange(8.0)[:, None], [0] * 4 + [1] * 4),  # separable
        (np.repeat(rng.normal(size=(4, 2)), 5, axis=0), np.repeat([0, 1, 1, 0], 5)),
        (np.zeros((4, 1)), [3, 3, 3, 3]),  # a single class
    ]
    for X, y in tables:
        model = LPBoostClassifier(nu=nu, voting=voting).fit(X, y)
        assert np.isfinite(model.predict_proba(X)).all()
        assert np.isfinite(model.decision_function(X)).all()
        assert set(model.predict(X)) <= set(y)


def test_perfect_member_is_all_there_is():
    X, y = np.arange(8.0)[:, None], [0] * 4 + [1] * 4
    model = LPBoostClassifier().fit(X, y)
    assert model.estimator_weights_.tolist() == [1.0]
    assert model.margin_ == model.margin_bound_ == pytest.approx(1)


def test_useless_member_leaves_the_shares_of_the_classes():
    model = LPBoostClassifier(nu=None).fit(np.zeros((8, 1)), [0, 0, 0, 0, 1, 1, 1, 1])
    assert model.stop_reason_ == "too_weak"
    assert len(model.pool_) == 0
    assert model.predict_proba(np.zeros((1, 1))).tolist() == [[0.5, 0.5]]


@pytest.mark.slow
def test_foreign_and_resampled_members():
    X, y = TABLES["iris"]
    linear = LPBoostClassifier(LogisticRegression(), n_estimators=5, voting="soft").fit(X, y)
    assert linear.score(X, y) > 0.9
    drawn = LPBoostClassifier(weighting="resample", n_estimators=20, random_state=0).fit(X, y)
    assert drawn.score(X, y) > 0.9


def test_learning_rate_is_refused():
    with pytest.raises(
        ValueError, match="The 'learning_rate' parameter of LPBoostClassifier must be"
    ):
        LPBoostClassifier(learning_rate=0.1).fit([[0], [1]], [0, 1])


@pytest.mark.slow
def test_depth_raises_the_margin():
    X, y = TABLES["wine"]
    deep = DecisionTreeClassifier(criterion="misclassification", max_depth=3)
    shallow_margin = exact(nu=0.1).fit(X, y).margin_
    assert exact(estimator=deep, nu=0.1).fit(X, y).margin_ > shallow_margin
