"""The first rounds of a model are a model."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

import coterie
from coterie import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from coterie.interpretation import shap_values
from tests.boosting.gradient.tables import numbers, three_classes

SIZES = {"HistGradientBoostingClassifier": "max_iter", "HistGradientBoostingRegressor": "max_iter"}
EVERY = [
    (HistGradientBoostingClassifier, three_classes),
    (HistGradientBoostingRegressor, numbers),
    (GradientBoostingClassifier, three_classes),
    (GradientBoostingRegressor, numbers),
]


@pytest.mark.parametrize(("cls", "table"), EVERY)
def test_a_prefix_is_a_shorter_fit(cls, table):
    X, y = table()
    size = SIZES.get(cls.__name__, "n_estimators")
    params = {"subsample": 0.7, "random_state": 0}
    whole = cls(**{size: 9}, **params).fit(X, y, eval_set=[(X[:50], y[:50])])
    short = cls(**{size: 4}, **params).fit(X, y, eval_set=[(X[:50], y[:50])])
    part = whole[:4]
    np.testing.assert_array_equal(part.predict(X), short.predict(X))
    np.testing.assert_array_equal(whole.predict(X, n_rounds=4), short.predict(X))
    np.testing.assert_array_equal(whole.apply(X, n_rounds=4), short.apply(X))
    assert part.n_iter_ == 4
    assert len(part.trace_) == 4
    np.testing.assert_array_equal(part.train_score_, short.train_score_)
    for name in ("oob_scores_", "oob_improvement_", "oob_score_", "validation_score_"):
        if hasattr(short, name):
            np.testing.assert_array_equal(getattr(part, name), getattr(short, name))
    np.testing.assert_array_equal(
        part.evals_result_["validation"]["loss"], short.evals_result_["validation"]["loss"]
    )
    assert whole.n_iter_ == len(whole.trace_) == 9  # nothing was taken away from it
    np.testing.assert_array_equal(whole[:-5].predict(X), part.predict(X))
    np.testing.assert_array_equal(whole[:99].predict(X), whole.predict(X))


def test_probabilities_scores_and_explanations_of_few_rounds():
    X, y = three_classes()
    model = HistGradientBoostingClassifier(max_iter=6).fit(X, y)
    part = model[:2]
    np.testing.assert_array_equal(model.predict_proba(X, n_rounds=2), part.predict_proba(X))
    np.testing.assert_array_equal(model.decision_function(X, n_rounds=2), part.decision_function(X))
    np.testing.assert_array_equal(
        shap_values(model, X[:5], n_rounds=2).values, shap_values(part, X[:5]).values
    )
    with pytest.raises(TypeError, match="n_rounds is for gradient boosting"):
        shap_values(coterie.DecisionTreeRegressor().fit(X, y), X, n_rounds=1)


def test_a_prefix_travels_and_goes_on(tmp_path):
    X, y = numbers()
    whole = HistGradientBoostingRegressor(max_iter=6, warm_start=True).fit(X, y)
    part = whole[:3]
    coterie.save(part, tmp_path / "part")
    for copy in (pickle.loads(pickle.dumps(part)), coterie.load(tmp_path / "part")):
        np.testing.assert_array_equal(copy.predict(X), part.predict(X))
    np.testing.assert_array_equal(part.fit(X, y).predict(X), whole.predict(X))
    assert clone(part).max_iter == 6


def test_what_is_not_a_prefix():
    X, y = numbers()
    model = HistGradientBoostingRegressor(max_iter=3).fit(X, y)
    with pytest.raises(TypeError, match="estimators_"):
        model[1]
    for part in (slice(1, 3), slice(None, None, 2), slice(0, 0)):
        with pytest.raises(ValueError, match="is not a model"):
            model[part]
    for n_rounds in (0, 4, True, 1.5):
        with pytest.raises(ValueError, match="from 1 to 3"):
            model.predict(X, n_rounds=n_rounds)
    with pytest.raises(TypeError, match="not iterable"):
        iter(model)
