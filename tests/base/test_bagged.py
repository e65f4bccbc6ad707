import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.naive_bayes import GaussianNB

from coterie import (
    BaggingClassifier,
    BaggingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from coterie.base import JoblibExecutor
from coterie.base.bagged import OobWatch, Plan
from coterie.core import Bags, View
from coterie.data import Table, Target

X, y = load_breast_cancer(return_X_y=True)


def test_warm_start_adds_the_members_that_are_missing():
    whole = BaggingClassifier(n_estimators=9, oob_score="accuracy", random_state=0)
    with pytest.warns(UserWarning, match="OOB"):
        whole.fit(X, y)
    grown = BaggingClassifier(n_estimators=4, warm_start=True, random_state=0).fit(X, y)
    with pytest.warns(UserWarning, match="OOB"):
        grown.set_params(n_estimators=9, oob_score=True).fit(X, y)
    np.testing.assert_array_equal(grown.predict_proba(X), whole.predict_proba(X))
    assert grown.oob_score_ == whole.oob_score_
    assert all(map(np.array_equal, grown.estimators_samples_, whole.estimators_samples_))
    with pytest.raises(ValueError, match="n_estimators=3 must be larger or equal"):
        grown.set_params(n_estimators=3).fit(X, y)
    with pytest.warns(UserWarning, match="does not fit new trees"):
        grown.set_params(n_estimators=9).fit(X, y)
    assert len(grown) == 9
    with pytest.raises(ValueError, match="y has different classes"):
        grown.set_params(n_estimators=10).fit(X, y + 1)


def test_scores_of_the_last_fit_do_not_stay():
    model = BaggingClassifier(n_estimators=40, oob_score=True, warm_start=True, random_state=0)
    model.fit(X, y).set_params(oob_score=False, n_estimators=41).fit(X, y)
    assert not hasattr(model, "oob_score_")


@pytest.mark.slow
def test_warm_start_with_other_draws():
    model = BaggingClassifier(n_estimators=30, warm_start=True, random_state=0).fit(X, y)
    model.set_params(n_estimators=60, max_samples=0.25, oob_score=True).fit(X, y)
    sizes = [len(rows) for rows in model.estimators_samples_]
    assert sizes == [569] * 30 + [142] * 30
    assert model.oob_score_ > 0.9


@pytest.mark.slow
@pytest.mark.parametrize("cls", [BaggingClassifier, RandomForestClassifier])
def test_growing_stops_when_rows_outside_have_enough(cls):
    long = cls(n_estimators=150, oob_score=True, random_state=0).fit(X, y)
    model = cls(n_estimators=150, oob_patience=20, random_state=0, oob_score=True).fit(X, y)
    size = len(model.pool_)
    assert size < 150
    error = long.oob_curve_.error[:size]
    np.testing.assert_array_equal(model.oob_curve_.error, error)
    best = int(np.argmin(error))
    assert size == best + 21
    short = cls(n_estimators=size, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), short.predict_proba(X))
    # The tolerance makes it shorter, workers and batches make no difference.
    loose = cls(n_estimators=150, oob_patience=10, tol=0.02, random_state=0, n_jobs=2)
    assert len(loose.fit(X, y).pool_) < size


@pytest.mark.slow
@pytest.mark.parametrize("cls", [BaggingRegressor, RandomForestRegressor])
def test_growing_stops_for_numbers_and_starts_warm(cls):
    Z, target = load_diabetes(return_X_y=True)
    model = cls(n_estimators=200, oob_patience=3, random_state=0, warm_start=True)
    size = len(model.fit(Z, target).pool_)
    assert size < 200
    model.fit(Z, target)
    assert size < len(model.pool_) <= 200


def test_stopping_needs_judges():
    with pytest.raises(ValueError, match="every member saw every row"):
        BaggingClassifier(bootstrap=False, oob_patience=3).fit(X, y)
    with pytest.raises(ValueError, match="bootstrap=True"):
        RandomForestClassifier(bootstrap=False, oob_patience=3).fit(X, y)


class Scripted:
    """A judge with its mind made up."""

    def __init__(self, errors):
        self.errors = iter(errors)

    def hear(self, pool, unseen):
        return next(self.errors)


class Nobody:
    def predict(self, table):
        raise AssertionError("not asked")


@pytest.mark.parametrize(
    ("errors", "patience", "tol", "size"),
    [
        ([0.5, 0.4, 0.4, 0.4, 0.3], 2, 0.0, 4),
        ([0.5, 0.4, 0.39, 0.38, 0.37], 2, 0.05, 4),
        ([np.nan, np.nan, 0.5, 0.6, 0.7], 2, 0.0, 5),
        ([np.nan, np.nan, np.nan, 0.6, 0.7], 1, 0.0, 5),
        ([0.5, 0.4, 0.3, 0.2, 0.1], 1, 0.0, None),
    ],
)
def test_when_to_stop(errors, patience, tol, size):
    bags = Bags(np.arange(5), None, 3)
    watch = OobWatch(Scripted(errors), bags, None, patience, tol)
    ends = [number for number in range(1, 6) if watch(number, Nobody())]
    assert (ends[0] if ends else None) == size


def test_groups_and_weights_go_together():
    groups = np.arange(len(y)) // 3
    weight = np.random.default_rng(0).integers(0, 4, len(y))
    model = BaggingClassifier(GaussianNB(), 5, random_state=0).fit(X, y, weight, groups=groups)
    for rows in model.estimators_samples_:
        counts = np.bincount(rows, minlength=len(y))
        for group in range(5):
            inside = (groups == group) & (weight > 0)
            assert len(set(counts[inside].tolist())) <= 1
        assert (counts[weight == 0] == 0).all()
    with pytest.raises(ValueError, match="one label per row"):
        model.fit(X, y, groups=groups[:5])


def test_plan_shows_the_draw_by_default():
    seen = []

    class Spy:
        def fit(self, table, target, weight, rng):
            seen.append(weight)
            return Nobody()

    class Twice:
        def __call__(self, view, rng):
            return View(view.table, view.target, np.full(3, 2.0))

    view = View(Table.read(np.zeros((3, 1))), Target.numbers(np.zeros(3)))
    Plan(Spy(), view).fit(np.arange(1), JoblibExecutor(1), None)
    Plan(Spy(), view, shake=Twice()).fit(np.arange(1), JoblibExecutor(1), None)
    assert seen[0] is None
    assert seen[1].tolist() == [2, 2, 2]
