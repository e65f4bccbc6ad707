"""Lasso fits from second moments: as fast for a million rows as for a thousand."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from threading import Lock

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import lasso_path

Array = NDArray[np.float64]

_STEPS = 16  # penalties that are tried, from one that leaves nothing
_SMALLEST = 1e-3  # the last of them, relative to the first
_BORNE = 2  # penalties that may fail to improve the criterion before the search ends
_ROUNDS = 20  # majorisations of the log-loss at each penalty that is tried
_LAST_ROUNDS = 80  # and at the one that is chosen


_FILTERS = Lock()  # filters of warnings belong to all threads at once


@dataclass(frozen=True)
class Moments:
    r"""Weighted second moments of centred columns.

    The lasso :math:`\min_b \frac12 b^T G b - c^T b + \lambda |b|_1` is that of the small design
    :math:`L^T` with :math:`G = L L^T`, whatever the number of rows.

    Attributes
    ----------
    gram : ndarray of shape (n_columns, n_columns)
        :math:`G`.
    """

    gram: Array
    _known: dict[bytes, tuple[Array, Array]] = field(default_factory=dict, compare=False)

    @classmethod
    def of(cls, design: Array, share: Array) -> Moments:
        """Moments of centred columns under weights that sum to one."""
        gram = design.T @ (design * share[:, None])
        # A trace of a ridge: columns may be linear combinations of others.
        size = float(np.trace(gram)) / max(1, len(gram))
        gram[np.diag_indices_from(gram)] += 1e-8 * (size or 1.0)
        return cls(gram)

    def lasso(
        self, moment: Array, penalty: float, start: Array | None = None, *, rough: bool = False
    ) -> Array:
        """The solution for one penalty, or a step towards it; `moment` is :math:`c`."""
        coef = np.zeros(len(moment)) if start is None else start
        for again in range(1 if rough else 20):
            # Columns that are out and do not pull harder than the penalty stay out.
            pull = np.abs(moment - self.gram @ coef)
            active = np.flatnonzero((coef != 0) | (pull > penalty * (1.0 + 1e-9)))
            if not len(active) or (again and not (pull[coef == 0] > penalty * (1.0 + 1e-9)).any()):
                break
            found = self._among(active, moment, penalty, coef[active], rough)
            coef = np.zeros(len(moment))
            coef[active] = found
        return coef

    def _factor(self, active: NDArray[np.intp]) -> tuple[Array, Array]:
        """:math:`L` and :math:`L^T` of some of the columns, mostly those of the last call."""
        key = active.tobytes()
        found = self._known.get(key)
        if found is None:
            factor = np.asarray(cholesky(self.gram[np.ix_(active, active)], lower=True))
            found = factor, np.asfortranarray(factor.T)
            self._known.clear()
            self._known[key] = found
        return found

    def _among(
        self, active: NDArray[np.intp], moment: Array, penalty: float, start: Array, rough: bool
    ) -> Array:
        """The solution over some of the columns."""
        factor, design = self._factor(active)
        response = solve_triangular(factor, moment[active], lower=True)
        with _FILTERS, warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            _, found, _ = lasso_path(
                design,
                response,
                alphas=np.array([penalty / len(active)]),
                coef_init=start,
                tol=1e-7 if rough else 1e-8,
                max_iter=20 if rough else 1000,
                # Columns are known to be finite, and checking them takes longer than the descent.
                check_input=False,
                precompute=False,
            )
        return np.ascontiguousarray(found[:, 0])


def penalties(largest: float, alpha: float | None) -> Iterator[float]:
    """The penalty that was asked for, or a row of falling ones."""
    if alpha is not None:
        yield alpha * largest
    else:
        yield from largest * np.geomspace(1.0, _SMALLEST, _STEPS)[1:]


def squared_lasso(
    moments: Moments, design: Array, y: Array, share: Array, n_units: float, alpha: float | None
) -> tuple[float, Array]:
    """Intercept and coefficients of least squares; the penalty by BIC unless it is given.

    Parameters
    ----------
    moments : Moments
        Of the design.
    design : ndarray of shape (n_rows, n_columns)
        Centred columns.
    y : ndarray of shape (n_rows,)
        Numbers.
    share : ndarray of shape (n_rows,)
        Weights that sum to one.
    n_units : float
        Number of rows, repetitions included.
    alpha : float or None
        Penalty relative to the smallest that leaves nothing.
    """
    mean = float(share @ y)
    centred = y - mean
    scale = float(np.sqrt(share @ centred**2))
    if scale == 0.0 or not len(moments.gram):
        return mean, np.zeros(len(moments.gram))
    moment = design.T @ (share * (centred / scale))
    best, kept, coef, worse = np.inf, np.zeros(len(moment)), None, 0
    for penalty in penalties(float(np.abs(moment).max()), alpha):
        coef = moments.lasso(moment, penalty, coef)
        left = float(1.0 - 2.0 * (moment @ coef) + coef @ moments.gram @ coef)
        score = n_units * np.log(max(left, 1e-12)) + np.count_nonzero(coef) * np.log(n_units)
        worse = 0 if score < best else worse + 1
        if score < best or alpha is not None:
            best, kept = score, coef
        if worse > _BORNE:
            break
    return mean, kept * scale


def logistic_lasso(
    moments: Moments, design: Array, y: Array, share: Array, n_units: float, alpha: float | None
) -> tuple[float, Array]:
    r"""Intercept and coefficients of logistic regression for ones and zeros.

    The log-loss has second derivatives of at most a quarter, so every step is a lasso with the
    same moments: :math:`c = G b + 4 g` with the gradient g, and penalty :math:`4 \lambda`
    (Bohning & Lindsay 1988). Parameters as in `squared_lasso`.
    """
    mean = float(share @ y)
    mean = min(max(mean, 1e-12), 1.0 - 1e-12)
    start = float(np.log(mean / (1.0 - mean)))
    none = np.zeros(len(moments.gram))
    if not len(none):
        return start, none
    best, kept, worse, chosen = np.inf, (start, none), 0, np.inf
    intercept, coef = start, none
    for penalty in penalties(float(np.abs(design.T @ (share * (y - mean))).max()), alpha):
        intercept, coef = _majorised(moments, design, y, share, penalty, (intercept, coef))
        raw = intercept + design @ coef
        loss = float(share @ (np.logaddexp(0.0, raw) - y * raw))
        score = 2.0 * n_units * loss + np.count_nonzero(coef) * np.log(n_units)
        worse = 0 if score < best else worse + 1
        if score < best or alpha is not None:
            best, kept, chosen = score, (intercept, coef), penalty
        if worse > _BORNE:
            break
    if not kept[1].any() and alpha is None:
        return kept
    return _majorised(moments, design, y, share, chosen, kept, last=True)


def _majorised(
    moments: Moments,
    design: Array,
    y: Array,
    share: Array,
    penalty: float,
    at: tuple[float, Array],
    *,
    last: bool = False,
) -> tuple[float, Array]:
    intercept, coef = at
    enough = 1e-5 if last else 1e-3
    for _ in range(_LAST_ROUNDS if last else _ROUNDS):
        used = np.flatnonzero(coef)
        gap = share * (y - expit(intercept + design[:, used] @ coef[used]))
        moment = moments.gram @ coef + 4.0 * (design.T @ gap)
        after = moments.lasso(moment, 4.0 * penalty, coef, rough=True)
        step = 4.0 * float(gap.sum())
        moved = max(abs(step), float(np.abs(after - coef).max()))
        intercept, coef = intercept + step, after
        if moved < enough * (1.0 + float(np.abs(coef).max())):
            break
    return intercept, coef
