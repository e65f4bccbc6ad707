"""What fitted models offer: stages, warm starts, constraints, leaves, importances."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.inspection import partial_dependence, permutation_importance

from coterie import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from tests.boosting.gradient.tables import SMALL, numbers, three_classes, two_classes

TASKS = [
    (HistGradientBoostingRegressor, numbers),
    (HistGradientBoostingClassifier, two_classes),
    (HistGradientBoostingClassifier, three_classes),
]
every_task = pytest.mark.parametrize(("cls", "table"), TASKS)


def raw(model, X):
    return model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X)


@every_task
def test_stages_are_shorter_fits(cls, table):
    X, y = table()
    model = cls(**SMALL).fit(X, y)
    name = "staged_decision_function" if cls is HistGradientBoostingClassifier else "staged_predict"
    stages = list(getattr(model, name)(X))
    assert len(stages) == model.n_iter_ == 20
    for size in (1, 7, 20):
        short = cls(**{**SMALL, "max_iter": size}).fit(X, y)
        np.testing.assert_allclose(stages[size - 1], raw(short, X), rtol=1e-12, atol=1e-12)
    *_, last = model.staged_predict(X)
    np.testing.assert_allclose(last, model.predict(X), rtol=1e-9)


def test_staged_probabilities():
    X, y = three_classes()
    model = HistGradientBoostingClassifier(**SMALL).fit(X, y)
    *_, last = model.staged_predict_proba(X)
    np.testing.assert_allclose(last, model.predict_proba(X), rtol=1e-12)


@every_task
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"subsample": 0.5},
        {"boosting": "goss"},
        {"colsample_bytree": 0.5, "max_features": 0.5},
        {"early_stopping": True, "n_iter_no_change": 30},
    ],
    ids=str,
)
def test_warm_start_goes_on_exactly(cls, table, params):
    X, y = table()
    settings = {**SMALL, **params}
    whole = cls(**settings).fit(X, y)
    parts = cls(**{**settings, "max_iter": 9}, warm_start=True).fit(X, y)
    parts.set_params(max_iter=20).fit(X, y)
    assert np.array_equal(raw(parts, X), raw(whole, X))
    assert np.array_equal(parts.train_score_, whole.train_score_)
    assert np.array_equal(parts.validation_score_, whole.validation_score_)
    with pytest.raises(ValueError, match="max_iter=5 must be larger"):
        parts.set_params(max_iter=5).fit(X, y)


def test_warm_start_may_change_the_rate():
    X, y = numbers()
    model = HistGradientBoostingRegressor(**{**SMALL, "max_iter": 5}, warm_start=True).fit(X, y)
    before = model.predict(X)
    model.set_params(max_iter=6, learning_rate=1.0).fit(X, y)
    assert model.pool_.weights.tolist() == [0.1] * 5 + [1.0]
    stages = list(model.staged_predict(X))
    np.testing.assert_allclose(stages[4], before, rtol=1e-12)
    leaves = model.apply(X)[:, 5]
    for leaf in np.unique(leaves):
        assert (y - stages[5])[leaves == leaf].mean() == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error"])
@pytest.mark.parametrize("cst", [[1, 0, -1, 0, 0], {"a": 1, "c": -1}], ids=["list", "dict"])
def test_monotone_on_a_grid(cst, loss):
    pandas = pytest.importorskip("pandas")
    X, y = numbers()
    frame = pandas.DataFrame(X, columns=list("abcde"))
    model = HistGradientBoostingRegressor(loss, monotonic_cst=cst, **SMALL).fit(frame, y)
    free = HistGradientBoostingRegressor(loss, **SMALL).fit(frame, y)

    def worst(fitted, column, direction):
        grid = np.repeat(X[:60], 50, axis=0)
        grid[:, column] = np.tile(np.linspace(-3, 3, 50), 60)
        predicted = fitted.predict(pandas.DataFrame(grid, columns=list("abcde"))).reshape(60, 50)
        return (direction * np.diff(predicted, axis=1)).min()

    for column, direction in ((0, 1), (2, -1)):
        assert worst(model, column, direction) >= -1e-12
        assert worst(free, column, direction) < -1e-3


def paths(forest, tree):
    """The columns met on every path of a tree."""
    part = forest[tree]
    left, columns = part.nodes["left"], part.features
    waiting, found = [(0, frozenset())], []
    while waiting:
        node, met = waiting.pop()
        if left[node] < 0:
            found.append(met)
            continue
        met = met | {int(columns[node])}
        waiting += [(int(left[node]), met), (int(left[node]) + 1, met)]
    return found


@pytest.mark.parametrize(
    ("cst", "groups"),
    [
        ("no_interactions", [{j} for j in range(5)]),
        ("pairwise", [{i, j} for i in range(5) for j in range(i)]),
        ([{0, 1}, {1, 2}], [{0, 1}, {1, 2}, {3, 4}]),
    ],
)
def test_interactions_are_respected(cst, groups):
    X, y = numbers()
    model = HistGradientBoostingRegressor(interaction_cst=cst, **SMALL).fit(X, y)
    forest = model.pool_.forest
    met = {path for tree in range(len(forest)) for path in paths(forest, tree)}
    assert all(any(path <= group for group in groups) for path in met)
    if cst != "no_interactions":
        assert max(map(len, met)) == 2


@every_task
def test_threads_do_not_change_a_bit(cls, table):
    X, y = table(1500)
    settings = {**SMALL, "subsample": 0.7, "max_features": 0.6, "early_stopping": True}
    one, two = (cls(n_jobs=jobs, **settings).fit(X, y) for jobs in (1, 2))
    assert np.array_equal(raw(one, X), raw(two, X))
    assert np.array_equal(one.validation_score_, two.validation_score_)


def test_leaves_and_paths():
    X, y = three_classes()
    model = HistGradientBoostingClassifier(**SMALL).fit(X, y)
    assert model.apply(X).shape == (len(X), 20, 3)
    indicator, ends = model.decision_path(X)
    assert sparse.issparse(indicator)
    assert indicator.shape == (len(X), ends[-1])
    assert len(ends) == 61
    trees = model.estimators_[3]
    assert np.array_equal(trees[2].apply(X), model.apply(X)[:, 3, 2])


def test_importances():
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(500, 4)), 1)
    y = 5 * X[:, 2] + X[:, 0]
    model = HistGradientBoostingRegressor(**SMALL).fit(X, y)
    gain = model.feature_importances_
    assert gain.sum() == pytest.approx(1)
    assert np.argsort(gain)[-2:].tolist() == [0, 2]
    assert gain[2] > 0.9
    split = model.set_params(importance_type="split").feature_importances_
    used = model.pool_.forest
    inner = used.features[used.nodes["left"] >= 0]
    np.testing.assert_allclose(split, np.bincount(inner, minlength=4) / len(inner))
    shuffled = permutation_importance(model, X, y, n_repeats=2, random_state=0)
    assert np.argmax(shuffled.importances_mean) == 2


def test_partial_dependence():
    X, y = numbers()
    model = HistGradientBoostingRegressor(**SMALL).fit(X, y)
    result = partial_dependence(model, X, [0], grid_resolution=5, method="brute")
    value = result["grid_values"][0][2]
    moved = X.copy()
    moved[:, 0] = value
    assert result["average"][0, 2] == pytest.approx(model.predict(moved).mean())


@pytest.mark.slow
def test_partial_dependence_is_drawn():
    pytest.importorskip("matplotlib").use("Agg")
    from sklearn.inspection import PartialDependenceDisplay

    X, y = three_classes(100)
    model = HistGradientBoostingClassifier(**{**SMALL, "max_iter": 3}).fit(X, y)
    display = PartialDependenceDisplay.from_estimator(
        model, X, [0, (0, 1)], target=2, grid_resolution=4
    )
    assert display.axes_.shape == (1, 2)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_categories_and_missing_values(library):
    frames = pytest.importorskip(library)
    rng = np.random.default_rng(0)
    colours = np.array(["red", "green", "blue", None], dtype=object)[rng.integers(0, 4, 300)]
    x = np.where(rng.random(300) < 0.2, np.nan, np.round(rng.normal(size=300), 1))
    frame = frames.DataFrame({"x": x, "colour": colours})
    y = (colours == "green") * 5.0 + (colours == None) * 3.0 + np.isnan(x)  # noqa: E711
    settings = {**SMALL, "max_iter": 60, "learning_rate": 0.3}
    model = HistGradientBoostingRegressor(**settings).fit(frame, y)
    np.testing.assert_allclose(model.predict(frame), y, atol=0.05)
    assert model.is_categorical_.tolist() == [False, True]


def test_sparse_and_short_floats():
    X, y = numbers()
    X = np.where(np.abs(X) < 0.5, 0.0, X).astype(np.float32)
    dense = HistGradientBoostingRegressor(**SMALL).fit(X, y)
    thin = HistGradientBoostingRegressor(**SMALL).fit(sparse.csr_array(X), y)
    assert np.array_equal(dense.predict(X), thin.predict(sparse.csc_array(X)))


def test_progress_is_reported(capsys):
    X, y = numbers(100)
    HistGradientBoostingRegressor(**{**SMALL, "max_iter": 3}, verbose=1).fit(X, y)
    assert "round 3/3" in capsys.readouterr().err
