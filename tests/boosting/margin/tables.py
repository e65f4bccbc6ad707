"""Small tables, and the linear program of all their stumps solved at once."""

import numpy as np
from scipy.optimize import linprog
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

#: Tables that no vote of stumps can tell apart are meant to be warned of.
NO_MARGIN = "ignore:No vote of:sklearn.exceptions.ConvergenceWarning"


def small_tables():
    """Two classes each, none of more than 180 rows."""
    iris, wine, cancer = (
        load(return_X_y=True) for load in (load_iris, load_wine, load_breast_cancer)
    )
    return {
        "iris": (iris[0][50:], iris[1][50:]),
        "wine": (wine[0][:, :5], (wine[1] == 1).astype(int)),
        "cancer": (cancer[0][:120, :8], cancer[1][:120]),
    }


def stump_votes(X):
    """What every stump says of every row, constants among them; shape (n_stumps, n_rows)."""
    votes = [np.ones(len(X))]
    for column in X.T:
        values = np.unique(column)
        cuts = (values[1:] + values[:-1]) / 2
        votes += list(np.where(column <= cuts[:, None], 1.0, -1.0))
    return np.vstack([votes, -np.array(votes)])


def full_program(U, initial, nu):
    """Value of the program of all members: by an independent solver, without column generation."""
    t, n = U.shape
    upper = [(0, None if nu is None else w / nu) for w in initial]
    found = linprog(
        np.append(np.zeros(n), 1.0),
        np.column_stack([U, -np.ones(t)]),
        np.zeros(t),
        np.append(np.ones(n), 0.0)[None],
        [1.0],
        [*upper, (None, None)],
    )
    assert found.status == 0
    return found.fun
