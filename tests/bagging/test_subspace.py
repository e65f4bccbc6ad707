import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_digits, load_wine
from sklearn.naive_bayes import GaussianNB

from coterie import (
    RandomPatchesClassifier,
    RandomPatchesRegressor,
    RandomSubspaceClassifier,
    RandomSubspaceRegressor,
)
from coterie.bagging.subspace import share_of

WINE = load_wine(return_X_y=True)


def test_columns_are_covered_evenly():
    model = RandomSubspaceClassifier(n_estimators=400, random_state=0).fit(*WINE)
    chosen = np.zeros((400, 13))
    for member, columns in enumerate(model.estimators_features_):
        chosen[member, columns] = 1
    assert (chosen.sum(axis=1) == 7).all()  # half of 13, rounded up
    np.testing.assert_allclose(chosen.mean(axis=0), 7 / 13, atol=0.09)
    overlap = (chosen @ chosen.T)[np.triu_indices(400, 1)]
    assert overlap.mean() == pytest.approx(49 / 13, rel=0.02)


def test_all_rows_are_seen():
    model = RandomSubspaceClassifier(n_estimators=3, random_state=0).fit(*WINE)
    assert all(rows.tolist() == list(range(178)) for rows in model.estimators_samples_)
    with pytest.raises(ValueError, match="every member saw every row"):
        RandomSubspaceClassifier(oob_score=True).fit(*WINE)


def test_all_columns_of_a_deterministic_learner_are_the_learner():
    X, y = WINE
    model = RandomSubspaceClassifier(GaussianNB(), 5, max_features=1.0, random_state=0).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), GaussianNB().fit(X, y).predict_proba(X))


@pytest.mark.slow
def test_redundant_columns_gain():
    X, y = load_digits(return_X_y=True)
    model = RandomSubspaceClassifier(n_estimators=30, random_state=0).fit(X[::2], y[::2])
    alone = model.estimators_[0].score(X[1::2][:, model.estimators_features_[0]], y[1::2])
    assert model.score(X[1::2], y[1::2]) > alone + 0.1


@pytest.mark.slow
def test_patches_draw_both():
    model = RandomPatchesClassifier(n_estimators=60, oob_score=True, random_state=0).fit(*WINE)
    assert all(len(set(rows)) == len(rows) == 89 for rows in model.estimators_samples_)
    assert all(len(set(columns)) == 7 for columns in model.estimators_features_)
    assert model.oob_score_ > 0.9
    with pytest.raises(ValueError, match="without replacement"):
        RandomPatchesClassifier(max_samples=1000).fit(*WINE)
    with pytest.raises(ValueError, match="max_features must be"):
        RandomPatchesClassifier(max_features=14).fit(*WINE)


def test_a_patch_of_everything_sees_everything():
    model = RandomPatchesClassifier(GaussianNB(), 3, max_samples=1.0, max_features=1.0)
    X, y = WINE
    np.testing.assert_allclose(
        model.fit(X, y).predict_proba(X), GaussianNB().fit(X, y).predict_proba(X)
    )


def test_regression():
    X, y = load_diabetes(return_X_y=True)
    for cls in (RandomSubspaceRegressor, RandomPatchesRegressor):
        model = cls(n_estimators=40, random_state=0).fit(X[::2], y[::2])
        assert model.score(X[1::2], y[1::2]) > 0.25


def test_shares_are_rounded_up():
    assert [share_of(value, 7) for value in (3, 0.5, 0.01, 1.0)] == [3, 4, 1, 7]
