"""How much worse the ensemble gets when a column is shuffled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from coterie.automl.clock import Deadline
from coterie.automl.combine import Blend
from coterie.automl.material import Material
from coterie.automl.metrics import Metric
from coterie.automl.prior import PRIORS
from coterie.data import BinnedRows
from coterie.learners import ForeignMember

# Splits, shuffles and rows of each split, from the most to the least that is worth it.
_EFFORTS = ((3, 2, 600), (3, 1, 600), (2, 1, 400), (1, 1, 300), (1, 1, 100))
_COLUMNS = 200  # beyond as many, only some are tried

_TOGETHER = 6_000  # rows that models are asked about at once
_CELLS = 4_000_000  # the same, times columns or classes

Array = NDArray[np.float64]
Importances = dict[int, tuple[float, float]]


def permutation_importances(
    blend: Blend,
    members: Sequence[list[ForeignMember]],
    material: Material,
    metric: Metric,
    deadline: Deadline,
    seed: int,
    groups: Sequence[NDArray[np.intp]] | None = None,
) -> Importances:
    """For each column the mean loss of shuffling it among held-out rows, and its deviation.

    Every model is asked about rows that it has not seen. Where time is short, fewer rows are
    shuffled, so that all columns are reached. If that is not enough, those come first which trees
    among the models use most, and the rest is left out.

    Parameters
    ----------
    blend : Blend
        How members are combined.
    members : list of lists of ForeignMember
        The models of each member, one for each split.
    material : Material
        The rows.
    metric : Metric
        What gets worse.
    deadline : Deadline
        When to stop.
    seed : int
        Of the shuffling.
    groups : sequence of ndarray of int, optional
        Columns that are shuffled together, and counted as one; each alone if not given.

    References
    ----------
    .. [1] Breiman, "Random forests", Machine Learning 45 (2001).
    """
    if sparse.issparse(material.matrix) or deadline.left <= 0:
        return {}
    if groups is None:
        groups = [np.array([j]) for j in range(material.matrix.shape[1])]
    if all(isinstance(one.estimator, PRIORS) for seats in members for one in seats):
        return dict.fromkeys(range(len(groups)), (0.0, 0.0))
    columns = most_used(members, material.matrix.shape[1], groups)[:_COLUMNS]
    rng = np.random.default_rng(seed)

    def losses(part: Part, cells: Any) -> Array:
        return part.losses(cells, blend, material, metric)

    first, before = Part.of(0, members, material, rng, _EFFORTS[0][2]), deadline.left
    losses(first, first.cells)
    effort = _effort(len(columns), before - deadline.left, deadline.left)
    number = min(effort[0], len(material.splits))
    parts = [Part.of(k, members, material, rng, effort[2]) for k in range(number)]
    base = [losses(part, part.cells)[0] for part in parts]
    found: Importances = {}
    step = _together(material, effort[2])
    for start in range(0, len(columns), step):
        if deadline.left <= 0:
            break
        some = columns[start : start + step]
        grown = [
            losses(part, part.shuffled([groups[k] for k in some], rng)) - loss
            for part, loss in zip(parts, base, strict=True)
            for _ in range(effort[1])
        ]
        means, spreads = np.mean(grown, axis=0), np.std(grown, axis=0)
        for column, mean, spread in zip(some, means, spreads, strict=True):
            found[int(column)] = (float(mean), float(spread))
    return dict(sorted(found.items()))


@dataclass(frozen=True)
class Part:
    """The models of one split, and some rows that they have not seen.

    Parameters
    ----------
    models : list of ForeignMember
        One for each member.
    cells : ndarray of shape (n, n_columns)
        The cells of the rows.
    rows : ndarray of int of shape (n,)
        Their positions.
    """

    models: list[ForeignMember]
    cells: Array
    rows: NDArray[np.intp]

    @classmethod
    def of(
        cls,
        number: int,
        members: Sequence[list[ForeignMember]],
        material: Material,
        rng: np.random.Generator,
        n_rows: int,
    ) -> Part:
        """Some held-out rows of a split."""
        rows = np.sort(rng.permutation(material.splits[number][1])[:n_rows])
        cells = material.matrix[rows]
        cells = cells.native() if isinstance(cells, BinnedRows) else np.array(cells)
        return cls([seats[number] for seats in members], cells, rows)

    def losses(self, cells: Any, blend: Blend, material: Material, metric: Metric) -> Array:
        """Of one copy of the rows after the other."""
        said = blend(np.stack([model.ask(cells) for model in self.models]))
        said = said if material.n_classes else said[:, 0]
        truth, weight = material.truth[self.rows], material.weights(self.rows)
        copies = np.split(said, len(said) // len(truth))
        return np.array([metric.loss(truth, copy, weight) for copy in copies])

    def shuffled(self, groups: Sequence[NDArray[np.intp]], rng: np.random.Generator) -> Array:
        """A copy of the cells for each group, shuffled there, one below the other."""
        copies = np.repeat(self.cells[None], len(groups), axis=0)
        for copy, group in zip(copies, groups, strict=True):
            copy[:, group] = rng.permutation(copy[:, group])
        return copies.reshape(-1, copies.shape[2])


def most_used(
    members: Sequence[list[ForeignMember]],
    n_columns: int,
    groups: Sequence[NDArray[np.intp]] | None = None,
) -> NDArray[np.intp]:
    """Columns, or groups of them, that trees among the models use, the most used first."""
    total = np.zeros(n_columns)
    for seats in members:
        known = getattr(seats[0].estimator, "feature_importances_", None)
        if known is not None and len(known) == n_columns:
            total += np.asarray(known) / max(np.sum(known), 1e-300)
    if groups is not None:
        total = np.array([total[group].sum() for group in groups])
    return np.argsort(-total, kind="stable")


def _together(material: Material, n_rows: int) -> int:
    """Copies of so many rows that models are asked about at once."""
    wide = max(material.matrix.shape[1], material.n_classes)
    return max(1, min(_TOGETHER, _CELLS // wide) // n_rows)


def _effort(n_columns: int, seconds: float, left: float) -> tuple[int, int, int]:
    """The largest effort for which there is time, by what one look at the most rows takes."""
    most = _EFFORTS[0][2]
    for n_splits, repeats, n_rows in _EFFORTS:
        looks = n_splits * repeats * n_columns + n_splits
        if looks * seconds * n_rows / most <= left:
            return n_splits, repeats, n_rows
    return _EFFORTS[-1]
