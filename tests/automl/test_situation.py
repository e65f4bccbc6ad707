"""The table in a few figures."""

import numpy as np

from coterie.automl.situation import Situation


def test_figures_count_classes_and_labels():
    two = Situation("binary", 100, 2, np.array([0, 0, 7]))
    many = Situation("multiclass", 100, 5, np.array([0, 0, 7]))
    assert (two.n_columns, two.work, many.work) == (3, 300, 1500)
    assert two.categorical.tolist() == [False, False, True]
    assert Situation("regression", 100, 0, np.zeros(3, dtype=int)).categorical is None
