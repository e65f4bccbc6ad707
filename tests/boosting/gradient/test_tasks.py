"""From scores to classes and numbers."""

import numpy as np
import pytest
from scipy.special import expit

import coterie
from coterie.interpretation import shap_values
from coterie.losses import CustomLoss, SlopesLoss
from tests.boosting.gradient.tables import numbers, three_classes, two_classes

BOTH = pytest.mark.parametrize("face", ["", "Hist"])


def logistic(**more):
    return CustomLoss(lambda y, f: np.logaddexp(0.0, f) - y * f, lambda y, f: expit(f) - y, **more)


@pytest.mark.slow
@BOTH
def test_probabilities_need_an_inverse(face):
    X, y = two_classes(100)
    cls = getattr(coterie, f"{face}GradientBoostingClassifier")
    model = cls(loss=logistic()).fit(X, y)
    assert model.decision_function(X).shape == (100,)
    for ask in (model.predict_proba, model.predict):
        with pytest.raises(ValueError, match="Pass an `inverse`"):
            ask(X)
    model = cls(loss=logistic(inverse=lambda raw: expit(raw[:, 0]))).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], expit(model.decision_function(X)))


@pytest.mark.slow
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


@pytest.mark.slow
def test_each_face_has_its_own_word_for_the_level():
    X, y = numbers(300)
    hist = coterie.HistGradientBoostingRegressor("quantile", quantile=0.8).fit(X, y)
    classic = coterie.GradientBoostingRegressor(loss="quantile", alpha=0.8).fit(X, y)
    for model in (hist, classic):
        assert model.loss_.tau == 0.8
        assert 0.7 < np.mean(y <= model.predict(X)) < 0.9


@pytest.mark.slow
@BOTH
@pytest.mark.parametrize("weighted", [False, True])
def test_a_function_of_slopes_is_a_loss(face, weighted):
    X, y = two_classes(200)
    cls = getattr(coterie, f"{face}GradientBoostingClassifier")
    weight = np.random.default_rng(0).integers(1, 4, 200) if weighted else None

    def slopes(y, raw):
        assert y.shape == raw.shape
        return expit(raw) - y, expit(raw) * expit(-raw)

    own, known = cls(loss=slopes), cls()
    own.fit(X, y, sample_weight=weight)
    known.fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(own.decision_function(X), known.decision_function(X), atol=1e-6)
    np.testing.assert_array_equal(own.predict(X), known.predict(X))
    with pytest.raises(ValueError, match="SlopesLoss"):
        own.predict_proba(X)
    sure = cls(loss=SlopesLoss(slopes, inverse=lambda raw: expit(raw[:, 0]))).fit(X, y)
    np.testing.assert_allclose(sure.predict_proba(X)[:, 1], expit(sure.decision_function(X)))


@pytest.mark.slow
def test_a_function_of_many_scores():
    X, y = three_classes(200)

    def slopes(y, raw):
        share = np.exp(raw) / np.exp(raw).sum(axis=1, keepdims=True)
        return share - np.eye(3)[y.astype(int)], share * (1 - share)

    own = coterie.HistGradientBoostingClassifier(loss=slopes, init="zero").fit(X, y)
    known = coterie.HistGradientBoostingClassifier(init="zero").fit(X, y)
    np.testing.assert_allclose(own.decision_function(X), known.decision_function(X), atol=1e-5)


@pytest.mark.slow
@BOTH
def test_a_function_predicts_its_scores(face):
    X, y = numbers(200)
    cls = getattr(coterie, f"{face}GradientBoostingRegressor")
    own = cls(loss=lambda y, raw: (raw - y, np.ones_like(raw))).fit(X, y)
    np.testing.assert_allclose(own.predict(X), cls().fit(X, y).predict(X), rtol=1e-6, atol=1e-6)
    with pytest.raises(ValueError, match=r"gradient has shape \(1,\)"):
        cls(loss=lambda y, raw: (np.ones(1), np.ones(1))).fit(X, y)


@pytest.mark.slow
def test_rounds_of_unknown_loss_are_judged_by_something_else():
    X, y = numbers(200)
    model = coterie.HistGradientBoostingRegressor(
        loss=lambda y, raw: (raw - y, np.ones_like(raw)), early_stopping=True
    )
    with pytest.raises(ValueError, match="Set scoring"):
        model.fit(X, y)
    model.set_params(scoring="mean_squared_error").fit(X, y)
    assert len(model.validation_score_) == model.n_iter_ + 1


@pytest.mark.slow
@BOTH
@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "huber", "poisson"])
def test_outputs_are_fitted_one_by_one(face, loss):
    X, y = numbers(200)
    Y = np.abs(np.column_stack([y, -3 * y + X[:, 1]])) + 0.1
    cls = getattr(coterie, f"{face}GradientBoostingRegressor")
    both = cls(loss=loss, random_state=0).fit(X, Y, eval_set=[(X, Y)])
    assert both.predict(X).shape == (200, 2)
    assert both.n_trees_per_iteration_ == 2
    for k in range(2):
        alone = cls(loss=loss, random_state=0).fit(X, Y[:, k])
        if k == 0:
            np.testing.assert_array_equal(both.predict(X)[:, 0], alone.predict(X))
        np.testing.assert_allclose(both.predict(X)[:, k], alone.predict(X), rtol=1e-6)
    assert both.score(X, Y) > 0.3
    found = shap_values(both, X[:3])
    assert found.values.shape == (3, X.shape[1], 2)
    assert next(both.staged_predict(X)).shape == (200, 2)


@pytest.mark.slow
@BOTH
def test_labels_are_fitted_one_by_one(face, tmp_path):
    X, y = two_classes(200)
    Y = np.column_stack([y == y[0], X[:, 0] > 0.2, np.zeros(200)]).astype(int)
    cls = getattr(coterie, f"{face}GradientBoostingClassifier")
    model = cls(random_state=0).fit(X, Y)
    np.testing.assert_array_equal(model.predict(X)[:, 2], 0)
    shares = model.predict_proba(X)
    assert [part.shape for part in shares] == [(200, 2), (200, 2), (200, 1)]
    for k in range(2):
        alone = cls(random_state=0).fit(X, Y[:, k])
        np.testing.assert_allclose(shares[k], alone.predict_proba(X), rtol=1e-6, atol=1e-12)
        np.testing.assert_array_equal(model.predict(X)[:, k], alone.predict(X))
    assert model.decision_function(X).shape == (200, 3)
    coterie.save(model, tmp_path / "labels")
    again = coterie.load(tmp_path / "labels")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    with pytest.raises(ValueError, match="MultiOutputClassifier"):
        cls().fit(X, np.column_stack([Y[:, 0], np.arange(200) % 3]))
