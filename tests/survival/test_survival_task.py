"""What estimators of survival share."""

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_score

from coterie.survival import (
    GradientBoostingSurvival,
    RandomSurvivalForest,
    concordance_index,
)
from tests.survival.eight import sample

X, Y = sample()
every = pytest.mark.parametrize("cls", [GradientBoostingSurvival, RandomSurvivalForest])


def make(cls, **settings):
    size = "max_iter" if cls is GradientBoostingSurvival else "n_estimators"
    return cls(**{size: 10, "random_state": 0, **settings})


@every
def test_all_forms_of_outcomes_are_one(cls):
    pandas = pytest.importorskip("pandas")
    said = make(cls).fit(X, Y).predict(X)
    forms = [
        (np.column_stack([Y["time"], Y["event"]]), {}),
        ((Y["event"], Y["time"]), {}),
        (pandas.DataFrame({"time": Y["time"], "event": Y["event"] * 1}), {}),
        (Y["time"], {"event": Y["event"]}),
    ]
    for y, more in forms:
        assert np.array_equal(make(cls).fit(X, y, **more).predict(X), said)


@every
def test_score_is_the_concordance(cls):
    model = make(cls).fit(X, Y)
    assert model.score(X, Y) == concordance_index(Y, model.predict(X))
    assert model.score(X[:1], Y[:1]) == 0.5


@every
def test_curves(cls):
    model = make(cls).fit(X, Y)
    for curves, falls in (
        (model.predict_survival_function(X), True),
        (model.predict_cumulative_hazard_function(X), False),
    ):
        assert curves.shape == (len(X), len(model.times_))
        steps = np.diff(curves, axis=1)
        assert (steps <= 1e-12 if falls else steps >= -1e-12).all()
    times = [9.0, 0.0, 3.0, 3.0]
    survival = model.predict_survival_function(X, times)
    assert (survival[:, 1] == 1).all()
    assert np.array_equal(survival[:, 2], survival[:, 3])
    assert (survival[:, 0] <= survival[:, 2]).all()
    # Those of higher risk have the lower curves, on average over time.
    late = model.predict_survival_function(X).mean(axis=1)
    assert np.corrcoef(late, model.predict(X))[0, 1] < -0.8


@every
def test_errors(cls):
    with pytest.raises(ValueError, match="No row has an event"):
        make(cls).fit(X, (np.zeros(len(X)), Y["time"]))
    with pytest.raises(ValueError, match="0 or negative"):
        make(cls).fit(X, Y["time"] - 1.0)
    with pytest.raises(ValueError, match="NaN"):
        make(cls).fit(X, np.where(np.arange(len(X)) == 3, np.nan, Y["time"]))
    with pytest.raises(ValueError, match="list of numbers"):
        make(cls).fit(X, Y).predict_survival_function(X, 3.0)


@every
def test_searches(cls):
    assert cross_val_score(make(cls), X, Y, cv=3).mean() > 0.6
    search = GridSearchCV(make(cls), {"max_depth": [1, 3]}, cv=2).fit(X, Y)
    assert search.best_score_ > 0.6
