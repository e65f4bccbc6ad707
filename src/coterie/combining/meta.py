"""Second levels that know what their inputs are: support of classes by members.

Each is learnt from a profile of shape (members, rows, classes), or (members, rows, 1) for numbers,
of rows that members have not seen, and turns new profiles into support of shape (rows, classes).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lstsq
from scipy.optimize import nnls
from sklearn.linear_model import RidgeCV

from coterie import fusion
from coterie.fusion.sums import row_product, sum_of_members
from coterie.tags import tagged

Array = NDArray[np.float64]
Inputs = Literal["all", "class"]

# Singular values below this share of the largest are those of columns that add up to one.
_COLLINEAR = 1e-10


@tagged
@dataclass(frozen=True)
class LinearStack:
    r"""A linear model for each class: multi-response linear regression.

    .. math:: g_k(z) = b_k + \sum_{t,j} a_{ktj} P_t(c_j | x)

    fitted to 1 for rows of class k and 0 for others by least squares, of least norm since the
    probabilities of a member sum to one.

    Parameters
    ----------
    coef : ndarray of shape (n_classes, n_inputs)
        What each input counts: all members by all classes, or members only.
    intercept : ndarray of shape (n_classes,)
        :math:`b_k`.
    inputs : {"all", "class"}
        Whether a class sees the support of all classes or only its own.
    """

    coef: Array
    intercept: Array
    inputs: Inputs

    @classmethod
    def learn(
        cls,
        profile: Array,
        truth: Array,
        weight: Array | None = None,
        *,
        inputs: Inputs = "all",
        nonneg: bool = False,
        fit_intercept: bool = True,
    ) -> LinearStack:
        """Least squares on `truth` of shape (rows, classes), coefficients >= 0 if asked for."""
        share = np.ones(len(truth)) if weight is None else weight / weight.max()
        models = [
            _least_squares(table, column, share, nonneg=nonneg, fit_intercept=fit_intercept)
            for table, column in zip(_tables(profile, inputs), truth.T, strict=True)
        ]
        return cls(np.stack([m[0] for m in models]), np.array([m[1] for m in models]), inputs)

    def __call__(self, profile: Array, meta: Array | None = None) -> Array:
        """Support of the classes, or numbers; not clipped."""
        tables = _tables(profile, self.inputs)
        parts = [
            row_product(t, c) + b for t, c, b in zip(tables, self.coef, self.intercept, strict=True)
        ]
        return np.stack(parts, axis=1)


@tagged
@dataclass(frozen=True)
class FeatureWeightedStack:
    r"""Weights of the members that depend on the row: feature-weighted linear stacking.

    .. math:: g_k(x) = \sum_{t,l} v_{tlk} f_l(x) P_t(c_k | x)

    with :math:`f_1 = 1` and the other meta-features :math:`f_l` chosen by the user; ridge
    regression, its penalty chosen by leaving one row out.

    Parameters
    ----------
    coef : ndarray of shape (n_classes, n_members * n_meta_features)
        :math:`v`.

    References
    ----------
    .. [1] Sill, Takács, Mackey & Lin, "Feature-weighted linear stacking" (2009).
    """

    coef: Array

    @classmethod
    def learn(
        cls,
        profile: Array,
        truth: Array,
        weight: Array | None,
        meta: Array,
        alphas: Any = None,
    ) -> FeatureWeightedStack:
        """Ridge regression on the products of members and meta-features."""
        tries = np.logspace(-4, 4, 9) if alphas is None else alphas
        rows = []
        for k, column in enumerate(truth.T):
            model = RidgeCV(alphas=tries, fit_intercept=False)
            model.fit(products(profile[:, :, k], meta), column, sample_weight=weight)
            rows.append(model.coef_)
        return cls(np.stack(rows))

    def __call__(self, profile: Array, meta: Array | None = None) -> Array:
        """Support of the classes, or numbers; not clipped."""
        assert meta is not None, "meta-features are needed"
        parts = [
            row_product(products(profile[:, :, k], meta), coef) for k, coef in enumerate(self.coef)
        ]
        return np.stack(parts, axis=1)


@tagged
@dataclass(frozen=True)
class ConvexStack:
    """One weight for each member, none negative, summing to one: the super learner.

    Parameters
    ----------
    weights : ndarray of shape (n_members,)
        Weights of the members.

    References
    ----------
    .. [1] van der Laan, Polley & Hubbard, "Super learner", Stat. Appl. Genet. Mol. Biol. 6 (2007).
    """

    weights: Array

    @classmethod
    def learn(
        cls, profile: Array, truth: Array, weight: Array | None = None, *, discrete: bool = False
    ) -> ConvexStack:
        """Weights of least risk, or all weight on the one member of least risk."""
        if discrete:
            best = int(np.argmin(risks(profile, truth, weight)))
            return cls(np.eye(len(profile))[best])
        if truth.shape[1] == 1:
            return cls(fusion.simplex_weights(profile[:, :, 0], truth[:, 0], sample_weight=weight))
        codes = truth.argmax(axis=1)
        return cls(fusion.log_loss_weights(profile, codes, sample_weight=weight))

    def __call__(self, profile: Array, meta: Array | None = None) -> Array:
        """Weighted average of the members."""
        return sum_of_members(self.weights, profile)


def risks(profile: Array, truth: Array, weight: Array | None = None) -> Array:
    """Mean loss of each member: squared error of numbers, log-loss of probabilities.

    Parameters
    ----------
    profile : ndarray of shape (members, rows, classes) or (members, rows, 1)
        What members say of rows they have not seen.
    truth : ndarray of shape (rows, classes) or (rows, 1)
        Ones and zeros, or numbers.
    weight : ndarray of shape (rows,), optional
        Weight of each row.

    Examples
    --------
    >>> risks(np.array([[[1.0], [2.0]], [[0.0], [2.0]]]), np.array([[1.0], [4.0]]))
    array([2. , 2.5])
    """
    if truth.shape[1] == 1:
        losses = (profile[:, :, 0] - truth[:, 0]) ** 2
    else:
        losses = -np.log(np.maximum((profile * truth).sum(axis=2), 1e-12))
    return np.average(losses, axis=1, weights=weight)


def products(support: Array, meta: Array) -> Array:
    """Every member times every meta-feature, shape (rows, members * meta-features).

    Examples
    --------
    >>> products(np.array([[2.0], [3.0]]), np.array([[1.0, 10.0]]))
    array([[ 2., 20.,  3., 30.]])
    """
    return np.asarray((support.T[:, :, None] * meta[:, None, :]).reshape(len(meta), -1))


def as_probabilities(support: Array) -> Array:
    """Support clipped at zero and made to sum to one; even where there is none."""
    clipped = np.where(support < 1e-12, 0.0, support)
    total = clipped.sum(axis=1, keepdims=True)
    even = np.full_like(clipped, 1.0 / clipped.shape[1])
    return np.divide(clipped, total, out=even, where=total > 0)


def _tables(profile: Array, inputs: Inputs) -> list[Array]:
    """The inputs of each class, shape (rows, inputs)."""
    if inputs == "class":
        return [profile[:, :, k].T for k in range(profile.shape[2])]
    table = profile.transpose(1, 0, 2).reshape(profile.shape[1], -1)
    return [table] * profile.shape[2]


def _least_squares(
    table: Array, y: Array, share: Array, *, nonneg: bool, fit_intercept: bool
) -> tuple[Array, float]:
    """Coefficients and intercept."""
    middle, level = np.zeros(table.shape[1]), 0.0
    if fit_intercept:
        middle, level = np.average(table, axis=0, weights=share), np.average(y, weights=share)
    root = np.sqrt(share)
    # Numbers far from one would not survive being squared.
    size = float(np.abs(y - level).max()) or 1.0
    scale = float(np.abs(table - middle).max()) or 1.0
    a, b = (table - middle) / scale * root[:, None], (y - level) / size * root
    if nonneg:
        coef = nnls(a, b, maxiter=max(100, 30 * a.shape[1]))[0]
    else:
        coef = lstsq(a, b, cond=_COLLINEAR)[0]
    coef = np.asarray(coef) * (size / scale)
    return coef, float(level - middle @ coef)
