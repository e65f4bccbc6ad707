"""Averages of regressors: scikit-learn's voting, and weights that are learnt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from coterie import fusion
from coterie.base import RegressorTask
from coterie.base.elsewhere import where_rows_are
from coterie.base.signature import own_first
from coterie.combining.combiner import COMBINER, Combiner
from coterie.combining.folds import Rowset, Unseen
from coterie.combining.voting import Voting
from coterie.combining.weighing import AVERAGE_WEIGHTS, scaled
from coterie.core import Allowed, a_function, a_list, one_of

Array = NDArray[np.float64]

# Rules that take numbers.
_RULES = {name: fusion.RULES[name] for name in ("mean", "median", "trimmed", "min", "max")}


class Averaging(RegressorTask, Voting, Combiner):
    """Averages of numbers, with weights that are given or learnt."""

    member_kind: ClassVar[str] = "regressor"
    rule: Any = "mean"

    def _combine(self, draft: Self, rows: Rowset, unseen: Unseen | None) -> None:
        if self.weights is not None and self.rule != "mean":
            raise ValueError(f"rule={self.rule!r} does not use weights; omit them.")
        draft.sum_ = False
        if unseen is None or not self._learns:  # folds may be there for their models alone
            draft.weights_ = self._given_weights(len(draft.pool_))
            return
        seen = unseen.covered
        weight = None if rows.weight is None else rows.weight[seen]
        y, size = scaled(rows.target.values[seen, 0])
        profile = unseen.profile[:, :, 0] / size
        draft.weights_ = AVERAGE_WEIGHTS[self.weights](profile, y, weight)
        draft.covariance_ = fusion.error_covariance(profile, y, sample_weight=weight) * size**2
        draft.sum_ = self.weights == "nnls"  # which need not add up to one

    def _mean_vote(self, X: Any) -> Array:
        profile = self._profile(X)[:, :, 0]
        if callable(self.rule):
            return np.asarray(self.rule(profile), dtype=np.float64)[:, None]
        if self.rule != "mean":
            return _RULES[self.rule](profile)[:, None]
        combine = fusion.weighted_sum if self.sum_ else fusion.average
        return combine(profile, self.weights_)[:, None]

    @where_rows_are
    def transform(self, X: Any) -> Array:
        """The predictions of every member.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_members)
        """
        return np.asarray(self._settled()._profile(X)[:, :, 0].T)


@own_first
@dataclass(eq=False, repr=False, kw_only=True)
class VotingRegressor(Averaging):
    r"""Average of the members' predictions, with weights or by another rule.

    .. math:: H(x) = \sum_t w_t h_t(x) \Big/ \sum_t w_t

    All parameters of scikit-learn's class of this name mean the same. For similar members the
    simple average is hard to beat; see `WeightedAverageRegressor` for unequal ones.

    Parameters
    ----------
    weights : array-like of shape (n_estimators,), str or None, default=None
        Weights of the members; equal by default. Or how to learn them: "inverse_error",
        "covariance", "nnls" or "simplex", as in `WeightedAverageRegressor`.
    rule : {"mean", "median", "trimmed", "min", "max"} or callable, default="mean"
        How predictions are combined; only the mean takes weights. A callable takes predictions of
        shape (members, samples) and returns (samples,).

    Attributes
    ----------
    estimators_ : list of regressors
        The fitted members that are not dropped.
    named_estimators_ : Bunch
        Members by name; dropped ones are "drop".
    weights_ : ndarray of shape (n_members,)
        Weights of the members.
    pool_ : Pool
        The members.

    References
    ----------
    .. [1] Perrone & Cooper, "When networks disagree: ensemble methods for hybrid neural networks"
       (1993).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.linear_model import Ridge
    >>> from coterie import RandomForestRegressor, VotingRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> members = [("linear", Ridge()), ("forest", RandomForestRegressor(20, random_state=0))]
    >>> model = VotingRegressor(members).fit(X, y)
    >>> model.transform(X[:5]).mean(axis=1).round(6).tolist() == model.predict(X[:5]).round(
    ...     6
    ... ).tolist()
    True
    """

    weights: Any = None
    n_jobs: int | None = None
    verbose: Any = False
    rule: Any = "mean"

    allowed: ClassVar[Mapping[str, Allowed]] = {
        **COMBINER,
        "weights": one_of(None, *AVERAGE_WEIGHTS) | a_list,
        "rule": one_of(*_RULES) | a_function,
    }


@own_first
@dataclass(eq=False, repr=False, kw_only=True)
class WeightedAverageRegressor(Averaging):
    r"""Average with weights that minimise the error on held-out rows.

    .. math:: \min_w \sum_i \Big(y_i - \sum_t w_t h_t^{(-i)}(x_i)\Big)^2

    where :math:`h_t^{(-i)}` was fitted without row i. Learning weights helps if the members are
    clearly unequal; with many members it overfits, "covariance" most of all.

    Parameters
    ----------
    weights : {"simplex", "nnls", "covariance", "inverse_error"}, default="simplex"
        "simplex": :math:`w \ge 0`, :math:`\sum_t w_t = 1`. "nnls": :math:`w \ge 0` only, so that
        the sum may shrink or stretch predictions. "covariance": :math:`\sum_t w_t = 1` only, that
        is :math:`w = C^{-1} 1 / 1^T C^{-1} 1` with C the covariance of the errors.
        "inverse_error": :math:`w_t \propto 1 / MSE_t`.

    Attributes
    ----------
    estimators_ : list of regressors
        The fitted members that are not dropped.
    named_estimators_ : Bunch
        Members by name; dropped ones are "drop".
    weights_ : ndarray of shape (n_members,)
        Weights of the members.
    covariance_ : ndarray of shape (n_members, n_members)
        Mean products of the members' errors on unseen rows; the expected squared error is
        :math:`w^T C w` if weights sum to one.
    pool_ : Pool
        The members.

    References
    ----------
    .. [1] Perrone & Cooper, "When networks disagree: ensemble methods for hybrid neural networks"
       (1993).
    .. [2] Breiman, "Stacked regressions", Mach. Learn. 24 (1996).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.dummy import DummyRegressor
    >>> from sklearn.linear_model import Ridge
    >>> from coterie import WeightedAverageRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> members = [("linear", Ridge(0.1)), ("mean", DummyRegressor())]
    >>> model = WeightedAverageRegressor(members).fit(X, y)
    >>> bool(model.weights_[0] > 0.9), float(model.weights_.sum().round(9))
    (True, 1.0)
    """

    weights: Literal["simplex", "nnls", "covariance", "inverse_error"] = "simplex"

    allowed: ClassVar[Mapping[str, Allowed]] = {**COMBINER, "weights": one_of(*AVERAGE_WEIGHTS)}
