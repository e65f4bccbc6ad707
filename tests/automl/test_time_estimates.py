"""Time that is estimated before it is spent."""

import time

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from coterie import RandomForestClassifier
from coterie.automl import time_estimates
from coterie.automl.candidates import PRIOR, Candidate, choose_candidates
from coterie.automl.clock import Clock, Deadline, OutOfTime
from coterie.automl.material import Material
from coterie.automl.situation import Situation
from coterie.automl.time_estimates import least_seconds, shrink_to_limit, smaller, takes_much_memory
from coterie.automl.trial import ask_unseen, fit_again, run_trial
from tests.automl.material import labelled

LONG = 1e6


def test_large_ensembles_are_cut_to_the_time():
    assert smaller(RandomForestClassifier(200), 0.3)[0] == {"n_estimators": 60}
    network = make_pipeline(StandardScaler(), MLPClassifier(max_iter=50))
    assert smaller(network, 0.5)[0] == {"mlpclassifier__max_iter": 25}
    for estimator, share in ((RandomForestClassifier(200), 0.001), (LogisticRegression(), 0.5)):
        with pytest.raises(OutOfTime):
            smaller(estimator, share)


@pytest.mark.slow
def test_large_tables_are_boosted_in_larger_steps_when_time_is_short(monkeypatch):
    monkeypatch.setattr(time_estimates, "booster_seconds", lambda *size: 100.0)
    monkeypatch.setattr(time_estimates, "_RATE_TIMES_ROUNDS", 1e3)  # as if rounds were slow
    situation, material, _, _ = labelled(300)
    (boost,) = choose_candidates(["gradient boosting"], interpretable=False)
    plenty = run_trial(boost, situation, material, Clock(LONG))
    assert plenty.recipe.params == {}
    hasty = run_trial(boost, situation, material, Clock(1.0))
    assert 0.08 < hasty.recipe.params["learning_rate"] <= 0.3
    again = fit_again(boost, situation, material, hasty.recipe)
    np.testing.assert_array_equal(ask_unseen(again, material), hasty.unseen)


def test_boosting_that_could_not_come_near_its_end_is_not_begun(monkeypatch):
    situation, material, _, _ = labelled(300)
    (boost,) = choose_candidates(["gradient boosting"], interpretable=False)
    given = (boost, boost.make(situation), situation, material)
    short = Deadline(time.monotonic() + 1e-3)
    assert shrink_to_limit(*given, short)[0] == {"learning_rate": 0.3}
    with pytest.raises(OutOfTime, match="enough for"):
        shrink_to_limit(*given, Deadline(time.monotonic() + 1e-3), thorough=True)
    assert shrink_to_limit(*given, Deadline(time.monotonic() + 3600), thorough=True) == ({}, "")


class Ticking:
    """A clock that goes on by what estimators say they take."""

    def __init__(self):
        self.now = 0.0

    def monotonic(self):
        return self.now


def hurried(monkeypatch, estimator, left, seconds, n_rows=150):
    """What is decided if a fit takes ``seconds(estimator, rows)``."""
    ticking = Ticking()
    fitted = []

    def fit_clone(estimator, material, rows):
        ticking.now += seconds(estimator, len(rows))
        fitted.append(len(rows))
        return clone(estimator).fit(material.matrix[rows[:100]], material.truth[rows[:100]])

    situation, material, _, _ = labelled(n_rows)
    monkeypatch.setattr(time_estimates, "fit_clone", fit_clone)
    monkeypatch.setattr(time_estimates, "time", ticking)
    monkeypatch.setattr(time_estimates, "_LARGE_WORK", 0)
    monkeypatch.setattr(Deadline, "left", property(lambda self: self.moment - ticking.now))
    candidate = Candidate("own", "own", lambda s: estimator, native=False)
    return shrink_to_limit(candidate, estimator, situation, material, Deadline(left)), fitted


def test_networks_are_judged_by_a_few_epochs(monkeypatch):
    """One second for an epoch and three splits: 80 epochs take 240 seconds."""
    network = make_pipeline(StandardScaler(), MLPClassifier((2,), max_iter=80))
    epochs = lambda pipeline, rows: float(pipeline[-1].max_iter)  # noqa: E731
    with pytest.warns(ConvergenceWarning):
        (found, _), fitted = hurried(monkeypatch, network, 250.0, epochs)
    assert found == {}
    assert fitted == [100, 100]
    with pytest.warns(ConvergenceWarning):
        (found, note), _ = hurried(monkeypatch, network, 64.0, epochs)
    assert found == {"mlpclassifier__max_iter": 20}
    assert note == "20 epochs for lack of time"
    with pytest.warns(ConvergenceWarning), pytest.raises(OutOfTime):
        hurried(monkeypatch, network, 10.0, epochs)


