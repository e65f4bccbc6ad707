"""Output flipping: the chances of the paper, and what the vote makes of flipped labels."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.model_selection import cross_val_score

from coterie import BaggingClassifier, DecisionTreeClassifier
from coterie.bagging import OutputFlippingClassifier
from coterie.bagging.flipping import Flip, proportional_flips, uniform_flips
from coterie.data import Target
from coterie.diversity import mean_disagreement

SHARES = np.array([0.5, 0.3, 0.2])


def test_chances_by_hand():
    expected = [
        [0.838710, 0.096774, 0.064516],
        [0.161290, 0.774194, 0.064516],
        [0.161290, 0.096774, 0.741935],
    ]
    np.testing.assert_allclose(proportional_flips(SHARES, 0.2), expected, atol=1e-6)


@pytest.mark.parametrize("rate", [0.05, 0.2, 0.6])
def test_shares_are_kept_and_the_rate_is_met(rate):
    chances = proportional_flips(SHARES, rate)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    np.testing.assert_allclose(SHARES @ chances, SHARES)
    assert 1 - SHARES @ np.diag(chances) == pytest.approx(rate)


def test_uniform_chances_are_even():
    chances = uniform_flips(4, 0.3)
    np.testing.assert_allclose(np.diag(chances), 0.7)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    assert np.unique(chances[~np.eye(4, dtype=bool)]).tolist() == pytest.approx([0.1])


def test_labels_flip_as_often_as_they_should():
    chances = proportional_flips(SHARES, 0.3)
    target = Target.labels(np.repeat([0, 1, 2], [50_000, 30_000, 20_000]))
    flipped = Flip(chances)(target, np.random.default_rng(0)).codes[:, 0]
    found = np.zeros((3, 3))
    np.add.at(found, (target.codes[:, 0], flipped), 1)
    np.testing.assert_allclose(found / found.sum(axis=1, keepdims=True), chances, atol=0.012)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "rate", "n_members"), [("proportional", 0.25, 100), ("uniform", 0.4, 400)]
)
def test_members_miss_what_was_flipped_and_the_vote_recovers_it(method, rate, n_members):
    X, y = load_wine(return_X_y=True)
    model = OutputFlippingClassifier(
        n_estimators=n_members, flip_rate=rate, method=method, random_state=0
    ).fit(X, y)
    # Trees grown in full repeat the labels they were given; no two rows are equal.
    errors = [1 - member.score(X, y) for member in model.estimators_]
    noise = np.sqrt(rate * (1 - rate) / (len(y) * n_members))
    assert np.mean(errors) == pytest.approx(rate, abs=5 * noise)
    assert model.score(X, y) == 1.0


@pytest.mark.slow
def test_better_than_one_tree():
    X, y = load_breast_cancer(return_X_y=True)
    tree = cross_val_score(DecisionTreeClassifier(random_state=0), X, y, cv=5).mean()
    model = OutputFlippingClassifier(random_state=0)
    assert cross_val_score(model, X, y, cv=5).mean() > tree + 0.02


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
@pytest.mark.parametrize("method", ["proportional", "uniform"])
def test_members_differ_more_than_bagged_ones(load, method):
    X, y = load(return_X_y=True)
    flipped = OutputFlippingClassifier(n_estimators=20, method=method, random_state=0)
    bagged = BaggingClassifier(n_estimators=20, random_state=0)
    differ = [
        mean_disagreement(np.stack([m.predict(X[1::2]) for m in model.estimators_]))
        for model in (flipped.fit(X[::2], y[::2]), bagged.fit(X[::2], y[::2]))
    ]
    assert differ[0] > 2 * differ[1]


def test_rates_that_leave_nothing_to_learn():
    X, y = load_wine(return_X_y=True)
    room = 1 - np.sum((np.bincount(y) / len(y)) ** 2)
    with pytest.raises(ValueError, match="learn nothing"):
        OutputFlippingClassifier(flip_rate=room + 0.01).fit(X, y)
    with pytest.raises(ValueError, match="learn nothing"):
        OutputFlippingClassifier(flip_rate=2 / 3 + 0.01, method="uniform").fit(X, y)
    rare = (np.arange(len(y)) % 10 == 0).astype(int)
    with pytest.warns(UserWarning, match="class number 1"):
        OutputFlippingClassifier(n_estimators=2, flip_rate=0.12).fit(X, rare)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        OutputFlippingClassifier(n_estimators=2).fit(X, rare)
        OutputFlippingClassifier(n_estimators=2, flip_rate=0.12, method="uniform").fit(X, rare)


def test_one_vote_per_member():
    X, y = load_wine(return_X_y=True)
    model = OutputFlippingClassifier(n_estimators=20, voting="hard", random_state=0).fit(X, y)
    said = np.stack([member.predict(X) for member in model.estimators_])
    votes = np.stack([(said == k).mean(axis=0) for k in range(3)], axis=1)
    np.testing.assert_allclose(model.predict_proba(X), votes)


@pytest.mark.slow
def test_with_bags_there_are_rows_outside():
    X, y = load_wine(return_X_y=True)
    with pytest.raises(ValueError, match="bootstrap=True"):
        OutputFlippingClassifier(n_estimators=3, oob_score=True).fit(X, y)
    model = OutputFlippingClassifier(bootstrap=True, oob_score=True, random_state=0).fit(X, y)
    assert model.oob_score_ > 0.93
    assert len(model.estimators_samples_[0]) == len(y)
