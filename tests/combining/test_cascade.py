"""Levels, and what they pass on."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from coterie import ExtraTreesClassifier, RandomForestClassifier, RowFolds
from coterie.combining.cascade import (
    Growth,
    LevelFit,
    Stand,
    clear_threshold,
    fit_one,
    grow,
    has_bags,
    mean_answer,
)
from coterie.combining.splits import make_splits
from coterie.data import Table, Target


def stand(n_rows=120, seed=0, apart=1.2):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n_rows)
    X = rng.normal(size=(n_rows, 4)) + apart * np.eye(3, 4)[y]
    return Stand(Table.read(X).bin(), Target.labels(y), None)


def rng():
    return np.random.default_rng(0)


def no_folds(stand):
    """Nobody should ask."""
    raise AssertionError


def test_answers_beside_columns_are_binned_alone():
    rows = stand()
    answers = rng().random((120, 2))
    wide = rows.beside(answers, 255)
    assert wide.table.n_columns == 6
    np.testing.assert_array_equal(wide.table.codes[:, :4], rows.table.codes)
    np.testing.assert_array_equal(wide.table.values[:, 4:], answers)
    forest = fit_one("forest", RandomForestClassifier(5), wide, rng())
    direct = forest.estimator.pool_.raw(wide.table) / 5
    np.testing.assert_array_equal(forest.predict(wide.table), direct)


def test_honest_answers_outside_bags_and_folds():
    rows = stand()
    forest = RandomForestClassifier(20)
    assert has_bags(forest)
    assert not has_bags(ExtraTreesClassifier())
    level, honest = LevelFit([("forest", forest)], no_folds).fit(rows, [rng()])
    fitted = level.members[0][0].estimator
    np.testing.assert_array_equal(honest, fitted.oob_decision_function_)
    folds = LevelFit(
        [("linear", LogisticRegression())],
        lambda own: make_splits(RowFolds(3), own.table, own.target),
    )
    level, honest = folds.fit(rows, [rng()])
    assert len(level.members[0]) == 3
    splits = make_splits(RowFolds(3), rows.table, rows.target)
    for (_, test), member in zip(splits, level.members[0], strict=True):
        np.testing.assert_allclose(honest[test], member.predict(rows.table.take(test)))
    # New rows get the mean of the models of all folds.
    expected = np.mean([member.predict(rows.table) for member in level.members[0]], axis=0)
    np.testing.assert_allclose(level.answers(rows.table), expected)


def test_means_are_taken_over_ensembles():
    answers = np.array([[1.0, 0.0, 0.5, 0.5]])
    assert mean_answer(answers, 2).tolist() == [[0.75, 0.25]]


@pytest.mark.parametrize(
    ("scores", "patience", "n_levels", "n_fitted"),
    [
        ([0.5, 0.6, 0.6, 0.5, 0.9], 2, 2, 4),
        ([0.5, 0.4, 0.6, 0.5, 0.5], 2, 3, 5),
        ([0.9] * 5, 1, 1, 2),
    ],
)
def test_levels_are_added_while_they_help(scores, patience, n_levels, n_fitted):
    told = iter(scores)
    fit = LevelFit([("forest", RandomForestClassifier(3))], no_folds)
    grown = grow(stand(), fit, Growth(5, patience), rng(), lambda *_: next(told))
    assert len(grown.cascade.levels) == n_levels
    assert grown.scores == scores[:n_fitted]


@pytest.mark.slow
def test_clear_rows_leave():
    mean = np.array([[0.9, 0.1], [0.8, 0.2], [0.6, 0.4], [0.55, 0.45]])
    rows = Stand(Table.read(np.zeros((4, 1))), Target.labels([0, 0, 1, 0]), None)
    # Three of four are right, so mistakes may be one in twelve above the threshold.
    assert clear_threshold(mean, rows, 0.75) == 0.8
    sure = np.linspace(0.99, 0.6, 10)
    mean = np.column_stack([sure, 1 - sure])
    rows = Stand(Table.read(np.zeros((10, 1))), Target.labels([0] * 7 + [1, 0, 0]), None)
    # Seven of eight are too few for a third of the mistakes, though enough for a half.
    assert clear_threshold(mean, rows, 0.75) == sure[6]
    fit = LevelFit([("forest", RandomForestClassifier(30))], no_folds)
    own = stand(400, apart=2.5)

    def score(honest, _):
        return float((honest.argmax(axis=1) == own.target.codes[:, 0]).mean())

    growth = Growth(3, 3, tol=-np.inf, screening=True)
    grown = grow(own, fit, growth, rng(), score)
    first = grown.cascade.levels[0]
    assert first.threshold < 1
    sizes = [
        member.estimator.bags_.n_rows
        for level in grown.cascade.levels
        for member in level.members[0]
    ]
    assert sizes[1] < sizes[0]
    # A row that is clear at the first level has its answer.
    alone = first.mean(first.answers(own.table))
    clear = alone.max(axis=1) >= first.threshold
    np.testing.assert_array_equal(grown.cascade.predict(own.table)[clear], alone[clear])
