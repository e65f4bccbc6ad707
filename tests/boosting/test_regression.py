"""AdaBoost.R2: worked examples, parity with scikit-learn, and everyday use."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.ensemble import AdaBoostRegressor as Reference
from sklearn.linear_model import LinearRegression
from sklearn.metrics import r2_score
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeRegressor as ReferenceTree

from coterie import DecisionTreeClassifier, DecisionTreeRegressor
from coterie.boosting import regression
from coterie.boosting.regression import (
    AdaBoostR2,
    AdaBoostRegressor,
    RunningMedian,
    middle,
    weighted_median,
)
from coterie.data import Target


def slow(votes, weights):
    """Straight from the definition."""
    order = sorted(range(len(votes)), key=lambda t: votes[t])
    reached = 0.0
    for t in order:
        reached += weights[t]
        if reached >= weights.sum() / 2:
            return votes[t]
    raise AssertionError


def test_is_the_first_to_reach_half_of_the_weight():
    rng = np.random.default_rng(0)
    votes, weights = rng.integers(0, 5, (200, 7)).astype(float), rng.uniform(0.1, 2, 7)
    found = weighted_median(votes, weights)
    np.testing.assert_array_equal(found, [slow(row, weights) for row in votes])
    np.testing.assert_array_equal(weighted_median(votes, np.ones(7)), np.median(votes, axis=1))


def test_exactly_half_is_enough():
    assert weighted_median(np.array([[1.0, 2.0]]), np.array([1.0, 1.0])).tolist() == [1.0]


def test_members_of_weight_zero_are_not_there():
    rng = np.random.default_rng(0)
    votes, weights = rng.normal(size=(50, 6)), rng.uniform(0.1, 2, 6)
    known = np.where(np.arange(6) < 4, weights, 0.0)
    found = middle(votes, np.argsort(votes, axis=1), known)
    np.testing.assert_array_equal(found, weighted_median(votes[:, :4], weights[:4]))


def test_equals_scikit_learns():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 3)), rng.normal(size=100)
    model = Reference(n_estimators=15, random_state=0).fit(X, y)
    votes = np.stack([member.predict(X) for member in model.estimators_], axis=1)
    weights = model.estimator_weights_[: votes.shape[1]]
    np.testing.assert_array_equal(weighted_median(votes, weights), model.predict(X))


def test_watching_takes_votes_out_of_their_sums():
    rng = np.random.default_rng(0)
    votes, alphas = rng.normal(size=(20, 5)), rng.uniform(0.1, 2, 5)
    running, raw = RunningMedian(), np.zeros((20, 2))
    for t, alpha in enumerate(alphas):
        raw += alpha * np.column_stack([votes[:, t], np.ones(20)])
        expected = weighted_median(votes[:, : t + 1], alphas[: t + 1])
        np.testing.assert_allclose(running(raw), expected[:, None])


LOSSES = ["linear", "square", "exponential"]


def begun(rule, y, weight=None):
    weight = np.full(len(y), 1 / len(y)) if weight is None else weight
    return rule.begin(Target.numbers(np.asarray(y, dtype=float)), weight)


def told(rule, state, predicted):
    """Tell a rule of a member that predicts just this."""
    vote = rule.vote(np.asarray(predicted, dtype=float)[:, None])
    return rule.tell(state, vote, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("loss", "predicted", "mean", "alpha", "weight"),
    [
        ("linear", [0, 1, 2, 1], 0.25, 1.098612, [1 / 6, 1 / 6, 1 / 6, 1 / 2]),
        ("linear", [0.5, 1, 2, 1], 0.3125, 0.788457, [0.22479, 0.184574, 0.184574, 0.406063]),
        ("square", [0.5, 1, 2, 1], 0.265625, 1.016934, [0.182772, 0.171517, 0.171517, 0.474194]),
        (
            "exponential",
            [0.5, 1, 2, 1],
            0.21333,
            1.304969,
            [0.237637, 0.178054, 0.178054, 0.406256],
        ),
    ],
)
def test_worked_examples(loss, predicted, mean, alpha, weight):
    rule = AdaBoostR2(loss=loss)
    state = begun(rule, [0, 1, 2, 3])
    step = told(rule, state, predicted)
    assert step.facts["error"] == pytest.approx(mean, abs=1e-6)
    assert step.alpha == pytest.approx(alpha, abs=1e-6)
    np.testing.assert_allclose(state.weight, weight, atol=1e-6)


def table(name):
    X, y = load_diabetes(return_X_y=True)
    if name == "friedman":
        return make_friedman1(300, noise=1.0, random_state=0)
    return (X, y) if name == "diabetes" else (X[:, :2], np.floor(y / 50))


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("rate", [1.0, 0.5])
@pytest.mark.parametrize("name", ["diabetes", "friedman", "steps"])
def test_weighs_scikit_learns_members_as_scikit_learn_does(name, loss, rate):
    X, y = table(name)
    given = np.random.default_rng(0).uniform(0.5, 2, len(y))
    model = Reference(n_estimators=12, loss=loss, learning_rate=rate, random_state=0)
    model.fit(X, y, sample_weight=given)
    rule = AdaBoostR2(rate, loss)
    state = begun(rule, y, given / given.sum())
    steps = [told(rule, state, member.predict(X)) for member in model.estimators_]
    size = len(steps)
    assert size > 1
    alphas = np.array([step.alpha for step in steps])
    np.testing.assert_allclose(alphas, model.estimator_weights_[:size], rtol=1e-12, atol=1e-12)
    errors = [step.facts["error"] for step in steps]
    np.testing.assert_allclose(errors, model.estimator_errors_[:size], rtol=1e-12, atol=1e-12)


def test_members_that_scikit_learn_kept_are_kept():
    X, y = make_friedman1(200, noise=3.0, random_state=1)
    model = Reference(ReferenceTree(max_depth=1), n_estimators=400, random_state=0).fit(X, y)
    assert len(model.estimators_) < 400
    rule = AdaBoostR2()
    state = begun(rule, y)
    steps = [told(rule, state, member.predict(X)) for member in model.estimators_]
    assert all(step.keep and not step.stop for step in steps)


@pytest.mark.slow
def test_predicts_the_weighted_median_of_its_members():
    X, y = load_diabetes(return_X_y=True)
    model = AdaBoostRegressor(n_estimators=20).fit(X, y)
    reference = Reference(n_estimators=20).fit(X, y)
    # scikit-learn's own median, over our members and weights.
    reference.estimators_ = list(model.estimators_)
    reference.estimator_weights_ = model.estimator_weights_
    np.testing.assert_array_equal(model.predict(X), reference.predict(X))


def test_blocks_do_not_change_predictions(monkeypatch):
    X, y = load_diabetes(return_X_y=True)
    model = AdaBoostRegressor(n_estimators=10).fit(X, y)
    expected = model.predict(X)
    monkeypatch.setattr(regression, "_BLOCK", 70)
    np.testing.assert_array_equal(model.predict(X), expected)


@pytest.mark.parametrize("loss", LOSSES)
def test_identities_of_every_round(loss):
    X, y = load_diabetes(return_X_y=True)
    model = AdaBoostRegressor(n_estimators=15, loss=loss, trace="weights").fit(X, y)
    assert len(model.estimators_) > 3
    for t, member in enumerate(model.estimators_):
        error = np.abs(y - member.predict(X))
        share = error / error.max()
        row_loss = {"linear": share, "square": share**2, "exponential": 1 - np.exp(-share)}[loss]
        mean = model.trace_.weights[t] @ row_loss
        assert model.estimator_errors_[t] == pytest.approx(mean)
        assert model.estimator_weights_[t] == pytest.approx(np.log((1 - mean) / mean))
        assert model.trace_["largest"][t] == pytest.approx(error.max())
        if t + 1 < len(model.estimators_):
            new = model.trace_.weights[t] * (mean / (1 - mean)) ** (1 - row_loss)
            np.testing.assert_allclose(model.trace_.weights[t + 1], new / new.sum())


def test_stages_are_shorter_fits():
    X, y = load_diabetes(return_X_y=True)
    model = AdaBoostRegressor(n_estimators=8).fit(X, y)
    stages = list(model.staged_predict(X))
    assert len(stages) == 8
    for size in (1, 3, 8):
        shorter = AdaBoostRegressor(n_estimators=size).fit(X, y)
        np.testing.assert_array_equal(stages[size - 1], shorter.predict(X))
    scores = [r2_score(y, stage) for stage in stages]
    np.testing.assert_allclose(list(model.staged_score(X, y)), scores)


@pytest.mark.parametrize("weighting", ["reweight", "resample"])
def test_warm_start_is_a_longer_fit(weighting):
    X, y = load_diabetes(return_X_y=True)
    settings = {"weighting": weighting, "random_state": 0}
    model = AdaBoostRegressor(n_estimators=4, warm_start=True, **settings).fit(X, y)
    model.set_params(n_estimators=9).fit(X, y)
    whole = AdaBoostRegressor(n_estimators=9, **settings).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), whole.predict(X))
    np.testing.assert_array_equal(model.estimator_weights_, whole.estimator_weights_)


def test_a_perfect_member_ends_boosting():
    X = np.arange(8.0)[:, None]
    y = np.repeat([1e-3, 5.0, 7.0, 2.0], 2) / 3
    model = AdaBoostRegressor(DecisionTreeRegressor()).fit(X, y)
    assert model.stop_reason_ == "perfect"
    assert len(model.estimators_) == 1
    np.testing.assert_allclose(model.predict(X), y)


def test_a_useless_member_is_kept_only_if_it_is_the_first():
    rule = AdaBoostR2()
    state = begun(rule, [0.0, 1.0])
    first = told(rule, state, [5.0, 5.0])
    assert (first.keep, first.stop, first.alpha) == (True, "too_weak", 1.0)
    state = begun(rule, [0.0, 1.0, 2.0, 3.0])
    assert told(rule, state, [0, 1, 2, 1]).keep
    before = state.weight, state.raw
    later = told(rule, state, [9.0, 9.0, 9.0, 9.0])
    assert (later.keep, later.stop) == (False, "too_weak")
    assert state.weight is before[0]
    assert state.raw is before[1]


def test_a_constant_is_learnt():
    model = AdaBoostRegressor().fit(np.arange(6.0)[:, None], np.full(6, 0.1))
    np.testing.assert_allclose(model.predict([[2.0]]), 0.1)
    assert model.stop_reason_ == "perfect"


@pytest.mark.parametrize("member", [KNeighborsRegressor(3), LinearRegression()])
def test_any_regressor_is_a_member(member):
    X, y = make_friedman1(200, noise=1.0, random_state=0)
    model = AdaBoostRegressor(member, n_estimators=5, random_state=0).fit(X, y)
    assert type(model.estimators_[0]) is type(member)
    assert model.score(X, y) > 0.6


def test_a_classifier_is_no_member():
    X, y = make_friedman1(50, random_state=0)
    with pytest.raises(ValueError, match="DecisionTreeRegressor"):
        AdaBoostRegressor(DecisionTreeClassifier()).fit(X, y)


def test_resampling_is_drawn_by_the_seed():
    X, y = load_diabetes(return_X_y=True)
    models = [
        AdaBoostRegressor(weighting="resample", n_estimators=5, random_state=seed).fit(X, y)
        for seed in (0, 0, 1)
    ]
    first, second, third = (model.predict(X) for model in models)
    np.testing.assert_array_equal(first, second)
    assert not np.array_equal(first, third)


def test_early_stopping_watches_the_median():
    X, y = make_friedman1(400, noise=3.0, random_state=0)
    model = AdaBoostRegressor(
        n_estimators=100, early_stopping=True, n_iter_no_change=5, random_state=0
    ).fit(X, y)
    assert model.stop_reason_ == "early_stopping"
    assert len(model.estimators_) < 100
    assert np.argmin(model.trace_["validation_error"]) == len(model.estimators_) - 1


def test_missing_values_and_categories():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue"], 200)
    frame = pandas.DataFrame({"x": rng.normal(size=200), "colour": pandas.Categorical(colour)})
    y = frame["x"] + 5.0 * (colour == "green")
    frame.loc[::7, "x"] = np.nan
    model = AdaBoostRegressor(n_estimators=10).fit(frame, y)
    assert model.score(frame, y) > 0.8


@pytest.mark.slow
def test_beats_one_tree_as_scikit_learns_does():
    X, y = make_friedman1(1000, noise=1.0, random_state=0)
    train, test = slice(0, 500), slice(500, None)
    ours = AdaBoostRegressor(random_state=0).fit(X[train], y[train]).score(X[test], y[test])
    theirs = Reference(random_state=0).fit(X[train], y[train]).score(X[test], y[test])
    alone = DecisionTreeRegressor(max_depth=3).fit(X[train], y[train]).score(X[test], y[test])
    assert ours > alone + 0.1
    assert ours > theirs - 0.03


def test_grid_search_reaches_the_member():
    X, y = make_friedman1(120, random_state=0)
    model = AdaBoostRegressor(DecisionTreeRegressor(), n_estimators=5)
    grid = {"estimator__max_depth": [1, 4], "loss": LOSSES}
    assert GridSearchCV(model, grid, cv=2).fit(X, y).best_params_["estimator__max_depth"] == 4
