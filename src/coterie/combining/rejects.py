"""Votes that may abstain."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie import fusion
from coterie.core import Allowed
from coterie.fusion.votes import with_rejects

Array = NDArray[np.float64]


def _can_mark(label: Any) -> bool:
    """Whether something can stand among labels; NaN cannot be told from an oversight."""
    if isinstance(label, float) and np.isnan(label):
        return False
    return label is None or isinstance(label, str | int | float | np.number)


a_reject_label = Allowed(_can_mark, "a label, or None")


def check_mark(classes: NDArray[Any], mark: Any) -> None:
    """Refuse a mark that is a class."""
    with_rejects(classes, np.zeros(len(classes), dtype=bool), classes, mark)


class RejectScore:
    """Accuracy of a classifier that may decline to answer."""

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Share of the rows with the right answer; a reject is none.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), optional
            What each row counts.

        Returns
        -------
        float
        """
        right = self.predict(X) == np.asarray(y)  # type: ignore[attr-defined]  # a mixin
        return float(np.average(right, weights=sample_weight))


class RejectingVotes(RejectScore):
    """Labels only where a class has more than a share of the support."""

    reject: bool
    threshold: float
    reject_label: Any
    classes_: NDArray[Any]

    def reject_mask(self, X: Any) -> NDArray[np.bool_]:
        """Rows in which no class has more than the share `threshold` of the support.

        It is there whether or not `reject` was asked for.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of bool of shape (n_samples,)
        """
        this = self._settled()  # type: ignore[attr-defined]  # a mixin of committees
        return self._mask(this._support(this._admit(X)))

    def _mask(self, support: Array) -> NDArray[np.bool_]:
        return fusion.rejected(support[None], threshold=self.threshold)

    def _marked(self, labels: NDArray[Any], support: Array) -> NDArray[Any]:
        """Labels with marks where the vote is rejected, if that was asked for."""
        if not self.reject:
            return labels
        return with_rejects(labels, self._mask(support), self.classes_, self.reject_label)
