"""Leaves that are linear in the columns of their paths."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import coterie
from coterie import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from coterie.boosting.gradient.linear_leaves import path_columns
from coterie.core import ParameterError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(400, 3))
Y = np.where(X[:, 0] > 0, 2 * X[:, 1], -(X[:, 1] ** 2)) + X[:, 0] + RNG.normal(0, 0.1, 400)
CLASSES = np.digitize(Y, [-1.0, 1.0])
NEW = RNG.normal(size=(200, 3))
ONCE = {"linear_leaves": True, "max_iter": 1, "learning_rate": 1.0, "max_leaf_nodes": 5}


def by_leaf(model, ridge, weight=None):
    """Least squares of the residuals in every leaf, over the columns of its path."""
    forest, said = model.pool_.forest, np.zeros(len(X))
    numbers = ~forest.nodes["left"][forest.apply(X)[:, 0]]
    weight = np.ones(len(X)) if weight is None else weight
    for number, columns in path_columns(forest):
        own = numbers == number
        Z = X[own][:, columns]
        Z = np.column_stack([(Z - Z.mean(axis=0)) / Z.std(axis=0), np.ones(len(Z))])
        bend = (Z * weight[own, None]).T @ Z + np.diag([*[ridge] * len(columns), 0.0])
        said[own] = Z @ np.linalg.solve(bend, Z.T @ (weight * (Y - model.start_[0]))[own])
    assert len(np.unique(numbers)) == 5
    return model.start_[0] + said


@pytest.mark.parametrize("ridge", [0.0, 3.0])
def test_leaves_are_least_squares_of_the_columns_on_their_path(ridge):
    model = HistGradientBoostingRegressor(**ONCE, linear_l2=ridge).fit(X, Y)
    np.testing.assert_allclose(model.predict(X), by_leaf(model, ridge), rtol=1e-8, atol=1e-10)


def test_weights_count():
    weight = RNG.integers(1, 4, 400).astype(float)
    model = HistGradientBoostingRegressor(**ONCE).fit(X, Y, weight)
    # Centres and spreads are those of rows, whatever they weigh.
    np.testing.assert_allclose(model.predict(X), by_leaf(model, 1.0, weight), rtol=1e-6, atol=1e-8)


def test_paths():
    model = HistGradientBoostingRegressor(**ONCE).fit(X, Y)
    forest, found = model.pool_.forest, dict(path_columns(model.pool_.forest))
    indptr, nodes = forest.decision_path(X[:50])
    for row in range(50):
        passed = nodes[indptr[row] : indptr[row + 1]]
        leaf = ~forest.nodes["left"][passed[-1]]
        assert set(found[leaf]) == set(forest.features[passed[:-1]])


@pytest.mark.slow
def test_smooth_targets_need_fewer_trees_and_go_on():
    plain, linear = (
        HistGradientBoostingRegressor(max_iter=20, linear_leaves=linear).fit(X, Y)
        for linear in (False, True)
    )
    truth = np.where(NEW[:, 0] > 0, 2 * NEW[:, 1], -(NEW[:, 1] ** 2)) + NEW[:, 0]
    lost = [np.mean((model.predict(NEW) - truth) ** 2) for model in (plain, linear)]
    assert lost[1] < 0.6 * lost[0]
    far = np.array([[1.0, 6.0, 0.0], [1.0, 9.0, 0.0]])
    assert np.ptp(plain.predict(far)) == 0
    assert np.ptp(linear.predict(far)) > 1


@pytest.mark.slow
def test_training_scores_are_those_of_predictions():
    """What the loop adds up while it fits is what the model says."""
    for more in ({}, {"subsample": 0.6}, {"boosting": "goss"}, {"boosting": "dart"}):
        model = HistGradientBoostingRegressor(
            linear_leaves=True, max_iter=8, early_stopping=True, validation_fraction=None,
            scoring="loss", random_state=0, **more,
        ).fit(X, Y)  # fmt: skip
        loss = np.mean((model.predict(X) - Y) ** 2) / 2
        assert -model.train_score_[-1] == pytest.approx(loss, rel=1e-9)


@pytest.mark.slow
def test_stages_parts_files_and_warm_starts(tmp_path):
    model = HistGradientBoostingClassifier(
        linear_leaves=True, max_iter=6, random_state=0, warm_start=True
    ).fit(X, CLASSES)
    stages = list(model.staged_predict_proba(NEW))
    np.testing.assert_allclose(stages[-1], model.predict_proba(NEW), rtol=1e-12)
    np.testing.assert_allclose(stages[2], model[:3].predict_proba(NEW), rtol=1e-12)
    coterie.save(model, tmp_path / "model.coterie")
    again = coterie.load(tmp_path / "model.coterie")
    np.testing.assert_array_equal(again.predict_proba(NEW), model.predict_proba(NEW))
    np.testing.assert_allclose(model.fast_predictor()(NEW), model.predict_proba(NEW), rtol=1e-12)
    whole = HistGradientBoostingClassifier(linear_leaves=True, max_iter=9, random_state=0)
    longer = model.set_params(max_iter=9).fit(X, CLASSES)
    np.testing.assert_allclose(
        longer.predict_proba(NEW), whole.fit(X, CLASSES).predict_proba(NEW), rtol=1e-9
    )


def test_missing_and_infinite_cells_count_as_the_mean():
    holes = X.copy()
    holes[::9, 1] = np.nan
    model = HistGradientBoostingRegressor(**ONCE).fit(holes, Y)
    row = np.array([[1.0, 0.5, 0.0]])
    forest = model.pool_.forest
    for cell in (np.nan, np.inf):
        row[0, 1] = cell
        leaf = ~forest.nodes["left"][forest.apply(row)[0, 0]]
        known = forest.linear[slice(leaf, leaf + 1)]
        others = known.columns[0] != 1
        shift = ((row[0, known.columns[0]] - known.centres[0]) * known.slopes[0])[others].sum()
        assert model.predict(row)[0] - model.start_[0] == pytest.approx(
            forest.values[leaf, 0] + shift
        )


def test_categories_have_no_slope():
    words = np.column_stack([X[:, 0], np.digitize(X[:, 1], [-0.5, 0.5])])
    model = HistGradientBoostingRegressor(**ONCE, categorical_features=[1]).fit(words, Y)
    forest = model.pool_.forest
    assert 1 in forest.features[forest.nodes["left"] >= 0]
    used = forest.linear.columns[forest.linear.slopes != 0]
    assert used.tolist() == [0] * len(used)


@pytest.mark.parametrize(
    ("params", "word"),
    [
        ({"loss": "absolute_error"}, "Newton"),
        ({"monotonic_cst": [1, 0, 0]}, "monotonic_cst"),
        ({"l1_regularization": 1.0}, "l1_regularization"),
        ({"max_delta_step": 1.0}, "max_delta_step"),
    ],
)
def test_what_does_not_go_together(params, word):
    model = HistGradientBoostingRegressor(linear_leaves=True, **params)
    with pytest.raises(ParameterError, match=word):
        model.fit(X, Y)
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_vectors_and_sparse_tables_are_refused():
    from scipy import sparse

    vector = HistGradientBoostingClassifier(linear_leaves=True, multiclass="vector")
    with pytest.raises(ParameterError, match="one tree for all scores"):
        vector.fit(X, CLASSES)
    with pytest.raises(ParameterError, match="sparse"):
        HistGradientBoostingRegressor(linear_leaves=True).fit(sparse.csr_matrix(X), Y)


def test_what_cannot_be_told_of_them():
    model = HistGradientBoostingRegressor(linear_leaves=True, max_iter=2).fit(X, Y)
    for ask in (
        lambda: coterie.shap_values(model, X[:5]),
        lambda: coterie.shap_trees(model),
        lambda: model.refit_leaves(X, Y),
    ):
        with pytest.raises(TypeError, match="linear leaves"):
            ask()
    with pytest.raises(ValueError, match="linear leaves"):
        coterie.to_c(model)
