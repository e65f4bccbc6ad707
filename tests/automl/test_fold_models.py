"""Members of a table's ensemble."""

import numpy as np
from sklearn.linear_model import LinearRegression

from coterie.automl.fold_models import TableFoldMember
from coterie.data import Table
from coterie.learners import ForeignMember

X = np.random.default_rng(0).normal(size=(50, 3))


def test_models_answer_with_their_mean_on_the_columns_they_see():
    used = np.array([0, 2])
    models = [LinearRegression().fit(X[:, used], X[:, 0] * k + X[:, 2]) for k in (1, 3)]
    seat = TableFoldMember(tuple(ForeignMember(model) for model in models), used)
    said = seat.predict(Table.read(X))
    np.testing.assert_allclose(said[:, 0], 2 * X[:, 0] + X[:, 2])


def test_cells_are_not_copied_when_all_columns_are_used():
    seat = TableFoldMember((), np.arange(3))
    assert seat.cells(Table.read(X)) is X
