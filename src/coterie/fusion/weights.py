"""Weights for averaging, estimated from predictions on held-out samples."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve, qr
from scipy.optimize import nnls

from coterie.data.errors import DataError
from coterie.data.outputs import numbers_of, sample_weights, y_numbers

Array = NDArray[np.float64]

# Reciprocal condition below which errors are as good as the same.
_SINGULAR = 1e-12


def inverse_error_weights(errors: Any, power: float = 1.0) -> Array:
    r"""Weights that decrease with the error.

    .. math:: w_t = \frac{e_t^{-q}}{\sum_s e_s^{-q}}

    Members without error share all the weight. With :math:`q = 1` and mean squared errors they are
    the best weights of members whose errors are uncorrelated [1]_.

    Parameters
    ----------
    errors : array-like of shape (members,)
        Estimated errors, not negative.
    power : float, default=1
        The exponent :math:`q`, above zero.

    Returns
    -------
    ndarray of shape (members,)
        They sum to one.

    References
    ----------
    .. [1] Bates & Granger, "The combination of forecasts", Oper. Res. Q. 20 (1969).

    Examples
    --------
    >>> from coterie import fusion
    >>> fusion.inverse_error_weights([0.1, 0.2, 0.4])
    array([0.571, 0.286, 0.143])
    """
    wrong: Array = numbers_of(errors, "errors", (1,))
    if wrong.min() < 0:
        raise DataError("Errors must not be negative.")
    if not (power > 0 and np.isfinite(power)):
        raise ValueError(f"power must be above zero, not {power}.")
    least = wrong.min()
    weight = (least / wrong) ** power if least > 0 else (wrong == 0).astype(np.float64)
    return np.asarray(weight / weight.sum())


def error_covariance(
    outputs: Any, y: Any, *, centre: bool = False, sample_weight: Any = None
) -> Array:
    r"""Mean products of the residuals of each pair of members.

    .. math:: C_{st} = \frac1n \sum_i (h_s(x_i) - y_i)(h_t(x_i) - y_i)

    The squared error of a weighted average is :math:`w^T C w` if the weights sum to one [1]_.

    Parameters
    ----------
    outputs : array-like of shape (members, samples) or (members, samples, outputs)
        Predictions; for probabilities of classes, `y` as `one_hot`.
    y : array-like of shape (samples,) or (samples, outputs)
        The truth.
    centre : bool, default=False
        Whether to subtract the members' mean residuals first, as for bias-corrected members.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.

    Returns
    -------
    ndarray of shape (members, members)

    References
    ----------
    .. [1] Perrone & Cooper, "When networks disagree: ensemble methods for hybrid neural networks"
       (1993).

    Examples
    --------
    >>> from coterie import fusion
    >>> fusion.error_covariance([[1.0, 2.0], [3.0, 0.0]], [0.0, 1.0])
    array([[1., 1.],
           [1., 5.]])
    """
    members: Array = numbers_of(outputs)
    residuals = members - y_numbers(y, members.shape[1:])
    share = sample_weights(sample_weight, members.shape[1])
    share = np.ones(members.shape[1]) if share is None else share
    flat = residuals.reshape(len(members), members.shape[1], -1)
    if centre:
        flat = flat - np.average(flat, axis=1, weights=share)[:, None]
    rows = (flat * np.sqrt(share / share.sum())[:, None]).reshape(len(members), -1)
    return np.asarray(rows @ rows.T) / flat.shape[2]


def covariance_weights(covariance: Any, *, ridge: float = 1e-6) -> Array:
    r"""The weights that minimise the squared error, of any sign.

    .. math:: w = \frac{C^{-1} 1}{1^T C^{-1} 1}

    minimises :math:`w^T C w` among weights that sum to one, with the value :math:`1 / 1^T C^{-1}
    1`: the generalised ensemble method [1]_. With many or similar members the estimate of C is
    poor, and `simplex_weights` are safer.

    Parameters
    ----------
    covariance : array-like of shape (members, members)
        Covariance of the errors, such as `error_covariance`.
    ridge : float, default=1e-6
        If C is singular, as with members that are copies, this share of its mean diagonal is added
        to the diagonal.

    Returns
    -------
    ndarray of shape (members,)
        They sum to one. Equal, with a warning, if even the ridge does not help.

    References
    ----------
    .. [1] Perrone & Cooper, "When networks disagree: ensemble methods for hybrid neural networks"
       (1993).

    Examples
    --------
    >>> from coterie import fusion
    >>> fusion.covariance_weights([[1, 0], [0, 4]])
    array([0.8, 0.2])
    >>> fusion.covariance_weights([[1, 1.5], [1.5, 4]])
    array([ 1.25, -0.25])
    """
    matrix: Array = numbers_of(covariance, "covariance", (2,))
    n_members = len(matrix)
    if matrix.shape != (n_members, n_members) or not np.allclose(matrix, matrix.T):
        raise DataError("A covariance must be a symmetric matrix of shape (members, members).")
    scale = float(np.trace(matrix)) / n_members
    if scale > 0:
        if np.linalg.cond(matrix / scale) * _SINGULAR > 1:
            matrix = matrix + ridge * scale * np.eye(n_members)
        try:
            solved = cho_solve(cho_factor(matrix), np.ones(n_members))
        except LinAlgError:
            solved = np.zeros(n_members)
        if np.isfinite(solved).all() and solved.sum() > 0:
            return np.asarray(solved / solved.sum())
    warnings.warn(
        "The covariance matrix is singular, so equal weights are used.", UserWarning, stacklevel=2
    )
    return np.full(n_members, 1.0 / n_members)


def nnls_weights(
    outputs: Any, y: Any, *, normalise: bool = False, sample_weight: Any = None
) -> Array:
    r"""Non-negative weights that minimise the squared error.

    .. math:: \min_{w \ge 0} \sum_i \Big(y_i - \sum_t w_t h_t(x_i)\Big)^2

    They need not sum to one, and many of them are zero: stacked regression [1]_. Use them with
    `weighted_sum`.

    Parameters
    ----------
    outputs : array-like of shape (members, samples) or (members, samples, outputs)
        Predictions of samples the members had not seen; for probabilities of classes, `y` as
        `one_hot`.
    y : array-like of shape (samples,) or (samples, outputs)
        The truth.
    normalise : bool, default=False
        Whether to divide them by their sum.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.

    Returns
    -------
    ndarray of shape (members,)
        Equal, with a warning, if all would be zero.

    References
    ----------
    .. [1] Breiman, "Stacked regressions", Mach. Learn. 24 (1996).

    Examples
    --------
    >>> from coterie import fusion
    >>> fusion.nnls_weights([[1, 2, 3, 4], [1.5, 2.5, 4.5, 5]], [1, 2, 3, 4.2])
    array([1.027, 0.   ])
    """
    table, target = _rows(outputs, y, sample_weight)
    weight = _nnls(table, target)
    if not weight.any():
        warnings.warn("No member helps, so equal weights are used.", UserWarning, stacklevel=2)
        return np.full(len(weight), 1.0 / len(weight))
    return weight / weight.sum() if normalise else weight


def simplex_weights(outputs: Any, y: Any, *, sample_weight: Any = None) -> Array:
    r"""Non-negative weights that sum to one and minimise the squared error.

    .. math:: \min_w \sum_i \Big(y_i - \sum_t w_t h_t(x_i)\Big)^2
        \quad \text{with} \quad w \ge 0, \; \sum_t w_t = 1

    On the samples it is fitted to, the average is at least as good as every member. So the super
    learner has them [1]_.

    Parameters
    ----------
    outputs : array-like of shape (members, samples) or (members, samples, outputs)
        Predictions of samples the members had not seen; for probabilities of classes, `y` as
        `one_hot`.
    y : array-like of shape (samples,) or (samples, outputs)
        The truth.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.

    Returns
    -------
    ndarray of shape (members,)

    References
    ----------
    .. [1] van der Laan, Polley & Hubbard, "Super learner", Stat. Appl. Genet. Mol. Biol. 6 (2007).

    Examples
    --------
    >>> from coterie import fusion
    >>> fusion.simplex_weights([[1, 2, 3, 4], [1.5, 2.5, 4.5, 5]], [1, 2, 3, 4.2])
    array([0.947, 0.053])
    """
    table, target = _rows(outputs, y, sample_weight)
    residuals = table - target[:, None]
    size = float(np.sqrt((residuals**2).sum(axis=0)).max())
    if size == 0.0:
        return np.full(table.shape[1], 1.0 / table.shape[1])
    # For u = s w, |Ru|² + (Σu - 1)² is least over s at q/(1 + q) with q = |Rw|²; that grows with q,
    # so that one more row makes the problem with a sum one without, exactly.
    sums = np.vstack([residuals / size, np.ones(table.shape[1])])
    weight = _nnls(sums, np.concatenate([np.zeros(len(residuals)), [1.0]]))
    return np.asarray(weight / weight.sum())


def _rows(outputs: Any, y: Any, sample_weight: Any) -> tuple[Array, Array]:
    """A table of shape (samples and outputs, members) and its target, scaled by weights."""
    members: Array = numbers_of(outputs)
    truth = y_numbers(y, members.shape[1:])
    weight = sample_weights(sample_weight, members.shape[1])
    if weight is not None:
        scale = np.sqrt(weight / weight.max()).reshape(-1, *[1] * (members.ndim - 2))
        members, truth = members * scale, truth * scale
    return members.reshape(len(members), -1).T, truth.ravel()


def _nnls(table: Array, target: Array) -> Array:
    """Non-negative least squares; the rows are first rotated into as few as there are columns."""
    if len(table) > 2 * table.shape[1]:
        both = qr(np.column_stack([table, target]), mode="r")[0][: table.shape[1] + 1]
        table, target = both[:, :-1], both[:, -1]
    return np.asarray(nnls(table, target, maxiter=max(100, 30 * table.shape[1]))[0])
