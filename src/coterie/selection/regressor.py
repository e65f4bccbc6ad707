"""Dynamic selection and weighting of regressors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from coterie.base import JoblibExecutor, RegressorTask, thread_count
from coterie.core import Allowed, a_function, one_of
from coterie.forests import RandomForestRegressor
from coterie.fusion.sums import sum_of_members
from coterie.selection.classifier import checked
from coterie.selection.dynamic import DYNAMIC, DynamicSelection
from coterie.selection.ensembles import best
from coterie.selection.reference_set import Array
from coterie.selection.regions import around, closeness, share


def local_error(errors: Any, neighbours: Any, distances: Any, weights: Any = None) -> Array:
    r"""Mean error of each member on the query's neighbours, weighted by distance.

    .. math:: e_t(x) = \frac{\sum_j \omega_j \ell_{tj}}{\sum_j \omega_j}, \qquad
       \omega_j = 1 / d_j

    Parameters
    ----------
    errors : array-like of shape (members, samples)
        Errors :math:`\ell_{tj} \ge 0` of members on samples, absolute or squared.
    neighbours, distances : array-like of shape (queries, k)
        Neighbours of each query, and their distances.
    weights : array-like of shape (queries, k), optional
        Additional weight of each neighbour; equal by default.

    Returns
    -------
    ndarray of shape (members, queries)

    References
    ----------
    .. [1] Rooney, Patterson, Anand & Tsymbal, "Dynamic integration of regression models", Multiple
       Classifier Systems (2004).

    Examples
    --------
    >>> local_error([[1.0, 5.0]], [[0, 1]], [[1.0, 3.0]])
    array([[2.]])
    """
    near = closeness(distances)
    return share(around(errors, neighbours), near if weights is None else near * weights)


def select(error: Any) -> Array:
    r"""Dynamic selection: the member with the smallest local error.

    .. math:: w_t(x) = 1[t = \arg\min_s e_s(x)]

    Parameters
    ----------
    error : array-like of shape (members, queries)
        Local errors, see `local_error`.

    Returns
    -------
    ndarray of shape (members, queries)

    References
    ----------
    .. [1] Rooney, Patterson, Anand & Tsymbal, "Dynamic integration of regression models", Multiple
       Classifier Systems (2004).

    Examples
    --------
    >>> select([[1.0, 3.0], [2.0, 1.0]])
    array([[1., 0.],
           [0., 1.]])
    """
    return best(-np.asarray(error, dtype=np.float64))


def weigh(error: Any) -> Array:
    r"""Dynamic weighting: members weighted by the inverse of their local error.

    .. math:: w_t(x) = 1 / e_t(x)

    Members without any error share all the weight.

    Parameters
    ----------
    error : array-like of shape (members, queries)
        Local errors, see `local_error`.

    Returns
    -------
    ndarray of shape (members, queries)

    References
    ----------
    .. [1] Rooney, Patterson, Anand & Tsymbal, "Dynamic integration of regression models", Multiple
       Classifier Systems (2004).

    Examples
    --------
    >>> weigh([[1.0, 0.0], [4.0, 1.0]])
    array([[1.  , 1.  ],
           [0.25, 0.  ]])
    """
    given = np.asarray(error, dtype=np.float64)
    least, perfect = given.min(axis=0), given == 0
    # In units of the smallest, so that tiny errors do not overflow.
    return np.divide(least, given, out=perfect.astype(np.float64), where=~perfect)


def weigh_selected(error: Any) -> Array:
    r"""Dynamic weighting with selection: `weigh`, without members in the worse half of the range.

    .. math:: w_t(x) = \frac{1}{e_t(x)} 1\left[e_t(x) \le
       \frac{\min_s e_s(x) + \max_s e_s(x)}{2}\right]

    Parameters
    ----------
    error : array-like of shape (members, queries)
        Local errors, see `local_error`.

    Returns
    -------
    ndarray of shape (members, queries)

    References
    ----------
    .. [1] Rooney, Patterson, Anand & Tsymbal, "Dynamic integration of regression models", Multiple
       Classifier Systems (2004).

    Examples
    --------
    >>> weigh_selected([[1.0], [2.0], [4.0]])
    array([[1. ],
           [0.5],
           [0. ]])
    """
    given = np.asarray(error, dtype=np.float64)
    middle = given.min(axis=0) + (given.max(axis=0) - given.min(axis=0)) / 2
    return np.asarray(weigh(given) * (given <= middle))


WEIGHINGS = {"select": select, "weight": weigh, "weight_select": weigh_selected}


@dataclass(eq=False, repr=False, kw_only=True)
class DynamicSelectionRegressor(RegressorTask, DynamicSelection):
    r"""Dynamic selection: for every query, the members with small errors on its neighbours.

    Part of the rows is set aside. The error of a member near a query is its mean absolute error on
    the nearest of these rows; by it members are chosen or weighted.

    Parameters
    ----------
    method : {"select", "weight", "weight_select"} or callable, default="weight_select"
        The member with the smallest local error; all, weighted by its inverse; or those in the
        better half of its range, weighted in the same way. A function takes local errors of shape
        (members, queries) and returns weights.

    Attributes
    ----------
    pool_, estimators_ : Pool, list of models
        The members.
    ensemble_ : fitted ensemble or list of models
        The pool as a whole.
    ground_, errors_ : ReferenceSet, ndarray of shape (members, samples)
        The reference set, with the members' absolute errors.

    References
    ----------
    .. [1] Rooney, Patterson, Anand & Tsymbal, "Dynamic integration of regression models", Multiple
       Classifier Systems (2004).

    Examples
    --------
    >>> from sklearn.datasets import make_friedman1
    >>> X, y = make_friedman1(600, random_state=0)
    >>> model = DynamicSelectionRegressor(random_state=0).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.6
    True
    """

    method: Any = "weight_select"

    allowed: ClassVar[Mapping[str, Allowed]] = {
        **DYNAMIC,
        "method": one_of(*WEIGHINGS) | a_function,
    }

    def _default_pool(self) -> Any:
        return RandomForestRegressor(
            draw="repeats",
            max_bins=self.max_bins,
            categorical_features=self.categorical_features,
            n_jobs=self.n_jobs,
        )

    def _judge(self, draft: Self, votes: Array) -> None:
        draft.errors_ = np.abs(votes[:, :, 0] - draft.ground_.encoded)

    def _weigh(self, places: Array) -> Array:
        """Weights of the members, shape (members, queries)."""
        weights = np.empty((self.panel_.n_members, len(places)))
        method = WEIGHINGS[self.method] if isinstance(self.method, str) else self.method

        def weigh_block(block: slice) -> None:
            near = self.ground_.near(places[block], self.n_neighbors)
            error = local_error(self.errors_, *near)
            weights[:, block] = checked(method(error), error.shape)

        width = 3 * min(self.n_neighbors, len(self.ground_.points))
        blocks = list(self._near_blocks(width, len(places)))
        JoblibExecutor(self.n_jobs).map(weigh_block, blocks)
        return weights

    def _mean_vote(self, X: Any) -> Array:
        table = self._admit(X)
        said = self.panel_.votes(table, thread_count(self.n_jobs))[:, :, 0]
        weights = self._weigh(self.ground_.place(table))
        total = sum_of_members(np.ones(len(weights)), weights)
        return np.asarray(sum_of_members(weights, said) / total)[:, None]

    def member_weights(self, X: Any) -> Array:
        """Weight of each member for each row.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (members, n_samples)
        """
        this = self._settled()
        return this._weigh(this.ground_.place(this._admit(X)))
