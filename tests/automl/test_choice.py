"""The best way to combine what a search has found."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from coterie.automl.candidates import DEFAULT
from coterie.automl.choice import choose_combination
from coterie.automl.combine import WAYS
from tests.automl.test_search import LINEAR, TREE, candidate, search


def test_single_members_can_be_asked_for():
    found, folds = search()
    found.run([LINEAR, TREE])
    best, judged = choose_combination(found, folds, WAYS[:1], hold_out=False)
    assert sorted(best.blend.weights) == [0, 1]
    assert all("single" in one.blend.name for one in judged)


@pytest.mark.slow
def test_the_default_booster_is_in_the_last_comparison():
    found, folds = search()
    found.run([TREE, candidate(DEFAULT, LogisticRegression())])
    best, judged = choose_combination(found, folds, WAYS, hold_out=False)
    assert judged[0].blend.name == f"{DEFAULT} alone"
    assert judged[0].blend.weights.tolist() == [0.0, 1.0]
    assert best.loss <= judged[0].loss


@pytest.mark.slow
def test_one_held_out_part_is_split_further():
    found, folds = search()
    found.run([LINEAR, TREE])
    best, _ = choose_combination(found, folds, WAYS, hold_out=True)
    assert np.isfinite(best.nested).all()
