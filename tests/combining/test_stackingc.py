"""A linear model for each class."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from coterie import StackingCClassifier, StackingClassifier

X, y = load_wine(return_X_y=True)


def members():
    return [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=3, random_state=0))]


@pytest.mark.slow
def test_presets_are_second_levels_of_a_stack():
    presets = {
        "stackingc": {},
        "mlr": {"inputs": "all"},
        "ting_witten": {"nonneg": True, "fit_intercept": False},
    }
    for name, settings in presets.items():
        ours = StackingCClassifier(members(), **settings).fit(X, y)
        stack = StackingClassifier(members(), name).fit(X, y)
        np.testing.assert_allclose(ours.predict_proba(X), stack.predict_proba(X), rtol=1e-12)
        assert ours.cv_risk_ == stack.cv_risk_


@pytest.mark.slow
def test_what_is_learnt():
    model = StackingCClassifier(members()).fit(X, y)
    assert model.coef_.shape == (3, 2)
    assert model.intercept_.shape == (3,)
    profile = np.stack([m.predict_proba(X) for m in model.estimators_])
    by_hand = np.stack(
        [profile[:, :, k].T @ model.coef_[k] + model.intercept_[k] for k in range(3)], axis=1
    )
    assert model.predict(X).tolist() == by_hand.argmax(axis=1).tolist()
    assert StackingCClassifier(members(), inputs="all").fit(X, y).coef_.shape == (3, 6)
    two = y < 2
    pair = [
        StackingCClassifier(members(), inputs=inputs).fit(X[two], y[two]).predict_proba(X)
        for inputs in ("class", "all")
    ]
    np.testing.assert_allclose(*pair, atol=1e-9)
