"""Exponentials, logarithms and sums of products, with the same bits on every processor.

NumPy, SciPy, libm and BLAS choose their instructions by the processor, and differ from one to the
next in the last bit; that is enough to choose another split. What a fit depends on, and is promised
to the last bit, takes these functions from here, and all else from NumPy's additions,
multiplications, divisions, roots and sums, which are the same everywhere.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coterie.native import _engine

Array = NDArray[np.float64]


def _apply(function: Callable[[Array, Array], None], x: ArrayLike, out: Array | None) -> Array:
    values = np.asarray(x, dtype=np.float64, order="C")
    if out is None:
        out = np.empty_like(values)
    elif not out.flags.c_contiguous:
        out[...] = _apply(function, values, None)
        return out
    function(values.reshape(-1), out.reshape(-1))
    return out[()]  # a number, if it was given one


def exp(x: ArrayLike, out: Array | None = None) -> Array:
    """The exponential of every number; `out` receives it, and may be `x`.

    Examples
    --------
    >>> exp([0.0, -1000.0, 1000.0])
    array([ 1.,  0., inf])
    """
    return _apply(_engine.exp, x, out)


def expm1(x: ArrayLike) -> Array:
    """The exponential less one, without cancellation."""
    return _apply(_engine.expm1, x, None)


def log(x: ArrayLike) -> Array:
    """The natural logarithm: minus infinity of 0, NaN below.

    Examples
    --------
    >>> log([1.0, 0.0])
    array([  0., -inf])
    """
    return _apply(_engine.log, x, None)


def log1p(x: ArrayLike) -> Array:
    """The logarithm of one more, without cancellation."""
    return _apply(_engine.log1p, x, None)


def expit(x: ArrayLike) -> Array:
    """The logistic function, 1 / (1 + exp(-x)).

    Examples
    --------
    >>> expit([0.0, 1000.0])
    array([0.5, 1. ])
    """
    return _apply(_engine.expit, x, None)


def logit(p: ArrayLike) -> Array:
    """The log odds of probabilities: `expit` turned round."""
    share = np.asarray(p, dtype=np.float64)
    return log(share / (1.0 - share))


def softplus(x: ArrayLike) -> Array:
    """The logarithm of 1 + exp(x), which neither overflows nor cancels."""
    return _apply(_engine.softplus, x, None)


def log_expit(x: ArrayLike) -> Array:
    """The logarithm of `expit`."""
    return -softplus(-np.asarray(x, dtype=np.float64))


def softmax(x: Array) -> Array:
    """Every row's exponentials, divided by their sum.

    Examples
    --------
    >>> softmax(np.array([[0.0, 0.0], [1000.0, 0.0]]))
    array([[0.5, 0.5],
           [1. , 0. ]])
    """
    share = np.empty_like(x)
    _engine.softmax(x, share)
    return share


def logsumexp(x: Array) -> Array:
    """The logarithm of the sum of every row's exponentials.

    Examples
    --------
    >>> logsumexp(np.array([[1000.0, -1000.0]]))
    array([1000.])
    """
    most = x.max(axis=1)
    return np.asarray(most + log(exp(x - most[:, np.newaxis]).sum(axis=1)))


def log_softmax(x: Array) -> Array:
    """The logarithm of `softmax`."""
    return np.asarray(x - logsumexp(x)[:, np.newaxis])


def dot(a: ArrayLike, b: ArrayLike) -> float:
    """The sum of products of two sequences, in an order that no processor changes.

    Examples
    --------
    >>> dot([0.5, 0.25], [True, False])
    0.5
    """
    first = np.ascontiguousarray(a, dtype=np.float64)
    return _engine.dot(first, np.ascontiguousarray(b, dtype=np.float64))
