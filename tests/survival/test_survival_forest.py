"""Random survival forests."""

import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone

import coterie
from coterie.survival import RandomSurvivalForest, make_outcomes, nelson_aalen
from tests.survival.eight import COLUMN, EIGHT, sample
from tests.survival.truncated import late_sample

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


def log_rank(signed, left, entry=None):
    """U and V of the two sides of a cut, time by time."""
    time, entry = np.abs(signed), np.zeros(len(signed)) if entry is None else entry
    difference = variance = 0.0
    for s in np.unique(signed[signed > 0]):
        here, dead = (entry < s) & (s <= time), signed == s
        share, n, d = (here & left).sum() / here.sum(), here.sum(), dead.sum()
        difference += (dead & left).sum() - share * d
        variance += share * (1 - share) * d * (n - d) / (n - 1) if n > 1 else 0.0
    return difference, variance


def best_cut(X, signed, entry=None, leaf=20):
    best = (-1.0, 0, 0.0)
    for j in range(X.shape[1]):
        values = np.unique(X[:, j])
        for cut in (values[1:] + values[:-1]) / 2:
            left = X[:, j] <= cut
            if min(left.sum(), (~left).sum()) < leaf:
                continue
            difference, variance = log_rank(signed, left, entry)
            if variance > 0 and difference**2 / variance > best[0] * (1 + 1e-9):
                best = difference**2 / variance, j, cut
    return best


ONE = {"n_estimators": 1, "bootstrap": False, "max_features": None}


def test_the_exact_test_splits_eight_rows_as_scikit_survival():
    tree = RandomSurvivalForest(**ONE, max_depth=1, min_samples_leaf=1, split="logrank")
    signed = np.where(EIGHT["event"], EIGHT["time"], -EIGHT["time"])
    sides = [log_rank(signed, COLUMN[:, 0] <= z) for z in range(1, 8)]
    known = [1.520606, 1.236375, 0.027471, 0.539540, 1.341302, 0.447152, 0.020214]
    np.testing.assert_allclose([abs(u) / v**0.5 for u, v in sides], known, atol=5e-7)
    for recheck in (10, None):
        tree.set_params(recheck=recheck).fit(COLUMN, EIGHT)
        assert tree.pool_.forest.nodes["threshold"][0] == 1.5
        assert tree.predict([[1.0], [2.0]]).round(6).tolist() == [5.0, 3.940476]
    theirs = pytest.importorskip("sksurv.tree").SurvivalTree(max_depth=1, min_samples_leaf=1)
    theirs.fit(COLUMN, EIGHT)
    assert theirs.tree_.threshold[0] == 1.5
    np.testing.assert_allclose(theirs.predict([[1.0], [2.0]]), tree.predict([[1.0], [2.0]]))


@pytest.mark.parametrize("late", [False, True])
def test_all_cuts_are_tested(late):
    rows, y, entry = late_sample(120)
    rows, entry = np.round(rows, 1), entry if late else None
    signed = np.where(y["event"], y["time"], -y["time"])
    tree = RandomSurvivalForest(
        **ONE, max_depth=2, min_samples_leaf=20, split="logrank", recheck=None
    ).fit(rows, y, entry=entry)
    forest = tree.pool_.forest
    inside = np.ones(len(rows), dtype=bool)
    for node in (0, forest.nodes["left"][0]):
        since = None if entry is None else entry[inside]
        _, column, cut = best_cut(rows[inside], signed[inside], since)
        assert forest.features[node] == column
        assert abs(forest.nodes["threshold"][node] - cut) < 1e-9
        inside &= rows[:, column] <= cut
    many = clone(tree).set_params(recheck=10_000).fit(rows, y, entry=entry)
    assert np.array_equal(many.predict(rows), tree.predict(rows))


def test_trees_are_those_of_scikit_survival():
    theirs = pytest.importorskip("sksurv.tree").SurvivalTree(min_samples_leaf=30)
    mine = RandomSurvivalForest(
        **ONE, min_samples_leaf=30, split="logrank", recheck=None, min_events_leaf=0
    )
    new = sample(seed=1)[0]
    theirs, mine = theirs.fit(X, Y).predict(new), mine.fit(X, Y).predict(new)
    assert np.isclose(mine, theirs).mean() > 0.95  # cuts beyond the last row may lie elsewhere


