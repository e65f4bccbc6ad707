"""How much worse the ensemble gets when a column is shuffled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from coterie.automl.clock import Deadline
from coterie.automl.combine import Blend
from coterie.automl.metrics import Metric
from coterie.automl.trial import Material
from coterie.combining.members import Seat

_ROWS = 600  # of each split that are shuffled
_SPLITS = 3
_REPEATS = 2
_COLUMNS = 200  # beyond as many, only some are tried

Importances = dict[int, tuple[float, float]]


def permutation_importances(
    blend: Blend,
    members: Sequence[list[Seat]],
    material: Material,
    metric: Metric,
    deadline: Deadline,
    seed: int,
) -> Importances:
    """For each column the mean loss of shuffling it among held-out rows, and its deviation.

    Every model is asked about rows that it has not seen. Columns that are not reached in time
    are left out.

    Parameters
    ----------
    blend : Blend
        How members are combined.
    members : list of lists of Seat
        The models of each member, one for each split.
    material : Material
        The rows.
    metric : Metric
        What gets worse.
    deadline : Deadline
        When to stop.
    seed : int
        Of the shuffling.

    References
    ----------
    .. [1] Breiman, "Random forests", Machine Learning 45 (2001).
    """
    if sparse.issparse(material.matrix):
        return {}
    rng = np.random.default_rng(seed)
    parts = []
    for number, (_, test) in enumerate(material.splits[:_SPLITS]):
        rows = np.sort(rng.permutation(test)[:_ROWS])
        models = [seats[number] for seats in members]
        cells = np.array(material.matrix[rows])
        parts.append((models, cells, rows, _loss(blend, models, cells, rows, material, metric)))
    found: Importances = {}
    for column in range(min(material.matrix.shape[1], _COLUMNS)):
        if deadline.left <= 0:
            break
        losses = []
        for models, cells, rows, base in parts:
            own = cells[:, column].copy()
            for _ in range(_REPEATS):
                cells[:, column] = rng.permutation(own)
                losses.append(_loss(blend, models, cells, rows, material, metric) - base)
            cells[:, column] = own
        found[column] = (float(np.mean(losses)), float(np.std(losses)))
    return found


def _loss(
    blend: Blend,
    models: list[Seat],
    cells: Any,
    rows: NDArray[np.intp],
    material: Material,
    metric: Metric,
) -> float:
    said = blend(np.stack([model.ask(cells) for model in models]))
    said = said if material.n_classes else said[:, 0]
    return metric.loss(material.truth[rows], said, material.weights(rows))
