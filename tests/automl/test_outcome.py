"""How a search ended."""

from dataclasses import replace

import numpy as np

from coterie.automl.choice import choose_combination
from coterie.automl.combine import WAYS
from coterie.automl.outcome import find_doubts, find_shortage
from tests.automl.test_search import LINEAR, TREE, search


def test_a_booster_that_was_cut_short_is_told():
    found, _ = search()
    found.run([LINEAR])
    assert find_shortage(found) == []
    found.trials[0].note = "3 rounds for lack of time"
    (finding,) = find_shortage(found)
    assert "only one candidate, linear" in finding.message
    assert "3 rounds" in finding.message


def test_the_prior_is_left_where_there_is_no_time_for_anything(monkeypatch):
    monkeypatch.setattr("coterie.automl.search.is_quick", lambda *_: False)
    found, folds = search()
    found.stopped = "time"
    found.run([])
    assert [t.name for t in found.trials] == ["prior"]
    (finding,) = find_shortage(found)
    assert "frequencies of the classes" in finding.message
    assert choose_combination(found, folds, WAYS, hold_out=False)[0].blend.weights.tolist() == [1.0]


def test_where_nothing_can_be_learnt_the_model_is_a_constant():
    found, folds = search()
    noise = np.random.default_rng(3).permutation(found.material.truth)
    found.material = replace(found.material, truth=noise)
    found.run([TREE])
    found.add_prior()
    assert [t.name for t in found.trials] == ["tree", "prior"]
    best, _ = choose_combination(found, folds, WAYS[:1], hold_out=False)
    assert best.blend.weights.tolist() == [0.0, 1.0]
    (finding,) = find_doubts(found, best)
    assert finding.level == "danger"
    assert "better than a constant" in finding.message


def test_members_that_know_something_need_no_constant_beside_them():
    found, folds = search()
    clear = (found.material.matrix[:, 0] > 0).astype(np.intp)
    found.material = replace(found.material, truth=clear)
    found.run([LINEAR])
    found.add_prior()
    assert [t.name for t in found.trials] == ["linear"]
    assert find_doubts(found, choose_combination(found, folds, WAYS[:1], hold_out=False)[0]) == []


def test_a_constant_beside_a_member_that_was_cut_short_hides_nothing():
    found, _ = search()
    noise = np.random.default_rng(3).permutation(found.material.truth)
    found.material = replace(found.material, truth=noise)
    found.run([TREE])
    found.trials[0].note = "3 trees for lack of time"
    found.add_prior()
    assert len(found.trials) == 2
    (finding,) = find_shortage(found)
    assert "3 trees" in finding.message
