"""What members say, read and checked: arrays of shape (members, samples) and then outputs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.data.errors import DataError, KindError
from coterie.data.weights import read_weight

__all__ = [
    "counted_votes",
    "hits_of",
    "label_codes",
    "member_weights",
    "numbers_of",
    "sample_weights",
    "truthful_codes",
    "y_numbers",
]

# Integers within this range are their own codes, which spares sorting them.
_NEAR = 1024


def numbers_of(outputs: Any, name: str = "outputs", ndim: tuple[int, ...] = (2, 3)) -> NDArray[Any]:
    """Outputs of members as finite float64, of one of the numbers of axes `ndim`.

    Examples
    --------
    >>> numbers_of([[1, 2], [3, 4]]).dtype
    dtype('float64')
    """
    array = np.asarray(outputs)
    if array.dtype.kind not in "biuf":
        raise KindError(f"{name} must be numbers, not {array.dtype}.")
    if array.ndim not in ndim:
        shapes = {1: "(samples,)", 2: "(members, samples)", 3: "(members, samples, outputs)"}
        wanted = " or ".join(shapes.get(n, f"{n} axes") for n in ndim)
        raise DataError(f"{name} must have shape {wanted}, not {array.shape}.")
    if not array.size:
        raise DataError(f"{name} is empty: its shape is {array.shape}.")
    array = array.astype(np.float64, copy=False)
    if not np.isfinite(array).all():
        raise DataError(f"{name} contains NaN or infinity. Remove those samples.")
    return array


def y_numbers(y: Any, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """The truth as finite float64 of the given shape: that of one member's outputs.

    Examples
    --------
    >>> y_numbers([1, 2], (2,))
    array([1., 2.])
    """
    array: NDArray[np.float64] = numbers_of(y, "y", (len(shape),))
    if array.shape != shape:
        raise DataError(
            f"y must have shape {shape}, like the outputs of one member, not {array.shape}."
        )
    return array


def label_codes(
    labels: Any, y: Any = None
) -> tuple[NDArray[np.integer], NDArray[np.intp] | None, NDArray[Any]]:
    """Labels of members, and the true ones, as positions among the sorted classes.

    Parameters
    ----------
    labels : array-like of shape (members, samples)
        Predicted labels.
    y : array-like of shape (samples,), optional
        True labels.

    Returns
    -------
    codes : ndarray of int of shape (members, samples)
        Positions among the classes.
    truth : ndarray of int of shape (samples,) or None
        Positions of the true labels.
    classes : ndarray
        All labels that occur, in order.

    Examples
    --------
    >>> codes, truth, classes = label_codes([["b", "a"], ["b", "c"]], ["b", "b"])
    >>> codes, truth, classes
    (array([[1, 0], [1, 2]]), array([1, 1]), array(['a', 'b', 'c'], dtype='<U1'))
    """
    array = _label_array(labels, "labels", 2)
    truth = None if y is None else _label_array(y, "y", 1)
    if truth is not None:
        _check_pair(array, truth)
    near = _near_codes(array, truth)
    if near is not None:
        return near
    classes = _classes(array, truth)
    codes = np.stack([np.searchsorted(classes, row) for row in array])
    return codes, None if truth is None else np.searchsorted(classes, truth), classes


def truthful_codes(
    labels: Any, y: Any
) -> tuple[NDArray[np.integer], NDArray[np.intp], NDArray[Any]]:
    """Labels and true labels as `label_codes`, where the truth cannot be left out.

    Examples
    --------
    >>> truthful_codes([["b", "a"]], ["b", "b"])[1]
    array([1, 1])
    """
    if y is None:
        raise DataError("The true labels are required: pass y.")
    codes, truth, classes = label_codes(labels, y)
    assert truth is not None
    return codes, truth, classes


def hits_of(predictions: Any, y: Any = None) -> NDArray[np.bool_]:
    """Where each member is right, shape (members, samples).

    Parameters
    ----------
    predictions : array-like of shape (members, samples)
        Predicted labels; without `y`, the hits themselves: booleans, or zeros and ones.
    y : array-like of shape (samples,), optional
        True labels.

    Examples
    --------
    >>> hits_of([["a", "b"]], ["a", "a"])
    array([[ True, False]])
    """
    array = _label_array(predictions, "hits" if y is None else "labels", 2)
    if y is not None:
        truth = _label_array(y, "y", 1)
        _check_pair(array, truth)
        return np.asarray(array == truth, dtype=np.bool_)
    if array.dtype.kind == "b":
        return array
    if array.dtype.kind not in "iuf" or not ((array == 0) | (array == 1)).all():
        raise DataError(
            "Hits must be booleans, or zeros and ones. If you pass labels, also pass y."
        )
    return array.astype(np.bool_)


def counted_votes(
    codes: NDArray[np.integer], weights: NDArray[np.float64], n_classes: int
) -> NDArray[np.float64]:
    """Weight that votes for each class, shape (samples, classes).

    Examples
    --------
    >>> counted_votes(np.array([[0, 1], [0, 0]]), np.array([1.0, 2.0]), 2)
    array([[3., 0.],
           [2., 1.]])
    """
    counted = np.zeros(codes.shape[1] * n_classes)
    starts = np.arange(codes.shape[1]) * n_classes
    # One member at a time: an array of all votes would be as large as all members' numbers.
    for row, weight in zip(codes, weights, strict=True):
        counted[starts + row] += weight
    return counted.reshape(-1, n_classes)


def member_weights(weights: Any, n_members: int, *, signed: bool = False) -> NDArray[np.float64]:
    """Weights of members as float64; ones if there are none.

    Examples
    --------
    >>> member_weights(None, 3)
    array([1., 1., 1.])
    """
    if weights is None:
        return np.ones(n_members)
    array: NDArray[np.float64] = numbers_of(weights, "weights", (1,))
    if len(array) != n_members:
        raise DataError(f"There are {len(array)} weights for {n_members} members.")
    if not signed and array.min() < 0:
        raise DataError("Weights of members must not be negative here.")
    if not signed and not array.any():
        raise DataError("All weights of members are zero.")
    return array


def sample_weights(weight: Any, n_samples: int) -> NDArray[np.float64] | None:
    """Weights of samples, zeros included; None if there are none.

    Examples
    --------
    >>> sample_weights([1, 0], 2)
    array([1., 0.])
    """
    positive, kept = read_weight(weight, n_samples)
    if positive is None or kept is None:
        return positive
    full = np.zeros(n_samples)
    full[kept] = positive
    return full


def _label_array(labels: Any, name: str, ndim: int) -> NDArray[Any]:
    array = np.asarray(labels)
    if array.ndim != ndim:
        shape = "(members, samples)" if ndim == 2 else "(samples,)"
        raise DataError(f"{name} must have shape {shape}, not {array.shape}.")
    if not array.size:
        raise DataError(f"{name} is empty: its shape is {array.shape}.")
    if array.dtype.kind == "f" and np.isnan(array).any():
        raise DataError(f"{name} contains NaN, which is not a label. Remove those samples.")
    if array.dtype.kind not in "biufOSU":
        raise KindError(f"{name} must be labels: numbers or text, not {array.dtype}.")
    return array


def _check_pair(array: NDArray[Any], truth: NDArray[Any]) -> None:
    """Refuse a truth of another length or kind than the labels."""
    if len(truth) != array.shape[1]:
        raise DataError(f"y has {len(truth)} labels, but members label {array.shape[1]} samples.")
    kinds = {"text" if part.dtype.kind in "SU" else part.dtype.kind for part in (array, truth)}
    if "text" in kinds and kinds & set("biuf"):
        raise KindError(
            "Members and y must use the same labels, but some are text and some are numbers."
        )


def _near_codes(
    array: NDArray[Any], truth: NDArray[Any] | None
) -> tuple[NDArray[np.integer], NDArray[np.intp] | None, NDArray[Any]] | None:
    """Codes of small integers by counting; None if the labels are of another kind."""
    both = [array] if truth is None else [array, truth]
    if any(part.dtype.kind not in "biu" for part in both):
        return None
    low = min(int(part.min()) for part in both)
    high = max(int(part.max()) for part in both)
    if high - low >= _NEAR or max(-low, high) > np.iinfo(np.intp).max:
        return None
    there = np.zeros(high - low + 1, dtype=np.bool_)
    for part in both:
        for row in np.atleast_2d(part):
            there |= np.bincount(_offset(row, low), minlength=len(there)) > 0
    kind = np.result_type(*both)
    classes = (np.flatnonzero(there) + low).astype(kind)
    place = (np.cumsum(there) - 1).astype(np.int16)
    codes = np.stack([place[_offset(row, low)] for row in array])
    return codes, None if truth is None else place[_offset(truth, low)].astype(np.intp), classes


def _offset(row: NDArray[Any], low: int) -> NDArray[np.intp]:
    """Integers less their smallest, whatever their width."""
    return np.asarray(row.astype(np.intp) - low)


def _classes(array: NDArray[Any], truth: NDArray[Any] | None) -> NDArray[Any]:
    """Sorted labels that occur; row by row, which bounds the memory."""
    rows = [*array] if truth is None else [*array, truth]
    try:
        return np.unique(np.concatenate([np.unique(row) for row in rows]))
    except TypeError as error:
        raise KindError("Labels of different types cannot be compared; use one type.") from error
