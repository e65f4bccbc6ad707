import pickle

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris, make_classification

import coterie
from coterie import ExtraTreesClassifier, RandomForestClassifier, RandomForestRegressor

X, Y = load_iris(return_X_y=True)


def same_forest(first, second):
    return pickle.dumps(first.pool_) == pickle.dumps(second.pool_)


@pytest.mark.parametrize("kind", [RandomForestClassifier, ExtraTreesClassifier])
def test_warm_start_is_a_longer_fit(kind):
    warm = kind(3, warm_start=True, random_state=1).fit(X, Y)
    warm.set_params(n_estimators=8).fit(X, Y)
    whole = kind(8, random_state=1).fit(X, Y)
    assert same_forest(warm, whole)
    assert [t.random_state for t in warm] == [t.random_state for t in whole]
    for a, b in zip(warm.estimators_samples_, whole.estimators_samples_, strict=True):
        np.testing.assert_array_equal(a, b)


def test_warm_start_keeps_trees_and_adds_new_ones_without_a_seed():
    warm = RandomForestClassifier(4, warm_start=True).fit(X, Y)
    first = warm.pool_
    warm.set_params(n_estimators=6).fit(X, Y)
    assert pickle.dumps(warm.pool_[:4]) == pickle.dumps(first)
    assert len({t.random_state for t in warm}) == 6


def test_warm_start_with_nothing_to_do():
    warm = RandomForestClassifier(4, warm_start=True, random_state=0).fit(X, Y)
    before = warm.pool_
    with pytest.warns(UserWarning, match="does not fit new trees"):
        warm.fit(X, Y)
    assert warm.pool_ is before
    with pytest.raises(ValueError, match=r"n_estimators=3 must be larger or equal to"):
        warm.set_params(n_estimators=3).fit(X, Y)


def test_cold_start_forgets():
    forest = RandomForestClassifier(4, random_state=0, oob_score="accuracy", max_samples=20)
    with pytest.warns(UserWarning, match="do not have OOB scores"):
        forest.fit(X, Y)
    assert hasattr(forest, "oob_score_")
    forest.set_params(oob_score=False, random_state=1).fit(X, Y)
    assert not hasattr(forest, "oob_score_")
    assert same_forest(forest, RandomForestClassifier(4, max_samples=20, random_state=1).fit(X, Y))


@pytest.mark.slow
def test_warm_start_out_of_bag():
    warm = RandomForestClassifier(30, warm_start=True, random_state=0).fit(X, Y)
    warm.set_params(n_estimators=60, oob_score=True).fit(X, Y)
    whole = RandomForestClassifier(60, oob_score=True, random_state=0).fit(X, Y)
    assert warm.oob_score_ == whole.oob_score_
    np.testing.assert_array_equal(warm.oob_decision_function_, whole.oob_decision_function_)
    late = RandomForestClassifier(60, warm_start=True, random_state=0).fit(X, Y)
    with pytest.warns(UserWarning, match="does not fit new trees"):
        late.set_params(oob_score=True).fit(X, Y)
    assert late.oob_score_ == whole.oob_score_


def test_warm_start_on_other_rows():
    warm = RandomForestClassifier(2, warm_start=True, random_state=0).fit(X, Y)
    warm.set_params(n_estimators=4).fit(X[::2], Y[::2])
    assert [len(rows) for rows in warm.estimators_samples_] == [150, 150, 75, 75]
    with pytest.raises(ValueError, match="same rows"):
        warm.oob_curve(X[::2], Y[::2])
    with pytest.raises(ValueError, match="same rows"):
        warm.set_params(n_estimators=5, oob_score=True).fit(X[::2], Y[::2])


def test_presets_of_class_weights_are_doubtful_in_warm_starts():
    forest = RandomForestClassifier(2, class_weight="balanced", warm_start=True)
    with pytest.warns(UserWarning, match="not recommended"):
        forest.fit(X, Y)


def test_choices_that_do_not_go_together():
    with pytest.raises(ValueError, match="bootstrap=True"):
        RandomForestClassifier(bootstrap=False, oob_score=True).fit(X, Y)
    with pytest.raises(ValueError, match="`max_sample` cannot be set"):
        RandomForestClassifier(bootstrap=False, max_samples=0.5).fit(X, Y)
    with pytest.raises(ValueError, match="multiclass-multioutput"):
        RandomForestClassifier(oob_score=True).fit(X, np.column_stack([Y, Y]))
    with pytest.raises(ValueError, match="no_such_score"):
        RandomForestClassifier(50, oob_score="no_such_score").fit(X, Y)


