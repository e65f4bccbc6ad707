"""The worked examples: ten points, and iris as two classes."""

import numpy as np
from sklearn.datasets import load_iris

from coterie import DecisionTreeClassifier

TEN_X = np.array(
    [[2, 1], [1, 3], [5, 8], [8, 7], [7, 10], [3, 6], [6, 5], [4, 2], [10, 9], [9, 4]], dtype=float
)
TEN_Y = np.array([1] * 5 + [-1] * 5)
TEN_ERRORS = np.array([3 / 10, 3 / 14, 3 / 22])

SEVEN_X = np.array([[1, 4], [4, 7], [3, 1], [5, 1], [3, 4], [4, 5], [5, 4]], dtype=float)
SEVEN_Y = np.array([1, 1, 1, 1, -1, -1, -1])


def error_stump():
    """The stump of least weighted error."""
    return DecisionTreeClassifier(criterion="misclassification", max_depth=1)


def iris_pair():
    """Iris rows 51 to 150: versicolor is +1, virginica -1."""
    X, y = load_iris(return_X_y=True)
    return X[50:], np.where(y[50:] == 1, 1, -1)
