import numpy as np
import pytest
from sklearn import ensemble
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import coterie
from coterie.data import DataError, Table
from coterie.native import Forest
from coterie.selection.pruning.weighted_members import adapt_weighted, check_vote, keep, unseen_rows

X, CODES = load_iris(return_X_y=True)
Y = np.array(["x", "y", "z"])[CODES]
CLASSES = np.unique(Y)
TABLE = Table.read(X)


def members():
    return [("a", LogisticRegression(max_iter=500)), ("b", GaussianNB())]


POOLS = [
    coterie.BaggingClassifier(n_estimators=5, random_state=0),
    coterie.BaggingClassifier(n_estimators=5, voting="hard", random_state=0),
    coterie.AdaBoostClassifier(n_estimators=5),
    ensemble.AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=5),
    ensemble.BaggingClassifier(n_estimators=5, max_features=0.5, random_state=0),
    ensemble.VotingClassifier(members(), voting="hard", weights=[1, 3]),
    ensemble.VotingClassifier(members(), voting="soft", weights=[1, 3]),
]


@pytest.mark.parametrize("pool", POOLS, ids=str)
def test_all_members_together_are_the_ensemble(pool):
    pool.fit(X, Y)
    panel = adapt_weighted(pool, CLASSES)
    said = CLASSES[panel.mean(TABLE).argmax(axis=1)]
    np.testing.assert_array_equal(said, pool.predict(X))
    check_vote(pool, panel, TABLE, CLASSES)


def test_boosted_trees_stay_native_and_keep_their_weights():
    booster = coterie.AdaBoostClassifier(n_estimators=6).fit(X, Y)
    panel = adapt_weighted(booster, CLASSES)
    assert isinstance(panel.pool.members, Forest)
    np.testing.assert_array_equal(panel.pool.weights, booster.estimator_weights_)
    some = np.array([1, 4])
    trees = [booster.estimators_[t] for t in some]
    hands = sum(
        weight * np.eye(3)[np.searchsorted(CLASSES, tree.predict(X))]
        for tree, weight in zip(trees, booster.estimator_weights_[some], strict=True)
    )
    kept = panel.pool.take(some)
    np.testing.assert_allclose(kept.raw(TABLE), hands)


def test_ensembles_that_do_not_vote_are_refused():
    y = X[:, 0] * 3
    booster = coterie.GradientBoostingRegressor(max_iter=10).fit(X, y)
    with pytest.raises(TypeError, match="not the vote or mean"):
        check_vote(booster, adapt_weighted(booster, None), TABLE, None)
    median = coterie.AdaBoostRegressor(n_estimators=10, random_state=0).fit(X, y)
    check_vote(median, adapt_weighted(median, None), TABLE, None)  # near enough to the mean
    with pytest.raises(TypeError, match="no members"):
        adapt_weighted(GaussianNB().fit(X, Y), CLASSES)


def test_rows_outside_the_bags():
    ours = coterie.BaggingClassifier(n_estimators=3, random_state=0).fit(X, Y)
    theirs = ensemble.BaggingClassifier(n_estimators=3, random_state=0).fit(X, Y)
    for pool in (ours, theirs):
        unseen = unseen_rows(pool, 150)
        assert unseen.shape == (3, 150)
        for mask, seen in zip(unseen, pool.estimators_samples_, strict=True):
            assert not mask[seen].any()
            assert mask.sum() + len(np.unique(seen)) == 150
        with pytest.raises(DataError, match="its training rows"):
            unseen_rows(pool, 100)
    with pytest.raises(ValueError, match="does not record"):
        unseen_rows([GaussianNB()], 150)
    whole = ensemble.BaggingClassifier(n_estimators=3, bootstrap=False).fit(X, Y)
    with pytest.raises(ValueError, match="saw every row"):
        unseen_rows(whole, 150)


def test_kept_bags_are_bags():
    bag = coterie.RandomPatchesClassifier(n_estimators=6, random_state=0).fit(X, Y)
    kept = keep(bag, np.array([0, 3, 5]))
    assert type(kept) is type(bag)
    for number, member in enumerate((0, 3, 5)):
        np.testing.assert_array_equal(
            kept.estimators_features_[number], bag.estimators_features_[member]
        )
        rows = X[:, kept.estimators_features_[number]]
        np.testing.assert_array_equal(
            kept.estimators_[number].predict(rows), bag.estimators_[member].predict(rows)
        )
    models = [GaussianNB(), LogisticRegression()]
    assert keep(models, np.array([1])) == models[1:]
