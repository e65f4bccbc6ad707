"""Probabilities calibrated on out-of-bag votes.

Votes of members that did not see a row are what votes on new rows will be like, so no rows have
to be held out to learn how sure a vote may be.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin

from coterie.base.oob_votes import OobVotes
from coterie.data import Target
from coterie.fusion.calibration import isotonic, log_odds, platt
from coterie.tags import tagged

Array = NDArray[np.float64]


@tagged
@dataclass(frozen=True)
class Sigmoid:
    r"""Platt's map of a probability: :math:`1 / (1 + e^{-(a z + b)})` of its log-odds `z`.

    Parameters
    ----------
    slope, shift : float
        `a` and `b`.
    margin : float
        Probabilities are moved away from 0 and 1 by as much before the log-odds are taken.
    """

    slope: float
    shift: float
    margin: float

    @classmethod
    def learn(cls, p: Array, truth: NDArray[np.bool_], weight: Array, margin: float) -> Sigmoid:
        """The most likely map, targets moved away from 0 and 1 as Platt (1999) does."""
        curve = platt(log_odds(p, margin), truth, weight)
        return cls(-curve.slope, -curve.shift, margin)

    def __call__(self, p: Array) -> Array:
        """The calibrated probability."""
        return np.asarray(expit(self.slope * log_odds(p, self.margin) + self.shift))


@tagged
class CalibratedVotes(ClassifierMixin, BaseEstimator):
    """A fitted classifier behind maps of its probabilities.

    Parameters
    ----------
    model : fitted classifier
        Whose probabilities are calibrated.
    maps : list of callables
        One per class, or one for the second of two classes.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    """

    def __init__(self, model: Any, maps: list[Callable[[Array], Array]]) -> None:
        self.model = model
        self.maps = maps

    @property
    def classes_(self) -> NDArray[Any]:
        """Class labels."""
        labels: NDArray[Any] = self.model.classes_
        return labels

    @classmethod
    def learn(
        cls, model: Any, votes: OobVotes, target: Target, weight: Array | None, method: str
    ) -> Self:
        """Learn the maps from out-of-bag votes.

        Parameters
        ----------
        model : fitted classifier
            Whose votes they are.
        votes : OobVotes
            Votes on the training rows.
        target : Target
            Their labels.
        weight : ndarray or None
            Their weights.
        method : {"sigmoid", "isotonic"}
            Kind of map.
        """
        if method not in ("sigmoid", "isotonic"):
            raise ValueError(f"method={method!r} is not allowed; use 'sigmoid' or 'isotonic'.")
        if target.kind != "labels" or target.n_outputs > 1 or len(target.classes[0]) < 2:
            raise ValueError("Only a single-output classifier with two classes can be calibrated.")
        covered = votes.covered
        rows = np.ones(len(covered)) if weight is None else weight
        margin = 0.5 / (1.0 + float(np.median(votes.n_votes[covered])))
        codes, n_classes = target.codes[covered, 0], len(target.classes[0])
        maps: list[Callable[[Array], Array]] = []
        for k in range(n_classes) if n_classes > 2 else (1,):
            p, truth = votes.mean[covered, k], codes == k
            if method == "sigmoid":
                maps.append(Sigmoid.learn(p, truth, rows[covered], margin))
            else:
                maps.append(isotonic(p, truth, rows[covered]))
        return cls(model, maps)

    def predict_proba(self, X: Any) -> Array:
        """Calibrated probabilities, shape (n_samples, n_classes).

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows.
        """
        given = self.model.predict_proba(X)
        if len(self.maps) == 1:
            second = self.maps[0](given[:, 1])
            return np.column_stack([1.0 - second, second])
        mapped = np.column_stack(
            [map_(column) for map_, column in zip(self.maps, given.T, strict=True)]
        )
        total = mapped.sum(axis=1, keepdims=True)
        return np.where(total > 0, mapped / np.where(total > 0, total, 1.0), given)

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows.
        """
        return self.classes_[self.predict_proba(X).argmax(axis=1)]
