"""Sets and intervals from out-of-fold predictions that a model has kept: nothing is fitted."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coterie.conformal.class_scores import class_scores
from coterie.conformal.coverage_report import CoverageRow
from coterie.theory import conformal_quantile, needed_rows

Array = NDArray[np.float64]


def kept_limit(truth: ArrayLike, unseen: ArrayLike, alpha: float) -> float:
    r"""The score that a new row exceeds with probability of about :math:`\alpha`.

    Scores are :math:`1 - \hat p_y` for classes, and :math:`|y - \hat y|` for numbers. They come
    from the models of several folds, so the guarantee of split conformal prediction is not strict.

    Parameters
    ----------
    truth : array-like of shape (n,)
        Codes of classes, or numbers.
    unseen : array-like of shape (n, n_classes) or (n,)
        Out-of-fold probabilities, or numbers; rows with NaN are left out.
    alpha : float
        Share of new rows that may lie outside.

    Returns
    -------
    float
        Infinite when there are too few rows.

    Examples
    --------
    >>> kept_limit([0.0, 0.0, 0.0, 0.0], [1.0, -2.0, 3.0, 4.0], 0.4)
    3.0
    """
    return conformal_quantile(_scores(truth, unseen), alpha)


def kept_sets(limit: float, chances: ArrayLike) -> NDArray[np.bool_]:
    """The classes of each row whose scores are within a limit; always at least the best one.

    Parameters
    ----------
    limit : float
        See `kept_limit`.
    chances : array-like of shape (n, n_classes)
        Probabilities.

    Examples
    --------
    >>> kept_sets(0.7, [[0.6, 0.3, 0.1], [0.2, 0.2, 0.6]])
    array([[ True,  True, False],
           [False, False,  True]])
    """
    given = np.asarray(chances, dtype=np.float64)
    sets = class_scores(given, "lac") <= limit
    sets[np.arange(len(given)), given.argmax(axis=1)] = True
    return sets


def kept_coverage(truth: ArrayLike, unseen: ArrayLike, alpha: float) -> CoverageRow | None:
    """Coverage of such sets or intervals: each half of the rows, with the limit of the other.

    Parameters
    ----------
    truth, unseen, alpha
        See `kept_limit`.

    Returns
    -------
    CoverageRow or None
        None when halves have too few rows.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> row = kept_coverage(rng.normal(size=1000), np.zeros(1000), 0.1)
    >>> bool(0.87 < row.coverage < 0.93)
    True
    """
    said, known = _known(unseen)
    answers = np.asarray(truth)[known]
    n = len(answers)
    if n // 2 < needed_rows(alpha):
        return None
    half = np.arange(n) % 2 == 0
    hits, sizes = np.empty(n, dtype=bool), np.empty(n)
    for mine in (half, ~half):
        limit = kept_limit(answers[~mine], said[~mine], alpha)
        if said.ndim == 2:
            sets = kept_sets(limit, said[mine])
            hits[mine] = sets[np.arange(len(sets)), answers[mine].astype(np.intp)]
            sizes[mine] = sets.sum(axis=1)
        else:
            hits[mine] = np.abs(answers[mine] - said[mine]) <= limit
            sizes[mine] = 2.0 * limit
    return CoverageRow.of("all", None, hits, sizes)


def _known(unseen: ArrayLike) -> tuple[Array, NDArray[np.bool_]]:
    said = np.asarray(unseen, dtype=np.float64)
    known = np.isfinite(said if said.ndim == 1 else said.sum(axis=1))
    return said[known], known


def _scores(truth: ArrayLike, unseen: ArrayLike) -> Array:
    said, known = _known(unseen)
    answers = np.asarray(truth)[known]
    if said.ndim == 1:
        return np.abs(answers - said)
    scores = class_scores(said, "lac")
    return np.asarray(scores[np.arange(len(scores)), answers.astype(np.intp)])
