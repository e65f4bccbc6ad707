"""More models of the members that were chosen."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from coterie import TableClassifier


@pytest.mark.slow
def test_time_that_is_left_goes_to_further_models_of_those_chosen():
    """Eight folds, and the eight of another deal; or one part of six, and then the others."""
    members = [("linear", LogisticRegression(max_iter=500))]
    rows = np.random.default_rng(0).normal(size=(300, 3))
    y = rows[:, 0] > 0
    for limit, n_models, scored in ((30.0, 16, 300), (1.2, 6, 50)):
        model = TableClassifier(members=members, time_limit=limit).fit(rows, y)
        assert len(model.members_[0].models) == n_models
        assert np.isfinite(model.out_of_fold_[:, 0]).sum() == scored
        assert len(model.pool_.members[0].seats) == n_models
