import numpy as np
import pytest
from scipy import sparse, stats
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import IsolationForest as TheirForest

from coterie import ExtendedIsolationForest, IsolationForest
from coterie.outliers import average_path, isolation_score

THREE = np.array([[0.0], [1.0], [10.0]])


def spoilt(n=300, d=4, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, d))
    X[: n // 30] += 5.0
    return X


def mean_paths(forest, X):
    return forest._path_lengths(forest._admit(X)) / len(forest.bags_)


def test_average_path_is_that_of_the_specification():
    exact = [0, 1, 1.666667, 2.166667, 3.435714, 4.761458, 10.248690]
    approximate = [0, 1, 1.207392, 1.851656, 3.296252, 4.695532, 10.244771]
    sizes = [1, 2, 3, 4, 8, 16, 256]
    np.testing.assert_allclose(average_path(sizes, "exact"), exact, atol=5e-7)
    np.testing.assert_allclose(average_path(sizes), approximate, atol=5e-7)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "expected"),
    [("exact", [0.453760, 0.435275, 0.632878]), ("approximate", [0.335960, 0.317216, 0.531796])],
)
def test_three_rows_have_the_scores_of_the_enumeration(path, expected):
    forest = IsolationForest(n_estimators=8000, random_state=0, path=path).fit(THREE)
    np.testing.assert_allclose(mean_paths(forest, THREE), [1.9, 2.0, 1.1], atol=0.02)
    np.testing.assert_allclose(-forest.score_samples(THREE), expected, atol=0.006)


def test_scores_follow_from_the_trees():
    X = spoilt()
    forest = IsolationForest(n_estimators=20, random_state=0).fit(X)
    trees = forest.estimators_
    total = np.zeros(len(X))
    for tree in trees:
        leaves = tree.apply(X)
        rows = tree.tree_.n_node_samples[leaves]
        depth = np.asarray(tree.decision_path(X).sum(axis=1)).ravel() - 1
        total += depth + average_path(rows)
    np.testing.assert_allclose(
        forest.score_samples(X), -isolation_score(total / 20, 256), rtol=1e-14
    )


def test_scores_follow_from_the_trees_of_scikit_learn_too():
    X = spoilt()
    theirs = TheirForest(n_estimators=10, random_state=0).fit(X)
    total = np.zeros(len(X))
    for tree in theirs.estimators_:
        rows = tree.tree_.n_node_samples[tree.apply(X.astype(np.float32))]
        depth = np.asarray(tree.decision_path(X.astype(np.float32)).sum(axis=1)).ravel() - 1
        total += depth + average_path(rows)
    expected = -isolation_score(total / 10, 256)
    np.testing.assert_allclose(theirs.score_samples(X), expected, rtol=1e-14)


@pytest.mark.slow
def test_ranks_agree_with_scikit_learn():
    X = load_breast_cancer().data
    ours = IsolationForest(n_estimators=500, random_state=0).fit(X).score_samples(X)
    theirs = TheirForest(n_estimators=500, random_state=0).fit(X).score_samples(X)
    assert stats.spearmanr(ours, theirs).statistic > 0.98
    np.testing.assert_allclose(ours, theirs, atol=0.03)


def test_contamination_is_a_percentile_of_the_scores():
    X = spoilt(300)
    forest = IsolationForest(contamination=0.1, random_state=0).fit(X)
    assert forest.offset_ == np.percentile(forest.score_samples(X), 10)
    assert (forest.predict(X) == -1).sum() == 30
    assert IsolationForest().fit(X).offset_ == -0.5


@pytest.mark.parametrize("X", [np.ones((50, 3)), np.zeros((1, 2)), np.array([[0.0], [1.0]])])
def test_nothing_to_isolate_scores_a_half(X):
    forest = IsolationForest(random_state=0).fit(X)
    np.testing.assert_array_equal(forest.score_samples(X), -0.5)
    assert (forest.predict(X) == 1).all()


def test_a_gap_is_seen_on_the_value_axis():
    """In bins of equal frequency the last row would be as near as any other."""
    X = np.append(np.linspace(0, 1, 60), 50.0)[:, None]
    scores = IsolationForest(random_state=0).fit(X).score_samples(X)
    assert scores[-1] < scores[:-1].min() - 0.2


def test_missing_values_go_to_a_drawn_side():
    X = spoilt()
    X[::7, 1] = np.nan
    X[:, 3] = np.nan  # all missing: as good as constant
    forest = IsolationForest(random_state=0).fit(X)
    assert np.isfinite(forest.score_samples(X)).all()
    assert 3 not in forest.pool_.forest.features[forest.pool_.forest.nodes["left"] >= 0]
    left = (forest.pool_.forest.nodes["column"] >> np.uint32(31)).astype(bool)
    inner = forest.pool_.forest.nodes["left"] >= 0
    assert 0.4 < left[inner].mean() < 0.6


