"""What columns do, scores of groups, and the learning curve."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.metrics import root_mean_squared_error

from coterie.automl.candidates import Candidate
from coterie.automl.clock import Clock
from coterie.automl.columns import Reading
from coterie.automl.combine import Blend, OutOfFold
from coterie.automl.insights import (
    Columns,
    learning_curve,
    measure_contributions,
    measure_effects,
    score_subgroups,
)
from coterie.automl.material import Material
from coterie.automl.metrics import CLASS_METRICS, NUMBER_METRICS
from coterie.automl.records import Column
from coterie.automl.trial import run_trial
from tests.automl.material import labelled, numbered

LONG = Clock(1e6).until(1e6)
LINEAR = Candidate("linear", "linear", lambda s: clone(LinearRegression()))
ONE = Blend("", np.ones(1))


@pytest.fixture(scope="module")
def line():
    """Models of y = 3 a + b, of four columns."""
    situation, material, _, _ = numbered(600)
    y = 3 * material.matrix[:, 0] + material.matrix[:, 1]
    material = Material(material.matrix, y, material.splits, 0)
    return situation, material, run_trial(LINEAR, situation, material, Clock(1e6))


def test_partial_dependence_of_a_sum_is_its_term(line):
    _, material, trial = line
    columns = {"a": 0, "b": 1, "idle": 3}
    for effect, slope in zip(
        measure_effects(ONE, [trial.models], material, columns, {}, LONG), (3, 1, 0), strict=True
    ):
        steps = np.diff(effect.values)
        assert (steps > 0).all()
        for curve in [*effect.mean, *effect.rows]:
            np.testing.assert_allclose(np.diff(curve), slope * steps, atol=1e-9)


def test_categories_are_named_and_those_of_two_classes_shown_once():
    situation, material, _, _ = labelled()
    codes = np.arange(len(material.truth)) % 3
    material = Material(np.c_[material.matrix, codes], material.truth, material.splits, 2)
    trial = run_trial(Candidate("t", "t", _tree), situation, material, Clock(1e6))
    labels = {"k": np.array(["x", "y", "z"])}
    (effect,) = measure_effects(ONE, [trial.models], material, {"k": 5}, labels, LONG)
    assert sorted(effect.values) == ["x", "y", "z"]
    assert effect.outputs == [1]
    assert all(0 <= p <= 1 for p in effect.mean[0])


def _tree(situation):
    from coterie import DecisionTreeClassifier

    return DecisionTreeClassifier(max_depth=3, random_state=0)


def test_contributions_of_a_sum_add_up_and_follow_its_terms(line):
    _, material, trial = line
    found = measure_contributions(
        ONE, [trial.models], material, {"a": 0, "b": 1, "idle": 3}, {}, LONG
    )
    a, b, idle = (np.array(one.values) for one in found)
    np.testing.assert_allclose(idle, 0, atol=1e-9)
    for values, one in ((a, found[0]), (b, found[1])):
        assert np.corrcoef(values, one.levels)[0, 1] > 0.8
    assert 2 < a.std() / b.std() < 4.5
    assert min(found[0].levels) == 0
    assert max(found[0].levels) == 1


def test_without_time_or_of_sparse_tables_nothing_is_measured(line):
    _, material, trial = line
    gone = Clock(1e6).until(-1.0)
    for measure in (measure_effects, measure_contributions):
        assert measure(ONE, [trial.models], material, {"a": 0}, {}, gone) == []
        wide = Material(sparse.csr_array(material.matrix), material.truth, material.splits, 0)
        assert measure(ONE, [trial.models], wide, {"a": 0}, {}, LONG) == []


def test_groups_are_scored_by_their_own_rows():
    truth = np.repeat([0, 1], 50)
    said = np.tile([0.9, 0.1], (100, 1))  # right of the first half, wrong of the second
    oof = OutOfFold(said[None], truth, CLASS_METRICS["accuracy"])
    codes = {"half": np.repeat([0.0, 1.0], 50), "few": np.r_[np.zeros(90), np.ones(10)]}
    labels = {"half": np.array(["first", "second"]), "few": np.array(["many", "rare"])}
    found = score_subgroups(oof, said, codes, labels, LONG)
    assert [(one.column, one.category, one.n_rows) for one in found] == [
        ("half", "first", 50),
        ("half", "second", 50),
        ("few", "many", 90),
    ]
    np.testing.assert_allclose([one.score for one in found], [1, 0, 5 / 9])


def test_learning_curve_ends_with_the_models_there_are(line):
    situation, material, trial = line
    rmse = NUMBER_METRICS["rmse"]
    noisy = material.truth + np.random.default_rng(0).normal(size=len(material.truth))
    material = Material(material.matrix, noisy, material.splits, 0)
    trial = run_trial(LINEAR, situation, material, Clock(1e6))
    found = learning_curve(trial, LINEAR, situation, material, rmse)
    tests = np.concatenate([test for _, test in material.splits[:2]])
    said = [
        model.ask(material.matrix[test])[:, 0]
        for model, (_, test) in zip(trial.models, material.splits, strict=True)
    ]
    last = root_mean_squared_error(noisy[tests], np.concatenate(said[:2]))
    np.testing.assert_allclose(found.scores[-1], last)
    assert found.n_rows == [50, 100, 200, 400]
    assert found.scores[0] > found.scores[-1]
    # The gain is of squared errors, whose root the metric is.
    gap = found.scores[-2] ** 2 - found.scores[-1] ** 2
    np.testing.assert_allclose(found.gain, gap)
    assert found.error > 0


@pytest.mark.slow
def test_boosters_are_fitted_to_parts_too():
    from coterie.automl.candidates import FAST

    situation, material, _, metric = labelled(400)
    booster = Candidate("b", "b", FAST[0].make, rounds=True)
    trial = run_trial(booster, situation, material, Clock(1e6))
    assert trial.recipe.rounds
    found = learning_curve(trial, booster, situation, material, metric)
    assert np.isfinite(found.scores).all()


def test_few_rows_have_no_learning_curve():
    situation, material, _, metric = labelled(150)
    trial = run_trial(Candidate("t", "t", _tree), situation, material, Clock(1e6))
    assert learning_curve(trial, Candidate("t", "t", _tree), situation, material, metric) is None


def test_parts_of_a_date_are_not_columns_of_the_table():
    columns = [Column(name, "number", 0.0, 9) for name in ("age", "day.month", "day.week", "city")]
    reading = Reading(columns, np.array([0, 1, 2, 3]))
    origin = {"age": "age", "day.month": "day", "day.week": "day", "city": "city"}
    draft = SimpleNamespace(
        preparation_=SimpleNamespace(origin=lambda names: [origin[name] for name in names])
    )
    schema = SimpleNamespace(labels={3: np.array(["Bonn", "Ulm"])})
    found = Columns.of(schema, reading, draft)
    assert found.positions == {"age": 0, "city": 3}
    assert list(found.labels) == ["city"]