def test_bags_have_the_size_asked_for():
    for size, expected in ((None, 150), (30, 30), (0.5, 75), (1.0, 150), (2.0, 300)):
        forest = RandomForestClassifier(3, max_samples=size, random_state=0).fit(X, Y)
        assert {len(rows) for rows in forest.estimators_samples_} == {expected}
    repeats = "repeats"
    weighted = RandomForestClassifier(3, draw=repeats, random_state=0).fit(X, Y, np.full(150, 2))
    assert {len(rows) for rows in weighted.estimators_samples_} == {300}
    important = RandomForestClassifier(3, random_state=0).fit(X, Y, np.full(150, 1.5))
    assert {len(rows) for rows in important.estimators_samples_} == {150}
    everything = ExtraTreesClassifier(2).fit(X, Y).estimators_samples_
    np.testing.assert_array_equal(everything, [np.arange(150)] * 2)


def test_importances_do_not_change_the_draw():
    weight = np.random.default_rng(0).uniform(0.5, 2, 150)
    draw = "repeats"
    plain = RandomForestClassifier(3, draw=draw, random_state=0).fit(X, Y)
    weighted = RandomForestClassifier(3, draw=draw, random_state=0).fit(X, Y, weight)
    for a, b in zip(plain.estimators_samples_, weighted.estimators_samples_, strict=True):
        np.testing.assert_array_equal(a, b)
    assert not same_forest(plain, weighted)


def test_balanced_subsample_balances_every_bag():
    data, y = make_classification(400, 6, weights=[0.9], flip_y=0.05, random_state=0)
    forest = RandomForestClassifier(5, class_weight="balanced_subsample", random_state=0)
    for tree in forest.fit(data, y):
        np.testing.assert_allclose(tree.tree_.value[0, 0], [0.5, 0.5], rtol=1e-6)
    whole = ExtraTreesClassifier(3, class_weight="balanced_subsample", random_state=0)
    same = ExtraTreesClassifier(3, class_weight="balanced", random_state=0)
    assert same_forest(whole.fit(data, y), same.fit(data, y))


def test_rows_of_a_class_without_weight_are_not_drawn():
    weights = {0: 0.0, 1: 1.0, 2: 2.0}
    forest = RandomForestClassifier(20, class_weight=weights, max_samples=1, random_state=0)
    forest.fit(X, Y)
    assert all(Y[rows].min() > 0 for rows in forest.estimators_samples_)
    assert np.all(forest.predict_proba(X)[:, 0] == 0)


def test_oob_results_cover_rows_given():
    weight = np.ones(150)
    weight[:10] = 0
    forest = RandomForestClassifier(50, oob_score=True, random_state=0).fit(X, Y, weight)
    assert np.isnan(forest.oob_decision_function_[:10]).all()
    assert np.isfinite(forest.oob_decision_function_[10:]).all()
    assert forest.oob_coverage_ == 1


def test_few_trees_leave_rows_uncovered():
    forest = RandomForestClassifier(5, oob_score=True, random_state=0)
    with pytest.warns(UserWarning, match="Some inputs do not have OOB scores"):
        forest.fit(X, Y)
    missing = np.isnan(forest.oob_decision_function_).any(axis=1)
    assert forest.oob_coverage_ == 1 - missing.mean()
    guess = forest.oob_decision_function_[~missing].argmax(axis=1)
    assert forest.oob_score_ == np.mean(guess == Y[~missing])


def test_oob_curve_is_drawn_again_from_the_training_data():
    data, y = load_digits(return_X_y=True)
    data, y = data[:500], y[:500]
    forest = RandomForestClassifier(40, oob_score=True, random_state=0).fit(data, y)
    curve = forest.oob_curve(data, y)
    np.testing.assert_array_equal(curve.error, forest.oob_curve_.error)
    assert curve.class_errors.shape == (40, 10)
    assert curve.error[-1] == pytest.approx(1 - forest.oob_score_)
    assert curve.error[-1] < curve.error[4]
    shares = np.bincount(y) / len(y)
    assert curve.class_errors[-1] @ shares == pytest.approx(curve.error[-1])
    with pytest.raises(ValueError, match="pass the training data again"):
        forest.oob_curve(data[:10], y[:10])
    with pytest.raises(ValueError, match="y has different classes"):
        forest.oob_curve(data, y % 2)


def test_oob_curve_with_dropped_rows():
    weight = np.ones(150)
    weight[::3] = 0
    forest = RandomForestRegressor(50, oob_score=True, random_state=0).fit(X, Y, weight)
    np.testing.assert_allclose(forest.oob_curve(X, Y, weight).error, forest.oob_curve_.error)
    assert forest.oob_curve(X, Y).coverage[0] > forest.oob_curve_.coverage[0]


def test_multilabel_out_of_bag():
    both = np.column_stack([Y > 0, Y > 1])
    forest = RandomForestClassifier(50, oob_score=True, random_state=0).fit(X, both)
    assert forest.oob_decision_function_.shape == (150, 2, 2)
    assert forest.oob_curve_.class_errors is None
    assert forest.oob_curve_.error[-1] == pytest.approx(1 - forest.oob_score_)


