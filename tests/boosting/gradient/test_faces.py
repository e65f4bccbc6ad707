"""GradientBoosting* is scikit-learn's, to the digits of its training loss."""

import numpy as np
import pytest
from sklearn import ensemble
from sklearn.datasets import load_diabetes, load_iris, make_hastie_10_2
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import train_test_split

import coterie
from coterie import GradientBoostingClassifier, GradientBoostingRegressor

X, Y = load_diabetes(return_X_y=True)
LIMITS = [
    {},
    {"loss": "huber"},
    {"max_leaf_nodes": 6, "max_depth": None},
    {"min_samples_leaf": 0.05},
    {"min_samples_split": 60},
    {"min_weight_fraction_leaf": 0.1},
    {"min_impurity_decrease": 30.0},
    {"ccp_alpha": 20.0},
    {"init": "zero"},
    {"init": LinearRegression()},
]


@pytest.mark.parametrize("params", LIMITS, ids=str)
def test_training_loss_of_numbers_is_scikit_learns(params):
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(Y))
    ours = GradientBoostingRegressor(n_estimators=20, **params).fit(X, Y, weight)
    theirs = ensemble.GradientBoostingRegressor(n_estimators=20, **params).fit(X, Y, weight)
    np.testing.assert_allclose(ours.train_score_, theirs.train_score_, rtol=1e-6)


@pytest.mark.parametrize("loss", ["log_loss", "exponential"])
def test_training_loss_of_two_classes_is_scikit_learns(loss):
    X, y = make_hastie_10_2(400, random_state=1)
    settings = {"n_estimators": 15, "loss": loss, "min_impurity_decrease": 1e-4, "ccp_alpha": 1e-3}
    ours = GradientBoostingClassifier(max_bins=None, **settings).fit(X, y)
    theirs = ensemble.GradientBoostingClassifier(**settings).fit(X, y)
    np.testing.assert_allclose(ours.train_score_, theirs.train_score_, rtol=1e-6)
    # The thresholds are theirs too, midway between the values of the node.
    new, _ = make_hastie_10_2(400, random_state=2)
    np.testing.assert_allclose(
        ours.decision_function(new), theirs.decision_function(new.astype(np.float32)), rtol=1e-6
    )


def test_training_loss_of_many_classes_is_scikit_learns():
    X, y = load_iris(return_X_y=True)
    ours = GradientBoostingClassifier(n_estimators=10).fit(X, y)
    theirs = ensemble.GradientBoostingClassifier(n_estimators=10).fit(X, y)
    np.testing.assert_allclose(ours.train_score_, theirs.train_score_, rtol=1e-6)
    assert ours.apply(X).shape == theirs.apply(X).shape == (150, 10, 3)
    assert ours.estimators_.shape == theirs.estimators_.shape == (10, 3)


@pytest.mark.slow
def test_score_without_arguments_is_scikit_learns():
    train, test, y, truth = train_test_split(X, Y, random_state=17)
    ours = GradientBoostingRegressor().fit(train, y).score(test, truth)
    theirs = ensemble.GradientBoostingRegressor(random_state=0).fit(train, y).score(test, truth)
    assert abs(ours - theirs) < 0.02


def test_bins_make_the_difference_that_they_should():
    rows = np.random.default_rng(0).normal(size=(900, 2))
    y = (rows[:, 0] > np.sort(rows[:, 0])[1]).astype(float)  # two rows apart from all others
    exact = GradientBoostingRegressor(n_estimators=1, learning_rate=1.0, max_bins=None)
    binned = GradientBoostingRegressor(n_estimators=1, learning_rate=1.0, max_bins=10)
    assert exact.fit(rows, y).train_score_[-1] < 1e-12
    assert binned.fit(rows, y).train_score_[-1] > 1e-5


def test_trees_are_an_array_that_can_be_cut():
    model = GradientBoostingRegressor(n_estimators=6).fit(X, Y)
    trees = model.estimators_
    assert (trees.shape, trees[0, 0].max_depth) == ((6, 1), 3)
    assert trees[0, 0].tree_.max_depth == 3
    votes = sum(tree.predict(X) for tree in trees[:, 0])
    np.testing.assert_allclose(Y.mean() + 0.1 * votes, model.predict(X))
    after = list(model.staged_predict(X))
    model.estimators_ = trees[:2]
    assert model.n_estimators_ == len(model.estimators_) == 2
    np.testing.assert_array_equal(model.predict(X), after[1])