def test_categories_are_cut_into_sets():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    kinds = rng.choice(list("abc"), 400)
    kinds[0] = "rare"
    frame = pandas.DataFrame({"kind": kinds, "x": rng.normal(size=400)})
    forest = IsolationForest(n_estimators=200, max_samples=400, random_state=0).fit(frame)
    scores = forest.score_samples(frame)
    assert scores[0] < np.quantile(scores, 0.05)
    unknown = frame.assign(kind="new")
    assert np.isfinite(forest.score_samples(unknown)).all()


@pytest.mark.slow
def test_weights_repeat_rows_in_distribution():
    X = np.array([[0.0], [1.0], [10.0]])
    times = np.array([1, 3, 2])
    weighted = [
        IsolationForest(n_estimators=20, random_state=s)
        .fit(X, sample_weight=times)
        .score_samples(X)
        for s in range(200)
    ]
    repeated = [
        IsolationForest(n_estimators=20, random_state=1000 + s)
        .fit(np.repeat(X, times, axis=0))
        .score_samples(X)
        for s in range(200)
    ]
    error = np.sqrt((np.var(weighted, axis=0) + np.var(repeated, axis=0)) / 200)
    assert (np.abs(np.mean(weighted, axis=0) - np.mean(repeated, axis=0)) < 4 * error).all()


def test_fewer_rows_of_positive_weight_than_samples_are_enough():
    X = spoilt()
    weight = np.zeros(len(X))
    weight[:20] = 0.5
    assert IsolationForest(random_state=0).fit(X, sample_weight=weight).max_samples_ == 20


def test_samples_and_columns_can_be_seen():
    X = spoilt()
    forest = IsolationForest(n_estimators=5, max_samples=40, max_features=0.5, random_state=0).fit(
        X
    )
    assert [len(rows) for rows in forest.estimators_samples_] == [40] * 5
    assert all(len(set(rows.tolist())) == 40 for rows in forest.estimators_samples_)
    assert [len(columns) for columns in forest.estimators_features_] == [2] * 5
    for tree, columns in zip(forest.estimators_, forest.estimators_features_, strict=True):
        used = tree.tree_.feature[tree.tree_.children_left >= 0]
        assert set(used.tolist()) <= set(columns.tolist())
    assert "5 fitted ExtraTreeRegressor" in repr(forest.estimators_)


def test_out_of_bag_scores_leave_out_the_trees_of_a_row():
    X = spoilt(100)
    forest = IsolationForest(n_estimators=6, max_samples=50, random_state=0).fit(X)
    outside = forest.bags_.outside()
    paths = forest.pool_.votes(forest._admit(X))[:, :, 0].T
    known = outside.any(axis=1)
    means = (paths * outside).sum(axis=1)[known] / outside.sum(axis=1)[known]
    found = forest.oob_score_samples(X)
    np.testing.assert_allclose(found[known], -isolation_score(means, 50))
    assert np.isnan(found[~known]).all()
    with pytest.raises(ValueError, match="fitted to 100"):
        forest.oob_score_samples(X[:9])


def test_warm_start_adds_trees():
    X = spoilt()
    grown = IsolationForest(n_estimators=5, random_state=0, warm_start=True).fit(X)
    grown.set_params(n_estimators=9).fit(X)
    whole = IsolationForest(n_estimators=9, random_state=0).fit(X)
    np.testing.assert_array_equal(grown.score_samples(X), whole.score_samples(X))
    with pytest.warns(UserWarning, match="does not fit new trees"):
        grown.fit(X)
    with pytest.raises(ValueError, match="must be larger or equal"):
        grown.set_params(n_estimators=3).fit(X)


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_matrix])
def test_sparse_rows_are_dense_ones(kind):
    X = spoilt()
    X[X < 0] = 0.0
    dense = IsolationForest(random_state=0).fit(X)
    thin = IsolationForest(random_state=0).fit(kind(X))
    np.testing.assert_array_equal(thin.score_samples(kind(X)), dense.score_samples(X))