def test_paths_of_all_trees():
    forest = RandomForestClassifier(4, max_depth=3, random_state=0).fit(X, Y)
    path, starts = forest.decision_path(X)
    assert path.shape == (150, starts[-1])
    leaves = forest.apply(X)
    assert leaves.shape == (150, 4)
    for t, tree in enumerate(forest):
        part = path[:, starts[t] : starts[t + 1]]
        assert (part != tree.decision_path(X)).nnz == 0
        np.testing.assert_array_equal(leaves[:, t], tree.apply(X))


def test_importances_are_means_over_trees():
    forest = RandomForestClassifier(6, random_state=0).fit(X, Y)
    each = np.mean([tree.feature_importances_ for tree in forest], axis=0)
    np.testing.assert_allclose(forest.feature_importances_, each)
    assert forest.feature_importances_.sum() == pytest.approx(1)
    flat = RandomForestClassifier(3).fit(X, np.zeros(150))
    np.testing.assert_array_equal(flat.feature_importances_, np.zeros(4))


def test_weights_are_repetitions_in_large_tables():
    rng = np.random.default_rng(0)
    data = rng.normal(size=(1500, 4))
    y = data[:, 0] + rng.normal(size=1500)
    times = rng.integers(0, 4, 1500)
    draw = "repeats"
    weighted = RandomForestRegressor(4, max_features=2, draw=draw, random_state=0)
    weighted.fit(data, y, times)
    repeated = RandomForestRegressor(4, max_features=2, draw=draw, random_state=0)
    repeated.fit(np.repeat(data, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(weighted.predict(data), repeated.predict(data), rtol=1e-9)


def test_verbose(capsys):
    coterie.RandomForestClassifier(3, verbose=50).fit(X, Y)
    captured = capsys.readouterr()
    assert "Done" in captured.out + captured.err


def test_members_may_be_changed_and_predictions_follow():
    one, other = (RandomForestClassifier(n, random_state=n).fit(X, Y) for n in (3, 4))
    first, second = one.predict_proba(X), other.predict_proba(X)
    one.estimators_ += other.estimators_
    assert len(one) == len(one.estimators_) == 7
    np.testing.assert_allclose(one.predict_proba(X), (3 * first + 4 * second) / 7)
    with pytest.raises(ValueError, match="was changed after the fit"):
        _ = one.estimators_samples_
    bags = other.estimators_samples_
    other.estimators_ = other.estimators_[1:3]
    np.testing.assert_array_equal(other.estimators_samples_, bags[1:3])
    del other.estimators_[0]
    other.estimators_.append(one.estimators_[0])
    other.estimators_[0] = one.estimators_[1]
    trees = [one.estimators_[1], one.estimators_[0]]
    np.testing.assert_allclose(
        other.predict_proba(X), np.mean([tree.predict_proba(X) for tree in trees], axis=0)
    )
    assert [tree.random_state for tree in other] == [tree.random_state for tree in trees]
    narrow = RandomForestClassifier(1).fit(X[:, :2], Y)
    with pytest.raises(ValueError, match="same columns and classes"):
        other.estimators_.extend(narrow.estimators_)


def test_the_kind_of_tree():
    assert type(RandomForestClassifier(max_depth=3).estimator) is coterie.DecisionTreeClassifier
    assert coterie.ExtraTreesRegressor().estimator.splitter == "random"


def test_leaves_and_paths_are_numbered_as_in_the_trees():
    forest = RandomForestClassifier(4, max_depth=4, random_state=0).fit(X, Y)
    leaves, (paths, starts) = forest.apply(X), forest.decision_path(X)
    for number, tree in enumerate(forest.estimators_):
        np.testing.assert_array_equal(leaves[:, number], tree.apply(X))
        part = paths[:, starts[number] : starts[number + 1]]
        np.testing.assert_array_equal(part.toarray(), tree.decision_path(X).toarray())


@pytest.mark.parametrize("kind", [RandomForestClassifier, coterie.DecisionTreeClassifier])
def test_a_class_without_weight_stays_a_class(kind):
    weight = np.where(Y == 1, 0.0, 1.0)
    model = kind(random_state=0).fit(X, Y, weight)
    assert model.classes_.tolist() == [0, 1, 2]
    chances = model.predict_proba(X)
    assert chances.shape == (150, 3)
    assert np.all(chances[:, 1] == 0)
    without = kind(random_state=0).fit(X[Y != 1], Y[Y != 1])
    assert np.mean(model.predict(X) == without.predict(X)) > 0.95
    odd = Y.astype(object)
    odd[Y == 1] = None  # what rows without weight hold does not matter
    assert kind(random_state=0).fit(X, odd, weight).classes_.tolist() == [0, 2]
