"""Democratic co-learning: intervals, gains and votes by their published numbers."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from coterie import DecisionTreeClassifier, DemocraticCoLearningClassifier
from coterie.semisupervised import combine_groups, learning_gain, wilson_interval
from coterie.semisupervised.democratic import _majority


@pytest.mark.parametrize(
    ("right", "low", "high"),
    [(9, 0.595850, 0.982124), (8, 0.490162, 0.943318), (6, 0.312674, 0.831820), (10, 0.722467, 1)],
)
def test_wilson(right, low, high):
    assert wilson_interval(right, 10) == pytest.approx((low, high), abs=1e-6)


def test_gains():
    low = np.mean([wilson_interval(right, 10)[0] for right in (9, 8, 6)])
    assert low == pytest.approx(0.466229, abs=1e-6)
    assert 6 * (1 - low) == pytest.approx(3.202628, abs=1e-6)
    # More than half of what would be learnt is expected to be wrong... not quite.
    assert learning_gain(10, 0, 6, 6 * (1 - low)) == pytest.approx(5.753696 - 10, abs=1e-6)
    assert learning_gain(10, 0, 6, 0.6) == pytest.approx(13.69 - 10)
    assert learning_gain(10, 0, 100, 90) == -np.inf


def test_one_good_member_outweighs_two():
    weights = np.array([0.788987, 0.716740, 0.572247])
    found = combine_groups(np.array([[0], [1], [1]]), weights, 3)
    np.testing.assert_allclose(found, [[0.591740, 0.537078, 0.0]], atol=1e-6)


@pytest.mark.slow
def test_members_learn_what_the_others_know():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 500)
    X = rng.normal(size=(500, 3)) + 2.5 * y[:, None]
    known = np.where(np.arange(500) < 60, y, -1)
    members = [
        ("tree", DecisionTreeClassifier()),
        ("neighbours", KNeighborsClassifier(3)),
        ("bayes", GaussianNB()),
    ]
    model = DemocraticCoLearningClassifier(estimators=members, random_state=0).fit(X, known)
    assert (model.labeled_iter_ > 0).any()
    assert model.score(X, y) > 0.95
    assert model.score_ >= model.supervised_score_
    assert (model.confidence_ > 0.9).all()


def test_fewer_than_three_are_no_democracy():
    with pytest.raises(ValueError, match="at least 3 different members, got 2"):
        DemocraticCoLearningClassifier(estimators=[GaussianNB()] * 2).fit([[0.0], [1.0]], [0, 1])


def test_no_member_is_right():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), rng.integers(0, 6, 60)
    members = [(name, DecisionTreeClassifier(max_depth=1)) for name in "abc"]
    model = DemocraticCoLearningClassifier(estimators=members, n_folds=None)
    with pytest.warns(UserWarning, match="all have equal votes"):
        model.fit(X, y).predict(X)


def test_a_majority_must_also_be_heavier():
    said = np.array([[0, 0, 0], [1, 1, 2], [1, 1, 1]])
    winner, heavier = _majority(said, np.array([0.9, 0.3, 0.4]), 3)
    assert winner[:2].tolist() == [1, 1]
    assert heavier.tolist() == [False, False, True]  # .7 against .9; one each, and .9 is the most
    _, heavier = _majority(said, np.array([0.7, 0.3, 0.4]), 3)
    assert heavier.tolist() == [False, False, True]  # equal is not heavier
    _, heavier = _majority(said, np.array([0.6, 0.3, 0.4]), 3)
    assert heavier.tolist() == [True, True, True]