@pytest.mark.parametrize("split", ["logrank_score", "logrank"])
def test_both_tests_learn_whatever_the_threads(split):
    forest = RandomSurvivalForest(20, random_state=0, split=split, min_samples_leaf=5)
    said = forest.fit(X, Y).predict(X)
    assert forest.score(*sample(seed=1)) > 0.65
    assert np.array_equal(clone(forest).set_params(n_jobs=3).fit(X, Y).predict(X), said)
    sparse = scipy.sparse.csr_array(np.where(abs(X) > 0.5, X, 0.0))
    of_sparse = clone(forest).fit(sparse, Y).predict(sparse)
    assert np.array_equal(
        clone(forest).fit(sparse.toarray(), Y).predict(sparse.toarray()), of_sparse
    )


def test_leaves_hold_events():
    for split in ("logrank_score", "logrank"):
        for fewest in (0, 1, 6):
            tree = RandomSurvivalForest(
                **ONE, min_samples_leaf=2, split=split, min_events_leaf=fewest
            ).fit(X, Y)
            leaves = tree.apply(X)[:, 0]
            events = [Y["event"][leaves == leaf].sum() for leaf in np.unique(leaves)]
            assert min(events) >= fewest
            assert fewest > 0 or min(events) == 0


def test_weights_are_repetitions_in_both_tests():
    times = np.random.default_rng(0).integers(0, 4, len(Y))
    rounded = np.round(X, 1)
    for split in ("logrank_score", "logrank"):
        tree = RandomSurvivalForest(**ONE, split=split, min_samples_leaf=1, max_depth=4)
        weighted = clone(tree).fit(rounded, Y, times).predict(X)
        repeated = tree.fit(np.repeat(rounded, times, axis=0), np.repeat(Y, times)).predict(X)
        np.testing.assert_allclose(weighted, repeated, rtol=1e-9)


def test_entries_of_zero_change_no_bit():
    plain = RandomSurvivalForest(25, random_state=0, oob_score=True).fit(X, Y)
    zero = RandomSurvivalForest(25, random_state=0, oob_score=True)
    zero.fit(X, Y, entry=np.zeros(len(Y)))
    assert np.array_equal(zero.predict_survival_function(X), plain.predict_survival_function(X))
    assert zero.oob_score_ == plain.oob_score_


def test_late_rows_are_at_risk_from_their_entry(tmp_path):
    rows, y, entry = late_sample()
    stump = RandomSurvivalForest(**ONE, max_depth=1, min_samples_leaf=len(y)).fit(
        rows, y, entry=entry
    )
    times = np.unique(y["time"])
    hazard = stump.predict_cumulative_hazard_function(rows[:1], times)[0]
    np.testing.assert_allclose(hazard, nelson_aalen(y, entry=entry)(times))
    for mass in (None, np.random.default_rng(0).integers(0, 4, len(y))):
        forest = RandomSurvivalForest(25, random_state=0, oob_score=True, split="logrank")
        forest.fit(rows, y, mass, entry=entry)
        hazard = forest.predict_cumulative_hazard_function(rows, forest.event_times_)
        np.testing.assert_allclose(hazard.sum(axis=1), forest.predict(rows), rtol=1e-9)
        assert forest.oob_score_ > 0.6
    assert forest.score(rows, y, entry=entry) > 0.6
    coterie.save(forest, tmp_path / "model.coterie")
    loaded = coterie.load(tmp_path / "model.coterie")
    assert loaded.get_params() == forest.get_params()
    assert np.array_equal(loaded.predict(rows), forest.predict(rows))
    with pytest.raises(ValueError, match="not before its time"):
        forest.fit(rows, y, entry=y["time"])


@pytest.mark.parametrize(
    ("name", "known"), [("whas500", 0.779), ("gbsg2", 0.695), ("veterans_lung_cancer", 0.695)]
)
def test_real_tables_are_told_as_well_as_by_scikit_survival(name, known):
    # What its forest of 100 trees with ten rows in a leaf reaches on the same rows.
    rows, y = getattr(pytest.importorskip("sksurv.datasets"), f"load_{name}")()
    y = make_outcomes(*(y[field] for field in y.dtype.names))
    order = np.random.default_rng(0).permutation(len(y))
    learn, new = order[: 2 * len(y) // 3], order[2 * len(y) // 3 :]
    for split in ("logrank_score", "logrank"):
        forest = RandomSurvivalForest(min_samples_leaf=10, split=split, random_state=0)
        forest.fit(rows.iloc[learn], y[learn])
        assert forest.score(rows.iloc[new], y[new]) > known - 0.02
