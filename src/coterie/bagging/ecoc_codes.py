"""Codes for many classes: one row per class, one column per two-class problem.

A code is a matrix of -1, 0 and +1. Column s asks to tell the classes with +1 from those with -1 and
leaves those with 0 out. Classes whose rows are far apart survive the errors of some columns.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from coterie.core import ParameterError

Code = NDArray[np.int8]

MOST_EXHAUSTIVE = 11  # classes; one more would double the 1023 columns again
_WORK = 1 << 30  # about as many additions are spent on comparing candidates
_CELLS = 1 << 22  # entries of candidates held at a time
# Primitive polynomials over two elements, bit j standing for the power j.
_PRIMITIVE = {
    4: 0b10011,
    5: 0b100101,
    6: 0b1000011,
    7: 0b10001001,
    8: 0b100011101,
    9: 0b1000010001,
    10: 0b10000001001,
}


def one_vs_rest(n_classes: int) -> Code:
    """Each class against all others."""
    return (2 * np.eye(n_classes) - 1).astype(np.int8)


def one_vs_one(n_classes: int) -> Code:
    """Each pair of classes, the others left out.

    Examples
    --------
    >>> one_vs_one(3)
    array([[ 1,  1,  0],
           [-1,  0,  1],
           [ 0, -1, -1]], dtype=int8)
    """
    pairs = np.array(list(combinations(range(n_classes), 2)))
    code = np.zeros((n_classes, len(pairs)), dtype=np.int8)
    columns = np.arange(len(pairs))
    code[pairs[:, 0], columns], code[pairs[:, 1], columns] = 1, -1
    return code


def exhaustive(n_classes: int) -> Code:
    """All ways to part the classes in two: any two rows differ in more than half the columns.

    References
    ----------
    .. [1] Dietterich & Bakiri, "Solving multiclass learning problems via error-correcting output
       codes", J. Artif. Intell. Res. 2 (1995).

    Examples
    --------
    >>> (exhaustive(4) > 0).astype(int)
    array([[1, 1, 1, 1, 1, 1, 1],
           [0, 0, 0, 0, 1, 1, 1],
           [0, 0, 1, 1, 0, 0, 1],
           [0, 1, 0, 1, 0, 1, 0]])
    """
    if n_classes > MOST_EXHAUSTIVE:
        raise ParameterError(
            f"code='exhaustive' would need {2 ** (n_classes - 1) - 1} columns for {n_classes} "
            "classes; give 'dense', 'sparse' or 'bch'."
        )
    numbers = np.arange(2 ** (n_classes - 1) - 1)
    runs = numbers >> np.arange(n_classes - 1, -1, -1)[:, None]
    bits = np.where(np.arange(n_classes)[:, None] == 0, 1, runs & 1)
    return (2 * bits - 1).astype(np.int8)


def row_distance(code: NDArray[Any]) -> NDArray[np.float64]:
    """In how many columns two rows differ, a zero counting one half; shape (..., K, K).

    Examples
    --------
    >>> row_distance(one_vs_one(3))[0]
    array([0.5, 2. , 2. ])
    """
    code = np.asarray(code, dtype=np.float64)
    return (code.shape[-1] - code @ np.swapaxes(code, -1, -2)) / 2


def dense_random(n_classes: int, rng: Generator, n_candidates: int = 1000) -> Code:
    r"""The best of many random codes of :math:`\lceil 10 \log_2 K \rceil` signs per class."""
    length = int(np.ceil(10 * np.log2(n_classes)))

    def draw(size: int) -> Code:
        signs = rng.integers(0, 2, size=(size, n_classes, length), dtype=np.int8)
        return (2 * signs - 1).astype(np.int8)

    return _best(draw, n_classes, length, n_candidates)


def sparse_random(n_classes: int, rng: Generator, n_candidates: int = 1000) -> Code:
    r"""The best of many random codes of :math:`\lceil 15 \log_2 K \rceil` entries, half zeros.

    References
    ----------
    .. [1] Allwein, Schapire & Singer, "Reducing multiclass to binary", J. Mach. Learn. Res. 1
       (2000).
    """
    length = int(np.ceil(15 * np.log2(n_classes)))

    def draw(size: int) -> Code:
        dice = rng.integers(0, 4, size=(size, n_classes, length), dtype=np.int8)
        return ((dice == 0).astype(np.int8) - (dice == 1)).astype(np.int8)

    return _best(draw, n_classes, length, n_candidates)


def bch(n_classes: int, rng: Generator, n_candidates: int = 100) -> Code:
    r"""Words of a code of Bose, Chaudhuri and Hocquenghem, the best of many choices of them.

    The shortest such code with at least :math:`10 \log_2 K` columns and K words is taken, of the
    largest designed distance. Columns that turn out constant, or equal or opposite to another
    one, are dropped.
    """
    m = max(4, int(np.ceil(np.log2(10 * np.log2(n_classes) + 1))))
    length = 2**m - 1
    generator = next(
        g
        for g in (bch_generator(m, tau) for tau in range(2 ** (m - 1) - 1, 0, -1))
        if 2 ** (length - g.bit_length() + 1) > n_classes
    )
    size = length - generator.bit_length() + 1
    taps = np.array([generator >> j & 1 for j in range(length)], dtype=np.int64)
    basis = np.stack([np.roll(taps, shift) for shift in range(size)])

    def draw(n_draws: int) -> Code:
        words = np.stack(
            [rng.choice(2**size - 1, n_classes, replace=False) + 1 for _ in range(n_draws)]
        )
        bits = words[:, :, None] >> np.arange(size) & 1
        return (2 * (bits @ basis % 2) - 1).astype(np.int8)

    return _best(draw, n_classes, length, n_candidates)


def bch_generator(m: int, tau: int) -> int:
    r"""Generator polynomial of the code of length :math:`2^m - 1` that mends `tau` errors.

    The least common multiple of the minimal polynomials of :math:`\alpha, \dots,
    \alpha^{2\tau}`; bit j of the result stands for the power j.

    Examples
    --------
    >>> f"{bch_generator(4, 2):b}"
    '111010001'
    """
    length = 2**m - 1
    powers = [1]
    for _ in range(length - 1):
        shifted = powers[-1] << 1
        powers.append(shifted ^ _PRIMITIVE[m] if shifted > length else shifted)
    logs = {element: exponent for exponent, element in enumerate(powers)}

    def times(a: int, b: int) -> int:
        return powers[(logs[a] + logs[b]) % length] if a and b else 0

    # The roots are all the powers conjugate to one of 1 to 2 tau.
    roots = {j * 2**i % length for j in range(1, 2 * tau + 1) for i in range(m)}
    product = [1]  # coefficients, lowest power first
    for root in sorted(roots):
        scaled = [*(times(c, powers[root]) for c in product), 0]
        product = [a ^ b for a, b in zip([0, *product], scaled, strict=True)]
    return sum(bit << j for j, bit in enumerate(product))


def check_code(code: NDArray[Any], n_classes: int) -> Code:
    """A matrix given by the user, or an error that says what is wrong with it."""
    matrix = np.asarray(code)
    if matrix.ndim != 2 or len(matrix) != n_classes or not matrix.shape[1]:
        raise ParameterError(
            f"code has shape {matrix.shape}, but must have one row for each of the {n_classes} "
            "classes and at least one column."
        )
    if not np.isin(matrix, (-1, 0, 1)).all():
        raise ParameterError("code must hold -1, 0 and 1 only.")
    one_sided = np.flatnonzero(~((matrix == 1).any(axis=0) & (matrix == -1).any(axis=0)))
    if len(one_sided) and n_classes > 1:
        raise ParameterError(
            f"code: column {one_sided[0]} has no class on one of its two sides; every column "
            "needs a 1 and a -1."
        )
    return matrix.astype(np.int8)


CODES: dict[str, Callable[[int, Generator, int], Code]] = {
    "dense": dense_random,
    "sparse": sparse_random,
    "bch": bch,
    "exhaustive": lambda n_classes, rng, n_candidates: exhaustive(n_classes),
    "one-vs-one": lambda n_classes, rng, n_candidates: one_vs_one(n_classes),
    "one-vs-rest": lambda n_classes, rng, n_candidates: one_vs_rest(n_classes),
}


def make_code(code: Any, n_classes: int, rng: Generator, n_candidates: int = 1000) -> Code:
    """The code of a name, or a matrix as it was given.

    Two classes are one problem, whatever the code; so is one class, whose answer is known.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> make_code("dense", 2, rng)
    array([[-1],
           [ 1]], dtype=int8)
    >>> make_code("dense", 3, rng).shape
    (3, 3)
    """
    if not isinstance(code, str):
        return check_code(code, n_classes)
    if n_classes <= 2:
        return np.array([[-1], [1]][-n_classes:], dtype=np.int8)
    return CODES[code](n_classes, rng, n_candidates)


def _usable(codes: Code) -> NDArray[np.bool_]:
    """Columns with two sides, neither equal nor opposite to an earlier one; shape (size, L)."""
    two_sided = (codes == 1).any(axis=1) & (codes == -1).any(axis=1)
    first = np.argmax(codes != 0, axis=1)
    turned = codes * np.take_along_axis(codes, first[:, None, :], axis=1)
    alike = np.swapaxes(turned, 1, 2).astype(np.float32) @ turned.astype(np.float32)
    norms = np.abs(codes).sum(axis=1, dtype=np.float32)
    # Turned the same way, two columns of n and m entries are equal if their product is n = m.
    same = (alike == norms[:, :, None]) & (alike == norms[:, None, :])
    return two_sided & ~np.tril(same, -1).any(axis=2)


def _best(draw: Callable[[int], Code], n_classes: int, length: int, n_candidates: int) -> Code:
    """Of many codes, without useless columns, the one whose closest rows are farthest apart."""
    affordable = max(1, _WORK // (n_classes * length * max(n_classes, length)))
    left = min(n_candidates, affordable)
    best, record = None, -1.0
    while left > 0:
        size = min(left, max(1, _CELLS // (max(n_classes, length) ** 2)))
        left -= size
        codes = draw(size)
        usable = _usable(codes)
        kept = (codes * usable[:, None, :]).astype(np.float32)
        products, overlaps = kept @ np.swapaxes(kept, 1, 2), np.abs(kept)
        overlaps = overlaps @ np.swapaxes(overlaps, 1, 2)
        opposite = (overlaps - products) / 2
        distance = opposite + (usable.sum(axis=1)[:, None, None] - overlaps) / 2
        # Two classes that no column tells apart make a code worthless.
        distance[opposite < 1] = -1.0
        distance[:, np.arange(n_classes), np.arange(n_classes)] = np.inf
        nearest = distance.min(axis=(1, 2))
        at = int(nearest.argmax())
        if best is None or nearest[at] > record:
            best, record = codes[at][:, usable[at]], float(nearest[at])
    if best is None or record < 0:
        raise ParameterError(
            f"none of {n_candidates} random codes tells all {n_classes} classes apart; raise "
            "n_candidates, or choose another code."
        )
    return best
