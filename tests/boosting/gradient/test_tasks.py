"""From scores to classes and numbers."""

import numpy as np
import pytest
from scipy.special import expit

import coterie
from coterie.losses import CustomLoss
from tests.boosting.gradient.tables import numbers, three_classes, two_classes

BOTH = pytest.mark.parametrize("face", ["", "Hist"])


def logistic(**more):
    return CustomLoss(lambda y, f: np.logaddexp(0.0, f) - y * f, lambda y, f: expit(f) - y, **more)


@BOTH
def test_probabilities_need_an_inverse(face):
    X, y = two_classes(100)
    cls = getattr(coterie, f"{face}GradientBoostingClassifier")
    model = cls(loss=logistic()).fit(X, y)
    assert model.decision_function(X).shape == (100,)
    for ask in (model.predict_proba, model.predict):
        with pytest.raises(ValueError, match="Give the loss an `inverse`"):
            ask(X)
    model = cls(loss=logistic(inverse=lambda raw: expit(raw[:, 0]))).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], expit(model.decision_function(X)))


def test_classes_of_many_scores_need_none():
    X, y = three_classes(100)

    def distance(y, raw):
        return ((raw - np.eye(3)[y.astype(int)]) ** 2).sum(axis=1)

    model = coterie.GradientBoostingClassifier(loss=CustomLoss(distance, scores=3)).fit(X, y)
    assert model.score(X, y) > 0.9
    with pytest.raises(ValueError, match="inverse"):
        model.predict_proba(X)
    short = CustomLoss(distance, scores=3, inverse=lambda raw: raw[:, :2])
    with pytest.raises(ValueError, match="2 probabilities for 3 classes"):
        coterie.GradientBoostingClassifier(loss=short).fit(X, y).predict_proba(X)


def test_each_face_has_its_own_word_for_the_level():
    X, y = numbers(300)
    hist = coterie.HistGradientBoostingRegressor("quantile", quantile=0.8).fit(X, y)
    classic = coterie.GradientBoostingRegressor(loss="quantile", alpha=0.8).fit(X, y)
    for model in (hist, classic):
        assert model.loss_.tau == 0.8
        assert 0.7 < np.mean(y <= model.predict(X)) < 0.9
