"""Predictions of single rows, without the checks that make sense for tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.native import Forest

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class FastPredictor:
    """Predicts a few rows within microseconds, with the trees of a fitted model.

    It takes arrays of numbers and returns the same as `predict_proba` of a classifier or `predict`
    of a regressor, for services that predict one row at a time.

    Parameters
    ----------
    forest : Forest
        The trees.
    weights : ndarray of shape (n_trees,)
        Factors of the trees' votes.
    start : ndarray of shape (n_scores,)
        The score before any tree.
    link : callable
        Function from scores to predictions.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie import HistGradientBoostingRegressor
    >>> X = np.linspace(0, 1, 200)[:, None]
    >>> model = HistGradientBoostingRegressor().fit(X, 10 * X[:, 0])
    >>> fast = model.fast_predictor()
    >>> bool(fast(X[:1]) == model.predict(X[:1]))
    True
    """

    forest: Forest
    weights: Array
    start: Array
    link: Callable[[Array], Array]

    def __call__(self, X: NDArray[Any]) -> Array:
        """The answers for rows of numbers.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features), float32 or float64
            The rows; NaN is missing.

        Returns
        -------
        ndarray
        """
        if not isinstance(X, np.ndarray) or X.ndim != 2 or X.dtype.kind != "f":
            raise TypeError(
                "fast_predictor needs a two-dimensional array of floats. Convert the rows, or "
                "use the model's predict, which also accepts data frames and lists."
            )
        if X.shape[1] != self.forest.n_features:
            raise ValueError(
                f"X has {X.shape[1]} columns, but the model was fitted on {self.forest.n_features}"
            )
        raw = self.forest.predict(X, tree_weight=self.weights, n_outputs=len(self.start))
        raw += self.start
        return self.link(raw)
