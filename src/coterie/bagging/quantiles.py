"""Quantile regression forests: the whole distribution from the leaves of a fitted forest."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from coterie.base import thread_count
from coterie.base.bagged import Bagged
from coterie.core import Grouped, Reserve, repetitions

Array = NDArray[np.float64]


class QuantilePredictor:
    r"""Quantiles of the target given a row, from a fitted forest of native trees.

    A forest predicts a weighted mean of the training targets. The same weights define a
    distribution:

    .. math:: w_i(x) = \frac{1}{T} \sum_t \frac{N_{ti} 1[x_i \in leaf_t(x)]}{|leaf_t(x)|}, \quad
       F(y | x) = \sum_i w_i(x) 1[y_i \le y]

    with :math:`N_{ti}` how often row `i` is in bag `t`. All quantiles come from one model. Leaves
    should hold several rows: ``min_samples_leaf=5`` or more.

    Parameters
    ----------
    model : fitted regressor
        Bagging of native trees, or a forest, with a single output.
    X, y, sample_weight : array-like
        The data it was fitted to, in the same order.

    References
    ----------
    .. [1] Meinshausen, "Quantile regression forests", J. Mach. Learn. Res. 7 (2006).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from coterie import RandomForestRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> forest = RandomForestRegressor(min_samples_leaf=5, random_state=0).fit(X[:300], y[:300])
    >>> low, high = QuantilePredictor(forest, X[:300], y[:300]).predict(X[300:], [0.05, 0.95]).T
    >>> inside = (low <= y[300:]) & (y[300:] <= high)
    >>> bool(0.8 < inside.mean() < 0.97)
    True
    """

    _model: Bagged
    _values: Array
    _leaves: NDArray[Any]
    _weight: Array | None
    _rows: NDArray[np.intp]

    def __init__(self, model: Any, X: Any, y: Any, sample_weight: Any = None) -> None:
        this = model._settled()
        if this.task != "regression" or this.n_outputs_ != 1:
            raise ValueError("Quantiles need a fitted single-output regressor.")
        table, target, weight, _ = this._again(X, y, sample_weight)
        leaves = this.pool_.leaves(table, n_threads=thread_count(this.n_jobs))
        values = target.values[:, 0]
        order = np.argsort(values, kind="stable")
        self._model, self._values = this, values[order]
        self._leaves = leaves[order]
        self._weight = None if weight is None else weight[order]
        self._rows = order

    def weights(self, X: Any) -> sparse.csr_array:
        """The weight of each training row for each row of `X`.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            New rows.

        Returns
        -------
        csr_array of shape (n_samples, n_training_rows)
            Every row sums to one; columns in the order of the training rows.
        """
        ranked = self._ranked(X).tocoo()
        columns = self._rows[ranked.coords[1]]
        return sparse.csr_array((ranked.data, (ranked.coords[0], columns)), shape=ranked.shape)

    def predict(self, X: Any, quantiles: ArrayLike = (0.05, 0.5, 0.95)) -> Array:
        """Quantiles: the smallest training target whose cumulative weight reaches the given level.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            New rows.
        quantiles : array-like of float, default=(0.05, 0.5, 0.95)
            Levels in [0, 1].

        Returns
        -------
        ndarray of shape (n_samples, n_quantiles)
        """
        return self._quantiles(self._ranked(X), _levels(quantiles))

    def predict_oob(self, quantiles: ArrayLike = (0.05, 0.5, 0.95)) -> Array:
        """Out-of-bag quantiles of the training rows: from the trees that did not see a row.

        Parameters
        ----------
        quantiles : array-like of float, default=(0.05, 0.5, 0.95)
            Levels in [0, 1].

        Returns
        -------
        ndarray of shape (n_training_rows, n_quantiles)
            NaN for rows that all trees saw; rows of weight zero are left out.
        """
        bags, shares = self._model.bags_, _levels(quantiles)
        bags.check_judges()
        n_rows, n_trees = self._leaves.shape
        total = sparse.csr_array((n_rows, n_rows))
        for tree in range(n_trees):
            rows = np.flatnonzero(bags.unseen(tree)[self._rows])
            if len(rows):
                places = (rows, np.arange(len(rows)))
                spread = sparse.csr_array((np.ones(len(rows)), places), shape=(n_rows, len(rows)))
                total = total + spread @ self._one_tree(tree, self._leaves[rows, tree])
        total.sort_indices()
        known = np.flatnonzero(np.diff(total.indptr))
        found = np.full((n_rows, len(shares)), np.nan)
        if len(known):
            found[self._rows[known]] = self._quantiles(total[known], shares)
        return found

    def _quantiles(self, ranked: sparse.csr_array, shares: Array) -> Array:
        """Targets at which running sums of weights reach their shares."""
        running = np.cumsum(ranked.data)
        starts, ends = ranked.indptr[:-1], ranked.indptr[1:]
        before = np.where(starts > 0, running[starts - 1], 0.0)
        wanted = before[:, None] + shares * (running[ends - 1] - before)[:, None]
        # A hair less, as sums are rounded: reaching a share is enough.
        place = np.searchsorted(running, wanted - 1e-9, side="left")
        place = np.clip(place, starts[:, None], ends[:, None] - 1)
        return self._values[ranked.indices[place]]

    def _ranked(self, X: Any) -> sparse.csr_array:
        """Weights with columns in the order of the targets."""
        this = self._model
        leaves = this.pool_.leaves(this._admit(X), n_threads=thread_count(this.n_jobs))
        n_trees = leaves.shape[1]
        total = sparse.csr_array((len(leaves), len(self._values)))
        for tree in range(n_trees):
            total = total + self._one_tree(tree, leaves[:, tree])
        total = total / this.pool_.weights.sum()
        total.sort_indices()
        return total

    def _one_tree(self, tree: int, leaves: NDArray[np.int32]) -> sparse.csr_array:
        """Weights of one tree: a row of a matrix of leaves for each row asked about."""
        mass = self._mass(tree)
        rows = np.flatnonzero(mass)
        held = self._leaves[rows, tree]
        n_leaves = int(max(held.max(), leaves.max())) + 1
        totals = np.bincount(held, mass[rows], minlength=n_leaves)
        share = self._model.pool_.weights[tree] * mass[rows] / totals[held]
        shape = (n_leaves, len(self._values))
        matrix = sparse.csr_array((share, (held, rows)), shape=shape)
        return matrix[leaves]

    def _mass(self, tree: int) -> Array:
        """What each training row weighs in a tree."""
        bags = self._model.bags_
        counts = bags.drawn(tree)[self._rows].astype(np.float64)
        if self._weight is None:
            return counts
        draw = bags.draw.draw if isinstance(bags.draw, Reserve) else bags.draw
        if draw is None or isinstance(draw, Grouped):  # groups are drawn whole
            return counts * self._weight
        # Rows were drawn by their weights, or by repetitions: counts stand for them already.
        alike = draw.axis.weighs or repetitions(self._weight) is not None
        return counts if alike else counts * self._weight


def _levels(quantiles: ArrayLike) -> Array:
    shares = np.atleast_1d(np.asarray(quantiles, dtype=np.float64))
    if shares.ndim != 1 or not np.all((shares >= 0) & (shares <= 1)):
        raise ValueError(f"quantiles={quantiles!r} is not allowed; use numbers in [0, 1].")
    return shares
