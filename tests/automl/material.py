"""Small tables that several tests fit candidates to."""

import numpy as np
from sklearn.datasets import make_classification

from coterie.automl.material import Material
from coterie.automl.metrics import CLASS_METRICS, NUMBER_METRICS
from coterie.automl.situation import Situation
from coterie.automl.splits import Plan, make_folds, splits_of
from coterie.data import Table

PLAN = Plan(3)


def labelled(n_rows=150, plan=PLAN, weight=None):
    """Two classes: situation, material, folds and metric."""
    X, y = make_classification(n_rows, 5, n_informative=3, flip_y=0.05, random_state=0)
    y = y.astype(np.intp)
    folds = make_folds(Table.read(X), y, plan, 0)
    situation = Situation("binary", n_rows, 2, np.zeros(5, dtype=int), weighted=weight is not None)
    material = Material(X, y, splits_of(folds, plan), 2, weight)
    return situation, material, folds[0], CLASS_METRICS["log_loss"]


def numbered(n_rows=150, plan=PLAN):
    """Numbers: situation, material, folds and metric."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 4))
    y = np.sin(2 * X[:, 0]) + X[:, 1] + rng.normal(0, 0.2, n_rows)
    folds = make_folds(Table.read(X), np.zeros(n_rows, dtype=np.intp), plan, 0)
    situation = Situation("regression", n_rows, 0, np.zeros(4, dtype=int), metric="rmse")
    return situation, Material(X, y, splits_of(folds, plan), 0), folds[0], NUMBER_METRICS["rmse"]
