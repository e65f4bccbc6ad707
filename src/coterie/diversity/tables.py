"""Tables of pairs of members, counted by matrix products, or in bits, in blocks of samples."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coterie.data.errors import DataError
from coterie.data.outputs import hits_of, label_codes, sample_weights

Array = NDArray[np.float64]
Outputs = Literal["labels", "oracle"] | None

# Cells of a block: float32 then takes 64 MB, and counts within it are exact.
_BLOCK_CELLS = 1 << 24
# Samples of a block of bits, of which those of a thousand members stay in the cache.
_BLOCK_BITS = 1 << 14
# Weighted counts that should be zero may be off by rounding.
_TINY = 1e-12


class Agreement(NamedTuple):
    """How often pairs of members agree.

    Attributes
    ----------
    same : ndarray of shape (members, members)
        Weight of the samples on which both say the same.
    shares : ndarray of shape (members, classes)
        Weight of the samples to which the member gives each label.
    total : float
        Weight of all samples.
    """

    same: Array
    shares: Array
    total: float


class PairCounts(NamedTuple):
    """The two-by-two tables of all pairs; each field is of shape (members, members).

    Parameters
    ----------
    a : ndarray
        Both predict yes, or both are right.
    b : ndarray
        Only the first does.
    c : ndarray
        Only the second does.
    d : ndarray
        Neither does.

    Examples
    --------
    >>> from coterie import diversity
    >>> diversity.pair_counts([[1, 1, 0], [0, 1, 0]]).b
    array([[0., 1.],
           [0., 0.]])
    """

    a: Array
    b: Array
    c: Array
    d: Array


def agreement(
    predictions: Any, y: Any = None, *, outputs: Outputs = None, sample_weight: Any = None
) -> Agreement:
    """Count the samples on which pairs of members agree, for any number of classes."""
    codes, n_classes = coded(predictions, y, outputs)
    weight = sample_weights(sample_weight, codes.shape[1])
    total = float(codes.shape[1]) if weight is None else float(weight.sum())
    shares = _shares(codes, n_classes, weight)
    if n_classes <= 2:
        # Of two classes one product tells the rest of the table.
        yes = shares[:, -1]
        same = total - yes[:, None] - yes + 2 * _together(codes, n_classes - 1, weight)
    elif weight is None:
        same = total - _differing(codes, n_classes)
    else:
        same = np.zeros((len(codes), len(codes)))
        for k in range(n_classes):
            same += _together(codes, k, weight)
    return Agreement(same, shares, total)


def pair_counts(
    predictions: Any, y: Any = None, *, outputs: Outputs = None, sample_weight: Any = None
) -> PairCounts:
    r"""The tables a, b, c, d of all pairs of members.

    ============ =========== ============
    .            second: yes second: no
    ============ =========== ============
    first: yes   a           b
    first: no    c           d
    ============ =========== ============

    On labels, *yes* is the larger of the two classes, as textbooks have it; on correctness
    (``outputs="oracle"``) it means right, as in Kuncheva and Whitaker [1]_.

    Parameters
    ----------
    predictions : array-like of shape (members, samples)
        Labels with two classes, or hits: whether each member is right.
    y : array-like of shape (samples,), optional
        True labels.
    outputs : {"labels", "oracle"}, optional
        What is compared: the members' labels, or whether they are right. By default correctness if
        `y` is given, labels otherwise. Hits may be given as labels; the result is the same.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.

    Returns
    -------
    PairCounts
        Four arrays of shape (members, members); ``c`` is ``b`` transposed.

    References
    ----------
    .. [1] Kuncheva & Whitaker, "Measures of diversity in classifier ensembles and their
       relationship with the ensemble accuracy", Mach. Learn. 51 (2003).

    Examples
    --------
    >>> from coterie import diversity
    >>> first, second = [1, 1, 0, 0, 1, 1], [1, 0, 0, 1, 1, 1]
    >>> [int(cell[0, 1]) for cell in diversity.pair_counts([first, second])]
    [3, 1, 1, 1]
    """
    codes, n_classes = coded(predictions, y, outputs)
    if n_classes > 2:
        raise DataError(
            f"This measure needs two classes, but there are {n_classes} labels. Compare "
            'correctness instead: pass y, and outputs="oracle".'
        )
    weight = sample_weights(sample_weight, codes.shape[1])
    total = float(codes.shape[1]) if weight is None else float(weight.sum())
    yes = _shares(codes, n_classes, weight)[:, -1]
    both = _together(codes, n_classes - 1, weight)
    only = yes[:, None] - both
    neither = total - yes[:, None] - only.T
    only, neither = (np.where(cell > _TINY * total, cell, 0.0) for cell in (only, neither))
    return PairCounts(both, only, only.T.copy(), neither)


def coded(predictions: Any, y: Any, outputs: Outputs) -> tuple[NDArray[np.integer], int]:
    """What is compared, as codes from zero, and the number of them."""
    if outputs not in ("labels", "oracle", None):
        raise ValueError(f'outputs must be "labels" or "oracle", not {outputs!r}.')
    if outputs == "oracle" or (outputs is None and y is not None):
        return hits_of(predictions, y).view(np.int8), 2
    if np.asarray(predictions).dtype == np.bool_:
        return hits_of(predictions).view(np.int8), 2
    codes, _, classes = label_codes(predictions)
    # Zeros and ones are hits or two classes, even if one of them does not occur.
    binary = classes.dtype.kind in "biuf" and bool(np.isin(classes, (0, 1)).all())
    if binary and len(classes) == 1:
        return np.full_like(codes, int(classes[0])), 2
    return codes, len(classes)


def blocks(n_samples: int, n_rows: int) -> list[slice]:
    """Slices of the samples of which `n_rows` arrays fit into a bounded block."""
    step = max(1, _BLOCK_CELLS // max(1, n_rows))
    return [slice(start, start + step) for start in range(0, n_samples, step)]


def _together(codes: NDArray[np.integer], k: int, weight: Array | None) -> Array:
    """Weight of the samples to which both members of a pair give code `k`."""
    n_members, n_samples = codes.shape
    counts = np.zeros((n_members, n_members))
    for part in blocks(n_samples, n_members):
        said = codes[:, part] == k
        if weight is None:
            # Counts below 2²⁴ are exact in float32, and its product takes half the time.
            block = said.astype(np.float32)
            counts += block @ block.T
        else:
            product = (said * weight[part]) @ said.astype(np.float64).T
            counts += (product + product.T) / 2
    return counts


def _differing(codes: NDArray[np.integer], n_classes: int) -> Array:
    """Number of samples to which the members of a pair give different codes.

    Many classes would need as many products; in bits it is as many steps as a code has bits, of
    64 samples each.
    """
    n_members, n_samples = codes.shape
    counts = np.zeros((n_members, n_members))
    for start in range(0, n_samples, _BLOCK_BITS):
        part = codes[:, start : start + _BLOCK_BITS]
        planes = [_packed((part >> bit) & 1) for bit in range((n_classes - 1).bit_length())]
        for i in range(n_members - 1):
            apart = planes[0][i + 1 :] ^ planes[0][i]
            for plane in planes[1:]:
                apart |= plane[i + 1 :] ^ plane[i]
            counts[i, i + 1 :] += np.bitwise_count(apart).sum(axis=1)
    return np.asarray(counts + counts.T)


def _packed(bits: NDArray[np.integer]) -> NDArray[np.uint64]:
    """Zeros and ones as words of 64 bits, filled up with zeros."""
    octets = np.packbits(bits.astype(np.bool_), axis=1)
    return np.pad(octets, ((0, 0), (0, -octets.shape[1] % 8))).view(np.uint64)


def _shares(codes: NDArray[np.integer], n_classes: int, weight: Array | None) -> Array:
    """Weight of the samples to which each member gives each code."""
    return np.stack(
        [np.bincount(row, weights=weight, minlength=n_classes).astype(np.float64) for row in codes]
    )
