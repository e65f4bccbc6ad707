"""Random survival forests."""

import numpy as np
import pytest

import coterie
from coterie.survival import RandomSurvivalForest
from tests.survival.eight import COLUMN, EIGHT, sample

X, Y = sample()


def residuals(signed):
    """Martingale residuals, by hand."""
    time = np.abs(signed)
    hazard = [
        sum(
            ((signed == s).sum()) / (time >= s).sum()
            for s in np.unique(signed[signed > 0])
            if s <= t
        )
        for t in time
    ]
    return (signed > 0) - np.array(hazard)


def test_the_score_test_splits_eight_rows():
    tree = RandomSurvivalForest(
        n_estimators=1, bootstrap=False, max_depth=1, min_samples_leaf=1, max_features=None
    ).fit(COLUMN, EIGHT)
    assert tree.pool_.forest.nodes["threshold"][0] == 5.5
    left = tree.predict_cumulative_hazard_function([[1.0]], [1, 2, 3, 4, 5, 8])[0]
    np.testing.assert_allclose(left, [1 / 5, 9 / 20, 47 / 60, 77 / 60, 77 / 60, 137 / 60])


def test_every_node_is_split_by_its_own_residuals():
    signed = np.where(Y["event"], Y["time"], -Y["time"])
    tree = RandomSurvivalForest(
        n_estimators=1, bootstrap=False, max_depth=2, min_samples_leaf=20, max_features=None
    ).fit(X, Y)
    forest = tree.pool_.forest
    rows = np.ones(len(X), dtype=bool)
    for node in (0, forest.nodes["left"][0]):
        r, best = residuals(signed[rows]), (-1.0, 0, 0.0)
        for j in range(X.shape[1]):
            order = np.argsort(X[rows, j])
            values, sums = X[rows, j][order], np.cumsum(r[order])
            for k in range(19, len(r) - 20):
                gain = sums[k] ** 2 * (1 / (k + 1) + 1 / (len(r) - k - 1))
                if gain > best[0] + 1e-9:
                    best = gain, j, (values[k] + values[k + 1]) / 2
        assert forest.features[node] == best[1]
        assert abs(forest.nodes["threshold"][node] - best[2]) < 1e-12
        rows = rows & (X[:, best[1]] <= best[2])


def test_it_learns_and_judges_itself():
    new = sample(seed=1)
    forest = RandomSurvivalForest(oob_score=True, random_state=0).fit(X, Y)
    assert forest.score(*new) > 0.65
    assert abs(forest.oob_score_ - forest.score(*new)) < 0.06
    assert forest.oob_prediction_.shape == (len(X),)
    assert forest.feature_importances_.argmax() == 0


@pytest.mark.parametrize(
    "settings", [{}, {"draw": "repeats"}, {"bootstrap": False}, {"draw": "poisson"}]
)
def test_mortality_is_the_sum_of_the_hazards(settings):
    weight = np.random.default_rng(0).integers(0, 4, len(Y))
    for mass in (None, weight, weight * 0.7):
        forest = RandomSurvivalForest(5, random_state=0, **settings).fit(X, Y, mass)
        hazard = forest.predict_cumulative_hazard_function(X, forest.event_times_)
        np.testing.assert_allclose(hazard.sum(axis=1), forest.predict(X), rtol=1e-9)


def test_two_kinds_of_survival():
    forest = RandomSurvivalForest(10, random_state=0).fit(X, Y)
    hazard = forest.predict_cumulative_hazard_function(X)
    np.testing.assert_allclose(forest.predict_survival_function(X), np.exp(-hazard))
    product = forest.set_params(survival="km").predict_survival_function(X)
    assert (product <= np.exp(-hazard) + 0.2).all()
    assert not np.allclose(product, np.exp(-hazard))
    assert ((product >= 0) & (product <= 1)).all()


def test_warm_start_adds_hazards():
    whole = RandomSurvivalForest(8, random_state=0).fit(X, Y)
    part = RandomSurvivalForest(3, random_state=0, warm_start=True).fit(X, Y)
    part.set_params(n_estimators=8).fit(X, Y)
    assert np.array_equal(whole.predict_survival_function(X), part.predict_survival_function(X))


def test_files_and_threads_keep_every_bit(tmp_path):
    forest = RandomSurvivalForest(8, random_state=0).fit(X, Y)
    said = forest.predict_survival_function(X)
    again = RandomSurvivalForest(8, random_state=0, n_jobs=3).fit(X, Y)
    assert np.array_equal(again.predict_survival_function(X), said)
    coterie.save(forest, tmp_path / "model.coterie")
    loaded = coterie.load(tmp_path / "model.coterie")
    assert np.array_equal(loaded.predict_survival_function(X), said)


def test_categories_and_missing_values():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"word": np.where(X[:, 0] > 0, "high", "low"), "b": X[:, 1]})
    frame.loc[::4, "b"] = np.nan
    forest = RandomSurvivalForest(20, random_state=0, max_features=None).fit(frame, Y)
    high, low = forest.predict(pandas.DataFrame({"word": ["high", "low"], "b": [0.0, 0.0]}))
    assert high > 1.3 * low


def test_as_good_as_scikit_survival():
    ensemble = pytest.importorskip("sksurv.ensemble")
    new = sample(600, seed=1)
    mine = RandomSurvivalForest(50, random_state=0, min_samples_leaf=15).fit(X, Y).score(*new)
    theirs = ensemble.RandomSurvivalForest(
        50, random_state=0, min_samples_leaf=15, min_samples_split=30
    )
    assert mine > theirs.fit(X, Y).score(*new) - 0.02
