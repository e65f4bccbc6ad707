"""What a journal keeps of a trial."""

import numpy as np
import pytest

from coterie.automl.candidates import Candidate
from coterie.automl.makers import gradient
from coterie.automl.recollection import facts_of, recalled, would_go_on
from coterie.automl.trial import Recipe, Trial
from tests.automl.material import labelled

BOOST = Candidate("boost", "own", gradient(max_iter=100), rounds=True)


def test_facts_make_the_same_trial():
    trial = Trial("boost", "own", np.ones((2, 1)), [], 3.0, 0.5, "a note", Recipe({"a": 1}, [7, 9]))
    trial.noise = 0.25
    facts = facts_of(trial, 2, 60.0)
    assert (facts["splits"], facts["elapsed"]) == (2, 60.0)
    assert vars(recalled(BOOST, facts, trial.unseen, trial.models)) == vars(trial)


@pytest.mark.parametrize(
    ("name", "rounds", "expected"),
    [("boost", [60, 96], True), ("boost", [60, 94], False), ("other", [100], False)],
)
def test_a_booster_would_go_on_that_is_best_at_its_end(name, rounds, expected):
    trial = Trial(name, "own", np.ones((2, 1)), recipe=Recipe({}, rounds))
    assert would_go_on(trial, [BOOST], labelled()[0]) is expected


def test_what_has_no_rounds_does_not_go_on():
    plain = Candidate("plain", "own", lambda s: None)
    assert not would_go_on(Trial("plain", "own", np.ones((2, 1))), [plain], labelled()[0])