def test_networks_are_judged_by_some_rows(monkeypatch):
    """A second for an epoch of 100 rows; half of them are tried."""
    network = make_pipeline(StandardScaler(), MLPClassifier((2,), max_iter=80))
    epochs = lambda pipeline, rows: pipeline[-1].max_iter * rows / 100  # noqa: E731
    monkeypatch.setattr(time_estimates, "_EPOCH_ROWS", 50)
    with pytest.warns(ConvergenceWarning):
        (found, _), fitted = hurried(monkeypatch, network, 62.0, epochs)
    assert fitted == [50, 50]
    assert found == {"mlpclassifier__max_iter": 20}


def test_what_networks_begin_with_is_not_multiplied(monkeypatch):
    """Five seconds before the first epoch, one for each, three splits: 255 seconds for 80."""
    network = make_pipeline(StandardScaler(), MLPClassifier((2,), max_iter=80))
    epochs = lambda pipeline, rows: 5.0 + pipeline[-1].max_iter  # noqa: E731
    with pytest.warns(ConvergenceWarning):
        (found, _), _ = hurried(monkeypatch, network, 270.0, epochs)
    assert found == {}


def test_forests_are_judged_by_a_few_trees(monkeypatch):
    """A second for a tree, 50 trees and three splits, with a reserve of 20 %: 180 seconds."""
    forest = RandomForestClassifier(50)
    trees = lambda estimator, rows: float(estimator.n_estimators)  # noqa: E731
    (found, _), fitted = hurried(monkeypatch, forest, 190.0, trees, n_rows=600)
    assert found == {}
    assert fitted == [400]
    (found, note), _ = hurried(monkeypatch, forest, 92.0, trees, n_rows=600)
    assert found == {"n_estimators": 25}
    assert note == "25 trees for lack of time"


@pytest.mark.slow
def test_others_are_judged_by_some_rows(monkeypatch):
    """A second for 1,000 rows: neighbours take sixteen times as long for four times the rows.

    What cannot be made smaller may take twice its share.
    """
    each = lambda estimator, rows: rows / 1000  # noqa: E731
    near = make_pipeline(StandardScaler(), KNeighborsClassifier())
    with pytest.raises(OutOfTime):
        hurried(monkeypatch, near, 18.0, each, n_rows=6000)
    found, fitted = hurried(monkeypatch, near, 32.0, each, n_rows=6000)
    assert found == ({}, "")
    assert fitted == [500, 1000]


def test_what_does_not_grow_with_rows_is_not_taken_for_their_square(monkeypatch):
    """A kernel machine of 500 rows takes 0.2 s, most of it whatever the number of rows."""
    each = lambda estimator, rows: 0.1 + 0.1 * (rows / 500) ** 2  # noqa: E731
    near = make_pipeline(StandardScaler(), KNeighborsClassifier())
    found, fitted = hurried(monkeypatch, near, 1.0, each, n_rows=750)
    assert found == ({}, "")
    assert fitted == [125, 250]


def test_without_a_limit_nothing_is_estimated(monkeypatch):
    network = make_pipeline(StandardScaler(), MLPClassifier((2,), max_iter=80))
    (found, _), fitted = hurried(monkeypatch, network, 1e9, lambda e, rows: 1.0)
    assert found == {}
    assert fitted == []


def sized(n_rows, n_columns, n_classes, n_splits=1):
    cardinalities = np.zeros(n_columns, dtype=int)
    situation = Situation("multiclass", n_rows, n_classes, cardinalities)
    rows = np.broadcast_to(np.intp(0), n_rows)
    return situation, Material(None, rows, [(rows, rows)] * n_splits, n_classes)


def test_boosting_of_thousands_of_classes_is_not_begun_without_time():
    (boost,) = choose_candidates(["gradient boosting"], interpretable=False)
    assert 1 < least_seconds(boost, *sized(40_000, 10, 5_000)) < 100
    assert least_seconds(boost, *sized(40_000, 10, 3)) < 0.1
    situation, material = sized(40_000, 10, 5_000)
    with pytest.raises(OutOfTime, match="at least"):
        shrink_to_limit(boost, boost.make(situation), situation, material, Clock(9).until(1.0))


def test_trials_that_would_take_too_long_themselves_are_not_begun():
    forest, line = choose_candidates(["random forest", "linear"], interpretable=False)
    for size in ((200, 100_000, 2, 3), (40_000, 10, 5_000)):
        assert least_seconds(line, *sized(*size)) > 30
        assert least_seconds(forest, *sized(*size)) > 30
    assert least_seconds(line, *sized(40_000, 10, 10)) == 0
    assert least_seconds(PRIOR, *sized(40_000, 10, 5_000)) == 0


def test_leaves_of_many_classes_are_large():
    (forest,) = choose_candidates(["random forest"], interpretable=False)
    for n_classes, large in ((5_000, True), (10, False)):
        situation, _ = sized(40_000, 10, n_classes)
        assert takes_much_memory(forest.make(situation), situation) is large
