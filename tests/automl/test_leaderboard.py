"""The leaderboard."""

import numpy as np
import pytest
from sklearn.metrics import log_loss

from coterie.automl.choice import choose_combination
from coterie.automl.clock import Clock
from coterie.automl.combine import WAYS, OutOfFold
from coterie.automl.leaderboard import _behind, make_leaderboard, size_curve
from coterie.automl.metrics import CLASS_METRICS
from coterie.automl.search import Search
from tests.automl.material import labelled
from tests.automl.test_search import LINEAR, TREE


@pytest.mark.slow
def test_best_first_with_honest_scores_and_one_choice():
    situation, material, folds, metric = labelled()
    search = Search(situation, material, metric, Clock(1e6))
    search.run([LINEAR, TREE])
    best, judged = choose_combination(search, folds, WAYS, hold_out=False)
    oof = search.out_of_fold()
    board = make_leaderboard(search, oof, judged, best)
    scores = [entry.score for entry in board]
    assert scores == sorted(scores)
    assert all(entry.low < entry.score < entry.high for entry in board)
    chosen = [entry for entry in board if entry.kind == "ensemble" and entry.chosen]
    assert [entry.name for entry in chosen] == [best.blend.name]
    members = {entry.name: entry for entry in board if entry.kind == "member"}
    for trial in search.trials:
        expected = log_loss(material.truth, trial.unseen)
        np.testing.assert_allclose(members[trial.name].score, expected)
    np.testing.assert_allclose(sum(entry.weight for entry in members.values()), 1)


@pytest.mark.parametrize("name", ["accuracy", "log_loss"])
def test_what_is_behind_is_compared_row_by_row(name):
    truth = np.array([0, 0, 1, 1])
    best = np.array([[0.8, 0.2], [0.6, 0.4], [0.3, 0.7], [0.1, 0.9]])
    other = best.copy()
    other[1] = [0.4, 0.6]  # one row is worse, the others are equal
    oof = OutOfFold(np.stack([best, other]), truth, CLASS_METRICS[name])
    assert _behind(oof, best, best) == (0.0, 0.0, 0.0)
    middle, low, high = _behind(oof, other, best)
    step = 1 / 4 if name == "accuracy" else np.log(0.6 / 0.4) / 4
    np.testing.assert_allclose(middle, step)
    spread = 1.96 * 4 * step * np.sqrt(3 / 16) / 2  # one of four rows differs, by four steps
    np.testing.assert_allclose(high, middle + spread)
    assert low < middle


@pytest.mark.slow
def test_size_curve_begins_with_the_first_member_alone():
    situation, material, folds, metric = labelled()
    search = Search(situation, material, metric, Clock(1e6))
    search.run([LINEAR, TREE])
    _, judged = choose_combination(search, folds, WAYS, hold_out=False)
    both = next(one for one in judged if (one.blend.weights > 0).all())
    curve = size_curve(search.out_of_fold(), both, np.array([1, 0]))
    assert curve[0] == (1, search.scores[1])
    assert [size for size, _ in curve] == [1, 2]
