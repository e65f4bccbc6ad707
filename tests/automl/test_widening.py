"""More models of the members that were chosen."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from coterie import TableClassifier

MEMBERS = [("linear", LogisticRegression(max_iter=500))]
ROWS = np.random.default_rng(0).normal(size=(300, 3))
Y = ROWS[:, 0] > 0


@pytest.mark.slow
def test_time_that_is_left_goes_to_further_models_of_those_chosen():
    """Eight folds, and the eight of another deal."""
    model = TableClassifier(members=MEMBERS, time_limit=30.0).fit(ROWS, Y)
    assert len(model.members_[0].models) == len(model.pool_.members[0].seats) == 16
    assert np.isfinite(model.out_of_fold_[:, 0]).all()


def test_where_time_is_short_a_few_folds_judge_and_the_others_follow():
    """Work for about six models: two that all are judged by, and then others until little is left.

    The same work is charged on any machine, so their number is known.
    """
    model = TableClassifier(members=MEMBERS, work=1.0).fit(ROWS, Y)
    assert model.made_["splits"] == "2 of 8 folds, for lack of time"
    assert np.isfinite(model.out_of_fold_[:, 0]).sum() == 76
    assert len(model.members_[0].models) == len(model.pool_.members[0].seats) == 5
