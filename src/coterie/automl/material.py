"""What candidates are fitted on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from coterie.automl.splits import Rows
from coterie.data import BinnedRows
from coterie.learners import ForeignMember, takes_weight

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Material:
    """All that candidates are fitted on.

    Parameters
    ----------
    matrix : ndarray, sparse array or BinnedRows of shape (n_rows, n_columns)
        Numbers, codes of categories, NaN where something is missing.
    truth : ndarray of shape (n_rows,)
        Codes of classes, or numbers.
    splits : list of (train, test)
        Training and held-out rows.
    n_classes : int
        None for numbers.
    weight : ndarray of shape (n_rows,) or None
        Weights of the rows.
    further : sequence of (train, test)
        Splits of their own, which final members may have models of, too; nothing is judged by them.
    """

    matrix: Any
    truth: NDArray[Any]
    splits: list[tuple[Rows, Rows]]
    n_classes: int
    weight: Array | None = None
    further: Sequence[tuple[Rows, Rows]] = ()

    def judged_by(self, number: int) -> Material:
        """The same with the first splits alone; the others are further ones."""
        further = [*self.splits[number:], *self.further]
        return replace(self, splits=self.splits[:number], further=further)

    def seat(self, estimator: Any) -> ForeignMember:
        """A fitted estimator whose answers are in the order of the classes."""
        if not self.n_classes:
            return ForeignMember(estimator)
        return ForeignMember(estimator, (np.arange(self.n_classes),), "predict_proba")

    def weights(self, rows: Rows) -> Array | None:
        """Weights of some rows."""
        return None if self.weight is None else self.weight[rows]

    @cached_property
    def covered(self) -> Rows:
        """Rows that are held out at least once, in order."""
        covered = np.zeros(len(self.truth), dtype=bool)
        for _, test in self.splits:
            covered[test] = True
        return np.flatnonzero(covered)


def fit_clone(estimator: Any, material: Material, rows: Rows, **more: Any) -> Any:
    """A fitted clone."""
    twin = clone(estimator)
    weight = material.weights(rows)
    if weight is not None:
        more |= _weight_argument(twin, weight)
    part: Any = rows
    if isinstance(material.matrix, BinnedRows) and rows[-1] - rows[0] + 1 == len(rows):
        part = slice(rows[0], rows[-1] + 1)  # not copied
    return twin.fit(material.matrix[part], material.truth[part], **more)


def _weight_argument(estimator: Any, weight: Array) -> dict[str, Any]:
    steps = getattr(estimator, "steps", None)
    if steps is None:
        return {"sample_weight": weight}
    return {f"{steps[-1][0]}__sample_weight": weight}


def takes_weights(estimator: Any) -> bool:
    """Whether the estimator, or the last step of a pipeline, takes weights of rows."""
    steps = getattr(estimator, "steps", None)
    return takes_weight(estimator if steps is None else steps[-1][1])