def test_what_boosting_starts_from():
    start = GradientBoostingRegressor(n_estimators=2).fit(X, Y).init_
    assert isinstance(start, DummyRegressor)
    np.testing.assert_allclose(start.predict(X), Y.mean())
    rows, y = load_iris(return_X_y=True)
    prior = GradientBoostingClassifier(n_estimators=2).fit(rows[:120], y[:120]).init_
    assert isinstance(prior, DummyClassifier)
    np.testing.assert_allclose(prior.predict_proba(rows)[0], [50 / 120, 50 / 120, 20 / 120])
    assert GradientBoostingRegressor(n_estimators=2, init="zero").fit(X, Y).init_ == "zero"
    linear = GradientBoostingRegressor(n_estimators=2, init=LinearRegression()).fit(X, Y)
    assert isinstance(linear.init_, LinearRegression)
    with pytest.raises(ValueError, match="init"):
        linear.fast_predictor()


def test_rows_left_out():
    model = GradientBoostingRegressor(n_estimators=8, subsample=0.5, random_state=0).fit(X, Y)
    assert len(model.oob_scores_) == len(model.oob_improvement_) == 8
    np.testing.assert_allclose(-np.diff(model.oob_scores_), model.oob_improvement_[1:])
    assert model.oob_score_ == model.oob_scores_[-1]
    assert not hasattr(GradientBoostingRegressor(n_estimators=2).fit(X, Y), "oob_score_")
    longer = GradientBoostingRegressor(
        n_estimators=5, subsample=0.5, random_state=0, warm_start=True
    ).fit(X, Y)
    longer.set_params(n_estimators=8).fit(X, Y)
    np.testing.assert_array_equal(longer.oob_scores_, model.oob_scores_)
    np.testing.assert_array_equal(longer.train_score_, model.train_score_)


@pytest.mark.slow
def test_early_stopping_is_by_rounds_without_change():
    model = GradientBoostingRegressor(n_estimators=300, n_iter_no_change=4, random_state=0)
    with pytest.raises(ValueError, match="n_iter_no_change is None"):
        GradientBoostingRegressor().fit(X, Y, X_val=X, y_val=Y)
    with pytest.raises(ValueError, match="init_score_val"):
        model.fit(X, Y, X_val=X, y_val=Y, init_score=Y)
    model.fit(X[:300], Y[:300], X_val=X[300:], y_val=Y[300:])
    assert model.stop_reason_ == "early_stopping"
    losses = model.trace_["validation_loss"]
    ends = [t for t in range(4, len(losses)) if losses[t] + 0.5e-4 >= max(losses[t - 4 : t])]
    assert ends == [model.n_estimators_ - 1]
    best = GradientBoostingRegressor(
        n_estimators=300, n_iter_no_change=4, random_state=0, keep_best=True
    ).fit(X[:300], Y[:300], X_val=X[300:], y_val=Y[300:])
    assert best.n_estimators_ == model.best_iteration_ == int(np.argmin(losses)) + 1


def test_infinity_is_the_largest_of_numbers():
    rows = np.array([[-np.inf], [0.0], [1.0], [np.inf]] * 10)
    y = np.tile([0.0, 1.0, 1.0, 2.0], 10)
    for kind in (np.float64, np.float32):
        model = coterie.HistGradientBoostingRegressor(min_samples_leaf=1).fit(rows.astype(kind), y)
        np.testing.assert_allclose(model.predict(rows), y, atol=1e-3)
        np.testing.assert_allclose(model.predict([[1e30]]), 1.0, atol=1e-3)
    with pytest.raises(ValueError, match="infinity"):
        GradientBoostingRegressor().fit(rows, y)


def test_old_names_in_files_are_the_histogram_face(tmp_path):
    from coterie.export.registry import class_of, tag_of

    assert class_of("GradientBoostingRegressor") is coterie.HistGradientBoostingRegressor
    assert class_of(tag_of(GradientBoostingRegressor)) is GradientBoostingRegressor
    model = GradientBoostingRegressor(n_estimators=3).fit(X, Y)
    coterie.save(model, tmp_path / "model.coterie")
    again = coterie.load(tmp_path / "model.coterie")
    assert type(again) is GradientBoostingRegressor
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
