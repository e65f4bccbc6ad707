import numpy as np
import pytest
from sklearn.datasets import load_iris

from coterie import BaggingClassifier, DecisionTreeClassifier
from coterie.bagging.bag_members import narrow

X, y = load_iris(return_X_y=True)


def test_narrow_tree_says_the_same_of_its_columns():
    model = BaggingClassifier(n_estimators=3, max_features=2, random_state=1).fit(X, y)
    for number, columns in enumerate(model.estimators_features_):
        tree = model.pool_.member(number)
        alone = narrow(tree, columns)
        assert alone.n_features == 2
        np.testing.assert_array_equal(alone.predict(X[:, columns]), tree.predict(X))


def test_narrow_keeps_categories_and_missing_values():
    rng = np.random.default_rng(0)
    table = np.column_stack([rng.normal(size=300), rng.integers(0, 6, 300), rng.normal(size=300)])
    labels = np.isin(table[:, 1], [1, 4]) ^ (table[:, 2] > 0)
    table[rng.random(300) < 0.2, 2] = np.nan
    tree = DecisionTreeClassifier(categorical_features=[1], max_depth=4)
    model = BaggingClassifier(
        tree, 5, max_features=2, categorical_features=[1], random_state=0
    ).fit(table, labels)
    assert all(member.n_features_in_ == 2 for member in model.estimators_)
    parts = zip(model.estimators_, model.estimators_features_, strict=True)
    mean = np.mean([m.predict_proba(table[:, columns]) for m, columns in parts], axis=0)
    np.testing.assert_allclose(model.predict_proba(table), mean)


def test_slices_and_numbers():
    members = BaggingClassifier(n_estimators=5, random_state=0).fit(X, y).estimators_
    assert len(members) == 5
    seeds = [members[number].random_state for number in range(5)]
    assert [member.random_state for member in members[1:3]] == seeds[1:3]
    assert members[-1].random_state == seeds[-1]
    assert len(set(seeds)) == 5
    with pytest.raises(IndexError):
        members[5]


def test_member_grown_again_is_the_same_up_to_ties():
    model = BaggingClassifier(n_estimators=2, random_state=0).fit(X, y)
    member, rows = model.estimators_[1], model.estimators_samples_[1]
    again = DecisionTreeClassifier().fit(X[rows], y[rows])
    assert (again.predict(X[rows]) == member.predict(X[rows])).all()