def test_wrong_sizes_are_named():
    X = spoilt()
    with pytest.warns(UserWarning, match="greater than the total number of samples"):
        IsolationForest(max_samples=1000).fit(X)
    with pytest.raises(ValueError, match="max_features=9 must be at most 4"):
        IsolationForest(max_features=9).fit(X)
    with pytest.raises(ValueError, match="'contamination' parameter.*Got 0.7"):
        IsolationForest(contamination=0.7).fit(X)
    with pytest.raises(ValueError, match="extension_level=4 must be at most 3"):
        ExtendedIsolationForest(extension_level=4).fit(X)


@pytest.mark.slow
def test_slanted_cuts_of_one_column_follow_the_same_law():
    forest = ExtendedIsolationForest(n_estimators=8000, random_state=0).fit(THREE)
    np.testing.assert_allclose(mean_paths(forest, THREE), [1.9, 2.0, 1.1], atol=0.02)


@pytest.mark.slow
def test_slanted_cuts_that_leave_a_side_empty_add_depth():
    """Depths of a plain simulation: 20,000 trees of depth 2, no cut drawn again."""
    X = np.array([[0.0, 0.0], [1.0, 1.0], [10.0, 10.0]])
    forest = ExtendedIsolationForest(n_estimators=8000, redraw=0, random_state=0).fit(X)
    np.testing.assert_allclose(mean_paths(forest, X), [2.342, 2.406, 1.343], atol=0.03)


def test_level_0_cuts_along_the_axes():
    X = spoilt()
    flat = ExtendedIsolationForest(extension_level=0, random_state=0).fit(X)
    plain = IsolationForest(random_state=0).fit(X)
    np.testing.assert_array_equal(flat.score_samples(X), plain.score_samples(X))
    X[0, 0] = np.nan
    assert np.isfinite(ExtendedIsolationForest(extension_level=0).fit(X).score_samples(X)).all()


@pytest.mark.slow
def test_slanted_cuts_see_rings():
    """Along a circle the scores of slanted cuts hardly vary; those along the axes do."""
    rng = np.random.default_rng(0)
    angle = rng.uniform(0, 2 * np.pi, 1000)
    radius = rng.normal(1.0, 0.05, 1000)
    X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    around = np.linspace(0, 2 * np.pi, 60)
    circle = 2.0 * np.column_stack([np.cos(around), np.sin(around)])
    slanted = ExtendedIsolationForest(n_estimators=400, random_state=0).fit(X)
    straight = IsolationForest(n_estimators=400, random_state=0).fit(X)
    spread = [np.ptp(forest.score_samples(circle)) for forest in (slanted, straight)]
    assert spread[0] < 0.05 < spread[1]


def test_slanted_warm_start_and_refusals():
    X = spoilt()
    grown = ExtendedIsolationForest(n_estimators=4, random_state=0, warm_start=True).fit(X)
    grown.set_params(n_estimators=7).fit(X)
    whole = ExtendedIsolationForest(n_estimators=7, random_state=0).fit(X)
    np.testing.assert_array_equal(grown.score_samples(X), whole.score_samples(X))
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match=r"column 1 contains NaN.*extension_level=0"):
        ExtendedIsolationForest().fit(X)
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": ["x", "y"] * 20, "b": np.arange(40.0)})
    with pytest.raises(ValueError, match="column 'a' is categorical"):
        ExtendedIsolationForest().fit(frame)


def test_units_do_not_matter_to_standardised_cuts():
    X = spoilt()
    one, other = (
        ExtendedIsolationForest(random_state=0).fit(X * factor).score_samples(X * factor)
        for factor in (1.0, np.array([1.0, 1024.0, 1.0, 0.25]))
    )
    # Rows are drawn by what they hold, so that samples differ; scores hardly do.
    assert stats.spearmanr(one, other).statistic > 0.9


def test_defaults_are_those_of_scikit_learn():
    ours, theirs = (cls().get_params() for cls in (IsolationForest, TheirForest))
    assert {name: ours[name] for name in theirs} == theirs


def test_rows_may_be_drawn_with_replacement():
    X = spoilt(60)
    forest = IsolationForest(n_estimators=3, max_samples=60, bootstrap=True, random_state=0).fit(X)
    for rows in forest.estimators_samples_:
        assert len(rows) == 60
        assert 25 < len(set(rows.tolist())) < 50
    whole = IsolationForest(n_estimators=1, max_samples=60, random_state=0).fit(X)
    assert sorted(whole.estimators_samples_[0].tolist()) == list(range(60))


def test_trees_are_as_deep_as_their_samples_allow():
    X = spoilt(400)
    for n_rows, depth in ((256, 8), (100, 7), (3, 2)):
        forest = IsolationForest(n_estimators=5, max_samples=n_rows, random_state=0).fit(X)
        assert max(tree.get_depth() for tree in forest.estimators_) == depth
