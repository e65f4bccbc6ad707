"""Ensemble selection."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import log_loss
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from coterie import EnsembleSelectionClassifier, EnsembleSelectionRegressor, fusion

# The library of the specification: what three members say of four rows.
LIBRARY = np.array([[0.9, 0.6, 0.4, 0.2], [0.6, 0.9, 0.1, 0.4], [0.3, 0.8, 0.2, 0.1]])
ROWS, TRUTH = np.arange(4.0)[:, None], np.array([1.0, 1.0, 0.0, 0.0])


class Quoting(RegressorMixin, BaseEstimator):
    """Says what it was told to say of each row."""

    def __init__(self, said=()):
        self.said = said

    def fit(self, X, y, sample_weight=None):
        self.fitted_ = True
        return self

    def predict(self, X):
        return np.asarray(self.said)[X[:, 0].astype(int)]


class QuotingClasses(ClassifierMixin, Quoting):
    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        said = Quoting.predict(self, X)
        return np.column_stack([1 - said, said])

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def quotes(kind):
    return [(f"m{t}", kind(tuple(said)).fit(ROWS, TRUTH)) for t, said in enumerate(LIBRARY)]


def test_the_way_to_the_best_average():
    model = EnsembleSelectionRegressor(quotes(Quoting), cv="prefit", max_rounds=6)
    model.fit(ROWS, TRUTH)
    assert model.order_.tolist() == [1, 0, 1, 0, 1, 0]
    np.testing.assert_allclose(
        model.losses_, [0.291548, 0.263391, 0.265100, 0.263391, 0.263439, 0.263391], atol=1e-6
    )
    assert model.weights_.tolist() == [0.5, 0.5, 0]
    np.testing.assert_allclose(model.predict(ROWS), LIBRARY[:2].mean(axis=0))


def test_losses_are_those_of_the_functions():
    for loss in ("log_loss", "brier", "error"):
        model = EnsembleSelectionClassifier(
            quotes(QuotingClasses), cv="prefit", loss=loss, max_rounds=5
        ).fit(ROWS, TRUTH.astype(int))
        profile = np.stack([1 - LIBRARY, LIBRARY], axis=2)
        expected = fusion.greedy_selection(profile, TRUTH.astype(int), loss, max_rounds=5)
        assert model.order_.tolist() == expected.order.tolist()
        np.testing.assert_allclose(model.losses_, expected.losses, rtol=1e-9)


@pytest.mark.slow
def test_options():
    once = EnsembleSelectionRegressor(quotes(Quoting), cv="prefit", replace=False)
    assert sorted(once.fit(ROWS, TRUTH).order_.tolist()) == [0, 1, 2]
    start = EnsembleSelectionRegressor(quotes(Quoting), cv="prefit", n_start=2, max_rounds=2)
    assert start.fit(ROWS, TRUTH).order_.tolist() == [1, 0]
    bagged = EnsembleSelectionRegressor(
        quotes(Quoting), cv="prefit", n_bags=20, fraction=0.67, random_state=0
    ).fit(ROWS, TRUTH)
    assert bagged.weights_.sum() == pytest.approx(1)
    assert (bagged.weights_ > 0).all()
    assert not hasattr(bagged, "order_")
    mae = EnsembleSelectionRegressor(quotes(Quoting), cv="prefit", loss="mae").fit(ROWS, TRUTH)
    expected = fusion.greedy_selection(LIBRARY, TRUTH, "mae", max_rounds=50)
    assert mae.weights_.tolist() == expected.weights.tolist()


@pytest.mark.slow
def test_any_loss_on_folds():
    X, y = load_breast_cancer(return_X_y=True)
    labels = np.array(["bad", "good"])[y]
    members = [("bayes", GaussianNB())]
    members += [(f"d{d}", DecisionTreeClassifier(max_depth=d, random_state=0)) for d in (1, 3, 9)]
    own = EnsembleSelectionClassifier(members, loss=log_loss, cv=3, max_rounds=10)
    named = EnsembleSelectionClassifier(members, cv=3, max_rounds=10)
    own.fit(X, labels)
    named.fit(X, labels)
    assert own.order_.tolist() == named.order_.tolist()
    weighted = own.fit(X, labels, sample_weight=np.full(len(y), 2.0))
    assert weighted.order_.tolist() == named.order_.tolist()
    assert named.losses_.min() < named.losses_[0]
