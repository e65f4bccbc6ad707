"""Novelty scores as p-values: where a score stands among those of rows known to be normal."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coterie.base import Admitted
from coterie.core import Allowed, between, draw_entropy, fraction, has, one_of
from coterie.core.axis import cell_order
from coterie.core.seeds import growing_stream
from coterie.data import Table
from coterie.outliers.detector import (
    OutlierDetector,
    dense_rows,
    fit_detector,
    scores_of,
)
from coterie.outliers.isolation_forest import IsolationForest
from coterie.trees.growth import an_n_jobs

Array = NDArray[np.float64]


def novelty_p_values(reference: ArrayLike, scores: ArrayLike) -> Array:
    r"""P-values: the share of reference rows that are at least as abnormal.

    .. math:: p(x) = \frac{1 + \#\{i : s_i \le s(x)\}}{n + 1}

    If x comes from the same distribution as the reference rows, p is at most :math:`\alpha` with
    probability of at most :math:`\alpha`.

    Parameters
    ----------
    reference : array-like of shape (n,)
        Scores of normal rows that the detector was not trained on; lower is more abnormal.
    scores : array-like of shape (n_samples,)
        Scores of new rows.

    Returns
    -------
    ndarray of shape (n_samples,)

    References
    ----------
    .. [1] Bates, Candès, Lei, Romano & Sesia, "Testing for outliers with conformal p-values",
       Annals of Statistics 51 (2023).

    Examples
    --------
    >>> novelty_p_values([0.1, 0.4, 0.5, 0.9], [0.0, 0.4, 1.0])
    array([0.2, 0.6, 1. ])
    """
    known = np.sort(np.asarray(reference, dtype=np.float64))
    below = np.searchsorted(known, np.asarray(scores, dtype=np.float64), side="right")
    return np.asarray((1.0 + below) / (len(known) + 1.0), dtype=np.float64)


def benjamini_hochberg(p_values: ArrayLike, alpha: float = 0.05) -> NDArray[np.bool_]:
    r"""Flag rows such that the expected share of false alarms among them is bounded.

    With p sorted, the largest k with :math:`p_{(k)} \le k \alpha / m` is found, and the k smallest
    are flagged.

    Parameters
    ----------
    p_values : array-like of shape (m,)
        One for every row.
    alpha : float, default=0.05
        The expected share of false discoveries among those flagged.

    Returns
    -------
    ndarray of bool of shape (m,)

    References
    ----------
    .. [1] Benjamini & Hochberg, "Controlling the false discovery rate", J. R. Stat. Soc. B 57
       (1995).

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.02, 0.2, 0.9], alpha=0.05)
    array([ True,  True, False, False])
    """
    given = np.asarray(p_values, dtype=np.float64)
    ordered = np.sort(given)
    passes = np.flatnonzero(ordered <= alpha * np.arange(1, len(given) + 1) / len(given))
    limit = ordered[passes[-1]] if len(passes) else -np.inf
    return given <= limit


@dataclass(eq=False, repr=False, kw_only=True)
class NoveltyTestDetector(OutlierDetector):
    r"""A detector whose scores are p-values, so that you need not guess the share of outliers.

    A threshold at :math:`\alpha` flags at most that share of normal rows. Reference scores come
    from rows that the detector was not trained on: held-out rows, which makes the guarantee exact,
    or, for isolation forests, the training rows scored by their out-of-bag trees. These are fewer
    trees, so the guarantee is then approximate.

    Parameters
    ----------
    estimator : detector or None, default=None
        An estimator with ``score_samples`` or ``decision_function`` for new rows; None is an
        `IsolationForest`.
    reference : {"oob", "holdout"}, default="oob"
        Where reference scores come from; "oob" needs `IsolationForest`.
    holdout : float, default=0.2
        Share of the rows that are held out.
    alpha : float, default=0.05
        Rows with a p-value up to it are outliers.

    Attributes
    ----------
    estimator_ : fitted detector
        The detector.
    reference_scores_ : ndarray
        Sorted scores of reference rows.
    offset_ : float
        Just above `alpha`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> model = NoveltyTestDetector(random_state=0).fit(rng.normal(size=(500, 3)))
    >>> bool(np.mean(model.predict(rng.normal(size=(500, 3))) == -1) < 0.09)
    True
    >>> model.predict([[8.0, 8.0, 8.0]])
    array([-1])
    """

    allowed: ClassVar[Mapping[str, Allowed]] = {
        "estimator": has("fit", "score_samples") | has("fit", "decision_function") | one_of(None),
        "reference": one_of("oob", "holdout"),
        "holdout": fraction("neither"),
        "alpha": between(0.0, 1.0, closed="neither"),
        "n_jobs": an_n_jobs,
    }

    estimator: Any = None
    reference: str = "oob"
    holdout: float = 0.2
    alpha: float = 0.05

    def fit(self, X: Any, y: Any = None) -> Self:  # type: ignore[override]  # without weights
        """Fit to the training rows; weights are not supported.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Numbers, categories and missing values, as supported by the detector.
        y : object
            Not looked at.

        Returns
        -------
        self
        """
        return self._fit(X, None, None)

    def _learn(self, draft: Self, admitted: Admitted, n_samples: int) -> None:
        rows = dense_rows(admitted.table)
        detector = self.estimator
        if detector is None:  # small enough samples that every tree leaves rows out
            detector = IsolationForest(max_samples=max(1, min(256, len(rows) // 2)))
        rng = growing_stream(draw_entropy(self.random_state))
        if self.reference == "oob":
            if not isinstance(detector, IsolationForest):
                raise ValueError(
                    f"reference='oob' needs an IsolationForest, not {type(detector).__name__}. Use "
                    "reference='holdout'."
                )
            draft.estimator_ = fit_detector(detector, rows, None, rng)
            scores = draft.estimator_.oob_score_samples(rows)
            scores = scores[~np.isnan(scores)]
        else:
            order = cell_order(admitted.table)
            shuffled = order[rng.permutation(len(rows))]
            n_held = max(1, int(self.holdout * len(rows)))
            held, learnt = shuffled[:n_held], shuffled[n_held:]
            if not len(learnt):
                raise ValueError(
                    f"{len(rows)} rows are too few to hold any out. Add rows, or use "
                    "reference='oob'."
                )
            draft.estimator_ = fit_detector(detector, rows[learnt], None, rng)
            scores = scores_of(draft.estimator_, rows[held])
        draft.reference_scores_ = np.sort(scores)
        self._warn_if_few(len(scores))

    def _warn_if_few(self, n: int) -> None:
        if n + 1 < 1.0 / self.alpha:
            warnings.warn(
                f"{n} reference rows cannot give a p-value of {self.alpha:g}, so no row can be "
                f"flagged; {math.ceil(1.0 / self.alpha) - 1} are needed.",
                UserWarning,
                stacklevel=3,
            )

    def _set_offset(self, draft: Self, admitted: Admitted) -> None:
        draft.offset_ = float(np.nextafter(self.alpha, 1.0))

    def _normality(self, table: Table) -> Array:
        return novelty_p_values(
            self.reference_scores_, scores_of(self.estimator_, dense_rows(table))
        )

    def p_values(self, X: Any) -> Array:
        """The p-values of rows; the same as `score_samples`.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self.score_samples(X)
